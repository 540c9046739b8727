#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "world/world_impl.hpp"

// The step pipeline. Contacts are those at the positions the step starts from, with those that the present
// velocities would bring about. The stabilise phase measures them again at the new positions.

namespace plush {

void World::Impl::step(World& world) {
    std::vector<std::byte> before = snapshot(std::move(spare_snapshot));
    try {
        for (const auto& force : custom_forces) force(world);
    } catch (...) {
        restore(before).value();
        throw;
    }
    report = {};
    keep_last_good(before);  // a velocity given from outside may be no velocity
    release_vertices();      // before anything is found: what holds a body has a say in how it touches
    apply_blades();
    PhaseTimes& times = report.times;
    {
        PhaseScope scope(times, Phase::detect);
        find_contacts();
        wake_touched();
        find_penetrations();
    }
    {
        PhaseScope scope(times, Phase::predict);
        tell_of_fast_bodies();
        stiffen_against_turning();
        predict(before);
        gather_nodes();
    }
    {
        PhaseScope scope(times, Phase::detect);
        look_ahead();
        require_room(step_volumes, before);
    }
    {
        PhaseScope scope(times, Phase::solve);
        gather_grips(step_volumes, 3, false);
    }
    {
        PhaseScope scope(times, Phase::model);
        start_velocities(false);
        make_rows();
    }
    {
        PhaseScope scope(times, Phase::solve);
        solve();
    }
    {
        PhaseScope scope(times, Phase::correct);
        report_contacts();
        correct();
        finish_bounces();
        keep_last_good(before);
    }
    stabilise(before);
    remember_seen();
    {
        PhaseScope scope(times, Phase::correct);
        follow_carriers();
        keep_last_good(before);
    }
    time = static_cast<double>(++steps) * settings.step;
    update_events();
    update_sleep();
    spare_snapshot = std::move(before);
}

// An island is awake when any of its bodies is: sleep ends where something awake touches.
void World::Impl::wake_touched() {
    bool woken = true;
    while (woken) {
        woken = false;
        const auto wake_other = [&](std::uint32_t i, std::uint32_t j) {
            for (auto [from, to] : {std::pair{i, j}, std::pair{j, i}}) {
                if (!slots[from].moving() || !slots[to].dynamic() || !slots[to].asleep) continue;
                slots[to].asleep = false;
                slots[to].quiet = 0;
                woken = true;
            }
        };
        for (const PairContact& pair : pairs) wake_other(pair.i, pair.j);
        for (const VolumeContact& c : volume_contacts) wake_other(c.a, c.b);
        // Those that move were not looked at yet: what they touched when the last step ended is state.
        for (const Touch& t : touches)
            if (slots[t.i].soft_surface || slots[t.j].soft_surface) wake_other(t.i, t.j);
        for (const JointSlot& joint : joints)
            if (joint.alive && joint.b != JointSlot::none) wake_other(joint.a, joint.b);
        for (const Group& group : groups)
            for (const std::uint32_t c : group.carriers) wake_other(group.bodies.front(), c);
    }
}

std::string World::Impl::name_of(const Slot& slot) const {
    if (!slot.name.empty()) return fmt::format("body \"{}\"", slot.name);
    return fmt::format("body {}", &slot - slots.data() + 1);
}

// A body that moves by more than its own thickness in a step can pass through what is as thin.
void World::Impl::tell_of_fast_bodies() {
    for (Slot& slot : slots) {
        if (!slot.dynamic() || slot.asleep || slot.told_fast) continue;
        const double way = settings.step * slot.body->speed_bound();
        if (way <= 2 * slot.body->thickness() || slot.body->thickness() <= 0) continue;
        slot.told_fast = true;
        logger.info(fmt::format(
            "{} moves up to {:.3g} m in a step at {:.3g} s, more than its thickness of {:.3g} m: it "
            "may pass through thin bodies (take a smaller step)",
            name_of(slot), way, time, 2 * slot.body->thickness()));
    }
}

// Given motion first: vertices may be attached to it. Then deformable bodies, whose contact pushes the free
// ones, and then those.
void World::Impl::predict(const std::vector<std::byte>& before) {
    const auto each = [&](bool given) {
        parallel.each(slots.size(), tuning::bodies_per_task, [&](std::size_t i) {
            Slot& slot = slots[i];
            if (!slot.body || slot.asleep || slot.kind == BodyKind::deformable || slot.dynamic() == given)
                return;
            slot.body->predict(settings.step, settings.gravity, settings.rotation);
        });
    };
    each(true);
    push_tets_explicitly();
    predict_deformables(before);
    each(false);
}

// Nodes of all awake bodies, in the order of the slots. Those of deformable bodies: grips.cpp.
void World::Impl::gather_nodes() {
    nodes.clear();
    body_of_node.clear();
    report.awake = 0;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        Slot& slot = slots[i];
        slot.first_node.reset();
        if (!slot.dynamic() || slot.asleep) continue;
        ++report.awake;
        if (slot.kind == BodyKind::deformable) continue;
        slot.first_node = static_cast<std::uint32_t>(nodes.size());
        for (std::size_t k = 0; k < slot.body->node_count(); ++k) {
            nodes.push_back(slot.body->node(k));
            body_of_node.push_back(i);
        }
    }
}

