#include "detect/depth_images/surface_clusters.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/assert.hpp"
#include "geometry/mesh/topology.hpp"

// Vectors go in and out of functions of this file alone: no other file can disagree about the way.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace plush {
namespace {

/// Every third bit, for 21 bits.
std::uint64_t spread(std::uint64_t x) {
    x = (x | x << 32) & 0x001f00000000ffff;
    x = (x | x << 16) & 0x001f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

struct Coded {
    std::uint64_t code;
    std::uint32_t triangle;
    bool operator<(const Coded& b) const { return code != b.code ? code < b.code : triangle < b.triangle; }
};

std::vector<Coded> in_morton_order(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    const auto centre = [&](const Triangle& t) {
        return (positions[static_cast<std::size_t>(t[0])] + positions[static_cast<std::size_t>(t[1])] +
                positions[static_cast<std::size_t>(t[2])]) /
               3;
    };
    Box3 box;
    for (const Triangle& t : triangles) box.add(centre(t));
    const double longest = max_component(box.size());
    const double scale = longest > 0 ? 0x1fffff / longest : 0;
    std::vector<Coded> coded(triangles.size());
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        const Vec3 c = (centre(triangles[i]) - box.low) * scale;
        const auto bits = [](double x) { return spread(static_cast<std::uint64_t>(std::max(x, 0.0))); };
        coded[i] = {bits(c.x) | bits(c.y) << 1 | bits(c.z) << 2, static_cast<std::uint32_t>(i)};
    }
    std::sort(coded.begin(), coded.end());
    return coded;
}

/// The ends of pieces of at most 64, cut where the highest bit changes.
void cut(std::span<const Coded> all, std::size_t begin, std::size_t end, std::vector<std::size_t>& ends) {
    if (end - begin <= SurfaceClusters::max_triangles) {
        ends.push_back(end);
        return;
    }
    std::size_t middle = begin + (end - begin) / 2;
    const std::uint64_t difference = all[begin].code ^ all[end - 1].code;
    if (difference) {
        const std::uint64_t bit = std::bit_floor(difference);
        const auto upper = std::partition_point(all.begin() + static_cast<std::ptrdiff_t>(begin),
                                                all.begin() + static_cast<std::ptrdiff_t>(end),
                                                [&](const Coded& c) { return !(c.code & bit); });
        middle = static_cast<std::size_t>(upper - all.begin());
    }
    PLUSH_ASSERT(begin < middle && middle < end);
    cut(all, begin, middle, ends);
    cut(all, middle, end, ends);
}

/// A position in the first three lanes.
using Four [[gnu::vector_size(32)]] = double;
inline Four four(std::span<const Vec3> positions, std::uint32_t v) {
    PLUSH_ASSERT(v < positions.size());
    Four p;
    if (v + 1 < positions.size())
        std::memcpy(&p, positions.data() + v, sizeof p);  // the next one's x in the fourth
    else
        p = Four{positions[v].x, positions[v].y, positions[v].z, 0};
    return p;
}

}  // namespace

bool is_closed(std::size_t vertices, std::span<const Triangle> triangles) {
    const EdgeTable edges(vertices, triangles);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        int sum = 0;
        for (const EdgeUse& use : edges[e]) sum += use.forward ? 1 : -1;
        if (sum != 0) return false;
    }
    return true;
}

