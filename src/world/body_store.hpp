#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/deformable/particle_body.hpp"
#include "bodies/rigid/kinematic_body.hpp"
#include "bodies/rigid/rigid_body.hpp"
#include "contact/fields/embedded_contact_surface.hpp"
#include "contact/fields/surface_field.hpp"
#include "contact/fields/surface_projection.hpp"
#include "core/assert.hpp"
#include "detect/penetration/tet_shape.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/world/world.hpp"
#include "world/drag_field.hpp"
#include "world/user_force_field.hpp"

// The bodies of a world: who they are, what they are made of, whether they sleep. What a contact method needs
// of a body beyond that lives with the method, by the body's index (by_body.hpp).

namespace plush {

/// What only a deformable body has. The force fields are elements of the body, which owns them.
struct DeformableParts {
    Mesh skin{};  ///< drawn instead of the body's own triangles; empty where there is none
    std::shared_ptr<const Embedding> skin_weights{};
    Mesh contact_surface{};  ///< the skin, refined where it is coarser than what it is embedded in
    std::shared_ptr<const Embedding> contact_weights{};
    std::vector<Vec3> rest{};         ///< where its vertices were when it was added
    SurfaceField* surface{};          ///< holds its vertices off the distances of other bodies
    SurfaceProjection* projection{};  ///< the same where obstacles are position constraints
    EmbeddedContactSurface*
        embedded_surface{};  ///< the same where it acts on the points of a contact surface
    std::vector<UserForceField*> force_fields{};
    DragField* drags{};  ///< of explicit integrators; made when it is first dragged
    bool self_contact = false;
    bool point_cloud = false;      ///< it has no elements
    bool hollow = false;           ///< a sheet: nothing holds up what it encloses
    bool encloses_volume = false;  ///< its surface is closed, and volume contact can see it
    bool in_pieces = false;        ///< cuts have parted it
    bool scripted = false;         ///< its vertices follow a script, and nothing else moves them

    /// What it is drawn as.
    std::span<const Triangle> triangles(const DeformableBody& body) const {
        return skin.empty() ? body.triangles() : skin.triangles();
    }
    /// What it touches others with.
    std::span<const Triangle> contact_triangles(const DeformableBody& body) const {
        return contact_surface.empty() ? body.triangles() : contact_surface.triangles();
    }
};

struct BodyRecipe;  ///< what World::add() was given (world/body_recipe.hpp)

/// A place for a body. A removed body leaves its place to a later one, with the next generation.
struct BodyRecord {
    std::unique_ptr<Body> body{};  ///< null where the place is free
    std::uint32_t generation = 0;
    BodyKind kind = BodyKind::fixed;
    std::string name{};
    Shape shape{};    ///< empty for particles and deformable bodies
    double size = 0;  ///< at rest (body_size.hpp), m
    Material material{};
    Look look = Look();  ///< no state: the motion does not depend on it
    Filter filter{};
    bool sensor = false;
    std::uint64_t order = 0;  ///< of adding
    bool asleep = false;
    bool frozen = false;    ///< its motion was absurd: it sleeps for good
    double quiet_time = 0;  ///< how long it has been slow, s
    // Since then (Sleep):
    std::vector<Vec3> quiet_from{};               ///< where points of it were, m
    double quiet_path = 0;                        ///< the way that its fastest point can have made, m
    double quiet_speed = 0;                       ///< of its fastest point at first, m/s
    bool warned_fast = false;                     ///< the log has said that it moves far in a step
    bool warned_friction = false;                 ///< the log has said that its friction is limited
    TetMesh tets{};                               ///< that it is made of, or filled with
    std::shared_ptr<const TetShape> tet_shape{};  ///< of bodies that touch others by their tets
    std::optional<Blade> blade{};                 ///< of a scripted body that cuts
    std::shared_ptr<const Soft> source{};  ///< of a deformable body that can be cut: what it was made of
    DeformableParts parts{};
    std::shared_ptr<const BodyRecipe> recipe{};
    std::uint64_t fingerprint = 0;  ///< of what it is made of (world/fingerprint.hpp)

