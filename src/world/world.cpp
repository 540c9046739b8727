#include "plush/world/world.hpp"

#include "core/range_check.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/body_recipe.hpp"
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

BodyId WorldParts::add(BodyRecord record) {
    check_added(record);
    const BodyId id = bodies.add(std::move(record));
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

World::World(const WorldSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
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
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Fixed& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Scripted& body) {
    return add_made(*impl_, impl_->factory.make(body), body, {});
}
BodyId World::add(const Particles& body) {
    return add_made(*impl_, impl_->factory.make(body), body, {});
}
BodyId World::add(const Rope& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Cloth& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Jelly& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Shells& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const TetSprings& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const ShapeMatching& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
BodyId World::add(const Soft& body, const Placement& placement) {
    return add_made(*impl_, impl_->factory.make(body, placement), body, placement);
}
void World::add_cluster(BodyId body, std::vector<std::uint32_t> vertices, const MatchSettings& settings) {
    impl_->actions.add_cluster(body, std::move(vertices), settings);
}
BodyId World::add_ground(double height, const Material& material) {
    return add(Fixed{.shape = Shape::half_space(), .material = material, .name = "ground"},
               {.position = {0, height, 0}});
}
void World::remove(BodyId body) {
    impl_->remove(body);
}

// -- joints

JointId World::add(const BallJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
JointId World::add(const HingeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
JointId World::add(const SliderJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
JointId World::add(const FixedJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
JointId World::add(const DistanceJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
JointId World::add(const RopeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->joints.add(joint, a, b);
}
void World::remove(JointId joint) {
    impl_->joints.remove(joint);
}
std::vector<JointId> World::joints() const {
    return impl_->joints.ids();
}
double World::joint_gap(JointId joint) const {
    return impl_->joints.gap(joint);
}
double World::joint_position(JointId joint) const {
    return impl_->joints.position(joint);
}
double World::joint_speed(JointId joint) const {
    return impl_->joints.speed(joint);
}
Vec3 World::joint_force(JointId joint) const {
    return impl_->joints.force(joint);
}
Vec3 World::joint_torque(JointId joint) const {
    return impl_->joints.torque(joint);
}
JointMatrix World::joint_matrix() const {
    return plush::joint_matrix(impl_->bodies, impl_->joints);
}
void World::set_motor(JointId joint, const JointMotor& motor) {
    impl_->joints.set_motor(joint, motor);
}
void World::set_limits(JointId joint, const JointLimits& limits) {
    impl_->joints.set_limits(joint, limits);
}
void World::set_spring(JointId joint, const JointSpring& spring) {
    impl_->joints.set_spring(joint, spring);
}

// -- time

double World::time() const {
    return impl_->clock.time;
}
long long World::steps() const {
    return impl_->clock.steps;
}
const WorldSettings& World::settings() const {
    return impl_->settings;
}

// -- reading

std::vector<BodyId> World::bodies() const {
    return impl_->bodies.ids();
}
bool World::alive(BodyId body) const {
    return impl_->bodies.contains(body);
}
BodyKind World::kind(BodyId body) const {
    return impl_->bodies.at(body).kind;
}
const std::string& World::name(BodyId body) const {
    return impl_->bodies.at(body).name;
}
BodyId World::find(std::string_view name) const {
    return impl_->bodies.find(name);
}
Transform World::pose(BodyId body) const {
    return impl_->bodies.at(body).body->pose();
}
Vec3 World::centre(BodyId body) const {
    return centre_of(impl_->bodies.at(body));
}
Vec3 World::velocity(BodyId body) const {
    return plush::velocity_of(impl_->bodies.at(body));
}
Vec3 World::angular_velocity(BodyId body) const {
    return angular_velocity_of(impl_->bodies.at(body));
}
Vec3 World::angular_momentum(BodyId body) const {
    return angular_momentum_of(impl_->bodies.at(body));
}
double World::mass(BodyId body) const {
    return mass_of(impl_->bodies.at(body));
}
const Mesh& World::drawn(BodyId body) const {
    return drawn_mesh(impl_->bodies.at(body), is_volume_method(impl_->settings.contact.method));
}
const Shape& World::shape(BodyId body) const {
    return impl_->bodies.at(body).shape;
}
std::span<const Vec3> World::particle_positions(BodyId body) const {
    return impl_->bodies.particles(body).positions();
}
std::span<const Vec3> World::particle_velocities(BodyId body) const {
    return impl_->bodies.particles(body).velocities();
}
double World::particle_radius(BodyId body) const {
    return impl_->bodies.particles(body).radius();
}
std::span<const Vec3> World::vertex_positions(BodyId body) const {
    return impl_->bodies.deformable(body).positions();
}
std::span<const Vec3> World::vertex_velocities(BodyId body) const {
    return impl_->bodies.deformable(body).velocities();
}
std::span<const double> World::vertex_masses(BodyId body) const {
    return impl_->bodies.deformable(body).masses();
}
double World::vertex_radius(BodyId body) const {
    return impl_->bodies.deformable(body).settings().radius;
}
std::span<const Tet> World::tets(BodyId body) const {
    return tets_of(impl_->bodies.at(body));
}
std::span<const Triangle> World::surface(BodyId body) const {
    return impl_->bodies.deformable(body).triangles();
}
std::span<const std::array<int, 2>> World::edges(BodyId body) const {
    return impl_->bodies.deformable(body).edges();
}
std::vector<Vec3> World::drawn_positions(BodyId body) const {
    return drawn_positions_of(impl_->bodies.at(body));
}
std::span<const Triangle> World::drawn_surface(BodyId body) const {
    return impl_->bodies.at(body).parts.triangles(impl_->bodies.deformable(body));
}
std::size_t World::cluster_count(BodyId body) const {
    const ShapeMatcher* matcher = impl_->bodies.deformable(body).matcher();
    return matcher ? matcher->size() : 0;
}
double World::elastic_energy(BodyId body) const {
    return impl_->bodies.deformable(body).elastic_energy();
}
double World::constraint_error(BodyId body) const {
    const DeformableBody& deformable = impl_->bodies.deformable(body);
    return deformable.constraints().error(deformable.positions());
}
double World::largest_stable_step(BodyId body) const {
    return impl_->bodies.deformable(body).largest_stable_step();
}
bool World::asleep(BodyId body) const {
    return impl_->bodies.at(body).asleep;
}
Energy World::energy() const {
    return energy_of(impl_->bodies, impl_->settings.gravity);
}
Vec3 World::momentum() const {
    return momentum_of(impl_->bodies);
}
Vec3 World::angular_momentum() const {
    return angular_momentum_of(impl_->bodies);
}
double World::displacement(BodyId body) const {
    static_cast<void>(impl_->bodies.at(body));
    return impl_->position_phase.displacement(body.index);
}
Wrench World::contact_wrench(BodyId body) const {
    return wrench_of(impl_->contacts, body, centre(body));
}
std::span<const Contact> World::contacts() const {
    return impl_->contacts;
}
std::span<const ContactEvent> World::events() const {
    return impl_->events.events();
}
const StepReport& World::report() const {
    return impl_->report;
}

// -- cutting and pins

std::size_t World::cut(BodyId body, const Blade& blade) {
    return impl_->cutting.cut(body, blade);
}
std::size_t World::pieces(BodyId body) const {
    return impl_->cutting.pieces(impl_->bodies.index_of(body));
}
std::uint64_t World::cuts(BodyId body) const {
    return impl_->cutting.cuts(impl_->bodies.index_of(body));
}
void World::pin(BodyId body, std::uint32_t vertex) {
    impl_->attachments.pin(body, vertex);
}
std::size_t World::pin(BodyId body, const Box3& box, double until) {
    return impl_->attachments.pin(body, box, until);
}
std::size_t World::attach(BodyId body, const Box3& box, BodyId to, double until) {
    return impl_->actions.attach(body, box, to, until);
}
void World::unpin(BodyId body, std::uint32_t vertex) {
    impl_->attachments.unpin(body, vertex);
}
void World::set_wind(BodyId body, const Vec3& wind) {
    impl_->actions.set_wind(body, wind);
}

// -- acting

void World::apply_force(BodyId body, const Vec3& force) {
    impl_->actions.apply_force(body, force);
}
void World::apply_force(BodyId body, const Vec3& force, const Vec3& point) {
    impl_->actions.apply_force(body, force, point);
}
void World::apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force) {
    impl_->actions.apply_vertex_force(body, vertex, force);
}
void World::apply_torque(BodyId body, const Vec3& torque) {
    impl_->actions.apply_torque(body, torque);
}
void World::apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point) {
    impl_->actions.apply_impulse(body, impulse, point);
}
void World::set_pose(BodyId body, const Transform& pose) {
    impl_->actions.set_pose(body, pose);
}
void World::set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity) {
    impl_->actions.set_velocity(body, velocity, angular_velocity);
}
void World::set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    impl_->actions.set_vertex(body, vertex, position, velocity);
}
void World::set_keyframes(BodyId body, std::vector<Keyframe> keyframes) {
    impl_->actions.set_keyframes(body, std::move(keyframes));
}
void World::wake(BodyId body) {
    impl_->actions.wake(body);
}
void World::sleep(BodyId body) {
    impl_->actions.sleep(body);
}
void World::add_custom_force(std::function<void(World&)> force) {
    impl_->custom_forces.push_back(std::move(force));
}
void World::add_force_field(BodyId body, ForceFunction force) {
    impl_->actions.add_force_field(body, std::move(force));
}

// -- who touches whom, and how

void World::set_filter(BodyId body, const Filter& filter) {
    impl_->actions.set_filter(body, filter);
}
void World::set_collide(BodyId a, BodyId b, bool collide) {
    impl_->rules.set_collide(a, b, collide);
}
void World::set_pair_material(BodyId a, BodyId b, const Material& material) {
    impl_->rules.set_material(a, b, material);
}
void World::set_surface(BodyId body, const SurfaceSettings& surface) {
    impl_->actions.set_surface(body, surface);
}
void World::set_pair_method(BodyId a, BodyId b, ContactMethod method) {
    impl_->actions.set_pair_method(a, b, method);
}
ContactMethod World::pair_method(BodyId a, BodyId b) const {
    return impl_->rules.behaviour(impl_->bodies.index_of(a), impl_->bodies.index_of(b)).method;
}
bool World::may_collide(BodyId a, BodyId b) const {
    return impl_->rules.collision_allowed(impl_->bodies.index_of(a), impl_->bodies.index_of(b));
}

// -- asking

std::optional<RayResult> World::ray(const Vec3& origin, const Vec3& direction, double max_distance) const {
    return cast_ray(impl_->bodies, impl_->queries, origin, direction, max_distance);
}
std::optional<ClosestResult> World::closest(const Vec3& point, double max_distance) const {
    return closest_body(impl_->bodies, impl_->queries, point, max_distance);
}
std::vector<BodyId> World::overlapping(const Box3& box) const {
    return bodies_overlapping(impl_->bodies, box);
}
std::vector<TetOverlapResult> World::overlapping_tets() const {
    return plush::overlapping_tets(impl_->bodies, impl_->rules);
}

void World::set_logger(Logger logger) {
    impl_->logger = std::move(logger);
}

}  // namespace plush
