#pragma once

#include <limits>

#include "plush/core/describe.hpp"

// Quantities that stand in several descriptions: unit and range are said here, once.

namespace plush::quantity {

// Sizes beyond these are mistakes of units, and would end in overflow far from their cause.
inline constexpr double largest_length = 1e6;  // m
inline constexpr double largest_speed = 1e6;   // m/s, rad/s
inline constexpr double largest_mass = 1e15;   // kg
inline constexpr double largest_int = std::numeric_limits<int>::max();

inline FieldInfo length(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = 0,
            .max = largest_length,
            .min_excluded = true,
            .required = required};
}
/// A length that may be 0.
inline FieldInfo extent(std::string_view key, std::string_view text) {
    return {.key = key, .unit = "m", .text = text, .min = 0, .max = largest_length};
}
inline FieldInfo position(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = -largest_length,
            .max = largest_length,
            .required = required};
}
inline FieldInfo velocity(std::string_view key, std::string_view text, std::string_view unit = "m/s") {
    return {.key = key, .unit = unit, .text = text, .min = -largest_speed, .max = largest_speed};
}
inline FieldInfo density(std::string_view text, std::string_view unit = "kg/m³") {
    return {.key = "density", .unit = unit, .text = text, .min = 0, .max = 1e9, .min_excluded = true};
}
inline FieldInfo mass(std::string_view text) {
    return {.key = "mass", .unit = "kg", .text = text, .min = 0, .max = largest_mass, .min_excluded = true};
}
inline FieldInfo friction(std::string_view text) {
    return {.key = "friction", .text = text, .min = 0, .max = 1e6};
}
inline FieldInfo restitution(std::string_view text) {
    return {.key = "restitution", .text = text, .min = 0, .max = 1};
}
inline FieldInfo pixels_across(std::string_view text) {
    return {.key = "pixels_across", .text = text, .min = 4, .max = 4096};
}

}  // namespace plush::quantity
