#include <gtest/gtest.h>

#include "detect/penetration/crossing.hpp"
#include "detect/penetration/tet_overlap.hpp"
#include "detect/penetration/tet_things.hpp"

namespace plush {
namespace {

const TetCorners corner{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

TetCorners moved(TetCorners t, const Vec3& by) {
    for (Vec3& p : t) p += by;
    return t;
}

TEST(TetOverlap, ATetOverlapsItself) {
    EXPECT_TRUE(tets_overlap(corner, corner));
    TetCorners turned = corner;
    std::swap(turned[0], turned[1]);  // negative volume is as good
    EXPECT_TRUE(tets_overlap(corner, turned));
    EXPECT_TRUE(tets_overlap(turned, corner));
}

TEST(TetOverlap, TetsThatTouchShareNothing) {
    const TetCorners below{{{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, -1}}};
    EXPECT_FALSE(tets_overlap(corner, below));                     // a face
    EXPECT_FALSE(tets_overlap(corner, moved(corner, {1, 0, 0})));  // a vertex on a vertex
    const TetCorners edge{{{0, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 0, -1}}};
    EXPECT_FALSE(tets_overlap(corner, edge));  // an edge
    // Edges that cross at one place: x axis against a line through (0.5, 0, 0).
    const TetCorners crossing{{{0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, {0.5, 1, -1}, {0.2, 1, -1}}};
    EXPECT_TRUE(tets_overlap(corner, crossing));
    const TetCorners roof{{{0.5, -1, 1}, {0.5, 1, -1}, {0.4, -1, -1}, {0.6, -1, -1}}};
    EXPECT_FALSE(tets_overlap(corner, roof));
    EXPECT_TRUE(tets_overlap(corner, moved(roof, {0, 1e-300, 1e-16})));  // below rounding, and still seen
    EXPECT_FALSE(tets_overlap(corner, moved(roof, {0, 0, -1e-16})));
}

TEST(TetOverlap, ATetWithoutVolumeOverlapsNothing) {
    TetCorners flat = corner;
    flat[3] = {0.3, 0.3, 0};
    EXPECT_FALSE(tets_overlap(flat, corner));
    EXPECT_FALSE(tets_overlap(corner, moved(flat, {0, 0, 0.1})));
}

// Against sampling: a tet with a point well inside both overlaps; one that no sample is in overlaps little.
TEST(TetOverlap, AgreesWithPointsDrawnAtRandom) {
    Random random(9);
    const auto random_tet = [&](double spread) {
        TetCorners t;
        const Vec3 at{random.uniform(0, spread), random.uniform(0, spread), random.uniform(0, spread)};
        for (Vec3& p : t) p = at + Vec3{random.uniform(), random.uniform(), random.uniform()};
        return t;
    };
    int both = 0, apart = 0;
    for (int k = 0; k < 2000; ++k) {
        const TetCorners a = random_tet(0.8), b = random_tet(0.8);
        const bool answer = tets_overlap(a, b);
        EXPECT_EQ(answer, tets_overlap(b, a));
        bool seen = false;
        for (int i = 0; i < 200 && !seen; ++i) {
            double w[4], sum = 0;
            for (double& v : w) v = random.uniform(), sum += v;
            Vec3 p{};
            for (std::size_t j = 0; j < 4; ++j) p += a[j] * (w[j] / sum);
            std::array<double, 4> weights{};
            seen = point_in_tet(p, b[0], b[1], b[2], b[3], weights);
        }
        EXPECT_TRUE(answer || !seen);
        both += seen, apart += !answer;
    }
    EXPECT_GT(both, 200);
    EXPECT_GT(apart, 300);
}

TEST(TetOverlap, FindsTheTetsOfTwoMeshes) {
    Thing a = block({1, 1, 1}, {3, 3, 3}), b = block({1, 1, 1}, {4, 4, 4});
    const auto overlap = [&] { return find_tet_overlap(a.x, a.shape->tets(), b.x, b.shape->tets()); };
    b.moved({0, 2, 0});
    EXPECT_FALSE(overlap());  // on top, face on face
    b.moved({0, -1e-9, 0});
    const auto found = overlap();
    ASSERT_TRUE(found);
    std::size_t pairs = 0;
    const auto corners = [](const Thing& t, std::size_t i) {
        TetCorners c;
        for (std::size_t k = 0; k < 4; ++k) c[k] = t.x[static_cast<std::size_t>(t.shape->tets()[i][k])];
        return c;
    };
    for (std::size_t i = 0; i < a.shape->tets().size(); ++i)
        for (std::size_t j = 0; j < b.shape->tets().size(); ++j)
            pairs += tets_overlap(corners(a, i), corners(b, j));
    EXPECT_EQ(found->pairs, pairs);
    EXPECT_TRUE(tets_overlap(corners(a, static_cast<std::size_t>(found->a)),
                             corners(b, static_cast<std::size_t>(found->b))));
    b.moved({10, 0, 0});
    EXPECT_FALSE(overlap());
}

}  // namespace
}  // namespace plush
