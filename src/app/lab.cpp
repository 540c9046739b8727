#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/fem_rows.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/peer_rows.hpp"
#include "app/view_rows.hpp"
#include "core/did_you_mean.hpp"
#include "lab/report/reports.hpp"
#include "record/machine.hpp"

// plush validate and plush bench.

namespace plush::app {
namespace {

using nlohmann::ordered_json;

/// The methods to run with, or what is wrong with the word.
Result<std::vector<ContactMethod>> methods_of(const std::string& word) {
    std::vector<ContactMethod> all;
    std::vector<std::string_view> words{"all"};
    for (const Choice& choice : contact_method_choices()) {
        const auto method = static_cast<ContactMethod>(choice.value);
        if (method == ContactMethod::none || method == ContactMethod::automatic) continue;
        if (word == choice.word) return std::vector{method};
        all.push_back(method);
        words.push_back(choice.word);
    }
    if (word == "all") return all;
    if (word == "automatic")
        return Error({.file = "validate",
                      .problem = "automatic is a choice between two methods, and problems measure one",
                      .cure = "take points or volume"});
    return Error({.file = "validate",
                  .problem = fmt::format("there is no contact method \"{}\"", word),
                  .cure = did_you_mean(word, words)});
}

Result<std::vector<const lab::Problem*>> problems_of(const std::vector<std::string>& names) {
    std::vector<const lab::Problem*> chosen;
    std::vector<std::string_view> known;
    for (const lab::Problem& p : lab::problems()) known.push_back(p.name);
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error({.file = "validate",
                          .problem = fmt::format("there is no problem \"{}\"", name),
                          .cure = did_you_mean(name, known)});
    }
    for (const lab::Problem& p : lab::problems())
        if (names.empty() || std::find(names.begin(), names.end(), p.name) != names.end())
            chosen.push_back(&p);
    return chosen;
}

ordered_json to_json(const lab::Outcome& outcome) {
    auto list = ordered_json::array();
    for (const lab::Check& c : outcome.checks) {
        list.push_back({{"name", outcome.name},
                        {"method", outcome.method},
                        {"check", c.what},
                        {"measured", c.measured},
                        {"expected", c.expected},
                        {"error", c.error},
                        {"tolerance", c.tolerance},
                        {"passed", c.passed},
                        {"unit", c.unit},
                        {"step", c.step}});
        if (outcome.is_excused(c)) list.back()["limit"] = outcome.limit;
    }
    return list;
}

std::string to_text(const lab::Outcome& outcome) {
    std::string text;
    for (const lab::Check& c : outcome.checks)
        text +=
            fmt::format("{:<14} {:<8} {:<42} {:>13.6g} {:>12.6g} {:<6} {:>9.2g} {:>8.2g}  {}\n", outcome.name,
                        outcome.method, c.what, c.measured, c.expected, c.unit, c.error, c.tolerance,
                        c.passed                ? "passed"
                        : outcome.is_excused(c) ? "limit"
                                                : "FAILED");
    if (outcome.missed() && !outcome.limit.empty())
        text += fmt::format("{:<14} {:<8} known limit: {}\n", outcome.name, outcome.method, outcome.limit);
    return text;
}

ordered_json to_json(const lab::Milliseconds& ms) {
    return {{"min", ms.min}, {"median", ms.median}};
}

ordered_json to_json(const lab::SolverRow& row) {
    return {{"name", row.name},
            {"vertices", row.vertices},
            {"springs", row.springs},
            {"nonzeros", row.nonzeros},
            {"force_ns_per_spring", row.force_ns},
            {"matrix_ns_per_spring", row.matrix_ns},
            {"product_ns_per_nonzero", row.product_ns},
            {"product_gb_per_second", row.bandwidth},
            {"triad_gb_per_second", row.triad},
            {"fraction_of_triad", row.bandwidth / row.triad},
            {"iterations", row.iterations},
            {"tolerance", row.tolerance},
            {"step_ms", row.step_ms},
            {"step_ns_per_spring", row.step_ns_per_spring},
            {"stretch", row.stretch}};
}

ordered_json to_json(const lab::PeerRow& row) {
    return {{"name", row.name},
            {"peer", row.peer},
            {"peer_iterations", row.peer_iterations},
            {"peer_ms", row.peer_ms},
            {"peer_wall_ms", row.peer_wall_ms},
            {"peer_stretch_largest", row.peer_largest},
            {"peer_stretch_mean", row.peer_mean},
            {"ms", row.ms},
            {"wall_ms", row.wall_ms},
            {"stretch_largest", row.largest},
            {"stretch_mean", row.mean},
            {"iterations", row.iterations},
            {"tolerance", row.tolerance},
            {"stiffness", row.stiffness},
            {"comparable", row.comparable()},
            {"ratio", row.ratio()},
            {"wall_ratio", row.wall_ratio()}};
}

ordered_json to_json(const lab::JointRowTime& row) {
    return {{"name", row.name},
            {"joints", row.joints},
            {"step_ms", row.step_ms},
            {"solve_ms", row.solve_ms},
            {"us_per_joint", row.us_per_joint},
            {"ratio", row.ratio},
            {"largest_gap", row.largest_gap}};
}

ordered_json to_json(const lab::MatchingRow& row) {
    return {{"name", row.name},
            {"peer", row.peer},
            {"peer_ms", row.peer_ms},
            {"peer_wall_ms", row.peer_wall_ms},
            {"peer_depth", row.peer_depth},
            {"ms", row.ms},
            {"wall_ms", row.wall_ms},
            {"depth", row.depth},
            {"ratio", row.ratio()},
            {"wall_ratio", row.wall_ratio()}};
}

ordered_json to_json(const lab::DepthCost& c) {
    return {{"cells", c.cells},   {"points", c.points},           {"edges", c.edges},
            {"border", c.border}, {"propagation", c.propagation}, {"total", c.total}};
}

ordered_json to_json(const lab::PenetrationBench& bench) {
    auto rows = ordered_json::array(), stacks = ordered_json::array();
    for (const lab::DepthRow& r : bench.rows)
        rows.push_back({{"tets", r.tets},
                        {"colliding", r.colliding},
                        {"ns", to_json(r.fast)},
                        {"reference_ns", to_json(r.reference)},
                        {"hash_ns", to_json(r.hashed)},
                        {"closest_feature_ns", to_json(r.closest)},
                        {"ratio_to_paper", 35000 / r.fast.total},
                        {"two_threads", r.two_threads}});
    for (const lab::StackRow& r : bench.stacks)
        stacks.push_back({{"name", r.name},
                          {"ms", r.ms},
                          {"overlapping_pairs", r.overlap},
                          {"inverted_tets", r.inverted},
                          {"speed_at_rest", r.speed}});
    return {{"rows", rows},
            {"two_threads_ceiling",
             {{"arithmetic", bench.ceiling.arithmetic}, {"scattered_reads", bench.ceiling.scattered}}},
            {"stacks", stacks}};
}

ordered_json to_json(const lab::OverlapBench& bench) {
    auto rows = ordered_json::array(), peers = ordered_json::array();
    for (const lab::OverlapRow& r : bench.rows)
        rows.push_back({{"name", r.name},
                        {"triangles", r.triangles},
                        {"pairs", r.pairs},
                        {"touching", r.touching},
                        {"image", r.image},
                        {"pixel", r.pixel},
                        {"columns", r.columns},
                        {"contacts", r.contacts},
                        {"volume", r.volume},
                        {"one_thread_ms", r.one_ms},
                        {"two_threads_ms", r.many_ms},
                        {"refit_ms", r.refit_ms},
                        {"plan_ms", r.plan_ms},
                        {"images_ms", r.images_ms},
                        {"model_ms", r.model_ms},
                        {"paper_ms", r.paper_ms},
                        {"ratio_to_paper", r.ratio()},
                        {"two_threads_ratio", r.many_ratio()}});
    for (const lab::OverlapPeerRow& r : bench.peers)
        peers.push_back({{"peer", r.peer},
                         {"ms", r.ms},
                         {"volume", r.volume},
                         {"plush_ms", r.plush_ms},
                         {"plush_volume", r.plush_volume}});
    return {{"rows", rows}, {"peers", peers}, {"notes", bench.notes}};
}

ordered_json to_json(const lab::BenchRow& row) {
    ordered_json ms;
    for (std::size_t p = 0; p < phase_names.size(); ++p)
        ms[std::string(phase_names[p])] = row.phases_timed ? to_json(row.phases[p]) : ordered_json(nullptr);
    ms["step"] = to_json(row.step);
    auto solver = ordered_json::array(), peers = ordered_json::array(), joints = ordered_json::array();
    for (const lab::JointRowTime& r : row.joints) joints.push_back(to_json(r));
    for (const lab::SolverRow& r : row.springs.solver) solver.push_back(to_json(r));
    for (const lab::PeerRow& r : row.springs.peers) peers.push_back(to_json(r));
    for (const lab::MatchingRow& r : row.matching.rows)
        if (!r.peer.empty()) peers.push_back(to_json(r));
    for (const lab::FemPeer& r : row.fem.peers)
        if (!r.peer.empty()) peers.push_back(app::to_json(r));
    return {{"name", row.name},
            {"what", row.what},
            {"triangles", row.triangles},
            {"dofs", row.dofs},
            {"tets", row.tets},
            {"contacts", row.contacts},
            {"step_seconds", row.step_seconds},
            {"iterations", row.iterations},
            {"ms", ms},
            {"steps_per_second", row.steps_per_second},
            {"memory_mib", row.memory_mib},
            {"threads", row.threads},
            {"runs", row.runs},
            // Of published figures: the 35 µs a colliding point of `penetration` on a Pentium 4 of 3 GHz, or
            // the first scene of `overlap`.
            {"ratio_to_paper", !row.penetration.rows.empty()
                                   ? ordered_json(35000 / row.penetration.rows.back().fast.total)
                               : !row.overlap.rows.empty() ? ordered_json(row.overlap.rows[0].ratio())
                               : row.touching_ms > 0       ? ordered_json(row.paper_ms / row.touching_ms)
                                                           : ordered_json(nullptr)},
            {"penetration", row.penetration.rows.empty() ? ordered_json(nullptr) : to_json(row.penetration)},
            {"overlap", row.overlap.rows.empty() ? ordered_json(nullptr) : to_json(row.overlap)},
            {"view", row.view.rows.empty() ? ordered_json(nullptr) : app::to_json(row.view)},
            {"bumps", row.bumps.rows.empty() ? ordered_json(nullptr) : app::to_json(row.bumps)},
            {"piles", row.piles.rows.empty() ? ordered_json(nullptr) : app::to_json(row.piles)},
            {"pyramid", row.pyramid.rows.empty() ? ordered_json(nullptr) : app::to_json(row.pyramid)},
            {"table1", row.table1.rows.empty() ? ordered_json(nullptr) : app::to_json(row.table1)},
            {"solver", solver},
            {"joints", joints},
            {"fem", row.fem.rows.empty() ? ordered_json(nullptr) : app::to_json(row.fem)},
            {"peer", peers.empty() ? ordered_json(nullptr) : peers}};
}

std::string to_text(const lab::SpringsBench& bench) {
    std::string text;
    if (!bench.solver.empty())
        text += fmt::format("  {:<15} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}\n",
                            "implicit steps,", "", "", "ns a", "spring", "ns a", "of the", "iterations",
                            "ms a", "ns a", "largest") +
                fmt::format("  {:<15} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}\n",
                            "one thread", "vertices", "springs", "force", "matrix", "non-zero", "triad",
                            "at 1e-4", "step", "spring", "stretch");
    for (const lab::SolverRow& r : bench.solver)
        text += fmt::format(
            "  {:<15} {:>8} {:>8} {:>8.1f} {:>8.1f} {:>9.3f} {:>6.0f} % {:>9.1f} {:>9.2f} {:>9.0f} "
            "{:>8.3f}\n",
            r.name, r.vertices, r.springs, r.force_ns, r.matrix_ns, r.product_ns, 100 * r.bandwidth / r.triad,
            r.iterations, r.step_ms, r.step_ns_per_spring, r.stretch);
    for (const lab::PeerRow& r : bench.peers) {
        text += fmt::format(
            "  cloth 100x100 {}, ms a step of the processor (by the clock), stretch largest, mean\n", r.name);
        text += fmt::format("    {:<12} {:>6.2f} ({:.2f}) {:>8.3f} {:>7.4f}  {} iterations\n", r.peer,
                            r.peer_ms, r.peer_wall_ms, r.peer_largest, r.peer_mean, r.peer_iterations);
        text += fmt::format(
            "    {:<12} {:>6.2f} ({:.2f}) {:>8.3f} {:>7.4f}  {:.1f} iterations to {:g}, springs of {:g} N\n",
            "Plush", r.ms, r.wall_ms, r.largest, r.mean, r.iterations, r.tolerance, r.stiffness);
        text += r.comparable()
                    ? fmt::format("    {:.2f} times as fast on one thread, {:.2f} times by the clock\n",
                                  r.ratio(), r.wall_ratio())
                    : std::string("    not comparable: Plush stretches more\n");
    }
    if (!bench.note.empty()) text += fmt::format("  {}\n", bench.note);
    return text;
}

std::string to_text(const std::vector<lab::JointRowTime>& rows) {
    if (rows.empty()) return "";
    std::string text =
        "  one thread        joints   ms a step     solve   µs a joint   ratio   largest gap\n";
    for (const lab::JointRowTime& r : rows)
        text += fmt::format("    {:<12} {:>9} {:>11.3f} {:>9.3f} {:>12.3f} {:>7.2f} {:>11.1e} m\n", r.name,
                            r.joints, r.step_ms, r.solve_ms, r.us_per_joint, r.ratio, r.largest_gap);
    return text;
}

std::string to_text(const lab::MatchingBench& bench) {
    std::string text;
    for (const lab::MatchingRow& r : bench.rows) {
        text += fmt::format(
            "  500 cubes of 125 vertices that touch {}: ms a step of the processor (by the clock), deepest "
            "vertex below the ground\n",
            r.name);
        if (!r.peer.empty())
            text += fmt::format("    {:<12} {:>6.2f} ({:.2f}) {:>8.3f} %\n", r.peer, r.peer_ms,
                                r.peer_wall_ms, 100 * r.peer_depth);
        text +=
            fmt::format("    {:<12} {:>6.2f} ({:.2f}) {:>8.3f} %\n", "Plush", r.ms, r.wall_ms, 100 * r.depth);
        if (!r.peer.empty())
            text += fmt::format("    {:.2f} times as fast on one thread, {:.2f} times by the clock\n",
                                r.ratio(), r.wall_ratio());
    }
    if (!bench.note.empty()) text += fmt::format("  {}\n", bench.note);
    return text;
}

std::string to_text(const lab::PenetrationBench& bench) {
    std::string text;
    if (!bench.rows.empty())
        text +=
            "  one thread, ns a colliding point; the paper: 35,000\n"
            "      tets  colliding  cells  points  edges  border  propagation   total  ratio  |  by cells  "
            "by "
            "hash  closest feature  |  two threads\n";
    for (const lab::DepthRow& r : bench.rows)
        text += fmt::format(
            "  {:>8} {:>10} {:>6.0f} {:>7.0f} {:>6.0f} {:>7.0f} {:>12.0f} {:>7.0f} {:>5.0f}x  | {:>9.0f} "
            "{:>8.0f} "
            "{:>16.0f}  | {:>11.2f}x\n",
            r.tets, r.colliding, r.fast.cells, r.fast.points, r.fast.edges, r.fast.border, r.fast.propagation,
            r.fast.total, 35000 / r.fast.total, r.reference.total, r.hashed.total, r.closest.total,
            r.two_threads);
    if (!bench.rows.empty())
        text += fmt::format(
            "  the most that two threads give here just now: {:.2f}x of arithmetic, {:.2f}x of scattered "
            "reads\n",
            bench.ceiling.arithmetic, bench.ceiling.scattered);
    if (!bench.stacks.empty())
        text +=
            "  120 soft spheres of 20 tets in a box   ms a step  overlapping pairs  inverted tets  rms m/s\n";
    for (const lab::StackRow& r : bench.stacks)
        text += fmt::format("    {:<34} {:>9.2f} {:>18.0f} {:>14.0f} {:>8.4f}\n", r.name, r.ms, r.overlap,
                            r.inverted, r.speed);
    if (!bench.note.empty()) text += fmt::format("  {}\n", bench.note);
    return text;
}

std::string to_text(const lab::OverlapBench& bench) {
    if (bench.rows.empty()) return "";
    std::string text = fmt::format("  {:<30} {:>9} {:>6} {:>8} {:>8} {:>9} {:>9} {:>17} {:>7} {:>7}\n", "",
                                   "", "pairs", "", "", "ms on", "ms on", "refit, plan,", "times", "the") +
                       fmt::format("  {:<30} {:>9} {:>6} {:>8} {:>8} {:>9} {:>9} {:>17} {:>7} {:>7}\n",
                                   "scene", "triangles", "touch", "columns", "contacts", "1 thread",
                                   "2 threads", "images, model", "paper", "same, 2");
    for (const lab::OverlapRow& r : bench.rows)
        text += fmt::format(
            "  {:<30} {:>9} {:>6} {:>8} {:>8} {:>9.3f} {:>9.3f} {:>5.2f} {:.2f} {:.2f} {:.2f} {:>5.1f} "
            "{:>7.1f}\n",
            r.name, r.triangles, r.touching, r.columns, r.contacts, r.one_ms, r.many_ms, r.refit_ms,
            r.plan_ms, r.images_ms, r.model_ms, r.ratio(), r.many_ratio());
    for (const lab::OverlapRow& r : bench.rows)
        if (r.paper_ms > 0)
            text += fmt::format("  {}: {} pixels of {:.3g} m; published {:.2f} ms\n", r.name, r.image,
                                r.pixel, r.paper_ms);
    for (const lab::OverlapPeerRow& r : bench.peers)
        text += fmt::format("  {}: {:.1f} ms, {:.6g} m^3; Plush {:.3f} ms, {:.6g} m^3\n", r.peer, r.ms,
                            r.volume, r.plush_ms, r.plush_volume);
    for (const std::string& note : bench.notes) text += fmt::format("  {}\n", note);
    return text;
}

std::string to_text(const lab::BenchRow& row) {
    std::string text = fmt::format("{}: {}\n", row.name, row.what);
    text += fmt::format(
        "  {} triangles, {} degrees of freedom, {:.0f} contacts and {:.0f} sweeps a step on average\n",
        row.triangles, row.dofs, row.contacts, row.iterations);
    if (row.step_seconds > 0) {
        text +=
            fmt::format("  {:.1f} steps a second (h = {:.4g} s), fastest of {} runs\n  ms a step, median:",
                        row.steps_per_second, row.step_seconds, row.runs);
        if (row.phases_timed)
            for (std::size_t p = 0; p < phase_names.size(); ++p)
                text += fmt::format(" {} {:.2f},", phase_names[p], row.phases[p].median);
        text += fmt::format(" step {:.2f} (min {:.2f})\n", row.step.median, row.step.min);
        if (row.touching_ms > 0)
            text += fmt::format(
                "  {:.2f} ms a step in contact and motion, on average: {:.1f} times the published {} ms; "
                "threads worked {:.2f} ms\n",
                row.touching_ms, row.paper_ms / row.touching_ms, row.paper_ms, row.touching_worked_ms);
    } else {
        text +=
            fmt::format("  {:.1f} ms (median {:.1f}, {} runs)\n", row.step.min, row.step.median, row.runs);
    }
    if (row.tets > 0)
        text += fmt::format("  {} tets, {:.3g} a second\n", row.tets,
                            static_cast<double>(row.tets) / (1e-3 * row.step.min));
    return text + fmt::format("  {:.0f} MiB\n", row.memory_mib) + to_text(row.springs) + to_text(row.joints) +
           to_text(row.matching) + app::to_text(row.fem) + to_text(row.overlap) + to_text(row.penetration) +
           app::to_text(row.view) + app::to_text(row.bumps) + app::to_text(row.pyramid) +
           app::to_text(row.piles) + app::to_text(row.table1);
}

/// Status where the report was written or none is wanted.
int write_report(const lab::Report& page, const std::string& file, int status) {
    if (const auto saved = lab::save_report(page, file); !saved) {
        say(saved.error());
        return failed;
    }
    return status;
}

}  // namespace

