#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/cutting/cut_checks.hpp"
#include "geometry/cutting/sheet_triangles.hpp"
#include "plush/core/random.hpp"
#include "support/errors.hpp"

// Blades with a bent edge: sides of the whole sheet, and what becomes of tets and skins that it goes through.

namespace plush {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

/// In the plane of x and z, `back` along y, from below everything to above it.
BladeSheet upright(const std::vector<std::array<double, 2>>& line) {
    BladeSheet blade{{}, {0, 20, 0}};
    for (const auto& [x, z] : line) blade.edge.push_back({x, -10, z});
    return blade;
}

BladeSheet vee(double x, double z, double depth) {
    return upright({{x + depth, z - 3}, {x, z}, {x + depth, z + 3}});
}

/// Pieces of an arc about a middle, from one angle to another.
BladeSheet arc(const Vec3& middle, double radius, double from, double to, int pieces = 8) {
    BladeSheet blade{{}, {0, 20, 0}};
    for (int k = 0; k <= pieces; ++k) {
        const double a = from + (to - from) * k / pieces;
        blade.edge.push_back(middle + Vec3{radius * std::cos(a), -10, radius * std::sin(a)});
    }
    return blade;
}

BladeSheet ring(const Vec3& middle, double radius, int pieces) {
    BladeSheet blade = arc(middle, radius, 0, 2 * pi, pieces);
    blade.edge.back() = blade.edge.front();
    return blade;
}

double polygon_area(double radius, int pieces) {
    return 0.5 * pieces * radius * radius * std::sin(2 * pi / pieces);
}

/// Turned about an axis through the origin.
BladeSheet turned(BladeSheet blade, const Quat& q, const Vec3& to = {}) {
    for (Vec3& p : blade.edge) p = to + rotate(q, p);
    blade.back = rotate(q, blade.back);
    return blade;
}

TEST(BladeSheet, HasTwoSidesAsAWhole) {
    const CutSheet v(vee(0.3, 0, 1.5));
    Random random(3);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    for (int k = 0; k < 1000; ++k) {
        const Vec3 p{number(), 5 * number(), number()};
        const double beyond = p.x - (0.3 + 0.5 * std::abs(p.z));  // inside of the V
        EXPECT_EQ(v.height(p) < 0, beyond > 0) << p.x << " " << p.z;
    }
    // A single plate beside it: n·(p − from).
    const CutSheet flat(plane({0.1, 0.2, 0.3}, {1, 2, 3}));
    EXPECT_NEAR(flat.height({0.1 + 1, 0.2 + 2, 0.3 + 3}), std::sqrt(14), 1e-12);
}

TEST(BladeSheet, ARingHasAnInsideAndAnOutside) {
    const int pieces = 7;
    const CutSheet sheet(ring({0.1, 0, -0.2}, 0.5, pieces));
    Random random(3);
    for (int k = 0; k < 2000; ++k) {
        const Vec3 d{2 * random.uniform() - 1, random.uniform(), 2 * random.uniform() - 1};
        const double step = 2 * pi / pieces;
        double angle = std::fmod(std::atan2(d.z, d.x) + 4 * pi, step) - step / 2;
        const bool inside = std::hypot(d.x, d.z) * std::cos(angle) < 0.5 * std::cos(step / 2);
        const double s = sheet.height(d + Vec3{0.1, 0, -0.2});
        EXPECT_EQ(s > 0, inside) << k;
    }
}

TEST(BladeSheet, IsLaidFlatAndBack) {
    for (const BladeSheet& blade : {arc({0, 0, 0}, 0.7, 0.3, 2.5), ring({0, 0, 0}, 0.7, 9),
                                    turned(vee(0, 0, 1), exp_rotation({0.2, 0.4, 0.6}))}) {
        const CutSheet sheet(blade);
        for (int k = 0; k < 50; ++k) {
            const Vec3 flat{sheet.length() * (k + 0.5) / 50, std::sin(k), 0};
            const Vec3 place = sheet.rolled(flat);
            EXPECT_LT(std::abs(sheet.height(place)), 1e-13);
            EXPECT_LT(norm(sheet.unrolled(place) - flat), 1e-12);
        }
    }
}

TEST(BladeSheet, WhatCannotBeABladeIsNamed) {
    const auto says = [](const BladeSheet& blade, const char* words) {
        const auto fault = fault_of(blade);
        return fault && test::says(fault->problem, words) && !fault->cure.empty();
    };
    EXPECT_FALSE(fault_of(ring({0, 0, 0}, 1, 3)));
    EXPECT_FALSE(fault_of(arc({0, 0, 0}, 1, 0, 6, 100)));
    EXPECT_FALSE(fault_of(vee(0, 0, 10)));
    EXPECT_TRUE(says({{}, {0, 1, 0}}, "0 points"));
    EXPECT_TRUE(says({{{0, 0, 0}}, {0, 1, 0}}, "1 points"));
    EXPECT_TRUE(says({std::vector<Vec3>(1001), {0, 1, 0}}, "1001 points"));
    EXPECT_TRUE(says(upright({{0, 0}, {1, 0}, {1, 0}}), "no area between points 1 and 2"));
    EXPECT_TRUE(says({{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, {0, 1, 0}}, "no area between points 1 and 2"));
    EXPECT_TRUE(says(upright({{0, 0}, {1, 0}, {0, 0.01}}), "folds back at point 1"));
    EXPECT_TRUE(says(upright({{0, 0}, {1, 0}, {0, 0}}), "folds back"));
    EXPECT_TRUE(says(upright({{0, 0}, {2, 0}, {1, 1}, {1, -1}}), "meets itself"));
    EXPECT_TRUE(says(upright({{0, 0}, {2, 0}, {1, 1}, {1, 0}}), "meets itself"));  // it touches
    // A turn of a screw closes only in the view along its back.
    BladeSheet screw = ring({0, 0, 0}, 1, 8);
    for (std::size_t k = 0; k < screw.edge.size(); ++k) screw.edge[k].y += 0.1 * static_cast<double>(k);
    EXPECT_TRUE(says(screw, "meets itself"));
}

TEST(CutCurved, AVeeMakesTwoOfABox) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {12, 6, 6}).value());
    EXPECT_GT(cut(solid, vee(0.13, 0.03, 3)).cuts, 0u);
    EXPECT_EQ(solid.pieces(), 2u);
    expect_sound(solid, 2);
    const auto volumes = part_volumes(surface_of(solid));
    ASSERT_EQ(volumes.size(), 2u);
    // The inside of the V: ∫ 1 − (0.13 + |z − 0.03|) dz. Tets take the tip off.
    const double ideal = 0.87 - 0.5 * (0.53 * 0.53 + 0.47 * 0.47);
    EXPECT_NEAR(volumes[0], ideal, 0.01 * ideal);
    EXPECT_LE(volumes[0], ideal);
}

