#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "geometry/mesh/edit_mesh.hpp"
#include "geometry/mesh/remesh.hpp"
#include "geometry/shapes/implicit.hpp"
#include "geometry/shapes/implicit_mesh.hpp"
#include "geometry/tets/lattice.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "support/errors.hpp"

// The figures of soft parts, and the steps that mesh them.

namespace plush {
namespace {

using test::says;

struct Figure {
    const char* name;
    int genus;
};
constexpr Figure figures[] = {{"bear", 0},  {"bunny", 0},    {"elephant", 0}, {"octopus", 0}, {"snake", 0},
                              {"hand", 0},  {"star", 0},     {"liver", 0},    {"stomach", 0}, {"gripper", 0},
                              {"eel", 0},   {"kidney", 0},   {"gut", 0},      {"jaw", 0},     {"gear", 1},
                              {"bumpy", 0}, {"armadillo", 0}};

Mesh make(const std::string& name, int triangles, int seed = 1) {
    return generate({.shape = name, .triangles = triangles, .seed = seed}).value();
}

bool same(const Mesh& a, const Mesh& b) {
    return std::equal(a.positions().begin(), a.positions().end(), b.positions().begin(),
                      b.positions().end()) &&
           std::equal(a.triangles().begin(), a.triangles().end(), b.triangles().begin(), b.triangles().end());
}

/// The smallest angle of each triangle, sorted, in degrees.
std::vector<double> smallest_angles(const Mesh& mesh) {
    std::vector<double> angles;
    for (const Triangle& t : mesh.triangles()) {
        double least = 180;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto at = [&](std::size_t i) {
                return mesh.positions()[static_cast<std::size_t>(t[(k + i) % 3])];
            };
            const Vec3 a = at(1) - at(0), b = at(2) - at(0);
            least = std::min(least, std::atan2(norm(cross(a, b)), dot(a, b)) * 180 / std::numbers::pi);
        }
        angles.push_back(least);
    }
    std::sort(angles.begin(), angles.end());
    return angles;
}

void expect_good(const Figure& figure, int triangles, int seed = 1) {
    const Mesh mesh = make(figure.name, triangles, seed);
    const std::string name =
        std::string(figure.name) + " " + std::to_string(triangles) + " seed " + std::to_string(seed);
    const MeshReport report = check(mesh);
    EXPECT_EQ(report.triangles, triangles) << name;
    EXPECT_TRUE(report.closed && report.oriented && report.outward) << name;
    EXPECT_EQ(report.nonmanifold_vertices, 0) << name;
    EXPECT_EQ(report.components, 1) << name;
    EXPECT_EQ(report.genus, figure.genus) << name;
    EXPECT_EQ(report.self_intersections, 0) << name;
    EXPECT_EQ(report.degenerate_triangles, 0) << name;
    EXPECT_NEAR(max_component(report.bounds.size()), 1, 1e-12) << name;
    const std::vector<double> angles = smallest_angles(mesh);
    std::printf("  %-32s smallest angle %4.1f, 1 %% below %4.1f, half below %4.1f degrees\n", name.c_str(),
                angles[0], angles[angles.size() / 100], angles[angles.size() / 2]);
    // Measured over all figures, counts and seeds of this file: the smallest angle 1.7° (armadillo, 20 k,
    // seed 9; with seed 1 never below 14°), of the worst hundredth 20° (snake, 1 k) to 38°, the median 38°
    // (snake, 1 k: five triangles around) to 54°.
    EXPECT_GT(angles[0], 1) << name;
    EXPECT_GT(angles[angles.size() / 100], 17) << name;
    EXPECT_GT(angles[angles.size() / 2], 35) << name;
}

TEST(SoftShapes, AreGoodAtAThousandTriangles) {
    for (const Figure& f : figures) expect_good(f, 1000);
}

TEST(SoftShapes, AreGoodAtTwentyThousandTriangles) {
    for (const Figure& f : figures) expect_good(f, 20'000);
}

TEST(SoftShapes, TheBearIsGoodAt350ThousandTriangles) {
    expect_good(figures[0], 350'000);
}

TEST(SoftShapes, TheGripperIsGoodAt350ThousandTriangles) {
    expect_good(figures[9], 350'000);
}

TEST(SoftShapesFull, AllAreGoodAt350ThousandTriangles) {
    for (const Figure& f : figures) expect_good(f, 350'000);
}

TEST(SoftShapesFull, AllAreGoodForManySeedsAndCounts) {
    for (const Figure& f : figures)
        for (int seed = 2; seed < 12; ++seed)
            for (const int n : {1000, 3000, 20'000}) expect_good(f, n, seed);
}

TEST(SoftShapes, AreTheSameBitsEachTimeAndDependOnTheSeed) {
    for (const Figure& f : figures) {
        const Mesh a = make(f.name, 2000, 3);
        EXPECT_TRUE(same(a, make(f.name, 2000, 3))) << f.name;
        EXPECT_FALSE(same(a, make(f.name, 2000, 4))) << f.name;
    }
}

TEST(SoftShapes, HaveTheEvenCountThatWasAskedFor) {
    for (const int n : {200, 201, 202, 777, 1234, 5001, 30'000})
        EXPECT_EQ(static_cast<int>(make("bear", n).triangles().size()), (n + 1) / 2 * 2);
    EXPECT_EQ(static_cast<int>(make("star", 1).triangles().size()), least_implicit_triangles);
    const Result<Mesh> absurd = generate({.shape = "bear", .triangles = max_implicit_triangles + 1});
    ASSERT_FALSE(absurd.ok());
    EXPECT_TRUE(says(absurd.error().cure(), "5000000"));
}

// Sides and heights that a figure is known by, in the frame of the unit box: the bear's feet come forward,
// the snake's head stands above its coil.
TEST(SoftShapes, StandUprightAndLookForward) {
    const auto centroid_above = [](const Mesh& mesh, double y) {
        Vec3 sum;
        int count = 0;
        for (const Vec3& p : mesh.positions())
            if (p.y > y) sum += p, ++count;
        return sum / count;
    };
    const Mesh bear = make("bear", 4000);
    EXPECT_LT(std::abs(centroid_above(bear, 0.2).x), 0.05);        // measured 0.017: the head
    EXPECT_GT(bear.bounds().high.z, -bear.bounds().low.z - 1e-9);  // centred on the box
    EXPECT_GT(make("elephant", 4000).bounds().size().z, make("elephant", 4000).bounds().size().x);  // along z
    EXPECT_LT(norm(times(centroid_above(make("snake", 4000), 0.1), {1, 0, 0})),
              0.1);  // the neck is in the middle
}

/// The volume and area of a ball whose surface comes from the lattice.
TEST(Lattice, MeshesABallWithTheRightVolumeAndNoHoles) {
    const LatticeSurface s = lattice_surface(*sdf::sphere({0.01, 0.02, 0.03}, 0.5), {0, 0, 0}, 0.05);
    const Mesh mesh(s.positions, s.triangles);
    const MeshReport report = check(mesh);
    EXPECT_TRUE(report.closed && report.outward);
    EXPECT_EQ(report.genus, 0);
    EXPECT_EQ(report.self_intersections, 0);
    EXPECT_NEAR(report.volume / (4 / 3. * std::numbers::pi * 0.125), 1, 0.01);  // measured 0.0025 too small
    for (const Vec3& p : mesh.positions()) EXPECT_NEAR(norm(p - Vec3{0.01, 0.02, 0.03}), 0.5, 0.004);
}

// Two balls hardly more than a cube of the lattice apart: only the one that holds the starting point is
// meshed.
TEST(Lattice, GivesThePieceAboveTheStartAlone) {
    const Sdf two = sdf::union_of({sdf::sphere({0, 0, 0}, 0.3), sdf::sphere({0.66, 0, 0}, 0.3)});
    const LatticeSurface s = lattice_surface(*two, {0.66, 0, 0}, 0.05);
    for (const Vec3& p : s.positions) EXPECT_GT(p.x, 0.33);
    EXPECT_EQ(check(Mesh(s.positions, s.triangles)).components, 1);
    EXPECT_THROW((void)lattice_surface(*two, {0.33, 0, 0}, 0.05), Error);
}

// A field full of holes at the size of the lattice itself: the surface is still a manifold that does not
// cross itself.
TEST(Lattice, EvenNoiseGivesACleanSurface) {
    implicit::Blend blend;
    blend.add(sdf::sphere({0, 0, 0}, 0.5), 0);
    const Sdf ball = std::move(blend).done();
    const Sdf rough =
        implicit::displaced(ball, implicit::Waves(0.06, 7), 0.12, sdf::sphere({0, 0, 0}, 2), 0.1);
    Vec3 inside;
    while (rough->value(inside) >= 0) inside.x += 0.003;
    const LatticeSurface s = lattice_surface(*rough, inside, 0.05);
    const MeshReport report = check(Mesh(s.positions, s.triangles));
    EXPECT_TRUE(report.closed && report.oriented);
    EXPECT_EQ(report.nonmanifold_vertices, 0);
    EXPECT_EQ(report.self_intersections, 0);
}

// Merging, decimating and relaxing each keep a closed manifold of the same genus.
TEST(Remesh, EveryStepKeepsTheTopology) {
    const Sdf torus = sdf::torus(0.4, 0.15);
    const LatticeSurface s = lattice_surface(*torus, {0.4, 0, 0}, 0.04);
    EditMesh mesh(s.positions, s.triangles);
    const auto expect_torus = [&](const char* step) {
        const MeshReport report = check(mesh.mesh());
        EXPECT_EQ(report.genus, 1) << step;
        EXPECT_EQ(report.components, 1) << step;
        EXPECT_EQ(report.nonmanifold_vertices, 0) << step;
        EXPECT_EQ(report.triangles, mesh.triangle_count()) << step;
    };
    mesh.merge_groups(s.group, s.weight);
    EXPECT_LT(mesh.triangle_count(), 0.4 * static_cast<double>(s.triangles.size()));  // measured 0.29
    expect_torus("merge");
    decimate(mesh, 400, nullptr);
    EXPECT_EQ(mesh.triangle_count(), 400);
    expect_torus("decimate");
    relax(mesh, *torus, 5, nullptr);
    expect_torus("relax");
    double farthest = 0;
    for (int v = 0; v < mesh.vertex_slots(); ++v)
        if (mesh.is_vertex(v)) farthest = std::max(farthest, std::abs(torus->value(mesh.position(v))));
    EXPECT_LT(farthest, 5e-3);  // measured 1.7e-3, with edges of 0.1
    RecordProperty("farthest", std::to_string(farthest));
    std::printf("  farthest vertex from the torus: %.1e m\n", farthest);
}

// Two thin plates, nearer to each other than the edges of the coarse mesh are long, with all the slivers of
// the lattice. Unguarded, the decimation makes them cross (measured: 6350 pairs); guarded, it does not.
TEST(Remesh, TheGuardKeepsSheetsApart) {
    implicit::Blend blend;
    for (const double y : {-0.03, 0.03}) blend.add(implicit::ellipsoid({0, y, 0}, {0.5, 0.02, 0.5}), 0);
    blend.add(sdf::sphere({0, 0, 0}, 0.06), 0.01);
    const Sdf plates = std::move(blend).done();
    const LatticeSurface s = lattice_surface(*plates, {0, 0, 0}, 0.04);
    const auto crossings = [&](bool guarded) {
        EditMesh mesh(s.positions, s.triangles);
        const std::vector<Box3> everywhere{plates->bounds().grown(0.1)};
        CrossingGuard guard(mesh, 0.1, everywhere);
        decimate(mesh, 300, guarded ? &guard : nullptr);
        relax(mesh, *plates, 3, guarded ? &guard : nullptr);
        return check(mesh.mesh()).self_intersections;
    };
    const int unguarded = crossings(false);
    std::printf("  unguarded: %d pairs\n", unguarded);
    EXPECT_GT(unguarded, 0);
    EXPECT_EQ(crossings(true), 0);
}

TEST(EditMesh, AFlipCanBeUndone) {
    const LatticeSurface s = lattice_surface(*sdf::sphere({0, 0, 0}, 0.5), {0, 0, 0}, 0.2);
    EditMesh mesh(s.positions, s.triangles);
    int flips = 0;
    for (int h = 0; h < 3 * mesh.triangle_slots(); ++h) {
        if (!mesh.can_flip(h)) continue;
        const int u = mesh.from(h), v = mesh.to(h), t = h / 3;
        mesh.flip(h);
        mesh.flip(3 * t + 1);
        const auto [a, b, c] = mesh.triangle(t);
        const auto has = [&, x = a, y = b, z = c](int w) { return x == w || y == w || z == w; };
        EXPECT_TRUE(has(u) && has(v));
        ++flips;
    }
    EXPECT_GT(flips, 100);
    EXPECT_TRUE(check(mesh.mesh()).closed);
}

TEST(Implicit, AConeIsTheBallThatRolls) {
    const Sdf cone = implicit::round_cone({0, 0, 0}, 0.3, {1, 0, 0}, 0.1);
    EXPECT_NEAR(cone->value({-0.5, 0, 0}), 0.2, 1e-14);
    EXPECT_NEAR(cone->value({1.4, 0, 0}), 0.3, 1e-14);
    // The nearest of many balls on the way: exact, from outside. Measured 6e-8 apart (the steps between the
    // balls).
    for (const Vec3& p : {Vec3{0.5, 0.6, 0.1}, Vec3{0.2, -0.5, 0.4}, Vec3{0.95, 0, 0.9}}) {
        double nearest = HUGE_VAL;
        for (int i = 0; i <= 1000; ++i)
            nearest = std::min(nearest, norm(p - Vec3{i / 1000.0, 0, 0}) - (0.3 - 0.2 * i / 1000.0));
        EXPECT_NEAR(cone->value(p), nearest, 1e-6);
    }
}

TEST(Implicit, GradientsAreThoseOfTheValues) {
    implicit::Blend blend;
    blend.add(implicit::round_cone({0, 0, 0}, 0.3, {1, 0.2, 0}, 0.15), 0);
    blend.add(implicit::tube({{{0, 0.2, 0}, 0.1}, {{0, 0.6, 0.1}, 0.08}, {{0.3, 0.8, 0}, 0.05}}), 0.1);
    blend.carve(sdf::sphere({0.5, 0.3, 0}, 0.15), 0.05);
    const Sdf f = std::move(blend).done();
    constexpr double h = 1e-6;
    for (int i = 0; i < 200; ++i) {
        const Vec3 p{std::sin(1.3 * i), std::cos(0.7 * i), 0.5 * std::sin(2.1 * i)};
        const DistanceSample s = f->sample(p);
        for (std::size_t k = 0; k < 3; ++k) {
            Vec3 a = p, b = p;
            a[k] -= h, b[k] += h;
            EXPECT_NEAR((f->value(b) - f->value(a)) / (2 * h), s.gradient[k], 1e-7) << i;  // measured 3e-10
        }
    }
}

}  // namespace
}  // namespace plush
