#include <algorithm>

#include "core/tuning.hpp"
#include "world/world_impl.hpp"

// The detect phase: boxes, then points against distances, pair by pair in parallel. Contacts are a function
// of positions and velocities alone, so a restored world finds the same ones. Pairs at rest keep what they
// had.

namespace plush {
namespace {

constexpr bool masks_allow(const Filter& a, const Filter& b) {
    return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

}  // namespace

bool World::Impl::may_touch(std::uint32_t i, std::uint32_t j) const {
    const Slot &a = slots[i], &b = slots[j];
    if (!a.dynamic() && !b.dynamic() && !a.sensor && !b.sensor) return false;
    if (a.kind == BodyKind::fixed && b.kind == BodyKind::fixed) return false;
    if (!a.body->distance() && !b.body->distance()) return false;
    if (const PairRule* rule = find_rule(i, j); rule && rule->collide) return *rule->collide != 0;
    return masks_allow(a.filter, b.filter);
}

// What an earlier look found still holds where nothing has moved: between bodies at rest, and within a
// stabilise phase between bodies that its last pass left alone.
bool World::Impl::holds(const PairContact& now, const PairContact& old, bool only_moved) const {
    if (now.at_rest && old.at_rest && rest_holds) return true;
    return only_moved && !slots[now.i].moved && !slots[now.j].moved;
}

void World::Impl::find_contacts(double look_ahead, bool only_moved) {
    const double h = settings.step;
    // Gravity alone closes a gap of g h² in a step.
    const Reach reach{settings.contact.margin + h * h * norm(settings.gravity), look_ahead,
                      tuning::inset_depths * settings.contact.allowed_depth};
    boxes.resize(slots.size());
    parallel.each(slots.size(), tuning::bodies_per_task, [&](std::size_t i) {
        const Slot& slot = slots[i];
        if (slot.body)
            boxes[i] = slot.body->bounds().grown(reach.margin + look_ahead * slot.body->speed_bound());
        else
            boxes[i] = {};
    });
    const std::vector<IndexPair>& near = broad_phase.find(boxes);

    pairs.swap(old_pairs);
    hits.swap(old_hits);
    pairs.clear();
    hits.clear();
    for (const auto& [i, j] : near)
        if (may_touch(i, j)) pairs.push_back({i, j, 0, 0, !slots[i].moving() && !slots[j].moving()});

    // Each chunk collects its own hits; they are joined in the order of the pairs.
    const auto count = static_cast<std::size_t>(settings.contact.points);
    const std::size_t chunk = tuning::pairs_per_task;
    std::vector<std::vector<PointHit>> chunk_hits((pairs.size() + chunk - 1) / chunk);
    parallel.chunks(pairs.size(), chunk, [&](std::size_t begin, std::size_t end) {
        std::vector<PointHit>& out = chunk_hits[begin / chunk];
        std::vector<PointHit> found;
        for (std::size_t p = begin; p < end; ++p) {
            PairContact& pair = pairs[p];
            const auto old = std::lower_bound(old_pairs.begin(), old_pairs.end(), pair,
                                              [](const PairContact& x, const PairContact& y) {
                                                  return std::tie(x.i, x.j) < std::tie(y.i, y.j);
                                              });
            const bool known = old != old_pairs.end() && old->i == pair.i && old->j == pair.j;
            found.clear();
            if (known && holds(pair, *old, only_moved)) {
                found.assign(old_hits.begin() + old->first, old_hits.begin() + old->first + old->count);
            } else {
                const Body &a = *slots[pair.i].body, &b = *slots[pair.j].body;
                find_point_hits(a, b, reach, found);
                // Particles are bodies of their own: each keeps its point.
                if (a.distance() && b.distance()) keep_well_spread(found, count);
            }
            pair.first = static_cast<std::uint32_t>(out.size());
            pair.count = static_cast<std::uint32_t>(found.size());
            out.insert(out.end(), found.begin(), found.end());
        }
    });
    for (std::size_t c = 0; c < chunk_hits.size(); ++c) {
        const auto base = static_cast<std::uint32_t>(hits.size());
        for (std::size_t p = c * chunk; p < std::min(pairs.size(), (c + 1) * chunk); ++p)
            pairs[p].first += base;
        hits.insert(hits.end(), chunk_hits[c].begin(), chunk_hits[c].end());
    }
    rest_holds = true;
}

double World::Impl::largest_depth() const {
    double largest = 0;
    for (const PairContact& pair : pairs) {
        if (slots[pair.i].sensor || slots[pair.j].sensor) continue;
        for (std::uint32_t k = pair.first; k < pair.first + pair.count; ++k)
            largest = std::max(largest, hits[k].depth);
    }
    return largest;
}

}  // namespace plush
