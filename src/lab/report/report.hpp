#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "lab/report/plot.hpp"
#include "plush/core/error.hpp"

// A report: one HTML file that needs no network and no script, dark on white, and prints on A4. Every number
// that it shows is also a figure, for programs to read, and stands in a CSV file, for spreadsheets.

namespace plush::lab {

/// A text or a number.
struct Cell {
    std::string text{};
    std::optional<double> number{};

    Cell(std::string words) : text(std::move(words)) {}
    Cell(const char* words) : text(words) {}
    Cell(double value) : number(value) {}
};

struct Table {
    std::string name{};  ///< key of its figures; empty: it has none
    std::string caption{};
    std::vector<std::string> columns{};  ///< with units: "drift (m)"
    std::vector<std::vector<Cell>> rows{};
    int digits = 6;  ///< of numbers in the page; the figures have them all
};

struct Picture {
    std::string name{};  ///< of its file beside the CSV files; empty: it has none
    std::string caption{};
    std::string png{};  ///< the bytes of a PNG file
    int width = 0;      ///< in pixels of the page; 0: as wide as the page at most
};

struct Heading {
    std::string text{};
};
struct Paragraph {
    std::string text{};
    std::string lead{};  ///< the words it begins with, bold: "What to notice."
};
/// On a line of its own.
struct Formula {
    std::string text{};
};

/// A number that a paragraph speaks of.
struct Figure {
    std::string name{};
    double value = 0;
};

using Block = std::variant<Heading, Paragraph, Formula, Table, Plot, Picture, Figure>;

struct Report {
    std::string title{};
    std::string command{};  ///< that makes it again: "plush study solver"
    std::string version{}, machine{}, date{};
    std::vector<Block> blocks{};
    std::string text{};  ///< for the terminal, beside the page; empty: nothing

    void heading(std::string text);
    void paragraph(std::string text);
    void paragraph(std::string lead, std::string text);
    void formula(std::string text);
    void figure(std::string name, double value);
    void add(Table table);
    void add(Plot plot);
    void add(Picture picture);
};

/// With Plush's version, this machine and today's date.
Report begin_report(std::string title, std::string command);

/// The page. The same report gives the same text.
std::string to_html(const Report& report);

/// Plots as {"SERIES": {"x": […], "y": […]}}, tables as {"columns": […], "rows": [[…]]}, figures as numbers,
/// each under its name. Numbers that are not finite are null.
nlohmann::ordered_json figures(const Report& report);

/// Writes the page, all of it or nothing.
Result<void> save_report(const Report& report, const std::string& file);

/// The numbers of a plot, a row a point: series, x, y, and where a series has a band its ends (RFC 4180).
/// What is not finite is an empty field. Numbers read back as the same bits.
std::string to_csv(const Plot& plot);
std::string to_csv(const Table& table);

/// NAME.csv for every plot and table of a report that has a name, NAME.png for every picture. Makes the
/// folder.
Result<void> save_csv(const Report& report, const std::string& folder);

}  // namespace plush::lab