TEST(CutCurved, AnArcOfEightMakesTwoOfABox) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {12, 6, 6}).value());
    const BladeSheet blade = arc({-0.5, 0, 0}, 0.9, -1, 1);
    EXPECT_GT(cut(solid, blade).cuts, 0u);
    EXPECT_EQ(solid.pieces(), 2u);
    expect_sound(solid, 2);
    EXPECT_EQ(part_volumes(surface_of(solid)).size(), 2u);
}

TEST(CutCurved, ARingPunchesAPlug) {
    for (const int pieces : {3, 6, 24}) {
        CutSolid solid(tet_box({0.5, 0.1, 0.5}, {20, 4, 20}).value());
        EXPECT_GT(cut(solid, ring({0.02, 0, -0.03}, 0.3, pieces)).cuts, 0u);
        EXPECT_EQ(solid.pieces(), 2u);
        expect_sound(solid, 0.2);
        const auto volumes = part_volumes(surface_of(solid));
        ASSERT_EQ(volumes.size(), 2u);
        const double ideal = 0.2 * polygon_area(0.3, pieces);
        EXPECT_NEAR(volumes[0], ideal, 0.02 * ideal) << pieces;
    }
}

// Plates in planes of the grid: every point on them is on the blade, and in the corner whole tets are.
TEST(CutCurved, ACornerAlongTheGridPartsFaces) {
    for (const double hand : {1.0, -1.0}) {
        CutSolid solid(tet_box({0.5, 0.5, 0.5}, {4, 4, 4}).value());
        EXPECT_GT(cut(solid, upright({{0.25, 3 * hand}, {0.25, 0}, {3, 0}})).cuts, 0u);
        EXPECT_EQ(solid.pieces(), 2u);
        expect_sound(solid, 1);
        // Measured: 0.1262 and 0.1146: tets that span the corner take its tip off.
        EXPECT_NEAR(part_volumes(surface_of(solid))[0], 0.125, 0.011);
    }
}

