#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "plush/bodies/soft.hpp"
#include "plush/world/drag.hpp"
#include "plush/world/forces.hpp"
#include "plush/world/report.hpp"
#include "plush/world/settings.hpp"
#include "plush/world/surface_point.hpp"

namespace plush {

/// What a joint holds on to: a body, a vertex of a deformable one, or the world.
struct JointEnd {
    BodyId body{};
    std::optional<std::uint32_t> vertex{};
    JointEnd() = default;
    JointEnd(BodyId b, std::optional<std::uint32_t> v = {}) : body(b), vertex(v) {}
};

enum class BodyKind { rigid, fixed, scripted, particles, deformable };
PLUSH_API std::string_view to_word(BodyKind kind);

/// One point of contact of the last step.
struct Contact {
    BodyId a{}, b{};
    Vec3 point{};             ///< world, m
    Vec3 normal{};            ///< unit; the direction of the force on a
    double depth = 0;         ///< m; negative for a gap
    double normal_force = 0;  ///< N
    Vec3 friction_force{};    ///< on a, N
    bool sticking = false;
    // Of volume contact; 0 for points.
    std::uint64_t id = 0;      ///< the same while the contact lasts
    double area = 0;           ///< m²; normal_force / area is the pressure
    double volume = 0;         ///< shared, m³; depth is volume / area
    double largest_depth = 0;  ///< may be far above the mean, m
    double pressure() const { return area > 0 ? normal_force / area : 0; }  ///< Pa
};

/// Two bodies that began to touch, go on touching, or ended it in the last step.
struct ContactEvent {
    /// What the touch did in the last step.
    enum class Kind { began, ongoing, ended };
    BodyId a, b;
    Kind kind = Kind::began;
    bool sensor = false;  ///< one of them is a sensor
};

/// The system that holds the points of joints together, S = J A⁻¹ Jᵀ: block (i, j) is what an impulse at joint j does to
/// the relative velocity at joint i, the sum of ± K over the bodies at both (docs/methods.md, Joints).
struct JointMatrix {
    std::vector<JointId> joints{};
    std::vector<Mat3> blocks{};  ///< row by row, 1/kg
    const Mat3& at(std::size_t i, std::size_t j) const { return blocks[i * joints.size() + j]; }
};

/// Two bodies whose tets share volume.
struct TetOverlapResult {
    BodyId a, b;
    std::size_t pairs = 0;  ///< of tets
};

/// The forces f (N, zero when it is called) on vertices at x (m) with velocities v (m/s) at the world's time
/// t (s). It must depend on nothing else that changes, and must not call the world.
using ForceFunction =
    std::function<void(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f)>;

/// Bodies, and what happens between them. Not copyable; worlds are independent of each other, and each may
/// run in a thread of its own. Everything in SI units. Functions that take a name throw an Error where it is
/// stale. All throw an Error where the world was moved from, and where another thread is changing it; several threads
/// may read one world at a time. Within step() custom forces may read and act (forces, velocities, drags, pins); all else,
/// step() itself among it, is an Error.
class PLUSH_API World {
public:
    explicit World(const WorldSettings& settings = {});
    ~World();
    World(World&&) noexcept;
    World& operator=(World&&) noexcept;

    // Bodies. Throws an Error that says what is wrong with the settings and how to fix it.
    BodyId add(const Rigid& body, const Placement& placement = {});
    BodyId add(const Fixed& body, const Placement& placement = {});
    BodyId add(const Scripted& body);
    BodyId add(const Particles& body);
    // Deformable bodies. Their coordinates are moved by the placement; its velocity is that of every vertex.
    BodyId add(const Rope& body, const Placement& placement = {});
    BodyId add(const Cloth& body, const Placement& placement = {});
    BodyId add(const Jelly& body, const Placement& placement = {});
    BodyId add(const Shells& body, const Placement& placement = {});
    BodyId add(const TetSprings& body, const Placement& placement = {});
    BodyId add(const ShapeMatching& body, const Placement& placement = {});
    BodyId add(const Soft& body, const Placement& placement = {});
    /// Vertices of a deformable body that keep the shape they have now, whatever else joins them. They must
    /// not be attached to a rigid body.
    void add_cluster(BodyId body, std::vector<std::uint32_t> vertices, const MatchSettings& settings);
    /// A fixed half-space with its surface at this height.
    BodyId add_ground(double height = 0, const Material& material = {});
    void remove(BodyId body);  ///< and the joints at it

