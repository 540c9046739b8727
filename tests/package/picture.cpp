// Runs a scene into a folder and draws it. Runs are libplush.so's, pictures libplush_render.so's.
#include <filesystem>
#include <iostream>
#include <plush/record/run.hpp>
#include <plush/render/render.hpp>

int main(int count, char** arguments) {
    if (count != 2) return 2;
    const std::filesystem::path folder = arguments[1];
    const plush::SceneLoad load = plush::Scene::try_parse(R"({ "plush": 1, "bodies": [ { "ground": {} },
        { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.2, 0] } ] })",
                                                          ".", "box");
    if (!load.scene) return 1;
    plush::run_scene(*load.scene, {.out = folder, .steps = 5}).value();
    const plush::render::RenderSummary drawn =
        plush::render::render_run(folder, {.width = 64, .height = 48}).value();
    std::cout << drawn.pictures.at(0) << '\n';
    if (!drawn.finished || !std::filesystem::exists(drawn.pictures.at(0))) return 1;

    // An error that was made in one library is caught in a program.
    try {
        plush::render::render_run(folder / "absent").value();
    } catch (const plush::Error&) {
        return 0;
    }
    return 1;
}
