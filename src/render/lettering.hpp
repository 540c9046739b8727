#pragma once

#include <memory>
#include <string_view>

#include "render/picture.hpp"

// Words and signs on a finished picture. FreeType stands behind the words, in one source file.

namespace plush::render {

/// A font at any size, in pixels of a line's height.
class Font {
public:
    /// DejaVu Sans: $PLUSH_FONT where that is set, else where Debian and others put it. Null where there is
    /// none: then pictures have no words.
    static std::unique_ptr<Font> find();
    ~Font();

    double width(std::string_view utf8, int size);
    /// Starts at x; y is the line on which the letters stand. `colour` in linear light.
    void draw(Picture& picture, double x, double y, std::string_view utf8, int size, const Vec3& colour);

private:
    struct Impl;
    explicit Font(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// A line with round ends, of this radius in pixels; a dot where both ends are one point.
void draw_line(Picture& picture, double x0, double y0, double x1, double y1, double radius,
               const Vec3& colour);

/// A pale plate with round corners, for words on top of it.
void draw_plate(Picture& picture, double left, double top, double width, double height);

}  // namespace plush::render