/// Of all nodes: u*, or none where they stand for displacements.
void World::Impl::start_velocities(bool displacements) {
    velocities.resize(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n)
        velocities[n] = displacements ? Twist{} : nodes[n].velocity;
}

void World::Impl::make_rows() {
    rows.clear();
    row_sources.clear();
    impulse_pairs.clear();
    make_joint_rows();

    for (std::uint32_t p = 0; p < pairs.size(); ++p) {
        const PairContact& pair = pairs[p];
        const PairSides sides{side(pair.i), side(pair.j)};
        if (!sides.a.first_node && !sides.b.first_node) continue;
        ContactMethod method;
        const PairLaw pair_law = law(pair.i, pair.j, method);
        if (method == ContactMethod::impulse) impulse_pairs.push_back(p);
        if (method == ContactMethod::impulse || method == ContactMethod::none) continue;
        for (std::uint32_t k = pair.first; k < pair.first + pair.count; ++k) {
            Block& block = add_point_block(rows, sides, hits[k], nodes, 3);
            const double shift = set_contact_law(block, rows, sides, hits[k], pair_law, nodes, settings.step);
            row_sources.push_back({RowSource::Kind::point, p, k, shift});
            if (!settings.solver.warm_start) continue;
            const WarmStart key{pair.i, pair.j, hits[k].point, hits[k].of_b, {}};
            const auto old = std::lower_bound(warm_starts.begin(), warm_starts.end(), key,
                                              [](const auto& x, const auto& y) { return x.key() < y.key(); });
            if (old == warm_starts.end() || old->key() != key.key()) continue;
            block.impulse = contact_frame(hits[k].normal) * old->impulse;
            block.impulse.x = std::max(0.0, block.impulse.x);
        }
    }
    make_volume_rows();
}

void World::Impl::solve() {
    averaged.clear();
    for (std::uint32_t p : impulse_pairs) {
        const PairContact& pair = pairs[p];
        ContactMethod method;
        const PairLaw pair_law = law(pair.i, pair.j, method);
        const PairSides sides{side(pair.i), side(pair.j)};
        const std::span<const PointHit> all(hits.data() + pair.first, pair.count);
        const bool rigid_pair = sides.a.body->distance() && sides.b.body->distance();
        const std::size_t group = rigid_pair ? all.size() : 1;
        for (std::size_t k = 0; k < all.size(); k += group)
            if (auto impulse =
                    apply_averaged_impulse(sides, all.subspan(k, group), pair_law, nodes, velocities))
                averaged.push_back({pair.i, pair.j, *impulse});
    }

    islands.build(rows, body_of_node, slots.size());
    std::vector<std::uint32_t> all(islands.size());
    std::iota(all.begin(), all.end(), 0u);
    solve_islands(all, settings.solver, settings.solver.tolerance,
                  [&](std::span<const std::uint32_t> blocks) { return solve_island(blocks); });
    report.islands = static_cast<int>(islands.size());
    for (const SweepReport& r : island_reports) {
        report.iterations = std::max(report.iterations, r.iterations);
        report.residual = std::max(report.residual, r.residual);
    }
}

