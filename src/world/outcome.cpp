#include <algorithm>

#include "core/tuning.hpp"
#include "world/world_impl.hpp"

// What a step leaves to read (contacts with forces, events) and to the next step (warm starts, sleep).

namespace plush {

// Bodies asleep go on pressing on what holds them, as hard as in their last step awake.
void World::Impl::keep_resting_contacts(const std::vector<WarmStart>& before) {
    const auto pair_order = [](const auto& x, const auto& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (const PairContact& pair : pairs) {
        if (slots[pair.i].first_node || slots[pair.j].first_node) continue;
        const WarmStart key{pair.i, pair.j, 0, 0, {}};
        const auto [begin, end] = std::equal_range(before.begin(), before.end(), key, pair_order);
        for (auto warm = begin; warm != end; ++warm) {
            warm_starts.push_back(*warm);
            const auto hit = std::find_if(
                hits.begin() + pair.first, hits.begin() + pair.first + pair.count,
                [&](const PointHit& x) { return x.point == warm->point && x.of_b == warm->of_b; });
            if (hit == hits.begin() + pair.first + pair.count) continue;
            const double normal = dot(warm->impulse, hit->normal);
            contacts.push_back({.a = id(pair.i),
                                .b = id(pair.j),
                                .point = hit->position,
                                .normal = hit->normal,
                                .depth = hit->depth,
                                .normal_force = normal / settings.step,
                                .friction_force = (warm->impulse - hit->normal * normal) / settings.step,
                                .sticking = true});
        }
    }
}

void World::Impl::report_contacts() {
    contacts.clear();
    const std::vector<WarmStart> before = std::move(warm_starts);
    warm_starts.clear();
    volume_memory.clear();
    const double h = settings.step;
    for (std::size_t k = 0; k < row_sources.size(); ++k) {
        const RowSource& source = row_sources[k];
        if (source.kind == RowSource::Kind::volume) {
            const VolumeContact& contact = step_volumes[source.hit];
            const Block& block = rows.blocks[joint_blocks + k];
            const double bound = block.friction * block.impulse.x;
            report_volume(
                contact, transpose_times(contact_frame(contact.overlap.normal), block.impulse),
                block.impulse.x > 0 && std::hypot(block.impulse.y, block.impulse.z) < (1 - 1e-9) * bound);
            continue;
        }
        const PairContact& pair = pairs[source.pair];
        const PointHit& hit = hits[source.hit];
        const Block& block = rows.blocks[joint_blocks + k];
        const Mat3 frame = contact_frame(hit.normal);
        const Vec3 impulse = transpose_times(frame, block.impulse);
        if (block.impulse.x > 0) warm_starts.push_back({pair.i, pair.j, hit.point, hit.of_b, impulse});
        const double bound = block.friction * block.impulse.x;
        contacts.push_back({.a = id(pair.i),
                            .b = id(pair.j),
                            .point = hit.position,
                            .normal = hit.normal,
                            .depth = hit.depth,
                            .normal_force = block.impulse.x / h,
                            .friction_force = (impulse - hit.normal * block.impulse.x) / h,
                            .sticking = block.impulse.x > 0 &&
                                        std::hypot(block.impulse.y, block.impulse.z) < (1 - 1e-9) * bound});
    }
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        if (!slots[i].surface || slots[i].asleep) continue;  // asleep, its obstacles are of another step
        for (const SurfaceTouch& t : slots[i].surface->touches()) {
            const double normal = dot(t.force, t.normal);
            if (normal <= 0) continue;
            contacts.push_back({.a = id(i),
                                .b = id(slots[i].surface->obstacles()[t.obstacle].index),
                                .point = t.point,
                                .normal = t.normal,
                                .depth = -t.gap,
                                .normal_force = normal,
                                .friction_force = t.force - normal * t.normal});
        }
    }
    const auto add_pushed = [&](const auto& c) {
        contacts.push_back({.a = id(c.a),
                            .b = id(c.b),
                            .point = c.point,
                            .normal = c.normal,
                            .depth = c.depth,
                            .normal_force = c.impulse / h,
                            .friction_force = c.rub / h,
                            .sticking = c.impulse > 0 && norm(c.rub) < (1 - 1e-9) * c.friction * c.impulse});
    };
    for (const MatchedContact& c : matched) add_pushed(c);
    for (const TetContact& c : tet_contacts)
        if (c.impulse > 0) add_pushed(c);
    for (const Averaged& a : averaged) {
        const double normal = dot(a.impulse.impulse, a.impulse.normal);
        contacts.push_back({.a = id(a.i),
                            .b = id(a.j),
                            .point = a.impulse.point,
                            .normal = a.impulse.normal,
                            .depth = a.impulse.depth,
                            .normal_force = normal / h,
                            .friction_force = (a.impulse.impulse - a.impulse.normal * normal) / h,
                            .sticking = a.impulse.sticking});
    }
    keep_resting_contacts(before);
    keep_resting_volumes();
    std::stable_sort(volume_memory.begin(), volume_memory.end(), [](const auto& x, const auto& y) {
        return std::tie(x.i, x.j, x.id) < std::tie(y.i, y.j, y.id);
    });
    report_joints();
    std::sort(warm_starts.begin(), warm_starts.end(),
              [](const auto& x, const auto& y) { return x.key() < y.key(); });
    report.contacts = static_cast<int>(contacts.size());
}

namespace {

// The pairs that deformable bodies touch, into the sorted list of the others.
void add_surface_touches(const std::vector<Slot>& slots, std::span<const MatchedContact> matched,
                         std::span<const TetContact> by_tets, std::vector<Touch>& now) {
    for (const TetContact& c : by_tets)
        if (c.a != c.b) now.push_back({std::min(c.a, c.b), std::max(c.a, c.b)});
    for (const MatchedContact& c : matched) now.push_back({std::min(c.a, c.b), std::max(c.a, c.b)});
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        if (!slots[i].surface || slots[i].asleep) continue;  // asleep, its obstacles are of another step
        for (const SurfaceTouch& t : slots[i].surface->touches()) {
            const std::uint32_t j = slots[i].surface->obstacles()[t.obstacle].index;
            if (dot(t.force, t.normal) > 0) now.push_back({std::min(i, j), std::max(i, j)});
        }
    }
    std::sort(now.begin(), now.end());
    now.erase(std::unique(now.begin(), now.end()), now.end());
}

}  // namespace

