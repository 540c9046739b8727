#include "render/lettering.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <algorithm>
#include <cstdlib>
#include <string>

namespace plush::render {

namespace {

constexpr const char* font_files[] = {
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",  // Debian: fonts-dejavu-core
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", "/usr/share/fonts/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf"};

/// Lays `colour` over a pixel. In sRGB: letters were designed for that.
void blend(Picture& picture, int x, int y, const Vec3& colour, double cover) {
    if (x < 0 || y < 0 || x >= picture.width || y >= picture.height || cover <= 0) return;
    std::uint8_t* out = picture.rgb.data() + picture.at(x, y);
    const std::uint8_t over[3] = {to_byte(colour.x), to_byte(colour.y), to_byte(colour.z)};
    for (int c = 0; c < 3; ++c)
        out[c] = static_cast<std::uint8_t>(out[c] + (over[c] - out[c]) * std::min(cover, 1.0) + 0.5);
}

/// The next code point; U+FFFD where the bytes are not UTF-8.
unsigned long next_letter(std::string_view& text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t size = first < 0x80       ? 1
                             : first >> 5 == 6  ? 2
                             : first >> 4 == 14 ? 3
                             : first >> 3 == 30 ? 4
                                                : 0;
    unsigned long letter = 0xFFFD;
    if (size > 0 && size <= text.size()) {
        letter = size == 1 ? first : first & (0xFFu >> (size + 1));
        for (std::size_t i = 1; i < size; ++i)
            letter = byte(i) >> 6 == 2 ? letter << 6 | (byte(i) & 0x3Fu) : 0xFFFD;
    }
    text.remove_prefix(size > 0 && size <= text.size() ? size : 1);
    return letter;
}

}  // namespace

struct Font::Impl {
    FT_Library library = nullptr;
    FT_Face face = nullptr;

    ~Impl() {
        if (face) FT_Done_Face(face);
        if (library) FT_Done_FreeType(library);
    }
    /// Loads a letter and returns how far it moves the pen, in pixels.
    double load(unsigned long letter, int flags) {
        if (FT_Load_Char(face, letter, flags) != 0) return 0;
        return static_cast<double>(face->glyph->advance.x) / 64;
    }
};

Font::Font(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Font::~Font() = default;

std::unique_ptr<Font> Font::find() {
    auto impl = std::make_unique<Impl>();
    if (FT_Init_FreeType(&impl->library) != 0) return nullptr;
    const auto open = [&](const char* file) { return FT_New_Face(impl->library, file, 0, &impl->face) == 0; };
    const char* chosen = std::getenv("PLUSH_FONT");
    const bool found =
        chosen ? open(chosen) : std::any_of(std::begin(font_files), std::end(font_files), open);
    if (!found) return nullptr;
    return std::unique_ptr<Font>(new Font(std::move(impl)));
}

double Font::width(std::string_view text, int size) {
    FT_Set_Pixel_Sizes(impl_->face, 0, static_cast<FT_UInt>(size));
    double pen = 0;
    while (!text.empty()) pen += impl_->load(next_letter(text), FT_LOAD_DEFAULT);
    return pen;
}

void Font::draw(Picture& picture, double x, double y, std::string_view text, int size, const Vec3& colour) {
    FT_Set_Pixel_Sizes(impl_->face, 0, static_cast<FT_UInt>(size));
    while (!text.empty()) {
        const double advance = impl_->load(next_letter(text), FT_LOAD_RENDER);
        const FT_GlyphSlot glyph = impl_->face->glyph;
        const int left = static_cast<int>(std::lround(x)) + glyph->bitmap_left;
        const int top = static_cast<int>(std::lround(y)) - glyph->bitmap_top;
        for (unsigned j = 0; advance > 0 && j < glyph->bitmap.rows; ++j) {
            for (unsigned i = 0; i < glyph->bitmap.width; ++i) {
                const unsigned char cover =
                    glyph->bitmap.buffer[j * static_cast<unsigned>(glyph->bitmap.pitch) + i];
                blend(picture, left + static_cast<int>(i), top + static_cast<int>(j), colour, cover / 255.0);
            }
        }
        x += advance;
    }
}

void draw_line(Picture& picture, double x0, double y0, double x1, double y1, double radius,
               const Vec3& colour) {
    const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    const double reach = radius + 1;
    for (int y = static_cast<int>(std::min(y0, y1) - reach); y <= std::max(y0, y1) + reach; ++y) {
        for (int x = static_cast<int>(std::min(x0, x1) - reach); x <= std::max(x0, x1) + reach; ++x) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double t = length2 > 0 ? std::clamp((px * dx + py * dy) / length2, 0.0, 1.0) : 0;
            const double distance = std::hypot(px - t * dx, py - t * dy);
            blend(picture, x, y, colour, std::clamp(radius + 0.5 - distance, 0.0, 1.0));
        }
    }
}

void draw_plate(Picture& picture, double left, double top, double width, double height) {
    constexpr double round = 5, opacity = 0.78;
    const double cx = left + 0.5 * width, cy = top + 0.5 * height;
    for (int y = static_cast<int>(top) - 1; y <= top + height + 1; ++y) {
        for (int x = static_cast<int>(left) - 1; x <= left + width + 1; ++x) {
            // The distance to a box with round corners.
            const double qx = std::abs(x + 0.5 - cx) - 0.5 * width + round;
            const double qy = std::abs(y + 0.5 - cy) - 0.5 * height + round;
            const double distance =
                std::hypot(std::max(qx, 0.0), std::max(qy, 0.0)) + std::min(std::max(qx, qy), 0.0) - round;
            blend(picture, x, y, {1, 1, 1}, opacity * std::clamp(0.5 - distance, 0.0, 1.0));
        }
    }
}

}  // namespace plush::render
