#pragma once

#include "plush/world/world.hpp"
#include "view/picture.hpp"
#include "view/world_actions.hpp"

// What is drawn beside the bodies of a live world, on request.

namespace plush::view {

/// Drags and pins, and of the layers that are wanted contacts, cells, joints and the velocities of bodies.
std::vector<ListPicture> world_lists(const World& world, const WorldActions& actions,
                                     std::span<const BodyId> bodies, std::uint32_t layers);

/// Of each of `count` points of a body, 3 a point. Empty where the points are not its vertices or particles.
std::vector<float> point_velocities(const World& world, BodyId body, std::size_t count);

/// The von Mises strain of each vertex, and the tets that are inverted; nothing of bodies without tets.
void add_strain(const World& world, BodyId body, PointsPicture& points);

/// Of tet k: whether it is inside out.
bool inverted_tet(std::span<const Vec3> x, const Tet& tet);

/// The JSON of a frame: step, time and the report.
std::string frame_meta(const World& world, double wall_ms);

}  // namespace plush::view
