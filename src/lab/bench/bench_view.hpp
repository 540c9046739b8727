#pragma once

#include <string>
#include <vector>

// What the viewer costs: steps a second with a reader that takes all frames and discards them, beside a run without frames.

namespace plush::lab {

struct ViewRow {
    std::string scene;
    int toys = 0;
    long long triangles = 0;  ///< that the page draws
    int steps = 0;            ///< of each run, from the start
    double run = 0,
           viewed = 0;  ///< steps a second of the fastest run: plush run --no-frames, and with the reader
    double ratio = 0;   ///< viewed / run
    double frames = 0;  ///< that the reader got, of the steps of the fastest run
    double frame_bytes = 0;  ///< of a frame after the first, mean
    double first_bytes = 0;  ///< of the scene and its first frame
    double capture_ms = 0;   ///< from the engine's state to the picture: what a step waits for, median
    double encode_ms = 0;    ///< from the picture to the bytes that are written, median
};

struct ViewBench {
    std::vector<ViewRow> rows;
};

ViewBench bench_view(int runs, int threads);

}  // namespace plush::lab
