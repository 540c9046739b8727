#include <gtest/gtest.h>

// CGAL's triangulation as an independent answer. In tests only: its package is under the GPL. Built where
// CGAL, GMP and MPFR are found (tests/CMakeLists.txt).

#ifndef PLUSH_HAS_CGAL

TEST(DelaunayCgal, AgreesOnRandomPoints) {
    GTEST_SKIP() << "CGAL was not found when this was configured: install libcgal-dev";
}

#else

// g++ 12 warns inside the headers where they are inlined.
#pragma GCC diagnostic ignored "-Wnull-dereference"
#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>

#include <algorithm>

#include "geometry/tets/delaunay.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Vertex = CGAL::Triangulation_vertex_base_with_info_3<int, Kernel>;
using Structure =
    CGAL::Triangulation_data_structure_3<Vertex, CGAL::Delaunay_triangulation_cell_base_3<Kernel>>;
using Triangulation = CGAL::Delaunay_triangulation_3<Kernel, Structure>;

std::vector<Tet> sorted(std::vector<Tet> tets) {
    for (Tet& tet : tets) std::sort(tet.begin(), tet.end());
    std::sort(tets.begin(), tets.end());
    return tets;
}

std::vector<Tet> cgal_tets(const std::vector<Vec3>& points) {
    std::vector<std::pair<Kernel::Point_3, int>> input;
    for (const Vec3& p : points)
        input.emplace_back(Kernel::Point_3(p.x, p.y, p.z), static_cast<int>(input.size()));
    const Triangulation triangulation(input.begin(), input.end());
    std::vector<Tet> tets;
    for (const auto& cell : triangulation.finite_cell_handles())
        tets.push_back({cell->vertex(0)->info(), cell->vertex(1)->info(), cell->vertex(2)->info(),
                        cell->vertex(3)->info()});
    return sorted(std::move(tets));
}

TEST(DelaunayCgal, AgreesOnRandomPoints) {
    Random random(21);
    for (const double flat : {1.0, 1e-3, 1e-9}) {  // from a cube to a sheet, where rounding decides nothing
        std::vector<Vec3> points;
        for (int i = 0; i < 3000; ++i) {
            const double x = random.uniform(), y = random.uniform();
            points.push_back({x, y, flat * random.uniform()});
        }
        EXPECT_EQ(sorted(delaunay(points).tets), cgal_tets(points)) << flat;
    }
}

// On a grid the answer depends on the rule for points on one sphere: CGAL's and ours are the same one.
TEST(DelaunayCgal, AgreesOnAGrid) {
    std::vector<Vec3> points;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j)
            for (int k = 0; k < 6; ++k)
                points.push_back({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
    EXPECT_EQ(sorted(delaunay(points).tets), cgal_tets(points));
}

}  // namespace
}  // namespace plush

#endif