    // Joints, between two bodies or between a body and the world (b left out). One of them must be able to
    // move; particles cannot be jointed. A vertex of a deformable body may take a ball, distance or rope
    // joint, and is then the anchor itself. Jointed bodies do not touch each other unless told.
    JointId add(const BallJoint& joint, const JointEnd& a, const JointEnd& b = {});
    JointId add(const HingeJoint& joint, const JointEnd& a, const JointEnd& b = {});
    JointId add(const SliderJoint& joint, const JointEnd& a, const JointEnd& b = {});
    JointId add(const FixedJoint& joint, const JointEnd& a, const JointEnd& b = {});
    JointId add(const DistanceJoint& joint, const JointEnd& a, const JointEnd& b = {});
    JointId add(const RopeJoint& joint, const JointEnd& a, const JointEnd& b = {});
    void remove(JointId joint);
    std::vector<JointId> joints() const;
    /// By how much the joint gapes now: its points are apart, or it is too long, m.
    double joint_gap(JointId joint) const;
    /// Its coordinate now (see joints.hpp), rad or m, and how fast it changes; 0 for a fixed joint.
    double joint_position(JointId joint) const;
    double joint_speed(JointId joint) const;
    /// On a, at its anchor, in the last step: all that holds and drives it, N and N m. b gets the opposite.
    Vec3 joint_force(JointId joint) const;
    Vec3 joint_torque(JointId joint) const;
    /// Of all joints that have a point, where the bodies are now; those at a vertex of a deformable body are refused.
    JointMatrix joint_matrix() const;
    // Hinges, sliders and distance joints; they wake both bodies.
    void set_motor(JointId joint, const JointMotor& motor);
    void set_limits(JointId joint, const JointLimits& limits);
    void set_spring(JointId joint, const JointSpring& spring);

    // Time.
    void step();  ///< throws an Error, and keeps the last good state, where a body's state stops being finite
    double time() const;
    long long steps() const;
    const WorldSettings& settings() const;

