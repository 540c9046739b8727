#include <gtest/gtest.h>

#include <algorithm>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"

// Blades in scene files: what is wrong with one is said with its place.

namespace plush {
namespace {

using test::says;

SceneLoad with_blade(const std::string& blade, const std::string& contact = R"("method": "volume")") {
    return Scene::try_parse(R"({ "plush": 1, "contact": { )" + contact + R"( }, "bodies": [
        { "scripted": { "box": { "half_size": [0.01, 0.1, 0.1] }, "keyframes": [ { "time": 0 } ],
                        "blade": )" +
                                blade + R"( }, "name": "knife" } ] })",
                            ".", "test");
}

bool says(const SceneLoad& load, const std::string& words) {
    return std::any_of(load.errors.begin(), load.errors.end(),
                       [&](const Error& e) { return test::says(e, words); });
}

TEST(Blade, IsReadWithItsEdgeAndBack) {
    const SceneLoad load =
        with_blade(R"({ "from": [0, -0.1, -0.1], "to": [0, -0.1, 0.1], "back": [0, 0.2, 0] })");
    ASSERT_TRUE(load.scene.has_value());
    EXPECT_NO_THROW(load.scene->build(1));
    EXPECT_TRUE(says(load.scene->resolved(), "blade"));
}

TEST(Blade, WhatIsWrongIsNamed) {
    const std::string good = R"({ "from": [0, 0, 0], "to": [0, 0, 1], "back": [0, 1, 0] })";
    EXPECT_TRUE(says(with_blade(good, R"("method": "points")"), "by volume"));
    EXPECT_TRUE(with_blade(good, "").errors.empty()) << "soft bodies touch by volume by default";
    EXPECT_TRUE(says(with_blade(good, R"("surface": { "law": "quadratic" })"), "by volume"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 1], "back": [0, 0, 2] })"), "no area"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 0], "back": [0, 1, 0] })"), "no area"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 1] })"), "back"));
    EXPECT_TRUE(says(with_blade(R"({ "form": [0, 0, 0], "to": [0, 0, 1], "back": [0, 1, 0] })"), "from"));
}

TEST(Blade, MayHaveABentEdge) {
    const SceneLoad load =
        with_blade(R"({ "edge": [[0, -0.1, -0.1], [0.05, -0.1, 0], [0, -0.1, 0.1]], "back": [0, 0.2, 0] })");
    ASSERT_TRUE(load.scene.has_value());
    EXPECT_NO_THROW(load.scene->build(1));
    // What was read, written out again, is the same blade.
    const SceneLoad again = Scene::try_parse(load.scene->resolved(), ".", "again");
    ASSERT_TRUE(again.scene.has_value());
    EXPECT_EQ(again.scene->resolved(), load.scene->resolved());
    EXPECT_TRUE(says(load.scene->resolved(), "0.05"));
}

TEST(Blade, WhatIsWrongWithABentEdgeIsNamed) {
    const auto edge = [](const std::string& points) {
        return with_blade(R"({ "edge": )" + points + R"(, "back": [0, 1, 0] })");
    };
    EXPECT_TRUE(edge("[[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 0]]").errors.empty());  // a ring
    EXPECT_TRUE(says(edge("[[0, 0, 0]]"), "1 points"));
    EXPECT_TRUE(says(edge("[]"), "edge"));
    EXPECT_TRUE(says(edge("[[0, 0, 0], [1, 0, 0], [1, 2, 0]]"), "between points 1 and 2"));
    EXPECT_TRUE(says(edge("[[0, 0, 0], [1, 0, 0], [0, 0, 0.01]]"), "folds back at point 1"));
    EXPECT_TRUE(says(edge("[[0, 0, 0], [2, 0, 0], [1, 0, 1], [1, 0, -1]]"), "meets itself"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "back": [0, 1, 0] })"), "to"));
    EXPECT_TRUE(says(with_blade(R"({ "edge": [[0, 0, 0], [1, 0, 0]], "from": [0, 0, 0], "to": [1, 0, 0],
                                     "back": [0, 1, 0] })"),
                     "from"));
}

}  // namespace
}  // namespace plush
