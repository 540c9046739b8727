#include <gtest/gtest.h>

#include <algorithm>

#include "contact/fields/embedded_contact_surface.hpp"
#include "contact/fields/points_on_surfaces.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

using Vectors = std::vector<Vec3>;

/// What a surface gives its vertices in a step that ends with the velocities `after`.
struct Given {
    Vectors force, product;
    std::vector<Mat3> external;
    BlockMatrix matrix;
    double energy = 0;
    std::vector<Twist> impulses{};
    std::vector<std::pair<std::uint32_t, Vec3>> touches{};  ///< point and force
};

/// A ball of 2,562 points in a coarse cage, out of shape, between things that it may touch.
struct Problem {
    TetMesh cage = tet_box({0.5, 0.5, 0.5}, {8, 8, 8}).value();
    Mesh ball = shapes::icosphere(0.45, 5120);
    std::shared_ptr<const Embedding> weights;
    std::vector<double> masses = std::vector<double>(cage.positions().size(), 0.01);
    Vectors x{cage.positions().begin(), cage.positions().end()}, v, after;
    Sdf floor = sdf::plane({0, 0, 0}, {0, 0, 1}), wall = sdf::sphere({0, 0, 0}, 0.3);
    std::vector<Obstacle> obstacles;
    SurfaceSettings settings{};
    IntegrationSettings integration{};
    BlockMatrix pattern;

    Problem() {
        auto embedded = Embedding::in_tets(cage, ball.positions());
        if (!embedded.ok()) throw embedded.error();
        weights = std::make_shared<const Embedding>(std::move(embedded).value());
        Random random(7);
        const auto shake = [&](double size) { return random_vector(random, size); };
        for (Vec3& p : x) {
            p = rotate(from_axis_angle({1, 2, 3}, 50), p) + shake(0.02) + Vec3{0, 0, 0.4};
            v.push_back(shake(1)), after.push_back(shake(1));
        }
        // The ball rests in the corner between the floor and a moving sphere: some points feel both.
        Obstacle moving = floor_obstacle(wall);
        moving.pose.position = {0.45, 0, 0};
        moving.motion = {moving.pose.position, {{-0.5, 0, 0.1}, {0, 1, 0}}};
        moving.index = 1;
        obstacles = {floor_obstacle(floor), moving};
        obstacles[0].friction = 0.5, obstacles[1].friction = 0.2;
        settings.law = SurfaceLaw::buffered, settings.stiffness = 1e3, settings.buffer = 0.02;
        BlockPattern all(x.size());
        for (const Tet& tet : cage.tets()) {
            std::array<std::uint32_t, 4> corners{};
            std::transform(tet.begin(), tet.end(), corners.begin(),
                           [](int i) { return static_cast<std::uint32_t>(i); });
            all.add_all_pairs(corners);
        }
        pattern = BlockMatrix(all);
    }
    static constexpr double h = 0.01, t = 0.004, k = -h * h, b = -h;

    Given nothing() const {
        return {Vectors(x.size()), Vectors(x.size()), std::vector<Mat3>(x.size()), pattern};
    }
    static void look_at(const SurfaceField& field, Given& given) {
        given.impulses.assign(field.impulses().begin(), field.impulses().end());
        for (const SurfaceTouch& touch : field.touches())
            given.touches.emplace_back(touch.vertex, touch.force);
    }
};

Given by_patches(const Problem& p, int threads, bool both_at_once) {
    Given given = p.nothing();
    auto field = std::make_unique<SurfaceField>(p.settings);
    SurfaceField& of = *field;
    of.set_obstacles(p.obstacles, 0);
    EmbeddedContactSurface surface(std::move(field), p.weights, p.masses, p.cage.positions());
    surface.bind(p.pattern);
    surface.begin_step(p.integration, Problem::h);
    surface.set_time(Problem::t);
    std::vector<RankOneTerm> terms;
    std::vector<const EdgeMatrix*> edges;
    Linearisation out{Problem::k, Problem::b, given.matrix, given.external, terms, edges, given.product};
    const Parallel parallel(threads);
    if (both_at_once) {
        surface.add_forces_and_derivatives(p.x, p.v, given.force, out, parallel);
    } else {
        surface.add_derivatives(p.x, p.v, out, parallel);
        surface.add_forces(p.x, p.v, given.force, parallel);
    }
    given.energy = surface.energy(p.x);
    surface.finish_step(p.v, p.after);
    Problem::look_at(of, given);
    return given;
}

