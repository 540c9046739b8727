#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/studies/study_snake.hpp"

namespace plush::lab {
namespace {

// The table in Figure 7 of Allard et al. 2010: the difference to points shrinks with the cells. What it
// shrinks to is what points differ by among themselves.
TEST(SnakeStudyFull, TheDifferenceToPointsShrinksWithTheCells) {
    Report report;
    snake_against_points(report, {});
    const nlohmann::ordered_json rows = figures(report)["snake"]["rows"];
    const auto find = [&](const std::string& name) {
        for (const auto& row : rows)
            if (row[0] == name) return std::array<double, 2>{row[2], row[3]};
        ADD_FAILURE() << name;
        return std::array<double, 2>{};
    };
    std::array<double, 2> before = find("one contact");
    for (const char* cells : {"300 mm", "150 mm", "75 mm", "46 mm", "22 mm", "11 mm"}) {
        const std::array<double, 2> now = find(cells);
        for (const std::size_t k : {0u, 1u}) EXPECT_LT(now[k], before[k]) << cells;  // pulled, at rest
        before = now;
    }
    const std::array<double, 2> springs = find("points as springs");
    EXPECT_LT(before[0], springs[0]);  // measured: 0.00130 against 0.00158
    EXPECT_LT(before[1], springs[1]);  // measured: 0.00070 against 0.00220
}

}  // namespace
}  // namespace plush::lab
