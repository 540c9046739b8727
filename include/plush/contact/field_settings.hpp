#pragma once

#include <span>

#include "plush/core/describe.hpp"

namespace plush {

/// What holds a vertex off a surface. d is its gap: the surface's distance less the vertex' radius, m.
enum class SurfaceLaw {
    quadratic,    ///< a spring from the surface on: rests at a depth
    buffered,     ///< a spring from a distance on: rests outside (the default)
    log_barrier,  ///< ρ/d, less its value at the buffer; never crossed
    barrier,      ///< smoothly clamped: two derivatives vanish at the buffer; never crossed
    impulse,      ///< no force: put on the surface after a step, with a new velocity
};
PLUSH_API std::span<const Choice> surface_law_choices();

/// Contact of vertices with surfaces by forces. How rough and how bouncy a pair is comes from its materials.
struct SurfaceSettings {
    SurfaceLaw law = SurfaceLaw::buffered;
    // 0: by the body's size and mass, and gravity (docs/methods.md, "Any size"). Things of 5 cm to 2 m and 1 g to 100 kg under
    // 9.81 m/s² have 1e4 N/m, 1 mm and 1 mm/s.
    double stiffness = 0;     ///< k, N/m
    double buffer = 0;        ///< ε, where forces begin, m; nothing to `quadratic` and `impulse`
    double stick_speed = 0;   ///< friction is full from this sliding speed on, m/s; below, things creep
    double dissipation = 0;   ///< normal force grows by this much of itself a m/s of approach, s/m
    int max_substeps = 1000;  ///< of a barrier in a step; then what is near the surface is held for its rest

    bool operator==(const SurfaceSettings&) const = default;
};
PLUSH_API void describe(FieldVisitor& v, SurfaceSettings& s);

}  // namespace plush
