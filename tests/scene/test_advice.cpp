#include <gtest/gtest.h>

#include "plush/scene/scene.hpp"
#include "scene/advice.hpp"
#include "support/errors.hpp"

// What `plush check` says of a scene beyond its keys: who touches whom, what is too fast, too small, too stiff, and what
// would be ignored.

namespace plush {
namespace {

using test::says;

SceneLoad load(const std::string& bodies, const std::string& settings = "") {
    return Scene::try_parse("{ \"plush\": 1, " + settings + " \"bodies\": [ " + bodies + " ] }", "/tmp",
                            "test");
}

std::string joined(const std::vector<Error>& errors) {
    std::string all;
    for (const Error& e : errors) all += std::string(e.what()) + '\n';
    return all;
}

/// The warnings about a usable scene.
std::string advice(const std::string& bodies, const std::string& settings = "") {
    const SceneLoad read = load(bodies, settings);
    if (!read.scene) return "ERROR " + joined(read.errors);
    return joined(read.warnings) + joined(run_advice(read.scene->build(1), body_places(*read.scene)));
}

std::string how(const std::vector<PairAdvice>& pairs, std::string_view a, std::string_view b) {
    for (const PairAdvice& p : pairs)
        if (p.a == a && p.b == b) return p.how;
    return "";
}

const std::string ground = R"({ "ground": {} })";
const std::string ball =
    R"("soft": { "shape": "icosphere", "triangles": 320, "size": 0.2, "cells_across": 4)";

TEST(Advice, TheTableSaysHowEachPairTouches) {
    const SceneLoad read =
        load(ground + ", { " + ball + R"(, "self_contact": true }, "name": "ball", "at": [0, 1, 0],
        "repeat": { "count": 3, "step": [1, 0, 0] } },
        { "cloth": {}, "name": "cloth", "at": [0, 3, 0] },
        { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "name": "box", "at": [5, 1, 0] },
        { "scripted": { "box": { "half_size": [0.01, 1, 1] }, "keyframes": [ { "time": 0 } ],
          "blade": { "from": [0, -1, -1], "to": [0, -1, 1], "back": [0, 2, 0] } }, "name": "knife", "at": [9, 9, 9] })");
    ASSERT_TRUE(read.scene) << joined(read.errors);
    const auto pairs = pair_advice(read.scene->build(1));
    EXPECT_EQ(how(pairs, "ground", "ball"), "volume");
    EXPECT_EQ(how(pairs, "ball", "ball"), "volume");
    EXPECT_EQ(how(pairs, "ball", "itself"), "volume");
    EXPECT_EQ(how(pairs, "cloth", "itself"), "nothing");
    EXPECT_EQ(how(pairs, "ground", "cloth"), "vertices by forces");
    EXPECT_EQ(how(pairs, "ball", "cloth"), "vertices by rows");
    EXPECT_EQ(how(pairs, "ground", "box"), "points");
    EXPECT_EQ(how(pairs, "ball", "box"), "volume");
    EXPECT_EQ(how(pairs, "ball", "knife"), "cuts");
}

TEST(Advice, AGoodSceneGetsNothing) {
    EXPECT_EQ(advice(ground + ", { " + ball + R"( }, "at": [0, 1, 0], "velocity": [3, 0, 0] },
        { "rigid": { "box": { "half_size": [0.02, 0.02, 0.02] } }, "at": [1, 1, 0], "velocity": [1, 0, 0] })"),
              "");
}

TEST(Advice, WhatIsTooFastForTheStepIsToldWithWhatItMayPass) {
    const std::string wall = R"({ "fixed": { "box": { "half_size": [0.005, 1, 1] } }, "name": "wall" }, )";
    // A first touch that is searched: said of all that is near, and not of the wall.
    const std::string bullet = advice(
        wall + R"({ "rigid": { "sphere": { "radius": 0.01 } }, "at": [-1, 0, 0], "velocity": [300, 0, 0] })");
    EXPECT_TRUE(says(bullet, "line 1, $.bodies[1]: this body moves 5 m in a step, and is 0.02 m thick"));
    EXPECT_TRUE(says(bullet, "what it touches first"));
    const std::string soft =
        advice(wall + "{ " + ball + R"( }, "at": [-2, 0, 0], "velocity": [300, 0, 0] })");
    EXPECT_TRUE(says(soft, "what it touches first")) << soft;
    const std::string pinned =
        advice(wall + "{ " + ball + R"(, "pins": [ { "low": [-9, -9, -9], "high": [-2, 9, 9] } ] },
        "at": [-2, 0, 0], "velocity": [300, 0, 0] })");
    EXPECT_TRUE(says(pinned, "they may pass through each other")) << pinned;
    // Vertices of thin bodies are not searched.
    const std::string rope =
        advice(wall + R"({ "rope": {}, "name": "whip", "at": [-2, 0, 0], "velocity": [300, 0, 0] })");
    EXPECT_TRUE(says(rope, "\"whip\" and wall come 5 m nearer in a step"));
    EXPECT_TRUE(says(rope, "0.01 m thick: they may pass through each other"));
    EXPECT_TRUE(says(rope, "take a step below 3.3e-05 s"));
    EXPECT_EQ(advice(ground + R"(, { "rope": {}, "at": [0, 1, 0], "velocity": [300, 0, 0] })"), "");
}

