#pragma once

#include <cstddef>
#include <vector>

#include "plush/math/vec.hpp"
#include "plush/world/ids.hpp"

// Places on the surfaces of bodies, and the results of queries of a world.

namespace plush {

/// A material point of the surface of a body. It is a value: copy it, keep it, and ask World::position_of() where it is
/// now. It follows the material: the pose of a rigid body, the deformation of a soft one, and a piece that a cut has
/// parted. Where a cut has removed the surface at this place, or the body is gone, its use throws an Error.
struct SurfacePoint {
    static constexpr std::uint32_t none = 0xffffffffu;
    BodyId body{};
    /// Of World::drawn_surface() of a deformable body, or of World::shape().drawn() of another. Of a rope its segment, of
    /// particles and point clouds the point. `none` on a half-space, and where a distance has no mesh.
    std::uint32_t triangle = none;
    Vec3 weights{1, 0, 0};  ///< barycentric, of the corners of the triangle
    /// In the body's frame, m: of a rigid, fixed or scripted body where it is now, of a deformable one where it was at
    /// rest. By it the point is found again after a cut.
    Vec3 local{};
    Vec3 local_normal{};  ///< of the triangle there; tells the two faces of a cut apart
    explicit operator bool() const { return static_cast<bool>(body); }
    bool operator==(const SurfacePoint&) const = default;
};

/// Where a ray meets a surface.
struct RayResult {
    BodyId body;
    double distance = 0;  ///< m
    Vec3 point{}, normal{};
    SurfacePoint surface{};  ///< that place on the body: triangle and weights are in it
};

/// The point of a surface that is nearest to a given one.
struct ClosestResult {
    BodyId body;
    double distance =
        0;         ///< signed: negative inside; of a body whose surface is not closed never negative, m
    Vec3 point{};  ///< on the surface
    SurfacePoint surface{};
};

/// A vertex and its share of a point.
struct VertexWeight {
    std::uint32_t vertex = 0;
    double weight = 0;
    bool operator==(const VertexWeight&) const = default;
};

/// How the vertices of a deformable body carry its drawn surface: drawn point i is Σ weight · vertex position over
/// entries[first[i]] … entries[first[i + 1]]. Constant until the next cut.
struct SkinWeights {
    std::vector<std::size_t> first{};
    std::vector<VertexWeight> entries{};
};

}  // namespace plush
