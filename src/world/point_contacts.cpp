#include "world/point_contacts.hpp"

#include <algorithm>

#include "bodies/body_at.hpp"
#include "contact/points/patch_friction.hpp"
#include "core/tuning.hpp"
#include "detect/features/exact_contacts.hpp"
#include "world/impacts.hpp"

namespace plush {

// -- pairs

void PointContacts::begin_step(const StepContext&) {
    claimed_.clear();
}

bool PointContacts::claim(std::uint32_t i, std::uint32_t j) {
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    if (!a.body->distance() && !b.body->distance()) return false;
    // The vertices of deformable bodies feel surfaces as forces.
    if (a.kind == BodyKind::deformable || b.kind == BodyKind::deformable) return false;
    PLUSH_ASSERT(i < j);
    surfaces_.make_features(i), surfaces_.make_features(j);
    claimed_.emplace_back(i, j);
    return true;
}

/// Both have a mesh, and the pair's method is to compare its features.
bool PointContacts::by_features(const Pair& pair) const {
    return rules_.behaviour(pair.i, pair.j).method == ContactMethod::closest_feature &&
           surfaces_.features(pair.i) && surfaces_.features(pair.j);
}

std::span<const PointHit> PointContacts::hits_of(const Pair& pair) const {
    PLUSH_ASSERT(pair.first + pair.count <= now_.hits.size());
    return std::span(now_.hits).subspan(pair.first, pair.count);
}

// -- detection

Reach PointContacts::reach(std::uint32_t i, std::uint32_t j, double lookahead) const {
    // Gravity alone closes a gap of g h² in a step.
    const double h = settings_.step;
    return {rules_.margin(i, j) + h * h * norm(settings_.gravity), lookahead,
            tuning::inset_depths * rules_.allowed_depth(i, j)};
}

// Calls find(number of the pair, hits, names) for every pair, in parallel chunks. `find` appends the pair's hits and
// names.
template <class Find>
void PointContacts::collect(const StepContext& step, Find&& find) {
    const std::size_t chunk = tuning::pairs_per_task, count = now_.pairs.size();
    std::vector<Found> chunks((count + chunk - 1) / chunk);
    step.parallel.chunks(count, chunk, [&](std::size_t begin, std::size_t end) {
        Found& out = chunks[begin / chunk];
        for (std::size_t p = begin; p < end; ++p) {
            const std::size_t first = out.hits.size(), first_name = out.names.size();
            find(p, out.hits, out.names);
            Pair& pair = now_.pairs[p];
            pair.first = static_cast<std::uint32_t>(first);
            pair.count = static_cast<std::uint32_t>(out.hits.size() - first);
            pair.first_name = static_cast<std::uint32_t>(first_name);
            pair.name_count = static_cast<std::uint32_t>(out.names.size() - first_name);
        }
    });
    now_.hits.clear();
    now_.names.clear();
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        for (std::size_t p = c * chunk; p < std::min(count, (c + 1) * chunk); ++p) {
            now_.pairs[p].first += static_cast<std::uint32_t>(now_.hits.size());
            now_.pairs[p].first_name += static_cast<std::uint32_t>(now_.names.size());
        }
        now_.hits.insert(now_.hits.end(), chunks[c].hits.begin(), chunks[c].hits.end());
        now_.names.insert(now_.names.end(), chunks[c].names.begin(), chunks[c].names.end());
    }
}

