#include "lab/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "core/file.hpp"
#include "lab/report/markup.hpp"
#include "plush/core/version.hpp"
#include "record/machine.hpp"

namespace plush::lab {

void Report::heading(std::string words) {
    blocks.emplace_back(Heading{std::move(words)});
}
void Report::paragraph(std::string words) {
    blocks.emplace_back(Paragraph{std::move(words)});
}
void Report::paragraph(std::string lead, std::string words) {
    blocks.emplace_back(Paragraph{std::move(words), std::move(lead)});
}
void Report::formula(std::string words) {
    blocks.emplace_back(Formula{std::move(words)});
}
void Report::figure(std::string name, double value) {
    blocks.emplace_back(Figure{std::move(name), value});
}
void Report::add(Table table) {
    blocks.emplace_back(std::move(table));
}
void Report::add(Plot plot) {
    blocks.emplace_back(std::move(plot));
}
void Report::add(Picture picture) {
    blocks.emplace_back(std::move(picture));
}

namespace {

using Json = nlohmann::ordered_json;

/// Longer lists of numbers are thinned in the page; the figures have them all.
constexpr std::size_t max_rows = 200;

constexpr std::string_view style_sheet = R"(
  body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 46rem; background: #fff; color: #111;
         font: 16px/1.55 "Helvetica Neue", Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; }
  h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.6rem; }
  h2 { font-size: 1.2rem; margin: 2.4rem 0 0.6rem; padding-top: 1.2rem; border-top: 1px solid #ccc; }
  p { margin: 0 0 1rem; }
  .formula { margin: 0.2rem 0 1.1rem 2rem; font: italic 1.08rem/1.6 "STIX Two Text", Cambria, Georgia, "Liberation Serif",
             "DejaVu Serif", serif; white-space: pre-wrap; }
  .row { display: flex; gap: 14px; margin: 1.2rem 0; }
  .row > figure { flex: 1 1 0; min-width: 0; margin: 0; }
  .row + figcaption { margin: -0.6rem 0 1.4rem; }
  .made { color: #444; font-size: 0.85rem; margin-bottom: 1.8rem; }
  code { font: 0.92em "DejaVu Sans Mono", Consolas, Menlo, monospace; background: #f3f3f3; padding: 0.1em 0.35em; }
  figure { margin: 1.6rem 0; }
  figure > svg { display: block; width: 100%; height: auto; }
  figure > img { display: block; max-width: 100%; }
  figcaption, caption { text-align: left; font-size: 0.85rem; color: #333; padding: 0.4rem 0; }
  table { border-collapse: collapse; font-size: 0.82rem; margin: 0.8rem 0 1.4rem; width: 100%; }
  th { text-align: left; border-bottom: 1.5px solid #111; border-top: 1.5px solid #111; padding: 0.3rem 0.7rem 0.3rem 0;
       vertical-align: bottom; }
  td { border-bottom: 1px solid #ddd; padding: 0.25rem 0.7rem 0.25rem 0; vertical-align: top; }
  th.number, td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
  th.number { white-space: normal; }
  tbody tr:last-child td { border-bottom: 1.5px solid #111; }
  details { font-size: 0.85rem; margin: 0.3rem 0 0; }
  summary { cursor: pointer; color: #444; }
  .wide { overflow-x: auto; }
  @page { size: A4; margin: 18mm 17mm; }
  @media print {
    body { max-width: none; padding: 0; font-size: 10.5pt; }
    h2 { break-after: avoid; }
    figure, tr { break-inside: avoid; }
    figure > svg { max-height: 240mm; }
    thead { display: table-header-group; }
    details { display: none; }
    code { background: none; padding: 0; }
  }
)";

std::string table_html(const Table& table) {
    std::vector<const char*> alignment(table.columns.size(),
                                       "");  // a column with a number in it is one of numbers
    for (const auto& row : table.rows)
        for (std::size_t c = 0; c < std::min(row.size(), alignment.size()); ++c)
            if (row[c].number) alignment[c] = " class=\"number\"";
    std::string out = "<div class=\"wide\"><table>\n";
    if (!table.caption.empty()) out += fmt::format("<caption>{}</caption>\n", escaped(table.caption));
    out += "<thead><tr>";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        out += fmt::format("<th{}>{}</th>", alignment[c], escaped(table.columns[c]));
    out += "</tr></thead>\n<tbody>\n";
    for (const auto& row : table.rows) {
        out += "<tr>";
        for (std::size_t c = 0; c < row.size(); ++c)
            out +=
                fmt::format("<td{}>{}</td>", c < alignment.size() ? alignment[c] : "",
                            escaped(row[c].number ? number_text(*row[c].number, table.digits) : row[c].text));
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

std::string with_unit(const Axis& axis) {
    return axis.unit.empty() ? axis.label : fmt::format("{} ({})", axis.label, axis.unit);
}

/// Series with the same x share a table; the usual case is that all do.
std::vector<Table> tables_of(const Plot& plot) {
    std::vector<Table> tables;
    std::vector<const std::vector<double>*> xs;
    for (const Series& s : plot.series) {
        const bool bars = s.draw == Draw::bars;
        std::size_t t = 0;
        while (t < tables.size() && !bars && *xs[t] != s.x) ++t;
        if (t == tables.size()) {
            tables.push_back({});
            xs.push_back(&s.x);
            tables[t].columns = {bars ? plot.y.label : with_unit(plot.x)};
            if (s.draw == Draw::histogram) tables[t].columns[0] += ", from";
            const std::size_t rows = bars ? plot.categories.size() : s.x.size();
            for (std::size_t i = 0; i < rows; ++i)
                tables[t].rows.push_back({bars ? Cell(plot.categories[i]) : Cell(s.x[i])});
        }
        const Axis& values = bars ? plot.x : plot.y;
        tables[t].columns.push_back(plot.series.size() > 1 ? s.name + ": " + with_unit(values)
                                                           : with_unit(values));
        for (std::size_t i = 0; i < tables[t].rows.size(); ++i)
            tables[t].rows[i].push_back(i < s.y.size() ? s.y[i] : std::nan(""));
    }
    return tables;
}

std::string thinned_html(Table table) {
    const std::size_t rows = table.rows.size();
    if (rows > max_rows) {
        const std::size_t every = (rows + max_rows - 1) / max_rows;
        std::vector<std::vector<Cell>> kept;
        for (std::size_t i = 0; i < rows; i += every) kept.push_back(std::move(table.rows[i]));
        table.rows = std::move(kept);
        table.caption = fmt::format("One row in {}; --json has all {}.", every, rows);
    }
    return table_html(table);
}

class Page {
public:
    void operator()(const Heading& h) {
        end_row();
        out_ += fmt::format("<h2>{}</h2>\n", escaped(h.text));
    }
    void operator()(const Paragraph& p) {
        end_row();
        out_ += p.lead.empty() ? "<p>" : fmt::format("<p><b>{}</b> ", escaped(p.lead));
        out_ += escaped(p.text) + "</p>\n";
    }
    void operator()(const Formula& f) {
        end_row();
        out_ += fmt::format("<p class=\"formula\">{}</p>\n", escaped(f.text));
    }
    void operator()(const Figure&) {}  // a paragraph speaks of it
    void operator()(const Table& table) {
        end_row();
        out_ += table_html(table);
    }
    void operator()(const Plot& plot) {
        if (plot.columns <= 1 || in_row_ >= plot.columns) end_row();
        if (plot.columns > 1 && in_row_++ == 0) out_ += "<div class=\"row\">\n";
        out_ += "<figure>\n" + draw_svg(plot, plots_++);
        if (plot.columns <= 1) out_ += caption(plot.caption);
        out_ += "<details><summary>Numbers</summary>\n";
        for (Table& table : tables_of(plot)) out_ += thinned_html(std::move(table));
        out_ += "</details>\n</figure>\n";
        if (plot.columns > 1 && !plot.caption.empty()) row_caption_ = plot.caption;
    }
    void operator()(const Picture& picture) {
        end_row();
        const std::string width = picture.width > 0 ? fmt::format(" width=\"{}\"", picture.width) : "";
        out_ += fmt::format(
            "<figure><img alt=\"{0}\"{1} src=\"data:image/png;base64,{2}\">"
            "<figcaption>{0}</figcaption></figure>\n",
            escaped(picture.caption), width, base64(picture.png));
    }
    std::string take() {
        end_row();
        return std::move(out_);
    }

private:
    static std::string caption(const std::string& text) {
        return text.empty() ? "" : fmt::format("<figcaption>{}</figcaption>\n", escaped(text));
    }
    void end_row() {
        if (in_row_ > 0) out_ += "</div>\n" + caption(row_caption_);
        in_row_ = 0;
        row_caption_.clear();
    }

    std::string out_{};
    int plots_ = 0;
    int in_row_ = 0;  ///< small plots so far
    std::string row_caption_{};
};

Json number_json(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}
Json numbers_json(const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(number_json(value));
    return list;
}

Json figures_of(const Plot& plot) {
    Json json = Json::object();
    for (const Series& s : plot.series) {
        Json one = Json::object();
        if (s.draw == Draw::bars)
            one["x"] = plot.categories;
        else
            one["x"] = numbers_json(s.x);
        one["y"] = numbers_json(s.y);
        if (!s.low.empty()) one["low"] = numbers_json(s.low);
        if (!s.high.empty()) one["high"] = numbers_json(s.high);
        json[s.name] = std::move(one);
    }
    for (const ReferenceLine& line : plot.lines) {
        Json one = Json::object();
        if (line.x) one["x"] = number_json(*line.x);
        if (line.y) one["y"] = number_json(*line.y);
        if (line.x && line.y) one["slope"] = number_json(line.slope);
        json[line.name] = std::move(one);
    }
    return json;
}

Json figures_of(const Table& table) {
    Json rows = Json::array();
    for (const auto& row : table.rows) {
        Json cells = Json::array();
        for (const Cell& cell : row)
            cells.push_back(cell.number ? number_json(*cell.number) : Json(cell.text));
        rows.push_back(std::move(cells));
    }
    return {{"columns", table.columns}, {"rows", std::move(rows)}};
}

}  // namespace

Report begin_report(std::string title, std::string command) {
    const Machine machine = this_machine();
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return {.title = std::move(title),
            .command = std::move(command),
            .version = "Plush " + std::string(version()),
            .machine = fmt::format("{}, {} core{}, {}", machine.cpu, machine.cores,
                                   machine.cores == 1 ? "" : "s", machine.compiler),
            .date = fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday),
            .blocks = {}};
}

std::string to_html(const Report& report) {
    Page page;
    for (const Block& block : report.blocks) std::visit(page, block);
    std::string made = fmt::format("Made with <code>{}</code>", escaped(report.command));
    for (const std::string& part : {report.version, report.machine, report.date})
        if (!part.empty()) made += "<br>" + escaped(part);
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n"
        "<p class=\"made\">{2}</p>\n{3}</body>\n</html>\n",
        escaped(report.title), style_sheet, made, page.take());
}

Json figures(const Report& report) {
    Json json = Json::object();
    for (const Block& block : report.blocks) {
        if (const auto* plot = std::get_if<Plot>(&block)) json[plot->name] = figures_of(*plot);
        if (const auto* table = std::get_if<Table>(&block); table && !table->name.empty())
            json[table->name] = figures_of(*table);
        if (const auto* figure = std::get_if<Figure>(&block)) json[figure->name] = number_json(figure->value);
    }
    return json;
}

Result<void> save_report(const Report& report, const std::string& file) {
    const std::string page = to_html(report);
    return replace_file(file, std::as_bytes(std::span(page)));
}

}  // namespace plush::lab
