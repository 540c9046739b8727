#include <algorithm>

#include "contact/fields/surface_law.hpp"
#include "world/world_impl.hpp"

// Vertices that rigid bodies carry: who is solved with whom, and what the rigid bodies get of it.

namespace plush {

void World::Impl::make_groups() {
    groups.clear();
    groups_hold = true;
    std::vector<std::uint32_t> group_of(slots.size(), JointSlot::none);
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        slots[i].grouped = false;
        if (slots[i].kind != BodyKind::deformable || !slots[i].body) continue;
        std::vector<std::uint8_t> exempt;
        std::vector<std::uint32_t> to{i};
        for (const Attachment& a : slots[i].attachments) {
            if (!slots[a.to].dynamic()) continue;
            to.push_back(a.to);
            exempt.resize(slots[i].deformable().positions().size());
            exempt[a.vertex] = 1;
        }
        if (slots[i].carried_surface && !exempt.empty())
            exempt = slots[i].carried_surface->carried_by(exempt);
        slots[i].surface->set_exempt(std::move(exempt));
        if (to.size() == 1) continue;
        slots[i].grouped = true;
        // All groups that any of these is in become one: the first.
        std::uint32_t first = static_cast<std::uint32_t>(groups.size());
        for (const std::uint32_t s : to) first = std::min(first, group_of[s]);
        if (first == groups.size()) groups.emplace_back();
        const auto join = [&](std::uint32_t s) {
            if (group_of[s] == first) return;
            group_of[s] = first;
            (slots[s].kind == BodyKind::deformable ? groups[first].bodies : groups[first].carriers)
                .push_back(s);
        };
        for (const std::uint32_t s : to) {
            const std::uint32_t other = group_of[s];
            if (other != JointSlot::none && other != first) {
                const Group moved = std::exchange(groups[other], {});
                for (const std::uint32_t m : moved.bodies) join(m);
                for (const std::uint32_t m : moved.carriers) join(m);
            }
            join(s);
        }
    }
    std::erase_if(groups, [](const Group& g) { return g.bodies.empty(); });
    for (Group& group : groups) {
        std::sort(group.bodies.begin(), group.bodies.end());
        std::sort(group.carriers.begin(), group.carriers.end());
        std::vector<DeformableBody*> bodies;
        std::vector<CarriedVertex> carried;
        for (std::uint32_t b = 0; b < group.bodies.size(); ++b) {
            const Slot& slot = slots[group.bodies[b]];
            bodies.push_back(&slot.deformable());
            for (const Attachment& a : slot.attachments) {
                if (!slots[a.to].dynamic()) continue;
                const auto at = std::lower_bound(group.carriers.begin(), group.carriers.end(), a.to);
                carried.push_back({b, a.vertex, static_cast<std::uint32_t>(at - group.carriers.begin())});
            }
        }
        group.assembly = std::make_unique<Assembly>(std::move(bodies), group.carriers.size(),
                                                    std::move(carried), parallel);
    }
}

void World::Impl::predict_group(Group& group) {
    std::vector<Carrier> carriers;
    for (const std::uint32_t c : group.carriers) {
        const RigidBody& rigid = slots[c].rigid();
        carriers.push_back({.centre = rigid.centre(),
                            .velocity = {rigid.velocity(), rigid.angular_velocity()},
                            .mass = rigid.mass(),
                            .inertia = rigid.world_inertia(),
                            .force = rigid.force() + rigid.mass() * settings.gravity,
                            .torque = rigid.torque()});
    }
    for (const std::uint32_t b : group.bodies) {
        prepare_deformable(b);
        if (!is_barrier(slots[b].surface->settings().law)) continue;
        slots[b].deformable().give_up(
            Error({.problem = "a body before a barrier cannot be attached to a free one: nothing would guard "
                              "the step of both",
                   .cure = "take the law buffered, or attach it to a fixed or scripted body"}));
        return;
    }
    group.assembly->begin(settings.step, settings.gravity, carriers);
    for (const std::uint32_t b : group.bodies) begin_contact(b);
    group.assembly->predict(settings.step);
    for (const std::uint32_t b : group.bodies) finish_deformable(b);
    for (std::size_t k = 0; k < carriers.size(); ++k) {
        RigidBody& rigid = slots[group.carriers[k]].rigid();
        if (slots[group.bodies.front()].deformable().problem()) return;
        rigid.add_force(carriers[k].impulse.linear / settings.step, rigid.centre());
        rigid.add_torque(carriers[k].impulse.angular / settings.step);
    }
}

void World::Impl::follow_carriers() {
    for (const Group& group : groups)
        for (const std::uint32_t b : group.bodies)
            for (const Attachment& a : slots[b].attachments) {
                if (!slots[a.to].dynamic()) continue;
                const RigidBody& rigid = slots[a.to].rigid();
                const Vec3 place = rigid.pose() * a.anchor;
                slots[b].deformable().carry(a.vertex, place, rigid.motion().at(place));
            }
}

}  // namespace plush