/// The same with every point deformed.
Given by_all_points(const Problem& p, bool both_at_once) {
    Given given = p.nothing();
    const Parallel parallel(1);
    const std::size_t n = p.weights->size();
    const auto deformed = [&](const Vectors& of) {
        Vectors points(n);
        p.weights->apply(of, points);
        return points;
    };
    SurfaceField field(p.settings);
    const EmbeddedContactSurface masses(std::make_unique<SurfaceField>(p.settings), p.weights, p.masses, p.x);
    field.set_obstacles(p.obstacles, 0);
    field.begin_step(p.integration, Problem::h, masses.point_masses());
    field.set_time(Problem::t);
    const Vectors points = deformed(p.x), speeds = deformed(p.v);
    Vectors forces(n), products(n);
    std::vector<Mat3> external(n);
    BlockMatrix none;
    std::vector<RankOneTerm> terms;
    std::vector<const EdgeMatrix*> edges;
    Linearisation out{Problem::k, Problem::b, none, external, terms, edges, products};
    if (both_at_once) {
        field.add_forces_and_derivatives(points, speeds, forces, out, parallel);
    } else {
        field.add_derivatives(points, speeds, out, parallel);
        field.add_forces(points, speeds, forces, parallel);
    }
    p.weights->add_transposed(forces, given.force);
    p.weights->add_transposed(products, given.product);
    for (std::size_t i = 0; i < n; ++i) {
        if (external[i] == Mat3{}) continue;
        const auto row = p.weights->row(i);
        for (const auto& [j, w] : row) {
            given.external[j] += w * external[i];
            for (const auto& [l, u] : row)
                given.matrix.add(given.matrix.slot(j, l), (w * (u - (j == l ? 1 : 0))) * external[i]);
        }
    }
    given.energy = field.energy(points);
    field.finish_step(deformed(p.v), deformed(p.after));
    Problem::look_at(field, given);
    return given;
}

void expect_equal(const Given& a, const Given& b) {
    EXPECT_EQ(a.force, b.force);
    EXPECT_EQ(a.product, b.product);
    EXPECT_EQ(a.external, b.external);
    EXPECT_EQ(a.energy, b.energy);
    EXPECT_EQ(a.touches, b.touches);
    ASSERT_EQ(a.impulses.size(), b.impulses.size());
    for (std::size_t o = 0; o < a.impulses.size(); ++o) {
        EXPECT_EQ(a.impulses[o].linear, b.impulses[o].linear);
        EXPECT_EQ(a.impulses[o].angular, b.impulses[o].angular);
    }
    for (std::uint32_t s = 0; s < a.matrix.blocks(); ++s) ASSERT_EQ(a.matrix.block(s), b.matrix.block(s));
}

TEST(EmbeddedContactSurface, PatchesGiveTheBitsOfAllPointsForAnyNumberOfThreads) {
    const Problem p;
    const Given all = by_all_points(p, true);
    // Some points feel one obstacle, some both.
    std::vector<std::uint32_t> points;
    for (const auto& touch : all.touches) points.push_back(touch.first);
    EXPECT_GT(points.size(), 100u);
    EXPECT_NE(std::adjacent_find(points.begin(), points.end()), points.end());
    for (const int threads : {1, 4})
        for (const bool both : {true, false})
            expect_equal(by_patches(p, threads, both), by_all_points(p, both));
}

// The fourth vertex of the tet carries nothing of the three points, which have a weight of nothing on it.
TEST(EmbeddedContactSurface, PointsThatAreVerticesOfTetsHaveAMass) {
    const TetMesh tet({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}});
    const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const auto weights = std::make_shared<const Embedding>(TetEmbedder(tet).embed(points));
    const EmbeddedContactSurface surface(std::make_unique<SurfaceField>(SurfaceSettings{}), weights,
                                         std::vector<double>{1, 2, 3, 4}, tet.positions());
    for (std::size_t p = 0; p < 3; ++p)
        EXPECT_DOUBLE_EQ(surface.point_masses()[p], static_cast<double>(p + 1));
}

TEST(EmbeddedContactSurface, PointsFarFromObstaclesAreLeftAlone) {
    Problem p;
    const auto near = [&] {
        auto field = std::make_unique<SurfaceField>(p.settings);
        field->set_obstacles(p.obstacles, 0);
        return EmbeddedContactSurface(std::move(field), p.weights, p.masses, p.cage.positions())
            .near_points(p.x)
            .size();
    };
    const std::size_t here = near();
    EXPECT_GT(here, 0u);
    EXPECT_LT(here, p.weights->size() / 2);  // measured: 1,175 of 2,562
    for (Vec3& q : p.x) q += Vec3{0, 0, 2};
    EXPECT_EQ(near(), 0u);
    p.obstacles.clear();
    for (Vec3& q : p.x) q -= Vec3{0, 0, 2};
    EXPECT_EQ(near(), 0u);
    // What is not finite may be anywhere.
    p = {};
    for (Vec3& q : p.x) q = Vec3{1, 1, 1} * std::nan("");
    EXPECT_EQ(near(), p.weights->size());
}

}  // namespace
}  // namespace plush
