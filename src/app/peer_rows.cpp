#include "app/peer_rows.hpp"

#include <fmt/format.h>

namespace plush::app {

using nlohmann::ordered_json;

ordered_json to_json(const lab::BumpsBench& bench) {
    auto rows = ordered_json::array();
    for (const lab::BumpsRow& r : bench.rows)
        rows.push_back({{"name", r.name},
                        {"triangles", r.triangles},
                        {"ms", r.ms},
                        {"median_ms", r.median_ms},
                        {"contacts", r.contacts},
                        {"speed_at_rest", r.speed},
                        {"depth", r.depth},
                        {"sink", r.sink},
                        {"ratio", r.ratio}});
    return {{"rows", rows}, {"notes", bench.notes}};
}

ordered_json to_json(const lab::PyramidBench& bench) {
    auto rows = ordered_json::array();
    for (const lab::PyramidRow& r : bench.rows)
        rows.push_back({{"name", r.name},
                        {"iterations", r.iterations},
                        {"seconds", r.seconds},
                        {"ms", r.ms},
                        {"median_ms", r.median_ms},
                        {"contacts", r.contacts},
                        {"lean", r.lean},
                        {"sink", r.sink},
                        {"speed_at_rest", r.speed}});
    return {{"rows", rows}, {"notes", bench.notes}};
}

std::string to_text(const lab::BumpsBench& bench) {
    if (bench.rows.empty()) return "";
    std::string text =
        fmt::format("  {:<16} {:>10} {:>10} {:>10} {:>9} {:>11} {:>11} {:>11} {:>8}\n", "ms of the", "", "",
                    "", "", "rms m/s", "deepest", "below exact", "times") +
        fmt::format("  {:<16} {:>10} {:>10} {:>10} {:>9} {:>11} {:>11} {:>11} {:>8}\n", "processor",
                    "triangles", "ms a step", "median", "contacts", "at rest", "contact, m", "fit, m",
                    "Plush");
    for (const lab::BumpsRow& r : bench.rows)
        text += fmt::format(
            "  {:<16} {:>10} {:>10.2f} {:>10.2f} {:>9.0f} {:>11.2e} {:>11.2e} {:>11.2e} {:>8.1f}\n", r.name,
            r.triangles, r.ms, r.median_ms, r.contacts, r.speed, r.depth, r.sink, r.ratio);
    for (const std::string& note : bench.notes) text += fmt::format("  {}\n", note);
    return text;
}

std::string to_text(const lab::PyramidBench& bench) {
    if (bench.rows.empty()) return "";
    std::string text =
        fmt::format("  {:<16} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "ms of the",
                    "iterations", "simulated", "", "", "", "lean", "sink", "rms m/s") +
        fmt::format("  {:<16} {:>10} {:>9} {:>10} {:>9} {:>9} {:>9} {:>9} {:>11}\n", "processor", "at most",
                    "s", "ms a step", "least", "contacts", "m", "m", "at the end");
    for (const lab::PyramidRow& r : bench.rows)
        text += fmt::format(
            "  {:<16} {:>10} {:>9.2f} {:>10.2f} {:>9.2f} {:>9.0f} {:>9.4f} {:>9.4f} {:>11.2e}\n", r.name,
            r.iterations, r.seconds, r.median_ms, r.ms, r.contacts, r.lean, r.sink, r.speed);
    for (const std::string& note : bench.notes) text += fmt::format("  {}\n", note);
    return text;
}

}  // namespace plush::app