// Two bodies touch when a point of one is on or inside the other, within the allowed depth, or a vertex is
// pushed.
void World::Impl::update_events() {
    std::vector<Touch> now;
    for (const PairContact& pair : pairs) {
        bool touching = false;
        for (std::uint32_t k = pair.first; k < pair.first + pair.count; ++k)
            touching = touching || hits[k].depth > -settings.contact.allowed_depth;
        if (touching) now.push_back({pair.i, pair.j});
    }
    for (const VolumePair& pair : volume_pairs)
        if (touching(pair)) now.push_back({pair.i, pair.j});
    add_surface_touches(slots, matched, tet_contacts, now);
    report.pairs = static_cast<int>(now.size());
    events.clear();
    const auto add = [&](const Touch& t, ContactEvent::Kind kind) {
        if (!slots[t.i].body || !slots[t.j].body) return;
        events.push_back({id(t.i), id(t.j), kind, slots[t.i].sensor || slots[t.j].sensor});
    };
    auto old = touches.begin();
    for (const Touch& t : now) {
        for (; old != touches.end() && *old < t; ++old) add(*old, ContactEvent::Kind::ended);
        const bool known = old != touches.end() && *old == t;
        add(t, known ? ContactEvent::Kind::ongoing : ContactEvent::Kind::began);
        if (known) ++old;
    }
    for (; old != touches.end(); ++old) add(*old, ContactEvent::Kind::ended);
    touches = std::move(now);
}

namespace {

void stop(const Slot& slot) {
    if (slot.kind == BodyKind::rigid) slot.rigid().set_velocity({}, {});
    if (slot.kind == BodyKind::particles) slot.particles().set_velocity({});
    if (slot.kind == BodyKind::deformable) slot.deformable().set_velocity({});
}

}  // namespace

/// Whether all that touches or moves a deformable body does so by volume contact or joints.
bool World::Impl::may_sleep(const Slot& slot) const {
    if (settings.contact.method == ContactMethod::automatic && !prefers_volume(slot)) return false;
    return slot.soft_surface && slot.surface->obstacles().empty() && slot.deformable().pins().empty() &&
           slot.attachments.empty() && slot.force_fields.empty() && slot.deformable().settings().drag == 0;
}

// An island falls asleep when all its bodies have been slow for long enough. A body counts as slow by the
// speed of its fastest point, so that long things that tip are not stopped.
void World::Impl::update_sleep() {
    if (!settings.sleep.enabled) return;
    for (Slot& slot : slots) {
        // What touches by volume is woken by what it touches. Other deformable bodies stay awake: nothing
        // tells them that what they lean on has moved.
        if (slot.kind == BodyKind::deformable && !may_sleep(slot)) continue;
        if (!slot.dynamic() || slot.asleep) continue;
        slot.quiet = slot.body->speed_bound() < settings.sleep.speed ? slot.quiet + settings.step : 0;
    }
    // Groups of bodies that touch or are joined; kinematic ones join nothing, but a moving one keeps awake.
    std::vector<std::uint32_t> parent(slots.size());
    for (std::uint32_t i = 0; i < parent.size(); ++i) parent[i] = i;
    const auto root = [&](std::uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    std::vector<double> least(slots.size(), HUGE_VAL);
    const auto link = [&](std::uint32_t i, std::uint32_t j) {
        for (auto [x, y] : {std::pair{i, j}, std::pair{j, i}})
            if (slots[x].dynamic() && !slots[y].dynamic() && slots[y].moving()) least[x] = 0;
        if (slots[i].dynamic() && slots[j].dynamic()) {
            const auto a = root(i), b = root(j);
            parent[std::max(a, b)] = std::min(a, b);
        }
    };
    for (const PairContact& pair : pairs)
        if (!slots[pair.i].sensor && !slots[pair.j].sensor) link(pair.i, pair.j);
    for (const VolumeContact& c : volume_contacts) link(c.a, c.b);
    for (const TetContact& c : tet_contacts) link(c.a, c.b);
    for (const JointSlot& joint : joints)
        if (joint.alive && joint.b != JointSlot::none) link(joint.a, joint.b);
    for (const JointSlot& joint : joints)
        if (joint.alive && drives(joint))
            for (const std::uint32_t k : {joint.a, joint.b})
                if (k != JointSlot::none && slots[k].dynamic()) least[k] = 0;
    for (std::uint32_t i = 0; i < slots.size(); ++i)
        for (const Attachment& a : slots[i].attachments) link(i, a.to);
    for (std::uint32_t i = 0; i < slots.size(); ++i)
        if (slots[i].dynamic() && !slots[i].asleep) {
            double& group = least[root(i)];
            group = std::min({group, slots[i].quiet, least[i]});
        }
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        Slot& slot = slots[i];
        if (!slot.dynamic() || slot.asleep || least[root(i)] < settings.sleep.after) continue;
        slot.asleep = true;
        stop(slot);
    }
}

}  // namespace plush
