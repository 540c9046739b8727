#pragma once

#include <string>
#include <string_view>

namespace plush::lab {

/// Grows an SVG element by element. Lengths are in pixels of a screen, 96 to the inch.
class SvgWriter {
public:
    enum class Anchor { start, middle, end };

    void raw(std::string_view markup) { out_ += markup; }
    void line(double x0, double y0, double x1, double y1, std::string_view css_class);
    void rect(double x, double y, double width, double height, std::string_view attributes);
    /// `exponent` follows as a superscript, and `after` behind it.
    void text(double x, double y, Anchor anchor, std::string_view css_class, std::string_view text,
              std::string_view exponent = {}, std::string_view after = {}, bool upright = false);
    void path(std::string_view points, std::string_view attributes);

    const std::string& str() const { return out_; }

private:
    std::string out_;
};

/// Two decimals at most, no "-0".
std::string coordinate(double value);

/// How series i is told from the others.
struct SeriesStyle {
    std::string_view colour, dash;  ///< dash empty: a solid line
    int marker = 0, hatch = 0;
};
SeriesStyle series_style(std::size_t i);

/// A marker about the size of a letter, centred.
void draw_marker(SvgWriter& svg, double x, double y, const SeriesStyle& style);

/// A <pattern> that fills bars with the style's colour and hatching.
void define_hatch(SvgWriter& svg, std::string_view id, const SeriesStyle& style);

}  // namespace plush::lab