// Sheets in any direction through tets of every form, one after the other: each leaves a closed surface and
// the whole volume, and no part without material.
TEST(CutCurved, RandomSheetsLeaveTheWholeBehind) {
    const TetMesh bear = tetrahedralise(generate({.shape = "bear", .triangles = 2000}).value(),
                                        {.conforming = true, .cells_across = 10});
    Box3 box;
    for (const Vec3& p : bear.positions()) box.add(p);
    Random random(11);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    double worst = HUGE_VAL;
    for (int trial = 0; trial < 6; ++trial) {
        CutSolid solid(bear);
        const double volume = volume_of(surface_of(solid).positions(), surface_of(solid).triangles());
        for (int k = 0; k < 3; ++k) {
            const Quat turn = exp_rotation({3 * number(), 3 * number(), 3 * number()});
            const Vec3 place =
                0.5 * (box.low + box.high) + 0.1 * times(box.size(), Vec3{number(), number(), number()});
            const BladeSheet blade =
                k == 1 ? ring({0, 0, 0}, 0.3, 12) : arc({-1, 0, 0}, 1, -1.5, 1.5, 8 + trial);
            EXPECT_FALSE(fault_of(blade));
            cut(solid, turned(blade, turn, place));
            EXPECT_GE(solid.pieces(), static_cast<std::size_t>(k + 2));
            expect_sound(solid, volume);
        }
        for (const double s : solid.shares()) worst = std::min(worst, s);
    }
    EXPECT_GT(worst, 1e-9);
}

/// Every edge as often in one direction as in the other: where a body slides along a blade of whatever form,
/// faces with points in the middle of a side may have triangles that touch along an edge.
void expect_closed(const CutSolid& solid, double volume) {
    const Mesh surface = surface_of(solid);
    std::map<std::pair<int, int>, int> sums;
    for (const Triangle& t : surface.triangles())
        for (std::size_t c = 0; c < 3; ++c) {
            ++sums[{t[c], t[(c + 1) % 3]}];
            --sums[{t[(c + 1) % 3], t[c]}];
        }
    for (const auto& [edge, sum] : sums) EXPECT_EQ(sum, 0);
    EXPECT_NEAR(volume_of(surface.positions(), surface.triangles()), volume, 1e-12 * volume);
    for (const double share : solid.shares()) EXPECT_GT(share, 0);
}

// Deeper step by step, while the body slides to and fro: no slices, no bridges, and at last two pieces.
TEST(CutCurved, BladesGoDeeperStepByStep) {
    for (const int shape : {0, 1, 2}) {
        CutSolid solid(tet_box({0.5, 0.2, 0.5}, {10, 4, 10}).value());
        CutStroke stroke;
        std::size_t pieces = 1;
        for (int k = 0; k <= 25; ++k) {
            const double depth = 0.25 - 0.02 * k;
            BladeSheet blade = shape == 0   ? upright({{0.013, -2}, {0.013, 2}})
                               : shape == 1 ? arc({-0.9, 0, 0}, 1, -1, 1)
                                            : ring({0, 0, 0}, 0.3, 12);
            for (Vec3& p : blade.edge) p.y = depth;
            blade.back = {0, 2, 0};
            std::vector<Vec3> x = rest_of(solid);
            for (Vec3& p : x) p += 0.03 * Vec3{std::sin(0.5 * k), 0, std::sin(0.3 * k)};
            solid.cut(blade, x, stroke);
            expect_closed(solid, 0.4);
            EXPECT_GE(solid.pieces(), pieces);
            pieces = solid.pieces();
            if (depth > -0.1) {
                EXPECT_EQ(pieces, 1u);
            }
        }
        EXPECT_EQ(pieces, 2u) << shape;  // one where cells that have moved away from the blade are left
    }
}

/// The part of a ball about the origin, as high along y as wide, that is above the sheet.
double part_above(const BladeSheet& blade, double radius) {
    const CutSheet sheet(blade);
    constexpr int n = 400;
    double above = 0, all = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            const double x = radius * (2 * (i + 0.5) / n - 1), z = radius * (2 * (j + 0.5) / n - 1);
            const double chord = std::sqrt(std::max(radius * radius - x * x - z * z, 0.0));
            all += chord;
            if (sheet.height({x, 0, z}) > 0) above += chord;
        }
    return above / all;
}

TEST(CutCurved, SkinsAreCutByBentBlades) {
    for (const BladeSheet& blade : {vee(0.05, 0.02, 2), arc({-0.6, 0, 0}, 0.65, -1.2, 1.2),
                                    ring({0.02, 0, 0.01}, 0.25, 12), ring({0.02, 0, 0.01}, 0.3, 3)}) {
        Skinned ball("icosphere");
        EXPECT_GT(ball.through(blade), 0u);
        EXPECT_EQ(ball.cut.pieces(ball.solid), 2u);
        ball.expect_sound(ball.volume());
        const auto volumes = part_volumes(ball.surface());
        ASSERT_EQ(volumes.size(), 2u);
        const double above = part_above(blade, 0.5), ideal = std::min(above, 1 - above);
        EXPECT_NEAR(volumes[0] / ball.volume(), ideal, 0.002);  // measured: 1e-4 to 1.2e-3
    }
}

