#include <fmt/format.h>

#include <algorithm>

#include "core/range_check.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Adding, removing and naming bodies and joints; what is wrong with a body is said here, before it can do
// harm.

namespace plush {
namespace {

void require_range(const std::string& name, const char* key, double value, double low, double high) {
    if (value >= low && value <= high) return;  // false for NaN
    refuse(name, key, fmt::format("{} is out of range", value),
           fmt::format("take a number from {} to {}", low, high));
}

void require_finite(const std::string& name, const char* key, const Vec3& value) {
    if (usable(value)) return;
    refuse(name, key, fmt::format("({}, {}, {}) is not usable", value.x, value.y, value.z),
           "give finite numbers below 1e12");
}

Quat checked(const std::string& name, const char* key, const Quat& q) {
    const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(n2 > 1e-12 && n2 < 1e12)) refuse(name, key, "it is not a rotation", "give a unit quaternion");
    return normalised(q);
}

// A body says either which mesh or which shape it has.
Shape shape_from(const std::string& name, const Mesh& mesh, const Shape& shape, int cells) {
    if (mesh.empty() == shape.empty())
        refuse(
            name, "mesh",
            mesh.empty() ? "the body has neither a mesh nor a shape" : "the body has both a mesh and a shape",
            "give one of them");
    if (mesh.empty()) return shape;
    auto made = Shape::try_mesh(mesh, cells);
    if (!made.ok()) refuse(name, "mesh", made.error().problem(), made.error().cure());
    return std::move(made).value();
}

Placement checked(const std::string& name, Placement p) {
    require_finite(name, "position", p.position);
    require_finite(name, "velocity", p.velocity);
    require_finite(name, "angular_velocity", p.angular_velocity);
    p.rotation = checked(name, "rotation", p.rotation);
    return p;
}

MassProperties mass_of(const Rigid& body, const Shape& shape) {
    if (body.mass)
        require_range(body.name, "mass", *body.mass, 1e-12, 1e15);
    else
        require_range(body.name, "density", body.density, 1e-6, 1e9);
    auto made = shape.mass(body.mass ? 1.0 : body.density);
    if (!made.ok()) refuse(body.name, "shape", made.error().problem(), made.error().cure());
    MassProperties mass = made.value();
    if (body.mass) {
        mass.inertia = mass.inertia * (*body.mass / mass.mass);
        mass.mass = *body.mass;
    }
    if (!(mass.mass > 0) || !std::isfinite(mass.mass) || !(determinant(mass.inertia) > 0) ||
        !std::isfinite(trace(inverse(mass.inertia))))
        refuse(body.name, "shape", fmt::format("its mass of {} kg or its inertia is not usable", mass.mass),
               "check the size of the shape and its density");
    return mass;
}

std::vector<Keyframe> checked(const std::string& name, std::vector<Keyframe> keyframes) {
    if (keyframes.empty())
        refuse(name, "keyframes", "there are none", "give at least one, or make the body fixed");
    for (std::size_t k = 0; k < keyframes.size(); ++k) {
        require_finite(name, "keyframes", keyframes[k].position);
        require_range(name, "keyframes", keyframes[k].time, -1e9, 1e9);
        if (k > 0 && !(keyframes[k].time > keyframes[k - 1].time))
            refuse(name, "keyframes",
                   fmt::format("the time of keyframe {} does not come after the one before", k + 1),
                   "give rising times");
        keyframes[k].rotation = checked(name, "keyframes", keyframes[k].rotation);
    }
    return keyframes;
}

}  // namespace

void require_material(const std::string& name, const Material& m) {
    require_range(name, "friction", m.friction, 0, 1e6);
    require_range(name, "restitution", m.restitution, 0, 1);
}

World::Impl::Impl(const WorldSettings& s) : settings(s), parallel(s.threads) {
    check_ranges(s).value();
    require_range("", "step", s.step, 1e-9, 1);
    require_range("", "threads", s.threads, 0, 4096);
}