SurfaceClusters::SurfaceClusters(std::span<const Vec3> positions, std::span<const Triangle> triangles) {
    closed_ = is_closed(positions.size(), triangles);
    double edges = 0;
    for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            PLUSH_ASSERT(t[k] >= 0 && static_cast<std::size_t>(t[k]) < positions.size());
            edges += norm(positions[static_cast<std::size_t>(t[k])] -
                          positions[static_cast<std::size_t>(t[(k + 1) % 3])]);
        }
    if (!triangles.empty()) mean_edge_ = edges / (3 * static_cast<double>(triangles.size()));

    const std::vector<Coded> order = in_morton_order(positions, triangles);
    std::vector<std::size_t> ends;
    if (!order.empty()) cut(order, 0, order.size(), ends);
    corners_.resize(order.size());
    triangle_ids_.resize(order.size());
    cluster_of_.resize(order.size());
    std::vector<std::uint32_t> local(positions.size()), owner(positions.size(), ~std::uint32_t{0});
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const auto number = static_cast<std::uint32_t>(clusters_.size());
        Cluster cluster{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin),
                        static_cast<std::uint32_t>(vertices_.size()), 0};
        for (std::size_t t = begin; t < end; ++t) {
            triangle_ids_[t] = order[t].triangle;
            cluster_of_[t] = number;
            for (std::size_t k = 0; k < 3; ++k) {
                const auto v = static_cast<std::size_t>(triangles[order[t].triangle][k]);
                if (owner[v] != number) {
                    owner[v] = number;
                    local[v] = cluster.vertices++;
                    vertices_.push_back(static_cast<std::uint32_t>(v));
                }
                corners_[t][k] = static_cast<std::uint8_t>(local[v]);
            }
        }
        PLUSH_ASSERT(cluster.triangles > 0 && cluster.vertices <= 3 * max_triangles);
        clusters_.push_back(cluster);
        begin = end;
    }
}

void ClusterBounds::refit(const SurfaceClusters& surface, std::span<const Vec3> positions) {
    const auto clusters = surface.clusters();
    const auto vertices = surface.vertices();
    boxes.resize(clusters.size());
    ordered.clear(), points.clear(), oriented_boxes.clear(), cells.clear();
    // Vertices may lie anywhere in memory: they are asked for some time before they are needed.
    constexpr std::size_t ahead = 48;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const std::size_t begin = clusters[c].first_vertex, end = begin + clusters[c].vertices;
        PLUSH_ASSERT(begin < end && end <= vertices.size());
        Four low = four(positions, vertices[begin]), high = low;
        for (std::size_t i = begin; i < end; ++i) {
            if (i + ahead < vertices.size()) __builtin_prefetch(&positions[vertices[i + ahead]]);
            const Four p = four(positions, vertices[i]);
            low = p < low ? p : low, high = p > high ? p : high;
        }
        boxes[c] = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    }
    gather();
}

namespace {

/// The vertices of so many clusters, which stand one after the other.
std::span<const Vec3> points_of(const SurfaceClusters& surface, std::span<const Vec3> points,
                                std::size_t first, std::size_t count) {
    const auto clusters = surface.clusters();
    PLUSH_ASSERT(first < clusters.size() && count > 0);
    const SurfaceClusters::Cluster& last = clusters[std::min(first + count, clusters.size()) - 1];
    const std::size_t begin = clusters[first].first_vertex, end = last.first_vertex + last.vertices;
    return points.subspan(begin, end - begin);
}

}  // namespace

void ClusterBounds::settle(const SurfaceClusters& surface, std::span<const Vec3> positions) {
    refit(surface, positions);
    for (const std::uint32_t v : surface.vertices()) points.push_back(positions[v]);
    ordered.assign(surface.clusters().size(), 1);
    oriented_boxes.resize(outline_level() + 1);
    std::size_t clusters_each = 1;
    for (std::size_t l = 0; l < oriented_boxes.size(); ++l, clusters_each *= group)
        for (std::size_t k = 0; k < level(l).size(); ++k)
            oriented_boxes[l].push_back(
                OrientedBox::around(points_of(surface, points, k * clusters_each, clusters_each)));
    cells = ClusterCells::of(surface, points, oriented_boxes[0]);
}

namespace {

/// Around each so many neighbours one.
void gather_boxes(std::span<const Box3> parts, std::vector<Box3>& wholes) {
    constexpr std::size_t group = ClusterBounds::group;
    wholes.resize((parts.size() + group - 1) / group);
    for (std::size_t g = 0; g < wholes.size(); ++g) {
        Box3 box = parts[g * group];
        for (const Box3& part : parts.subspan(g * group, std::min(group, parts.size() - g * group)))
            box.add(part);
        wholes[g] = box;
    }
}

}  // namespace

void ClusterBounds::gather() {
    gather_boxes(boxes, groups);
    if (first_groups.empty()) {
        std::size_t levels = 0;
        for (; level(levels + 1).size() > max_groups; ++levels) {
            if (blocks.size() == levels) blocks.emplace_back();
            gather_boxes(level(levels + 1), blocks[levels]);
        }
        blocks.resize(levels);
    }
    all = {};
    for (const Box3& box : groups) all.add(box);
    if (first_groups.empty()) steady_all = all;
}

