#include "plush/world/world.hpp"

#include "core/range_check.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/body_recipe.hpp"
#include "world/body_size.hpp"
#include "world/fingerprint.hpp"
#include "world/joint_matrix.hpp"
#include "world/queries.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// The public functions of a world: each asks one of its parts. Time: step.cpp. State: state.cpp.

namespace plush {

WorldParts::WorldParts(const WorldSettings& wanted) : settings(wanted), parallel(wanted.threads) {
    check_ranges(settings).value();
    require_range("", "step", settings.step, 1e-9, 1);
    require_range("", "threads", settings.threads, 0, 4096);
}

void WorldParts::check_added(BodyRecord& record) const {
    if (record.blade) cutting.require_blade(record.name, *record.blade);
    if (record.is_deformable()) record.parts.encloses_volume = encloses_volume(record);
    require_rows(record, settings.contact.method);
}

/// Surface laws whose numbers nobody gave follow from the sizes of the bodies and gravity.
void WorldParts::scale_surface(const BodyRecord& record) const {
    if (record.is_deformable() && record.parts.surface)
        record.parts.surface->set_scale(scale_of(record, norm(settings.gravity)));
}

BodyId WorldParts::add(BodyRecord record) {
    check_added(record);
    record.fingerprint = fingerprint_of(record);
    const BodyId id = bodies.add(std::move(record));
    scale_surface(bodies.at(id));
    if (bodies.at(id).source) cutting.add_body(bodies.index_of(id));
    attachments.mark_changed();
    return id;
}

void WorldParts::remove(BodyId body) {
    const std::uint32_t index = bodies.index_of(body);
    sleep.wake_neighbours(index);
    joints.forget_body(index);
    drags.forget_body(body);
    rules.forget_body(index);
    attachments.forget_body(index);
    cutting.forget_body(index);
    contact.expected.forget_body(index);
    contact.surfaces.forget_body(index);
    for (ContactModel* model : contact.all()) model->forget_body(index);
    system.forget_body(index);
    account.forget_body(index);
    events.forget_body(index);
    queries.forget_body(index);
    forces.forget_body(index);
    std::erase_if(contacts, [&](const Contact& c) { return c.a == body || c.b == body; });
    bodies.remove(index);
}

World::World(const WorldSettings& settings) : impl_(std::make_shared<Impl>(settings)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

// -- bodies

namespace {

/// Makes and adds it, with what is needed to make it again: meshes that became shapes or solids are not filled twice.
template <class Settings>
BodyId add_made(WorldParts& world, BodyRecord record, const Settings& body, const Placement& placement) {
    auto recipe = std::make_shared<BodyRecipe>();
    Settings settings = body;
    if constexpr (std::is_same_v<Settings, Rigid> || std::is_same_v<Settings, Fixed> ||
                  std::is_same_v<Settings, Scripted>)
        settings.shape = record.shape, settings.mesh = {};
    if constexpr (std::is_same_v<Settings, Soft>)
        if (record.source) settings = *record.source;
    recipe->settings = std::move(settings);
    recipe->placement = placement;
    record.recipe = std::move(recipe);
    return world.add(std::move(record));
}

}  // namespace

BodyId World::add(const Rigid& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Fixed& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Scripted& body) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body), body, {});
}
BodyId World::add(const Particles& body) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body), body, {});
}
BodyId World::add(const Rope& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Cloth& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Jelly& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Shells& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const TetSprings& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const ShapeMatching& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
BodyId World::add(const Soft& body, const Placement& placement) {
    return add_made(*to_change(*this), to_change(*this)->factory.make(body, placement), body, placement);
}
void World::add_cluster(BodyId body, std::vector<std::uint32_t> vertices, const MatchSettings& settings) {
    to_change(*this)->actions.add_cluster(body, std::move(vertices), settings);
}
BodyId World::add_ground(double height, const Material& material) {
    return add(Fixed{.shape = Shape::half_space(), .material = material, .name = "ground"},
               {.position = {0, height, 0}});
}
void World::remove(BodyId body) {
    to_change(*this)->remove(body);
}

// -- joints

JointId World::add(const BallJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
JointId World::add(const HingeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
JointId World::add(const SliderJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
JointId World::add(const FixedJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
JointId World::add(const DistanceJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
JointId World::add(const RopeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return to_change(*this)->joints.add(joint, a, b);
}
void World::remove(JointId joint) {
    to_change(*this)->joints.remove(joint);
}
std::vector<JointId> World::joints() const {
    return to_read(*this)->joints.ids();
}
double World::joint_gap(JointId joint) const {
    return to_read(*this)->joints.gap(joint);
}
double World::joint_position(JointId joint) const {
    return to_read(*this)->joints.position(joint);
}
double World::joint_speed(JointId joint) const {
    return to_read(*this)->joints.speed(joint);
}
Vec3 World::joint_force(JointId joint) const {
    return to_read(*this)->joints.force(joint);
}
Vec3 World::joint_torque(JointId joint) const {
    return to_read(*this)->joints.torque(joint);
}
JointMatrix World::joint_matrix() const {
    return plush::joint_matrix(to_read(*this)->bodies, to_read(*this)->joints);
}
void World::set_motor(JointId joint, const JointMotor& motor) {
    to_act(*this)->joints.set_motor(joint, motor);
}
void World::set_limits(JointId joint, const JointLimits& limits) {
    to_act(*this)->joints.set_limits(joint, limits);
}
void World::set_spring(JointId joint, const JointSpring& spring) {
    to_act(*this)->joints.set_spring(joint, spring);
}

// -- time

double World::time() const {
    return to_read(*this)->clock.time;
}
long long World::steps() const {
    return to_read(*this)->clock.steps;
}
const WorldSettings& World::settings() const {
    return to_read(*this)->settings;
}

// -- reading

std::vector<BodyId> World::bodies() const {
    return to_read(*this)->bodies.ids();
}
bool World::alive(BodyId body) const {
    return to_read(*this)->bodies.contains(body);
}
BodyKind World::kind(BodyId body) const {
    return to_read(*this)->bodies.at(body).kind;
}
const std::string& World::name(BodyId body) const {
    return to_read(*this)->bodies.at(body).name;
}
BodyId World::find(std::string_view name) const {
    return to_read(*this)->bodies.find(name);
}
Transform World::pose(BodyId body) const {
    return to_read(*this)->bodies.at(body).body->pose();
}
Vec3 World::centre(BodyId body) const {
    return centre_of(to_read(*this)->bodies.at(body));
}
Vec3 World::velocity(BodyId body) const {
    return plush::velocity_of(to_read(*this)->bodies.at(body));
}
Vec3 World::angular_velocity(BodyId body) const {
    return angular_velocity_of(to_read(*this)->bodies.at(body));
}
Vec3 World::angular_momentum(BodyId body) const {
    return angular_momentum_of(to_read(*this)->bodies.at(body));
}
double World::mass(BodyId body) const {
    return mass_of(to_read(*this)->bodies.at(body));
}
const Mesh& World::drawn(BodyId body) const {
    return drawn_mesh(to_read(*this)->bodies.at(body),
                      is_volume_method(to_read(*this)->settings.contact.method));
}
const Shape& World::shape(BodyId body) const {
    return to_read(*this)->bodies.at(body).shape;
}
std::span<const Vec3> World::particle_positions(BodyId body) const {
    return to_read(*this)->bodies.particles(body).positions();
}
std::span<const Vec3> World::particle_velocities(BodyId body) const {
    return to_read(*this)->bodies.particles(body).velocities();
}
double World::particle_radius(BodyId body) const {
    return to_read(*this)->bodies.particles(body).radius();
}
std::span<const Vec3> World::vertex_positions(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).positions();
}
std::span<const Vec3> World::vertex_velocities(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).velocities();
}
std::span<const double> World::vertex_masses(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).masses();
}
double World::vertex_radius(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).settings().radius;
}
std::span<const Tet> World::tets(BodyId body) const {
    return tets_of(to_read(*this)->bodies.at(body));
}
std::span<const Triangle> World::surface(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).triangles();
}
std::span<const std::array<int, 2>> World::edges(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).edges();
}
std::vector<Vec3> World::drawn_positions(BodyId body) const {
    return drawn_positions_of(to_read(*this)->bodies.at(body));
}
std::span<const Triangle> World::drawn_surface(BodyId body) const {
    return to_read(*this)->bodies.at(body).parts.triangles(to_read(*this)->bodies.deformable(body));
}
std::size_t World::cluster_count(BodyId body) const {
    const ShapeMatcher* matcher = to_read(*this)->bodies.deformable(body).matcher();
    return matcher ? matcher->size() : 0;
}
double World::elastic_energy(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).elastic_energy();
}
double World::constraint_error(BodyId body) const {
    const DeformableBody& deformable = to_read(*this)->bodies.deformable(body);
    return deformable.constraints().error(deformable.positions());
}
double World::largest_stable_step(BodyId body) const {
    return to_read(*this)->bodies.deformable(body).largest_stable_step();
}
bool World::asleep(BodyId body) const {
    return to_read(*this)->bodies.at(body).asleep;
}
Energy World::energy() const {
    return energy_of(to_read(*this)->bodies, to_read(*this)->settings.gravity);
}
Vec3 World::momentum() const {
    return momentum_of(to_read(*this)->bodies);
}
Vec3 World::angular_momentum() const {
    return angular_momentum_of(to_read(*this)->bodies);
}
double World::displacement(BodyId body) const {
    static_cast<void>(to_read(*this)->bodies.at(body));
    return to_read(*this)->position_phase.displacement(body.index);
}
Wrench World::contact_wrench(BodyId body) const {
    return wrench_of(to_read(*this)->contacts, body, centre(body));
}
std::span<const Contact> World::contacts() const {
    return to_read(*this)->contacts;
}
std::span<const ContactEvent> World::events() const {
    return to_read(*this)->events.events();
}
const StepReport& World::report() const {
    return to_read(*this)->report;
}

