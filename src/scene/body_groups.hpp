#pragma once

#include "plush/world/world.hpp"

// The bodies of a world by name, as its advice sees them.

namespace plush {

/// Copies of one body, and others of one name and kind.
struct BodyGroup {
    std::string name{};
    std::vector<BodyId> bodies{};
    bool thin = false;  ///< cloth, ropes, particles: what has no inside
    bool moves = false, deformable = false;
};

/// At most some hundreds: those beyond are left out.
std::vector<BodyGroup> body_groups(const World& world);

/// The box of a body in the world, or of its shape; empty where it has no bounds.
Box3 box_of(const World& world, BodyId body);

/// How thick the body is where it is thinnest, m; infinite where it has no bounds, 0 of thin bodies.
double thickness_of(const World& world, const BodyGroup& group, BodyId body);

}  // namespace plush
