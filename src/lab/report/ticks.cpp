#include "lab/report/ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

// Where ticks go and what they say. Linear axes: steps of 1, 2 or 5 times a power of ten (Heckbert, Nice
// Numbers for Graph Labels, Graphics Gems, 1990); numbers that would be long are written in a smaller or
// larger unit: mm, µs, kN, or a factor 10ⁿ beside the unit where a prefix would be wrong. Log axes: a tick a
// decade, minor ones at 2 … 9.

namespace plush::lab {
namespace {

/// Beyond these a range is no longer representable, and nobody measures anything there.
constexpr double largest = 1e300, smallest = 1e-300;

/// A range narrower than this part of its values cannot be told from a single value.
constexpr double narrowest = 1e-9;

/// Powers of ten are exact enough from the decimal text, and the same everywhere.
double power_of_ten(int exponent) {
    return std::strtod(fmt::format("1e{}", exponent).c_str(), nullptr);
}

int decade_below(double value) {
    int e = static_cast<int>(std::floor(std::log10(value)));
    while (power_of_ten(e) > value) --e;
    while (power_of_ten(e + 1) <= value) ++e;
    return e;
}

/// A true minus, as wide as a plus.
std::string with_minus(std::string text) {
    return !text.empty() && text[0] == '-' ? "−" + text.substr(1) : text;
}

bool takes_prefix(std::string_view unit) {
    static constexpr std::array units{"m", "s", "N", "J", "W", "Pa", "Hz", "m/s", "N/m", "rad/s"};
    return std::find(units.begin(), units.end(), unit) != units.end();
}

std::string_view prefix(int exponent) {
    switch (exponent) {
        case -12:
            return "p";
        case -9:
            return "n";
        case -6:
            return "µ";
        case -3:
            return "m";
        case 3:
            return "k";
        case 6:
            return "M";
        case 9:
            return "G";
        case 12:
            return "T";
        default:
            return "";
    }
}

void write_title(const Axis& axis, int exponent, AxisLayout& layout) {
    const std::string_view si = axis.unit.starts_with("rad") ? "" : prefix(exponent);
    if (exponent == 0) {
        layout.title = axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit);
    } else if (takes_prefix(axis.unit) && !si.empty()) {
        layout.title = fmt::format("{} ({}{})", axis.label, si, axis.unit);
    } else {
        layout.title = axis.label + " (10";
        layout.title_exponent = with_minus(fmt::format("{}", exponent));
        layout.title_end = axis.unit.empty() ? ")" : fmt::format(" {})", axis.unit);
    }
}

/// The exponent, a multiple of three, that tick labels are divided by: 0 while they are short without.
int common_exponent(double low, double high, double step) {
    const double size = std::max(std::abs(low), std::abs(high));
    if (size < 1e4 && (size >= 0.1 || step >= 0.01)) return 0;
    const int decade = decade_below(size);
    return 3 * static_cast<int>(std::floor(decade / 3.0));
}

void linear_ticks(const Axis& axis, int max_labels, AxisLayout& layout) {
    const double step = nice_step(layout.high - layout.low, max_labels);
    // Out to the next ticks, so that the ends of the axis have numbers, unless the user chose the ends.
    const double slack = 1e-6;  // of a step: rounding must not add a whole one
    if (!axis.low) layout.low = step * std::floor(layout.low / step + slack);
    if (!axis.high) layout.high = step * std::ceil(layout.high / step - slack);
    const int exponent = common_exponent(layout.low, layout.high, step);
    const double factor = power_of_ten(exponent);
    const int decimals = std::max(0, exponent - decade_below(step * 1.0000001));
    const double first = std::ceil(layout.low / step - slack), last = std::floor(layout.high / step + slack);
    for (int i = 0; first + i <= last && i <= 2 * max_labels; ++i) {
        const double value = (first + i) * step;
        std::string label = fmt::format("{:.{}f}", value / factor, decimals);
        if (std::strtod(label.c_str(), nullptr) == 0) label = fmt::format("{:.{}f}", 0.0, decimals);
        layout.ticks.push_back({value, with_minus(std::move(label)), "", false});
    }
    write_title(axis, exponent, layout);
}

Tick decade_tick(int exponent, bool plain) {
    if (plain) return {power_of_ten(exponent), fmt::format("{:g}", power_of_ten(exponent)), "", false};
    return {power_of_ten(exponent), "10", with_minus(fmt::format("{}", exponent)), false};
}

void log_ticks(const Axis& axis, int max_labels, AxisLayout& layout) {
    int low = decade_below(layout.low), high = decade_below(layout.high);
    if (power_of_ten(high) < layout.high) ++high;
    if (low == high) ++high;
    // Whole decades, unless less than about half of an outer one is in use: then 2 or 5 times the decade.
    const auto outer = [](double value, bool up) {
        const int decade = decade_below(value);
        const double m = value / power_of_ten(decade);
        if (up) return (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10) * power_of_ten(decade);
        return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power_of_ten(decade);
    };
    const bool narrow = high - low <= 3;
    if (!axis.low) layout.low = narrow ? outer(layout.low, false) : power_of_ten(low);
    if (!axis.high) layout.high = narrow ? outer(layout.high, true) : power_of_ten(high);
    const int every = std::max(1, (high - low + max_labels - 1) / std::max(1, max_labels));
    const bool plain = low >= -2 && high <= 4;
    const auto inside = [&](double v) {
        return v >= layout.low * (1 - 1e-9) && v <= layout.high * (1 + 1e-9);
    };
    int labels = 0;
    for (int e = low; e <= high; ++e) labels += inside(power_of_ten(e));
    for (int e = low; e <= high; ++e) {
        if (inside(power_of_ten(e))) {
            Tick tick = decade_tick(e, plain);
            const bool labelled = e % every == 0;
            if (!labelled) tick = {tick.value, "", "", true};
            if (labelled || every <= 10) layout.ticks.push_back(std::move(tick));
        }
        if (every > 1) continue;  // so many decades leave no room between them
        for (int m = 2; m <= 9; ++m) {
            const double value = m * power_of_ten(e);
            if (!inside(value)) continue;
            Tick tick{value, "", "", true};
            // With fewer than two decades in view, 2 and 5 get numbers as well.
            if (labels < 3 && (m == 2 || m == 5)) {
                if (plain)
                    tick = {value, fmt::format("{:g}", value), "", false};
                else
                    tick = {value, fmt::format("{}·10", m), with_minus(fmt::format("{}", e)), false};
            }
            layout.ticks.push_back(std::move(tick));
        }
    }
    write_title(axis, 0, layout);
}

}  // namespace

