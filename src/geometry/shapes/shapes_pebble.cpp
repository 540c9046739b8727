#include <array>
#include <numbers>
#include <vector>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_build.hpp"
#include "geometry/shapes/generate_shapes.hpp"
#include "plush/core/random.hpp"

// A pebble: each vertex d of the unit sphere moves to s ∘ d · (1 + Σ a_k sin(w_k · d + φ_k)), a few smooth
// waves on an ellipsoid with half axes s. Seen from its centre every direction still holds exactly one point
// (the factor stays positive: Σ|a_k| < 1), so the surface cannot cross itself.

namespace plush::shapes {
namespace {

struct Wave {
    Vec3 w;  ///< its length is the number of radians across the radius: 1.5 to 4 make bumps, not spikes
    double phase, amplitude;
};

Vec3 random_direction(Random& random) {
    const double z = random.uniform(-1, 1), a = random.uniform(0, 2 * std::numbers::pi);
    const double r = std::sqrt(1 - z * z);
    return {r * pinned::cos(a), r * pinned::sin(a), z};
}

}  // namespace

Mesh pebble(int triangles, int seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const Vec3 axes{1, random.uniform(0.5, 0.7), random.uniform(0.7, 0.95)};
    std::array<Wave, 6> waves;
    for (Wave& wave : waves) {
        wave.w = random_direction(random) * random.uniform(1.5, 4);
        wave.phase = random.uniform(0, 2 * std::numbers::pi);
        wave.amplitude = random.uniform(0.02, 0.06);
    }
    const Mesh sphere = icosphere(1, triangles);
    std::vector<Vec3> positions(sphere.positions().begin(), sphere.positions().end());
    for (Vec3& p : positions) {
        double factor = 1;
        for (const Wave& wave : waves) factor += wave.amplitude * pinned::sin(dot(wave.w, p) + wave.phase);
        p = times(axes, p) * factor;
    }
    return Mesh(std::move(positions), {sphere.triangles().begin(), sphere.triangles().end()});
}

}  // namespace plush::shapes