ClusterCages::ClusterCages(const SurfaceClusters& surface, const Embedding& embedding) {
    for (const SurfaceClusters::Cluster& cluster : surface.clusters()) {
        const std::size_t begin = cage_vertices_.size();
        double width = 1;
        for (const std::uint32_t v : surface.vertices().subspan(cluster.first_vertex, cluster.vertices)) {
            double sum = 0;
            for (const Embedding::Entry& e : embedding.row(v)) {
                cage_vertices_.push_back(e.vertex);
                weights_.push_back(e);
                sum += std::abs(e.weight);
            }
            first_weight_.push_back(static_cast<std::uint32_t>(weights_.size()));
            width = std::max(width, sum);
        }
        std::sort(cage_vertices_.begin() + static_cast<std::ptrdiff_t>(begin), cage_vertices_.end());
        cage_vertices_.erase(
            std::unique(cage_vertices_.begin() + static_cast<std::ptrdiff_t>(begin), cage_vertices_.end()),
            cage_vertices_.end());
        first_.push_back(static_cast<std::uint32_t>(cage_vertices_.size()));
        // Weights add up to one to rounding alone: a little wider than that.
        widths_.push_back(width * (1 + 1e-9));
    }
}

void ClusterCages::refit(std::span<const Vec3> coarse, ClusterBounds& bounds) const {
    bounds.boxes.resize(widths_.size());
    for (std::size_t c = 0; c < widths_.size(); ++c) {
        Box3 box;
        for (std::uint32_t i = first_[c]; i < first_[c + 1]; ++i) {
            PLUSH_ASSERT(cage_vertices_[i] < coarse.size());
            box.add(coarse[cage_vertices_[i]]);
        }
        const Vec3 centre = box.centre(), half = box.size() * (0.5 * widths_[c]);
        bounds.boxes[c] = {centre - half, centre + half};
    }
    bounds.ordered.assign(widths_.size(), 0);
    bounds.first_groups.clear();
    bounds.gather();
}

void ClusterCages::tighten(const SurfaceClusters& surface, std::span<const Vec3> coarse,
                           std::span<const Box3> near, ClusterBounds& bounds) const {
    PLUSH_ASSERT(first_weight_.size() == surface.vertices().size() + 1);
    PLUSH_ASSERT(bounds.boxes.size() == surface.clusters().size() &&
                 bounds.ordered.size() == bounds.boxes.size());
    bounds.points.resize(surface.vertices().size());
    if (bounds.first_groups.empty()) bounds.first_groups = bounds.groups;
    std::vector<Four> cage(coarse.size());
    for (std::size_t k = 0; k < coarse.size(); ++k) cage[k] = Four{coarse[k].x, coarse[k].y, coarse[k].z, 0};
    const auto deform = [&](std::size_t at) {
        Four p{};
        for (std::uint32_t k = first_weight_[at]; k < first_weight_[at + 1]; ++k)
            p += weights_[k].weight * cage[weights_[k].vertex];
        bounds.points[at] = {p[0], p[1], p[2]};
        return p;
    };
    std::vector<Box3> around;  // those that meet the group
    for (std::size_t g = 0; g < bounds.groups.size(); ++g) {
        around.clear();
        for (const Box3& box : near)
            if (box.overlaps(bounds.groups[g])) around.push_back(box);
        if (around.empty()) continue;
        const std::size_t end = std::min(bounds.boxes.size(), (g + 1) * ClusterBounds::group);
        for (std::size_t c = g * ClusterBounds::group; c < end; ++c) {
            if (bounds.ordered[c]) continue;
            const auto meets = [&](const Box3& box) { return box.overlaps(bounds.boxes[c]); };
            if (std::none_of(around.begin(), around.end(), meets)) continue;
            const SurfaceClusters::Cluster& cluster = surface.clusters()[c];
            Four low = deform(cluster.first_vertex), high = low;
            for (std::size_t k = 1; k < cluster.vertices; ++k) {
                const Four p = deform(cluster.first_vertex + k);
                low = p < low ? p : low, high = p > high ? p : high;
            }
            bounds.boxes[c] = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
            bounds.ordered[c] = 1;
        }
    }
    bounds.gather();
}

}  // namespace plush
