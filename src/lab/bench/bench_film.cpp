#include "lab/bench/bench_film.hpp"

#include "plush/record/run.hpp"
#include "plush/render/render.hpp"

namespace plush::lab {

FilmCost film_cost(int threads, const std::filesystem::path& folder) {
    SceneLoad load = Scene::try_parse(R"({ "plush": 1, "duration": 0.5, "bodies": [ { "ground": {} },
        { "soft": { "shape": "armadillo", "triangles": 86000, "size": 1, "nodes": 600, "young": 2e5, "poisson": 0.4,
                    "density": 500, "stiffness_damping": 0.02 }, "name": "creature", "at": [0, 0.7, 0],
          "repeat": { "grid": [2, 2, 2], "spacing": [0.9, 1.1, 0.9], "orientation": "random" } } ] })",
                                      folder, "film");
    if (!load.scene) throw load.errors.front();
    const RunSummary run = run_scene(*load.scene, {.out = folder / "run", .threads = threads}).value();
    if (run.error) throw *run.error;
    render::RenderSettings settings{.quality = render::RenderQuality::draft, .out = folder / "film.mp4"};
    settings.threads = threads;
    const render::RenderSummary film = render::render_run(folder / "run", settings).value();
    if (film.error) throw *film.error;
    const auto frames = static_cast<double>(film.frames.size());
    return {.triangles = film.triangles,
            .frames = static_cast<int>(film.frames.size()),
            .run_ms = 1e3 * run.wall / frames,
            .film_ms = 1e3 * film.seconds / frames};
}

}  // namespace plush::lab
