#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "plush/core/describe.hpp"

namespace plush {

/// The range of a field in words, for fixes: "above 0 and up to 1e9 kg/m³".
inline std::string range_phrase(const FieldInfo& info) {
    const std::string unit = info.unit.empty() ? "" : " " + std::string(info.unit);
    const bool below = std::isfinite(info.max), above = std::isfinite(info.min);
    if (above && info.min_excluded)
        return below ? fmt::format("above {} and up to {}{}", info.min, info.max, unit)
                     : fmt::format("a number above {}{}", info.min, unit);
    if (above && below && info.min == info.max) return fmt::format("{}", info.min);
    if (above && below) return fmt::format("{} to {}{}", info.min, info.max, unit);
    if (above) return fmt::format("{}{} or more", info.min, unit);
    if (below) return fmt::format("{}{} or less", info.max, unit);
    return "a finite number" + unit;
}

}  // namespace plush
