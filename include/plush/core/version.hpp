#pragma once

#include <string_view>

#include "plush/core/export.hpp"

namespace plush {

/// "0.1.0".
PLUSH_API std::string_view version();

}  // namespace plush
