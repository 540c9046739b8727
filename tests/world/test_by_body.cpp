#include "world/by_body.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plush {
namespace {

TEST(ByBody, HasTheDefaultForBodiesThatNothingWasKeptFor) {
    const ByBody<std::string> empty;
    EXPECT_EQ(empty[7], "");
    ByBody<std::string> names;
    names.at(2) = "bear";
    EXPECT_EQ(std::as_const(names)[2], "bear");
    EXPECT_EQ(std::as_const(names)[1], "");
    EXPECT_EQ(std::as_const(names)[3], "");
}

TEST(ByBody, KeepsWhatItHasAsItGrowsAndForgetsOneAlone) {
    ByBody<int> counts;
    counts.at(0) = 5, counts.at(1) = 6;
    counts.fit(10);
    EXPECT_EQ(counts[0], 5);
    EXPECT_EQ(counts[9], 0);
    counts.reset(0);
    EXPECT_EQ(counts[0], 0);
    EXPECT_EQ(counts[1], 6);
    counts.reset(1000);  // nothing was kept for it
    counts.fit(1);       // never shrinks
    EXPECT_EQ(counts[1], 6);
}

#ifndef NDEBUG
TEST(ByBodyDeathTest, AnIndexBeyondTheBodiesIsAFaultOfTheCaller) {
    ByBody<int> counts;
    counts.fit(3);
    EXPECT_DEATH(counts[3] = 1, "body < items_.size");
}
#endif

}  // namespace
}  // namespace plush
