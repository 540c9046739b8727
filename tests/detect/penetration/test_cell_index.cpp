#include <gtest/gtest.h>

#include <algorithm>

#include "detect/penetration/cell_index.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

Vec3 random_point(Random& random) {
    return {random.uniform(0, 7), random.uniform(0, 5), random.uniform(0, 3)};
}

TEST(CellIndex, FindsWhatIsInABoxOfCells) {
    Random random(4);
    std::vector<Vec3> points(500);
    for (Vec3& p : points) p = random_point(random);
    for (const DepthCells kind : {DepthCells::dense, DepthCells::hash}) {
        CellIndex cells;
        cells.begin(kind, {{0, 0, 0}, {7, 5, 3}}, 0.5, points.size());
        EXPECT_EQ(cells.kind(), kind);
        for (const Vec3& p : points) cells.count(cells.place_of(cells.cell_of(p)));
        cells.finish_count();
        for (std::uint32_t i = 0; i < points.size(); ++i)
            cells.put(cells.place_of(cells.cell_of(points[i])), i);
        for (int k = 0; k < 50; ++k) {
            Box3 box;
            box.add(random_point(random)), box.add(random_point(random));
            std::vector<std::uint8_t> seen(points.size(), 0);
            cells.stretches(cells.cell_of(box.low), cells.cell_of(box.high),
                            [&](std::uint32_t begin, std::uint32_t end) {
                                for (std::uint32_t i = begin; i < end; ++i) seen[cells.items()[i]] = 1;
                            });
            for (std::size_t i = 0; i < points.size(); ++i) EXPECT_TRUE(seen[i] || !box.contains(points[i]));
            if (kind == DepthCells::dense) {
                const Box3 cover{cells.box_of(cells.cell_of(box.low)).low,
                                 cells.box_of(cells.cell_of(box.high)).high};
                for (std::size_t i = 0; i < points.size(); ++i)
                    EXPECT_TRUE(!seen[i] || cover.contains(points[i]));
            }
        }
    }
}

TEST(CellIndex, ASegmentPassesTheCellsOfAllItsPoints) {
    Random random(5);
    CellIndex cells;
    cells.begin(DepthCells::dense, {{0, 0, 0}, {7, 5, 3}}, 0.5, 1000);
    for (int k = 0; k < 200; ++k) {
        Vec3 a = random_point(random), b = random_point(random);
        if (k % 4 == 1) b.y = a.y;                                 // along a plane
        if (k % 4 == 2) b.y = a.y = 2.5, b.z = a.z = 1.5;          // along an edge between cells
        if (k % 4 == 3) a = {0.5, 0.5, 0.5}, b = {2.5, 2.5, 2.5};  // through corners
        std::vector<Cell> passed;
        cells.along(a, b, [&](const Cell& c) { passed.push_back(c); });
        EXPECT_EQ(passed.front(), cells.cell_of(a));
        EXPECT_EQ(passed.back(), cells.cell_of(b));
        for (std::size_t i = 1; i < passed.size(); ++i)
            EXPECT_EQ(std::abs(passed[i].x - passed[i - 1].x) + std::abs(passed[i].y - passed[i - 1].y) +
                          std::abs(passed[i].z - passed[i - 1].z),
                      1);
        if (k % 4 != 0) continue;
        for (int i = 0; i <= 1000; ++i)
            EXPECT_NE(std::find(passed.begin(), passed.end(), cells.cell_of(a + i / 1000.0 * (b - a))),
                      passed.end());
    }
}

// Two things a thousand kilometres apart must not ask for all the cells between them.
TEST(CellIndex, WhatWouldBeMostlyEmptyIsHashed) {
    CellIndex cells;
    cells.begin(DepthCells::dense, {{0, 0, 0}, {1e6, 1e6, 1e6}}, 1e-3, 10);
    EXPECT_EQ(cells.kind(), DepthCells::hash);
    const Cell far = cells.cell_of({1e6, 1e6, 1e6}), beyond = cells.cell_of({1e300, -1e300, 0});
    cells.count(cells.place_of(far)), cells.count(cells.place_of(beyond));
    cells.finish_count();
    cells.put(cells.place_of(far), 7);
    EXPECT_EQ(cells.items(cells.place_of(far)).front(), 7u);
}

}  // namespace
}  // namespace plush
