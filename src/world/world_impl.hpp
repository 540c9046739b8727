#pragma once

#include <memory>
#include <vector>

#include "bodies/deformable/assembly.hpp"
#include "bodies/deformable/body_answer.hpp"
#include "bodies/deformable/deformable_body.hpp"
#include "bodies/deformable/particle_body.hpp"
#include "bodies/rigid/kinematic_body.hpp"
#include "bodies/rigid/rigid_body.hpp"
#include "contact/fields/carried_surface.hpp"
#include "contact/fields/inside_memory.hpp"
#include "contact/fields/surface_field.hpp"
#include "contact/fields/surface_projection.hpp"
#include "contact/fields/tet_contact.hpp"
#include "contact/joints/joint.hpp"
#include "contact/points/averaged_impulse.hpp"
#include "contact/points/matched_contact.hpp"
#include "contact/points/point_contact.hpp"
#include "contact/solver/block_solver.hpp"
#include "contact/solver/islands.hpp"
#include "contact/volume/volume_contact.hpp"
#include "core/parallel.hpp"
#include "detect/broad_phase.hpp"
#include "detect/depth_images/overlap_finder.hpp"
#include "detect/depth_images/soft_surface.hpp"
#include "detect/features/closest_features.hpp"
#include "detect/features/soft_features.hpp"
#include "detect/penetration/penetration.hpp"
#include "geometry/cutting/cut_skin.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/world/world.hpp"
#include "world/user_force_field.hpp"

// The inside of a world. What a step reads is state, and is visited in state.cpp; what it could work out
// again from the state (contacts, rows) is a cache, and is dropped whenever the state changes from outside.

