#include "lab/report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/markup.hpp"
#include "lab/report/svg.hpp"
#include "lab/report/ticks.hpp"

// A plot from top to bottom: title, data with axes, axis title, legend, notes. Everything is measured before
// anything is drawn, so that nothing lies on anything else.

namespace plush::lab {
namespace {

// Pixels. 720 wide is the text width of an A4 page at 96 to the inch, 20 mm margins taken off.
constexpr double page_width = 720, column_gap = 14, data_height = 300, right_margin = 24;
constexpr double small_data_height = 215;  // of plots that share a row
constexpr double max_equal_height = 430;   // of plots with equal axes: more would not fit on a screen
constexpr double arrow_length = 13;
constexpr double font = 12.5, line_height = 19;
constexpr double bar_height = 15, bar_gap = 9;
constexpr double sample_width = 30;      // of a legend entry
constexpr std::size_t max_markers = 24;  // on one line; more would be a thick line

constexpr std::string_view style_sheet = R"(<style>
text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; fill: #111; }
.plot-title { font-size: 15px; font-weight: 600; }
.plot-text { font-size: 12.5px; }
.plot-note { font-size: 11.5px; fill: #444; }
.exponent { font-size: 9.5px; }
.axis { stroke: #111; stroke-width: 1; }
.grid { stroke: #e2e2e2; stroke-width: 1; }
.grid-minor { stroke: #f1f1f1; stroke-width: 1; }
.marker { stroke: #fff; stroke-width: 0.8; }
.arrow { stroke: #b9b9b9; stroke-width: 1; fill: none; }
</style>
)";

struct Range {
    double low = HUGE_VAL, high = -HUGE_VAL;
    void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

std::string shortened(const std::string& text, double room) {
    if (text_width(text) * font <= room) return text;
    std::string cut = text;
    while (!cut.empty() && text_width(cut + "…") * font > room) {
        while ((static_cast<unsigned char>(cut.back()) & 0xc0u) == 0x80) cut.pop_back();
        cut.pop_back();
    }
    return cut + "…";
}

class Painter {
public:
    Painter(const Plot& plot, int id) : plot_(plot), id_(id) {
        for (const Series& s : plot.series) bars_ = bars_ || s.draw == Draw::bars;
        const int columns = std::clamp(plot.columns, 1, 3);
        width_ = (page_width - (columns - 1) * column_gap) / columns;
    }

    std::string draw() {
        measure();
        svg_.raw(fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
            "role=\"img\" aria-label=\"{2}\">\n<title>{2}</title>\n{3}",
            coordinate(width_), coordinate(height_), escaped(plot_.title), style_sheet));
        definitions();
        svg_.rect(0, 0, width_, height_, "fill=\"#fff\"");
        svg_.text(4, 18, SvgWriter::Anchor::start, "plot-title", plot_.title);
        grid();
        arrows();
        if (bars_)
            bars();
        else
            for (std::size_t i = 0; i < plot_.series.size(); ++i) series(i);
        for (std::size_t i = 0; i < plot_.lines.size(); ++i) reference(i);
        axes();
        legend();
        notes();
        svg_.raw("</svg>\n");
        return svg_.str();
    }

private:
    // --- measuring -----------------------------------------------------------------------------------------

    void measure() {
        find_ranges();
        const bool small = plot_.columns > 1;
        const double room = width_ - (small ? 0.5 : 1) * right_margin;
        y_ = lay_out(plot_.y, y_range_.low, y_range_.high, small ? 5 : 7);
        left_ = bars_ ? category_margin() : 44 + widest(y_);
        for (int labels = small ? 5 : 9; labels >= 2; --labels) {
            x_ = lay_out(plot_.x, x_range_.low, x_range_.high, labels);
            if (labels_fit(x_, room - left_)) break;
        }
        right_ = room;
        top_ = 34;
        const auto n = static_cast<double>(plot_.categories.size());
        const double group = static_cast<double>(std::max<std::size_t>(1, plot_.series.size())) * bar_height;
        bottom_ = top_ + (bars_   ? std::max(1.0, n) * (group + bar_gap) + bar_gap
                          : small ? small_data_height
                                  : data_height);
        if (plot_.equal && !bars_) make_equal();
        legend_top_ = bottom_ + 58;
        lay_out_legend();
        height_ = legend_top_ + legend_rows_ * line_height + static_cast<double>(notes_.size()) * 16;
    }

    /// As wide as there is room for, and not too high.
    void make_equal() {
        const double ratio = (y_.high - y_.low) / (x_.high - x_.low);
        const double across = std::min(right_ - left_, max_equal_height / ratio);
        right_ = left_ + across;
        bottom_ = top_ + across * ratio;
    }

    void find_ranges() {
        long long not_positive = 0;
        for (const Series& s : plot_.series) {
            const std::size_t n = points(s);
            for (std::size_t i = 0; i < n; ++i) {
                const double x = s.draw == Draw::bars ? s.y[i] : s.x[i];
                const double y = s.draw == Draw::bars ? 0 : s.y[i];
                const Scale y_scale = s.draw == Draw::bars ? Scale::linear : plot_.y.scale;
                const bool drawn = can_draw(x, plot_.x.scale) && can_draw(y, y_scale);
                if (!drawn) not_positive += std::isfinite(x) && std::isfinite(y);
                if (!drawn) continue;
                x_range_.add(x), y_range_.add(y);
                if (s.draw == Draw::histogram && can_draw(s.x[i + 1], plot_.x.scale))
                    x_range_.add(s.x[i + 1]);
                if (i < s.low.size() && can_draw(s.low[i], plot_.y.scale)) y_range_.add(s.low[i]);
                if (i < s.high.size() && can_draw(s.high[i], plot_.y.scale)) y_range_.add(s.high[i]);
            }
            if (s.draw == Draw::histogram && plot_.y.scale == Scale::linear) y_range_.add(0);
        }
        if (x_range_.low > x_range_.high) notes_.push_back("There is nothing to draw.");
        if (bars_ && plot_.x.scale == Scale::linear) x_range_.add(0);
        // On a log axis a bar begins at its left end: the shortest needs some length.
        if (bars_ && plot_.x.scale == Scale::log && x_range_.low <= x_range_.high) x_range_.low /= 5;
        for (const ReferenceLine& line : plot_.lines) {
            const bool sloped = line.x && line.y;
            if (!sloped && line.x) include(*line.x, plot_.x.scale, x_range_);
            if (!sloped && line.y) include(*line.y, plot_.y.scale, y_range_);
        }
        if (not_positive > 0)
            notes_.push_back(fmt::format("{} value{} not positive and left out of the log axis.",
                                         not_positive, not_positive == 1 ? " is" : "s are"));
    }

    /// A line to compare with is not drawn on the edge of a log axis, where it would be taken for the edge.
    static void include(double value, Scale scale, Range& range) {
        if (!can_draw(value, scale)) return;
        const double around = scale == Scale::log ? 1.5 : 1;
        range.add(value / around), range.add(value * around);
    }

    static std::size_t points(const Series& s) {
        if (s.draw == Draw::bars) return s.y.size();
        const std::size_t xs = s.draw == Draw::histogram && !s.x.empty() ? s.x.size() - 1 : s.x.size();
        return std::min(xs, s.y.size());
    }

    static double label_width(const Tick& t) {
        return text_width(t.label) * font + text_width(t.exponent) * 9.5;
    }
    static double widest(const AxisLayout& axis) {
        double most = 0;
        for (const Tick& t : axis.ticks) most = std::max(most, label_width(t));
        return most;
    }
    static bool labels_fit(const AxisLayout& axis, double room) {
        double end = -HUGE_VAL;
        for (const Tick& t : axis.ticks) {
            if (t.minor) continue;
            const double centre = axis.place(t.value) * room, half = label_width(t) / 2;
            if (centre - half < end + 8) return false;
            end = centre + half;
        }
        return true;
    }
    double category_margin() const {
        double most = 0;
        for (const std::string& name : plot_.categories) most = std::max(most, text_width(name) * font);
        return std::min(most, 0.45 * width_) + 18;
    }

    struct Entry {
        double x = 0;
        int row = 0;
        std::string name{};
        std::size_t index = 0;
        bool line = false;  ///< of the reference lines
    };

    void lay_out_legend() {
        if (!plot_.legend || plot_.series.size() + plot_.lines.size() < 2) return;
        // A small plot has little room: its legend may begin at the edge. One with equal axes may be narrow.
        const double left = plot_.columns > 1 ? 6 : left_;
        const double right = width_ - (plot_.columns > 1 ? 0 : right_margin);
        double x = left;
        int row = 0;
        const auto add = [&](const std::string& name, std::size_t index, bool line) {
            const std::string text = shortened(name, right - left - sample_width - 8);
            const double wide = sample_width + 6 + text_width(text) * font;
            if (x > left && x + wide > right) x = left, ++row;
            entries_.push_back({x, row, text, index, line});
            x += wide + 20;
        };
        for (std::size_t i = 0; i < plot_.series.size(); ++i) add(plot_.series[i].name, i, false);
        for (std::size_t i = 0; i < plot_.lines.size(); ++i) add(plot_.lines[i].name, i, true);
        legend_rows_ = row + 1;
    }

    // --- drawing -------------------------------------------------------------------------------------------

    double px(double x) const { return left_ + x_.place(x) * (right_ - left_); }
    double py(double y) const { return bottom_ - y_.place(y) * (bottom_ - top_); }
    std::string key(std::string_view what, std::size_t i = 0) const {
        return fmt::format("plot{}-{}{}", id_, what, i);
    }
    std::string clipped() const { return fmt::format("clip-path=\"url(#{})\"", key("clip")); }
    SeriesStyle style_of(std::size_t i) const { return series_style(plot_.series[i].style.value_or(i)); }
    std::string stroke(std::size_t i) const {
        if (plot_.series[i].reference) return "fill=\"none\" stroke=\"#777\" stroke-width=\"1.2\"";
        return stroke(style_of(i));
    }
    static std::string stroke(const SeriesStyle& style) {
        std::string text = fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.9\"", style.colour);
        if (!style.dash.empty()) text += fmt::format(" stroke-dasharray=\"{}\"", style.dash);
        return text;
    }
    static std::string reference_stroke(std::size_t i) {
        static constexpr std::string_view dashes[] = {"1.5 3", "6 3", "10 3 2 3", "3 2"};
        return fmt::format("fill=\"none\" stroke=\"#555\" stroke-width=\"1.1\" stroke-dasharray=\"{}\"",
                           dashes[i % 4]);
    }

    void definitions() {
        svg_.raw("<defs>\n");
        svg_.raw(fmt::format("<clipPath id=\"{}\">", key("clip")));
        svg_.rect(left_, top_, right_ - left_, bottom_ - top_, "");
        svg_.raw("</clipPath>\n");
        for (std::size_t i = 0; i < plot_.series.size(); ++i)
            if (plot_.series[i].draw == Draw::bars || plot_.series[i].draw == Draw::histogram)
                define_hatch(svg_, key("hatch", i), style_of(i));
        svg_.raw("</defs>\n");
    }

    void grid() {
        for (const bool minor : {true, false}) {
            const char* name = minor ? "grid-minor" : "grid";
            for (const Tick& t : x_.ticks)
                if (t.minor == minor) svg_.line(px(t.value), top_, px(t.value), bottom_, name);
            if (bars_) continue;
            for (const Tick& t : y_.ticks)
                if (t.minor == minor) svg_.line(left_, py(t.value), right_, py(t.value), name);
        }
    }

    void arrows() {
        if (plot_.arrows.empty()) return;
        std::string text;
        const double per_x = (right_ - left_) / (x_.high - x_.low),
                     per_y = (bottom_ - top_) / (y_.high - y_.low);
        for (const Arrow& a : plot_.arrows) {
            const double ux = a.dx * per_x, uy = -a.dy * per_y, size = std::hypot(ux, uy);
            if (!(size > 0)) continue;
            const double cx = ux / size, cy = uy / size, x = px(a.x), y = py(a.y);
            const double tip_x = x + 0.5 * arrow_length * cx, tip_y = y + 0.5 * arrow_length * cy;
            const auto at = [&](double along, double aside) {
                return coordinate(tip_x + along * cx - aside * cy) + " " +
                       coordinate(tip_y + along * cy + aside * cx);
            };
            text += "M" + at(-arrow_length, 0) + "L" + at(0, 0) + "M" + at(-4, -2.4) + "L" + at(0, 0) + "L" +
                    at(-4, 2.4);
        }
        svg_.path(text, "class=\"arrow\" " + clipped());
    }

    void axes() {
        using enum SvgWriter::Anchor;
        svg_.line(left_, bottom_, right_, bottom_, "axis");
        svg_.line(left_, top_, left_, bottom_, "axis");
        for (const Tick& t : x_.ticks) {
            svg_.line(px(t.value), bottom_, px(t.value), bottom_ + (t.minor ? 3 : 5), "axis");
            if (!t.minor) svg_.text(px(t.value), bottom_ + 19, middle, "plot-text", t.label, t.exponent);
        }
        title(x_, (left_ + right_) / 2, bottom_ + 40, false);
        if (bars_) return;
        for (const Tick& t : y_.ticks) {
            svg_.line(left_ - (t.minor ? 3 : 5), py(t.value), left_, py(t.value), "axis");
            if (!t.minor) svg_.text(left_ - 8, py(t.value) + 4.2, end, "plot-text", t.label, t.exponent);
        }
        title(y_, 16, (top_ + bottom_) / 2, true);
    }

    void title(const AxisLayout& axis, double x, double y, bool upright) {
        svg_.text(x, y, SvgWriter::Anchor::middle, "plot-text", axis.title, axis.title_exponent,
                  axis.title_end, upright);
    }

    bool drawable(const Series& s, std::size_t i) const {
        return can_draw(s.x[i], plot_.x.scale) && can_draw(s.y[i], plot_.y.scale);
    }

    void series(std::size_t index) {
        const Series& s = plot_.series[index];
        if (s.draw == Draw::histogram) return columns(index);
        const SeriesStyle style = style_of(index);
        band(s, style);
        if (s.draw != Draw::points) path(s, stroke(index));
        if (s.draw != Draw::line) markers(s, style);
    }

    void path(const Series& s, const std::string& look) {
        std::string text;
        bool pen_down = false;
        for (std::size_t i = 0; i < points(s); ++i) {
            if (!drawable(s, i)) {
                pen_down = false;
                continue;
            }
            text += (pen_down ? "L" : "M") + coordinate(px(s.x[i])) + " " + coordinate(py(s.y[i]));
            pen_down = true;
        }
        if (!text.empty()) svg_.path(text, look + " stroke-linejoin=\"round\" " + clipped());
    }

    void markers(const Series& s, const SeriesStyle& style) {
        const std::size_t n = points(s);
        const std::size_t every = s.draw == Draw::both ? std::max<std::size_t>(1, n / max_markers) : 1;
        for (std::size_t i = 0; i < n; i += every) {
            if (!drawable(s, i)) continue;
            const double x = x_.place(s.x[i]), y = y_.place(s.y[i]), slack = 1e-9;
            if (x < -slack || x > 1 + slack || y < -slack || y > 1 + slack) continue;
            draw_marker(svg_, px(s.x[i]), py(s.y[i]), style);
        }
    }

    void band(const Series& s, const SeriesStyle& style) {
        const std::size_t n = std::min({points(s), s.low.size(), s.high.size()});
        const auto good = [&](std::size_t i) {
            return drawable(s, i) && can_draw(s.low[i], plot_.y.scale) && can_draw(s.high[i], plot_.y.scale);
        };
        for (std::size_t i = 0; i < n; ++i) {
            if (!good(i)) continue;
            std::size_t end = i;
            while (end < n && good(end)) ++end;
            std::string text = "M";
            for (std::size_t k = i; k < end; ++k)
                text += coordinate(px(s.x[k])) + " " + coordinate(py(s.high[k])) + " ";
            for (std::size_t k = end; k-- > i;)
                text += coordinate(px(s.x[k])) + " " + coordinate(py(s.low[k])) + " ";
            svg_.path(text + "Z",
                      fmt::format("fill=\"{}\" fill-opacity=\"0.16\" {}", style.colour, clipped()));
            i = end;
        }
    }

    void columns(std::size_t index) {
        const Series& s = plot_.series[index];
        const std::string fill = fmt::format("fill=\"url(#{})\" stroke=\"#111\" stroke-width=\"0.6\" {}",
                                             key("hatch", index), clipped());
        for (std::size_t i = 0; i < points(s); ++i) {
            if (!drawable(s, i) || !can_draw(s.x[i + 1], plot_.x.scale) || s.y[i] == 0) continue;
            const double x0 = px(s.x[i]), x1 = px(s.x[i + 1]), y = py(s.y[i]);
            const double base = y_.scale == Scale::log ? bottom_ : py(std::clamp(0.0, y_.low, y_.high));
            svg_.rect(x0, std::min(y, base), x1 - x0, std::abs(base - y), fill);
        }
    }

    void bars() {
        const auto n = static_cast<double>(plot_.series.size());
        for (std::size_t c = 0; c < plot_.categories.size(); ++c) {
            const double y0 = top_ + bar_gap + static_cast<double>(c) * (n * bar_height + bar_gap);
            svg_.text(left_ - 8, y0 + n * bar_height / 2 + 4.2, SvgWriter::Anchor::end, "plot-text",
                      shortened(plot_.categories[c], left_ - 12));
            for (std::size_t i = 0; i < plot_.series.size(); ++i) {
                const Series& s = plot_.series[i];
                if (c >= s.y.size() || !can_draw(s.y[c], plot_.x.scale)) continue;
                const double base = x_.scale == Scale::log ? left_ : px(std::clamp(0.0, x_.low, x_.high));
                const double end = std::clamp(px(s.y[c]), left_, right_);
                svg_.rect(
                    std::min(base, end), y0 + static_cast<double>(i) * bar_height, std::abs(end - base),
                    bar_height - 1,
                    fmt::format("fill=\"url(#{})\" stroke=\"#111\" stroke-width=\"0.6\"", key("hatch", i)));
            }
        }
    }

    void reference(std::size_t index) {
        const ReferenceLine& line = plot_.lines[index];
        std::string text;
        if (line.x && !line.y && can_draw(*line.x, x_.scale)) {
            text = fmt::format("M{0} {1}L{0} {2}", coordinate(px(*line.x)), coordinate(top_),
                               coordinate(bottom_));
        } else if (line.y && !line.x && can_draw(*line.y, y_.scale) && !bars_) {
            text = fmt::format("M{1} {0}L{2} {0}", coordinate(py(*line.y)), coordinate(left_),
                               coordinate(right_));
        } else if (line.x && line.y) {
            text = sloped(line);
        }
        if (!text.empty()) svg_.path(text, reference_stroke(index) + " " + clipped());
    }

    std::string sloped(const ReferenceLine& line) const {
        const bool power = x_.scale == Scale::log && y_.scale == Scale::log;
        std::string text;
        constexpr int parts = 64;
        for (int i = 0; i <= parts; i += x_.scale == y_.scale ? parts : 1) {
            const double t = static_cast<double>(i) / parts;
            const double x = x_.scale == Scale::log ? x_.low * std::pow(x_.high / x_.low, t)
                                                    : x_.low + t * (x_.high - x_.low);
            const double y =
                power ? *line.y * std::pow(x / *line.x, line.slope) : *line.y + line.slope * (x - *line.x);
            if (!can_draw(y, y_.scale)) continue;
            text += (text.empty() ? "M" : "L") + coordinate(px(x)) + " " + coordinate(py(y));
        }
        return text;
    }

    void legend() {
        for (const Entry& e : entries_) {
            const double y = legend_top_ + e.row * line_height;
            const std::string sample = fmt::format("M{1} {0}L{2} {0}", coordinate(y), coordinate(e.x),
                                                   coordinate(e.x + sample_width));
            if (e.line) {
                svg_.path(sample, reference_stroke(e.index));
            } else {
                const Draw draw = plot_.series[e.index].draw;
                const SeriesStyle style = style_of(e.index);
                if (draw == Draw::bars || draw == Draw::histogram)
                    svg_.rect(e.x + 4, y - 6, sample_width - 8, 12,
                              fmt::format("fill=\"url(#{})\" stroke=\"#111\" stroke-width=\"0.6\"",
                                          key("hatch", e.index)));
                if (draw == Draw::line || draw == Draw::both) svg_.path(sample, stroke(e.index));
                if (draw == Draw::points || draw == Draw::both)
                    draw_marker(svg_, e.x + sample_width / 2, y, style);
            }
            svg_.text(e.x + sample_width + 6, y + 4.2, SvgWriter::Anchor::start, "plot-text", e.name);
        }
    }

    void notes() {
        double y = legend_top_ + legend_rows_ * line_height + 1;
        for (const std::string& note : notes_) {
            svg_.text(left_, y, SvgWriter::Anchor::start, "plot-note", note);
            y += 16;
        }
    }

    const Plot& plot_;
    int id_;
    bool bars_ = false;
    double width_ = page_width;
    Range x_range_{}, y_range_{};
    AxisLayout x_{}, y_{};
    double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, legend_top_ = 0, height_ = 0;
    int legend_rows_ = 0;
    std::vector<Entry> entries_{};
    std::vector<std::string> notes_{};
    SvgWriter svg_{};
};

}  // namespace

std::string draw_svg(const Plot& plot, int id) {
    return Painter(plot, id).draw();
}

}  // namespace plush::lab