    // Reading.
    std::vector<BodyId> bodies() const;  ///< in the order of adding
    bool alive(BodyId body) const;
    BodyKind kind(BodyId body) const;
    const std::string& name(BodyId body) const;
    BodyId find(std::string_view name) const;  ///< null where there is none
    Transform pose(BodyId body) const;         ///< of the shape's frame
    Vec3 centre(BodyId body) const;            ///< of mass, world
    Vec3 velocity(BodyId body) const;          ///< of the centre of mass
    Vec3 angular_velocity(BodyId body) const;
    Vec3 angular_momentum(BodyId body) const;  ///< about the centre of mass
    double mass(BodyId body) const;            ///< HUGE_VAL for fixed and scripted ones
    /// In the body's frame; empty for particles. Where contact is by volume, the surface that touches.
    const Mesh& drawn(BodyId body) const;
    const Shape& shape(BodyId body) const;
    std::span<const Vec3> particle_positions(BodyId body) const;
    std::span<const Vec3> particle_velocities(BodyId body) const;
    double particle_radius(BodyId body) const;
    // Of deformable bodies.
    std::span<const Vec3> vertex_positions(BodyId body) const;     ///< m
    std::span<const Vec3> vertex_velocities(BodyId body) const;    ///< m/s
    std::span<const double> vertex_masses(BodyId body) const;      ///< kg
    double vertex_radius(BodyId body) const;                       ///< m
    std::span<const Tet> tets(BodyId body) const;                  ///< of its vertices; where it has any
    std::span<const Triangle> surface(BodyId body) const;          ///< of its vertices; a rope has none
    std::span<const std::array<int, 2>> edges(BodyId body) const;  ///< of a rope
    std::vector<Vec3> drawn_positions(BodyId body) const;          ///< of its skin, or its vertices
    std::span<const Triangle> drawn_surface(BodyId body) const;    ///< of those
    std::size_t cluster_count(BodyId body) const;                  ///< that keep their shape
    double elastic_energy(BodyId body) const;                      ///< J
    /// Of a deformable body the largest stretch or squeeze of its tets in any direction, or else of its edges, as a part of
    /// the length at the start: 0.1 is ten per cent. 0 of any other body.
    double largest_strain(BodyId body) const;
    /// By how much the worst of its constraints on edges is missed, m; 0 without any.
    double constraint_error(BodyId body) const;
    /// The largest step, s, that the body's integrator takes in one piece: infinite for implicit Euler.
    double largest_stable_step(BodyId body) const;
    bool asleep(BodyId body) const;
    const Look& look(BodyId body) const;  ///< as it was added or set; no part of snapshots
    Energy energy() const;
    Vec3 momentum() const;
    Vec3 angular_momentum() const;  ///< of all bodies, about the world's origin
    /// How far the position phase of the last step moved the point of a body that it moved farthest, m.
    double displacement(BodyId body) const;
    Wrench contact_wrench(BodyId body) const;  ///< all contacts on this body in the last step
    // The same, normal and friction apart, of the last step or smoothed.
    ContactForce contact_force(BodyId body, Reading reading = Reading::last_step) const;
    ContactForce pair_force(BodyId a, BodyId b, Reading reading = Reading::last_step) const;  ///< on a, by b
    /// All pairs that touch, or did within the time of the mean.
    std::vector<PairForce> pair_forces(Reading reading = Reading::last_step) const;
    Wrench joint_wrench(JointId joint, Reading reading = Reading::last_step) const;  ///< as joint_force()
    /// What cutting does to a blade: its advance against what it cuts takes the fracture energy of the new surface.
    Wrench blade_wrench(BodyId blade, Reading reading = Reading::last_step) const;
    /// The time of the mean, s; it starts at the forces of now. 0: there is none, as at first.
    void smooth_forces(double time);

    std::span<const Contact> contacts() const;     ///< of the last step; ends at the next step
    std::span<const ContactEvent> events() const;  ///< of the last step
    const StepReport& report() const;

    // Cutting, of bodies added as Soft; contact must be by volume, as it is by default. Names of bodies stay;
    // those of vertices too, and vertices that are doubled get new ones at the end. Spans that were given out
    // before end with a cut. A body that was cut touches itself, and so its pieces each other.
    /// A blade in the world's frame cuts the body now; returns how many pieces it is in. Scripted
    /// bodies with a blade do the same in every step.
    std::size_t cut(BodyId body, const Blade& blade);
    std::size_t pieces(BodyId body) const;  ///< 1 where nothing has cut it through
    std::uint64_t cuts(BodyId body) const;  ///< how often its surface has changed; 0: it is as it was added

    // Pins of deformable bodies.
    void pin(BodyId body, std::uint32_t vertex);  ///< where it is
    /// All vertices in a box of the world, until a time, s, of the world; how many.
    std::size_t pin(BodyId body, const Box3& box, double until = HUGE_VAL);
    /// Vertices in a box are part of a rigid, fixed or scripted body from now on; how many. A rigid one feels
    /// their pull.
    std::size_t attach(BodyId body, const Box3& box, BodyId to, double until = HUGE_VAL);
    void unpin(BodyId body, std::uint32_t vertex);
    void set_wind(BodyId body, const Vec3& wind);  ///< m/s