namespace plush {

/// A vertex of a deformable body that is part of another one: it follows it, and a rigid one feels its pull.
struct Attachment {
    std::uint32_t vertex = 0, to = 0;  ///< `to` is a slot
    Vec3 anchor{};                     ///< in the frame of that body
};
template <>
inline constexpr bool is_plain_state<Attachment> = true;
template <>
inline constexpr bool is_plain_state<Twist> = true;

/// A vertex that is held until a time.
struct Release {
    std::uint32_t vertex = 0;
    double time = 0;  ///< s, of the world
};
inline void visit_state(StateVisitor& v, Release& release) {  // not plain: there is padding in it
    v(release.vertex, release.time);
}

/// What blades have made of a soft body, and where they are in it.
struct CutBody {
    CutSolid solid{};
    CutSkin skin{};                    ///< empty where the tets are the body
    std::vector<double> masses{};      ///< of its vertices, kg
    std::vector<CutStroke> strokes{};  ///< of the blades that are in it, by slot
    std::uint64_t cuts = 0;            ///< 0: nothing has changed yet
};

/// A place for a body. A removed body leaves its slot to a later one, with the next generation.
struct Slot {
    std::unique_ptr<Body> body;  ///< null where the slot is free
    std::uint32_t generation = 0;
    BodyKind kind = BodyKind::fixed;
    std::string name;
    Shape shape;  ///< empty for particles
    Material material;
    Filter filter;
    bool sensor = false;
    bool asleep = false;
    double quiet = 0;         ///< how long it has been slow, s
    std::uint64_t order = 0;  ///< of adding
    std::vector<Attachment> attachments{};
    std::vector<Release> releases{};
    SurfaceField* surface = nullptr;              ///< of a deformable body, which owns it
    SurfaceProjection* projection = nullptr;      ///< the same, where obstacles are constraints
    std::vector<UserForceField*> force_fields{};  ///< the same, those that the user gave
    bool grouped = false;                         ///< advanced with the rigid bodies it is attached to
    bool points = false;                          ///< a deformable body without elements
    bool hollow = false;                          ///< the same, a sheet: nothing holds up what it encloses
    Mesh skin{};                                  ///< of a deformable body: drawn instead of its vertices
    std::shared_ptr<const Embedding> skin_weights{};
    CarriedSurface* carried_surface = nullptr;    ///< contact is at the points of the skin; the body owns it
    TetMesh tets{};                               ///< that it is made of, or filled with
    std::shared_ptr<const TetShape> tet_shape{};  ///< of bodies that touch others by their tets
    std::vector<Vec3> tet_rest{};                 ///< of a rigid one, in the frame of its shape
    std::vector<Vec3> tet_positions{};            ///< the same in the world, of the step under way
    // What contact by volume sees, or null: of a body with a shape, or of a deformable one.
    std::shared_ptr<const PosedSurface> volume_surface{};
    std::unique_ptr<SoftSurface> soft_surface{};
    bool volume_looked_at = false;  ///< whether that has been made
    /// What contact by closest features sees of a body with a mesh; made when it is first near another.
    std::shared_ptr<const FeatureSurface> features{};
    std::unique_ptr<SoftFeatures>
        soft_features{};           ///< the same of a deformable one, where it was last looked at
    bool self_contact = false;     ///< a deformable body touches itself
    std::vector<Vec3> rest{};      ///< of a deformable body: where its vertices were when it was added
    std::optional<Blade> blade{};  ///< of a scripted body that cuts
    // Of a deformable body that can be cut: what it was made of, and what has become of it.
    std::shared_ptr<const Soft> made_of{};
    std::vector<double> whole_masses{};  ///< of its vertices before any cut, kg
    std::size_t made_elements = 0;       ///< so many of its elements come from what it is made of
    std::unique_ptr<CutBody> cut{};
    bool in_pieces = false;                      ///< it does not hang together
    ClusterBounds bounds_now{}, bounds_ahead{};  ///< of the soft surface
    std::vector<Vec3> expected_positions{};      ///< of a deformable body, at the end of the step under way
    std::vector<Vec3> expected_velocities{};
    Transform expected_pose{};  ///< of a rigid one
    // Where it was when the contacts by volume were last measured or carried along, and how far it is from
    // there, at most, m.
    std::vector<Vec3> seen_positions{};
    Transform seen_pose{};
    double missed = 0;
    std::vector<Vec3> witnesses{};  ///< of a soft surface, where it is looked for
    /// What rows did to the velocities of its nodes in the last step, and how much of it the step before did
    /// too, 0 to 1 (see look_ahead()); kept where deformable bodies touch by volume.
    std::vector<Twist> pressed{};
    double steadiness = 0;
    std::uint64_t bounds_version = 0;  ///< of the body, when bounds_now were made
    // Of the step under way.
    std::optional<std::uint32_t> first_node{};
    /// Vertices of a deformable body that joints hold, rising: nodes from `first_grip` on. What volume
    /// contacts see of it follows them.
    std::vector<std::uint32_t> held{};
    std::uint32_t first_grip = 0;
    bool grips_itself = false;          ///< one of them is of a contact with itself
    std::vector<std::uint8_t> grips{};  ///< rows of each node
    std::vector<Vec3> grip_errors{};    ///< of an approximate answer: by which velocities of nodes are wrong
    std::unique_ptr<BodyAnswer> answer{};  ///< to impulses on these rows
    bool moved = false;                    ///< by the last stabilise pass
    bool told_fast = false;                ///< the log has said that it moves far in a step

