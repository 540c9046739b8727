#include <gtest/gtest.h>

#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/volume_springs.hpp"
#include "bodies/round_trip.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using test::says;

std::size_t springs_of(const DeformableModel& model) {
    return dynamic_cast<const Springs&>(*model.elements.front()).size();
}

double mass_of(const DeformableModel& model) {
    double sum = 0;
    for (double m : model.masses) sum += m;
    return sum;
}

/// It hangs by its first vertex for a second without going bad.
void expect_alive(DeformableModel model) {
    DeformableBody body(std::move(model), {});
    body.pin(0);
    for (int i = 0; i < 60; ++i) test::step(body, 1.0 / 60, {0, -9.81, 0});
    EXPECT_TRUE(body.is_finite());
    EXPECT_FALSE(body.problem().has_value());
    EXPECT_LT(body.speed_spread(), 100);
}

TEST(Topologies, Rope) {
    DeformableModel model = rope({0, 0, 0}, {2, 0, 0}, 10, {.density = 0.3}).value();
    EXPECT_EQ(model.positions.size(), 11u);
    EXPECT_EQ(springs_of(model), 10u + 9u);
    EXPECT_NEAR(mass_of(model), 0.6, 1e-15);
    EXPECT_NEAR(model.masses[0], 0.03, 1e-15);
    expect_alive(std::move(model));
    DeformableModel angles =
        rope({0, 0, 0}, {2, 0, 0}, 10, {.bending = Bending::angles, .mass = 5.0}).value();
    EXPECT_EQ(angles.elements.size(), 2u);
    EXPECT_NEAR(mass_of(angles), 5, 1e-14);
    expect_alive(std::move(angles));
}

TEST(Topologies, ClothGrid) {
    const int nx = 6, ny = 4;
    DeformableModel model = cloth({0, 0, 0}, {1, 0, 0}, {0, 2, 0}, nx, ny, {.density = 0.3}).value();
    EXPECT_EQ(model.positions.size(), 24u);
    EXPECT_EQ(model.triangles.size(), 2u * 5 * 3);
    const std::size_t structural = 5 * 4 + 6 * 3, shear = 2 * 5 * 3, bend = 4 * 4 + 6 * 2;
    EXPECT_EQ(springs_of(model), structural + shear + bend);
    EXPECT_NEAR(mass_of(model), 0.6, 1e-14);
    expect_alive(std::move(model));
}

TEST(Topologies, ClothOfAMeshWithAnglesAndVolume) {
    const Mesh ball = shapes::icosphere(0.5, 320);
    const std::size_t edges = ball.triangles().size() * 3 / 2;
    EXPECT_EQ(springs_of(cloth(ball, {}).value()), 2 * edges);
    DeformableModel model = cloth(ball, {.bend = 0.1, .bending = Bending::angles, .volume = 1000}).value();
    EXPECT_EQ(springs_of(model), edges);
    EXPECT_EQ(model.elements.size(), 3u);
    EXPECT_NEAR(mass_of(model), area(ball), 1e-12);
    expect_alive(std::move(model));
}

// With volume a ball that is squeezed flat comes back to it; springs alone keep it flat.
TEST(Topologies, AVolumeSpringKeepsTheVolume) {
    const Mesh ball = shapes::icosphere(0.5, 320);
    const auto volume_after = [&](double k) {
        DeformableSettings settings;
        settings.damping = 2;
        DeformableBody body(cloth(ball, {.stretch = 1, .bend = 0, .volume = k, .density = 1}).value(),
                            settings);
        for (std::uint32_t i = 0; i < body.node_count(); ++i)
            body.set_vertex(i, times(body.positions()[i], {1, 0.1, 1}), {});
        for (int i = 0; i < 300; ++i) test::step(body, 1.0 / 60);
        const std::vector<Triangle> t(body.triangles().begin(), body.triangles().end());
        return ClosedVolume(t, 1, 0).volume(body.positions()) / volume(ball);
    };
    EXPECT_NEAR(volume_after(1e4), 1, 0.01);
    EXPECT_LT(volume_after(0), 0.9);
}

