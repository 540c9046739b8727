#include "geometry/shapes/implicit_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/remesh.hpp"
#include "geometry/repair/self_intersection.hpp"
#include "geometry/shapes/generate_build.hpp"
#include "geometry/tets/lattice.hpp"

// Lattice surface, fine enough for the form and for the count → decimation to the count → relaxation. The
// first is free of self-intersections by construction. The other two rarely make any, so they run unguarded
// first; an exact check of the result then decides whether it stands, or whether all is done again with each
// single change guarded.

namespace plush {
namespace {

// Merging its groups leaves 31 to 34 % of the lattice's triangles; a little more than are wanted lets the
// decimation choose.
constexpr double spare = 1.1 / 0.31;

LatticeSurface fine_surface(const Implicit& solid, int wanted) {
    LatticeSurface surface = lattice_surface(*solid.distance, solid.inside, solid.spacing);
    double spacing = solid.spacing;
    for (;;) {
        const double ratio = static_cast<double>(surface.triangles.size()) / wanted;
        if (ratio >= 0.97 * spare) return surface;
        spacing *= std::sqrt(ratio / spare);
        surface = lattice_surface(*solid.distance, solid.inside, spacing);
    }
}

/// The groups of the surface, without those in the boxes: a merge is not guarded.
std::vector<int> groups_outside(const LatticeSurface& surface, std::span<const Box3> boxes) {
    std::vector<int> group = surface.group;
    for (std::size_t v = 0; v < group.size(); ++v)
        for (const Box3& box : boxes)
            if (box.contains(surface.positions[v])) group[v] = -1;
    return group;
}

/// Boxes around the triangles that cross one another, or that have no area.
std::vector<Box3> crossings(const Mesh& mesh) {
    std::vector<Box3> found;
    const auto add = [&](int triangle) {
        Box3 box;
        for (const int v : mesh.triangles()[static_cast<std::size_t>(triangle)])
            box.add(mesh.positions()[static_cast<std::size_t>(v)]);
        found.push_back(box);
    };
    const Bvh bvh(mesh.positions(), mesh.triangles());
    const std::vector<char> degenerate = degenerate_triangles(mesh.positions(), mesh.triangles());
    for (std::size_t i = 0; i < degenerate.size(); ++i)
        if (degenerate[i] != 0) add(static_cast<int>(i));
    const bool all = for_each_self_intersection(mesh.positions(), mesh.triangles(), degenerate, bvh,
                                                [&](int i, int j) { add(i), add(j); });
    if (!all) found.push_back(mesh.bounds());
    return found;
}

/// The edge of a triangle when `count` equal ones cover the surface.
double mean_edge(const LatticeSurface& surface, int count) {
    double area = 0;
    for (const auto& [a, b, c] : surface.triangles) {
        const Vec3& p = surface.positions[static_cast<std::size_t>(a)];
        area += norm(cross(surface.positions[static_cast<std::size_t>(b)] - p,
                           surface.positions[static_cast<std::size_t>(c)] - p)) /
                2;
    }
    return std::sqrt(area / count * 4 / std::sqrt(3.0));
}

}  // namespace

Mesh mesh_implicit(const Implicit& solid, int triangles) {
    shapes::require(triangles >= 1, "implicit", "the number of triangles is not above zero",
                    "ask for at least 1");
    shapes::require(triangles <= max_implicit_triangles, "implicit",
                    "so many triangles take more memory than is sensible", "ask for at most 5000000");
    const int wanted = (std::max(triangles, least_implicit_triangles) + 1) / 2 * 2;
    const LatticeSurface surface = fine_surface(solid, wanted);
    const int rounds = wanted > 100'000 ? 3 : 6;  // large meshes start out good, and their time counts
    const double edge = mean_edge(surface, wanted);
    constexpr int attempts = 5;
    std::vector<Box3> watched;
    for (int i = 1;; ++i) {
        EditMesh mesh(surface.positions, surface.triangles);
        mesh.merge_groups(groups_outside(surface, watched), surface.weight);
        std::unique_ptr<CrossingGuard> guard;
        if (!watched.empty()) guard = std::make_unique<CrossingGuard>(mesh, edge, watched);
        decimate(mesh, wanted, guard.get());
        relax(mesh, *solid.distance, rounds, guard.get());
        const Mesh result = mesh.mesh();
        const std::vector<Box3> found = crossings(result);
        if (found.empty() || i == attempts) return result;
        for (const Box3& box : found) watched.push_back(box.grown(3 * edge));
        if (i == attempts - 1) watched = {result.bounds().grown(2 * edge)};
    }
}

}  // namespace plush