    // Acting.
    void apply_force(BodyId body, const Vec3& force);  ///< at the centre of mass, during the next step
    /// The same at a point of the world: of a deformable body on the tet that holds it, or else on its nearest surface.
    void apply_force(BodyId body, const Vec3& force, const Vec3& point);
    void apply_force(const SurfacePoint& at, const Vec3& force);
    /// On one vertex of a deformable body, during the next step. No overload: `{}` would be a vertex.
    void apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force);
    void apply_torque(BodyId body, const Vec3& torque);
    void apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point);  ///< at once; the point as above
    void apply_impulse(const SurfacePoint& at, const Vec3& impulse);
    void set_pose(BodyId body, const Transform& pose);
    /// Of the centre of mass, m/s, and of the turn about it, rad/s: each vertex of a deformable body gets
    /// v + ω × (x − centre), and what is pinned goes on as its pins say. Particles do not turn.
    void set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity = {});
    /// One vertex of a deformable body, which must not be pinned.
    void set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity);
    void set_keyframes(BodyId body, std::vector<Keyframe> keyframes);
    void wake(BodyId body);
    void sleep(BodyId body);
    /// Called at the start of every step, from the thread that calls step(); it may apply forces.
    void add_custom_force(std::function<void(World&)> force);
    /// On the vertices of a deformable body, evaluated in every stage of every substep of its integrator,
    /// from the thread that calls step(). Explicit integrators see its changes with x and v at their full
    /// order; implicit Euler takes the force as it is at the start of a step, without its derivatives, and
    /// stability limits do not know of it: a stiff one asks for small steps. Like custom forces it is no part
    /// of snapshots: restore() leaves it in place, and another world must be given its own. What it throws
    /// comes out of step(), which then keeps the last good state.
    void add_force_field(BodyId body, ForceFunction force);

    // Changes while it runs. All that they touch is awake afterwards, and they are part of snapshots.
    void set_material(BodyId body, const Material& material);
    void set_friction(BodyId body, double friction);
    void set_look(BodyId body, const Look& look);  ///< wakes nobody
    /// Of velocity, 1/s: Rigid::damping, or DeformableSettings::damping. Particles have a drag of their own.
    void set_damping(BodyId body, double damping);
    /// Of a Soft body: all of its material but the density. Regions are scaled as their Young's moduli were.
    void set_elastic(BodyId body, const ElasticMaterial& elastic);
    void set_young(BodyId body, double young);  ///< Pa; the rest of it stays
    void set_gravity(const Vec3& gravity);      ///< m/s²
    /// h, s. Integrators with a memory start anew.
    void set_step(double step);
    /// The laws and sizes of contact. `surface` and `tets` are parts of the bodies and must be as they are.
    void set_contact(const ContactSettings& contact);
    void set_contact_method(ContactMethod method);
    void set_cells(double cells_across);  ///< VolumeSettings::cells_across

    // Who touches whom, and how.
    void set_filter(BodyId body, const Filter& filter);
    void set_collide(BodyId a, BodyId b, bool collide);
    void set_pair_material(BodyId a, BodyId b, const Material& material);
    /// How the vertices of a deformable body are held off surfaces, instead of the world's contact.surface.
    void set_surface(BodyId body, const SurfaceSettings& surface);
    void set_pair_method(BodyId a, BodyId b, ContactMethod method);
    /// The method of this pair, as set for the pair or the world; never `automatic` but the method it stands for.
    ContactMethod pair_method(BodyId a, BodyId b) const;
    // What holds where settings leave it open: by the sizes of the bodies and gravity.
    double allowed_depth(BodyId a, BodyId b) const;   ///< overlap of the two that is left alone, m
    double contact_margin(BodyId a, BodyId b) const;  ///< from where their points are watched, m
    double sleep_speed(BodyId body) const;            ///< below which it rests, m/s

    /// Decided by filters, by set_collide() and by joints.
    bool may_collide(BodyId a, BodyId b) const;

    // Queries. They see every body where it is now, deformable ones at their drawn surface; balls of radius 0 (ropes,
    // particles) have none that a ray could meet. Particles are left out of overlapping(). A query never changes the
    // world: without an up-to-date hierarchy it tests every triangle of the bodies near it, with the same result.
    std::optional<RayResult> ray(const Vec3& origin, const Vec3& direction, double max_distance = 1e6) const;
    std::optional<ClosestResult> closest(const Vec3& point, double max_distance = 1e6) const;
    /// The hierarchies of all surfaces, to where the bodies are now. Built once, refit afterwards.
    void update_queries();
    /// Whether every step ends with update_queries(). Off at first.
    void enable_queries(bool enabled = true);

    // Surface points.
    Vec3 position_of(const SurfacePoint& at) const;  ///< m
    Vec3 velocity_of(const SurfacePoint& at) const;  ///< m/s
    /// On a body, at these weights of a triangle (see SurfacePoint::triangle).
    SurfacePoint surface_point(BodyId body, std::uint32_t triangle, const Vec3& weights) const;
    /// The vertices of a deformable body that carry the point: its place and velocity are their weighted sums, and a
    /// force on it is shared by these weights.
    std::vector<VertexWeight> weights_of(const SurfacePoint& at) const;
    SkinWeights skin_weights(BodyId body) const;  ///< of drawn_positions()

    // Drags: springs from surface points to targets. They keep their body awake, are part of snapshots, and their work is
    // that of forces in the ledger.
    DragId add_drag(const SurfacePoint& at, const Drag& drag = {});  ///< with its target where the point is
    DragId add_drag(const SurfacePoint& at, const Drag& drag, const Vec3& target);
    /// From the end of the next step on; it goes on with this velocity, m/s, until it is set again.
    void set_drag_target(DragId drag, const Vec3& target, const Vec3& velocity = {});
    void remove_drag(DragId drag);
    std::vector<DragId> drags() const;
    Vec3 drag_force(DragId drag) const;   ///< on the body in the last step, N
    Vec3 drag_target(DragId drag) const;  ///< m
    /// Where it pulls. Throws where a cut has removed the surface there; such a drag pulls no more.
    SurfacePoint drag_point(DragId drag) const;
    std::vector<BodyId> overlapping(const Box3& box) const;  ///< whose bounds overlap it; half-spaces always

    /// The bodies whose tets overlap now, exactly: those that only touch do not. Fixed, scripted and other
    /// bodies without tets are left out, and so are pairs that may not touch.
    std::vector<TetOverlapResult> overlapping_tets() const;

    /// A world of its own with the same settings, bodies and state: its next steps have the same bits. Functions of the user
    /// (custom forces, force fields, the logger) are copied as std::function copies them.
    World copy() const;

    // State: all that the next step reads.
    std::uint64_t state_hash() const;
    /// Of poses (or vertex positions) and velocities alone, in the order of bodies(): equal where two worlds
    /// move alike, whatever else they keep for the next step.
    std::uint64_t motion_hash() const;
    std::vector<std::byte> snapshot() const;
    /// Into this world, or one built the same way: the same bodies and joints in the same order.
    void restore(std::span<const std::byte> snapshot);

    // Files: all of a world, its meshes included, to be opened without the scene or program that made it; by the version of
    // Plush that wrote it. Functions of the user (custom forces, force fields, the logger) are left out, and must be added
    // again. The next steps of what was loaded have the same bits.
    /// Throws an Error where the file cannot be written, which then is what it was, or where a body is made of a signed distance
    /// of the user's own class.
    void save(const std::filesystem::path& file) const;
    /// Throws an Error where the file is damaged, or not one of these. `threads`: WorldSettings::threads.
    static World load(const std::filesystem::path& file, int threads = 0);
    static Result<World> try_load(const std::filesystem::path& file, int threads = 0);
    /// What save() writes.
    std::vector<std::byte> to_bytes() const;
    static Result<World> try_from_bytes(std::span<const std::byte> bytes, int threads = 0);

    void set_logger(Logger logger);

private:
    friend struct WorldAccess;  ///< src/world/world_impl.hpp
    struct Impl;
    std::shared_ptr<Impl> impl_;  ///< never shared with another world: a step keeps it alive
};

}  // namespace plush
