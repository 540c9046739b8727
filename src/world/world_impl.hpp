#pragma once

#include "world/world_parts.hpp"

namespace plush {

struct World::Impl : WorldParts {
    using WorldParts::WorldParts;
    std::vector<std::function<void(World&)>> custom_forces{};
};

}  // namespace plush