TEST(Advice, WhatIsTooSmallForStepPixelAndDepthIsTold) {
    const std::string tiny =
        R"(, { "rigid": { "sphere": { "radius": 0.0005 } }, "name": "grain", "at": [0, 1, 0] })";
    EXPECT_TRUE(says(advice(ground + tiny), "\"grain\" is 0.001 m large, and falls 0.00272 m in a step"));
    EXPECT_TRUE(says(advice(ground + tiny), "take a step below 0.01 s"));
    EXPECT_TRUE(says(advice(ground + tiny, R"("step": 0.002, "contact": { "allowed_depth": 1e-4 },)"),
                     "sinks in by 10 % of its size"));
    EXPECT_EQ(advice(ground + tiny, R"("step": 0.002,)"), "");  // by default the depth follows from the size
    const std::string soft = ", { " + ball + R"( }, "name": "ball", "at": [0, 1, 0] })";
    EXPECT_TRUE(says(advice(ground + soft, R"("contact": { "volume": { "pixel": 0.05 } },)"),
                     "4 pixels of contact.volume.pixel"));
    EXPECT_EQ(advice(ground + soft, R"("contact": { "volume": { "pixel": 0.01 } },)"), "");
}

TEST(Advice, StiffnessThatTheStepCannotFollow) {
    const auto cloth = [](const char* keys) {
        return advice(std::string(R"({ "cloth": { "stretch": 1e4, "integrator": "verlet")") + keys +
                      R"( }, "name": "sheet" })");
    };
    EXPECT_TRUE(says(cloth(""), "\"sheet\" is so stiff that its integrator cuts every step into"));
    EXPECT_TRUE(says(cloth(R"(, "step_policy": "accept")"), "it flies apart"));
    // The first step of these is refused, which says it better.
    EXPECT_EQ(cloth(R"(, "step_policy": "refuse")"), "");
    EXPECT_EQ(cloth(R"(, "max_substeps": 10)"), "");
}

TEST(Advice, WhatWouldBeIgnoredIsNotAccepted) {
    const auto refused = [](const std::string& bodies, const std::string& settings, std::string_view what) {
        const SceneLoad read = load(bodies, settings);
        try {
            if (read.scene) read.scene->build(1);
        } catch (const Error& e) {
            return says(e.what(), what);
        }
        return says(joined(read.errors), what);
    };
    EXPECT_TRUE(refused(R"({ "rope": { "shear": 5 } })", "", "a rope has no diagonals"));
    EXPECT_TRUE(refused(R"({ "rope": { "volume": 5 } })", "", "$.bodies[0].rope.volume"));
    EXPECT_TRUE(refused(R"({ "rope": { "wind": [1, 0, 0], "drag": 1 } })", "", "air drags at triangles"));
    EXPECT_TRUE(refused(R"({ "cloth": { "volume": 5 } })", "", "encloses nothing"));
    EXPECT_TRUE(
        refused(R"({ "rigid": { "sphere": { "radius": 1 }, "distance_cells": 64 } })", "", "not sampled"));
    // Bodies that touch themselves do it by volume.
    const std::string selfish = "{ " + ball + R"(, "self_contact": true }, "name": "ball" })";
    EXPECT_TRUE(refused(selfish, R"("contact": { "method": "points" },)", "self_contact would be ignored"));
    EXPECT_TRUE(refused(R"({ "cloth": { "shape": "icosphere", "self_contact": true } })", "",
                        "encloses none that anything holds up"));
    EXPECT_EQ(advice(selfish), "");
    // With another key beside it these would do something.
    EXPECT_TRUE(says(advice(R"({ "cloth": { "wind": [1, 0, 0] } })"), "without drag"));
    EXPECT_TRUE(says(advice(R"({ "cloth": { "bend": 2, "bending": "none" } })"), "bending is \"none\""));
    EXPECT_TRUE(says(advice(R"({ "cloth": { "newton": 3, "integrator": "verlet" } })"), "solves nothing"));
    EXPECT_TRUE(says(advice(ground, R"("contact": { "tets": { "stiffness": 5 } },)"), "no contact by tets"));
}

TEST(Materials, OfASceneGiveWhatKnownOnesGive) {
    const auto young = [](const std::string& keys) {
        const SceneLoad read = load(
            "{ " + ball + ", " + keys + R"( }, "name": "ball" })",
            R"("materials": { "gel": { "young": 3000, "poisson": 0.3, "density": 500 }, "jelly": { "friction": 1 } },)");
        EXPECT_TRUE(read.scene) << joined(read.errors);
        const World world = read.scene->build(1);
        const BodyId body = world.find("ball");
        return std::pair(world.mass(body), world.vertex_masses(body).size());
    };
    const double plain = young(R"("density": 500)").first;
    EXPECT_DOUBLE_EQ(young(R"("material": "gel")").first, plain);
    EXPECT_DOUBLE_EQ(young(R"("material": "gel", "density": 1000)").first, 2 * plain);
    EXPECT_DOUBLE_EQ(young(R"("material": "jelly")").first,
                     2 * plain);  // its own: the body's default density
}

}  // namespace
}  // namespace plush
