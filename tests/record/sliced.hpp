#pragma once

#include <gtest/gtest.h>

#include "plush/scene/scene.hpp"

namespace plush::test {

/// A knife goes down through a loaf of tets; `skinned`, the loaf has an embedded surface.
inline Scene sliced(bool skinned = false) {
    std::string text = R"({ "plush": 1, "name": "sliced", "contact": { "method": "volume" }, "step": 0.01,
      "duration": 0.24, "frame_rate": 50,
      "bodies": [ { "ground": {} },
        { "soft": { "box": { "half_size": [0.2, 0.1, 0.1], "cells": [4, 2, 2] }, "density": 500, "young": 5e4 },
          "name": "loaf", "at": [0, 0.1, 0] },
        { "scripted": { "box": { "half_size": [0.002, 0.15, 0.2] },
            "keyframes": [ { "time": 0, "position": [0.03, 0.36, 0] }, { "time": 0.2, "position": [0.03, 0.13, 0] } ],
            "blade": { "from": [0, -0.15, -0.2], "to": [0, -0.15, 0.2], "back": [0, 0.3, 0] } },
          "name": "knife" } ] })";
    if (skinned) {
        const std::string tets = R"("box": { "half_size": [0.2, 0.1, 0.1], "cells": [4, 2, 2] })";
        text.replace(text.find(tets), tets.size(),
                     R"("shape": "rounded_box", "size": 0.2, "triangles": 600, "cells_across": 5)");
    }
    SceneLoad load = Scene::try_parse(text, ".", "sliced");
    EXPECT_TRUE(load.errors.empty());
    return *load.scene;
}

}  // namespace plush::test
