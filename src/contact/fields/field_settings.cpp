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
             .text = "of the springs; the scale of the barriers; 0: 1e4 N/m · (g/9.81 m/s²)³, but from 1e2 "
                     "to 1e7 1/s² of the "
                     "body's mass (of a particle's), and 1e4 1/s² of it without gravity",
             .min = 0},
            s.stiffness);
    v.field({.key = "buffer",
             .unit = "m",
             .text = "where forces begin; 0: 1e-3 m · g/9.81 m/s², but from 5e-4 to 2e-2 of the body's size, "
                     "and 5e-3 of it "
                     "without gravity",
             .min = 0,
             .max = 10},
            s.buffer);
    v.field({.key = "stick_speed",
             .unit = "m/s",
             .text = "friction is full from this sliding speed on; below it things creep; 0: as buffer, in "
                     "m/s and sizes a second",
             .min = 0},
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
