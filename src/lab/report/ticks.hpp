#pragma once

#include <string>
#include <vector>

#include "lab/report/plot.hpp"

namespace plush::lab {

/// A tick of an axis. `exponent` is drawn raised, as in 10⁻³.
struct Tick {
    double value = 0;
    std::string label{}, exponent{};
    bool minor = false;  ///< without a label
};

/// What an axis shows: its range, its ticks, and what stands beside it.
struct AxisLayout {
    double low = 0, high = 1;
    Scale scale = Scale::linear;
    std::vector<Tick> ticks{};
    std::string title{};           ///< "Depth (µm)"
    std::string title_exponent{};  ///< of the factor 10ⁿ in the title; empty: there is none
    std::string title_end{};       ///< what follows the exponent: " N m)"

    /// From 0 at `low` to 1 at `high`.
    double place(double value) const;
};

/// Whether a value can be drawn on an axis of this scale.
bool can_draw(double value, Scale scale);

/// The layout for data between `low` and `high` (low > high: there are none), with at most so many labels.
AxisLayout lay_out(const Axis& axis, double low, double high, int max_labels);

/// 1, 2 or 5 times a power of ten: the smallest such step with at most `most` steps in `range`.
double nice_step(double range, int most);

}  // namespace plush::lab
