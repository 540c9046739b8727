#include "world/body_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "geometry/shapes/shape_data.hpp"
#include "world/body_size.hpp"
#include "world/refusal.hpp"

namespace plush {

std::string_view to_word(BodyKind kind) {
    constexpr std::string_view words[] = {"rigid", "fixed", "scripted", "particles", "deformable"};
    return words[static_cast<int>(kind)];
}

BodyId BodyStore::add(BodyRecord record) {
    PLUSH_ASSERT(record.body);
    record.order = added_++;
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(records_.size()));
        records_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    PLUSH_ASSERT(!records_[index].body);
    record.generation = records_[index].generation + 1;
    record.size = size_of(record);
    records_[index] = std::move(record);
    mark_changed();
    return id(index);
}

void BodyStore::remove(std::uint32_t index) {
    PLUSH_ASSERT(index < records_.size() && records_[index].body);
    const std::uint32_t generation = records_[index].generation;
    records_[index] = BodyRecord{};
    records_[index].generation = generation;
    free_.push_back(index);
    mark_changed();
}

void BodyStore::copy_places(const BodyStore& other) {
    PLUSH_ASSERT(records_.empty());
    records_.resize(other.records_.size());
    for (std::size_t i = 0; i < records_.size(); ++i) records_[i].generation = other.records_[i].generation;
    free_ = other.free_;
    added_ = other.added_;
    mark_changed();
}

bool BodyStore::visit_places(StateVisitor& v) {
    const std::size_t n = v.length(records_.size(), sizeof(std::uint32_t));
    if (n != records_.size()) records_.resize(n);
    for (BodyRecord& record : records_) v(record.generation);
    v(free_, added_);
    std::vector<std::uint32_t> sorted = free_;
    std::sort(sorted.begin(), sorted.end());
    mark_changed();
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() &&
           (sorted.empty() || sorted.back() < n);
}

void BodyStore::put(std::uint32_t index, BodyRecord record) {
    PLUSH_ASSERT(index < records_.size() && !records_[index].body && record.body);
    record.generation = records_[index].generation;
    record.size = size_of(record);
    records_[index] = std::move(record);
    mark_changed();
}

bool BodyStore::contains(BodyId id) const {
    return id.index >= 1 && id.index <= records_.size() && records_[id.index - 1].body &&
           records_[id.index - 1].generation == id.generation;
}

std::uint32_t BodyStore::index_of(BodyId id) const {
    if (contains(id)) return id.index - 1;
    const bool removed = id.index >= 1 && id.index <= records_.size() && id.generation != 0;
    throw Error(
        {.place = fmt::format("body {}.{}", id.index, id.generation),
         .problem = removed ? "it was removed from this world" : "there is no such body in this world",
         .cure = "use a name that add() of this world returned and remove() has not taken"});
}

DeformableBody& BodyStore::deformable(BodyId id) const {
    return require_deformable(at(id));
}

ParticleBody& BodyStore::particles(BodyId id) const {
    const BodyRecord& record = at(id);
    if (record.kind != BodyKind::particles) throw_wrong_kind(record, "particles");
    return record.particles();
}

std::vector<BodyId> BodyStore::ids() const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < records_.size(); ++i)
        if (records_[i].body) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](auto i, auto j) { return records_[i].order < records_[j].order; });
    std::vector<BodyId> ids;
    for (const std::uint32_t i : order) ids.push_back(id(i));
    return ids;
}

BodyId BodyStore::find(std::string_view name) const {
    for (const BodyId id : ids())
        if (at(id).name == name) return id;
    return {};
}

std::string BodyStore::label(std::uint32_t index) const {
    const std::string& name = records_[index].name;
    return name.empty() ? fmt::format("body {}", index + 1) : fmt::format("body \"{}\"", name);
}

void BodyStore::visit_state(StateVisitor& v) {
    for (BodyRecord& record : records_) {
        if (!record.body) continue;
        v(record.quiet_from, record.quiet_path, record.quiet_speed);
        std::uint8_t asleep = record.asleep,
                     frozen = record.frozen;  // a bool of any other byte would be no value
        v(asleep, frozen, record.quiet_time, record.filter.groups, record.filter.collides_with);
        record.asleep = asleep != 0, record.frozen = frozen != 0;
        v(record.material.friction, record.material.restitution, record.material.young);
        record.body->visit_state(v);
    }
}

bool BodyStore::is_consistent() const {
    return std::all_of(records_.begin(), records_.end(), [](const BodyRecord& record) {
        if (!record.body) return true;
        // A rotation that is none would scale what it turns, beyond all bounds that follow from the shape.
        const Quat q = record.body->pose().rotation;
        const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (!(std::abs(length2 - 1) < 1e-6) || !check_ranges(record.material).ok()) return false;
        return record.kind != BodyKind::particles || record.particles().is_consistent();
    });
}