void World::Impl::correct() {
    const bool soft_world =
        std::any_of(slots.begin(), slots.end(), [](const Slot& s) { return s.soft_surface != nullptr; });
    parallel.each(slots.size(), tuning::bodies_per_task, [&](std::size_t i) {
        Slot& slot = slots[i];
        if (!slot.body || slot.asleep || slot.kind == BodyKind::deformable) return;
        std::vector<Twist> change(slot.first_node ? slot.body->node_count() : 0);
        for (std::size_t k = 0; k < change.size(); ++k) {
            const std::size_t n = *slot.first_node + k;
            change[k] = {velocities[n].linear - nodes[n].velocity.linear,
                         velocities[n].angular - nodes[n].velocity.angular};
        }
        slot.body->correct(settings.step, change);
        if (soft_world && slot.kind == BodyKind::rigid) remember_press(slot, change);
    });
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        if (!slot.body || slot.asleep || slot.kind != BodyKind::deformable) return;
        const std::vector<Twist> change = slot.grips.empty() ? std::vector<Twist>{} : grip_change(slot);
        slot.body->correct(settings.step, change);
        if (slot.soft_surface) remember_press(slot, change);
    });
}

// Points that bounced go where a bounce at the moment of impact would have taken them (point_contact.cpp).
// The velocity rows of the step serve as position rows: J Δq = shift.
void World::Impl::finish_bounces() {
    Rows shifts;
    for (std::size_t k = 0; k < row_sources.size(); ++k) {
        const Block& block = rows.blocks[joint_blocks + k];
        if (row_sources[k].shift == 0 || block.impulse.x <= 0) continue;
        Block& shift = shifts.blocks.emplace_back(block);
        shift.first_entry = static_cast<std::uint32_t>(shifts.entries.size());
        for (const Entry& e : rows.entries_of(block)) shifts.entries.push_back(e);
        shift.rows = 1;
        shift.law = Block::Law::bilateral;
        shift.impulse = {};
        shift.bias = {-row_sources[k].shift, 0, 0};
    }
    if (shifts.blocks.empty()) return;
    for (std::size_t k = 0; k < joint_blocks; ++k) {  // joints hold meanwhile
        Block block = rows.blocks[k];
        if (block.law != Block::Law::bilateral || block.softness.x > 0) continue;
        const auto entries = rows.entries_of(block);
        block.first_entry = static_cast<std::uint32_t>(shifts.entries.size());
        shifts.entries.insert(shifts.entries.end(), entries.begin(), entries.end());
        block.bias = block.impulse = {};
        shifts.blocks.push_back(block);
    }
    rows.blocks = std::move(shifts.blocks), rows.entries = std::move(shifts.entries);
    apply_displacements(std::vector<char>(rows.blocks.size(), 1));
}

namespace {

/// Rows that contradict each other, as those of a limb in a narrow gap, may throw a soft body far beyond what
/// any of them asks for. It is moved less; what is left over is seen again.
void limit_displacement(std::span<Twist> change, double most) {
    double square = 0;
    for (const Twist& t : change) square = std::max(square, norm2(t.linear));
    if (!(square > most * most)) return;
    const double part = most / std::sqrt(square);
    for (Twist& t : change) t.linear = part * t.linear;
}

}  // namespace

// Solves the position rows in `rows` and moves the bodies of the islands in which at least one block is
// urgent.
void World::Impl::apply_displacements(const std::vector<char>& urgent) {
    std::fill(velocities.begin(), velocities.end(), Twist{});
    const SolverSettings position_solver{.iterations = tuning::position_sweeps,
                                         .tolerance = tuning::position_tolerance};
    islands.build(rows, body_of_node, slots.size());
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t k = 0; k < islands.size(); ++k) {
        const auto blocks = islands.blocks(k);
        if (std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t b) { return urgent[b] != 0; }))
            wanted.push_back(k);
    }
    solve_islands(wanted, position_solver, tuning::position_outer_tolerance,
                  [&](std::span<const std::uint32_t> blocks) {
                      return solve_blocks(rows, blocks, nodes, velocities, position_solver);
                  });
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        slot.moved = false;
        std::vector<Twist> change;
        if (slot.first_node) {
            const auto first = velocities.begin() + *slot.first_node;
            change.assign(first, first + static_cast<std::ptrdiff_t>(slot.body->node_count()));
        } else if (!slot.grips.empty()) {
            change = grip_change(slot);
            if (slot.soft_surface)
                limit_displacement(change, tuning::largest_correction * slot.soft_surface->size());
        }
        slot.moved = std::any_of(change.begin(), change.end(),
                                 [](const Twist& t) { return norm2(t.linear) + norm2(t.angular) > 0; });
        if (slot.moved) slot.body->displace(change);
    });
}

