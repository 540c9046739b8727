#include <algorithm>
#include <cmath>

#include "lab/report/plot.hpp"
#include "lab/report/ticks.hpp"

// Bins with round edges: multiples of 1, 2 or 5 times a power of ten, or whole fractions of a decade.

namespace plush::lab {
namespace {

constexpr int max_bins = 1000;

std::vector<double> linear_edges(double low, double high, int bins) {
    if (!(high > low)) {
        const double around = 0.5 * std::max(1.0, std::abs(low));
        low -= around, high += around;
    }
    const double step = nice_step(high - low, bins);
    const double first = std::floor(low / step);
    std::vector<double> edges;
    for (int i = 0; i <= max_bins; ++i) {
        edges.push_back((first + i) * step);
        if (edges.back() > high) break;
    }
    return edges;
}

std::vector<double> log_edges(double low, double high, int bins) {
    const double decades = std::max(std::log10(high / low), 0.1);
    int parts = 1;  // bins of a decade
    for (const int p : {2, 4, 5, 10, 20})
        if (decades * p <= bins) parts = p;
    const double first = std::floor(std::log10(low) * parts);
    std::vector<double> edges;
    for (int i = 0; i <= max_bins; ++i) {
        edges.push_back(std::pow(10.0, (first + i) / parts));
        if (edges.back() > high) break;
    }
    return edges;
}

}  // namespace

Histogram histogram(std::span<const double> values, int bins, Scale scale) {
    bins = std::clamp(bins, 1, max_bins - 2);
    Histogram result;
    std::vector<double> good;
    for (const double value : values)
        can_draw(value, scale) ? good.push_back(value) : static_cast<void>(++result.left_out);
    if (good.empty()) return result;
    const auto [low, high] = std::minmax_element(good.begin(), good.end());
    result.edges = scale == Scale::log ? log_edges(*low, *high, bins) : linear_edges(*low, *high, bins);
    result.counts.assign(result.edges.size() - 1, 0);
    for (const double value : good) {
        const auto above = std::upper_bound(result.edges.begin(), result.edges.end(), value);
        const auto bin = std::clamp<std::ptrdiff_t>(above - result.edges.begin() - 1, 0,
                                                    static_cast<std::ptrdiff_t>(result.counts.size()) - 1);
        result.counts[static_cast<std::size_t>(bin)] += 1;
    }
    return result;
}

Series histogram_series(std::string name, const Histogram& histogram) {
    return {.name = std::move(name), .x = histogram.edges, .y = histogram.counts, .draw = Draw::histogram};
}

}  // namespace plush::lab
