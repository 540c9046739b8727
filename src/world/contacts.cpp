#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/world_impl.hpp"

// The detect phase: boxes, then points against distances, pair by pair in parallel. Contacts are a function
// of positions and velocities alone, so a restored world finds the same ones. The stabilise phase measures
// the points again that were found then: nothing else can have come near within the step.

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
    if (touch_by_tets(i, j)) return false;
    return collision_allowed(i, j);
}

bool World::Impl::may_touch_by_points(std::uint32_t i, std::uint32_t j) const {
    const Slot &a = slots[i], &b = slots[j];
    if (!a.body->distance() && !b.body->distance()) return false;
    // The vertices of deformable bodies feel surfaces as forces.
    return a.kind != BodyKind::deformable && b.kind != BodyKind::deformable;
}

/// Whether both have a mesh and the pair's method is to look at its features. After make_features().
bool World::Impl::touch_by_features(std::uint32_t i, std::uint32_t j) const {
    ContactMethod method;
    law(i, j, method);
    return method == ContactMethod::closest_feature && slots[i].features && slots[j].features;
}

/// Where any pair may ask for them; bodies of one mesh share them.
void World::Impl::make_features(std::uint32_t index) {
    Slot& slot = slots[index];
    if (slot.features || slot.shape.empty() || !wants(ContactMethod::closest_feature)) return;
    const Mesh& mesh = slot.shape.data().drawn;
    if (mesh.empty() || !slot.shape.bounded()) return;
    std::erase_if(feature_surfaces, [](const KnownFeatures& known) { return known.features.expired(); });
    for (const KnownFeatures& known : feature_surfaces)
        if (known.key == mesh.identity()) slot.features = known.features.lock();
    if (slot.features) return;
    slot.features = std::make_shared<const FeatureSurface>(mesh);
    feature_surfaces.push_back({mesh.identity(), slot.features});
}

bool World::Impl::collision_allowed(std::uint32_t i, std::uint32_t j) const {
    return rules_allow(i, j) && !may_cut(i, j) && !may_cut(j, i);
}

bool World::Impl::rules_allow(std::uint32_t i, std::uint32_t j) const {
    if (const PairRule* rule = find_rule(i, j); rule && rule->collide) return *rule->collide != 0;
    if (!jointed.empty() &&
        std::binary_search(jointed.begin(), jointed.end(), std::pair(std::min(i, j), std::max(i, j))))
        return false;
    return masks_allow(slots[i].filter, slots[j].filter);
}

Reach World::Impl::reach(double look_ahead) const {
    // Gravity alone closes a gap of g h² in a step.
    const double h = settings.step;
    return {settings.contact.margin + h * h * norm(settings.gravity), look_ahead,
            tuning::inset_depths * settings.contact.allowed_depth};
}

namespace {

/// What one chunk of pairs found: joined in the order of the pairs.
struct ChunkHits {
    std::vector<PointHit> hits;
    std::vector<PointName> names;
};

}  // namespace

// Calls find(pair, hits, names) for every pair, in parallel chunks. `find` appends the pair's hits and names.
template <class Find>
void World::Impl::collect_hits(Find&& find) {
    const std::size_t chunk = tuning::pairs_per_task;
    std::vector<ChunkHits> chunks((pairs.size() + chunk - 1) / chunk);
    parallel.chunks(pairs.size(), chunk, [&](std::size_t begin, std::size_t end) {
        ChunkHits& out = chunks[begin / chunk];
        for (std::size_t p = begin; p < end; ++p) {
            const std::size_t first = out.hits.size(), first_name = out.names.size();
            find(pairs[p], out.hits, out.names);
            pairs[p].first = static_cast<std::uint32_t>(first);
            pairs[p].count = static_cast<std::uint32_t>(out.hits.size() - first);
            pairs[p].first_name = static_cast<std::uint32_t>(first_name);
            pairs[p].name_count = static_cast<std::uint32_t>(out.names.size() - first_name);
        }
    });
    hits.clear();
    names.clear();
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        for (std::size_t p = c * chunk; p < std::min(pairs.size(), (c + 1) * chunk); ++p) {
            pairs[p].first += static_cast<std::uint32_t>(hits.size());
            pairs[p].first_name += static_cast<std::uint32_t>(names.size());
        }
        hits.insert(hits.end(), chunks[c].hits.begin(), chunks[c].hits.end());
        names.insert(names.end(), chunks[c].names.begin(), chunks[c].names.end());
    }
}

