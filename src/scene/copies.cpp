#include "scene/copies.hpp"

#include "plush/core/random.hpp"

namespace plush {
namespace {

/// Uniform over all rotations: a point of the unit ball in four dimensions, pushed out to the sphere
/// (Marsaglia 1972, by rejection). No transcendental function, so the same on every machine.
Quat random_rotation(Random& random) {
    for (;;) {
        const double w = random.uniform(-1, 1), x = random.uniform(-1, 1);
        const double y = random.uniform(-1, 1), z = random.uniform(-1, 1);
        const double n2 = w * w + x * x + y * y + z * z;
        if (n2 <= 1 && n2 > 1e-6) return normalised(Quat{w, x, y, z});  // tiny ones would round badly
    }
}

/// Of copy i, from the body's `at`. Grids fill x first, then z, then y: layer by layer.
Vec3 offset(const RepeatSpec& repeat, long long i) {
    if (!repeat.grid) return repeat.step * static_cast<double>(i);
    const auto [nx, ny, nz] = *repeat.grid;
    const double x = static_cast<double>(i % nx) - 0.5 * (nx - 1);
    const double z = static_cast<double>(i / nx % nz) - 0.5 * (nz - 1);
    const double y = static_cast<double>(i / nx / nz);
    return times({x, y, z}, repeat.spacing);
}

}  // namespace

std::vector<Transform> place_copies(const BodySpec& body) {
    const Transform first{body.at, body.rotate.rotation()};
    if (!body.repeat) return {first};
    const RepeatSpec& repeat = *body.repeat;
    Random random(static_cast<std::uint64_t>(repeat.seed));
    std::vector<Transform> copies;
    for (long long i = 0; i < repeat.copies(); ++i) {
        Transform copy{body.at + offset(repeat, i), first.rotation};
        if (repeat.rotate.degrees != 0)
            copy.rotation =
                from_axis_angle(repeat.rotate.axis, repeat.rotate.degrees * static_cast<double>(i)) *
                copy.rotation;
        if (repeat.orientation == Orientation::random) copy.rotation = random_rotation(random);
        for (std::size_t k = 0; k < 3 && repeat.jitter > 0; ++k)
            copy.position[k] += random.uniform(-repeat.jitter, repeat.jitter);
        copies.push_back(copy);
    }
    return copies;
}

std::vector<Vec3> particle_positions(const ParticlesSpec& particles) {
    if (!particles.fill) return particles.body.positions;
    const FillSpec& fill = *particles.fill;
    Random random(static_cast<std::uint64_t>(fill.seed));
    std::vector<Vec3> positions(static_cast<std::size_t>(fill.count));
    for (Vec3& p : positions)
        for (std::size_t k = 0; k < 3; ++k) p[k] = random.uniform(fill.low[k], fill.high[k]);
    return positions;
}

}  // namespace plush
