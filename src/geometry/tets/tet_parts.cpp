#include "geometry/tets/tet_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "geometry/io/io_formats.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh/triangle_intersection.hpp"
#include "geometry/repair/nesting.hpp"
#include "geometry/tets/tet_quality.hpp"
#include "geometry/tets/tet_topology.hpp"

namespace plush {
namespace {

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}

std::size_t corner_of(const Tet& tet, int node) {
    return static_cast<std::size_t>(std::find(tet.begin(), tet.end(), node) - tet.begin());
}

/// Merges components whose triangles cross.
void merge_crossing(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                    const Components& components, DisjointSets& bodies) {
    const Bvh bvh(positions, triangles);
    bvh.self_overlaps([&](int i, int j) {
        const int a = components.of_triangle[index(i)], b = components.of_triangle[index(j)];
        if (a < 0 || b < 0 || bodies.root(a) == bodies.root(b)) return;
        if (triangles_intersect(positions, triangles[index(i)], triangles[index(j)])) bodies.merge(a, b);
    });
}

std::vector<std::vector<Triangle>> gather(std::span<const Triangle> triangles, const Components& components,
                                          DisjointSets& bodies) {
    std::vector<int> number(index(components.count()), -1);
    std::vector<std::vector<Triangle>> result;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const int c = components.of_triangle[t];
        if (c < 0) continue;  // a repeated vertex: it bounds nothing
        int& body = number[index(bodies.root(c))];
        if (body < 0) body = static_cast<int>(result.size()), result.emplace_back();
        result[index(body)].push_back(triangles[t]);
    }
    return result;
}

struct Surroundings {
    int winding = 0;     ///< of all other components around this one
    int innermost = -1;  ///< the smallest that has it inside
};

Surroundings surroundings(const SolidQuery& all, const Components& components,
                          std::span<const double> volumes, int c) {
    const Triangle& first = all.triangles()[index(components.first[index(c)])];
    const Vec3 p = all.positions()[index(first[0])];
    std::vector<SolidQuery::Crossing> line;
    all.crossings(p.y, p.z, line);
    const auto other = [&](const auto& x) { return components.of_triangle[index(x.triangle)]; };
    std::sort(line.begin(), line.end(), [&](const auto& x, const auto& y) { return other(x) < other(y); });
    Surroundings result;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t end = i + 1;
        while (end < line.size() && other(line[end]) == other(line[i])) ++end;
        const int o = other(line[i]), winding = all.winding(std::span(line).subspan(i, end - i), p);
        i = end;
        if (o == c) continue;
        result.winding += winding;
        if (winding > 0 && (result.innermost < 0 || volumes[index(o)] < volumes[index(result.innermost)]))
            result.innermost = o;
    }
    return result;
}

}  // namespace

void TetParts::append(const TetParts& other) {
    const int offset = static_cast<int>(positions.size());
    positions.insert(positions.end(), other.positions.begin(), other.positions.end());
    for (Tet tet : other.tets) {
        for (int& v : tet) v += offset;
        tets.push_back(tet);
    }
}

// Each corner of each tet starts with a node of its own; corners that meet across a joined face are merged.
TetParts joined_by_solid(const TetParts& parts, std::span<const char> inside, const SolidQuery& solid) {
    const auto& tets = parts.tets;
    const auto neighbours = tet_neighbours(tets);
    DisjointSets nodes(4 * tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i) {
            const int other = neighbours[t][i];
            if (other < static_cast<int>(t)) continue;  // none, or seen from there
            const auto& [a, b, c] = face_opposite[i];
            const std::array<int, 3> face{tets[t][a], tets[t][b], tets[t][c]};
            const auto at = [&](std::size_t k) { return parts.positions[index(face[k])]; };
            if (!inside[index(face[0])] && !inside[index(face[1])] && !inside[index(face[2])] &&
                !solid.meets_triangle(at(0), at(1), at(2)))
                continue;
            for (const int node : face)
                nodes.merge(static_cast<int>(4 * t + corner_of(tets[t], node)),
                            static_cast<int>(4 * index(other) + corner_of(tets[index(other)], node)));
        }
    TetParts result;
    std::vector<int> number(4 * tets.size(), -1);
    for (std::size_t t = 0; t < tets.size(); ++t) {
        Tet tet{};
        for (std::size_t i = 0; i < 4; ++i) {
            int& n = number[index(nodes.root(static_cast<int>(4 * t + i)))];
            if (n < 0) {
                n = static_cast<int>(result.positions.size());
                result.positions.push_back(parts.positions[index(tets[t][i])]);
            }
            tet[i] = n;
        }
        result.tets.push_back(tet);
    }
    return result;
}

TetParts largest_piece(const TetParts& parts) {
    const std::vector<int> piece = tet_pieces(parts.tets);
    std::vector<double> volumes;
    for (std::size_t t = 0; t < piece.size(); ++t) {
        if (index(piece[t]) == volumes.size()) volumes.push_back(0);
        volumes[index(piece[t])] += tet_volume(corners(parts.positions, parts.tets[t]));
    }
    const auto largest = std::max_element(volumes.begin(), volumes.end()) - volumes.begin();
    TetParts result{parts.positions, {}};
    for (std::size_t t = 0; t < piece.size(); ++t)
        if (piece[t] == largest) result.tets.push_back(parts.tets[t]);
    drop_unused_vertices(result.positions, result.tets);
    return result;
}

Result<std::vector<std::vector<Triangle>>> separate_bodies(std::span<const Vec3> positions,
                                                           std::span<const Triangle> triangles,
                                                           bool join_overlapping) {
    const EdgeTable edges(positions.size(), triangles);
    const Components components = connected_components(triangles, edges);
    DisjointSets bodies(index(components.count()));
    const std::vector<double> volumes = component_volumes(positions, triangles, components);
    if (components.count() > 1) {
        if (join_overlapping) merge_crossing(positions, triangles, components, bodies);
        const SolidQuery all({positions.begin(), positions.end()}, {triangles.begin(), triangles.end()});
        for (int c = 0; c < components.count(); ++c) {
            const Surroundings around = surroundings(all, components, volumes, c);
            if (around.winding > 0 && around.innermost >= 0 && (join_overlapping || volumes[index(c)] < 0))
                bodies.merge(c, around.innermost);
            if (around.winding <= 0 && volumes[index(c)] < 0)
                return Error({.place = fmt::format("the piece with triangle {}", components.first[index(c)]),
                              .problem = "it is inside out and no other surface is around it",
                              .cure = "turn it: plush mesh repair"});
        }
    }
    return gather(triangles, components, bodies);
}

}  // namespace plush
