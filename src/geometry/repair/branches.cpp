#include "geometry/repair/branches.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/transcendental.hpp"
#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

using Pairs = std::vector<std::pair<EdgeUse, EdgeUse>>;

const Vec3& at(const std::vector<Vec3>& positions, int vertex) {
    return positions[static_cast<std::size_t>(vertex)];
}

/// The sides of an edge two by two, with material between each pair; nothing where they do not alternate.
std::optional<Pairs> pairs_of(std::span<const EdgeUse> uses, const std::vector<Vec3>& positions,
                              const std::vector<Triangle>& triangles) {
    if (uses.size() % 2 != 0) return std::nullopt;
    const Vec3 a = at(positions, uses[0].a), axis = normalised(at(positions, uses[0].b) - a, {});
    if (norm(axis) == 0) return std::nullopt;
    const Vec3 across = perpendicular(axis), along = cross(axis, across);
    std::vector<double> angles;
    for (const EdgeUse& use : uses) {
        const Triangle& t = triangles[static_cast<std::size_t>(use.triangle)];
        const Vec3 d = at(positions, t[static_cast<std::size_t>((use.corner + 2) % 3)]) - a;
        angles.push_back(pinned::atan2(dot(d, along), dot(d, across)));
    }
    std::vector<std::size_t> order(uses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return angles[i] < angles[j]; });
    // Begin with a side that runs backward.
    const std::size_t first = uses[order[0]].forward ? 1 : 0;
    Pairs pairs;
    for (std::size_t i = 0; i < uses.size(); i += 2) {
        const EdgeUse& back = uses[order[(first + i) % uses.size()]];
        const EdgeUse& forth = uses[order[(first + i + 1) % uses.size()]];
        if (back.forward || !forth.forward) return std::nullopt;
        pairs.emplace_back(back, forth);
    }
    return pairs;
}

/// The corner of a side's triangle at a vertex.
int corner_at(const EdgeUse& use, int vertex, const std::vector<Triangle>& triangles) {
    const Triangle& t = triangles[static_cast<std::size_t>(use.triangle)];
    return 3 * use.triangle + static_cast<int>(std::find(t.begin(), t.end(), vertex) - t.begin());
}

}  // namespace

SplitBranches split_branches(std::vector<Vec3>& positions, std::vector<Triangle>& triangles) {
    SplitBranches result;
    const EdgeTable edges(positions.size(), triangles);
    std::vector<char> branches(positions.size(), 0);  // vertices whose fans are told apart
    DisjointSets corners(3 * triangles.size());
    const auto join = [&](const EdgeUse& a, const EdgeUse& b) {
        for (const int v : {a.a, a.b}) corners.merge(corner_at(a, v, triangles), corner_at(b, v, triangles));
    };
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto uses = edges[e];
        if (uses.size() <= 2) {
            if (uses.size() == 2) join(uses[0], uses[1]);
            continue;
        }
        const auto pairs = pairs_of(uses, positions, triangles);
        if (!pairs) {
            ++result.left;
            for (std::size_t i = 1; i < uses.size(); ++i) join(uses[0], uses[i]);
            continue;
        }
        ++result.edges;
        for (const auto& [a, b] : *pairs) join(a, b);
        branches[static_cast<std::size_t>(uses[0].a)] = branches[static_cast<std::size_t>(uses[0].b)] = 1;
    }
    if (result.edges == 0) return result;
    std::vector<std::vector<std::pair<int, int>>> fans(
        positions.size());  // of a vertex: a fan's root, its vertex
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t c = 0; c < 3; ++c) {
            const auto v = static_cast<std::size_t>(triangles[t][c]);
            if (branches[v] == 0) continue;
            const int root = corners.root(static_cast<int>(3 * t + c));
            auto found =
                std::find_if(fans[v].begin(), fans[v].end(), [&](const auto& f) { return f.first == root; });
            if (found == fans[v].end()) {
                int own = static_cast<int>(v);  // the first fan keeps the vertex
                if (!fans[v].empty()) {
                    own = static_cast<int>(positions.size());
                    positions.push_back(Vec3(positions[v]));
                    ++result.vertices;
                }
                found = fans[v].insert(fans[v].end(), {root, own});
            }
            triangles[t][c] = found->second;
        }
    return result;
}

}  // namespace plush
