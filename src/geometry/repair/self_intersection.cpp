#include "geometry/repair/self_intersection.hpp"

#include <algorithm>
#include <cstdint>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh/triangle_intersection.hpp"

namespace plush {

std::vector<char> degenerate_triangles(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    std::vector<char> result;
    result.reserve(triangles.size());
    for (const Triangle& t : triangles) {
        const auto at = [&](std::size_t k) { return positions[static_cast<std::size_t>(t[k])]; };
        result.push_back(has_repeated_vertex(t) || collinear(at(0), at(1), at(2)) ? 1 : 0);
    }
    return result;
}

bool for_each_self_intersection(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                std::span<const char> degenerate, const Bvh& bvh,
                                FunctionRef<void(int, int)> visit) {
    // A scanned surface has 6 or 7 box pairs a triangle, nearly all of them neighbours.
    constexpr std::int64_t pairs_per_triangle = 1000, pairs_at_least = 1'000'000;
    // Never more than an int can count.
    const std::int64_t most = std::min<std::int64_t>(
        2'000'000'000, pairs_at_least + pairs_per_triangle * static_cast<std::int64_t>(triangles.size()));
    std::int64_t seen = 0;
    return bvh.self_overlaps_while([&](int i, int j) {
        const auto s = static_cast<std::size_t>(i), t = static_cast<std::size_t>(j);
        if (degenerate[s] == 0 && degenerate[t] == 0 &&
            triangles_intersect(positions, triangles[s], triangles[t]))
            visit(i, j);
        return ++seen < most;
    });
}

}  // namespace plush
