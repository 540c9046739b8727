#include "world/volume_rows.hpp"

#include <algorithm>

namespace plush {

PairSides VolumeRows::sides(const ConstraintSystem& system, const VolumeContact& contact) const {
    const auto of = [&](std::uint32_t body, std::size_t side) {
        return surfaces_.soft(body) ? Side{bodies_[body].body.get(), contact.nodes[side], true}
                                    : system.side(body);
    };
    return {of(contact.a, 0), of(contact.b, 1)};
}

void VolumeRows::add(const StepContext& step, ConstraintSystem& system,
                     std::span<const VolumeContact> contacts, std::span<const Vec3> warm) {
    PLUSH_ASSERT(warm.size() == contacts.size());
    expected_ = system.expected_velocities();
    blocks_.assign(contacts.size(), {}), tangents_.assign(contacts.size(), {});
    laws_.assign(contacts.size(), {});
    for (std::size_t first = 0, end = 0; first < contacts.size(); first = end) {
        for (end = first; end < contacts.size(); ++end)
            if (contacts[end].a != contacts[first].a || contacts[end].b != contacts[first].b) break;
        add_pair(step, system, contacts.subspan(first, end - first), first);
    }
    for (std::size_t k = 0; k < contacts.size(); ++k)
        if (blocks_[k]) add_tangents(step, system, contacts[k], k);
    if (!step.settings.solver.warm_start) return;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        if (!blocks_[k]) continue;
        const Vec3 start = contact_frame(contacts[k].overlap.normal) * warm[k];
        Block& block = system.rows().blocks[*blocks_[k]];
        block.impulse = {std::max(0.0, start.x), start.y, start.z};
        if (block.normal_of != Block::none)
            system.rows().blocks[block.normal_of].impulse.x += block.impulse.x;
        if (laws_[k].friction == VolumeFriction::coulomb) continue;
        block.impulse.y = block.impulse.z = 0;
        if (tangents_[k]) system.rows().blocks[*tangents_[k]].impulse = {start.y, start.z, 0};
    }
}

/// The contacts of one pair, those of all from `first` on.
void VolumeRows::add_pair(const StepContext& step, ConstraintSystem& system,
                          std::span<const VolumeContact> contacts, std::size_t first) {
    Rows& rows = system.rows();
    double area = 0;
    bool moves = false;
    std::vector<PairSides> sides_of;
    for (const VolumeContact& c : contacts) {
        area += c.area;
        const PairSides& pair = sides_of.emplace_back(sides(system, c));
        moves = moves || pair.a.first_node || pair.b.first_node;
    }
    if (!moves) return;
    const auto law_of = [&](const VolumeContact& c, double of_area) {
        VolumeLaw law = rules_.volume_law(c.a, c.b, of_area);
        if (c.parting) law.flexibility = 0, law.of_whole_pair = false;
        return law;
    };
    VolumeLaw law = law_of(contacts[0], area);
    std::optional<std::uint32_t> pair_block;
    if (law.of_whole_pair && contacts.size() > 1) {
        pair_block = static_cast<std::uint32_t>(rows.blocks.size());
        add_pair_block(rows, sides_of, contacts, system.nodes(), law, step.h);
    }
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const VolumeContact& contact = contacts[k];
        if (!law.of_whole_pair) law = law_of(contact, contact.area);
        PLUSH_ASSERT(law.flexibility >= 0 && law.pair.friction >= 0);
        laws_[first + k] = law;
        const std::uint32_t index = static_cast<std::uint32_t>(rows.blocks.size());
        blocks_[first + k] = index;
        Block& block =
            add_volume_block(rows, sides_of[k], contact, system.nodes(), law.friction_at_surfaces, 3);
        if (pair_block) {
            follow_pair_block(block, rows, sides_of[k], contact, law, *pair_block, contact.area / area);
            continue;
        }
        const double shift =
            set_volume_law(block, rows, sides_of[k], contact, law, system.nodes(), expected_, step.h);
        system.add_bounce(index, shift);
    }
}

void VolumeRows::add_tangents(const StepContext& step, ConstraintSystem& system, const VolumeContact& contact,
                              std::size_t k) {
    // A cached contact may have become a gap, across which nothing rubs.
    if (!laws_[k].has_tangent_rows() || contact.containment || contact.is_outline() || contact.slides() ||
        !(contact.depth > 0))
        return;
    tangents_[k] = static_cast<std::uint32_t>(system.rows().blocks.size());
    add_tangent_block(system.rows(), sides(system, contact), contact, system.nodes(), laws_[k], step.h);
}

VolumeRows::Impulse VolumeRows::impulse(const ConstraintSystem& system, const VolumeContact& contact,
                                        std::size_t k) const {
    PLUSH_ASSERT(k < blocks_.size() && blocks_[k] && *blocks_[k] < system.rows().blocks.size());
    const Block& block = system.rows().blocks[*blocks_[k]];
    const Mat3 frame = contact_frame(contact.overlap.normal);
    const bool no_slip =
        (tangents_[k] || contact.is_outline()) && laws_[k].friction == VolumeFriction::no_slip;
    Impulse sum{.sticking = no_slip ? block.impulse.x > 0 : is_sticking(block)};
    sum.all = sum.warm = transpose_times(frame, block.impulse);
    if (!tangents_[k]) return sum;
    const Vec3& rub = system.rows().blocks[*tangents_[k]].impulse;
    sum.all += transpose_times(frame, Vec3{0, rub.x, rub.y});
    if (laws_[k].friction != VolumeFriction::coulomb) sum.warm = sum.all;
    return sum;
}

}  // namespace plush