int validate(const ValidateOptions& options) {
    const auto methods = methods_of(options.method);
    if (!methods.ok()) return report(methods.error(), options.json);
    const auto chosen = problems_of(options.names);
    if (!chosen.ok()) return report(chosen.error(), options.json);
    bool passed = true;
    int failures = 0, limits = 0, checks = 0;
    auto list = ordered_json::array();
    std::vector<lab::Outcome> outcomes;
    std::string text = fmt::format("{:<14} {:<8} {:<42} {:>13} {:>12} {:<6} {:>9} {:>8}\n", "problem",
                                   "method", "check", "measured", "expected", "unit", "error", "allowed");
    for (const lab::Problem* problem : chosen.value()) {
        for (ContactMethod method : methods.value()) {
            if (!problem->contact && method != methods.value().front()) continue;
            const EndsAtOnce guard("the validation", options.json);
            const lab::Outcome& outcome = outcomes.emplace_back(lab::run(*problem, method));
            passed = passed && outcome.passed();
            for (const lab::Check& c : outcome.checks) {
                ++checks;
                if (!c.passed) ++(outcome.limit.empty() ? failures : limits);
            }
            for (auto& row : to_json(outcome)) list.push_back(row);
            text += to_text(outcome);
        }
    }
    int status = passed ? done : failed;
    if (!options.report.empty()) {
        std::string command = "plush validate";
        for (const std::string& name : options.names) command += " " + name;
        if (options.method != "points") command += " --method " + options.method;
        status = write_report(lab::validation_report(outcomes, command), options.report, status);
    }
    if (options.json) return print_json({{"passed", passed}, {"problems", list}}, status);
    text += fmt::format("{} checks, {} failed", checks, failures);
    text += limits ? fmt::format(", {} missed as expected of the method\n", limits) : "\n";
    return print(text, status);
}

