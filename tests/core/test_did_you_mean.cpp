#include <gtest/gtest.h>

#include <array>

#include "core/did_you_mean.hpp"

namespace plush {
namespace {

constexpr std::array<std::string_view, 5> known{"density", "young", "friction", "at", "box"};

TEST(DidYouMean, FindsTheClosestWord) {
    EXPECT_EQ(did_you_mean("denisty", known), "did you mean \"density\"?");  // a swap counts once
    EXPECT_EQ(did_you_mean("friktion", known), "did you mean \"friction\"?");
    EXPECT_EQ(did_you_mean("yung", known), "did you mean \"young\"?");
    EXPECT_EQ(did_you_mean("Box", known), "did you mean \"box\"?");  // case does not count
    EXPECT_EQ(did_you_mean("a", known), "did you mean \"at\"?");
}

TEST(DidYouMean, SaysNothingWhenNothingIsNear) {
    EXPECT_EQ(did_you_mean("elephant", known), "");
    EXPECT_EQ(did_you_mean("", known), "");
    EXPECT_EQ(did_you_mean("q", known), "");
    EXPECT_EQ(did_you_mean(std::string(1 << 20, 'x'), known), "");
    EXPECT_EQ(did_you_mean("box", {}), "");
}

TEST(DidYouMean, OfEquallyCloseWordsTheFirstWins) {
    constexpr std::array<std::string_view, 2> pair{"cone", "cane"};
    EXPECT_EQ(did_you_mean("cine", pair), "did you mean \"cone\"?");
}

}  // namespace
}  // namespace plush