    RigidBody& rigid() const { return static_cast<RigidBody&>(*body); }
    KinematicBody& kinematic() const { return static_cast<KinematicBody&>(*body); }
    ParticleBody& particles() const { return static_cast<ParticleBody&>(*body); }
    DeformableBody& deformable() const { return static_cast<DeformableBody&>(*body); }
    bool dynamic() const { return body && kind != BodyKind::fixed && kind != BodyKind::scripted; }
    bool moving() const {
        return body && (dynamic() ? !asleep : kind == BodyKind::scripted && !kinematic().at_rest());
    }
};

struct JointSlot {
    static constexpr std::uint32_t none = 0xffffffffu;
    bool alive = false;
    std::uint32_t generation = 0;
    std::uint32_t a = 0, b = 0;  ///< slots; `none` for the world
    std::uint32_t vertex_a = none, vertex_b = none;
    bool collide = false;
    Joint joint{};
};

/// What the user said of one pair of bodies, i < j.
struct PairRule {
    std::uint32_t i = 0, j = 0;
    std::optional<std::uint8_t> collide{};  ///< a truth value
    std::optional<double> friction{}, restitution{};
    std::optional<ContactMethod> method{};
};

/// Two bodies that are near, with the points where they touch or soon will.
struct PairContact {
    std::uint32_t i = 0, j = 0;
    std::uint32_t first = 0, count = 0;            ///< of the hits
    std::uint32_t first_name = 0, name_count = 0;  ///< of the points that may touch in this step
    bool at_rest = false;  ///< found while both were asleep or fixed: holds until one wakes
};

/// Where one of two bodies was when they were looked at.
struct SeenPlace {
    Transform pose{};
    /// Of a soft surface: those of its witnesses (SoftSurface) that were near the other, rising, and where.
    std::vector<std::uint32_t> near{};
    std::vector<Vec3> points{};
};

/// Two bodies that are near and touch by volume, or by closest features where one of them deforms.
struct VolumePair {
    std::uint32_t i = 0, j = 0;
    bool by_features = false;
    std::uint32_t first = 0, count = 0;  ///< of the volume contacts
    bool measured = false;
    Transform pose_i{}, pose_j{};                ///< where they were then
    std::uint64_t version_i = 0, version_j = 0;  ///< the same of deformable bodies
    bool ahead = false;  ///< deformable ones are looked at where their prediction takes them
    double pixel = 0;    ///< of the images, m
    /// Of pairs with a deformable body: what look_ahead() found, among the step's contacts; whether contacts
    /// are carried along from where they were looked for.
    bool looked_ahead = false, carried = false;
    std::uint32_t first_ahead = 0, count_ahead = 0;
    std::optional<std::array<SeenPlace, 2>> places{};  ///< where they were then
    Vec3 direction{};  ///< from a to b, as the last contacts had it: it speeds up culling
};

/// What is known of such a pair with a deformable body when a step ends: its contacts there, and how far from
/// where they were looked for, m.
struct SeenPair {
    std::uint32_t i = 0, j = 0;
    std::array<SeenPlace, 2> places{};
    double pixel = 0;
    Vec3 direction{};
    std::vector<VolumeContact> contacts{};
};

/// What is kept of a volume contact for the next step. The impulse is a world vector.
struct VolumeMemory {
    std::uint32_t i = 0, j = 0;
    std::uint64_t id = 0;
    Vec3 centre{};
    double area = 0;
    Vec3 impulse{};
};

/// The impulse of a contact point, kept for the next step as a world vector.
struct WarmStart {
    std::uint32_t i, j, point, of_b;
    Vec3 impulse;
    auto key() const { return std::tie(i, j, of_b, point); }
};

/// A pair that touched at the end of the last step.
struct Touch {
    std::uint32_t i, j;
    auto operator<=>(const Touch&) const = default;
};

inline void visit_state(StateVisitor& v, Joint& j) {
    v(j.limits.low, j.limits.high, j.motor.speed, j.motor.position, j.motor.max_force, j.spring.stiffness,
      j.spring.damping, j.spring.rest, j.position, j.active, j.force, j.torque);
}
inline void visit_state(StateVisitor& v, PairRule& rule) {
    v(rule.i, rule.j, rule.collide, rule.friction, rule.restitution, rule.method);
}
inline void visit_state(StateVisitor& v, WarmStart& warm) {
    v(warm.i, warm.j, warm.point, warm.of_b, warm.impulse);
}
inline void visit_state(StateVisitor& v, VolumeMemory& m) {
    v(m.i, m.j, m.id, m.centre, m.area, m.impulse);
}
inline void visit_state(StateVisitor& v, Touch& touch) {
    v(touch.i, touch.j);
}

/// Deformable bodies that share rigid ones, by slots.
struct Group {
    std::vector<std::uint32_t> bodies{}, carriers{};
    std::unique_ptr<Assembly> assembly{};
};

void require_material(const std::string& name, const Material& m);  ///< throws where it is nonsense
/// Contact at the points of a skin is by forces that pull back to vertices; others would move the points.
void require_skin_law(const std::string& name, const SurfaceSettings& surface);

inline bool by_volume(ContactMethod method) {
    return method == ContactMethod::volume || method == ContactMethod::volume_penalty;
}

struct World::Impl {
    explicit Impl(const WorldSettings& s);