TEST(Topologies, Jelly) {
    DeformableModel model = jelly({{0, 0, 0}, {2, 1, 1}}, 4, 2, 3, {.density = 100}).value();
    EXPECT_EQ(model.positions.size(), 5u * 3 * 4);
    const std::size_t edges = 4 * 3 * 4 + 5 * 2 * 4 + 5 * 3 * 3;
    const std::size_t faces = 2 * (4 * 2 * 4 + 4 * 3 * 3 + 5 * 2 * 3), bodies = 4 * 4 * 2 * 3;
    EXPECT_EQ(springs_of(model), edges + faces + bodies);
    EXPECT_NEAR(mass_of(model), 200, 1e-11);
    const MeshReport report = check(Mesh(model.positions, model.triangles));
    EXPECT_TRUE(report.closed && report.outward);
    EXPECT_NEAR(report.volume, 2, 1e-14);
    expect_alive(std::move(model));
    expect_alive(jelly({{0, 0, 0}, {1, 1, 1}}, 1, 1, 1, {.volume = 100}).value());
}

TEST(Topologies, TetSprings) {
    const TetMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, {{0, 1, 2, 3}, {1, 2, 3, 4}});
    DeformableModel model = tet_springs(mesh, {.volume = 100, .density = 6}).value();
    EXPECT_EQ(springs_of(model), 9u);
    EXPECT_EQ(model.triangles.size(), 6u);
    EXPECT_TRUE(check(Mesh(model.positions, model.triangles)).outward);
    EXPECT_NEAR(mass_of(model), 6 * (1. / 6 + 1. / 3), 1e-14);
    EXPECT_NEAR(model.masses[0], 0.25, 1e-15);
    expect_alive(std::move(model));
}

TEST(Topologies, VirtualShells) {
    const Mesh ball = shapes::icosphere(0.5, 80);
    const std::size_t n = ball.positions().size(), edges = ball.triangles().size() * 3 / 2;
    for (int shells : {1, 3}) {
        DeformableModel model = virtual_shells(ball, shells, -0.1, {.density = 10}).value();
        const std::size_t s = static_cast<std::size_t>(shells);
        EXPECT_EQ(model.positions.size(), n * (s + 1));
        EXPECT_EQ(springs_of(model), (s + 1) * edges + s * (2 * edges + n));
        EXPECT_NEAR(mass_of(model), 10 * volume(ball), 1e-12);
        EXPECT_NEAR(norm(model.positions[n]), 0.4, 1e-3);
        expect_alive(std::move(model));
    }
    EXPECT_NEAR(norm(virtual_shells(ball, 1, 0.1, {}).value().positions[n]), 0.6, 1e-3);
}

// The lecture's film in numbers: shells hold the shape under weight where the bare surface folds.
TEST(Topologies, ShellsHoldTheShape) {
    const Mesh ball = shapes::icosphere(0.5, 320);
    const auto height = [&](DeformableModel model) {
        DeformableSettings settings;
        settings.damping = 5;
        DeformableBody body(std::move(model), settings);
        for (std::uint32_t i = 0; i < ball.positions().size(); ++i)
            if (ball.positions()[i].y < -0.45) body.pin(i);
        for (int i = 0; i < 300; ++i) test::step(body, 1.0 / 60, {0, -9.81, 0});
        return body.bounds().size().y;
    };
    const SpringMaterial material{.stretch = 60, .shear = 60, .bending = Bending::none, .mass = 0.5};
    const double bare = height(cloth(ball, material).value());
    const double one = height(virtual_shells(ball, 1, -0.15, material).value());
    const double two = height(virtual_shells(ball, 2, -0.15, material).value());
    EXPECT_LT(bare, 0.9);  // measured 0.835
    EXPECT_GT(one, 0.98);  // measured 0.998
    EXPECT_GT(two, 0.98);  // measured 0.999
}

