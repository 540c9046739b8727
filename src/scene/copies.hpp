#pragma once

#include "scene/spec.hpp"

namespace plush {

/// Where the copies of a body stand, in order. A body without `repeat` is one copy.
std::vector<Transform> place_copies(const BodySpec& body);

/// The particles of a body, before its placement.
std::vector<Vec3> particle_positions(const ParticlesSpec& particles);

}  // namespace plush
