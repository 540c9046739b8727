#pragma once

#include "plush/world/world.hpp"
#include "view/picture.hpp"
#include "view/world_actions.hpp"

namespace plush::view {

/// Captures a world as one Picture after another.
class WorldPicture {
public:
    /// Everything is new, and the world too: another scene, or the start of this one.
    void restart(nlohmann::json scene_meta);
    /// The present state, with these layers. `wall_ms` is what the last step took.
    std::shared_ptr<const Picture> take(const World& world, const WorldActions& actions, std::uint32_t layers,
                                        double wall_ms);
    /// Bodies in the order of the page's indices.
    const std::vector<BodyId>& bodies() const { return bodies_; }

private:
    void update_structure(const World& world);
    void update_body(const World& world, std::size_t i);
    void update_points(const World& world, std::size_t i, std::uint32_t layers);
    std::int32_t share_mesh(std::shared_ptr<MeshPicture> mesh, bool deformable);
    std::int32_t own_mesh(std::size_t body, std::shared_ptr<MeshPicture> mesh);

    Picture next_{};
    std::vector<BodyId> bodies_{};
    std::vector<std::uint64_t> cuts_{};     ///< of each body, as it was captured
    std::vector<char> skinned_{};           ///< whether its points are vertices that carry a skin
    std::vector<std::int32_t> own_mesh_{};  ///< of bodies that were cut; −1: none
    std::vector<std::pair<std::uint64_t, std::int32_t>> mesh_hashes_{};
};

}  // namespace plush::view
