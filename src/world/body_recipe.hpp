#pragma once

#include <variant>

#include "world/body_store.hpp"

// What a body was made of, so that it can be made again in another world: the settings that World::add() was given, and what
// was added to them later and is no visited state.

namespace plush {

struct BodyRecipe {
    using Settings = std::variant<Rigid, Fixed, Scripted, Particles, Rope, Cloth, Jelly, Shells, TetSprings,
                                  ShapeMatching, Soft>;
    Settings settings{};
    Placement placement{};
    struct Cluster {
        std::vector<std::uint32_t> vertices{};
        std::vector<Vec3> rest{};
        MatchSettings settings{};
    };
    std::vector<Cluster> clusters{};
    std::optional<SurfaceSettings> surface{};
    std::vector<ForceFunction> force_fields{};
};

/// A change of what the body is made of; copies of the world keep theirs.
template <class Edit>
void edit_recipe(BodyRecord& record, const Edit& edit) {
    auto changed =
        record.recipe ? std::make_shared<BodyRecipe>(*record.recipe) : std::make_shared<BodyRecipe>();
    edit(*changed);
    record.recipe = std::move(changed);
}

}  // namespace plush
