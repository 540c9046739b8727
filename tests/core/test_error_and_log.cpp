#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plush/core/error.hpp"
#include "plush/core/log.hpp"

namespace plush {
namespace {

TEST(Error, TheMessageNamesFilePlaceProblemAndCure) {
    const Error e({"box.json", "$.bodies[3].density", "density must be above 0", "give it in kg/m³"});
    EXPECT_STREQ(e.what(), "box.json: $.bodies[3].density: density must be above 0 (give it in kg/m³)");
    EXPECT_EQ(e.file(), "box.json");
    EXPECT_EQ(e.place(), "$.bodies[3].density");
    EXPECT_EQ(e.problem(), "density must be above 0");
    EXPECT_EQ(e.cure(), "give it in kg/m³");
}

TEST(Error, EmptyPartsLeaveNoTrace) {
    EXPECT_STREQ(Error({.problem = "no bodies"}).what(), "no bodies");
    EXPECT_STREQ(Error({.place = "line 12", .problem = "no bodies"}).what(), "line 12: no bodies");
    EXPECT_STREQ(Error({.file = "a", .problem = "bad", .cure = "mend it"}).what(), "a: bad (mend it)");
}

TEST(Error, ACallerThatKnowsTheFileAddsIt) {
    const Error e = Error({.place = "line 12", .problem = "not a number"}).in_file("ball.obj");
    EXPECT_STREQ(e.what(), "ball.obj: line 12: not a number");
}

TEST(Result, HoldsAValueOrThrowsItsError) {
    const Result<int> good = 7;
    EXPECT_TRUE(good.ok());
    EXPECT_TRUE(static_cast<bool>(good));
    EXPECT_EQ(good.value(), 7);
    const Result<int> bad = Error({.problem = "no number"});
    EXPECT_FALSE(bad.ok());
    EXPECT_FALSE(static_cast<bool>(bad));
    EXPECT_STREQ(bad.error().what(), "no number");
    EXPECT_THROW(static_cast<void>(bad.value()), Error);
}

TEST(Result, OfNothingIsSuccessOrError) {
    EXPECT_TRUE(Result<void>().ok());
    EXPECT_NO_THROW(Result<void>().value());
    const Result<void> bad = Error({.problem = "disk full"});
    EXPECT_FALSE(bad.ok());
    EXPECT_STREQ(bad.error().what(), "disk full");
    EXPECT_THROW(bad.value(), Error);
}

TEST(Result, MovesItsValueOut) {
    Result<std::vector<int>> result = std::vector<int>{1, 2, 3};
    const int* data = result.value().data();
    const std::vector<int> taken = std::move(result).value();
    EXPECT_EQ(taken.data(), data);  // no copy was made
}

TEST(Log, MessagesBelowTheThresholdAreNotHeard) {
    std::vector<std::string> heard;
    const LogSink sink = [&](LogLevel level, std::string_view message) {
        heard.push_back(std::to_string(static_cast<int>(level)) + std::string(message));
    };
    const Logger quiet(sink);  // warnings and errors
    quiet(LogLevel::debug, "a");
    quiet.info("b");
    quiet.warning("c");
    quiet(LogLevel::error, "d");
    EXPECT_EQ(heard, (std::vector<std::string>{"2c", "3d"}));
    heard.clear();
    const Logger all(sink, LogLevel::debug);
    all(LogLevel::debug, "a");
    all.info("b");
    EXPECT_EQ(heard, (std::vector<std::string>{"0a", "1b"}));
}

TEST(Log, NoSinkIsSilence) {
    const Logger silent{LogSink{}};
    EXPECT_NO_THROW(silent(LogLevel::error, "unheard"));
}

TEST(Log, TheDefaultGoesToStandardError) {
    testing::internal::CaptureStderr();
    Logger().warning("the floor is thin");
    Logger().info("not this");
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "plush: warning: the floor is thin\n");
}

}  // namespace
}  // namespace plush