    // bodies.cpp
    BodyId add(Slot slot);
    BodyId add_deformable(const Deformable& body, DeformableModel model, const Vec3& velocity,
                          std::shared_ptr<const Embedding> contact_points = {});
    BodyId add_spring_body(const SpringBody& body, DeformableModel model, const Vec3& velocity);
    BodyId add_points(const Particles& body);  ///< that surface laws act on
    SoftSolid solid_of(const std::string& name, const Mesh& mesh);
    std::uint32_t slot_of(BodyId id) const;  ///< throws where the name is stale
    Slot& slot(BodyId id) { return slots[slot_of(id)]; }
    const Slot& slot(BodyId id) const { return slots[slot_of(id)]; }
    JointSlot& joint(JointId id);
    BodyId id(std::uint32_t slot) const { return {slot + 1, slots[slot].generation}; }
    Side side(std::uint32_t slot) const;
    PairRule& rule(BodyId a, BodyId b);
    const PairRule* find_rule(std::uint32_t i, std::uint32_t j) const;
    /// Something was changed from outside: contacts must be found again, and the body is awake.
    void touched(Slot& slot);
    void wake_around(std::uint32_t slot);  ///< the body and all that touch it

    // pair_law.cpp
    /// The method is never `automatic`. After make_soft_surfaces().
    PairLaw law(std::uint32_t i, std::uint32_t j, ContactMethod& method) const;
    bool wants(ContactMethod method) const;  ///< whether it is said of any pair, as a word
    bool bears_volume(const Slot& slot) const;
    bool prefers_volume(const Slot& slot) const;
    ContactMethod automatic_method(const Slot& a, const Slot& b) const;

    // contacts.cpp: the detect phase
    /// The contacts of now, and those that the present velocities bring about within the step.
    void find_contacts();
    /// The contacts of now, among the points that find_contacts() found.
    void measure_contacts(bool only_moved);
    void remember_pairs();
    bool touch_by_features(std::uint32_t i, std::uint32_t j) const;
    void make_features(std::uint32_t slot);
    void find_hits(const PairContact& pair, const Reach& ahead, std::vector<PointHit>& found);
    void measure_hits(const PairContact& pair, const Reach& here, std::span<const PointName> candidates,
                      std::vector<PointHit>& found) const;
    void keep_a_few(const PairContact& pair, std::vector<PointHit>& found) const;
    void mark_known(const PairContact& pair, std::vector<PointHit>& found) const;
    Reach reach(double look_ahead) const;
    template <class Find>
    void collect_hits(Find&& find);
    bool may_touch(std::uint32_t i, std::uint32_t j) const;
    bool may_touch_by_points(std::uint32_t i, std::uint32_t j) const;
    bool collision_allowed(std::uint32_t i, std::uint32_t j) const;  ///< by rules, masks and blades alone
    bool rules_allow(std::uint32_t i, std::uint32_t j) const;        ///< by rules and masks alone
    double largest_depth() const;

    // step.cpp
    void step(World& world);
    void wake_touched();
    void tell_of_fast_bodies();
    std::string name_of(const Slot& slot) const;  ///< for messages
    void predict(const std::vector<std::byte>& before);
    void release_vertices();
    void predict_deformables(const std::vector<std::byte>& before);
    void predict_deformable(std::uint32_t index);
    void prepare_deformable(std::uint32_t index);
    void begin_contact(std::uint32_t index);
    void finish_deformable(std::uint32_t index);  ///< clusters are drawn to their shapes
    void part_matched();                          ///< bodies of one cluster, against one another
    void meet_surfaces(std::uint32_t index);      ///< the last to act: what they say holds
    void predict_group(Group& group);
    void make_groups();
    void follow_carriers();  ///< carried vertices to where rigid bodies have taken them
    Result<AdvanceReport> advance_points(const Slot& slot, MotionState& state) const;
    /// Runs what calls functions of the user for a body: they may throw, and the world is put back then.
    void guard_user_code(std::uint32_t slot, const std::function<void()>& action,
                         const std::vector<std::byte>& before);
    void push_obstacles(const Slot& slot);
    void find_obstacles(std::uint32_t index);
    void gather_nodes();
    void start_velocities(bool displacements);
    void make_rows();
    void solve();
    void correct();
    void finish_bounces();
    void stabilise(const std::vector<std::byte>& before);
    bool push_apart(bool soft_as_wholes);
    void apply_displacements(const std::vector<char>& urgent);
    void keep_last_good(const std::vector<std::byte>& before);