// Positions, and never velocities, are corrected with fresh contacts until the overlap left is allowed. What
// it takes to see them counts as detection.
void World::Impl::stabilise(const std::vector<std::byte>& before_step) {
    const auto look = [&](bool again) {
        PhaseScope scope(report.times, Phase::detect);
        measure_contacts(again);
        measure_volumes(again ? VolumeLook::again : VolumeLook::end);
        require_room(volume_contacts, before_step);
    };
    look(false);
    // Deformable bodies that overlap deeply are moved as wholes as long as that helps: it strains nothing, so
    // that no push turns into motion later on. Those that are squeezed must yield, and what is left of a
    // contact is best cured where it is.
    bool soft_as_wholes = true;
    double excess = HUGE_VAL;
    for (int pass = 0; pass < settings.contact.stabilise_passes; ++pass) {
        const double before = std::exchange(excess, largest_soft_excess());
        soft_as_wholes =
            soft_as_wholes && excess > tuning::deep_overlap && excess <= tuning::soft_progress * before;
        {
            PhaseScope scope(report.times, Phase::stabilise);
            if (!push_apart(soft_as_wholes)) break;
        }
        look(true);
        ++report.stabilise_passes;
    }
    report.largest_depth = std::max(largest_depth(), largest_volume_depth());
    for (const TetContact& c : tet_contacts) report.largest_depth = std::max(report.largest_depth, c.depth);
    for (const VolumePair& pair : volume_pairs)
        if (pair.pixel > 0) report.pixel = report.pixel > 0 ? std::min(report.pixel, pair.pixel) : pair.pixel;
}

// One pass; false where nothing had to be done.
bool World::Impl::push_apart(bool soft_as_wholes) {
    const double allowed = settings.contact.allowed_depth, aim = tuning::stabilise_aim * allowed;
    gather_nodes();
    gather_grips(volume_contacts, 1, soft_as_wholes);
    start_velocities(true);
    rows.clear();
    std::vector<char> urgent;
    for (std::uint32_t k = 0; k < joints.size(); ++k) {
        if (!joints[k].alive) continue;
        const double gap =
            add_joint_displacement_rows(rows, joints[k].joint, k, joint_sides(joints[k]), nodes);
        urgent.resize(rows.blocks.size(), gap > tuning::joint_slack);
    }
    for (const PairContact& pair : pairs) {
        const PairSides sides{side(pair.i), side(pair.j)};
        ContactMethod method;
        law(pair.i, pair.j, method);
        if (method == ContactMethod::none || (!sides.a.first_node && !sides.b.first_node)) continue;
        const double most = tuning::largest_correction * std::min(sides.a.body->size(), sides.b.body->size());
        for (std::uint32_t k = pair.first; k < pair.first + pair.count; ++k) {
            // All near points take part, so that curing one overlap makes no other.
            Block& block = add_point_block(rows, sides, hits[k], nodes, 1);
            block.bias.x = -std::min(hits[k].depth - aim, most);
            urgent.push_back(hits[k].depth > allowed);
        }
    }
    add_volume_displacements(urgent, soft_as_wholes);
    if (std::none_of(urgent.begin(), urgent.end(), [](char u) { return u != 0; })) return false;
    apply_displacements(urgent);
    return true;
}

void World::Impl::keep_last_good(const std::vector<std::byte>& before) {
    for (const Slot& slot : slots) {
        // A speed whose square overflows is as bad as an infinite one: nothing can be computed from it.
        if (!slot.body || (slot.body->is_finite() && std::isfinite(slot.body->speed_bound()))) continue;
        const std::string what = name_of(slot);
        const double when = time;
        restore(before).value();
        throw Error({.place = fmt::format("{} at {} s", what, when),
                     .problem = "its state stopped being finite; the world is back at the last good step",
                     .cure = "take a smaller step, or look for extreme masses, forces or velocities"});
    }
}

}  // namespace plush
