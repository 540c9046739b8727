#include "contact/fields/inside_memory.hpp"

#include <algorithm>
#include <tuple>

#include "core/assert.hpp"

namespace plush {
namespace {

/// The closest point of the surface to the middle of what is inside.
InsideMemory::Entry closest_exit(const TetObject& inner, const TetObject& outer) {
    PLUSH_ASSERT(!inner.x.empty() && outer.shape);
    Vec3 middle{};
    for (const Vec3& p : inner.x) middle += p / static_cast<double>(inner.x.size());
    InsideMemory::Entry entry{0, 0, {0, 1, 0}, 0};
    double least = HUGE_VAL;
    for (const Triangle& f : outer.shape->faces()) {
        const Vec3 &a = outer.x[static_cast<std::size_t>(f[0])], &b = outer.x[static_cast<std::size_t>(f[1])],
                   &c = outer.x[static_cast<std::size_t>(f[2])];
        const Vec3 w = closest_weights(middle, a, b, c), at = a * w.x + b * w.y + c * w.z;
        const double distance = norm(at - middle);
        if (distance >= least) continue;
        least = distance;
        entry.direction = normalised(at - middle, normalised(cross(b - a, c - a)));
        entry.depth = distance;
    }
    return entry;
}

double size_of(const TetObject& object) {
    Box3 box;
    for (const Vec3& p : object.x) box.add(p);
    return norm(box.size());
}

InsideMemory::Entry way_back(const TetObject& inner, const TetObject& outer, const Vec3& way) {
    const double size = size_of(inner), moved = norm(way);
    // What moves less in a step cannot have come in within it.
    if (moved <= 1e-3 * size) return closest_exit(inner, outer);
    return {0, 0, way / -moved, std::max(moved, 0.5 * size)};
}

// The depth of what is wholly inside is not known, only that it is more than its own size. A stiff contact
// takes it out in one step: so much of its size a step is brisk and does not shoot it out.
constexpr double max_depth = 0.1;

}  // namespace

const InsideMemory::Entry* InsideMemory::find(std::uint32_t owner, std::uint32_t object) const {
    const auto at =
        std::lower_bound(entries_.begin(), entries_.end(), std::tie(owner, object),
                         [](const Entry& e, const auto& key) { return std::tie(e.owner, e.object) < key; });
    return at != entries_.end() && at->owner == owner && at->object == object ? &*at : nullptr;
}

void InsideMemory::complete(std::span<const TetObject> objects, std::span<const std::uint32_t> names,
                            std::span<const Vec3> way, std::span<Penetration> penetrations) {
    PLUSH_ASSERT(names.size() == objects.size() && way.size() == objects.size());
    std::vector<Entry> now;
    struct Pair {
        std::uint32_t object;
        Vec3 direction{};
        double depth = 0;
        std::size_t points = 0, known = 0;
    };
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < penetrations.size();) {
        const std::uint32_t owner = penetrations[i].owner;
        PLUSH_ASSERT(owner < objects.size());
        std::size_t end = i;
        pairs.clear();
        for (; end < penetrations.size() && penetrations[end].owner == owner; ++end) {
            const Penetration& p = penetrations[end];
            PLUSH_ASSERT(p.object < objects.size());
            if (p.object == owner) continue;
            auto pair =
                std::find_if(pairs.begin(), pairs.end(), [&](const Pair& x) { return x.object == p.object; });
            if (pair == pairs.end()) pair = pairs.insert(pairs.end(), Pair{p.object});
            ++pair->points;
            if (p.level < 0) continue;
            ++pair->known;
            pair->direction += p.depth * p.direction;
            pair->depth = std::max(pair->depth, p.depth);
        }
        for (const Pair& pair : pairs) {
            const Entry* old = find(names[owner], names[pair.object]);
            Entry entry{names[owner], names[pair.object],
                        normalised(pair.direction, old ? old->direction : Vec3{0, 1, 0}), pair.depth};
            const bool inside = pair.known == 0 && pair.points == objects[owner].x.size();
            if (pair.known == 0 && !inside && !old) continue;
            if (pair.known == 0 && old) entry = *old;
            if (inside && !old) {
                const Entry made =
                    way_back(objects[owner], objects[pair.object], way[owner] - way[pair.object]);
                entry.direction = made.direction, entry.depth = made.depth;
            }
            now.push_back(entry);
            if (!inside) continue;
            const double depth = std::min(entry.depth, max_depth * size_of(objects[owner]));
            for (std::size_t k = i; k < end; ++k) {
                Penetration& p = penetrations[k];
                if (p.object == pair.object) p.direction = entry.direction, p.depth = depth;
            }
        }
        i = end;
    }
    std::sort(now.begin(), now.end(), [](const Entry& a, const Entry& b) {
        return std::tie(a.owner, a.object) < std::tie(b.owner, b.object);
    });
    entries_ = std::move(now);
}

}  // namespace plush
