#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "plush/scene/scene.hpp"

using namespace plush;

TEST(BadScenes, Print) {
    for (const auto& e : std::filesystem::directory_iterator(PLUSH_SOURCE_DIR "/tests/data/scenes_bad")) {
        if (e.path().extension() != ".jsonc") continue;
        const SceneLoad load = Scene::try_load(e.path().string());
        std::cout << "== " << e.path().filename().string() << "\n";
        for (const Error& error : load.errors) std::cout << "   " << error.what() << "\n";
        for (const Error& error : load.warnings) std::cout << "   W " << error.what() << "\n";
    }
}
