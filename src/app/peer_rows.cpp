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

ordered_json to_json(const lab::PilesBench& bench) {
    auto rows = ordered_json::array();
    for (const lab::PileRow& r : bench.rows)
        rows.push_back({{"name", r.name},
                        {"bodies", r.bodies},
                        {"nodes", r.nodes},
                        {"step", r.step},
                        {"ms_for_10_ms", r.ms},
                        {"second_half_ms_for_10_ms", r.touching_ms},
                        {"contacts", r.contacts},
                        {"speed_at_end", r.speed},
                        {"allowed_depth", r.allowed},
                        {"finite", r.state.finite},
                        {"inverted", r.state.inverted},
                        {"shared_volume", r.state.shared},
                        {"mean_depth", r.state.mean_depth},
                        {"largest_depth", r.state.largest_depth},
                        {"below_ground", r.state.below},
                        {"ratio", r.ratio},
                        {"clock_ms_for_10_ms", r.clock_ms},
                        {"clock_ratio", r.clock_ratio}});
    return {{"rows", rows}, {"notes", bench.notes}};
}

std::string to_text(const lab::PilesBench& bench) {
    if (bench.rows.empty()) return "";
    const auto line = [](auto... words) {
        return fmt::format("  {:>6}  {:<28} {:>7} {:>9} {:>9} {:>9} {:>8} {:>10} {:>9} {:>9} {:>9} {:>7}\n",
                           words...);
    };
    std::string text = line("ms of", "the processor, one thread,", "", "ms for", "second", "rms m/s",
                            "inverted", "shared, of", "mean mm", "deepest", "nodes mm", "times") +
                       line("bodies", "for 10 ms simulated", "h, s", "10 ms", "half", "at end", "tets",
                            "a body", "deep", "mm", "below", "Plush");
    for (const lab::PileRow& r : bench.rows) {
        const lab::HeapState& s = r.state;
        const auto known = [&](const std::string& word) { return s.finite ? word : std::string("nan"); };
        text +=
            line(r.bodies, r.name, r.step, fmt::format("{:.0f}", r.ms), fmt::format("{:.0f}", r.touching_ms),
                 r.speed < 0 ? "nan" : fmt::format("{:.2e}", r.speed), known(fmt::format("{}", s.inverted)),
                 known(fmt::format("{:.3g}", s.shared)), known(fmt::format("{:.2f}", 1e3 * s.mean_depth)),
                 known(fmt::format("{:.2f}", 1e3 * s.largest_depth)),
                 known(fmt::format("{:.1f}", 1e3 * s.below)), fmt::format("{:.1f}", r.ratio));
    }
    for (const lab::PileRow& r : bench.rows)
        if (r.allowed > 0)
            text += fmt::format("  {} bodies, {}: {:.0f} contacts a step; {:.2f} mm are left alone\n",
                                r.bodies, r.name, r.contacts, 1e3 * r.allowed);
    text += "  by the clock, Plush with all threads asked for, the other with the one it can use:\n";
    for (const lab::PileRow& r : bench.rows)
        text += fmt::format("  {} bodies, {}: {:.0f} ms for 10 ms, {:.1f} times Plush\n", r.bodies, r.name,
                            r.clock_ms, r.clock_ratio);
    for (const std::string& note : bench.notes) text += fmt::format("  {}\n", note);
    return text;
}

namespace {

ordered_json to_json(const lab::Table1Times& t) {
    return {{"detect_and_model", t.see}, {"motion", t.motion}, {"solve", t.solve}, {"step", t.step()}};
}

}  // namespace

ordered_json to_json(const lab::Table1Bench& bench) {
    auto rows = ordered_json::array();
    for (const lab::Table1Row& r : bench.rows)
        rows.push_back({{"name", r.name},
                        {"note", r.note},
                        {"bodies", r.bodies},
                        {"triangles", r.triangles},
                        {"nodes", r.nodes},
                        {"degrees_of_freedom", r.dofs},
                        {"pixel_mm", r.pixel_mm},
                        {"image", r.image},
                        {"published_image", r.paper_image},
                        {"layers", r.layers},
                        {"published_layers", r.paper_layers},
                        {"most_contacts", r.contacts},
                        {"mean_contacts", r.mean_contacts},
                        {"published_contacts", r.paper_contacts},
                        {"step", r.step_seconds},
                        {"tolerance", r.tolerance},
                        {"sweeps", r.iterations},
                        {"motion_turns", r.motion_turns},
                        {"steps", r.steps},
                        {"min_ms", to_json(r.min)},
                        {"median_ms", to_json(r.median)},
                        {"mean_ms", to_json(r.mean)},
                        {"published_ms", to_json(r.paper)},
                        {"steps_per_second", r.steps_per_second},
                        {"memory_mib", r.memory_mib}});
    return rows;
}

std::string to_text(const lab::Table1Bench& bench) {
    if (bench.rows.empty()) return "";
    std::string text = fmt::format("  {:<26} {:>9} {:>6} {:>6} {:>8} {:>8} {:>6} {:>24} {:>24} {:>7} {:>6}\n",
                                   "", "triangles", "nodes", "dofs", "layers", "contacts", "sweeps",
                                   "ms: see, move, solve", "times faster: the same,", "steps", "MiB") +
                       fmt::format("  {:<26} {:>9} {:>6} {:>6} {:>8} {:>8} {:>6} {:>24} {:>24} {:>7} {:>6}\n",
                                   "scene", "", "", "", "(paper)", "(paper)", "", "median (min of all)",
                                   "and the whole step", "per s", "");
    for (const lab::Table1Row& r : bench.rows) {
        if (!r.note.empty()) {
            text += fmt::format("  {:<26} {}\n", r.name, r.note);
            continue;
        }
        if (r.steps == 0) continue;
        const auto& m = r.median;
        text += fmt::format(
            "  {:<26} {:>9} {:>6} {:>6} {:>8} {:>8} {:>6.0f} {:>24} {:>24} {:>7.1f} {:>6.0f}\n", r.name,
            r.triangles, r.nodes, r.dofs,
            r.paper_layers > 0 ? fmt::format("{} ({})", r.layers, r.paper_layers) : std::string("-"),
            fmt::format("{} ({})", r.contacts, r.paper_contacts), r.iterations,
            fmt::format("{:.2f} {:.2f} {:.2f} ({:.2f})", m.see, m.motion, m.solve, r.min.step()),
            fmt::format("{:.1f} {:.1f} {:.1f}, {:.1f}", r.paper.see / m.see, r.paper.motion / m.motion,
                        r.paper.solve / m.solve, 1e-3 * r.paper.step() * r.steps_per_second),
            r.steps_per_second, r.memory_mib);
        text += fmt::format(
            "  {:<26} {} of {:.3g} mm, {} in all (paper: {}); {:.0f} contacts on average; h = {:.4g} s, "
            "tolerance {:.0e}, {:.0f} turns a body "
            "and "
            "step for motion; {} steps, on average {:.2f}, {:.2f} and {:.2f} ms\n",
            "", r.paper_layers > 0 ? "pixels" : "cells", r.pixel_mm, r.image, r.paper_image, r.mean_contacts,
            r.step_seconds, r.tolerance, r.motion_turns, r.steps, r.mean.see, r.mean.motion, r.mean.solve);
    }
    return text +
           "  memory is the most that the process has held so far; published: Allard et al. 2010, Table 1\n";
}

}  // namespace plush::app
