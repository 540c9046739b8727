#include "lab/report/svg.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/report/markup.hpp"

namespace plush::lab {
namespace {

// Okabe and Ito (2008), Color Universal Design, without the yellow, which white paper swallows.
constexpr std::array<std::string_view, 7> colours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#000000", "#e69f00", "#56b4e9"};
constexpr std::array<std::string_view, 7> dashes{
    "", "7 3", "2 2.5", "9 3 2 3", "13 3 3 3", "5 2 1.5 2 1.5 2", "4 4"};
constexpr int markers = 7, hatches = 6;

}  // namespace

std::string coordinate(double value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text == "-0" ? "0" : text;
}

void SvgWriter::line(double x0, double y0, double x1, double y1, std::string_view css_class) {
    out_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css_class,
                        coordinate(x0), coordinate(y0), coordinate(x1), coordinate(y1));
}

void SvgWriter::rect(double x, double y, double width, double height, std::string_view attributes) {
    out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", coordinate(x),
                        coordinate(y), coordinate(width), coordinate(height), attributes);
}

void SvgWriter::text(double x, double y, Anchor anchor, std::string_view css_class, std::string_view text,
                     std::string_view exponent, std::string_view after, bool upright) {
    static constexpr std::array<std::string_view, 3> words{"start", "middle", "end"};
    out_ += fmt::format("<text class=\"{}\" text-anchor=\"{}\" ", css_class,
                        words[static_cast<std::size_t>(anchor)]);
    if (upright)
        out_ += fmt::format("transform=\"translate({} {}) rotate(-90)\">", coordinate(x), coordinate(y));
    else
        out_ += fmt::format("x=\"{}\" y=\"{}\">", coordinate(x), coordinate(y));
    out_ += escaped(text);
    if (!exponent.empty()) {
        // A superscript by moving up and back: the attribute for it is not drawn by every browser.
        out_ += fmt::format("<tspan class=\"exponent\" dy=\"-4.5\">{}</tspan>", escaped(exponent));
        if (!after.empty()) out_ += fmt::format("<tspan dy=\"4.5\">{}</tspan>", escaped(after));
    }
    out_ += "</text>\n";
}

void SvgWriter::path(std::string_view points, std::string_view attributes) {
    out_ += fmt::format("<path d=\"{}\" {}/>\n", points, attributes);
}

SeriesStyle series_style(std::size_t i) {
    // After seven, colours come again with other dashes and markers.
    const std::size_t round = i / colours.size();
    return {colours[i % colours.size()], dashes[(i + round) % dashes.size()],
            static_cast<int>((i + 2 * round) % markers), static_cast<int>((i + round) % hatches)};
}

void draw_marker(SvgWriter& svg, double x, double y, const SeriesStyle& style) {
    const auto at = [&](double dx, double dy) { return coordinate(x + dx) + " " + coordinate(y + dy); };
    const auto closed = [&](const std::string& points) {
        svg.path(points + "Z", fmt::format("class=\"marker\" fill=\"{}\"", style.colour));
    };
    switch (style.marker) {
        case 0:
            svg.raw(fmt::format("<circle class=\"marker\" cx=\"{}\" cy=\"{}\" r=\"3.6\" fill=\"{}\"/>\n",
                                coordinate(x), coordinate(y), style.colour));
            return;
        case 1:
            return closed("M" + at(-3.3, -3.3) + "L" + at(3.3, -3.3) + " " + at(3.3, 3.3) + " " +
                          at(-3.3, 3.3));
        case 2:
            return closed("M" + at(0, -4.4) + "L" + at(4.1, 3) + " " + at(-4.1, 3));
        case 3:
            return closed("M" + at(0, -4.8) + "L" + at(4.4, 0) + " " + at(0, 4.8) + " " + at(-4.4, 0));
        case 4:
            return closed("M" + at(0, 4.4) + "L" + at(4.1, -3) + " " + at(-4.1, -3));
        default: {
            const std::string points =
                style.marker == 5
                    ? "M" + at(-4, 0) + "L" + at(4, 0) + "M" + at(0, -4) + "L" + at(0, 4)
                    : "M" + at(-3.2, -3.2) + "L" + at(3.2, 3.2) + "M" + at(-3.2, 3.2) + "L" + at(3.2, -3.2);
            svg.path(points, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"", style.colour));
        }
    }
}

void define_hatch(SvgWriter& svg, std::string_view id, const SeriesStyle& style) {
    static constexpr std::array<std::string_view, 6> lines{
        "",
        "M0 8L8 0M-2 2L2 -2M6 10L10 6",
        "M0 0L8 8M-2 6L2 10M6 -2L10 2",
        "M0 4L8 4",
        "M0 8L8 0M0 0L8 8",
        "M4 0L4 8",
    };
    svg.raw(
        fmt::format("<pattern id=\"{}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
                    "<rect width=\"8\" height=\"8\" fill=\"{}\"/>"
                    "<path d=\"{}\" stroke=\"#fff\" stroke-width=\"1.6\" fill=\"none\"/></pattern>\n",
                    id, style.colour, lines[static_cast<std::size_t>(style.hatch)]));
}

}  // namespace plush::lab