// -- cutting and pins

std::size_t World::cut(BodyId body, const Blade& blade) {
    return to_change(*this)->cutting.cut(body, blade);
}
std::size_t World::pieces(BodyId body) const {
    return to_read(*this)->cutting.pieces(to_read(*this)->bodies.index_of(body));
}
std::uint64_t World::cuts(BodyId body) const {
    return to_read(*this)->cutting.cuts(to_read(*this)->bodies.index_of(body));
}
void World::pin(BodyId body, std::uint32_t vertex) {
    to_act(*this)->attachments.pin(body, vertex);
}
std::size_t World::pin(BodyId body, const Box3& box, double until) {
    return to_act(*this)->attachments.pin(body, box, until);
}
std::size_t World::attach(BodyId body, const Box3& box, BodyId to, double until) {
    return to_change(*this)->actions.attach(body, box, to, until);
}
void World::unpin(BodyId body, std::uint32_t vertex) {
    to_act(*this)->attachments.unpin(body, vertex);
}
void World::set_wind(BodyId body, const Vec3& wind) {
    to_act(*this)->actions.set_wind(body, wind);
}

// -- acting

void World::apply_force(BodyId body, const Vec3& force) {
    to_act(*this)->actions.apply_force(body, force);
}
void World::apply_force(BodyId body, const Vec3& force, const Vec3& point) {
    to_act(*this)->actions.apply_force(body, force, point);
}
void World::apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force) {
    to_act(*this)->actions.apply_vertex_force(body, vertex, force);
}
void World::apply_torque(BodyId body, const Vec3& torque) {
    to_act(*this)->actions.apply_torque(body, torque);
}
void World::apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point) {
    to_act(*this)->actions.apply_impulse(body, impulse, point);
}
void World::set_pose(BodyId body, const Transform& pose) {
    to_act(*this)->actions.set_pose(body, pose);
}
void World::set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity) {
    to_act(*this)->actions.set_velocity(body, velocity, angular_velocity);
}
void World::set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    to_act(*this)->actions.set_vertex(body, vertex, position, velocity);
}
void World::set_keyframes(BodyId body, std::vector<Keyframe> keyframes) {
    to_act(*this)->actions.set_keyframes(body, std::move(keyframes));
}
void World::wake(BodyId body) {
    to_act(*this)->actions.wake(body);
}
void World::sleep(BodyId body) {
    to_act(*this)->actions.sleep(body);
}
void World::add_custom_force(std::function<void(World&)> force) {
    if (!force)
        throw Error(
            {.place = "custom force", .problem = "the function is empty", .cure = "give one to call"});
    to_change(*this)->custom_forces.push_back(std::move(force));
}
void World::add_force_field(BodyId body, ForceFunction force) {
    if (!force)
        throw Error({.place = "force field", .problem = "the function is empty", .cure = "give one to call"});
    to_change(*this)->actions.add_force_field(body, std::move(force));
}

