#include <filesystem>

#include "fuzz/targets.hpp"
#include "plush/scene/scene.hpp"
#include "support/files.hpp"

// Scene files with all that they may hold, shapes too, and values of --set.

namespace plush::fuzz {
namespace {

constexpr std::string_view small_scene = R"({ "plush": 1, "duration": 0.1, "step": 0.01,
  "materials": { "rubber": { "friction": 0.9 } },
  "bodies": [ { "ground": {} },
    { "name": "ball", "rigid": { "sphere": { "radius": 0.1 }, "density": 500, "material": "rubber" }, "at": [0, 1, 0] },
    { "soft": { "box": { "size": [0.2, 0.2, 0.2] }, "young": 1e5 }, "at": [1, 1, 0], "repeat": { "count": 2, "step": [0, 1, 0] } } ] })";

/// What every complaint must have.
void require_errors(const SceneLoad& load) {
    expect(load.scene.has_value() != !load.errors.empty(), "a scene, or errors");
    for (const Error& error : load.errors) expect(!error.problem().empty(), "an error says its problem");
}

}  // namespace

void run_scene(std::string_view input) {
    const SceneLoad load = Scene::try_parse(input, "/nowhere", "fuzzed");
    require_errors(load);
    if (!load.scene) return;
    const SceneLoad again = Scene::try_parse(load.scene->resolved(), "/nowhere", "resolved");
    expect(again.scene.has_value(), "a resolved scene is read again");
    expect(again.scene->resolved() == load.scene->resolved(), "and is the same");
}

std::vector<std::string> scene_seeds() {
    std::vector<std::string> list{std::string(small_scene)};
    // The scenes that come with Plush have meshes of seconds, and are read by other tests.
    for (const auto& entry : std::filesystem::directory_iterator(PLUSH_SOURCE_DIR "/tests/data/scenes_bad"))
        if (entry.path().extension() == ".jsonc") list.push_back(test::read_text(entry.path()));
    return list;
}

void run_override(std::string_view input) {
    const std::string set[] = {std::string(input)};
    require_errors(Scene::try_parse(small_scene, "/nowhere", "overridden", set));
}

std::vector<std::string> override_seeds() {
    return {"step=0.01",
            "bodies[1].rigid.density=5e3",
            "bodies[2].soft.box.size=[1,2,3]",
            "gravity=[0,0,0]",
            "bodies[1].rigid={\"box\":{\"size\":[1,1,1]}}",
            "duration=1",
            "materials.rubber.friction=0.1"};
}

}  // namespace plush::fuzz
