#pragma once

// g++ 12 sees null dereferences inside CLI11's own std::vector<std::string>, where there are none.
#pragma GCC diagnostic ignored "-Wnull-dereference"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "app/commands.hpp"

// What the descriptions of all commands share.

namespace plush::app {

/// What to do after parsing; filled in by the command that was chosen.
using Action = std::function<int()>;

/// CLI11's own would print the range that it allows with all its digits, of which the largest double has 309.
inline CLI::Validator number_that(std::string wish, std::function<bool(double)> holds) {
    return CLI::Validator(
        [wish, holds](std::string& text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && holds(value)
                       ? std::string()
                       : fmt::format("{} is not {}", text, wish);
        },
        "");  // no name for it, which would stand in the help
}

inline CLI::Validator at_least_zero() {
    return number_that("a number from 0", [](double v) { return v >= 0; });
}

inline CLI::Validator above_zero() {
    return number_that("a number above 0", [](double v) { return v > 0; });
}

/// A number of the size that scene keys may have.
inline CLI::Validator within(double most) {
    return number_that(fmt::format("a number from {0} to {1}", -most, most),
                       [most](double v) { return v >= -most && v <= most; });
}

inline void add_json(CLI::App& command, bool& json) {
    command.add_flag("--json", json, "print one JSON document on standard output and nothing else");
}

// Of runs: words_runs.cpp.
void add_run(CLI::App& app, Action& action, RunOptions& o);
void add_render(CLI::App& app, Action& action, RenderOptions& o);
void add_plot(CLI::App& app, Action& action, PlotOptions& o);

}  // namespace plush::app
