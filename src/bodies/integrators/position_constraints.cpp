#include "bodies/integrators/position_constraints.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

namespace plush {

void PositionConstraints::project(std::span<Vec3> x, std::span<const double> inverse_masses,
                                  PositionObstacles* obstacles) const {
    PLUSH_ASSERT(inverse_masses.size() == x.size());
    for (int turn = 0; turn < iterations_; ++turn) {
        for (const Pair& c : pairs_) {
            PLUSH_ASSERT(c.i < x.size() && c.j < x.size());
            const double wi = inverse_masses[c.i], wj = inverse_masses[c.j];
            const Vec3 d = x[c.j] - x[c.i];
            const double length = norm(d), excess = length - c.length;
            if (!(wi + wj > 0) || (!c.exact && excess <= 0)) continue;
            // Points in one place are parted along an axis of no meaning.
            const Vec3 shift = (excess / (wi + wj)) * (length > 0 ? d / length : Vec3{0, 1, 0});
            x[c.i] += wi * shift;
            x[c.j] -= wj * shift;
        }
        for (const Obstacle& o : obstacles_)
            for (std::size_t i = 0; i < x.size(); ++i) {
                if (inverse_masses[i] == 0 || !(o.distance->value(x[i]) < o.radius)) continue;
                const DistanceSample s = o.distance->sample(x[i]);
                x[i] += (o.radius - s.value) * normalised(s.gradient);
            }
        if (obstacles) obstacles->project(x);
        if (pairs_.empty()) return;  // obstacles alone need no second turn
    }
}

double PositionConstraints::error(std::span<const Vec3> x) const {
    double worst = 0;
    for (const Pair& c : pairs_) {
        const double excess = norm(x[c.j] - x[c.i]) - c.length;
        worst = std::max(worst, c.exact ? std::abs(excess) : excess);
    }
    for (const Obstacle& o : obstacles_)
        for (const Vec3& p : x) worst = std::max(worst, o.radius - o.distance->value(p));
    return worst;
}

}  // namespace plush