// Edges are what constraints hold, also where no spring does; diagonals and bending are not among them.
TEST(Topologies, EdgesAreKnownWithoutTheirSprings) {
    const SpringMaterial limp{.stretch = 0, .shear = 10, .bend = 10};
    const Mesh ball = shapes::icosphere(0.5, 80);
    EXPECT_EQ(rope({0, 0, 0}, {1, 0, 0}, 7, limp).value().structure.size(), 7u);
    EXPECT_EQ(cloth({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 6, 4, limp).value().structure.size(), 5u * 4 + 6 * 3);
    EXPECT_EQ(cloth(ball, limp).value().structure.size(), 120u);
    EXPECT_EQ(jelly({{0, 0, 0}, {1, 1, 1}}, 1, 1, 1, limp).value().structure.size(), 12u);
    EXPECT_EQ(virtual_shells(ball, 1, -0.1, limp).value().structure.size(), 2u * 120 + 42);
    EXPECT_EQ(tet_springs(tet_box({1, 1, 1}, {1, 1, 1}).value(), limp).value().structure.size(), 12u + 6);
}

TEST(Topologies, ConstraintsOnEdges) {
    DeformableModel model = rope({0, 0, 0}, {2, 0, 0}, 2, {}).value();
    const std::vector<double> w{0, 1, 1};
    const auto projected = [&](const ConstraintSettings& settings, double end) {
        std::vector<Vec3> x = model.positions;
        x[2].x = end;
        edge_constraints(model, settings).project(x, w);
        return x[2].x;
    };
    EXPECT_EQ(projected({}, 5), 5);
    EXPECT_NEAR(projected({.inextensible = true, .iterations = 100}, 3), 2, 1e-12);
    EXPECT_NEAR(projected({.inextensible = true, .iterations = 100}, 1.5), 2, 1e-12);
    EXPECT_NEAR(projected({.max_stretch = 1.25, .iterations = 100}, 3), 2.5, 1e-12);
    EXPECT_EQ(projected({.max_stretch = 1.25}, 1.5), 1.5);
    // One turn is one turn: the pull has not come round to the first edge yet.
    EXPECT_NEAR(projected({.inextensible = true, .iterations = 1}, 3), 2.5, 1e-12);
}

TEST(Topologies, WhatCannotBeBuiltIsSaid) {
    const Mesh open({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
    const Mesh loose({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}}, {{0, 1, 2}});
    EXPECT_FALSE(rope({0, 0, 0}, {0, 0, 0}, 3, {}).ok());
    EXPECT_FALSE(rope({0, 0, 0}, {1, 0, 0}, 0, {}).ok());
    EXPECT_FALSE(rope({0, 0, 0}, {1, 0, 0}, 2'000'000'000, {}).ok());
    EXPECT_FALSE(cloth({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 100'000, 100'000, {}).ok());
    EXPECT_FALSE(cloth({0, 0, 0}, {1, 0, 0}, {2, 0, 0}, 3, 3, {}).ok()) << "no area, no mass";
    EXPECT_FALSE(cloth({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 3, 3, {.stretch = -1}).ok());
    EXPECT_FALSE(cloth({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 3, 3, {.density = 0}).ok());
    EXPECT_FALSE(cloth({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, 3, 3, {.bend = std::nan("")}).ok());
    EXPECT_FALSE(cloth(loose, {}).ok());
    EXPECT_FALSE(cloth(open, {.volume = 10}).ok());
    EXPECT_FALSE(virtual_shells(open, 1, 0.1, {}).ok());
    EXPECT_FALSE(virtual_shells(shapes::icosphere(1, 80), 0, 0.1, {}).ok());
    EXPECT_FALSE(virtual_shells(Mesh(), 1, 0.1, {}).ok());
    EXPECT_FALSE(jelly({{0, 0, 0}, {1, 0, 1}}, 2, 2, 2, {}).ok());
    EXPECT_FALSE(jelly(Box3{}, 2, 2, 2, {}).ok());
    EXPECT_TRUE(cloth(open, {}).ok());
    EXPECT_FALSE(tet_springs(TetMesh(), {}).ok());
    EXPECT_TRUE(says(cloth(loose, {}).error().place(), "vertex 3"));
}

}  // namespace
}  // namespace plush
