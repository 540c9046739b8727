#include <fmt/format.h>

#include <algorithm>

#include "geometry/shapes/shape_data.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Reading and acting on a world: thin functions around the bodies.

namespace plush {
namespace {

[[noreturn]] void wrong_kind(const Slot& slot, std::string_view wanted) {
    throw Error({.place = slot.name.empty() ? "body" : fmt::format("body \"{}\"", slot.name),
                 .problem = fmt::format("it is {}, not {}", to_word(slot.kind), wanted),
                 .cure = "ask World::kind() first"});
}

ParticleBody& particles(const Slot& slot) {
    if (slot.kind != BodyKind::particles) wrong_kind(slot, "particles");
    return slot.particles();
}

void require_vector(const Slot& slot, const Vec3& v, const char* what, double most = HUGE_VAL) {
    require(slot.name, is_finite(v), what, "it is not finite", "check the number that was computed");
    if (max_component(abs(v)) > most)
        refuse(slot.name, what, fmt::format("({}, {}, {}) is not usable", v.x, v.y, v.z),
               fmt::format("give numbers below {}", most));
}

}  // namespace

std::string_view to_word(BodyKind kind) {
    constexpr std::string_view words[] = {"rigid", "fixed", "scripted", "particles", "deformable"};
    return words[static_cast<int>(kind)];
}

void World::step() {
    impl_->step(*this);
}
double World::time() const {
    return impl_->time;
}
long long World::steps() const {
    return impl_->steps;
}
const WorldSettings& World::settings() const {
    return impl_->settings;
}

std::vector<BodyId> World::bodies() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < impl_->slots.size(); ++i)
        if (impl_->slots[i].body) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](auto i, auto j) { return impl_->slots[i].order < impl_->slots[j].order; });
    std::vector<BodyId> ids;
    for (std::uint32_t i : order) ids.push_back(impl_->id(i));
    return ids;
}

bool World::alive(BodyId body) const {
    return body.index >= 1 && body.index <= impl_->slots.size() && impl_->slots[body.index - 1].body &&
           impl_->slots[body.index - 1].generation == body.generation;
}
BodyKind World::kind(BodyId body) const {
    return impl_->slot(body).kind;
}
const std::string& World::name(BodyId body) const {
    return impl_->slot(body).name;
}
BodyId World::find(std::string_view name) const {
    for (BodyId id : bodies())
        if (impl_->slot(id).name == name) return id;
    return {};
}
Transform World::pose(BodyId body) const {
    return impl_->slot(body).body->pose();
}

Vec3 World::centre(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    if (slot.kind == BodyKind::rigid) return slot.rigid().centre();
    if (slot.kind == BodyKind::deformable) return slot.deformable().centre();
    if (slot.kind != BodyKind::particles) return slot.body->pose().position;
    Vec3 sum{};
    for (const Vec3& p : slot.particles().positions()) sum += p;
    return sum / static_cast<double>(slot.particles().positions().size());
}

Vec3 World::velocity(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    if (slot.kind == BodyKind::rigid) return slot.rigid().velocity();
    return slot.dynamic() ? slot.body->momentum() / mass(body) : slot.kinematic().velocity().linear;
}

Vec3 World::angular_velocity(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    if (slot.kind == BodyKind::rigid) return slot.rigid().angular_velocity();
    return slot.dynamic() ? Vec3{} : slot.kinematic().velocity().angular;
}

Vec3 World::angular_momentum(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    if (slot.kind == BodyKind::deformable)
        return slot.deformable().angular_momentum() - cross(centre(body), slot.body->momentum());
    return slot.kind == BodyKind::rigid ? slot.rigid().angular_momentum() : Vec3{};
}

double World::mass(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    if (slot.kind == BodyKind::rigid) return slot.rigid().mass();
    if (slot.kind == BodyKind::deformable) return slot.deformable().mass();
    return slot.kind == BodyKind::particles ? slot.particles().mass() : HUGE_VAL;
}

const Mesh& World::drawn(BodyId body) const {
    static const Mesh nothing;
    const Slot& slot = impl_->slot(body);
    if (slot.shape.empty()) return nothing;
    return by_volume(impl_->settings.contact.method) ? slot.shape.data().measured() : slot.shape.drawn();
}
const Shape& World::shape(BodyId body) const {
    return impl_->slot(body).shape;
}
std::span<const Vec3> World::particle_positions(BodyId body) const {
    return particles(impl_->slot(body)).positions();
}
std::span<const Vec3> World::particle_velocities(BodyId body) const {
    return particles(impl_->slot(body)).velocities();
}
double World::particle_radius(BodyId body) const {
    return particles(impl_->slot(body)).radius();
}
bool World::asleep(BodyId body) const {
    return impl_->slot(body).asleep;
}

Energy World::energy() const {
    Energy energy;
    for (const Slot& slot : impl_->slots) {
        if (!slot.body) continue;
        energy.kinetic += slot.body->kinetic_energy();
        energy.potential += slot.body->potential_energy(impl_->settings.gravity);
    }
    return energy;
}

Vec3 World::momentum() const {
    Vec3 sum{};
    for (const Slot& slot : impl_->slots)
        if (slot.body) sum += slot.body->momentum();
    return sum;
}