void PointContacts::detect(const StepContext& step) {
    const bool rest_holds = revision_ == bodies_.revision();
    const Found old = std::exchange(now_, {});
    for (const auto& [i, j] : claimed_) {
        const bool at_rest = !bodies_[i].moving() && !bodies_[j].moving();
        now_.pairs.push_back({.i = i, .j = j, .at_rest = at_rest});
    }
    keep_search_caches();
    const auto before = [](const Pair& x, const Pair& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); };
    PLUSH_ASSERT(std::is_sorted(now_.pairs.begin(), now_.pairs.end(), before));
    collect(step, [&](std::size_t p, std::vector<PointHit>& hits, std::vector<PointName>& names) {
        const Pair& pair = now_.pairs[p];
        // What was found between two bodies at rest holds until one of them wakes.
        const auto known = std::lower_bound(old.pairs.begin(), old.pairs.end(), pair, before);
        const bool same = known != old.pairs.end() && known->i == pair.i && known->j == pair.j;
        if (same && pair.at_rest && known->at_rest && rest_holds) return copy_known(*known, old, hits, names);
        std::vector<PointHit> found;
        find_hits(p, *bodies_[pair.i].body, *bodies_[pair.j].body, reach(pair.i, pair.j, step.h), found);
        for (const PointHit& hit : found) names.push_back({hit.point, hit.of_b});
        keep_a_few(pair, found);
        hits.insert(hits.end(), found.begin(), found.end());
    });
    std::erase_if(now_.pairs, [](const Pair& pair) { return pair.count == 0; });
    revision_ = bodies_.revision();
}

void PointContacts::copy_known(const Pair& known, const Found& from, std::vector<PointHit>& hits,
                               std::vector<PointName>& names) const {
    PLUSH_ASSERT(known.first + known.count <= from.hits.size());
    PLUSH_ASSERT(known.first_name + known.name_count <= from.names.size());
    const auto hit = from.hits.begin() + known.first;
    const auto name = from.names.begin() + known.first_name;
    hits.insert(hits.end(), hit, hit + known.count);
    names.insert(names.end(), name, name + known.name_count);
}

/// Pairs of which a body was advanced, or that meet: where they are then.
void PointContacts::detect_impacts(const StepContext& step, const Impacts& impacts) {
    impacts_ = &impacts;
    if (!impacts.any()) return;
    const Found old = std::exchange(now_, {});
    for (const auto& [i, j] : claimed_) now_.pairs.push_back({.i = i, .j = j});
    const auto before = [](const Pair& x, const Pair& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); };
    collect(step, [&](std::size_t p, std::vector<PointHit>& hits, std::vector<PointName>& names) {
        Pair& pair = now_.pairs[p];
        const auto known = std::lower_bound(old.pairs.begin(), old.pairs.end(), pair, before);
        const bool is_known = known != old.pairs.end() && known->i == pair.i && known->j == pair.j;
        const Impact* impact = impacts.of(pair.i, pair.j);
        const bool advanced = impacts.advanced(pair.i) || impacts.advanced(pair.j);
        if (is_known && !advanced && !impacts.miss(pair.i, pair.j)) {
            pair.at_rest = known->at_rest;
            return copy_known(*known, old, hits, names);
        }
        std::vector<PointHit> found;
        if (advanced && !(impact && impact->reached))
            find_hits(p, *bodies_[pair.i].body, *bodies_[pair.j].body, reach(pair.i, pair.j, step.h), found);
        if (impact && found.empty()) find_impact_hits(p, *impact, found);
        for (const PointHit& hit : found) names.push_back({hit.point, hit.of_b});
        keep_a_few(pair, found);
        hits.insert(hits.end(), found.begin(), found.end());
    });
    std::erase_if(now_.pairs, [](const Pair& pair) { return pair.count == 0; });
}

/// Where the two meet; taken back with them if they are not there.
void PointContacts::find_impact_hits(std::size_t p, const Impact& impact, std::vector<PointHit>& found) {
    const BodyAt a(*bodies_[impact.i].body, impacts_->place(impact.i, impact.time));
    const BodyAt b(*bodies_[impact.j].body, impacts_->place(impact.j, impact.time));
    find_hits(p, a, b, reach(impact.i, impact.j, settings_.step - impact.time), found);
    const Vec3 travel = impact.reached ? Vec3{} : impacts_->travel(impact);
    const double allowed = rules_.allowed_depth(impact.i, impact.j);
    for (PointHit& hit : found) {
        if (hit.depth >= -allowed) hit.depth = 0;
        hit.position -= travel;
    }
}

