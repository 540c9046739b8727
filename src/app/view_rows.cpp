#include "app/view_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace plush::app {

nlohmann::ordered_json to_json(const lab::ViewBench& bench) {
    auto rows = nlohmann::ordered_json::array();
    for (const lab::ViewRow& r : bench.rows)
        rows.push_back({{"scene", r.scene},
                        {"triangles", r.triangles},
                        {"steps", r.steps},
                        {"run_steps_per_second", r.run},
                        {"viewed_steps_per_second", r.viewed},
                        {"ratio", r.ratio},
                        {"frames", r.frames},
                        {"frame_bytes", r.frame_bytes},
                        {"first_bytes", r.first_bytes},
                        {"capture_ms", r.capture_ms},
                        {"encode_ms", r.encode_ms}});
    return rows;
}

std::string to_text(const lab::ViewBench& bench) {
    std::string text;
    for (const lab::ViewRow& r : bench.rows)
        text += fmt::format(
            "{}: {:.4g} steps a second with a reader, {:.4g} without a viewer ({:.0f} %); {:.0f} frames of "
            "{} steps, {:.1f} kB each "
            "after the first {:.1f} MB; state to picture {:.3f} ms, picture to bytes {:.3f} ms\n",
            r.scene, r.viewed, r.run, 100 * r.ratio, r.frames, r.steps, 1e-3 * r.frame_bytes,
            1e-6 * r.first_bytes, r.capture_ms, r.encode_ms);
    return text;
}

}  // namespace plush::app
