#include "bodies/elements/pressure.hpp"

#include "core/assert.hpp"

namespace plush {

std::vector<Vec3> Pressure::points(std::span<const Vec3> x) const {
    if (!weights_) return {x.begin(), x.end()};
    std::vector<Vec3> p(weights_->size());
    weights_->apply(x, p);
    return p;
}

void Pressure::add_forces(std::span<const Vec3> x, std::span<const Vec3>, std::span<Vec3> f,
                          const Parallel&) {
    const std::vector<Vec3> p = points(x);
    std::vector<Vec3> carried(weights_ ? p.size() : 0);
    const std::span<Vec3> to = weights_ ? std::span<Vec3>(carried) : f;
    PLUSH_ASSERT(f.size() == x.size());
    for (const Triangle& t : triangles_) {
        const auto at = [&](std::size_t c) {
            PLUSH_ASSERT(t[c] >= 0 && static_cast<std::size_t>(t[c]) < p.size());
            return p[static_cast<std::size_t>(t[c])];
        };
        const Vec3 push = (pressure_ / 6) * cross(at(1) - at(0), at(2) - at(0));
        for (const int i : t) to[static_cast<std::size_t>(i)] += push;
    }
    if (weights_) weights_->add_transposed(carried, f);
}

double Pressure::energy(std::span<const Vec3> x) const {
    const std::vector<Vec3> p = points(x);
    double six_volumes = 0;
    for (const Triangle& t : triangles_) {
        const auto at = [&](std::size_t c) { return p[static_cast<std::size_t>(t[c])]; };
        six_volumes += dot(at(0), cross(at(1), at(2)));
    }
    return -pressure_ * six_volumes / 6;
}

}  // namespace plush
