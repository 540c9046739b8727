#include <gtest/gtest.h>

#include <fstream>

#include "plush/scene/scene.hpp"
#include "scene/materials.hpp"
#include "support/errors.hpp"

// Colours, finishes and known materials of scenes; in which frame keyframes move a body.

namespace plush {
namespace {

using test::says;

World build(const std::string& text) {
    SceneLoad load = Scene::try_parse(text, "/tmp", "test");
    if (!load.scene) throw load.errors.front();
    return load.scene->build(1);
}

std::string error_of(const std::string& text) {
    const SceneLoad load = Scene::try_parse(text, "/tmp", "test");
    return load.errors.empty() ? "" : load.errors.front().what();
}

// A body that is turned by -90° about x is lifted along the world's y, not along its own, which lies along z.
TEST(Keyframes, MoveATurnedBodyAlongTheAxesOfTheWorld) {
    const auto pose_after = [](const char* frame) {
        World world = build(
            std::string(
                R"({ "plush": 1, "step": 0.5, "bodies": [ { "scripted": { "sphere": { "radius": 0.1 },)") +
            frame + R"( "keyframes": [ { "time": 0 }, { "time": 1, "position": [0, 0.6, 0],
            "rotate": { "axis": [0, 1, 0], "degrees": 90 } } ] }, "name": "hand", "at": [1, 2, 3],
            "rotate": { "axis": [1, 0, 0], "degrees": -90 } } ] })");
        const Transform start = world.pose(world.find("hand"));
        EXPECT_LT(norm(start.position - Vec3{1, 2, 3}), 1e-15);
        world.step(), world.step();
        return world.pose(world.find("hand"));
    };
    const Transform moved = pose_after("");
    EXPECT_LT(norm(moved.position - Vec3{1, 2.6, 3}), 1e-14);
    // Its own y pointed along the world's -z; the turn about the world's y takes that to -x.
    EXPECT_LT(norm(rotate(moved.rotation, {0, 1, 0}) - Vec3{-1, 0, 0}), 1e-12);
    EXPECT_EQ(pose_after(R"("frame": "world",)").position, moved.position);
    const Transform own = pose_after(R"("frame": "body",)");
    EXPECT_LT(norm(own.position - Vec3{1, 2, 2.4}), 1e-14);
    EXPECT_TRUE(says(
        error_of(
            R"({ "plush": 1, "bodies": [ { "scripted": { "sphere": { "radius": 0.5 }, "frame": "wrld", "keyframes": [ {"time": 0} ] } } ] })"),
        "did you mean \"world\"?"));
}

TEST(Keyframes, EaseAsTheSceneSays) {
    World world =
        build(R"({ "plush": 1, "step": 0.25, "bodies": [ { "scripted": { "sphere": { "radius": 0.1 },
        "keyframes": [ { "time": 0 }, { "time": 1, "position": [1, 0, 0], "easing": "smooth" } ] }, "name": "b" } ] })");
    world.step();
    EXPECT_NEAR(world.pose(world.find("b")).position.x, 0.15625, 1e-15);  // 3 t² - 2 t³
}

TEST(Looks, OfABodyWinOverThoseOfItsMaterialAndThoseOverKnownOnes) {
    const World world = build(R"({ "plush": 1,
      "materials": { "paint": { "colour": "blue", "finish": "shiny" }, "wood": { "friction": 0.7 } },
      "bodies": [ { "rigid": { "sphere": { "radius": 0.5 }, "material": "paint" }, "name": "a" },
        { "rigid": { "sphere": { "radius": 0.5 }, "material": "paint", "colour": "#12AB34", "finish": "matt" }, "name": "b" },
        { "rigid": { "sphere": { "radius": 0.5 }, "material": "steel" }, "name": "c" },
        { "rigid": { "sphere": { "radius": 0.5 }, "material": "wood" }, "name": "d" },
        { "rope": { "colour": "orange" }, "name": "e" }, { "ground": { "colour": "beige" }, "name": "g" },
        { "rigid": { "sphere": { "radius": 0.5 } }, "name": "h" } ] })");
    const auto look = [&](const char* name) { return world.look(world.find(name)); };
    EXPECT_EQ(look("a"), (Look{"blue", Finish::shiny}));
    EXPECT_EQ(look("b"), (Look{"#12AB34", Finish::matt}));
    EXPECT_EQ(look("c").finish, Finish::shiny);
    EXPECT_EQ(look("d"), Look{}) << "the scene's own material of that name says nothing of colour";
    EXPECT_EQ(look("e").colour, "orange");
    EXPECT_EQ(look("g").colour, "beige");
    EXPECT_EQ(look("h"), Look{});
    EXPECT_EQ(parse_colour("#12AB34").value(), 0x12AB34u);
    const std::string wrong = error_of(
        R"({ "plush": 1, "bodies": [ { "rigid": { "sphere": { "radius": 0.5 }, "colour": "orrange" } } ] })");
    EXPECT_TRUE(says(wrong, "$.bodies[0].rigid.colour")) << wrong;
    EXPECT_TRUE(says(wrong, "did you mean \"orange\"?")) << wrong;
}

TEST(Materials, KnownOnesFillInWhatTheBodyLeavesOpen) {
    const World world = build(R"({ "plush": 1, "materials": { "jelly": { "friction": 0.3 } },
      "bodies": [ { "rigid": { "sphere": { "radius": 0.5 }, "material": "steel" }, "name": "ball" },
        { "rigid": { "sphere": { "radius": 0.5 }, "material": "steel", "density": 100 }, "name": "light" },
        { "soft": { "box": { "half_size": [0.5, 0.5, 0.5], "cells": [1, 1, 1] }, "material": "liver" }, "name": "organ", "at": [9, 0, 0] },
        { "soft": { "box": { "half_size": [0.5, 0.5, 0.5], "cells": [1, 1, 1] }, "material": "jelly" }, "name": "own", "at": [18, 0, 0] } ] })");
    const double ball = 4.0 / 3 * 3.141592653589793 * 0.125;
    EXPECT_NEAR(world.mass(world.find("ball")), 7850 * ball, 1e-9);
    EXPECT_NEAR(world.mass(world.find("light")), 100 * ball, 1e-9);
    EXPECT_NEAR(world.mass(world.find("organ")), 1060, 1e-9);
    EXPECT_NEAR(world.mass(world.find("own")), 1000, 1e-9)
        << "a material of the scene wins, and says no density";
    EXPECT_TRUE(says(
        error_of(
            R"({ "plush": 1, "bodies": [ { "rigid": { "sphere": { "radius": 0.5 }, "material": "stel" } } ] })"),
        "did you mean \"steel\"?"));
    for (const KnownMaterial& m : known_materials()) {
        EXPECT_TRUE(parse_colour(m.colour).ok()) << m.name;
        EXPECT_LE(m.poisson, 0.45) << m.name;
    }
}

}  // namespace
}  // namespace plush
