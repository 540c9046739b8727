#pragma once

#include <span>
#include <string>
#include <string_view>

#include "plush/core/describe.hpp"
#include "plush/core/error.hpp"
#include "plush/math/vec.hpp"

// What a body looks like in pictures. The motion does not depend on it.

namespace plush {

enum class Finish {
    matt,         ///< like cloth or chalk
    shiny,        ///< with highlights, like wet skin or plastic
    translucent,  ///< what is behind shows through, as through jelly
};
PLUSH_API std::span<const Choice> finish_choices();

/// How a body is drawn.
struct Look {
    /// "#RRGGBB" in sRGB, or one of colour_names(). Empty: whoever draws chooses one for each body.
    std::string colour{};
    Finish finish = Finish::matt;
    bool operator==(const Look&) const = default;
};
PLUSH_API void describe(FieldVisitor& v, Look& s);

/// A colour that scenes may name.
struct ColourName {
    std::string_view name;
    unsigned rgb;  ///< 0xRRGGBB, sRGB
};
PLUSH_API std::span<const ColourName> colour_names();

/// 0xRRGGBB of a colour as in Look::colour, which must not be empty.
PLUSH_API Result<unsigned> parse_colour(std::string_view text);

}  // namespace plush