    // grips.cpp
    /// Nodes for all that takes hold of deformable bodies: joints, and these contacts by so many rows.
    /// `as_wholes`: those that nothing else holds answer as if they were rigid.
    void gather_grips(std::span<VolumeContact> volumes, std::uint8_t volume_rows, bool as_wholes);
    void measure_grips(Slot& slot, NodeGroup& group, bool as_whole);
    void take_compliance(const Slot& slot, NodeGroup& group);
    void take_compliance(const Slot& slot);
    std::vector<double> grip_impulses(const Slot& slot) const;
    std::vector<Twist> grip_change(const Slot& slot) const;

    // outer_loop.cpp
    using SolveIsland = std::function<SweepReport(std::span<const std::uint32_t>)>;
    bool wants_approximation(const Slot& slot) const;
    /// Solves these islands from the velocities as they are, until the true motion of all bodies obeys.
    void solve_islands(const std::vector<std::uint32_t>& wanted, const SolverSettings& solver,
                       double tolerance, const SolveIsland& solve_one);
    void move_as_before(Slot& slot);
    void take_velocities(std::uint32_t island, std::span<const Twist> start);
    void move_truly(Slot& slot, double tolerance);
    void answer_exactly(Slot& slot);
    std::vector<std::uint32_t> approximate_bodies(std::uint32_t island) const;

    // feature_contacts.cpp: closest features of deformable bodies, as volume contacts
    void require_features(const Deformable& body, std::size_t vertices,
                          std::span<const Triangle> surface) const;  ///< throws where it has none
    void require_features(const Slot& slot) const;                   ///< the same of one that was added
    bool touch_softly_by_features(std::uint32_t i, std::uint32_t j);
    void place_features(std::span<const VolumePair> wanted);
    PosedFeatures features_of(const Slot& slot, const Transform& pose) const;
    void measure_feature_pair(const VolumePair& pair, std::vector<VolumeContact>& found,
                              const Parallel* inner) const;
    bool touching(const VolumePair& pair) const;
    /// Throws, with the world as it was before the step, where a body has more of them than it can answer.
    void require_room(std::span<const VolumeContact> found, const std::vector<std::byte>& before);

    // volume_contacts.cpp; of deformable bodies: soft_volumes.cpp
    std::shared_ptr<const PosedSurface> volume_surface_of(const Shape& shape);
    bool touch_by_volume(std::uint32_t i, std::uint32_t j);
    bool soft_by_volume(std::uint32_t i, std::uint32_t j) const;
    bool flexible(std::uint32_t i, std::uint32_t j) const;
    VolumeLaw volume_law(const VolumeContact& contact) const;
    std::optional<VolumeContact> way_out(VolumeContact contact, const VolumePair& pair) const;
    void measure_volume_pair(VolumePair& pair, OverlapFinder& finder, std::vector<VolumeContact>& found,
                             const Parallel* inner) const;
    PairSides volume_sides(const VolumeContact& contact) const;
    void make_soft_surfaces();
    void refit_soft_surfaces(bool ahead);
    SurfaceView view_of(const Slot& slot, const Transform& pose, bool ahead) const;
    void tighten_soft_surfaces(std::span<const VolumePair> wanted);
    void measure_pairs(std::span<VolumePair> wanted, std::span<std::vector<VolumeContact>> found);
    /// When a step starts; where its end is expected; there; after a pass of stabilise.
    enum class VolumeLook { start, ahead, end, again };
    void measure_volumes(VolumeLook look);
    bool needs_look(VolumePair& pair, VolumeLook look) const;
    void expect_motion();
    void expect_velocities();
    void remember_press(Slot& slot, std::span<const Twist> change);
    void look_ahead();
    void expect_contacts(VolumePair& pair, std::span<VolumeContact> found);
    void find_volumes(const std::vector<IndexPair>& near);
    void recognise_volumes();
    void spread_volumes();
    void make_volume_rows();
    void add_volume_displacements(std::vector<char>& urgent, bool soft_as_wholes);
    double largest_soft_excess() const;
    void report_volume(const VolumeContact& contact, const Vec3& impulse, bool sticking);
    void keep_resting_volumes();
    double largest_volume_depth() const;