int bench(const BenchOptions& options) {
    if (options.names == std::vector<std::string>{"python"}) return bench_python(options.json);
    lab::BenchSettings settings;
    settings.names = options.names;
    settings.threads = options.threads;
    settings.runs = options.runs;
    settings.mesh = options.mesh;
    settings.meshes = options.meshes;
    settings.progress = [](std::string_view name) { say(fmt::format("timing {}", name)); };
    const auto rows = [&] {
        const EndsAtOnce guard("the benchmark", options.json);
        return lab::bench(settings);
    }();
    if (!rows.ok()) return report(rows.error(), options.json);
    const Machine machine = this_machine();
    int status = done;
    if (!options.report.empty()) {
        std::string command = fmt::format("plush bench --runs {}", options.runs);
        for (const std::string& name : options.names) command += " " + name;
        status = write_report(lab::bench_report(rows.value(), command), options.report, status);
    }
    if (options.json) {
        auto list = ordered_json::array();
        for (const lab::BenchRow& row : rows.value()) list.push_back(to_json(row));
        return print_json(
            {{"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"compiler", machine.compiler}}},
             {"rows", list}},
            status);
    }
    std::string text = fmt::format("{}, {} cores, {}\n", machine.cpu, machine.cores, machine.compiler);
    for (const lab::BenchRow& row : rows.value()) text += to_text(row);
    return print(text, status);
}

}  // namespace plush::app
