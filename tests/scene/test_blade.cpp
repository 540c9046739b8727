#include <gtest/gtest.h>

#include <algorithm>

#include "plush/scene/scene.hpp"

// Blades in scene files: what is wrong with one is said with its place.

namespace plush {
namespace {

SceneLoad with_blade(const std::string& blade, const std::string& method = "volume") {
    return Scene::try_parse(R"({ "plush": 1, "contact": { "method": ")" + method + R"(" }, "bodies": [
        { "scripted": { "box": { "half_size": [0.01, 0.1, 0.1] }, "keyframes": [ { "time": 0 } ],
                        "blade": )" +
                                blade + R"( }, "name": "knife" } ] })",
                            ".", "test");
}

bool says(const SceneLoad& load, const std::string& words) {
    return std::any_of(load.errors.begin(), load.errors.end(), [&](const Error& e) {
        return std::string(e.what()).find(words) != std::string::npos;
    });
}

TEST(Blade, IsReadWithItsEdgeAndBack) {
    const SceneLoad load =
        with_blade(R"({ "from": [0, -0.1, -0.1], "to": [0, -0.1, 0.1], "back": [0, 0.2, 0] })");
    ASSERT_TRUE(load.scene.has_value());
    EXPECT_NO_THROW(load.scene->build(1));
    EXPECT_NE(load.scene->resolved().find("blade"), std::string::npos);
}

TEST(Blade, WhatIsWrongIsNamed) {
    const std::string good = R"({ "from": [0, 0, 0], "to": [0, 0, 1], "back": [0, 1, 0] })";
    EXPECT_TRUE(says(with_blade(good, "points"), "by volume"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 1], "back": [0, 0, 2] })"), "no area"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 0], "back": [0, 1, 0] })"), "no area"));
    EXPECT_TRUE(says(with_blade(R"({ "from": [0, 0, 0], "to": [0, 0, 1] })"), "back"));
    EXPECT_TRUE(says(with_blade(R"({ "form": [0, 0, 0], "to": [0, 0, 1], "back": [0, 1, 0] })"), "from"));
}

}  // namespace
}  // namespace plush
