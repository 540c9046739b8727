#include <algorithm>

#include "world/world_impl.hpp"

// Where rows take hold of deformable bodies: vertices that joints hold, and what volume contacts see. Each is
// a node with three velocities (or the first alone), and those of one body answer together, by its matrix.

namespace plush {

void World::Impl::gather_grips(std::span<VolumeContact> volumes, std::uint8_t volume_rows, bool as_wholes) {
    rows.groups.clear();
    for (Slot& slot : slots) slot.held.clear(), slot.grips.clear(), slot.grips_itself = false;
    struct Taken {
        std::uint32_t contact;
        std::uint8_t side;
    };
    std::vector<std::vector<Taken>> taken(slots.size());
    for (std::uint32_t k = 0; k < volumes.size(); ++k) {
        VolumeContact& contact = volumes[k];
        contact.grips = {};
        if (contact.self()) slots[contact.a].grips_itself = true;
        for (std::uint8_t side = 0; side < (contact.self() ? 1 : 2); ++side) {
            const std::uint32_t i = side == 0 ? contact.a : contact.b;
            if (slots[i].kind == BodyKind::deformable && !slots[i].asleep) taken[i].push_back({k, side});
        }
    }
    for (const JointSlot& joint : joints) {
        if (!joint.alive) continue;
        for (const auto& [k, vertex] :
             {std::pair(joint.a, joint.vertex_a), std::pair(joint.b, joint.vertex_b)})
            if (vertex != JointSlot::none && !slots[k].asleep) slots[k].held.push_back(vertex);
    }

    std::vector<std::uint32_t> gripped;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        Slot& slot = slots[i];
        if (slot.held.empty() && taken[i].empty()) continue;
        gripped.push_back(i);
        if (!slot.answer) slot.answer = std::make_unique<BodyAnswer>();
        slot.answer->clear();
        std::sort(slot.held.begin(), slot.held.end());
        slot.held.erase(std::unique(slot.held.begin(), slot.held.end()), slot.held.end());
        slot.first_grip = static_cast<std::uint32_t>(nodes.size());
        const auto add_node = [&](std::uint8_t row_count) {
            slot.grips.push_back(row_count);
            nodes.emplace_back();
            body_of_node.push_back(i);
        };
        for (const std::uint32_t vertex : slot.held) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                slot.answer->add(vertex, Mat3::identity().row[axis]);
                slot.answer->end_row();
            }
            add_node(3);
            nodes.back().origin = slot.deformable().positions()[vertex];
        }
        for (const Taken& t : taken[i]) {
            volumes[t.contact].grips[t.side] = static_cast<std::uint32_t>(nodes.size());
            add_volume_grip(*slot.answer, volumes[t.contact], t.side, slot.deformable().masses(),
                            volume_rows);
            add_node(volume_rows);
        }
    }
    rows.groups.resize(gripped.size());
    // Here, and not by those that measure them: in an outer loop others look for theirs meanwhile.
    for (std::size_t k = 0; k < gripped.size(); ++k) {
        rows.groups[k].first_node = slots[gripped[k]].first_grip;
        rows.groups[k].count = static_cast<std::uint32_t>(slots[gripped[k]].grips.size());
    }
    parallel.each(gripped.size(), 1,
                  [&](std::size_t k) { measure_grips(slots[gripped[k]], rows.groups[k], as_wholes); });
}

// W = G A⁻¹ Gᵀ of a body's grips, and how they move.
void World::Impl::measure_grips(Slot& slot, NodeGroup& group, bool as_whole) {
    DeformableBody& body = slot.deformable();
    const bool free = slot.held.empty() && body.pins().empty() && !slot.grips_itself && !slot.in_pieces;
    // Bodies that rigid ones carry are solved with them, by a matrix that is not theirs alone.
    const AnswerAs as = slot.grouped       ? AnswerAs::masses
                        : as_whole && free ? AnswerAs::rigid
                                           : AnswerAs::itself;
    if (as != AnswerAs::itself || !wants_approximation(slot) ||
        !slot.answer->measure_approximately(body, slot.rest))
        slot.answer->measure(body, as);
    take_compliance(slot, group);
    for (std::size_t i = 0, row = 0; i < slot.grips.size(); row += slot.grips[i++]) {
        Node& node = nodes[slot.first_grip + i];
        for (std::size_t r = 0; r < slot.grips[i]; ++r)
            for (const HalfSolves::Entry& e : slot.answer->row(row + r)) {
                node.before.linear[r] += dot(e.value, body.velocities()[e.row]);
                node.velocity.linear[r] += dot(e.value, body.next_velocities()[e.row]);
            }
    }
}

void World::Impl::take_compliance(const Slot& slot) {
    const auto group = std::find_if(rows.groups.begin(), rows.groups.end(),
                                    [&](const NodeGroup& g) { return g.first_node == slot.first_grip; });
    take_compliance(slot, *group);
}

// W, node by node.
void World::Impl::take_compliance(const Slot& slot, NodeGroup& group) {
    const std::size_t count = group.count;
    group.compliance.assign(count * count, Mat3{});
    const std::span<const double> w = slot.answer->compliance();
    const std::size_t rows_in_all = slot.answer->rows();
    for (std::size_t i = 0, row = 0; i < count; row += slot.grips[i++])
        for (std::size_t r = 0; r < slot.grips[i]; ++r)
            for (std::size_t j = 0, column = 0; j < count; column += slot.grips[j++])
                for (std::size_t c = 0; c < slot.grips[j]; ++c)
                    group.compliance[i * count + j](r, c) = w[(row + r) * rows_in_all + column + c];
}

// The impulses of all rows on the grips of a body.
std::vector<double> World::Impl::grip_impulses(const Slot& slot) const {
    std::vector<Vec3> at_nodes(slot.grips.size());
    for (const Block& block : rows.blocks)
        for (const Entry& e : rows.entries_of(block))
            if (e.node >= slot.first_grip && e.node < slot.first_grip + slot.grips.size())
                at_nodes[e.node - slot.first_grip] += transpose_times(e.linear, block.impulse);
    std::vector<double> impulses;
    for (std::size_t k = 0; k < slot.grips.size(); ++k)
        for (std::size_t r = 0; r < slot.grips[k]; ++r) impulses.push_back(at_nodes[k][r]);
    return impulses;
}

// What the impulses on its grips do to all vertices of a body.
std::vector<Twist> World::Impl::grip_change(const Slot& slot) const {
    const std::vector<double> impulses = grip_impulses(slot);
    std::vector<Vec3> change(slot.body->node_count());
    slot.answer->change(impulses, change);
    std::vector<Twist> twists(change.size());
    for (std::size_t k = 0; k < change.size(); ++k) twists[k].linear = change[k];
    return twists;
}

}  // namespace plush
