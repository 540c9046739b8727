#include "geometry/implicit_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/bvh.hpp"
#include "geometry/generate_build.hpp"
#include "geometry/lattice.hpp"
#include "geometry/remesh.hpp"
#include "geometry/self_intersection.hpp"

// Lattice surface, fine enough for the form and for the count → decimation to the count → relaxation. The
// first is free of self-intersections by construction. The other two rarely make any, so they run unguarded
// first; an exact check of the result then decides whether it stands, or whether all is done again with each
// single change guarded.

namespace plush {
namespace {

// The lattice gives many thin triangles; with this many to spare the decimation can choose the good ones.
constexpr double spare = 1.7;

LatticeSurface fine_surface(const Implicit& solid, int wanted) {
    LatticeSurface surface = lattice_surface(*solid.distance, solid.inside, solid.spacing);
    double spacing = solid.spacing;
    for (;;) {
        const double ratio = static_cast<double>(surface.triangles.size()) / wanted;
        if (ratio >= 0.95 * spare) return surface;
        spacing *= std::sqrt(ratio / spare);
        surface = lattice_surface(*solid.distance, solid.inside, spacing);
    }
}

bool crosses_itself(const Mesh& mesh) {
    bool found = false;
    const Bvh bvh(mesh.positions(), mesh.triangles());
    const std::vector<char> degenerate = degenerate_triangles(mesh.positions(), mesh.triangles());
    if (std::find(degenerate.begin(), degenerate.end(), 1) != degenerate.end()) return true;
    const bool all = for_each_self_intersection(mesh.positions(), mesh.triangles(), degenerate, bvh,
                                                [&](int, int) { found = true; });
    return found || !all;
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
    shapes::require(triangles <= most_implicit_triangles, "implicit",
                    "so many triangles take more memory than is sensible", "ask for at most 5000000");
    const int wanted = (std::max(triangles, least_implicit_triangles) + 1) / 2 * 2;
    const LatticeSurface surface = fine_surface(solid, wanted);
    const int rounds = wanted > 100'000 ? 3 : 6;  // large meshes start out good, and their time counts
    for (const bool guarded : {false, true}) {
        EditMesh mesh(surface.positions, surface.triangles);
        std::unique_ptr<CrossingGuard> guard;
        if (guarded) guard = std::make_unique<CrossingGuard>(mesh, mean_edge(surface, wanted));
        decimate(mesh, wanted, guard.get());
        relax(mesh, *solid.distance, rounds, guard.get());
        Mesh result = mesh.mesh();
        if (guarded || !crosses_itself(result)) return result;
    }
    return {};  // not reached
}

}  // namespace plush