// -- who touches whom, and how

void World::set_filter(BodyId body, const Filter& filter) {
    to_act(*this)->actions.set_filter(body, filter);
}
void World::set_collide(BodyId a, BodyId b, bool collide) {
    to_act(*this)->rules.set_collide(a, b, collide);
}
void World::set_pair_material(BodyId a, BodyId b, const Material& material) {
    to_act(*this)->rules.set_material(a, b, material);
}
void World::set_surface(BodyId body, const SurfaceSettings& surface) {
    to_act(*this)->actions.set_surface(body, surface);
}
void World::set_pair_method(BodyId a, BodyId b, ContactMethod method) {
    to_act(*this)->actions.set_pair_method(a, b, method);
}
ContactMethod World::pair_method(BodyId a, BodyId b) const {
    return to_read(*this)
        ->rules.behaviour(to_read(*this)->bodies.index_of(a), to_read(*this)->bodies.index_of(b))
        .method;
}
double World::allowed_depth(BodyId a, BodyId b) const {
    const BodyStore& bodies = to_read(*this)->bodies;
    return to_read(*this)->rules.allowed_depth(bodies.index_of(a), bodies.index_of(b));
}
double World::contact_margin(BodyId a, BodyId b) const {
    const BodyStore& bodies = to_read(*this)->bodies;
    return to_read(*this)->rules.margin(bodies.index_of(a), bodies.index_of(b));
}
double World::sleep_speed(BodyId body) const {
    return to_read(*this)->rules.sleep_speed(to_read(*this)->bodies.index_of(body));
}
bool World::may_collide(BodyId a, BodyId b) const {
    return to_read(*this)->rules.collision_allowed(to_read(*this)->bodies.index_of(a),
                                                   to_read(*this)->bodies.index_of(b));
}

// -- asking

std::optional<RayResult> World::ray(const Vec3& origin, const Vec3& direction, double max_distance) const {
    return cast_ray(to_read(*this)->bodies, to_read(*this)->queries, origin, direction, max_distance);
}
std::optional<ClosestResult> World::closest(const Vec3& point, double max_distance) const {
    return closest_body(to_read(*this)->bodies, to_read(*this)->queries, point, max_distance);
}
std::vector<BodyId> World::overlapping(const Box3& box) const {
    return bodies_overlapping(to_read(*this)->bodies, box);
}
std::vector<TetOverlapResult> World::overlapping_tets() const {
    return plush::overlapping_tets(to_read(*this)->bodies, to_read(*this)->rules);
}

void World::set_logger(Logger logger) {
    to_act(*this)->logger = std::move(logger);
}

}  // namespace plush
