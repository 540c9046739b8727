#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "core/did_you_mean.hpp"
#include "core/file.hpp"
#include "lab/report/report.hpp"
#include "plush/record/variants.hpp"

// plush plot: columns of metrics.csv over time, one plot for each quantity, with the plots of the studies.

namespace plush::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t series_in_a_plot = 8;  // more cannot be told apart
constexpr std::size_t max_points = 1200;     // of a line: about two a pixel of the page
constexpr std::size_t max_series = 200;

struct Run {
    std::string label{};  ///< of a variant
    RunMetrics metrics{};
};

Result<std::vector<Run>> read_runs(const fs::path& folder) {
    if (!holds_variants(folder)) {
        auto metrics = metrics_of_run(folder);
        if (!metrics) return metrics.error();
        return std::vector<Run>{{"", std::move(metrics).value()}};
    }
    const auto variants = variants_of(folder);
    if (!variants) return variants.error();
    std::vector<Run> runs;
    std::optional<Error> missing;
    for (const VariantRun& v : variants.value()) {
        auto metrics = metrics_of_run(v.folder);
        if (metrics)
            runs.push_back({v.variant.label, std::move(metrics).value()});
        else
            missing = metrics.error(), say("warning: " + std::string(metrics.error().what()));
    }
    if (runs.empty() && missing) return *missing;
    return runs;
}

/// The columns of a name: that one, or else all that begin with it and go on with a component or a body.
std::vector<std::string> matching(const RunMetrics& metrics, const std::string& wanted) {
    std::vector<std::string> found;
    for (const std::string& name : metrics.names)
        if (name == wanted) return {name};
    const std::size_t colon = wanted.find(':');
    const std::string quantity = wanted.substr(0, colon),
                      of = colon == wanted.npos ? "" : wanted.substr(colon);
    for (const std::string& name : metrics.names) {
        const std::size_t at = name.find(':');
        const std::string its = name.substr(0, at), its_of = at == name.npos ? "" : name.substr(at);
        const bool same_body =
            of.empty() || its_of == of || its_of.starts_with(of + " ") || its_of.starts_with(of + ".");
        if (same_body && (its == quantity || its.starts_with(quantity + "."))) found.push_back(name);
    }
    return found;
}

Result<std::vector<std::string>> chosen_columns(const Run& run, const PlotOptions& o) {
    std::vector<std::string> columns;
    const auto& names = run.metrics.names;
    if (o.columns.empty() && run.metrics.recorded > 0)
        return std::vector<std::string>(names.end() - static_cast<std::ptrdiff_t>(run.metrics.recorded),
                                        names.end());
    for (const std::string& wanted :
         o.columns.empty() ? std::vector<std::string>{"kinetic", "gravity", "elastic"} : o.columns) {
        const auto found = matching(run.metrics, wanted);
        if (found.empty()) {
            const std::vector<std::string_view> known(names.begin(), names.end());
            std::string fix = did_you_mean(wanted, known);
            if (fix.empty()) fix = fmt::format("the columns are {}", fmt::join(names, ", "));
            return Error({.file = o.run,
                          .problem = fmt::format("metrics.csv has no column \"{}\"", wanted),
                          .cure = fix + "; plush run SCENE --record adds some"});
        }
        for (const std::string& name : found)
            if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
    }
    return columns;
}

std::size_t column_of(const RunMetrics& metrics, const std::string& name) {
    return static_cast<std::size_t>(std::find(metrics.names.begin(), metrics.names.end(), name) -
                                    metrics.names.begin());
}

/// The column over time. Long ones keep the least and the largest value of each stretch: no peak is lost.
lab::Series series_of(const Run& run, const std::string& name, const PlotOptions& o) {
    lab::Series all{.name = run.label.empty() ? name : fmt::format("{}, {}", name, run.label),
                    .draw = lab::Draw::line};
    const std::size_t c = column_of(run.metrics, name), t = column_of(run.metrics, "time");
    if (c == run.metrics.names.size() || t == run.metrics.names.size()) return all;
    const auto &x = run.metrics.columns[t], &y = run.metrics.columns[c];
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (std::isnan(y[i]) || (o.from && x[i] < *o.from) || (o.to && x[i] > *o.to)) continue;
        all.x.push_back(x[i]), all.y.push_back(y[i]);
    }
    if (all.x.size() <= max_points) return all;
    lab::Series thin{.name = all.name, .draw = all.draw};
    const std::size_t stretch = (2 * all.x.size() + max_points - 1) / max_points;
    for (std::size_t i = 0; i < all.x.size(); i += stretch) {
        const auto begin = all.y.begin() + static_cast<std::ptrdiff_t>(i);
        const auto end = all.y.begin() + static_cast<std::ptrdiff_t>(std::min(i + stretch, all.y.size()));
        auto [low, high] = std::minmax_element(begin, end);
        if (high < low) std::swap(low, high);
        for (const auto at : {low, high}) {
            thin.x.push_back(all.x[static_cast<std::size_t>(at - all.y.begin())]);
            thin.y.push_back(*at);
        }
    }
    return thin;
}

