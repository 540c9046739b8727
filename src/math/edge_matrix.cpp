#include "math/edge_matrix.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

void EdgeMatrix::build(std::size_t vertices, std::span<const std::uint32_t> ends) {
    struct End {
        std::uint32_t vertex, other, edge;
    };
    std::vector<End> all;
    all.reserve(ends.size());
    for (std::uint32_t c = 0; c < ends.size(); ++c) {
        PLUSH_ASSERT(ends[c] < vertices);
        all.push_back({ends[c], ends[c ^ 1u], c / 2});
    }
    // By vertex, and along memory within one.
    std::sort(all.begin(), all.end(), [](const End& a, const End& b) {
        if (a.vertex != b.vertex) return a.vertex < b.vertex;
        return a.other != b.other ? a.other < b.other : a.edge < b.edge;
    });
    first_.assign(1, 0), others_.clear(), edges_.clear();
    auto end = all.begin();
    for (std::uint32_t i = 0; i < vertices; ++i) {
        for (; end != all.end() && end->vertex == i; ++end)
            others_.push_back(end->other), edges_.push_back(end->edge);
        while (others_.size() % width != 0) others_.push_back(i), edges_.push_back(none);
        first_.push_back(static_cast<std::uint32_t>(others_.size() / width));
    }
    groups_.assign(first_.back(), Group{});
}

Mat3 EdgeMatrix::diagonal(std::size_t i) const {
    Lanes s{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
    for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
        const Group& g = groups_[k];
        s += g.s;
        xx += g.x * g.x, yy += g.y * g.y, zz += g.z * g.z;
        xy += g.x * g.y, xz += g.x * g.z, yz += g.y * g.z;
    }
    const double all = sum(s), a = sum(xy), b = sum(xz), c = sum(yz);
    return {{Vec3{sum(xx) + all, a, b}, Vec3{a, sum(yy) + all, c}, Vec3{b, c, sum(zz) + all}}};
}

double EdgeMatrix::multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                                 std::size_t end) const {
    double along = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const Vec3 xi = x[i];
        Lanes ax{}, ay{}, az{};
        for (std::size_t k = first_[i]; k < first_[i + 1]; ++k) {
            const Group& g = groups_[k];
            Lanes dx, dy, dz;
            differences(xi, x, others(k), dx, dy, dz);
            const Lanes t = g.x * dx + g.y * dy + g.z * dz;
            ax += g.s * dx + t * g.x;
            ay += g.s * dy + t * g.y;
            az += g.s * dz + t * g.z;
        }
        const Vec3 added{sum(ax), sum(ay), sum(az)};
        y[i] += added;
        along += dot(xi, added);
    }
    return along;
}

}  // namespace plush
