#pragma once

#include <filesystem>

namespace plush::lab {

/// What a film costs beside the run that it shows.
struct FilmCost {
    long long triangles = 0;
    int frames = 0;
    double run_ms = 0;   ///< of the simulation, recording included, by frame of the film
    double film_ms = 0;  ///< of reading, drawing and coding a frame
};

/// Eight soft bodies of 86,000 triangles each fall onto the ground; the film has the size of `plush render` and draft quality.
/// `folder` gets the run.
FilmCost film_cost(int threads, const std::filesystem::path& folder);

}  // namespace plush::lab
