#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "lab/report/markup.hpp"
#include "lab/report/plot.hpp"
#include "lab/report/ticks.hpp"
#include "lab/report/xml.hpp"
#include "support/errors.hpp"

namespace plush::lab {
namespace {

using test::says;
using test::Xml;
using test::XmlElement;

const double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;

std::vector<std::string> labels(const AxisLayout& axis) {
    std::vector<std::string> all;
    for (const Tick& t : axis.ticks)
        if (!t.minor) all.push_back(t.label + (t.exponent.empty() ? "" : "^" + t.exponent));
    return all;
}
using Words = std::vector<std::string>;

TEST(Ticks, LinearStepsAreOneTwoFive) {
    EXPECT_EQ(labels(lay_out({}, 0, 10, 6)), (Words{"0", "2", "4", "6", "8", "10"}));
    EXPECT_EQ(labels(lay_out({}, 0.12, 0.58, 6)), (Words{"0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}));
    EXPECT_EQ(labels(lay_out({}, -1, 1, 4)), (Words{"−1.0", "−0.5", "0.0", "0.5", "1.0"}));
    EXPECT_EQ(labels(lay_out({}, 0, 70, 4)), (Words{"0", "20", "40", "60", "80"}));
    EXPECT_EQ(nice_step(1, 10), 0.1);
    EXPECT_EQ(nice_step(1, 9), 0.2);
    EXPECT_EQ(nice_step(1, 4), 0.5);
    EXPECT_EQ(nice_step(1, 1), 1);
}

TEST(Ticks, SmallAndLargeNumbersTakeAPrefixOrAPower) {
    const AxisLayout micro = lay_out({.label = "Depth", .unit = "m"}, 0, 4e-6, 4);
    EXPECT_EQ(micro.title, "Depth (µm)");
    EXPECT_EQ(labels(micro), (Words{"0", "1", "2", "3", "4"}));
    const AxisLayout kilo = lay_out({.label = "Force", .unit = "N"}, 0, 40000, 4);
    EXPECT_EQ(kilo.title, "Force (kN)");
    EXPECT_EQ(labels(kilo), (Words{"0", "10", "20", "30", "40"}));
    // A prefix on m² would be squared with it: a power of ten stands beside the unit.
    const AxisLayout area = lay_out({.label = "Area", .unit = "m²"}, 0, 4e-6, 4);
    EXPECT_EQ(area.title + "^" + area.title_exponent + area.title_end, "Area (10^−6 m²)");
    EXPECT_EQ(lay_out({.label = "Time", .unit = "s"}, 0, 30, 4).title, "Time (s)");
    EXPECT_EQ(lay_out({.label = "Sweeps"}, 0, 30, 4).title, "Sweeps");
}

TEST(Ticks, LogAxesHaveDecadesAndMinorTicks) {
    const AxisLayout few = lay_out({.scale = Scale::log}, 1, 100, 7);
    EXPECT_EQ(labels(few), (Words{"1", "10", "100"}));
    int minor = 0;
    for (const Tick& t : few.ticks) minor += t.minor;
    EXPECT_EQ(minor, 16);
    EXPECT_EQ(labels(lay_out({.scale = Scale::log}, 1e-8, 1, 5)),
              (Words{"10^−8", "10^−6", "10^−4", "10^−2", "10^0"}));
    EXPECT_EQ(labels(lay_out({.scale = Scale::log}, 0.3, 4, 7)), (Words{"0.2", "0.5", "1", "2", "5"}));
    EXPECT_NEAR(few.place(10), 0.5, 1e-12);
}

// Every range, however odd, gives a few finite ticks in order and inside the axis.
TEST(Ticks, OddRangesStayFinite) {
    const double values[] = {0, 1, -1, 1e-300, 1e300, -1e300, 1 + 1e-16, 1e-9, 123456789, 5e-324, 0.1 + 0.2};
    for (const Scale scale : {Scale::linear, Scale::log})
        for (const double a : values)
            for (const double b : values) {
                if (!can_draw(a, scale) || !can_draw(b, scale)) continue;
                const AxisLayout axis = lay_out({.scale = scale}, std::min(a, b), std::max(a, b), 6);
                EXPECT_LT(axis.low, axis.high) << a << ' ' << b;
                EXPECT_LE(axis.ticks.size(), 100u) << a << ' ' << b;
                EXPECT_GE(labels(axis).size(), 1u) << a << ' ' << b;
                for (const double v : {a, b}) {
                    EXPECT_GE(axis.place(v), -1e-6) << a << ' ' << b;
                    EXPECT_LE(axis.place(v), 1 + 1e-6) << a << ' ' << b;
                }
                const Words all = labels(axis);
                EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << a << ' ' << b;
            }
    EXPECT_EQ(labels(lay_out({}, inf, -inf, 4)), (Words{"0.0", "0.5", "1.0"})) << "no data";
}

Plot example() {
    return {.name = "p",
            .title = "Energy",
            .x = {.label = "Time", .unit = "s"},
            .y = {.label = "Energy", .unit = "J"},
            .series = {{.name = "one", .x = {0, 1, 2, 3}, .y = {1, 2, 4, 8}},
                       {.name = "two", .x = {0, 1, 2, 3}, .y = {2, 3, 3, 2}, .draw = Draw::line}}};
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

/// The paths of data lines.
std::vector<std::string> lines_of(const Xml& xml) {
    std::vector<std::string> found;
    for (const XmlElement* e : xml.all("path"))
        if (e->attributes.count("stroke-linejoin")) found.push_back(e->attributes.at("d"));
    return found;
}

TEST(Svg, HasAxesWithUnitsTicksLegendAndData) {
    const Xml xml(draw_svg(example()));
    ASSERT_EQ(xml.problem, "");
    EXPECT_EQ(xml.elements.at(0).name, "svg");
    EXPECT_TRUE(xml.elements[0].attributes.count("viewBox"));
    for (const char* words : {"Energy (J)", "Time (s)", "one", "two", "Energy"})
        EXPECT_TRUE(xml.says(words)) << words;
    EXPECT_EQ(lines_of(xml).size(), 2u);
    EXPECT_EQ(xml.all("circle").size(), 5u) << "four points and the legend's";
    EXPECT_EQ(draw_svg(example()), draw_svg(example())) << "the same text for the same plot";
}

// In black and white, too, series can be told apart: by dash, marker or hatching.
TEST(Svg, SeriesDifferWithoutColour) {
    Plot plot = example();
    plot.series.assign(7, {.name = "s", .x = {0, 1}, .y = {0, 1}, .draw = Draw::line});
    std::set<std::string> dashes, colours;
    const Xml xml(draw_svg(plot));
    for (const XmlElement* e : xml.all("path")) {
        if (!e->attributes.count("stroke-linejoin")) continue;
        const auto dash = e->attributes.find("stroke-dasharray");
        dashes.insert(dash == e->attributes.end() ? "" : dash->second);
        colours.insert(e->attributes.at("stroke"));
    }
    EXPECT_EQ(dashes.size(), 7u);
    EXPECT_EQ(colours.size(), 7u);
}

TEST(Svg, WhatIsNotFiniteLeavesAGap) {
    Plot plot = example();
    plot.series = {{.name = "s", .x = {0, 1, 2, 3, 4}, .y = {1, 2, nan, 4, inf}, .draw = Draw::both}};
    const Xml xml(draw_svg(plot));
    ASSERT_EQ(lines_of(xml).size(), 1u);
    EXPECT_EQ(count(lines_of(xml)[0], "M"), 2u) << "the line starts again after the gap";
    EXPECT_EQ(xml.all("circle").size(), 3u);
    EXPECT_EQ(count(draw_svg(plot), "nan"), 0u);
    EXPECT_EQ(count(draw_svg(plot), "inf"), 0u);
}

TEST(Svg, ALogAxisSaysWhatItLeavesOut) {
    Plot plot = example();
    plot.y.scale = Scale::log;
    plot.series = {{.name = "s", .x = {0, 1, 2, 3}, .y = {1, 0, -2, 100}}};
    const Xml xml(draw_svg(plot));
    EXPECT_TRUE(xml.says("2 values are not positive and left out of the log axis."));
    EXPECT_EQ(xml.all("circle").size(), 2u);
    plot.series[0].y = {1, 2, 3, 4};
    EXPECT_FALSE(Xml(draw_svg(plot)).says("left out"));
}

TEST(Svg, EmptyPlotsAndSeriesAreDrawn) {
    for (const Draw draw : {Draw::line, Draw::points, Draw::both, Draw::bars, Draw::histogram}) {
        const Xml xml(draw_svg({.title = "empty", .series = {{.name = "s", .draw = draw}}}));
        EXPECT_EQ(xml.problem, "");
        EXPECT_TRUE(xml.says("nothing to draw"));
    }
    EXPECT_EQ(Xml(draw_svg({})).problem, "");
    // Lists of different lengths: the shorter counts.
    const Xml uneven(draw_svg({.series = {{.x = {1, 2, 3}, .y = {1}, .low = {0, 0}, .high = {2}}}}));
    EXPECT_EQ(uneven.problem, "");
    EXPECT_EQ(uneven.all("circle").size(), 1u);
}

TEST(Svg, TextIsEscaped) {
    Plot plot = example();
    plot.title = plot.series[0].name = plot.x.label = plot.y.unit = "a<b & \"c\" 'd' \x01\xff</svg><script>";
    const std::string svg = draw_svg(plot);
    EXPECT_EQ(Xml(svg).problem, "");
    EXPECT_EQ(count(svg, "<script"), 0u);
    EXPECT_EQ(count(svg, "</svg>"), 1u);
    EXPECT_TRUE(Xml(svg).says("a&lt;b &amp; &quot;c&quot; &#39;d&#39; \xEF\xBF\xBD\xEF\xBF\xBD&lt;/svg&gt;"));
}

TEST(Markup, Utf8IsKeptAndAnythingElseReplaced) {
    EXPECT_EQ(escaped("µ → 😀"), "µ → 😀");
    const std::string replaced = "\xEF\xBF\xBD";
    EXPECT_EQ(escaped("\xc0\x80"), replaced + replaced) << "overlong";
    EXPECT_EQ(escaped("\xed\xa0\x80"), replaced + replaced + replaced) << "half of a pair";
    EXPECT_EQ(escaped("\xe2\x86"), replaced + replaced) << "cut";
    EXPECT_EQ(escaped(std::string_view("\0", 1)), replaced);
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
    EXPECT_EQ(number_text(-1.5), "−1.5");
    EXPECT_EQ(number_text(nan), "–");
}

/// Where texts of a class stand: their boxes, as wide as text_width() says.
struct Box {
    double x0, x1, y;
};
std::vector<Box> boxes(const Xml& xml) {
    std::vector<Box> all;
    for (const XmlElement* e : xml.all("text")) {
        if (!e->attributes.count("x") || e->text.empty()) continue;
        const double x = std::stod(e->attributes.at("x")), w = 12.5 * text_width(e->text);
        const std::string anchor = e->attributes.at("text-anchor");
        const double left = anchor == "start" ? x : anchor == "end" ? x - w : x - w / 2;
        all.push_back({left, left + w, std::stod(e->attributes.at("y"))});
    }
    return all;
}

// No two texts on one line overlap, and none leaves the picture, with many series and long numbers.
TEST(Svg, LabelsDoNotCollide) {
    for (const double size : {1.0, 1e-5, 123456.0, 1e9}) {
        Plot plot = example();
        plot.series.clear();
        for (int i = 0; i < 9; ++i)
            plot.series.push_back({.name = "a series with a rather long name, number " + std::to_string(i),
                                   .x = {size, size * 1.001, size * 1.0042},
                                   .y = {-size, size, 2 * size}});
        plot.series.push_back({.name = std::string(400, 'W'), .x = {size}, .y = {size}});
        const Xml xml(draw_svg(plot));
        const std::vector<Box> all = boxes(xml);
        ASSERT_GT(all.size(), 15u);
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_GE(all[i].x0, 0);
            EXPECT_LE(all[i].x1, 724) << size;
            for (std::size_t k = 0; k < i; ++k)
                if (std::abs(all[i].y - all[k].y) < 12) {
                    EXPECT_TRUE(all[i].x1 <= all[k].x0 || all[k].x1 <= all[i].x0)
                        << size << ": " << i << ' ' << k;
                }
        }
    }
}

TEST(Svg, BarsAreAsLongAsTheirValues) {
    const Plot plot{.title = "t",
                    .x = {.label = "Time", .unit = "ms"},
                    .categories = {"a", "b", "c"},
                    .series = {{.name = "s", .y = {1, 2, nan}, .draw = Draw::bars}}};
    const Xml xml(draw_svg(plot));
    std::vector<double> widths;
    for (const XmlElement* e : xml.all("rect"))
        if (const auto fill = e->attributes.find("fill");
            fill != e->attributes.end() && fill->second.starts_with("url"))
            widths.push_back(std::stod(e->attributes.at("width")));
    ASSERT_EQ(widths.size(), 2u);
    EXPECT_NEAR(widths[1] / widths[0], 2, 0.001);
    EXPECT_TRUE(xml.says("b"));
}

TEST(Svg, PlotsOfOnePageHaveTheirOwnNames) {
    EXPECT_EQ(count(draw_svg(example(), 3), "plot0-"), 0u);
    EXPECT_GE(count(draw_svg(example(), 3), "plot3-clip"), 3u);
}

TEST(Histogram, CountsEveryValueOnce) {
    const std::vector<double> values{0, 0.5, 1, 1.5, 2, 9.99, 10, nan, inf};
    const Histogram h = histogram(values, 10);
    EXPECT_EQ(h.edges.front(), 0);
    EXPECT_EQ(h.edges[1], 1);
    EXPECT_EQ(h.counts[0], 2);
    EXPECT_EQ(h.counts[1], 2) << "an edge belongs to the bin on its right";
    EXPECT_EQ(h.edges.size(), h.counts.size() + 1);
    double sum = 0;
    for (const double n : h.counts) sum += n;
    EXPECT_EQ(sum, 7);
    EXPECT_EQ(h.left_out, 2);
}

TEST(Histogram, LogBinsLeaveOutWhatIsNotPositive) {
    const std::vector<double> values{0, -1, 1e-3, 1e-2, 0.5, 1};
    const Histogram h = histogram(values, 3, Scale::log);
    EXPECT_EQ(h.left_out, 2);
    double sum = 0;
    for (const double n : h.counts) sum += n;
    EXPECT_EQ(sum, 4);
    EXPECT_NEAR(h.edges[1] / h.edges[0], 10, 1e-12);
}

TEST(Histogram, OddInputIsBounded) {
    EXPECT_TRUE(histogram({}, 10).counts.empty());
    for (const std::vector<double>& values :
         {std::vector<double>{3, 3, 3}, {1e300, -1e300}, {5e-324}, {1, 1 + 1e-16}, {1e15, 1e15 + 1}}) {
        for (const int bins : {-5, 0, 1, 20, 1'000'000}) {
            const Histogram h = histogram(values, bins);
            EXPECT_LE(h.counts.size(), 1000u);
            double sum = 0;
            for (const double n : h.counts) sum += n;
            EXPECT_EQ(sum, static_cast<double>(values.size()));
        }
    }
}

/// The corners of the frame that data are clipped to: x, y, width, height.
std::array<double, 4> frame(const Xml& xml) {
    const auto rects = xml.all("rect");  // the clip path comes first
    std::array<double, 4> found{};
    const char* keys[] = {"x", "y", "width", "height"};
    for (std::size_t i = 0; i < 4; ++i) found[i] = std::stod(rects.at(0)->attributes.at(keys[i]));
    return found;
}

TEST(PlotShapes, EqualAxesMakeCirclesRound) {
    Plot plot{.x = {.low = -2, .high = 2},
              .y = {.low = -1, .high = 1},
              .series = {{.name = "s", .x = {-2, 2}, .y = {-1, 1}}},
              .equal = true};
    for (const int columns : {1, 2, 3}) {
        plot.columns = columns;
        const auto box = frame(Xml(draw_svg(plot)));
        EXPECT_NEAR(box[2], 2 * box[3], 0.02) << columns;
        EXPECT_LE(box[3], 430.01);
    }
    plot.y.low = -4, plot.y.high = 4, plot.columns = 1;
    const auto tall = frame(Xml(draw_svg(plot)));
    EXPECT_NEAR(2 * tall[2], tall[3], 0.02);
    EXPECT_LE(tall[3], 430.01);
}

TEST(PlotShapes, SmallPlotsFitSideBySide) {
    Plot plot{.series = {{.name = "a", .x = {1, 2}, .y = {1, 2}}, {.name = "b", .x = {1, 2}, .y = {2, 1}}}};
    const double expected[] = {720, 353, 230.67};
    for (int columns = 1; columns <= 3; ++columns) {
        plot.columns = columns;
        const Xml xml(draw_svg(plot));
        EXPECT_EQ(xml.problem, "");
        const double wide = std::stod(xml.elements[0].attributes.at("width"));
        EXPECT_NEAR(wide, expected[columns - 1], 0.01);
        const auto box = frame(xml);
        EXPECT_LT(box[0] + box[2], wide);
    }
}

TEST(PlotShapes, ArrowsHaveOneLengthAndThinLinesNoColour) {
    Plot plot{.x = {.low = 0, .high = 1},
              .y = {.low = 0, .high = 1},
              .series = {{.name = "thin", .x = {0, 1}, .y = {0, 1}, .draw = Draw::line, .reference = true},
                         {.name = "styled", .x = {0, 1}, .y = {1, 0}, .draw = Draw::line, .style = 1}},
              .arrows = {{0.5, 0.5, 1e-3, 0}, {0.2, 0.2, 50, 0}, {0.1, 0.1, 0, 0}, {0.1, 0.1, nan, 0}}};
    const Xml xml(draw_svg(plot));
    EXPECT_EQ(xml.problem, "");
    std::string arrows;
    std::set<std::string> colours;
    for (const XmlElement* path : xml.all("path")) {
        if (path->attributes.count("class") && path->attributes.at("class") == "arrow")
            arrows = path->attributes.at("d");
        if (path->attributes.count("stroke")) colours.insert(path->attributes.at("stroke"));
    }
    EXPECT_EQ(std::count(arrows.begin(), arrows.end(), 'M'), 4) << "two arrows of two strokes: " << arrows;
    EXPECT_FALSE(says(arrows, "nan"));
    EXPECT_EQ(colours, (std::set<std::string>{"#777", "#d55e00"}));
    EXPECT_TRUE(xml.says("styled"));
    plot.legend = false;
    EXPECT_FALSE(Xml(draw_svg(plot)).says("styled"));
}

}  // namespace
}  // namespace plush::lab
