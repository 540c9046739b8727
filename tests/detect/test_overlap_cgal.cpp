#include <gtest/gtest.h>

// CGAL's booleans as an independent, exact answer: the volume of the intersection of two meshes. In tests
// only: its package is under the GPL. Built where CGAL, GMP and MPFR are found (tests/CMakeLists.txt).

#ifndef PLUSH_HAS_CGAL

TEST(OverlapCgal, AgreesOnRandomPairs) {
    GTEST_SKIP() << "CGAL was not found when this was configured: install libcgal-dev";
}

#else

// g++ 12 warns inside the headers where they are inlined.
#pragma GCC diagnostic ignored "-Wnull-dereference"
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/corefinement.h>
#include <CGAL/Polygon_mesh_processing/measure.h>
#include <CGAL/Surface_mesh.h>

#include <filesystem>

#include "detect/surfaces.hpp"
#include "plush/detect/overlap.hpp"

namespace plush {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Surface = CGAL::Surface_mesh<Kernel::Point_3>;

Surface to_cgal(const Mesh& mesh) {
    Surface surface;
    for (const Vec3& p : mesh.positions()) surface.add_vertex({p.x, p.y, p.z});
    const auto vertex = [](int i) { return Surface::Vertex_index(static_cast<Surface::size_type>(i)); };
    for (const Triangle& t : mesh.triangles()) surface.add_face(vertex(t[0]), vertex(t[1]), vertex(t[2]));
    return surface;
}

double exact_volume(const Mesh& a, const Mesh& b) {
    Surface first = to_cgal(a), second = to_cgal(b), both;
    if (!CGAL::Polygon_mesh_processing::corefine_and_compute_intersection(first, second, both)) return -1;
    return both.is_empty() ? 0 : CGAL::to_double(CGAL::Polygon_mesh_processing::volume(both));
}

/// Of a length of one metre along the longest side, about the origin. Real ones where they are.
std::vector<Mesh> all_meshes() {
    std::vector<Mesh> meshes;
    for (const char* name : {"box", "torus", "bear", "pebble", "octopus", "chain_link", "hand", "gear"})
        meshes.push_back(generate({.shape = name, .triangles = 2000}).value());
    const std::filesystem::path folder = PLUSH_MESHES_DIR;
    if (!std::filesystem::exists(folder)) return meshes;
    for (const char* file : {"bunny.off", "spot.obj", "3holes.off", "octopus-low.mesh", "hand.mesh"}) {
        const Mesh mesh = Mesh::load(folder / file);
        const Box3 box = mesh.bounds();
        meshes.push_back(
            mesh.transformed({-box.centre() / max_component(box.size())}, 1 / max_component(box.size())));
    }
    return meshes;
}

/// Random pairs in random poses against CGAL. The expected error of a volume: columns miss a part of a
/// surface of area S at the border of each image, S times a pixel at the very worst; random borders cancel
/// to a small fraction of that.
void compare(int pairs, std::uint64_t seed) {
    const std::vector<Mesh> meshes = all_meshes();
    Random random(seed);
    int met = 0, failed = 0;
    double worst = 0, sum = 0;
    for (int i = 0; i < pairs; ++i) {
        const Mesh& a = meshes[random.below(meshes.size())];
        const Mesh& b = meshes[random.below(meshes.size())];
        const Transform pa{test::random_vector(random, 0.2), test::random_rotation(random)};
        const Transform pb{test::random_vector(random, 0.4), test::random_rotation(random)};
        const OverlapReport r = overlap(a, pa, b, pb, {.pixel = 1.0 / 128});
        const double exact = exact_volume(a.transformed(pa), b.transformed(pb));
        if (exact < 0) {  // CGAL gives up on some: meshes that intersect themselves
            ++failed;
            continue;
        }
        EXPECT_EQ(r.open_columns[0] + r.open_columns[1], 0u);
        double area = 0;
        for (const Overlap& o : r.overlaps) area += o.area;
        // Nothing, or next to nothing, in both.
        EXPECT_NEAR(r.volume, exact, 0.02 * exact + 1e-6) << "pair " << i << ", area " << area;
        if (exact < 1e-5) continue;
        ++met;
        worst = std::max(worst, std::abs(r.volume / exact - 1));
        sum += std::pow(r.volume / exact - 1, 2);
    }
    std::printf(
        "  %d pairs overlap; volume off by %.2g %% root mean square, %.2g %% at most; CGAL gave up on %d\n",
        met, 100 * std::sqrt(sum / met), 100 * worst, failed);
    EXPECT_GT(met, pairs / 2);
    EXPECT_LT(failed, pairs / 5);
    EXPECT_LT(std::sqrt(sum / met), 0.004);
}

TEST(OverlapCgal, AgreesOnRandomPairs) {
    compare(50, 1);
}

TEST(OverlapCgalExhaustiveFull, AgreesOnAThousandPairs) {
    compare(1000, 2);
}

}  // namespace
}  // namespace plush

#endif
