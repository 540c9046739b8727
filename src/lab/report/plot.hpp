#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Plots as plain values, drawn as SVG: lines, points, bars and histograms on linear or log axes. They are
// read on paper as often as on a screen: series differ in colour (Okabe and Ito's palette, which colour-blind
// people can tell apart) and also in dash, marker or hatching; the legend stands below the data and never on
// it.

namespace plush::lab {

enum class Scale { linear, log };

struct Axis {
    std::string label{}, unit{};  ///< unit "m", "s", "m/s"; empty for a plain number
    Scale scale = Scale::linear;
    std::optional<double> low{}, high{};  ///< default: what the data need
};

enum class Draw {
    line,
    points,
    both,
    bars,       ///< one bar a category, lying, since their names are long
    histogram,  ///< x holds the edges: one more than y
};

/// Values that are not finite leave gaps. On a log axis so do values that are not positive, and a note under
/// the plot says how many.
struct Series {
    std::string name{};
    std::vector<double> x{}, y{};       ///< `bars`: y alone, one a category
    std::vector<double> low{}, high{};  ///< empty, or a band around y, one of each a point
    Draw draw = Draw::both;
    /// Colour, dash and marker: those of this place in a plot. Gives a method the same look in all plots of a
    /// page. Default: its own place.
    std::optional<std::size_t> style{};
    bool reference = false;  ///< to compare with: a thin grey line
};

/// A small arrow of a field of directions: where it stands, and which way it points. All are drawn with the
/// same length, behind the data.
struct Arrow {
    double x = 0, y = 0, dx = 0, dy = 0;
};

/// A thin line to compare with: level at y, upright at x, or, where both are given, through that point with
/// this slope, which on log-log axes is the exponent of a power law.
struct ReferenceLine {
    std::string name{};
    std::optional<double> x{}, y{};
    double slope = 0;
};

struct Plot {
    std::string name{};   ///< key of its figures: "residual"
    std::string title{};  ///< one line
    Axis x{}, y{};        ///< with `bars`, x is the axis of values and y only names the categories
    std::vector<std::string> categories{};
    std::vector<Series> series{};
    std::vector<ReferenceLine> lines{};
    std::vector<Arrow> arrows{};
    bool equal = false;     ///< one unit is as long on both axes (which are linear): circles are round
    int columns = 1;        ///< how many plots like this share the width of the page, 1 to 3
    bool legend = true;     ///< where title and caption say it all: false
    std::string caption{};  ///< below it, or below its row
};

/// A whole SVG element. Equal plots give equal text. `id` tells the plots of one page apart.
std::string draw_svg(const Plot& plot, int id = 0);

/// Counts of values in bins of equal width, or of equal ratio on a log scale, with round edges.
struct Histogram {
    std::vector<double> edges{};
    std::vector<double> counts{};
    long long left_out = 0;  ///< not finite, or not positive on a log scale
};
/// About so many bins, at least one, at most 1000.
Histogram histogram(std::span<const double> values, int bins, Scale scale = Scale::linear);
Series histogram_series(std::string name, const Histogram& histogram);

}  // namespace plush::lab
