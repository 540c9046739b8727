#include "geometry/repair/hole_filling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh/triangle_intersection.hpp"

// A rim of n vertices is triangulated by dynamic programming (Klincsek 1980; Barequet & Sharir 1995 for holes
// in space): the best filling of the rim from i to j is
//
//     W(i, j) = min over i < k < j of  W(i, k) + W(k, j) + w(i, k, j).
//
// The weight of a triangle of area A and perimeter P is A plus a tenth of what an equilateral triangle of
// this perimeter has more, (√3/36) P² − A ≥ 0: small area first, and where the hole is flat and every filling
// has the same area, good angles. Triangles without area and sides that the mesh already has are taken only
// where there is nothing else; the latter means that the hole stays open.

namespace plush {
namespace {

using Rim = std::vector<int>;

// The sides of holes, from each vertex of a rim to the next: the reverse of the triangle's own direction.
struct RimEdge {
    int from, to;
    bool operator<(const RimEdge& e) const { return from != e.from ? from < e.from : to < e.to; }
};

std::vector<RimEdge> rim_edges(const EdgeTable& edges) {
    std::vector<RimEdge> result;
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (edges[e].size() != 1) continue;
        const EdgeUse& use = edges[e].front();
        result.push_back(use.forward ? RimEdge{use.b, use.a} : RimEdge{use.a, use.b});
    }
    std::sort(result.begin(), result.end());
    return result;
}

// Walks along the rims and cuts off a cycle whenever a vertex comes again, so that each rim passes each of
// its vertices once even where holes touch in a vertex. Chains that do not close (triangles that face
// opposite ways) are dropped.
std::vector<Rim> find_rims(std::size_t vertex_count, const std::vector<RimEdge>& edges) {
    std::vector<Rim> rims;
    std::vector<int> on_path(vertex_count, -1);
    std::vector<std::size_t> next(edges.size());  // of each vertex's first edge: the one to take next
    std::iota(next.begin(), next.end(), std::size_t{0});
    const auto leave = [&](int v) -> std::optional<int> {
        const auto first = static_cast<std::size_t>(
            std::lower_bound(edges.begin(), edges.end(), RimEdge{v, std::numeric_limits<int>::min()}) -
            edges.begin());
        if (first == edges.size() || next[first] == edges.size() || edges[next[first]].from != v) return {};
        return edges[next[first]++].to;
    };
    Rim path;
    for (const RimEdge& start : edges) {
        path.assign(1, start.from);
        on_path[static_cast<std::size_t>(start.from)] = 0;
        while (!path.empty()) {
            const std::optional<int> to = leave(path.back());
            if (!to) {
                on_path[static_cast<std::size_t>(path.back())] = -1;
                path.pop_back();
                continue;
            }
            if (const int seen = on_path[static_cast<std::size_t>(*to)]; seen >= 0) {
                rims.emplace_back(path.begin() + seen, path.end());
                while (path.back() != *to)
                    on_path[static_cast<std::size_t>(path.back())] = -1, path.pop_back();
            } else {
                on_path[static_cast<std::size_t>(*to)] = static_cast<int>(path.size());
                path.push_back(*to);
            }
        }
    }
    return rims;
}

struct Weight {
    int forbidden = 0;  // sides that exist already
    int bad = 0;        // triangles without area, or that cut the surface
    double size = 0;

    Weight operator+(const Weight& w) const { return {forbidden + w.forbidden, bad + w.bad, size + w.size}; }
    bool operator<(const Weight& w) const {
        if (forbidden != w.forbidden) return forbidden < w.forbidden;
        return bad != w.bad ? bad < w.bad : size < w.size;
    }
};

class Filling {
public:
    Filling(std::span<const Vec3> positions, const Rim& rim)
        : positions_(positions), rim_(rim), n_(rim.size()) {}

    /// Takes this triangle, as solve() gave it, only where there is nothing else.
    void avoid(const Triangle& t) { avoided_.insert(t); }

    /// The triangles, or nothing where a side that exists(a, b) cannot be avoided.
    template <class Exists>
    std::optional<std::vector<Triangle>> solve(Exists&& exists) {
        best_.assign(n_ * n_, {});
        middle_.assign(n_ * n_, 0);
        for (std::size_t length = 2; length < n_; ++length)
            for (std::size_t i = 0; i + length < n_; ++i) {
                const std::size_t j = i + length;
                Weight least{std::numeric_limits<int>::max(), 0, 0};
                for (std::size_t k = i + 1; k < j; ++k) {
                    const Weight w = best_[i * n_ + k] + best_[k * n_ + j] + weight(i, k, j);
                    if (w < least) least = w, middle_[i * n_ + j] = k;
                }
                // (0, n−1) is an edge of the rim itself.
                if (length < n_ - 1 && exists(rim_[i], rim_[j])) ++least.forbidden;
                best_[i * n_ + j] = least;
            }
        if (best_[n_ - 1].forbidden > 0) return {};
        std::vector<Triangle> result;
        collect(0, n_ - 1, result);
        return result;
    }

private:
    const Vec3& at(std::size_t i) const { return positions_[static_cast<std::size_t>(rim_[i])]; }

