#include "contact/points/patch_friction.hpp"

#include <algorithm>
#include <numeric>

#include "core/assert.hpp"

namespace plush {

void spread_friction(std::span<PointHit> hits, std::span<const double> loads, double touching) {
    PLUSH_ASSERT(hits.size() == loads.size());
    const bool loaded = std::any_of(loads.begin(), loads.end(), [](double load) { return load > 0; });
    const auto weight = [&](std::size_t i) {
        return hits[i].depth < -touching ? 0.0 : loaded ? loads[i] : 1.0;
    };
    Vec3 centre{};
    double sum = 0, lever = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) centre += weight(i) * hits[i].position, sum += weight(i);
    if (!(sum > 0)) return;
    centre /= sum;
    const auto arm = [&](const PointHit& hit) {
        const Vec3 d = hit.position - centre;
        return d - dot(d, hit.normal) * hit.normal;
    };
    for (std::size_t i = 0; i < hits.size(); ++i) lever += weight(i) * norm(arm(hits[i])) / sum;
    for (PointHit& hit : hits) {
        // Beyond the points themselves there is no patch.
        if (hit.depth < -touching || !(lever > hit.patch_radius)) continue;
        hit.friction_offset = (hit.patch_radius / lever - 1) * arm(hit);
    }
}

}  // namespace plush
