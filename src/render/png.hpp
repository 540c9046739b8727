#pragma once

#include "plush/core/error.hpp"
#include "render/picture.hpp"

namespace plush::render {

/// The bytes of a PNG file, 8 bits a channel, marked as sRGB. The same picture gives the same bytes.
Result<std::vector<std::byte>> png_bytes(const Picture& picture);

}  // namespace plush::render
