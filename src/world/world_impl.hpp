#pragma once

#include "world/access.hpp"
#include "world/world_parts.hpp"

namespace plush {

struct World::Impl : WorldParts {
    using WorldParts::WorldParts;
    std::vector<std::function<void(World&)>> custom_forces{};
    AccessState access{};
};

/// The parts of a world, for its own functions, and for what shows more of it than these: python/src/world.hpp, and
/// reading.hpp for the viewer.
struct WorldAccess {
    static WorldParts& parts(World& world) { return *alive(world); }
    static const WorldParts& parts(const World& world) { return *alive(world); }

    static const std::shared_ptr<World::Impl>& alive(const World& world) {
        if (!world.impl_)
            throw Error({.place = "world",
                         .problem = "it was moved from: nothing is in it",
                         .cure = "use the world that it was moved to"});
        return world.impl_;
    }
    using Read = ReadAccess<World::Impl>;
    using Write = WriteAccess<World::Impl>;
};

// What the functions of World begin with.
inline WorldAccess::Read to_read(const World& world) {
    return WorldAccess::Read(*WorldAccess::alive(world));
}
inline WorldAccess::Write to_act(World& world) {
    return {*WorldAccess::alive(world), WorldUse::act};
}
inline WorldAccess::Write to_change(World& world) {
    return {*WorldAccess::alive(world), WorldUse::change};
}

}  // namespace plush