Wrench World::contact_wrench(BodyId body) const {
    const Vec3 about = centre(body);
    Wrench wrench;
    for (const Contact& c : impl_->contacts) {
        if (c.a != body && c.b != body) continue;
        const Vec3 force = (c.normal * c.normal_force + c.friction_force) * (c.a == body ? 1.0 : -1.0);
        wrench.force += force;
        wrench.torque += cross(c.point - about, force);
    }
    return wrench;
}

std::span<const Contact> World::contacts() const {
    return impl_->contacts;
}
std::span<const ContactEvent> World::events() const {
    return impl_->events;
}
const StepReport& World::report() const {
    return impl_->report;
}

void World::apply_force(BodyId body, const Vec3& force) {
    apply_force(body, force, centre(body));
}

void World::apply_force(BodyId body, const Vec3& force, const Vec3& point) {
    Slot& slot = impl_->slot(body);
    require_vector(slot, force, "force");
    require_vector(slot, point, "point");
    if (!slot.dynamic()) wrong_kind(slot, "a body that moves freely");
    slot.asleep = false;
    slot.quiet = 0;
    if (slot.kind == BodyKind::rigid) slot.rigid().add_force(force, point);
    if (slot.kind == BodyKind::particles) slot.particles().add_force(force);
    if (slot.kind == BodyKind::deformable) slot.deformable().add_force(force);
}

void World::apply_torque(BodyId body, const Vec3& torque) {
    Slot& slot = impl_->slot(body);
    require_vector(slot, torque, "torque");
    if (slot.kind != BodyKind::rigid) wrong_kind(slot, "rigid");
    slot.asleep = false;
    slot.quiet = 0;
    slot.rigid().add_torque(torque);
}

void World::apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point) {
    Slot& slot = impl_->slot(body);
    require_vector(slot, impulse, "impulse", largest_usable * mass(body));
    require_vector(slot, point, "point");
    if (!slot.dynamic()) wrong_kind(slot, "a body that moves freely");
    impl_->touched(slot);
    if (slot.kind == BodyKind::rigid) slot.rigid().apply_impulse(impulse, point);
    if (slot.kind == BodyKind::particles) slot.particles().apply_impulse(impulse);
    if (slot.kind == BodyKind::deformable) slot.deformable().apply_impulse(impulse);
}

void World::set_pose(BodyId body, const Transform& pose) {
    Slot& slot = impl_->slot(body);
    require_vector(slot, pose.position, "position", largest_usable);
    const Quat& q = pose.rotation;
    const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    require(slot.name, length2 > 0 && std::isfinite(length2), "rotation", "it is not a rotation",
            "give a unit quaternion");
    impl_->touched(slot);
    const Transform clean{pose.position, normalised(pose.rotation)};
    switch (slot.kind) {
        case BodyKind::rigid: {
            const Vec3 spin = slot.rigid().angular_velocity();
            slot.rigid().set_pose(clean);
            slot.rigid().set_velocity(slot.rigid().velocity(), spin);
            break;
        }
        case BodyKind::particles:
            slot.particles().move_by(pose.position - centre(body));
            break;
        case BodyKind::deformable:
            slot.deformable().move_by(pose.position - centre(body));
            break;
        case BodyKind::fixed:
        case BodyKind::scripted:
            slot.kinematic().set_pose(clean);
            break;
    }
    impl_->wake_around(body.index - 1);
}

void World::set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity) {
    Slot& slot = impl_->slot(body);
    require_vector(slot, velocity, "velocity", largest_usable);
    require_vector(slot, angular_velocity, "angular_velocity", largest_usable);
    if (!slot.dynamic()) wrong_kind(slot, "a body that moves freely");
    impl_->touched(slot);
    if (slot.kind == BodyKind::rigid) slot.rigid().set_velocity(velocity, angular_velocity);
    if (slot.kind == BodyKind::particles) slot.particles().set_velocity(velocity);
    if (slot.kind == BodyKind::deformable) slot.deformable().set_velocity(velocity, angular_velocity);
}

void World::wake(BodyId body) {
    impl_->touched(impl_->slot(body));
}

void World::sleep(BodyId body) {
    Slot& slot = impl_->slot(body);
    if (!slot.dynamic()) wrong_kind(slot, "a body that moves freely");
    set_velocity(body, {}, {});
    slot.asleep = true;
}

void World::add_custom_force(std::function<void(World&)> force) {
    impl_->custom_forces.push_back(std::move(force));
}

void World::set_filter(BodyId body, const Filter& filter) {
    Slot& slot = impl_->slot(body);
    slot.filter = filter;
    impl_->touched(slot);
    impl_->wake_around(body.index - 1);
}
void World::set_collide(BodyId a, BodyId b, bool collide) {
    impl_->rule(a, b).collide = collide;
    impl_->touched(impl_->slot(a));
    impl_->touched(impl_->slot(b));
}
void World::set_pair_material(BodyId a, BodyId b, const Material& material) {
    require_material(impl_->slot(a).name, material);
    PairRule& rule = impl_->rule(a, b);
    rule.friction = material.friction;
    rule.restitution = material.restitution;
    for (BodyId body : {a, b}) impl_->touched(impl_->slot(body));
}
void World::set_pair_method(BodyId a, BodyId b, ContactMethod method) {
    if (method == ContactMethod::closest_feature)
        for (BodyId body : {a, b}) impl_->require_features(impl_->slot(body));
    impl_->rule(a, b).method = method;
    for (BodyId body : {a, b}) impl_->touched(impl_->slot(body));
}
void World::set_logger(Logger logger) {
    impl_->logger = std::move(logger);
}

}  // namespace plush