bool can_draw(double value, Scale scale) {
    if (!std::isfinite(value) || std::abs(value) > largest) return false;
    return scale == Scale::linear || value > smallest;
}

double nice_step(double range, int most) {
    if (!(range > smallest)) return 1;
    const double raw = range / std::max(1, most);
    const double decade = power_of_ten(decade_below(raw));
    for (const double m : {1.0, 2.0, 5.0})
        if (m * decade >= raw * (1 - 1e-9)) return m * decade;
    return 10 * decade;
}

double AxisLayout::place(double value) const {
    if (scale == Scale::log) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return (value - low) / (high - low);
}

AxisLayout lay_out(const Axis& axis, double low, double high, int max_labels) {
    const bool log = axis.scale == Scale::log;
    if (axis.low && can_draw(*axis.low, axis.scale)) low = *axis.low;
    if (axis.high && can_draw(*axis.high, axis.scale)) high = *axis.high;
    if (!(low <= high)) low = log ? 0.1 : 0, high = 1;
    if (log) {
        if (high < low * (1 + narrowest)) low /= 2, high *= 2;
    } else if (high - low <= narrowest * std::max(std::abs(low), std::abs(high))) {
        const double around = low == 0 ? 1 : 0.5 * std::abs(low);
        low -= around, high += around;
    }
    if (!log && high - low < 1e3 * smallest) low -= 1, high += 1;  // a step must be representable too
    AxisLayout layout{.low = low, .high = high, .scale = axis.scale};
    log ? log_ticks(axis, max_labels, layout) : linear_ticks(axis, max_labels, layout);
    return layout;
}

}  // namespace plush::lab
