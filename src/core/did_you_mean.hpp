#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/internal_api.hpp"

namespace plush {

/// `did you mean "x"?` with the known word that is closest to `word`, or "" when nothing is near. Case does
/// not count; of equally close words the first in the list wins.
PLUSH_INTERNAL_API std::string did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace plush