void throw_wrong_kind(const BodyRecord& record, std::string_view wanted) {
    throw Error(
        {.place = record.name.empty() ? "body" : fmt::format("body \"{}\"", record.name),
         .problem = fmt::format("it is {}, not {}",
                                record.parts.scripted ? "deformed by frames" : to_word(record.kind), wanted),
         .cure = "ask World::kind() first"});
}

DeformableBody& require_deformable(const BodyRecord& record) {
    if (record.is_deformable()) return record.deformable();
    throw Error({.place = place_of(record.name, to_word(record.kind)),
                 .problem = "only deformable bodies have vertices",
                 .cure = "ask a rope, a cloth, a jelly, shells, tet springs or shape matching"});
}

void require_vertex(const BodyRecord& record, std::uint32_t vertex) {
    const std::size_t count = require_deformable(record).positions().size();
    if (vertex < count) return;
    throw Error({.place = place_of(record.name, "vertex"),
                 .problem = fmt::format("there is no vertex {}", vertex),
                 .cure = fmt::format("it has {}, counted from 0", count)});
}

Vec3 centre_of(const BodyRecord& record) {
    if (record.kind == BodyKind::rigid) return record.rigid().centre();
    if (record.kind == BodyKind::deformable) return record.deformable().centre();
    if (record.kind != BodyKind::particles) return record.body->pose().position;
    Vec3 sum{};
    for (const Vec3& p : record.particles().positions()) sum += p;
    return sum / static_cast<double>(record.particles().positions().size());
}

Vec3 velocity_of(const BodyRecord& record) {
    if (record.parts.scripted) {  // the mean of its vertices
        const auto v = record.deformable().velocities();
        return std::accumulate(v.begin(), v.end(), Vec3{}) / static_cast<double>(v.size());
    }
    if (record.kind == BodyKind::rigid) return record.rigid().velocity();
    return record.dynamic() ? record.body->momentum() / mass_of(record)
                            : record.kinematic().velocity().linear;
}

Vec3 angular_velocity_of(const BodyRecord& record) {
    if (record.kind == BodyKind::rigid) return record.rigid().angular_velocity();
    return record.dynamic() ? Vec3{} : record.kinematic().velocity().angular;
}

Vec3 angular_momentum_of(const BodyRecord& record) {
    if (record.kind == BodyKind::deformable)
        return record.deformable().angular_momentum() - cross(centre_of(record), record.body->momentum());
    return record.kind == BodyKind::rigid ? record.rigid().angular_momentum() : Vec3{};
}

double mass_of(const BodyRecord& record) {
    if (record.parts.scripted) return HUGE_VAL;
    if (record.kind == BodyKind::rigid) return record.rigid().mass();
    if (record.kind == BodyKind::deformable) return record.deformable().mass();
    return record.kind == BodyKind::particles ? record.particles().mass() : HUGE_VAL;
}

std::span<const Tet> tets_of(const BodyRecord& record) {
    static_cast<void>(require_deformable(record));
    return record.tets.tets();
}

const Mesh& drawn_mesh(const BodyRecord& record, bool measured) {
    static const Mesh nothing;
    if (record.shape.empty()) return nothing;
    return measured ? record.shape.data().measured() : record.shape.drawn();
}

std::vector<Vec3> drawn_positions_of(const BodyRecord& record) {
    const auto x = require_deformable(record).positions();
    if (record.parts.skin.empty()) return {x.begin(), x.end()};
    std::vector<Vec3> out(record.parts.skin_weights->size());
    record.parts.skin_weights->apply(x, out);
    return out;
}

Energy energy_of(const BodyStore& bodies, const Vec3& gravity) {
    Energy energy;
    for (const BodyRecord& record : bodies) {
        if (!record.body) continue;
        energy.kinetic += record.body->kinetic_energy();
        energy.gravity += record.body->gravity_energy(gravity);
        energy.elastic += record.body->elastic_energy();
    }
    return energy;
}

Vec3 momentum_of(const BodyStore& bodies) {
    Vec3 sum{};
    for (const BodyRecord& record : bodies)
        if (record.body) sum += record.body->momentum();
    return sum;
}

Vec3 angular_momentum_of(const BodyStore& bodies) {
    Vec3 sum{};
    for (const BodyRecord& record : bodies)
        if (record.body) sum += record.body->moment_of_momentum();
    return sum;
}

Wrench wrench_of(std::span<const Contact> contacts, BodyId body, const Vec3& about) {
    Wrench wrench;
    for (const Contact& c : contacts) {
        if (c.a != body && c.b != body) continue;
        const Vec3 force = (c.normal * c.normal_force + c.friction_force) * (c.a == body ? 1.0 : -1.0);
        wrench.force += force;
        wrench.torque += cross(c.point - about, force);
    }
    return wrench;
}

}  // namespace plush
