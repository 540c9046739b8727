#include "lab/bench/bench_cut.hpp"

#include <algorithm>
#include <chrono>

#include "plush/scene/scene.hpp"

// What a trainer does: press tissue and cut it at a given rate. The knife goes through the block from 0.3 s to 1 s. The world
// without the knife steps in turn with the one that is cut, so that other work on the machine slows both alike.

namespace plush::lab {
namespace {

constexpr double begins = 0.3, ends = 1.05;  // s

constexpr const char* text = R"({ "plush": 1, "step": 0.01, "sleep": { "enabled": false }, "bodies": [
    { "ground": { "friction": 0.8 } },
    { "soft": { "box": { "half_size": [0.12, 0.04, 0.07], "cells": [12, 5, 8] }, "young": 3e4, "poisson": 0.4, "density": 1000,
                "stiffness_damping": 0.01, "friction": 0.5 }, "name": "tissue", "at": [0, 0.0401, 0] },
    { "scripted": { "box": { "half_size": [0.03, 0.01, 0.05] }, "keyframes": [ { "time": 0 },
        { "time": 0.3, "position": [0, -0.012, 0], "easing": "smooth" } ] }, "name": "plate", "at": [-0.06, 0.0905, 0] },
    { "scripted": { "box": { "half_size": [0.002, 0.06, 0.1] }, "collides_with": COLLIDES, "keyframes": [ { "time": 0.2 },
        { "time": 1, "position": [0, -0.105, 0] } ] BLADE }, "name": "knife", "at": [0.05, 0.16, 0] } ],
  "pairs": [ { "a": "knife", "b": "plate", "collide": false } ] })";

std::string scene_text(bool knife) {
    std::string out = text;
    const auto put = [&](std::string_view mark, std::string_view by) {
        out.replace(out.find(mark), mark.size(), by);
    };
    put("COLLIDES", knife ? "[0]" : "[31]");
    put("BLADE",
        knife ? R"(, "blade": { "from": [0, -0.06, -0.1], "to": [0, -0.06, 0.1], "back": [0, 0.12, 0] })"
              : "");
    return out;
}

struct Timed {
    explicit Timed(bool knife, int threads) {
        SceneLoad load = Scene::try_parse(scene_text(knife), ".", "cut");
        if (!load.scene) throw load.errors.front();
        world = load.scene->build(threads);
        tissue = world.find("tissue");
        nodes = world.vertex_positions(tissue).size();
    }

    void step() {
        const auto start = std::chrono::steady_clock::now();
        world.step();
        const double ms =
            1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (world.time() < begins) return;
        ++steps, mean += (ms - mean) / steps, largest = std::max(largest, ms);
        contacts += (world.report().contacts - contacts) / steps;
    }

    World world{};
    BodyId tissue{};
    std::size_t nodes = 0;
    int steps = 0;
    double mean = 0, largest = 0, contacts = 0;  // ms, ms, 1
};

}  // namespace

CutCost cut_cost(int threads) {
    Timed uncut(false, threads), cut(true, threads);
    while (cut.world.time() < ends) uncut.step(), cut.step();
    return {.nodes = static_cast<long long>(uncut.nodes),
            .cut_ms = cut.mean,
            .uncut_ms = uncut.mean,
            .largest_ms = cut.largest,
            .contacts = cut.contacts,
            .pieces = static_cast<double>(cut.world.pieces(cut.tissue))};
}

}  // namespace plush::lab
