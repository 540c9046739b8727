// The volume of the intersection of two meshes by CGAL's booleans, as a program of its own: Plush links
// nothing of CGAL. Prints {"version": "CGAL 5.5", "ms": the least of so many runs, "volume": m³}. Reading the
// files is not timed; copying the meshes, which the boolean changes, is not either.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/version.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "read_obj.hpp"

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;

static Surface load(const char* file) {
    const ObjMesh mesh = read_obj(file);
    Surface surface;
    for (const auto& p : mesh.points) surface.add_vertex({p[0], p[1], p[2]});
    for (const auto& t : mesh.triangles)
        surface.add_face(Surface::Vertex_index(t[0]), Surface::Vertex_index(t[1]),
                         Surface::Vertex_index(t[2]));
    return surface;
}

int main(int count, char** words) {
    if (count != 5) return 2;
    const Surface a = load(words[1]), b = load(words[2]);
    double least = 1e300, volume = 0;
    for (int r = 0; r < std::atoi(words[4]); ++r) {
        Surface x = a, y = b, both;
        const auto start = std::chrono::steady_clock::now();
        if (!CGAL::Polygon_mesh_processing::corefine_and_compute_intersection(x, y, both)) return 1;
        volume = both.is_empty() ? 0 : CGAL::to_double(CGAL::Polygon_mesh_processing::volume(both));
        const double ms =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (ms < least) least = ms;
    }
    std::printf("{\"version\": \"CGAL %s\", \"ms\": %.6g, \"volume\": %.9g}\n", CGAL_VERSION_STR, least,
                volume);
}
