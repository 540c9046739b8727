#include "geometry/repair/solid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plush/geometry/mass.hpp"

// A mesh is closed and oriented when each edge is run along as often one way as the other: the boundary of
// the surface, a sum of directed edges, cancels. That is what the divergence theorem needs, so also a mesh
// with four triangles at an edge passes. Where the directions do not cancel, an odd number of triangles at
// the edge is a hole, an even one a wrong orientation.

namespace plush {
namespace {

struct HalfEdge {
    int low, high;
    int direction;  // +1 from low to high
};

struct EdgeCounts {
    int open = 0, misoriented = 0;
};

EdgeCounts count_edges(const Mesh& mesh) {
    std::vector<HalfEdge> edges;
    edges.reserve(3 * mesh.triangles().size());
    for (const Triangle& t : mesh.triangles())
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = t[i], b = t[(i + 1) % 3];
            if (a != b) edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
        }
    const auto key = [](const HalfEdge& e) { return std::pair(e.low, e.high); };
    std::sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    EdgeCounts counts;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i;
        int sum = 0;
        for (; end < edges.size() && key(edges[end]) == key(edges[i]); ++end) sum += edges[end].direction;
        if ((end - i) % 2 == 1)
            ++counts.open;
        else if (sum != 0)
            ++counts.misoriented;
        i = end;
    }
    return counts;
}

}  // namespace

Result<void> require_solid(const Mesh& mesh) {
    if (mesh.empty()) return Error({.problem = "the mesh has no triangles", .cure = "give a closed surface"});
    const EdgeCounts counts = count_edges(mesh);
    if (counts.open > 0)
        return Error({.problem = fmt::format("the mesh is open: {} boundary edges", counts.open),
                      .cure = "close its holes: plush mesh repair"});
    if (counts.misoriented > 0)
        return Error({.problem = fmt::format("the triangles are not oriented consistently at {} edges",
                                             counts.misoriented),
                      .cure = "orient them: plush mesh repair"});
    // The volume's rounding error is about 1e-16 of the cube around the mesh; below 1e-14 its sign says
    // nothing.
    const double side = max_component(mesh.bounds().size()), v = volume(mesh);
    if (!std::isfinite(v) || !std::isfinite(side * side * side))
        return Error({.problem = fmt::format("the mesh is {:.3g} m long: its volume is not a number", side),
                      .cure = "scale it to metres"});
    if (std::abs(v) <= 1e-14 * side * side * side)
        return Error(
            {.problem = "the mesh is flat: it holds no volume", .cure = "give a surface with an inside"});
    if (!(v > 0))
        return Error({.problem = fmt::format("the mesh is inside out: its volume is {:.3g} m³", v),
                      .cure = "flip its orientation: plush mesh repair"});
    return {};
}

}  // namespace plush
