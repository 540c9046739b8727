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

/// After `made` pieces of work in `wall` seconds, with `rest` still to do.
std::string time_left(double made, double rest, double wall) {
    if (made <= 0) return "";
    return fmt::format(", {} left", duration_text(wall / made * rest));
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

bool Progress::is_time(double wall) {
    const double pause = terminal_ ? seconds_between_redraws : seconds_between_lines;
    if (wall - last_ < pause) return false;
    last_ = wall;
    return true;
}

void Progress::draw(double part, std::string line) {
    part = std::clamp(part, 0.0, 1.0);
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

void Progress::show(const RunProgress& p) {
    if (!is_time(p.wall)) return;
    const auto done = static_cast<double>(p.step), all = static_cast<double>(p.steps);
    draw(done / all,
         fmt::format("step {} of {}, {:.3g} s, {} contacts{}", p.step, p.steps, p.time, p.contacts,
                     time_left(done - static_cast<double>(p.first), all - done, p.wall)));
}

void Progress::show(const render::RenderProgress& p) {
    if (p.wanted < 2 || !is_time(p.wall)) return;
    const auto done = static_cast<double>(p.done), all = static_cast<double>(p.wanted);
    draw(done / all,
         fmt::format("picture {} of {}{}", p.done, p.wanted, time_left(done, all - done, p.wall)));
}

void Progress::finish() {
    if (!drawn_) return;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
    drawn_ = false;
}

}  // namespace plush::app
