#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/studies/study.hpp"

namespace plush::lab {
namespace {

// What the page says of the three ways.
TEST(TetsStudyFull, FindsTheBoundsThatItSpeaksOf) {
    const Report report = study_tets({});
    const nlohmann::ordered_json json = figures(report);
    for (const auto& row : json["shapes"]["rows"]) {
        const std::string way = row[1];
        const double smallest = row[4], volume = row[6];
        if (way == "lattice") {
            EXPECT_NEAR(smallest, 60, 1e-6);
        } else if (way == "delaunay") {
            EXPECT_GT(smallest, 24.9);
        } else {
            EXPECT_GT(smallest, 10.78);
        }
        EXPECT_EQ(volume < 1, way == "lattice, conforming");
    }
    double sum = 0;
    for (const double share : json["angles"]["lattice"]["y"]) sum += share;
    EXPECT_NEAR(sum, 100, 1e-9);
    bool drawn = false;
    for (const Block& block : report.blocks)
        if (const auto* picture = std::get_if<Picture>(&block)) drawn = picture->png.starts_with("\x89PNG");
    EXPECT_TRUE(drawn);
}

}  // namespace
}  // namespace plush::lab
