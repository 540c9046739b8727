#pragma once

#include "plush/record/frames.hpp"
#include "render/picture.hpp"

namespace plush::render {

/// What pictures are painted with, in linear light. Distinct for people who see red and green alike.
namespace paint {
inline const Vec3 ground = colour_of(0xCFC8BE), china = colour_of(0xD3DBE0), ink = colour_of(0x2B2F36);
inline const Vec3 stick = colour_of(0x0072B2), slip = colour_of(0xD55E00), gap = colour_of(0x8C8C8C);
inline const Vec3 normal_force = colour_of(0x2B2F36), friction = colour_of(0xF0B000);
}  // namespace paint

/// The k-th colour for bodies; k may be as large as you like.
Vec3 body_colour(std::size_t k);

/// A colour for each body, in linear light: its own (FrameBody::colour) where it has one. Of the others, fixed ones are
/// plain, and all that move differ: by their mesh where there are several kinds, in shades of one kind; else one after
/// the other.
std::vector<Vec3> body_colours(const FramesHeader& header);

}  // namespace plush::render
