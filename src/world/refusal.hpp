#pragma once

#include <fmt/format.h>

#include <string>

#include "core/range_check.hpp"
#include "plush/math/vec.hpp"

// How a world says no: which body, which of its properties, what is wrong, and what to do.

namespace plush {

inline std::string place_of(const std::string& name, std::string_view key) {
    return name.empty() ? std::string(key) : fmt::format("body \"{}\", {}", name, key);
}

[[noreturn]] inline void refuse(const std::string& name, std::string_view key, std::string problem,
                                std::string cure) {
    throw Error({.place = place_of(name, key), .problem = std::move(problem), .cure = std::move(cure)});
}

/// An error whose place is a property of the body.
[[noreturn]] inline void refuse(const std::string& name, const Error& error) {
    refuse(name, error.place(), error.problem(), error.cure());
}

/// That settings are as their description says.
template <class Settings>
void require_ranges(const std::string& name, const Settings& settings) {
    if (const auto in_range = check_ranges(settings); !in_range) refuse(name, in_range.error());
}

inline void require(const std::string& name, bool good, const char* key, const char* problem,
                    const char* cure) {
    if (!good) refuse(name, key, problem, cure);
}

inline void require_range(const std::string& name, const char* key, double value, double low, double high) {
    if (value >= low && value <= high) return;  // false for NaN
    refuse(name, key, fmt::format("{} is out of range", value),
           fmt::format("take a number from {} to {}", low, high));
}

/// Of positions and velocities. 1e12 m, or m/s, is beyond anything simulated here and still far from losing
/// digits to overflow.
constexpr double largest_usable = 1e12;

inline bool usable(const Vec3& v) {
    return is_finite(v) && max_component(abs(v)) <= largest_usable;
}

inline void require_usable(const std::string& name, const char* key, const Vec3& value) {
    if (usable(value)) return;
    refuse(name, key, fmt::format("({}, {}, {}) is not usable", value.x, value.y, value.z),
           "give finite numbers below 1e12");
}

}  // namespace plush
