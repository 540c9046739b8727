#include "scene/renamed_keys.hpp"

#include <gtest/gtest.h>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"

// Keys that have another name now: scenes with the old one are read as before, with a warning that names the new one.

namespace plush {
namespace {

SceneLoad with_cells(const std::string& key) {
    return Scene::try_parse(
        R"({ "plush": 1, "contact": { "volume": { ")" + key + R"(": 7 } }, "bodies": [ { "ground": {} } ] })",
        ".", "old.json");
}

TEST(RenamedKeys, AreReadWithAWarningThatNamesTheNewOne) {
    const SceneLoad old = with_cells("most_cells"), now = with_cells("max_cells");
    ASSERT_TRUE(old.scene && now.scene);
    EXPECT_EQ(old.scene->build().settings().contact.volume.max_cells, 7);
    EXPECT_EQ(now.scene->build().settings().contact.volume.max_cells, 7);
    EXPECT_TRUE(now.warnings.empty());
    ASSERT_EQ(old.warnings.size(), 1u);
    EXPECT_TRUE(test::says(old.warnings[0], "most_cells"));
    EXPECT_TRUE(test::says(old.warnings[0], "write \"max_cells\""));
}

TEST(RenamedKeys, ObeyTheRulesOfTheNewOne) {
    const SceneLoad both = Scene::try_parse(
        R"({ "plush": 1, "bodies": [ { "rope": { "integrator": "verlet",
             "constraints": { "most_stretch": 1.5, "inextensible": true } } } ] })",
        ".", "old.json");
    EXPECT_FALSE(both.scene);
    ASSERT_EQ(both.errors.size(), 1u);
    EXPECT_TRUE(test::says(both.errors[0], "exclude"));
}

TEST(RenamedKeys, AnOldKeyBesideTheNewOneIsUnknown) {
    const SceneLoad both = Scene::try_parse(
        R"({ "plush": 1, "contact": { "volume": { "most_cells": 7, "max_cells": 8 } } })", ".", "old.json");
    EXPECT_FALSE(both.scene);
    ASSERT_EQ(both.errors.size(), 1u);
    EXPECT_TRUE(test::says(both.errors[0], "unknown key"));
}

}  // namespace
}  // namespace plush
