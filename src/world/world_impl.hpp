#pragma once

#include "world/world_parts.hpp"

namespace plush {

struct World::Impl : WorldParts {
    using WorldParts::WorldParts;
    std::vector<std::function<void(World&)>> custom_forces{};
};

/// The parts of a world, for what shows more of it than its public functions: python/src/world.hpp, and reading.hpp for
/// the viewer.
struct WorldAccess {
    static WorldParts& parts(World& world) { return *world.impl_; }
    static const WorldParts& parts(const World& world) { return *world.impl_; }
};

}  // namespace plush
