#include "render/png.hpp"

#include <png.h>

#include <csetjmp>

// libpng, and nowhere else. It reports errors by longjmp: nothing with a destructor is made between setjmp
// and the jump.

namespace plush::render {

namespace {

void append(png_structp png, png_bytep data, png_size_t size) {
    auto& out = *static_cast<std::vector<std::byte>*>(png_get_io_ptr(png));
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    out.insert(out.end(), bytes, bytes + size);
}

void nothing(png_structp) {}

bool write(png_structp png, png_infop info, const Picture& picture, std::vector<std::byte>& out) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_write_fn(png, &out, append, nothing);
    png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width), static_cast<png_uint_32>(picture.height),
                 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    // 6 of 9: 9 takes three times as long for one part in a hundred.
    png_set_compression_level(png, 6);
    png_write_info(png, info);
    for (int y = 0; y < picture.height; ++y) {
        png_write_row(png, const_cast<png_bytep>(picture.rgb.data() + picture.at(0, y)));
    }
    png_write_end(png, nullptr);
    return true;
}

}  // namespace

Result<std::vector<std::byte>> png_bytes(const Picture& picture) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png ? png_create_info_struct(png) : nullptr;
    std::vector<std::byte> out;
    const bool good = info && write(png, info, picture, out);
    png_destroy_write_struct(&png, &info);
    if (!good) return Error({.problem = "libpng could not make a PNG file of the picture"});
    return out;
}

}  // namespace plush::render
