#include "geometry/repair/orientation.hpp"

#include <algorithm>
#include <utility>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/repair/nesting.hpp"
#include "geometry/repair/self_intersection.hpp"

// Facing the same way spreads by flood fill over the edges of exactly two triangles: these two agree when
// they run along the edge in opposite directions. Edges of more triangles carry nothing over, since which two
// of them belong together is not for the flood to know.

namespace plush {
namespace {

void flip(Triangle& t) {
    std::swap(t[1], t[2]);
}

struct Neighbour {
    int triangle = -1;
    bool agrees = true;
};

using Neighbours = std::vector<std::array<Neighbour, 3>>;

Neighbours neighbours(std::size_t vertex_count, std::span<const Triangle> triangles) {
    const EdgeTable edges(vertex_count, triangles);
    Neighbours result(triangles.size());
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e].size() != 2) continue;
        const EdgeUse &s = edges[e][0], &t = edges[e][1];
        const bool agree = s.forward != t.forward;
        result[static_cast<std::size_t>(s.triangle)][static_cast<std::size_t>(s.corner)] = {t.triangle,
                                                                                            agree};
        result[static_cast<std::size_t>(t.triangle)][static_cast<std::size_t>(t.corner)] = {s.triangle,
                                                                                            agree};
    }
    return result;
}

}  // namespace

OrientedAlike orient_alike(std::size_t vertex_count, std::vector<Triangle>& triangles) {
    const Neighbours near = neighbours(vertex_count, triangles);
    std::vector<signed char> party(triangles.size(), 0);  // +1 as the first of its patch, −1 against it
    std::vector<int> patch;
    OrientedAlike result;
    int contradictions = 0;  // each is seen from both sides
    for (std::size_t seed = 0; seed < triangles.size(); ++seed) {
        if (party[seed] != 0) continue;
        party[seed] = 1;
        patch.assign(1, static_cast<int>(seed));
        int against = 0;
        for (std::size_t i = 0; i < patch.size(); ++i) {
            const auto t = static_cast<std::size_t>(patch[i]);
            against += party[t] < 0;
            for (const Neighbour& n : near[t]) {
                if (n.triangle < 0) continue;
                signed char& other = party[static_cast<std::size_t>(n.triangle)];
                const auto wanted = static_cast<signed char>(n.agrees ? party[t] : -party[t]);
                if (other == 0) other = wanted, patch.push_back(n.triangle);
                contradictions += other != wanted;
            }
        }
        const int loser = 2 * against > static_cast<int>(patch.size()) ? 1 : -1;
        for (const int t : patch)
            if (party[static_cast<std::size_t>(t)] == loser) {
                flip(triangles[static_cast<std::size_t>(t)]);
                ++result.flipped;
            }
    }
    result.contradictions = contradictions / 2;
    return result;
}

Turned turn_components(std::span<const Vec3> real_positions, std::vector<Triangle>& triangles) {
    const std::vector<Vec3> positions = in_predicate_range(real_positions);
    const EdgeTable edges(positions.size(), triangles);
    const Components components = connected_components(triangles, edges);
    std::vector<char> closed(components.first.size(), 1);
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (edges[e].size() != 2)
            closed[static_cast<std::size_t>(
                components.of_triangle[static_cast<std::size_t>(edges[e].front().triangle)])] = 0;
    std::vector<int> depth(components.first.size(), 0);
    if (components.count() > 1) {
        const Bvh bvh(positions, triangles);
        std::vector<std::pair<int, int>> cuts;
        for_each_self_intersection(positions, triangles, degenerate_triangles(positions, triangles), bvh,
                                   [&](int i, int j) {
                                       const int c = components.of_triangle[static_cast<std::size_t>(i)],
                                                 d = components.of_triangle[static_cast<std::size_t>(j)];
                                       if (c != d) cuts.push_back(std::minmax(c, d));
                                   });
        std::sort(cuts.begin(), cuts.end());
        depth = nesting_depths(positions, triangles, components, closed, cuts, bvh);
    }
    const std::vector<double> volumes = component_volumes(positions, triangles, components);
    std::vector<char> turn(components.first.size(), 0);
    Turned result;
    for (std::size_t c = 0; c < turn.size(); ++c) {
        const bool outer = depth[c] % 2 == 0;
        turn[c] = outer ? volumes[c] < 0 : volumes[c] > 0;
        if (turn[c] != 0) ++(outer ? result.outward : result.inward);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t)
        if (const int c = components.of_triangle[t]; c >= 0 && turn[static_cast<std::size_t>(c)] != 0)
            flip(triangles[t]);
    return result;
}

}  // namespace plush
