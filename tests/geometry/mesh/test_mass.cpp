#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numbers>

#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "support/errors.hpp"
#include "support/meshes.hpp"

namespace plush {
namespace {

using test::flipped;
using test::says;

constexpr double pi = std::numbers::pi;

double distance(const Mat3& a, const Mat3& b) {
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, max_component(abs((a - b).row[i])));
    return worst;
}

TEST(Mass, OfABoxIsExact) {
    const MassProperties m = mass_properties(shapes::box({0.5, 1, 1.5}, 500), 2).value();
    EXPECT_NEAR(m.mass, 12, 1e-12);
    EXPECT_NEAR(norm(m.centre), 0, 1e-15);
    EXPECT_LT(distance(m.inertia, Mat3::diagonal({13, 10, 5})), 1e-12);  // m/12 (b² + c²), …
}

struct Closed {
    const char* name;
    std::function<Mesh(int)> mesh;
    double volume;
    Vec3 centre, inertia;  ///< inertia for unit mass
};

std::vector<Closed> closed_forms() {
    const double R = 1, r = 0.4, h = 2;  // torus, cylinder and cone of radius r and height h
    const double across = r * r / 4 + h * h / 12, along = r * r / 2;
    const double torus_across = R * R / 2 + 5 * r * r / 8, torus_along = R * R + 3 * r * r / 4;
    const double cone_across = 3 * r * r / 20 + 3 * h * h / 80, cone_along = 0.3 * r * r;
    return {
        {"sphere", [](int n) { return shapes::icosphere(1, n); }, 4 / 3. * pi, {}, Vec3{.4, .4, .4}},
        {"torus",
         [=](int n) { return shapes::torus(R, r, n); },
         2 * pi * pi * R * r * r,
         {},
         {torus_across, torus_along, torus_across}},
        {"cylinder",
         [=](int n) { return shapes::cylinder(r, h / 2, n); },
         pi * r * r * h,
         {},
         {across, along, across}},
        {"cone",
         [=](int n) { return shapes::cone(r, h, n); },
         pi * r * r * h / 3,
         {0, h / 4, 0},
         {cone_across, cone_along, cone_across}},
    };
}

// Inscribed polyhedra approach the smooth solid with the square of the edge length. Measured errors of the
// inertia at 40 000 triangles 1.3e-4 (cylinder) … 1.1e-3 (torus) of the mass, orders 1.81 … 2.03.
TEST(Mass, ConvergesToTheClosedFormsWithSecondOrder) {
    constexpr double density = 300;
    for (const Closed& shape : closed_forms()) {
        double last = 0, last_edge = 0;
        for (const int n : {2500, 10000, 40000}) {
            const Mesh mesh = shape.mesh(n);
            const MassProperties m = mass_properties(mesh, density).value();
            const double mass = density * shape.volume;
            const double error = distance(m.inertia, Mat3::diagonal(shape.inertia * mass)) / mass;
            const double edge = std::sqrt(1.0 / static_cast<double>(mesh.triangles().size()));
            EXPECT_LT(norm(m.centre - shape.centre), 10 * edge * edge) << shape.name;  // the cone: 7.5 edge²
            if (last > 0) {
                const double order = std::log(last / error) / std::log(last_edge / edge);
                std::printf("  %-8s %6d triangles: inertia %.1e, order %.2f\n", shape.name, n, error, order);
                EXPECT_NEAR(order, 2, 0.25) << shape.name;
            }
            last = error, last_edge = edge;
        }
        EXPECT_LT(last, 3e-3) << shape.name;
    }
}

// Measured: mass 3e-16, centre 2e-9 m (the positions themselves are rounded to 1e-9 m there), inertia 2e-10.
TEST(Mass, IsAccurateFarFromTheOrigin) {
    const Mesh box = shapes::box({0.5, 1, 1.5}, 500);
    const Vec3 far{1e7, -2e7, 3e7};
    const MassProperties m = mass_properties(box.transformed({far}), 2).value();
    EXPECT_NEAR(m.mass, 12, 1e-7);
    EXPECT_LT(norm(m.centre - far), 1e-8);
    EXPECT_LT(distance(m.inertia, Mat3::diagonal({13, 10, 5})), 1e-6);
}

TEST(Mass, TurnsAndMovesWithTheMesh) {
    const Mesh stone = generate({.shape = "pebble", .seed = 5}).value();
    const MassProperties m = mass_properties(stone, 100).value();
    Random random(1);
    for (int i = 0; i < 20; ++i) {
        const auto u = [&] { return random.uniform(-1, 1); };
        const Transform t{{u(), u(), u()}, exp_rotation({3 * u(), 3 * u(), 3 * u()})};
        const MassProperties moved = mass_properties(stone.transformed(t), 100).value();
        const Mat3 r = to_matrix(t.rotation);
        EXPECT_NEAR(moved.mass, m.mass, 1e-13 * m.mass);
        EXPECT_LT(norm(moved.centre - t * m.centre), 1e-13);
        EXPECT_LT(distance(moved.inertia, r * m.inertia * transpose(r)), 1e-13 * m.mass);
    }
}

TEST(Mass, OfPointsIsTheirSum) {
    const std::vector<Vec3> points{{1, 0, 0}, {-1, 0, 0}, {0, 2, 0}, {0, -2, 0}};
    const std::vector<double> masses{1, 1, 2, 2};
    const MassProperties m = mass_properties(points, masses);
    EXPECT_DOUBLE_EQ(m.mass, 6);
    EXPECT_EQ(m.centre, Vec3{});
    EXPECT_EQ(m.inertia, Mat3::diagonal({16, 2, 18}));
    EXPECT_EQ(mass_properties(std::span<const Vec3>{}, std::span<const double>{}).mass, 0);
}

TEST(Mass, ARefusalNamesTheCure) {
    const Mesh box = shapes::box({1, 1, 1});
    const auto inside_out = mass_properties(flipped(box), 1);
    ASSERT_FALSE(inside_out.ok());
    EXPECT_EQ(inside_out.error().cure(), "flip its orientation: plush mesh repair");
    EXPECT_TRUE(says(inside_out.error().problem(), "inside out"));

    std::vector<Vec3> positions(box.positions().begin(), box.positions().end());
    std::vector<Triangle> faces(box.triangles().begin(), box.triangles().end());
    const auto open = mass_properties(Mesh(positions, {faces.begin() + 1, faces.end()}), 1);
    ASSERT_FALSE(open.ok());
    EXPECT_EQ(open.error().problem(), "the mesh is open: 3 boundary edges");
    EXPECT_EQ(open.error().cure(), "close its holes: plush mesh repair");

    std::swap(faces[0][1], faces[0][2]);
    const auto twisted = mass_properties(Mesh(positions, faces), 1);
    ASSERT_FALSE(twisted.ok());
    EXPECT_TRUE(says(twisted.error().problem(), "consistently at 3 edges"));

    const Mesh flat({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}});
    EXPECT_FALSE(mass_properties(flat, 1).ok());
    EXPECT_FALSE(mass_properties(Mesh(), 1).ok());
    EXPECT_FALSE(mass_properties(box, 0).ok());
    EXPECT_FALSE(mass_properties(box, std::nan("")).ok());
}

}  // namespace
}  // namespace plush
