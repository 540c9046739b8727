#include "app/fem_rows.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace plush::app {

using nlohmann::ordered_json;

ordered_json to_json(const lab::FemBench& bench) {
    auto bodies = ordered_json::array(), direct = ordered_json::array(), worlds = ordered_json::array();
    for (const lab::FemRow& r : bench.rows)
        bodies.push_back({{"tets", r.tets},
                          {"dofs", r.dofs},
                          {"assembly_ns_per_tet", r.assembly_ns},
                          {"product_us", r.product_us},
                          {"iteration_us", r.iteration_us},
                          {"iterations", r.iterations},
                          {"iteration_ns_per_tet", r.iteration_ns()},
                          {"rest_ns_per_tet", r.rest_ns()},
                          {"iteration_bytes", r.iteration_bytes},
                          {"iteration_gb_per_s", r.iteration_rate()},
                          {"stream_gb_per_s", r.stream_rate},
                          {"single_precision", r.single},
                          {"step_ms", r.step_ms},
                          {"step_ns_per_tet", r.step_ns_per_tet},
                          {"bytes_per_tet", r.bytes_per_tet}});
    for (const lab::FemDirect& r : bench.direct)
        direct.push_back({{"dofs", r.dofs},
                          {"factor_ms", r.factor_ms},
                          {"solve_ms", r.solve_ms},
                          {"many_ms", r.many_ms},
                          {"eigen_factor_ms", r.eigen_factor_ms},
                          {"eigen_solve_ms", r.eigen_solve_ms},
                          {"ratio", r.ratio()}});
    for (const lab::FemWorld& r : bench.worlds)
        worlds.push_back({{"bodies", r.bodies},
                          {"threads", r.threads},
                          {"tets", r.tets},
                          {"dofs", r.dofs},
                          {"iterations", r.iterations},
                          {"min_ms", r.min_ms},
                          {"median_ms", r.median_ms}});
    auto skins = ordered_json::array();
    for (const lab::FemSkin& r : bench.skins)
        skins.push_back({{"triangles", r.triangles},
                         {"tets", r.tets},
                         {"air_ms", r.air_ms},
                         {"ground_ms", r.ground_ms},
                         {"whole_ms", r.whole_ms}});
    return {{"bodies", bodies}, {"cholesky", direct}, {"worlds", worlds}, {"skins", skins}};
}

ordered_json to_json(const lab::FemPeer& row) {
    return {{"name", "fem"},
            {"peer", row.peer},
            {"bodies", row.bodies},
            {"nodes", row.nodes},
            {"peer_step", row.step},
            {"damping", row.damping},
            {"peer_ms_per_10_ms", row.peer_ms},
            {"peer_size", row.peer_size},
            {"ms_per_10_ms", row.ms},
            {"size", row.size},
            {"ratio", row.ratio()},
            {"threads", row.threads},
            {"clock_ms_per_10_ms", row.clock_ms},
            {"clock_ratio", row.clock_ratio()},
            {"wanted_ratio", row.wanted_ratio},
            {"fast_enough", row.fast_enough()},
            {"peer_explodes", row.peer_explodes()}};
}

std::string to_text(const lab::FemBench& bench) {
    if (bench.rows.empty()) return "";
    std::string text =
        fmt::format("  {:>8} {:>10} {:>14} {:>11} {:>7} {:>9} {:>9} {:>12} {:>7} {:>10} {:>9} {:>7}\n", "",
                    "degrees of", "ns a tet: step", "= assembly", "+ rest", "+ itera-", "of, each",
                    "iteration,", "", "GB/s, as", "product,", "bytes");
    text += fmt::format("  {:>8} {:>10} {:>14} {:>11} {:>7} {:>9} {:>9} {:>12} {:>7} {:>10} {:>9} {:>7}\n",
                        "tets", "freedom", "", "", "", "tions", "", "us", "GB/s", "a stream", "us", "a tet");
    for (const lab::FemRow& r : bench.rows)
        text += fmt::format(
            "  {:>8} {:>10} {:>14.0f} {:>11.1f} {:>7.1f} {:>9.1f} {:>9.2f} {:>12.1f} {:>7.1f} {:>10.1f} "
            "{:>9.1f} {:>7.0f}{}\n",
            r.tets, r.dofs, r.step_ns_per_tet, r.assembly_ns, r.rest_ns(), r.iterations, r.iteration_ns(),
            r.iteration_us, r.iteration_rate(), r.stream_rate, r.product_us, r.bytes_per_tet,
            r.single ? "  single precision" : "");
    text +=
        "  Cholesky, ms: factor, solve, each of 48; Eigen's SimplicialLDLT: factor, solve; ratio of "
        "factors\n";
    for (const lab::FemDirect& r : bench.direct)
        text +=
            fmt::format("    {:>8} {:>9.2f} {:>8.3f} {:>8.3f} {:>12.2f} {:>8.3f} {:>8.1f}\n", r.dofs,
                        r.factor_ms, r.solve_ms, r.many_ms, r.eigen_factor_ms, r.eigen_solve_ms, r.ratio());
    for (const lab::FemWorld& r : bench.worlds)
        text += fmt::format(
            "  {} bodies of {} tets, threads {}: {:.2f} ms a step (median {:.2f}), {:.1f} iterations\n",
            r.bodies, r.tets, r.threads == 0 ? "all" : fmt::format("{}", r.threads), r.min_ms, r.median_ms,
            r.iterations);
    for (const lab::FemSkin& r : bench.skins)
        text += fmt::format(
            "  a skin of {} triangles on {} tets: {:.2f} ms a step in the air, {:.2f} on the ground; all of "
            "it "
            "is deformed in {:.2f} ms\n",
            r.triangles, r.tets, r.air_ms, r.ground_ms, r.whole_ms);
    for (const lab::FemPeer& r : bench.peers) {
        if (r.peer.empty()) continue;
        text += fmt::format(
            "  {} bodies of {} nodes, damping {:g} s, one thread: ms for 10 ms (size at the end by that at "
            "rest)\n",
            r.bodies, r.nodes, r.damping);
        text += fmt::format("    {:<12} {:>8.1f} ({:.4g})  h = {:g} s{}\n", r.peer, r.peer_ms, r.peer_size,
                            r.step, r.peer_explodes() ? ": it explodes" : "");
        text += fmt::format("    {:<12} {:>8.1f} ({:.4g})  h = 0.01 s: {:.1f} times as fast\n", "Plush", r.ms,
                            r.size, r.ratio());
        text += fmt::format(
            "    {:<12} {:>8.1f} by the clock, threads {}: {:.1f} times as fast ({:g} wanted: {})\n", "",
            r.clock_ms, r.threads == 0 ? "all" : fmt::format("{}", r.threads), r.clock_ratio(),
            r.wanted_ratio, r.fast_enough() ? "met" : "not met");
    }
    if (!bench.note.empty()) text += fmt::format("  {}\n", bench.note);
    return text;
}

}  // namespace plush::app
