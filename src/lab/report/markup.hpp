#pragma once

#include <string>
#include <string_view>

namespace plush::lab {

/// Safe inside XML and HTML, as text and as an attribute: & < > " ' are written as entities, bytes that are
/// not UTF-8 and characters that XML forbids become U+FFFD.
std::string escaped(std::string_view text);

/// About how wide a text is in a sans-serif font, in parts of its size. Errs on the wide side, so that what
/// was measured with it does not collide.
double text_width(std::string_view text);

/// A number for people: so many digits, a true minus, and a dash where there is none.
std::string number_text(double value, int digits = 6);

/// Base 64, for pictures inside a page (RFC 4648).
std::string base64(std::string_view bytes);

}  // namespace plush::lab