    // seen_pairs.cpp
    void visit_seen(StateVisitor& v);
    bool seen_makes_sense() const;
    void forget_seen(std::uint32_t body);
    void measure_missed(VolumeLook look);
    void remember_places();
    template <class Soft, class Rigid>
    void each_moved_side(const VolumeContact& contact, VolumeLook look, const Soft& soft,
                         const Rigid& rigid) const;
    double deepened(const VolumeContact& contact, VolumeLook look) const;
    Vec3 slid_by(const VolumeContact& contact, VolumeLook look) const;
    void carry(VolumeContact& contact, VolumeLook look) const;
    template <class F>
    void each_near_witness(std::uint32_t body, std::uint32_t other, double around, VolumeLook look,
                           const F& visit) const;
    SeenPlace place_of(std::uint32_t body, std::uint32_t other, VolumeLook look) const;
    std::array<SeenPlace, 2> places_of(const VolumePair& pair, VolumeLook look) const;
    double way_from(const SeenPlace& seen, std::uint32_t body, std::uint32_t other, VolumeLook look) const;
    double way_of(const VolumePair& pair, const std::array<SeenPlace, 2>& places, bool touch, double unit,
                  VolumeLook look) const;
    bool may_carry(const VolumePair& pair, const std::array<SeenPlace, 2>& places,
                   std::span<const VolumeContact> found, double unit, VolumeLook look) const;
    SeenPair* seen_near(const VolumePair& pair);
    void expect_seen(VolumePair& pair, SeenPair& seen);
    void remember_seen();

    // tet_contacts.cpp
    /// A body that contact by tets pushes, and its first node there.
    struct TetPushed {
        std::uint32_t slot, first;
    };
    std::shared_ptr<const TetShape> tet_shape_of(const TetMesh& mesh);  ///< null where tets do not touch
    bool touch_by_tets(std::uint32_t i, std::uint32_t j) const;
    void find_penetrations();
    Vec3 mean_velocity(const Slot& slot) const;
    void make_tet_contacts(bool after_prediction);
    void add_tet_nodes(const Slot& slot, bool after_prediction);
    TetContactNode rigid_tet_node(const Slot& slot) const;
    void push_tets_explicitly();
    void push_tets_implicitly();
    void answer_impulses(const TetPushed& pushed, std::span<const Twist> impulses, std::span<Twist> change,
                         bool exactly);
    void push_rigid(Slot& slot, const Twist& impulse);

    // cutting.cpp
    bool may_cut(std::uint32_t blade, std::uint32_t body) const;
    bool can_be_cut(const Slot& slot) const;
    void require_cutting(const std::string& name, const Blade& blade) const;  ///< throws where it cannot be
    void apply_blades();
    void cut(std::uint32_t index, const BladeSheet& sheet, std::uint32_t blade);
    void remake(Slot& slot, const CutOutcome& from);  ///< the body of what is left of it
    void visit_cut(StateVisitor& v, Slot& slot);
    bool broken_cut = false;  ///< what was restored made no sense

    // joints.cpp
    template <class Settings>
    JointId add_joint(const Settings& wanted, JointKind kind, const JointEnd& a, const JointEnd& b);
    void require_end(const JointEnd& end, JointKind kind) const;  ///< throws where it cannot be jointed
    void wake_joint(const JointSlot& joint);
    JointSide joint_side(std::uint32_t slot, std::uint32_t vertex) const;
    JointSides joint_sides(const JointSlot& joint) const;
    JointFrames joint_frames_now(const JointSlot& joint) const;
    JointFrames joint_frames_after(const JointSlot& joint) const;  ///< where the velocities take it
    Transform pose_after(std::uint32_t slot, std::uint32_t vertex) const;
    void keep_apart(const JointSlot& joint, bool jointed);
    void stiffen_against_turning();
    void make_joint_rows();
    SweepReport solve_island(std::span<const std::uint32_t> blocks);
    void report_joints();
    bool drives(const JointSlot& joint) const;  ///< a motor that is not where it shall be

    // outcome.cpp: what a step leaves to read, and to the next step
    void report_contacts();
    void keep_resting_contacts(const std::vector<WarmStart>& before);
    void update_events();
    bool may_sleep(const Slot& slot) const;
    void update_sleep();

    // state.cpp
    void visit_state(StateVisitor& v);
    /// Writes over `reused`, whose memory it keeps.
    std::vector<std::byte> snapshot(std::vector<std::byte> reused = {});
    Result<void> restore(std::span<const std::byte> bytes);

