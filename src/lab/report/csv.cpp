#include <fmt/format.h>

#include <cmath>

#include "core/file.hpp"
#include "lab/report/report.hpp"

// The numbers of a report as CSV (RFC 4180, with plain line ends): one file a plot or table.

namespace plush::lab {
namespace {

std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
}

/// The shortest text that reads back as the same bits.
std::string field(double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
}

std::string heading(const Axis& axis, const char* otherwise) {
    if (axis.label.empty()) return otherwise;
    return field(axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit));
}

}  // namespace

std::string to_csv(const Plot& plot) {
    bool bands = false, bars = false;
    for (const Series& s : plot.series) {
        bands = bands || !s.low.empty();
        bars = bars || s.draw == Draw::bars;
    }
    // Bars lie: the axis of their values is x.
    std::string out = "series," + heading(bars ? plot.y : plot.x, "x") + "," +
                      heading(bars ? plot.x : plot.y, "y") + (bands ? ",low,high\n" : "\n");
    for (const Series& s : plot.series) {
        const std::size_t n =
            std::min(s.y.size(), s.draw == Draw::bars ? plot.categories.size() : s.x.size());
        for (std::size_t i = 0; i < n; ++i) {
            out += field(s.name) + "," + (s.draw == Draw::bars ? field(plot.categories[i]) : field(s.x[i])) +
                   "," + field(s.y[i]);
            if (bands)
                out += i < std::min(s.low.size(), s.high.size())
                           ? "," + field(s.low[i]) + "," + field(s.high[i])
                           : ",,";
            out += "\n";
        }
    }
    return out;
}

std::string to_csv(const Table& table) {
    std::string out;
    for (std::size_t c = 0; c < table.columns.size(); ++c) out += (c ? "," : "") + field(table.columns[c]);
    out += "\n";
    for (const auto& row : table.rows) {
        for (std::size_t c = 0; c < row.size(); ++c)
            out += (c ? "," : "") + (row[c].number ? field(*row[c].number) : field(row[c].text));
        out += "\n";
    }
    return out;
}

Result<void> save_csv(const Report& report, const std::string& folder) {
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) return file_error(folder, problem.value());
    const auto save = [&](const std::string& name, const std::string& text, const char* ending = ".csv") {
        return replace_file(std::filesystem::path(folder) / (name + ending), std::as_bytes(std::span(text)));
    };
    for (const Block& block : report.blocks) {
        if (const auto* plot = std::get_if<Plot>(&block); plot && !plot->name.empty())
            if (auto saved = save(plot->name, to_csv(*plot)); !saved) return saved;
        if (const auto* table = std::get_if<Table>(&block); table && !table->name.empty())
            if (auto saved = save(table->name, to_csv(*table)); !saved) return saved;
        if (const auto* picture = std::get_if<Picture>(&block); picture && !picture->name.empty())
            if (auto saved = save(picture->name, picture->png, ".png"); !saved) return saved;
    }
    return {};
}

}  // namespace plush::lab