    Weight weight(std::size_t i, std::size_t k, std::size_t j) const {
        const Vec3 &a = at(i), &b = at(k), &c = at(j);
        const double area = norm(cross(b - a, c - a)) / 2;
        const double perimeter = norm(b - a) + norm(c - b) + norm(a - c);
        constexpr double equilateral = 0.048112522432468816;  // √3/36
        constexpr double shape = 0.1;                         // the tenth
        const double size = (1 - shape) * area + shape * equilateral * perimeter * perimeter;
        const bool avoid = !avoided_.empty() && avoided_.contains({rim_[i], rim_[k], rim_[j]});
        return {0, avoid || collinear(a, b, c) ? 1 : 0, size};
    }

    void collect(std::size_t i, std::size_t j, std::vector<Triangle>& result) const {
        if (j < i + 2) return;
        const std::size_t k = middle_[i * n_ + j];
        collect(i, k, result);
        result.push_back({rim_[i], rim_[k], rim_[j]});
        collect(k, j, result);
    }

    std::span<const Vec3> positions_;
    const Rim& rim_;
    std::size_t n_;
    std::vector<Weight> best_{};
    std::vector<std::size_t> middle_{};
    std::set<Triangle> avoided_{};
};

// The triangles of a filling that cut the surface.
std::vector<Triangle> cutting(std::span<const Vec3> positions, std::span<const Triangle> surface,
                              const Bvh& bvh, std::span<const Triangle> filling) {
    std::vector<Triangle> result;
    for (const Triangle& t : filling) {
        Box3 box;
        for (const int v : t) box.add(positions[static_cast<std::size_t>(v)]);
        bool cuts = false;
        bvh.overlaps(box, [&](int s) {
            cuts = cuts || triangles_intersect(positions, t, surface[static_cast<std::size_t>(s)]);
        });
        if (cuts) result.push_back(t);
    }
    return result;
}

}  // namespace

std::vector<int> hole_sizes(std::size_t vertices, std::span<const Triangle> triangles) {
    std::vector<int> sizes;
    for (const Rim& rim : find_rims(vertices, rim_edges(EdgeTable(vertices, triangles))))
        sizes.push_back(static_cast<int>(rim.size()));
    std::sort(sizes.rbegin(), sizes.rend());
    return sizes;
}

FilledHoles fill_holes(std::span<const Vec3> real_positions, std::vector<Triangle>& triangles, int largest) {
    const std::vector<Vec3> positions = in_predicate_range(real_positions);
    const EdgeTable edges(positions.size(), triangles);
    const std::vector<Rim> rims = find_rims(positions.size(), rim_edges(edges));
    std::set<std::pair<int, int>> added;  // sides that fillings made
    const auto exists = [&](int a, int b) {
        return !edges.find(a, b).empty() || added.contains(std::minmax(a, b));
    };
    // A lone triangle has a rim of three edges too; its back would be the same triangle again.
    const auto is_triangle = [&](const Rim& rim) {
        const auto uses = edges.find(rim[0], rim[1]);
        return rim.size() == 3 && std::any_of(uses.begin(), uses.end(), [&](const EdgeUse& use) {
                   return triangles[static_cast<std::size_t>(use.triangle)]
                                   [static_cast<std::size_t>((use.corner + 2) % 3)] == rim[2];
               });
    };
    // Without the triangles of no area: the rule for intersections does not hold for them.
    std::vector<Triangle> surface = triangles;
    std::erase_if(surface, [&](const Triangle& t) {
        return collinear(positions[static_cast<std::size_t>(t[0])], positions[static_cast<std::size_t>(t[1])],
                         positions[static_cast<std::size_t>(t[2])]);
    });
    const Bvh bvh(positions, rims.empty() ? std::span<const Triangle>() : surface);
    const auto fill = [&](const Rim& rim) {
        Filling filling(positions, rim);
        std::optional<std::vector<Triangle>> best = filling.solve(exists);
        if (!best) return best;
        std::vector<Triangle> cuts = cutting(positions, surface, bvh, *best);
        std::size_t fewest = cuts.size();
        const int rounds = rim.size() <= 128 ? 16 : 2;  // a round is cubic in the rim
        for (int round = 0; round < rounds && !cuts.empty(); ++round) {
            for (const Triangle& t : cuts) filling.avoid(t);
            const auto again = filling.solve(exists);
            if (!again) break;
            cuts = cutting(positions, surface, bvh, *again);
            if (cuts.size() < fewest) fewest = cuts.size(), best = again;
        }
        return best;
    };
    FilledHoles result;
    const auto limit = static_cast<std::size_t>(std::clamp(largest, 0, largest_hole_ever));
    for (const Rim& rim : rims) {
        std::optional<std::vector<Triangle>> filling;
        if (rim.size() >= 3 && rim.size() <= limit && !is_triangle(rim)) filling = fill(rim);
        if (!filling) {
            ++result.left;
            result.largest_left = std::max(result.largest_left, static_cast<int>(rim.size()));
            continue;
        }
        ++result.holes;
        result.triangles += static_cast<int>(filling->size());
        for (const auto& [a, b, c] : *filling)
            added.insert(std::minmax(a, b)), added.insert(std::minmax(b, c)), added.insert(std::minmax(c, a));
        triangles.insert(triangles.end(), filling->begin(), filling->end());
    }
    return result;
}

}  // namespace plush