    RigidBody& rigid() const { return as<RigidBody>(BodyKind::rigid); }
    ParticleBody& particles() const { return as<ParticleBody>(BodyKind::particles); }
    DeformableBody& deformable() const { return as<DeformableBody>(BodyKind::deformable); }
    KinematicBody& kinematic() const {
        PLUSH_ASSERT(body && (kind == BodyKind::fixed || kind == BodyKind::scripted));
        return static_cast<KinematicBody&>(*body);
    }
    bool is_deformable() const { return body && kind == BodyKind::deformable; }
    /// Whether impulses can move it.
    bool dynamic() const { return body && kind != BodyKind::fixed && kind != BodyKind::scripted; }
    bool awake() const { return dynamic() && !asleep; }
    /// Nothing that touches it moves it.
    bool is_given() const { return body && (!dynamic() || parts.scripted); }
    bool moving() const {
        if (is_deformable() && parts.scripted) return !deformable().script()->ended(deformable().time());
        return body && (dynamic() ? !asleep : kind == BodyKind::scripted && !kinematic().at_rest());
    }
    void wake() {
        if (!frozen) asleep = false, quiet_time = 0;
    }

private:
    template <class T>
    T& as([[maybe_unused]] BodyKind wanted) const {
        PLUSH_ASSERT(body && kind == wanted);
        return static_cast<T&>(*body);
    }
};

class BodyStore {
public:
    BodyId add(BodyRecord record);
    void remove(std::uint32_t index);
    /// For a copy of a world: the places of another store, to be filled by put().
    void copy_places(const BodyStore& other);
    void put(std::uint32_t index, BodyRecord record);
    /// Reads or writes which places are taken, for a file. False where what was read makes no sense.
    bool visit_places(StateVisitor& v);
    bool is_free(std::uint32_t index) const {
        return std::find(free_.begin(), free_.end(), index) != free_.end();
    }

    std::size_t size() const { return records_.size(); }  ///< of places, free ones too
    BodyRecord& operator[](std::size_t index) {
        PLUSH_ASSERT(index < records_.size());
        return records_[index];
    }
    const BodyRecord& operator[](std::size_t index) const {
        PLUSH_ASSERT(index < records_.size());
        return records_[index];
    }
    auto begin() { return records_.begin(); }
    auto end() { return records_.end(); }
    auto begin() const { return records_.begin(); }
    auto end() const { return records_.end(); }

    // By their public names. Throw an Error where a name is stale, or the body is not of that kind.
    std::uint32_t index_of(BodyId id) const;
    BodyRecord& at(BodyId id) { return records_[index_of(id)]; }
    const BodyRecord& at(BodyId id) const { return records_[index_of(id)]; }
    DeformableBody& deformable(BodyId id) const;
    ParticleBody& particles(BodyId id) const;
    bool contains(BodyId id) const;
    bool is_body(std::size_t index) const { return index < records_.size() && records_[index].body; }
    /// Whether a state that was restored has the sizes of the bodies.
    bool is_consistent() const;
    BodyId id(std::uint32_t index) const { return {index + 1, records_[index].generation}; }
    std::vector<BodyId> ids() const;  ///< in the order of adding
    BodyId find(std::string_view name) const;
    std::string label(std::uint32_t index) const;  ///< for messages

    /// A body was changed from outside: it is awake, and contacts between bodies at rest must be found again.
    void mark_changed(BodyRecord& record) { record.wake(), mark_changed(); }
    void mark_changed() { ++revision_; }
    /// Changes whenever something other than a step changed the bodies or the settings of their pairs.
    std::uint64_t revision() const { return revision_; }

    void visit_state(StateVisitor& v);

private:
    std::vector<BodyRecord> records_;
    std::vector<std::uint32_t> free_;
    std::uint64_t added_ = 0;
    std::uint64_t revision_ = 1;
};

/// Throws: the body is of another kind than an operation wants.
[[noreturn]] void throw_wrong_kind(const BodyRecord& record, std::string_view wanted);
/// Throws where the body is not deformable or has no such vertex.
void require_vertex(const BodyRecord& record, std::uint32_t vertex);
DeformableBody& require_deformable(const BodyRecord& record);

// Measures of one body.
Vec3 centre_of(const BodyRecord& record);
Vec3 velocity_of(const BodyRecord& record);
Vec3 angular_velocity_of(const BodyRecord& record);
Vec3 angular_momentum_of(const BodyRecord& record);      ///< about the centre of mass
double mass_of(const BodyRecord& record);                ///< HUGE_VAL for fixed and scripted bodies
std::span<const Tet> tets_of(const BodyRecord& record);  ///< throws where it is not deformable
/// In the body's frame; empty for particles. `measured`: the surface of volume contact, where there is a finer one.
const Mesh& drawn_mesh(const BodyRecord& record, bool measured);
std::vector<Vec3> drawn_positions_of(const BodyRecord& record);  ///< of a skin, or of the vertices

// Of all bodies.
Energy energy_of(const BodyStore& bodies, const Vec3& gravity);
Vec3 momentum_of(const BodyStore& bodies);
Vec3 angular_momentum_of(const BodyStore& bodies);  ///< about the world's origin
/// Of all contacts on one body, about a point.
Wrench wrench_of(std::span<const Contact> contacts, BodyId body, const Vec3& about);

}  // namespace plush