/// The caches of the pairs that are near now: the old one where there is one.
void PointContacts::keep_search_caches() {
    PLUSH_ASSERT(std::is_sorted(
        caches_.begin(), caches_.end(),
        [](const SearchCache& x, const SearchCache& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); }));
    std::vector<SearchCache> old_caches = std::move(caches_);
    caches_.clear();
    caches_.reserve(now_.pairs.size());
    auto old = old_caches.begin();
    const auto before = [](const SearchCache& m, const Pair& pair) {
        return std::tie(m.i, m.j) < std::tie(pair.i, pair.j);
    };
    for (const Pair& pair : now_.pairs) {
        while (old != old_caches.end() && before(*old, pair)) ++old;
        const bool known = old != old_caches.end() && old->i == pair.i && old->j == pair.j;
        caches_.push_back({pair.i, pair.j, known ? std::move(old->memory) : PairMemory{}});
    }
}

/// The points of a pair that touch or may do so in this step, by the pair's method.
void PointContacts::find_hits(std::size_t p, const Body& a, const Body& b, const Reach& ahead,
                              std::vector<PointHit>& found) {
    const Pair& pair = now_.pairs[p];
    PLUSH_ASSERT(caches_[p].i == pair.i && caches_[p].j == pair.j);
    if (by_features(pair))
        find_feature_hits({a, *surfaces_.features(pair.i)}, {b, *surfaces_.features(pair.j)}, ahead, found);
    else if (is_exact_pair(a, b))
        find_exact_hits(a, b, ahead, found);
    else
        find_point_hits(a, b, ahead, caches_[p].memory, found);
}

void PointContacts::measure_hits(const Pair& pair, const Reach& here, std::span<const PointName> candidates,
                                 std::vector<PointHit>& found) const {
    const Body &a = *bodies_[pair.i].body, &b = *bodies_[pair.j].body;
    if (by_features(pair))
        measure_features({a, *surfaces_.features(pair.i)}, {b, *surfaces_.features(pair.j)}, here, candidates,
                         found);
    else if (is_exact_pair(a, b))
        find_exact_hits(a, b, here, found);
    else
        measure_points(a, b, here, candidates, found);
}

