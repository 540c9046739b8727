#include "detect/depth_images/soft_surface.hpp"

#include <gtest/gtest.h>

#include "plush/geometry/generate.hpp"

// The few points of a soft surface that tell how it moves.

namespace plush {
namespace {

/// A ball as a skin in a tet that is far larger, and a vertex that carries nothing of it.
struct Caged {
    std::vector<Vec3> vertices{{-1, -1, -1}, {3, -1, -1}, {-1, 3, -1}, {-1, -1, 3}, {9, 9, 9}};
    Mesh ball = generate({.shape = "icosphere", .triangles = 320, .size = 0.2}).value();
    std::shared_ptr<const Embedding> skin;
    Caged() {
        std::vector<std::array<Embedding::Entry, 4>> rows;
        for (const Vec3& p : ball.positions()) {
            const Vec3 w = (p + Vec3{1, 1, 1}) / 4.0;
            rows.push_back({{{0, 1 - w.x - w.y - w.z}, {1, w.x}, {2, w.y}, {3, w.z}}});
        }
        skin = std::make_shared<const Embedding>(Embedding::of_rows(rows));
    }
};

std::vector<Vec3> samples(const SoftSurface& surface, const std::vector<Vec3>& vertices) {
    std::vector<Vec3> points;
    surface.samples(vertices, points);
    return points;
}

TEST(SoftSurface, AWitnessTellsOfEachVertexThatCarriesTheSkin) {
    const Caged caged;
    const SoftSurface surface(caged.vertices, caged.ball.triangles(), caged.skin);
    const std::vector<Vec3> before = samples(surface, caged.vertices);
    ASSERT_EQ(before.size(), 4u);
    for (std::size_t v = 0; v < caged.vertices.size(); ++v) {
        std::vector<Vec3> moved = caged.vertices;
        moved[v].x += 1;
        const std::vector<Vec3> after = samples(surface, moved);
        double most = 0, largest_weight = 0;
        for (std::size_t k = 0; k < after.size(); ++k) most = std::max(most, norm(after[k] - before[k]));
        for (std::size_t p = 0; p < caged.skin->size(); ++p)
            for (const Embedding::Entry& e : caged.skin->row(p))
                if (e.vertex == v) largest_weight = std::max(largest_weight, e.weight);
        EXPECT_NEAR(most, largest_weight, 1e-12) << v;
    }
}

TEST(SoftSurface, WithoutASkinEveryVertexOfTheSurfaceIsOne) {
    const Mesh box = generate({.shape = "box", .size = 1}).value();
    const SoftSurface surface(box.positions(), box.triangles(), nullptr);
    const std::vector<Vec3> points = samples(surface, {box.positions().begin(), box.positions().end()});
    EXPECT_EQ(points.size(), box.positions().size());
}

}  // namespace
}  // namespace plush
