#include "bodies/elements/clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bodies/elements/incidence.hpp"
#include "core/assert.hpp"

namespace plush {
namespace {

ClusterList one_of_all(std::size_t count) {
    ClusterList list(1);
    list[0].resize(count);
    std::iota(list[0].begin(), list[0].end(), 0u);
    return list;
}

/// Neighbours of each vertex, along edges.
class Neighbours {
public:
    Neighbours(std::size_t count, std::span<const VertexPair> edges) : edges_(edges) {
        std::vector<std::uint32_t> ends;
        ends.reserve(2 * edges.size());
        for (const VertexPair& e : edges) ends.insert(ends.end(), {e[0], e[1]});
        incidence_.build(count, ends);
    }
    template <class F>
    void each(std::uint32_t vertex, F&& f) const {
        for (const std::uint32_t corner : incidence_.corners(vertex)) f(edges_[corner / 2][1 - corner % 2]);
    }

private:
    std::span<const VertexPair> edges_;
    Incidence incidence_;
};

/// Points in cells of a regular grid, sorted by cell and then by number.
class PointGrid {
public:
    PointGrid(std::span<const Vec3> points, double cell) : points_(points), cell_(cell) {
        PLUSH_ASSERT(cell > 0);
        for (std::uint32_t i = 0; i < points.size(); ++i) entries_.push_back({key(points[i]), i});
        std::sort(entries_.begin(), entries_.end());
    }
    /// f(i) for every point within a cell's width of p, in no useful order but always in the same one.
    template <class F>
    void near(const Vec3& p, F&& f) const {
        const Key k = key(p);
        for (double x = k[0] - 1; x <= k[0] + 1; ++x)
            for (double y = k[1] - 1; y <= k[1] + 1; ++y)
                for (double z = k[2] - 1; z <= k[2] + 1; ++z) {
                    const Key at{x, y, z};
                    auto e = std::lower_bound(entries_.begin(), entries_.end(), Entry{at, 0});
                    for (; e != entries_.end() && e->first == at; ++e)
                        if (norm2(points_[e->second] - p) <= cell_ * cell_) f(e->second);
                }
    }

private:
    using Key = std::array<double, 3>;  // whole numbers; doubles, since a tiny cell would overflow integers
    using Entry = std::pair<Key, std::uint32_t>;
    Key key(const Vec3& p) const {
        return {std::floor(p.x / cell_), std::floor(p.y / cell_), std::floor(p.z / cell_)};
    }
    std::span<const Vec3> points_;
    double cell_;
    std::vector<Entry> entries_;
};

bool in_one_ball(std::span<const Vec3> x, double radius) {
    Box3 box;
    for (const Vec3& p : x) box.add(p);
    return norm(box.size()) <= radius;  // any centre's ball holds all
}

/// Above this a mistake is likelier than a wish: a gigabyte of clusters.
constexpr std::size_t max_members = 20'000'000;

/// gather(centre) lists what is in the ball around a vertex.
template <class Gather>
Result<ClusterList> cover(std::span<const Vec3> x, const ClusterSettings& settings, Gather&& gather) {
    const double reach = (1 - settings.overlap) * 0.5 * settings.size;
    std::vector<std::uint8_t> covered(x.size(), 0);
    ClusterList list;
    std::size_t members = 0;
    for (std::uint32_t i = 0; i < x.size(); ++i) {
        if (covered[i]) continue;
        list.push_back(gather(i));
        PLUSH_ASSERT(!list.back().empty());
        members += list.back().size();
        if (members > max_members)
            return Error({.place = "cluster_size",
                          .problem = fmt::format("clusters hold more than {} vertices in all", max_members),
                          .cure = "take smaller clusters, or less overlap"});
        covered[i] = 1;
        for (const std::uint32_t j : list.back())
            if (norm2(x[j] - x[i]) <= reach * reach) covered[j] = 1;
        std::sort(list.back().begin(), list.back().end());
    }
    return list;
}

bool holds(const std::vector<std::uint32_t>& cluster, std::uint32_t vertex) {
    return std::binary_search(cluster.begin(), cluster.end(), vertex);
}

void insert(std::vector<std::uint32_t>& cluster, std::uint32_t vertex) {
    const auto at = std::lower_bound(cluster.begin(), cluster.end(), vertex);
    if (at == cluster.end() || *at != vertex) cluster.insert(at, vertex);
}

std::vector<std::vector<std::uint32_t>> clusters_at(std::size_t vertices, const ClusterList& list) {
    std::vector<std::vector<std::uint32_t>> at(vertices);
    for (std::uint32_t c = 0; c < list.size(); ++c)
        for (const std::uint32_t v : list[c]) at[v].push_back(c);
    return at;
}

/// The parts that share no vertex: the number of its part for every vertex.
std::vector<std::uint32_t> parts_of(std::size_t vertices, const ClusterList& list) {
    std::vector<std::uint32_t> parent(vertices);
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (const auto& cluster : list)
        for (const std::uint32_t v : cluster) {
            const std::uint32_t a = root(cluster.front()), b = root(v);
            parent[std::max(a, b)] = std::min(a, b);
        }
    for (std::uint32_t i = 0; i < vertices; ++i) parent[i] = root(i);
    return parent;
}

}  // namespace

Result<ClusterList> clusters_of_mesh(std::span<const Vec3> x, std::span<const VertexPair> edges,
                                     const ClusterSettings& settings) {
    const double radius = 0.5 * settings.size;
    if (!(radius > 0) || in_one_ball(x, radius)) return one_of_all(x.size());
    const Neighbours neighbours(x.size(), edges);
    std::vector<std::uint32_t> seen(x.size(), 0);
    std::uint32_t turn = 0;
    auto made = cover(x, settings, [&](std::uint32_t centre) {
        std::vector<std::uint32_t> reached{centre};
        seen[centre] = ++turn;
        for (std::size_t k = 0; k < reached.size(); ++k)
            neighbours.each(reached[k], [&](std::uint32_t j) {
                if (seen[j] == turn || norm2(x[j] - x[centre]) > radius * radius) return;
                seen[j] = turn;
                reached.push_back(j);
            });
        return reached;
    });
    if (!made) return made.error();
    ClusterList list = std::move(made).value();
    auto at = clusters_at(x.size(), list);
    for (const auto& [a, b] : edges) {
        const auto shared = [&, b = b](std::uint32_t c) { return holds(list[c], b); };
        if (std::any_of(at[a].begin(), at[a].end(), shared)) continue;
        PLUSH_ASSERT(!at[a].empty());
        insert(list[at[a].front()], b);
        at[b].push_back(at[a].front());
    }
    return list;
}

Result<ClusterList> clusters_of_points(std::span<const Vec3> x, const ClusterSettings& settings) {
    const double radius = 0.5 * settings.size;
    if (!(radius > 0) || in_one_ball(x, radius)) return one_of_all(x.size());
    const PointGrid grid(x, radius);
    auto made = cover(x, settings, [&](std::uint32_t centre) {
        std::vector<std::uint32_t> reached;
        grid.near(x[centre], [&](std::uint32_t j) { reached.push_back(j); });
        return reached;
    });
    if (!made) return made.error();
    const auto part = parts_of(x.size(), made.value());
    for (std::size_t i = 0; i < part.size(); ++i)
        if (part[i] != 0)
            return Error({.place = "cluster_size",
                          .problem = fmt::format("points {} and 0 are in parts that no cluster joins", i),
                          .cure = "take larger clusters, or 0 for a single one"});
    return made;
}

}  // namespace plush