/// A pair's points become a handful. Particles are bodies of their own, each keeps its point; and closest features are
/// all kept, as engines that use them do.
void PointContacts::keep_a_few(const Pair& pair, std::vector<PointHit>& found) const {
    if (!bodies_[pair.i].body->distance() || !bodies_[pair.j].body->distance() || by_features(pair)) return;
    const auto [begin, end] = std::equal_range(
        warm_starts_.begin(), warm_starts_.end(), WarmStart{pair.i, pair.j, 0, 0, {}},
        [](const WarmStart& x, const WarmStart& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
    for (PointHit& hit : found) {
        hit.known = false;
        for (auto warm = begin; warm != end && !hit.known; ++warm)
            hit.known = warm->point == hit.point && warm->of_b == hit.of_b;
    }
    keep_well_spread(found, static_cast<std::size_t>(settings_.contact.points));
}

void PointContacts::redetect(const StepContext& step, const Redetection& why) {
    Found old;
    old.hits = std::move(now_.hits), old.names = std::move(now_.names);
    collect(step, [&](std::size_t p, std::vector<PointHit>& hits, std::vector<PointName>& names) {
        const Pair& pair = now_.pairs[p];
        PLUSH_ASSERT(pair.first_name + pair.name_count <= old.names.size());
        const auto candidates = std::span(old.names).subspan(pair.first_name, pair.name_count);
        names.insert(names.end(), candidates.begin(), candidates.end());
        PLUSH_ASSERT(!why.after_pass || why.displaced.size() == bodies_.size());
        const bool displaced = !why.after_pass || why.displaced[pair.i] || why.displaced[pair.j];
        if (pair.at_rest || !displaced) {
            const auto hit = old.hits.begin() + pair.first;
            hits.insert(hits.end(), hit, hit + pair.count);
            return;
        }
        std::vector<PointHit> found;
        measure_hits(pair, reach(pair.i, pair.j, 0), candidates, found);
        keep_a_few(pair, found);
        hits.insert(hits.end(), found.begin(), found.end());
    });
}

// -- rows

void PointContacts::add_velocity_rows(const StepContext& step, ConstraintSystem& system) {
    row_sources_.clear();
    averaged_.clear();
    for (std::uint32_t p = 0; p < now_.pairs.size(); ++p) {
        const Pair& pair = now_.pairs[p];
        PairSides sides{system.side(pair.i), system.side(pair.j)};
        if (!sides.a.first_node && !sides.b.first_node) continue;
        std::optional<BodyAt> given;  // what is given moves on, too
        if (const Impact* impact = impacts_->of(pair.i, pair.j); impact && impact->reached)
            for (auto& [body, side] : {std::pair{pair.i, &sides.a}, std::pair{pair.j, &sides.b}})
                if (!side->first_node)
                    side->body = &given.emplace(*side->body, impacts_->place(body, impact->time));
        const PairBehaviour behaviour = rules_.behaviour(pair.i, pair.j);
        if (behaviour.method == ContactMethod::impulse)
            apply_averaged(pair, sides, behaviour.law, system);
        else if (behaviour.method != ContactMethod::none)
            add_point_rows(step, system, p, sides, behaviour.law);
    }
}

void PointContacts::add_point_rows(const StepContext& step, ConstraintSystem& system, std::uint32_t p,
                                   const PairSides& sides, const PairLaw& law) {
    const Pair& pair = now_.pairs[p];
    Rows& rows = system.rows();
    const ContactTime time = impacts_->any() ? impacts_->time_of(pair.i, pair.j) : ContactTime(step.h);
    place_friction(pair);
    for (std::uint32_t k = pair.first; k < pair.first + pair.count; ++k) {
        const PointHit& hit = now_.hits[k];
        const auto index = static_cast<std::uint32_t>(rows.blocks.size());
        Block& block = add_point_block(rows, sides, hit, system.nodes(), 3);
        // What does not touch when the bodies meet has a gap from then on, whatever it would have done without the impact.
        PairLaw own = law;
        if (time.moment > 0 && hit.depth < 0) own.restitution = 0;
        system.add_bounce(index, set_contact_law(block, rows, sides, hit, own, system.nodes(), time));
        row_sources_.push_back({p, k, index});
        if (!step.settings.solver.warm_start) continue;
        block.impulse = contact_frame(hit.normal) * last_impulse(pair, hit);
        block.impulse.x = std::max(0.0, block.impulse.x);
    }
}

/// Of the last step, world, N s; zero for a point that is new.
Vec3 PointContacts::last_impulse(const Pair& pair, const PointHit& hit) const {
    const WarmStart key{pair.i, pair.j, hit.point, hit.of_b, {}};
    const auto old = std::lower_bound(warm_starts_.begin(), warm_starts_.end(), key,
                                      [](const auto& x, const auto& y) { return x.key() < y.key(); });
    return old == warm_starts_.end() || old->key() != key.key() ? Vec3{} : old->impulse;
}

/// Friction of a face acts as that of the whole patch.
void PointContacts::place_friction(const Pair& pair) {
    const auto hits = std::span(now_.hits).subspan(pair.first, pair.count);
    if (hits.size() < 2 || !(hits[0].patch_radius > 0)) return;
    std::vector<double> loads;
    for (const PointHit& hit : hits) loads.push_back(std::max(0.0, dot(last_impulse(pair, hit), hit.normal)));
    spread_friction(hits, loads, tuning::inset_depths * rules_.allowed_depth(pair.i, pair.j));
}

void PointContacts::apply_averaged(const Pair& pair, const PairSides& sides, const PairLaw& law,
                                   ConstraintSystem& system) {
    const std::span<const PointHit> hits = hits_of(pair);
    // Particles are bodies of their own.
    const bool rigid_pair = sides.a.body->distance() && sides.b.body->distance();
    const std::size_t group = rigid_pair ? hits.size() : 1;
    for (std::size_t k = 0; k < hits.size(); k += group)
        if (auto impulse = apply_averaged_impulse(sides, hits.subspan(k, group), law, system.nodes(),
                                                  system.velocities()))
            averaged_.push_back({pair.i, pair.j, *impulse});
}

void PointContacts::account(const StepContext&, const ConstraintSystem& system, EnergyLedger& ledger) {
    const auto mean_velocity = [&](std::uint32_t body, const Vec3& point) {
        const auto n = system.first_node(body);
        if (!n) return bodies_[body].body->velocity_at(point);
        const Node& node = system.nodes()[*n];
        const Twist &u = node.before, &v = system.velocities()[*n];
        return 0.5 * (u.linear + v.linear + cross(u.angular + v.angular, point - node.origin));
    };
    for (const Averaged& a : averaged_) {
        const auto& [point, normal, impulse, depth, sticking] = a.impulse;
        const Vec3 along = dot(impulse, normal) * normal;
        const Vec3 w = mean_velocity(a.i, point) - mean_velocity(a.j, point);
        ledger.contact += dot(along, w), ledger.friction += dot(impulse - along, w);
        for (const auto& [body, sign] : {std::pair{a.i, 1.0}, std::pair{a.j, -1.0}})
            if (!system.first_node(body)) ledger.scripts -= sign * dot(impulse, mean_velocity(body, point));
    }
}

void PointContacts::add_position_rows(const StepContext&, PositionRows& out) {
    for (const Pair& pair : now_.pairs) {
        const PairSides sides{out.system.side(pair.i), out.system.side(pair.j)};
        if (!sides.a.first_node && !sides.b.first_node) continue;
        if (rules_.behaviour(pair.i, pair.j).method == ContactMethod::none) continue;
        const double most = tuning::largest_correction * std::min(sides.a.body->size(), sides.b.body->size());
        const double allowed = rules_.allowed_depth(pair.i, pair.j), aim = tuning::stabilise_aim * allowed;
        for (const PointHit& hit : hits_of(pair)) {
            // All near points take part, so that mending one overlap makes no other.
            Block& block = add_point_block(out.system.rows(), sides, hit, out.system.nodes(), 1);
            block.bias.x = -std::min(hit.depth - aim, most);
            out.urgent.push_back(hit.depth > allowed);
        }
    }
}

// -- what comes of it

void PointContacts::report(const StepContext& step, const ConstraintSystem& system,
                           std::vector<ContactRecord>& out) {
    const std::vector<WarmStart> before = std::exchange(warm_starts_, {});
    for (const RowSource& source : row_sources_) {
        const Pair& pair = now_.pairs[source.pair];
        const PointHit& hit = now_.hits[source.hit];
        PLUSH_ASSERT(source.block < system.rows().blocks.size());
        const Block& block = system.rows().blocks[source.block];
        const Vec3 impulse = transpose_times(contact_frame(hit.normal), block.impulse);
        if (block.impulse.x > 0) warm_starts_.push_back({pair.i, pair.j, hit.point, hit.of_b, impulse});
        out.push_back({pair.i,
                       pair.j,
                       {.point = hit.position,
                        .normal = hit.normal,
                        .depth = hit.depth,
                        .normal_force = block.impulse.x / step.h,
                        .friction_force = (impulse - hit.normal * block.impulse.x) / step.h,
                        .sticking = is_sticking(block)}});
    }
    for (const Averaged& a : averaged_) {
        const double normal = dot(a.impulse.impulse, a.impulse.normal);
        out.push_back({a.i,
                       a.j,
                       {.point = a.impulse.point,
                        .normal = a.impulse.normal,
                        .depth = a.impulse.depth,
                        .normal_force = normal / step.h,
                        .friction_force = (a.impulse.impulse - a.impulse.normal * normal) / step.h,
                        .sticking = a.impulse.sticking}});
    }
    report_resting(step, system, before, out);
    std::sort(warm_starts_.begin(), warm_starts_.end(),
              [](const auto& x, const auto& y) { return x.key() < y.key(); });
}

/// Bodies asleep go on pressing on what holds them, as hard as in their last step awake.
void PointContacts::report_resting(const StepContext& step, const ConstraintSystem& system,
                                   const std::vector<WarmStart>& before, std::vector<ContactRecord>& out) {
    const auto pair_order = [](const auto& x, const auto& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (const Pair& pair : now_.pairs) {
        if (system.first_node(pair.i) || system.first_node(pair.j)) continue;
        const WarmStart key{pair.i, pair.j, 0, 0, {}};
        const auto [begin, end] = std::equal_range(before.begin(), before.end(), key, pair_order);
        const auto hits = hits_of(pair);
        for (auto warm = begin; warm != end; ++warm) {
            warm_starts_.push_back(*warm);
            const auto hit = std::find_if(hits.begin(), hits.end(),
                                          [&, point = warm->point, of_b = warm->of_b](const PointHit& x) {
                                              return x.point == point && x.of_b == of_b;
                                          });
            if (hit == hits.end()) continue;
            const double normal = dot(warm->impulse, hit->normal);
            out.push_back({pair.i,
                           pair.j,
                           {.point = hit->position,
                            .normal = hit->normal,
                            .depth = hit->depth,
                            .normal_force = normal / step.h,
                            .friction_force = (warm->impulse - hit->normal * normal) / step.h,
                            .sticking = true}});
        }
    }
}

double PointContacts::largest_depth() const {
    double largest = 0;
    for (const Pair& pair : now_.pairs) {
        if (bodies_[pair.i].sensor || bodies_[pair.j].sensor) continue;
        for (const PointHit& hit : hits_of(pair)) largest = std::max(largest, hit.depth);
    }
    return largest;
}

void PointContacts::each_linked_pair(PairVisitor visit) const {
    for (const Pair& pair : now_.pairs) visit(pair.i, pair.j);
}

/// A point of one is on or inside the other, within the allowed depth.
void PointContacts::each_touching_pair(PairVisitor visit) const {
    for (const Pair& pair : now_.pairs) {
        const auto hits = hits_of(pair);
        const double allowed = rules_.allowed_depth(pair.i, pair.j);
        if (std::any_of(hits.begin(), hits.end(), [&](const PointHit& hit) { return hit.depth > -allowed; }))
            visit(pair.i, pair.j);
    }
}

// -- state

void PointContacts::forget_body(std::uint32_t body) {
    const auto concerns = [body](const auto& x) { return x.i == body || x.j == body; };
    std::erase_if(warm_starts_, concerns);
    std::erase_if(now_.pairs, concerns);
    std::erase_if(caches_, concerns);
}

void PointContacts::forget_contacts() {
    now_ = {};
    caches_.clear();
}

void PointContacts::visit_state(StateVisitor& v) {
    v(warm_starts_);
}

bool PointContacts::is_consistent() const {
    return std::is_sorted(warm_starts_.begin(), warm_starts_.end(),
                          [](const WarmStart& a, const WarmStart& b) { return a.key() < b.key(); }) &&
           std::all_of(warm_starts_.begin(), warm_starts_.end(),
                       [&](const WarmStart& w) { return bodies_.is_body(w.i) && bodies_.is_body(w.j); });
}

}  // namespace plush