World::World(const WorldSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

BodyId World::Impl::add(Slot slot) {
    // A world may be asked to look a body up by name: the first of that name is found.
    slot.order = added++;
    if (free_slots.empty()) {
        free_slots.push_back(static_cast<std::uint32_t>(slots.size()));
        slots.emplace_back();
    }
    const std::uint32_t index = free_slots.back();
    free_slots.pop_back();
    slot.generation = slots[index].generation + 1;
    slots[index] = std::move(slot);
    rest_holds = groups_hold = false;
    forget_seen(index);
    return id(index);
}

std::uint32_t World::Impl::slot_of(BodyId id) const {
    const std::uint32_t index = id.index - 1;
    if (id.index >= 1 && index < slots.size() && slots[index].body &&
        slots[index].generation == id.generation)
        return index;
    const bool removed = id.index >= 1 && index < slots.size() && id.generation != 0;
    throw Error(
        {.place = fmt::format("body {}.{}", id.index, id.generation),
         .problem = removed ? "it was removed from this world" : "there is no such body in this world",
         .cure = "use a name that add() of this world returned and remove() has not taken"});
}

Side World::Impl::side(std::uint32_t slot) const {
    return {slots[slot].body.get(), slots[slot].first_node};
}

void World::Impl::touched(Slot& slot) {
    slot.asleep = false;
    slot.quiet = 0;
    rest_holds = false;
}

// What rested on a body that leaves or moves may now hang in the air. The touches are state: they know of it
// even where the contacts have not been found again since a restore.
void World::Impl::wake_around(std::uint32_t index) {
    const auto wake = [&](const auto& pair) {
        if (pair.i != index && pair.j != index) return;
        for (std::uint32_t k : {pair.i, pair.j})
            if (slots[k].dynamic()) touched(slots[k]);
    };
    for (const PairContact& pair : pairs) wake(pair);
    for (const Touch& touch : touches) wake(touch);
}

const PairRule* World::Impl::find_rule(std::uint32_t i, std::uint32_t j) const {
    if (rules.empty()) return nullptr;
    const auto key = std::minmax(i, j);
    const auto it = std::lower_bound(rules.begin(), rules.end(), key, [](const PairRule& r, const auto& k) {
        return std::pair(r.i, r.j) < std::pair<std::uint32_t, std::uint32_t>(k);
    });
    return it != rules.end() && it->i == key.first && it->j == key.second ? &*it : nullptr;
}

PairRule& World::Impl::rule(BodyId a, BodyId b) {
    const auto [i, j] = std::minmax({slot_of(a), slot_of(b)});
    if (i == j) throw Error({.problem = "a pair needs two different bodies", .cure = "name two bodies"});
    rest_holds = false;
    if (const PairRule* known = find_rule(i, j)) return rules[static_cast<std::size_t>(known - rules.data())];
    PairRule fresh;
    fresh.i = i, fresh.j = j;
    const auto at = std::lower_bound(
        rules.begin(), rules.end(), fresh,
        [](const PairRule& x, const PairRule& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
    return *rules.insert(at, fresh);
}

BodyId World::add(const Rigid& body, const Placement& placement) {
    require_material(body.name, body.material);
    require_range(body.name, "damping", body.damping, 0, 1e9);
    Slot slot;
    slot.kind = BodyKind::rigid;
    slot.shape = shape_from(body.name, body.mesh, body.shape, body.distance_cells);
    if (!slot.shape.bounded())
        refuse(body.name, "shape", "a half-space has no mass", "make it a fixed or scripted body");
    slot.body = std::make_unique<RigidBody>(slot.shape, mass_of(body, slot.shape),
                                            checked(body.name, placement), body.damping);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter,
    slot.sensor = body.sensor;
    slot.tets = body.tets;
    slot.tet_shape = impl_->tet_shape_of(body.tets);
    if (slot.tet_shape) slot.tet_rest.assign(body.tets.positions().begin(), body.tets.positions().end());
    return impl_->add(std::move(slot));
}

BodyId World::add(const Fixed& body, const Placement& placement) {
    require_material(body.name, body.material);
    const Placement at = checked(body.name, placement);
    Slot slot;
    slot.kind = BodyKind::fixed;
    slot.shape = shape_from(body.name, body.mesh, body.shape, body.distance_cells);
    slot.body = std::make_unique<KinematicBody>(slot.shape, Transform{at.position, at.rotation},
                                                std::vector<Keyframe>{}, false);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter,
    slot.sensor = body.sensor;
    return impl_->add(std::move(slot));
}

BodyId World::add(const Scripted& body) {
    require_material(body.name, body.material);
    auto keyframes = checked(body.name, body.keyframes);
    if (body.blade) impl_->require_cutting(body.name, *body.blade);
    Slot slot;
    slot.kind = BodyKind::scripted;
    slot.blade = body.blade;
    slot.shape = shape_from(body.name, body.mesh, body.shape, body.distance_cells);
    slot.body = std::make_unique<KinematicBody>(slot.shape, Transform{}, std::move(keyframes), body.loop);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter,
    slot.sensor = body.sensor;
    return impl_->add(std::move(slot));
}

BodyId World::add(const Particles& body) {
    require_material(body.name, body.material);
    require_range(body.name, "mass", body.mass, 1e-12, 1e15);
    require_range(body.name, "radius", body.radius, 0, 1e9);
    require_range(body.name, "drag", body.drag, 0, 1e12);
    if (body.positions.empty())
        refuse(body.name, "positions", "there are no particles", "give at least one position");
    if (!body.velocities.empty() && body.velocities.size() != body.positions.size())
        refuse(body.name, "velocities",
               fmt::format("there are {} for {} particles", body.velocities.size(), body.positions.size()),
               "give one each, or none");
    for (const Vec3& p : body.positions) require_finite(body.name, "positions", p);
    for (const Vec3& v : body.velocities) require_finite(body.name, "velocities", v);
    if (body.integration) return impl_->add_points(body);
    Slot slot;
    slot.kind = BodyKind::particles;
    slot.body = std::make_unique<ParticleBody>(body);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter;
    return impl_->add(std::move(slot));
}

BodyId World::add_ground(double height, const Material& material) {
    return add(Fixed{.shape = Shape::half_space(), .material = material, .name = "ground"},
               {.position = {0, height, 0}});
}

void World::remove(BodyId body) {
    const std::uint32_t index = impl_->slot_of(body);
    impl_->wake_around(index);
    for (JointSlot& joint : impl_->joints) {
        if (!joint.alive || (joint.a != index && joint.b != index)) continue;
        joint.alive = false;
        impl_->keep_apart(joint, false);
        for (std::uint32_t other : {joint.a, joint.b})
            if (other != index && other != JointSlot::none) impl_->touched(impl_->slots[other]);
    }
    const auto concerns = [index](const auto& x) { return x.i == index || x.j == index; };
    std::erase_if(impl_->rules, concerns);
    std::erase_if(impl_->warm_starts, concerns);
    std::erase_if(impl_->touches, concerns);
    impl_->inside_memory.forget(index);
    std::erase_if(impl_->pairs, concerns);
    std::erase_if(impl_->memories, concerns);
    std::erase_if(impl_->contacts, [&](const Contact& c) { return c.a == body || c.b == body; });
    for (Slot& other : impl_->slots) {
        for (const Attachment& a : other.attachments)
            if (a.to == index) other.deformable().unpin(a.vertex), impl_->touched(other);
        std::erase_if(other.attachments, [&](const Attachment& a) { return a.to == index; });
    }
    for (Slot& other : impl_->slots)
        if (other.cut) {
            std::erase_if(other.cut->strokes, [&](const CutStroke& s) { return s.blade == index; });
            other.cut->skin.leave(index);
        }
    Slot& slot = impl_->slots[index];
    const std::uint32_t generation = slot.generation;
    slot = Slot{};
    slot.generation = generation;
    impl_->free_slots.push_back(index);
    impl_->rest_holds = impl_->groups_hold = false;
    impl_->forget_seen(index);
}

void World::set_keyframes(BodyId body, std::vector<Keyframe> keyframes) {
    Slot& slot = impl_->slot(body);
    if (slot.kind != BodyKind::scripted)
        refuse(slot.name, "keyframes", fmt::format("the body is {}", to_word(slot.kind)),
               "add it as Scripted");
    slot.kinematic().set_keyframes(checked(slot.name, std::move(keyframes)), slot.kinematic().loops());
    impl_->touched(slot);
    impl_->wake_around(body.index - 1);
}

}  // namespace plush
