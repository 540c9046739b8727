#include "lab/report/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace plush::lab {
namespace {

/// Below this part of its tolerance a check is far from failing, and how far does not matter.
constexpr double least_part = 1e-6;

/// error / tolerance; NaN, which leaves the bar out, where nothing is allowed and nothing is wrong.
double part_used(const Check& check) {
    if (check.tolerance > 0) return std::max(check.error / check.tolerance, least_part);
    return check.error == 0 ? std::nan("") : HUGE_VAL;
}

}  // namespace

Report validation_report(std::span<const Outcome> outcomes, std::string command) {
    Report report = begin_report("Validation", std::move(command));
    Table table{.name = "checks",
                .caption = "",
                .columns = {"problem", "method", "check", "measured", "expected", "unit", "error", "allowed",
                            "verdict"},
                .rows = {}};
    Table limits{.name = "limits", .caption = "", .columns = {"problem", "method", "why"}, .rows = {}};
    Plot plot{.name = "tolerance_used",
              .title = "Error as a part of what is allowed",
              .x = {.label = "Error / tolerance", .unit = "", .scale = Scale::log, .low = least_part / 5},
              .y = {.label = "Check", .unit = ""},
              .series = {{.name = "used", .draw = Draw::bars}},
              .lines = {{.name = "all of it: beyond, the check fails", .x = 1}}};
    int checks = 0, failures = 0;
    for (const Outcome& outcome : outcomes) {
        if (!outcome.limit.empty() && outcome.missed())
            limits.rows.push_back({outcome.name, outcome.method, outcome.limit});
        for (const Check& c : outcome.checks) {
            const bool known = outcome.is_excused(c);
            ++checks, failures += !c.passed && !known;
            const std::string method = outcome.method.empty() ? "" : ", " + outcome.method;
            plot.categories.push_back(fmt::format("{}{}: {}", outcome.name, method, c.what));
            plot.series[0].y.push_back(part_used(c));
            table.rows.push_back({outcome.name, outcome.method, c.what, c.measured, c.expected, c.unit,
                                  c.error, c.tolerance,
                                  c.passed ? "passed"
                                  : known  ? "limit"
                                           : "FAILED"});
        }
    }
    report.figure("checks_run", checks);
    report.figure("failed", failures);
    report.paragraph(fmt::format(
        "{} checks against known answers, {} failed. A bar that ends left of the line passed. Checks that "
        "allow no "
        "error and made none have no bar; bars of less than a millionth are drawn as a millionth.",
        checks, failures));
    report.add(std::move(plot));
    report.heading("Numbers");
    report.add(std::move(table));
    if (!limits.rows.empty()) {
        report.heading("Known limits of a method");
        report.add(std::move(limits));
    }
    return report;
}

Report bench_report(std::span<const BenchRow> rows, std::string command) {
    Report report = begin_report("Timings", std::move(command));
    report.paragraph(
        "Milliseconds are medians over the steps of the fastest run. The log axis shows phases side by side "
        "that "
        "differ by orders of magnitude: bars must not be added up by eye.");
    Plot plot{.name = "milliseconds",
              .title = "Time of a step, by phase",
              .x = {.label = "Time, median", .unit = "ms", .scale = Scale::log},
              .y = {.label = "Scene", .unit = ""}};
    Table table{.name = "rows",
                .caption = "",
                .columns = {"name", "triangles", "degrees of freedom", "contacts", "sweeps",
                            "step (ms, median)", "steps a second", "threads", "memory (MiB)"},
                .rows = {},
                .digits = 4};
    for (const std::string_view phase : phase_names)
        plot.series.push_back({.name = std::string(phase), .draw = Draw::bars});
    for (const BenchRow& row : rows) {
        table.rows.push_back({row.name, static_cast<double>(row.triangles), static_cast<double>(row.dofs),
                              row.contacts, row.iterations, row.step.median,
                              row.steps_per_second > 0 ? Cell(row.steps_per_second) : Cell("–"),
                              static_cast<double>(row.threads), row.memory_mib});
        if (row.step_seconds <= 0) continue;  // nothing was stepped
        plot.categories.push_back(row.name);
        for (std::size_t p = 0; p < phase_names.size(); ++p) plot.series[p].y.push_back(row.phases[p].median);
    }
    if (!plot.categories.empty()) report.add(std::move(plot));
    report.add(std::move(table));
    return report;
}

}  // namespace plush::lab