    WorldSettings settings;
    Parallel parallel;
    Logger logger{};
    std::vector<std::function<void(World&)>> custom_forces;

    // State.
    std::vector<Slot> slots;
    std::vector<JointSlot> joints;
    std::vector<PairRule> rules;              ///< sorted by (i, j)
    std::vector<WarmStart> warm_starts;       ///< sorted by key
    std::vector<Touch> touches;               ///< sorted
    InsideMemory inside_memory;               ///< of bodies with tets
    std::vector<VolumeMemory> volume_memory;  ///< sorted by (i, j)
    std::uint64_t volume_names = 0;           ///< given so far
    std::vector<SeenPair> seen_pairs;         ///< sorted by (i, j)
    double time = 0;
    std::int64_t steps = 0;
    std::uint64_t added = 0;
    std::vector<std::uint32_t> free_slots;

    // Caches and results.
    std::vector<Group> groups;
    bool groups_hold = false;
    bool rest_holds = false;  ///< contacts found between bodies at rest are still good
    std::vector<PairContact> pairs, old_pairs;
    std::vector<PointHit> hits, old_hits;
    std::vector<PointName> names, old_names;
    struct Remembered {
        std::uint32_t i, j;
        PairMemory memory;
    };
    std::vector<Remembered> memories, old_memories;  ///< of all near pairs, sorted by (i, j)
    std::vector<Box3> boxes;
    BroadPhase broad_phase;

    std::vector<Node> nodes;
    std::vector<Twist> velocities;  ///< of the nodes: u* before the solve, u after
    std::vector<Twist> expected;    ///< the same as look_ahead() takes them to be at the end
    std::vector<std::uint32_t> body_of_node;
    Rows rows;
    struct RowSource {
        enum class Kind : std::uint8_t { point, volume } kind;
        std::uint32_t pair, hit;  ///< of a point; of a volume `hit` is the contact
        double shift;             ///< of a bounce
    };
    std::vector<RowSource> row_sources;  ///< one a contact block, in the order of the blocks
    std::size_t joint_blocks = 0;        ///< blocks of joints, before those of contacts
    std::vector<JointRow> joint_rows;    ///< one a joint block
    /// Slots i < j that a joint keeps from touching, sorted; once for each such joint.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> jointed;
    struct Averaged {
        std::uint32_t i, j;
        AveragedImpulse impulse;
    };
    std::vector<Averaged> averaged;
    std::vector<std::uint32_t> impulse_pairs;
    std::vector<MatchedContact> matched;  ///< of part_matched(), between slots
    struct KnownSurface {
        const void* key;
        std::weak_ptr<const PosedSurface> surface;
    };
    std::vector<KnownSurface> volume_surfaces;
    struct KnownFeatures {
        const void* key;  ///< of the mesh
        std::weak_ptr<const FeatureSurface> features;
    };
    std::vector<KnownFeatures> feature_surfaces;
    std::vector<VolumePair> volume_pairs;  ///< sorted by (i, j)
    std::vector<VolumeContact> volume_contacts;
    std::vector<VolumeContact> step_volumes;  ///< those, and the ones ahead: what the rows are made of
    std::vector<Vec3> volume_warm;            ///< impulses of the last step, one a contact
    std::vector<std::unique_ptr<OverlapFinder>> volume_finders;
    struct KnownSolid {
        Mesh mesh;
        SoftSolid solid;
    };
    std::vector<KnownSolid> known_solids;
    struct KnownTets {
        TetMesh mesh;
        std::weak_ptr<const TetShape> shape;
    };
    std::vector<KnownTets> tet_shapes;
    PenetrationSearch penetration_search;
    std::vector<std::uint32_t> tet_slots;  ///< of the objects of the search
    std::vector<Penetration> penetrations;
    std::vector<TetContact> tet_contacts;  ///< between slots
    std::vector<TetContactNode> tet_nodes;
    std::vector<TetPushed> pushed_by_tets;
    Islands islands;
    std::vector<SweepReport> island_reports;  ///< of the last solve

    std::vector<Contact> contacts;
    std::vector<ContactEvent> events;
    StepReport report;
    /// Of the last step's snapshot: memory that is given back and asked for again costs much of a step.
    std::vector<std::byte> spare_snapshot;
};

}  // namespace plush