void World::Impl::mark_known(const PairContact& pair, std::vector<PointHit>& found) const {
    const auto [begin, end] = std::equal_range(
        warm_starts.begin(), warm_starts.end(), WarmStart{pair.i, pair.j, 0, 0, {}},
        [](const WarmStart& x, const WarmStart& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
    for (PointHit& hit : found)
        hit.known = std::any_of(
            begin, end, [&](const WarmStart& w) { return w.point == hit.point && w.of_b == hit.of_b; });
}

// The memories of the pairs that are near now: the old one where there is one.
void World::Impl::remember_pairs() {
    memories.swap(old_memories);
    memories.clear();
    memories.reserve(pairs.size());
    auto old = old_memories.begin();
    const auto before = [](const Remembered& m, const PairContact& pair) {
        return std::tie(m.i, m.j) < std::tie(pair.i, pair.j);
    };
    for (const PairContact& pair : pairs) {
        while (old != old_memories.end() && before(*old, pair)) ++old;
        const bool known = old != old_memories.end() && old->i == pair.i && old->j == pair.j;
        memories.push_back({pair.i, pair.j, known ? std::move(old->memory) : PairMemory{}});
    }
}

/// The points of a pair that touch or may do so in this step, by the pair's method.
void World::Impl::find_hits(const PairContact& pair, const Reach& ahead, std::vector<PointHit>& found) {
    const Slot &a = slots[pair.i], &b = slots[pair.j];
    if (touch_by_features(pair.i, pair.j))
        find_feature_hits({*a.body, *a.features}, {*b.body, *b.features}, ahead, found);
    else
        find_point_hits(*a.body, *b.body, ahead,
                        memories[static_cast<std::size_t>(&pair - pairs.data())].memory, found);
}

void World::Impl::measure_hits(const PairContact& pair, const Reach& here,
                               std::span<const PointName> candidates, std::vector<PointHit>& found) const {
    const Slot &a = slots[pair.i], &b = slots[pair.j];
    if (touch_by_features(pair.i, pair.j))
        measure_features({*a.body, *a.features}, {*b.body, *b.features}, here, candidates, found);
    else
        measure_points(*a.body, *b.body, here, candidates, found);
}

/// A pair's points become a handful. Particles are bodies of their own, each keeps its point; and closest
/// features are all kept, as engines that use them do.
void World::Impl::keep_a_few(const PairContact& pair, std::vector<PointHit>& found) const {
    const Slot &a = slots[pair.i], &b = slots[pair.j];
    if (!a.body->distance() || !b.body->distance() || touch_by_features(pair.i, pair.j)) return;
    mark_known(pair, found);
    keep_well_spread(found, static_cast<std::size_t>(settings.contact.points));
}

void World::Impl::find_contacts() {
    const Reach ahead = reach(settings.step);
    make_soft_surfaces();
    boxes.resize(slots.size());
    parallel.each(slots.size(), tuning::bodies_per_task, [&](std::size_t i) {
        const Body* body = slots[i].body.get();
        // In all directions: a blow may send it anywhere within the step.
        boxes[i] = {};
        if (!body) return;
        Box3 box = body->bounds();
        if (slots[i].soft_surface) box.add(slots[i].bounds_now.all);  // a skin may reach beyond its vertices
        boxes[i] = box.grown(ahead.margin + ahead.step * body->speed_bound());
    });
    const std::vector<IndexPair>& near = broad_phase.find(boxes);
    pairs.swap(old_pairs);
    hits.swap(old_hits);
    names.swap(old_names);
    pairs.clear();
    std::vector<IndexPair> by_volume;
    for (const auto& [i, j] : near) {
        if (!may_touch(i, j)) continue;
        if (touch_by_volume(i, j))
            by_volume.push_back({i, j});
        else if (may_touch_by_points(i, j)) {
            pairs.push_back({i, j, 0, 0, 0, 0, !slots[i].moving() && !slots[j].moving()});
            make_features(i), make_features(j);
        }
    }
    for (std::uint32_t i = 0; i < slots.size(); ++i)
        if (slots[i].body && slots[i].self_contact && touch_by_volume(i, i)) by_volume.push_back({i, i});
    std::sort(by_volume.begin(), by_volume.end());
    find_volumes(by_volume);

    remember_pairs();

    const auto before = [](const PairContact& x, const PairContact& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    collect_hits(
        [&](const PairContact& pair, std::vector<PointHit>& hits_out, std::vector<PointName>& names_out) {
            // What was found between two bodies at rest holds until one of them wakes.
            const auto old = std::lower_bound(old_pairs.begin(), old_pairs.end(), pair, before);
            const bool known = old != old_pairs.end() && old->i == pair.i && old->j == pair.j;
            if (known && pair.at_rest && old->at_rest && rest_holds) {
                const auto hit = old_hits.begin() + old->first;
                const auto name = old_names.begin() + old->first_name;
                hits_out.insert(hits_out.end(), hit, hit + old->count);
                names_out.insert(names_out.end(), name, name + old->name_count);
                return;
            }
            std::vector<PointHit> found;
            find_hits(pair, ahead, found);
            for (const PointHit& hit : found) names_out.push_back({hit.point, hit.of_b});
            keep_a_few(pair, found);
            hits_out.insert(hits_out.end(), found.begin(), found.end());
        });
    std::erase_if(pairs, [](const PairContact& pair) { return pair.count == 0; });
    rest_holds = true;
}

void World::Impl::measure_contacts(bool only_moved) {
    const Reach here = reach(0);
    hits.swap(old_hits);
    names.swap(old_names);
    collect_hits(
        [&](const PairContact& pair, std::vector<PointHit>& hits_out, std::vector<PointName>& names_out) {
            const Slot &a = slots[pair.i], &b = slots[pair.j];
            const std::span<const PointName> candidates(old_names.data() + pair.first_name, pair.name_count);
            names_out.insert(names_out.end(), candidates.begin(), candidates.end());
            if (pair.at_rest || (only_moved && !a.moved && !b.moved)) {
                const auto hit = old_hits.begin() + pair.first;
                hits_out.insert(hits_out.end(), hit, hit + pair.count);
                return;
            }
            std::vector<PointHit> found;
            measure_hits(pair, here, candidates, found);
            keep_a_few(pair, found);
            hits_out.insert(hits_out.end(), found.begin(), found.end());
        });
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
