#include "geometry/repair/degenerate.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/repair/self_intersection.hpp"

// A triangle without area is one of three things:
//
//     a repeated vertex     it bounds nothing: drop it;
//     two equal positions   an edge of zero length: make its ends one vertex, and it has a repeated vertex;
//     a cap                 b lies on the side ac, whose other triangle is acd: turn the edge
//                               d                    d
//                             /   \                / | \         abd and bcd instead of acd and abc;
//                           a --b-- c            a --b-- c       where ac is a border, drop abc.
//
// Simply dropping the last two kinds would open a slit.

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

int branching_edges(std::size_t vertex_count, std::span<const Triangle> triangles) {
    const EdgeTable edges(vertex_count, triangles);
    int count = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) count += edges[e].size() > 2;
    return count;
}

int drop_repeated(std::vector<Triangle>& triangles) {
    return static_cast<int>(std::erase_if(triangles, has_repeated_vertex));
}

// Tried on a copy: where making ends one would let the surface branch, nothing is done.
int collapse_zero_edges(std::span<const Vec3> positions, std::vector<Triangle>& triangles) {
    DisjointSets same(positions.size());
    int merged = 0;
    for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const int a = t[k], b = t[(k + 1) % 3];
            if (a == b || positions[at(a)] != positions[at(b)] || same.root(a) == same.root(b)) continue;
            same.merge(a, b);
            ++merged;
        }
    if (merged == 0) return 0;
    std::vector<Triangle> trial = triangles;
    for (Triangle& t : trial)
        for (int& v : t) v = same.root(v);
    if (branching_edges(positions.size(), trial) > branching_edges(positions.size(), triangles)) return 0;
    triangles = std::move(trial);
    return merged;
}

// The corner that lies between the other two, of three different points on a line.
std::optional<std::size_t> middle_corner(std::span<const Vec3> positions, const Triangle& t) {
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &b = positions[at(t[k])], &a = positions[at(t[(k + 1) % 3])],
                   &c = positions[at(t[(k + 2) % 3])];
        const Vec3 low = min(a, c), high = max(a, c);
        if (a != b && b != c && a != c && Box3{low, high}.contains(b)) return k;
    }
    return {};
}

struct CapPass {
    int dropped = 0, flipped = 0;
};

// Each triangle takes part in one change a pass, since the edge table is that of the pass's start.
CapPass treat_caps(std::span<const Vec3> positions, std::vector<Triangle>& triangles) {
    const std::vector<char> degenerate = degenerate_triangles(positions, triangles);
    const EdgeTable edges(positions.size(), triangles);
    std::vector<char> busy(triangles.size(), 0), drop(triangles.size(), 0);
    std::vector<std::pair<int, int>> made;  // edges of this pass: two flips must not make the same one
    CapPass result;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        if (degenerate[t] == 0 || busy[t] != 0) continue;
        const auto middle = middle_corner(positions, triangles[t]);
        if (!middle) continue;
        const int b = triangles[t][*middle];
        const auto uses = edges.find(triangles[t][(*middle + 1) % 3], triangles[t][(*middle + 2) % 3]);
        if (uses.size() == 1) {
            busy[t] = drop[t] = 1;
            ++result.dropped;
        }
        if (uses.size() != 2) continue;
        const EdgeUse& use = at(uses[0].triangle) == t ? uses[1] : uses[0];
        const auto other = at(use.triangle), corner = at(use.corner);
        if (busy[other] != 0) continue;
        const int x = triangles[other][corner], y = triangles[other][(corner + 1) % 3],
                  d = triangles[other][(corner + 2) % 3];
        const std::pair<int, int> turned = std::minmax(b, d);
        if (b == d || !edges.find(b, d).empty() || std::find(made.begin(), made.end(), turned) != made.end())
            continue;
        triangles[other] = {x, b, d};
        triangles[t] = {b, y, d};
        busy[t] = busy[other] = 1;
        made.push_back(turned);
        ++result.flipped;
    }
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        if (drop[t] == 0) triangles[kept++] = triangles[t];
    triangles.resize(kept);
    return result;
}

int count_degenerate(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    const std::vector<char> degenerate = degenerate_triangles(positions, triangles);
    return static_cast<int>(std::count(degenerate.begin(), degenerate.end(), 1));
}

}  // namespace

Degenerates remove_degenerates(std::span<const Vec3> real_positions, std::vector<Triangle>& triangles) {
    const std::vector<Vec3> positions = in_predicate_range(real_positions);
    Degenerates result;
    result.dropped = drop_repeated(triangles);
    result.left = count_degenerate(positions, triangles);
    // Rows of caps need a pass each; a flip that only moves the flatness elsewhere ends the search.
    constexpr int max_passes = 64;
    for (int pass = 0; pass < max_passes && result.left > 0; ++pass) {
        std::vector<Triangle> trial = triangles;
        const int collapsed = collapse_zero_edges(positions, trial);
        const int dropped = drop_repeated(trial);
        const CapPass caps = treat_caps(positions, trial);
        const int left = count_degenerate(positions, trial);
        if (left >= result.left) break;
        triangles = std::move(trial);
        result.collapsed += collapsed;
        result.dropped += dropped + caps.dropped;
        result.flipped += caps.flipped;
        result.left = left;
    }
    return result;
}

int remove_duplicates(std::size_t vertex_count, std::vector<Triangle>& triangles) {
    std::vector<std::pair<Triangle, std::size_t>> sorted;
    sorted.reserve(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        Triangle key = triangles[t];
        std::sort(key.begin(), key.end());
        sorted.emplace_back(key, t);
    }
    std::sort(sorted.begin(), sorted.end());
    const EdgeTable edges(vertex_count, triangles);
    const auto good = [](std::size_t uses) { return uses == 0 || uses == 2; };
    std::vector<char> drop(triangles.size(), 0);
    for (std::size_t i = 0, end = 0; i < sorted.size(); i = end) {
        while (end < sorted.size() && sorted[end].first == sorted[i].first) ++end;
        if (end - i < 2) continue;
        int better_with = 0;  // edges that are fine with one triangle of the group, less those fine without
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t others =
                edges.find(sorted[i].first[k], sorted[i].first[(k + 1) % 3]).size() - (end - i);
            better_with += good(others + 1) - good(others);
        }
        for (std::size_t j = better_with >= 0 ? i + 1 : i; j < end; ++j) drop[sorted[j].second] = 1;
    }
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t)
        if (drop[t] == 0) triangles[kept++] = triangles[t];
    const int removed = static_cast<int>(triangles.size() - kept);
    triangles.resize(kept);
    return removed;
}

}  // namespace plush
