#pragma once

#include "world/query_surfaces.hpp"

// Material points of surfaces: where they are, how fast, and which vertices carry them.

namespace plush {

/// The point on a body at weights of one of its triangles (of a rope: segments; of particles: points). Throws where there is
/// none.
SurfacePoint make_surface_point(const BodyStore& bodies, BodyId body, std::uint32_t triangle,
                                const Vec3& weights);
/// The same point with the triangle that holds it now. Throws where a cut has removed it, or the body is gone.
SurfacePoint resolve(const BodyStore& bodies, const SurfacePoint& at);

Vec3 position_of(const BodyStore& bodies, const SurfacePoint& at);
Vec3 velocity_of(const BodyStore& bodies, const SurfacePoint& at);
/// Of a deformable body, or of particles; each vertex once, rising. Throws for others.
std::vector<VertexWeight> weights_of(const BodyStore& bodies, const SurfacePoint& at);
SkinWeights skin_weights_of(const BodyRecord& record);

/// The vertices of a deformable body that carry a point of the world: the tet that holds it, or else the nearest place on its
/// surface. Weights sum to 1, and in a tet their places to the point: a force there has its net force and moment.
std::vector<VertexWeight> weights_at(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                     std::uint32_t body, const Vec3& point);

}  // namespace plush
