#include <gtest/gtest.h>

#include "geometry/mesh/embedding.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

Vec3 affine(const Vec3& p) {
    return Mat3{{Vec3{1.2, 0.3, -0.4}, Vec3{0.1, 0.8, 0.2}, Vec3{-0.5, 0.2, 1.4}}} * p + Vec3{3, -2, 1};
}

std::vector<Vec3> moved(std::span<const Vec3> x) {
    std::vector<Vec3> out;
    for (const Vec3& p : x) out.push_back(affine(p));
    return out;
}

void expect_affine(const Embedding& embedding, std::span<const Vec3> vertices, std::span<const Vec3> points) {
    std::vector<Vec3> out(points.size());
    embedding.apply(moved(vertices), out);
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_LT(norm(out[i] - affine(points[i])), 1e-12) << i;  // 5e-15 in tets, 2e-14 in points
        double sum = 0;
        for (const auto& e : embedding.row(i)) sum += e.weight;
        EXPECT_NEAR(sum, 1, 1e-13);
    }
    // The transposed map does the same work.
    Random random(1);
    const auto any = [&] { return Vec3{random.uniform(), random.uniform(), random.uniform()}; };
    std::vector<Vec3> x, f;
    for (std::size_t j = 0; j < vertices.size(); ++j) x.push_back(any());
    for (std::size_t i = 0; i < points.size(); ++i) f.push_back(any());
    embedding.apply(x, out);
    std::vector<Vec3> g(vertices.size());
    embedding.add_transposed(f, g);
    double here = 0, there = 0;
    for (std::size_t i = 0; i < f.size(); ++i) here += dot(f[i], out[i]);
    for (std::size_t j = 0; j < g.size(); ++j) there += dot(g[j], x[j]);
    EXPECT_NEAR(here, there, 1e-11 * std::abs(here));
}

TEST(Embedding, in_tets_follows_affine_maps_inside_and_just_outside) {
    const TetMesh tets = tet_box({0.5, 0.5, 0.5}, {3, 4, 5}).value();
    const Mesh ball = shapes::icosphere(0.55, 1280);  // pokes out of the box
    const Embedding e = Embedding::in_tets(tets, ball.positions()).value();
    expect_affine(e, tets.positions(), ball.positions());
    for (std::size_t i = 0; i < e.size(); ++i)
        for (const auto& entry : e.row(i)) {
            EXPECT_GT(entry.weight, -0.5);  // 0.05 m outside, cells of 0.1 m: -0.33
            EXPECT_LT(entry.weight, 1.5);
            if (max_component(abs(ball.positions()[i])) < 0.5) {
                EXPECT_GT(entry.weight, -1e-9);
            }
        }
}

TEST(Embedding, a_vertex_of_the_mesh_carries_itself) {
    const TetMesh tets = tet_box({0.5, 0.5, 0.5}, {2, 2, 2}).value();
    const Embedding e = Embedding::in_tets(tets, tets.positions()).value();
    for (std::size_t i = 0; i < e.size(); ++i)
        for (const auto& entry : e.row(i)) EXPECT_NEAR(entry.weight, entry.vertex == i ? 1 : 0, 1e-12);
}

TEST(Embedding, in_points_follows_affine_maps) {
    Random random(5);
    std::vector<Vec3> cloud;
    for (int i = 0; i < 300; ++i) cloud.push_back(random_vector(random, 0.5));
    const Mesh ball = shapes::icosphere(0.5, 320);
    expect_affine(Embedding::in_points(cloud, ball.positions()).value(), cloud, ball.positions());
    // A grid has many vertices in one plane: more are taken.
    const TetMesh tets = tet_box({0.5, 0.5, 0.5}, {6, 6, 6}).value();
    expect_affine(Embedding::in_points(tets.positions(), ball.positions()).value(), tets.positions(),
                  ball.positions());
}

TEST(Embedding, refuses_what_cannot_be_carried) {
    EXPECT_FALSE(Embedding::in_tets(TetMesh{}, std::vector<Vec3>{{0, 0, 0}}).ok());
    std::vector<Vec3> plane;
    for (int i = 0; i < 40; ++i) plane.push_back({i % 7 * 0.1, 0, i / 7 * 0.1});
    EXPECT_TRUE(Embedding::in_points(plane, std::vector<Vec3>{{0.33, 0, 0.21}}).ok());
    const auto refused = Embedding::in_points(plane, std::vector<Vec3>{{0.33, 0, 0.21}, {0.3, 0.1, 0.2}});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().place(), "point 1");
    EXPECT_FALSE(Embedding::in_points({}, std::vector<Vec3>{{0, 0, 0}}).ok());
}

}  // namespace
}  // namespace plush
