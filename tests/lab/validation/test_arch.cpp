#include <gtest/gtest.h>

#include "lab/validation/arch.hpp"

namespace plush::lab {
namespace {

// The thrust of an arch goes through the edges of its joints. With rows at the middles of cells alone it stood with four and
// with six cells across a joint and fell with two, three and by default.
TEST(ArchFull, StandsAndFallsWhateverTheCells) {
    for (const double cells : {0.0, 2.0, 3.0, 4.0, 6.0}) {
        const auto drop = [&](double thickness, double friction) {
            const double cell = cells > 0 ? thickness / cells : 0;
            return keystone_drop({.thickness = thickness, .friction = friction, .cell = cell},
                                 ContactMethod::volume);
        };
        EXPECT_LT(drop(0.15, 0.4), 0.01) << cells;
        EXPECT_GE(drop(0.15, 0.3), 0.2) << cells;
        EXPECT_GE(drop(0.095, 0.8), 0.2) << cells;
    }
}

}  // namespace
}  // namespace plush::lab
