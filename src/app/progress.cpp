#include "app/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace plush::app {

namespace {

constexpr double seconds_between_redraws = 0.1;  // faster than this nobody reads
constexpr double seconds_between_lines = 5;      // in a log file
constexpr int bar_width = 24;

std::string bar(double part) {
    const int full = static_cast<int>(std::floor(part * bar_width));
    return std::string(static_cast<std::size_t>(full), '#') +
           std::string(static_cast<std::size_t>(bar_width - full), '.');
}

std::string time_left(const RunProgress& p) {
    const auto made = static_cast<double>(p.step - p.first);
    if (made <= 0) return "";
    const double left = p.wall / made * static_cast<double>(p.steps - p.step);
    return fmt::format(", {} left", duration_text(left));
}

}  // namespace

std::string duration_text(double seconds) {
    if (seconds < 10) return fmt::format("{:.1f} s", seconds);
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::string name) : name_(std::move(name)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::show(const RunProgress& p) {
    const double pause = terminal_ ? seconds_between_redraws : seconds_between_lines;
    if (p.wall - last_ < pause) return;
    last_ = p.wall;
    const double part = std::clamp(static_cast<double>(p.step) / static_cast<double>(p.steps), 0.0, 1.0);
    std::string line = fmt::format("step {} of {}, {:.3g} s, {} contacts{}", p.step, p.steps, p.time,
                                   p.contacts, time_left(p));
    if (terminal_) {
        // \r goes to the start of the line, ESC[K clears what a longer line left behind.
        line = fmt::format("\r{} [{}] {:3.0f} %  {}\x1b[K", name_, bar(part), 100 * part, line);
        drawn_ = true;
    } else {
        line = fmt::format("plush: {}: {}\n", name_, line);
    }
    std::fputs(line.c_str(), stderr);
    std::fflush(stderr);
}

void Progress::finish() {
    if (!drawn_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace plush::app
