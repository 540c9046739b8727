#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/internal_api.hpp"

namespace plush {

/// The fix where a word is not among those that are known: `did you mean "x"?`, or else all of them to choose from.
PLUSH_INTERNAL_API std::string suggestion(std::string_view word, std::span<const std::string_view> known);

}  // namespace plush
