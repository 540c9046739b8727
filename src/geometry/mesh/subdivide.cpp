#include "geometry/mesh/subdivide.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plush {
namespace {

constexpr std::size_t max_triangles = std::size_t{1} << 28;

struct HalfEdge {
    int low, high;
    std::size_t triangle, corner;  ///< it goes from this corner to the next
    auto ends() const { return std::pair(low, high); }
};

void cut_in_four(std::vector<Vec3>& positions, std::vector<Triangle>& triangles) {
    std::vector<HalfEdge> edges;
    edges.reserve(3 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (std::size_t c = 0; c < 3; ++c) {
            const int a = triangles[t][c], b = triangles[t][(c + 1) % 3];
            edges.push_back({std::min(a, b), std::max(a, b), t, c});
        }
    std::stable_sort(edges.begin(), edges.end(),
                     [](const HalfEdge& x, const HalfEdge& y) { return x.ends() < y.ends(); });
    std::vector<Triangle> middles(triangles.size());
    for (std::size_t k = 0; k < edges.size(); ++k) {
        const HalfEdge& e = edges[k];
        if (k == 0 || e.ends() != edges[k - 1].ends())
            positions.push_back(0.5 * (positions[static_cast<std::size_t>(e.low)] +
                                       positions[static_cast<std::size_t>(e.high)]));
        middles[e.triangle][e.corner] = static_cast<int>(positions.size()) - 1;
    }
    std::vector<Triangle> parts;
    parts.reserve(4 * triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const auto [a, b, c] = triangles[t];
        const auto [ab, bc, ca] = middles[t];
        parts.insert(parts.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    triangles = std::move(parts);
}

}  // namespace

Result<Mesh> subdivided(const Mesh& mesh, int times) {
    if (times <= 0) return mesh;
    std::size_t count = mesh.triangles().size();
    for (int k = 0; k < times; ++k) {
        count *= 4;
        if (count > max_triangles)
            return Error({.problem = fmt::format("cut in four {} times it has more than {} triangles", times,
                                                 max_triangles),
                          .cure = fmt::format("subdivide it {} times at most", k)});
    }
    std::vector<Vec3> positions(mesh.positions().begin(), mesh.positions().end());
    std::vector<Triangle> triangles(mesh.triangles().begin(), mesh.triangles().end());
    for (int k = 0; k < times; ++k) cut_in_four(positions, triangles);
    return Mesh::try_make(std::move(positions), std::move(triangles));
}

}  // namespace plush