/// "position" of "position.x:ball"; columns of one quantity share a plot.
std::string quantity_of(const std::string& name) {
    return name.substr(0, name.find_first_of(".:"));
}

std::string spoken(std::string text) {
    std::replace(text.begin(), text.end(), '_', ' ');
    if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

std::vector<lab::Plot> plots_of(const std::vector<Run>& runs, const std::vector<std::string>& columns,
                                const PlotOptions& o) {
    const RunMetrics& first = runs.front().metrics;
    std::vector<lab::Plot> plots;
    const auto plot_for = [&](const std::string& name) -> lab::Plot& {
        const std::string unit = first.units[column_of(first, name)];
        // Energies are one picture, whatever their names.
        const std::string quantity =
            unit == "J" && name.find(':') == name.npos ? "energy" : quantity_of(name);
        for (lab::Plot& p : plots)
            if (p.name == quantity && p.y.unit == unit && p.series.size() < series_in_a_plot) return p;
        plots.push_back({.name = quantity,
                         .title = spoken(quantity) + " over time",
                         .x = {.label = "Time", .unit = "s"},
                         .y = {.label = spoken(quantity), .unit = unit}});
        return plots.back();
    };
    for (const std::string& name : columns)
        for (const Run& run : runs) plot_for(name).series.push_back(series_of(run, name, o));
    for (lab::Plot& p : plots)  // a single line has no legend
        if (p.series.size() == 1) p.title += ": " + p.series.front().name;
    return plots;
}

Result<std::string> write(const std::vector<lab::Plot>& plots, const PlotOptions& o) {
    const fs::path file = o.out.empty() ? fs::path(o.run) / "plot.html" : fs::path(o.out);
    if (file.extension() == ".svg") {
        if (plots.size() > 1)
            return Error(
                {.file = file.string(),
                 .problem = fmt::format("these columns make {} plots, and an SVG holds one", plots.size()),
                 .cure = "name columns of one quantity, or a .html"});
        const std::string svg = lab::draw_svg(plots.front());
        if (auto written = replace_file(file, std::as_bytes(std::span(svg))); !written)
            return written.error();
        return file.string();
    }
    if (file.extension() != ".html")
        return Error({.file = file.string(),
                      .problem = "Plush writes plots as .html or .svg",
                      .cure = "name such a file"});
    std::string command = "plush plot " + o.run;
    for (const std::string& c : o.columns) command += " " + c;
    lab::Report report = lab::begin_report(fs::path(o.run).filename().string(), command);
    for (const lab::Plot& p : plots) report.add(p);
    if (auto saved = lab::save_report(report, file.string()); !saved) return saved.error();
    return file.string();
}

}  // namespace

int plot(const PlotOptions& o) {
    const auto runs = read_runs(o.run);
    if (!runs) return report(runs.error(), o.json);
    const auto columns = chosen_columns(runs.value().front(), o);
    if (!columns) return report(columns.error(), o.json);
    if (columns.value().size() * runs.value().size() > max_series)
        return report(
            Error({.file = o.run,
                   .problem = fmt::format("these are {} lines", columns.value().size() * runs.value().size()),
                   .cure = "name fewer columns: plush plot RUN COLUMN ..."}),
            o.json);
    const auto plots = plots_of(runs.value(), columns.value(), o);
    const auto file = write(plots, o);
    if (!file) return report(file.error(), o.json, failed);
    nlohmann::ordered_json figures;
    for (const lab::Plot& p : plots)
        for (const lab::Series& s : p.series) {
            const auto [low, high] = std::minmax_element(s.y.begin(), s.y.end());
            if (s.y.empty()) continue;
            figures[s.name] = {{"unit", p.y.unit},
                               {"first", s.y.front()},
                               {"last", s.y.back()},
                               {"min", *low},
                               {"max", *high}};
        }
    if (o.json) return print_json({{"plot", file.value()}, {"figures", figures}});
    return o.quiet ? done : print(file.value() + "\n");
}

}  // namespace plush::app
