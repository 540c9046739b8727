#include "plush/contact/field_settings.hpp"

#include <array>

namespace plush {
namespace {

constexpr std::array laws{
    Choice{"quadratic", static_cast<int>(SurfaceLaw::quadratic), "a spring from the surface on"},
    Choice{"buffered", static_cast<int>(SurfaceLaw::buffered), "a spring from the buffer's edge on"},
    Choice{"log_barrier", static_cast<int>(SurfaceLaw::log_barrier), "one over the gap: never crossed"},
    Choice{"barrier", static_cast<int>(SurfaceLaw::barrier), "smoothly clamped logarithm: never crossed"},
    Choice{"impulse", static_cast<int>(SurfaceLaw::impulse),
           "no force: put back on the surface after a step, with a new velocity"},
};

}  // namespace

std::span<const Choice> surface_law_choices() {
    return laws;
}

void describe(FieldVisitor& v, SurfaceSettings& s) {
    v.choice({.key = "law", .text = "what holds a vertex off a surface"}, s.law, laws);
    v.field({.key = "stiffness",
             .unit = "N/m",
             .text = "of the springs; the scale of the barriers",
             .min = 0,
             .min_excluded = true},
            s.stiffness);
    // Below a micrometre the least gap of a barrier, 1e-6 of it, would drown in the rounding of positions.
    v.field({.key = "buffer", .unit = "m", .text = "where forces begin", .min = 1e-6, .max = 10}, s.buffer);
    v.field({.key = "stick_speed",
             .unit = "m/s",
             .text = "friction is full from this sliding speed on; below it things creep",
             .min = 0,
             .min_excluded = true},
            s.stick_speed);
    v.field({.key = "dissipation",
             .unit = "s/m",
             .text = "the normal force grows by this much of itself a m/s of approach",
             .min = 0},
            s.dissipation);
    v.field({.key = "max_substeps",
             .text = "of a barrier in a step; then what is near the surface is held for its rest",
             .min = 1,
             .max = 1e6},
            s.max_substeps);
}

}  // namespace plush
