#pragma once

#include <limits>

#include "scene/spec.hpp"

// What the descriptions of several kinds of bodies have in common.

namespace plush {

// Sizes beyond these are mistakes of units, and would end in overflow far from their cause.
constexpr double largest_length = 1e6;   // m
constexpr double largest_speed = 1e6;    // m/s, rad/s
constexpr double largest_density = 1e9;  // kg/m³
constexpr double largest_int = std::numeric_limits<int>::max();

inline FieldInfo length(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = 0,
            .max = largest_length,
            .min_excluded = true,
            .required = required};
}
inline FieldInfo position(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = -largest_length,
            .max = largest_length,
            .required = required};
}
inline FieldInfo density_of(std::string_view text) {
    return {.key = "density",
            .unit = "kg/m³",
            .text = text,
            .min = 0,
            .max = largest_density,
            .min_excluded = true};
}
inline FieldInfo mass_of(std::string_view text, double most = 1e15) {
    return {.key = "mass", .unit = "kg", .text = text, .min = 0, .max = most, .min_excluded = true};
}

void describe_generated(SceneVisitor& v, GenerateSettings& s);
void describe_surface(SceneVisitor& v, SurfaceSpec& s);
/// What becomes of the closed components of a mesh file.
void describe_components(SceneVisitor& v, ShapeSpec& s);

void describe(SceneVisitor& v, RotateSpec& s);
void describe(SceneVisitor& v, GroundSpec& s);
void describe(SceneVisitor& v, RigidSpec& s);
void describe(SceneVisitor& v, FixedSpec& s);
void describe(SceneVisitor& v, ScriptedSpec& s);
void describe(SceneVisitor& v, ParticlesSpec& s);
void describe(SceneVisitor& v, RopeSpec& s);
void describe(SceneVisitor& v, ClothSpec& s);
void describe(SceneVisitor& v, JellySpec& s);
void describe(SceneVisitor& v, ShellsSpec& s);
void describe(SceneVisitor& v, TetSpringsSpec& s);
void describe(SceneVisitor& v, ShapeMatchingSpec& s);
void describe(SceneVisitor& v, SoftSpec& s);

}  // namespace plush