// A skin of twelve triangles: bends, and whole rings, lie inside of one.
TEST(CutCurved, CoarseSkinsAreCutWhereTheBladeIs) {
    const Mesh cube = generate({.shape = "box"}).value();
    ASSERT_EQ(cube.triangles().size(), 12u);
    const auto smaller = [&](const BladeSheet& blade) {
        Skinned body(cube);
        EXPECT_GT(body.through(blade), 0u);
        EXPECT_EQ(body.cut.pieces(body.solid), 2u);
        body.expect_sound(1);
        const auto volumes = part_volumes(body.surface());
        EXPECT_EQ(volumes.size(), 2u);
        return volumes[0];
    };
    EXPECT_NEAR(smaller(vee(0.1, 0.03, 3)), 0.16, 1e-3);
    EXPECT_NEAR(smaller(ring({0.02, 0, 0.03}, 0.3, 12)), polygon_area(0.3, 12), 1e-3);
    EXPECT_NEAR(smaller(ring({0.02, 0, 0.03}, 0.3, 3)), polygon_area(0.3, 3), 1e-3);
    EXPECT_NEAR(smaller(ring({0.02, 0, 0.03}, 0.3, 200)), polygon_area(0.3, 200), 1e-2);
    // A hook that goes in and out of one face.
    EXPECT_NEAR(smaller(upright({{0.9, -0.1}, {0.1, -0.1}, {0.1, 0.15}, {0.9, 0.15}})), 0.4 * 0.25, 1e-3);
}

// Toys with arms and legs, cut in any direction by gouges.
TEST(CutCurved, RandomSheetsThroughSkinsLeaveTheWholeBehind) {
    Random random(5);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    int cuts = 0, tries = 0;
    for (const char* shape : {"bear", "bunny", "torus"}) {
        Skinned toy(shape);
        const Box3 box = toy.skin.bounds();
        for (int k = 0; k < 4; ++k) {
            const std::size_t before = toy.cut.pieces(toy.solid);
            const Vec3 middle =
                0.5 * (box.low + box.high) + 0.1 * times(box.size(), Vec3{number(), number(), number()});
            const BladeSheet blade =
                k == 2 ? ring({0, 0, 0}, 0.25, 10) : arc({-1, 0, 0}, 1, -1.5, 1.5, 8 + k);
            ++tries;
            cuts += toy.through(
                        turned(blade, exp_rotation({3 * number(), 3 * number(), 3 * number()}), middle)) > 0;
            EXPECT_GE(toy.cut.pieces(toy.solid), before);
            toy.expect_sound(toy.volume());
        }
        EXPECT_GE(toy.cut.pieces(toy.solid), 3u) << shape;
    }
    EXPECT_EQ(cuts, tries);
}

// A wedge scratches what stands out most: flakes that are smaller than the tets around them come off with
// tets of their own, or not at all.
TEST(CutCurved, FlakesComeOffSoundlyOrNotAtAll) {
    const Skinned whole("bear");
    const double volume = whole.volume();
    Random random(9);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    int cuts = 0;
    for (int k = 0; k < 40; ++k) {
        Skinned toy = whole;
        const Vec3 n = normalised(Vec3{number(), number(), number()});
        const Vec3 s = normalised(cross(n, Vec3{number(), number(), number()})), back = cross(n, s);
        Vec3 top = toy.skin.positions()[0];
        for (const Vec3& p : toy.skin.positions())
            if (dot(n, p) > dot(n, top)) top = p;
        const Vec3 apex = top - 0.002 * (1 + k % 10) * n - 5 * back;
        cuts += toy.through({{apex + n + s, apex, apex + n - s}, 10 * back}) > 0;
        EXPECT_TRUE(toy.cut.sound(toy.solid));
        const Mesh mesh = toy.surface();
        EXPECT_EQ(open_edges(mesh.triangles()), 0);
        EXPECT_NEAR(volume_of(mesh.positions(), mesh.triangles()), volume, 1e-9 * volume) << k;
    }
    EXPECT_GT(cuts, 20);  // measured: 33
}

}  // namespace
}  // namespace plush
