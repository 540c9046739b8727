#pragma once

#include "plush/world/world.hpp"
#include "view/command.hpp"

// What a user does to a world, as commands: the viewer and the replay of a record both apply them here, between two steps.
// The same commands at the same steps of the same world give the same bits.

namespace plush::view {

class WorldActions {
public:
    /// Dragged and pinned points keep the numbers that pages call them by.
    struct Held {
        std::uint32_t number = 0;
        DragId drag{};
        BodyId body{};
        double max_force = 0;  ///< N
    };

    /// The command's results, or the Error why the world would not.
    Result<nlohmann::json> apply(World& world, const Command& command);

    std::span<const Held> drags() const { return drags_; }
    std::span<const Held> pins() const { return pins_; }
    /// Commands that added bodies: a world built the same way needs them again before it takes a snapshot.
    const std::vector<Command>& drops() const { return drops_; }
    /// Forgets what is held of bodies that are gone.
    void forget_removed(const World& world);
    /// Commands that let go of all that is dragged.
    std::vector<Command> release_all(std::uint32_t world) const;

    /// All of this, for saved states.
    nlohmann::json to_json() const;
    void read_json(const nlohmann::json& json);

private:
    using Json = nlohmann::json;
    SurfacePoint place_of(const World& world, const Command& command, Json& result) const;
    Json pick(const World& world, const Command& command) const;
    Json drag(World& world, const Command& command);
    Json drag_to(World& world, const Command& command);
    Json release(World& world, std::vector<Held>& held, std::uint32_t number, const char* what);
    Json pin(World& world, const Command& command);
    Json cut(World& world, const Command& command);
    Json drop(World& world, const Command& command);
    Json set(World& world, const Command& command);
    void set_bodies(World& world, const Command& command);
    Mesh drop_mesh(const std::string& shape, double size, bool soft);

    std::vector<Held> drags_, pins_;
    std::vector<Command> drops_;
    std::uint32_t next_ = 1;
    /// Bodies of one mesh share its tets and distances.
    std::vector<std::pair<std::string, Mesh>> meshes_;
};

/// The body that a page calls by its place in World::bodies().
BodyId body_at(const World& world, std::uint32_t index);
std::uint32_t index_of(const World& world, BodyId body);
nlohmann::json to_json(const Vec3& v);
/// Whether it was added as Soft: it can be cut, and has a Young's modulus.
bool is_soft(const World& world, BodyId body);

}  // namespace plush::view
