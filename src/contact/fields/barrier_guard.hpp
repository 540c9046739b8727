#pragma once

#include "bodies/integrators/integrator.hpp"
#include "contact/fields/surface_field.hpp"

// Step control for barriers on vertices that pull on each other (cloth, rope): nothing ever crosses.
//
// A step is tried. Each vertex' way, straight in the frame of each obstacle, is followed by conservative
// advancement; it may use up half of its gap (or of the buffer, from farther out). Where all ways are free
// the step stands; else it is tried again in smaller parts. The number of tries is bounded: after
// `max_substeps` of them, or in a part of h/max_substeps, a vertex whose way is not free is held: it stops
// where its way ends and keeps no velocity into the surface. A vertex that moves with an obstacle between
// others may have nowhere to go: an Error.

namespace plush {

/// The largest part of the step from x (obstacles at time t) to x_next (at t + h) after which each vertex is
/// still outside, by the rule above. Per vertex in `fractions` where that is not empty.
double largest_safe_fraction(const SurfaceField& field, std::span<const Vec3> x, std::span<const Vec3> x_next,
                             double t, double h, const Parallel& parallel, std::span<double> fractions = {});

/// Moves vertices that are nearer than the least gap, or inside, out along the normal to 1 % of the buffer.
/// Returns how many; an Error where that does not help within a few tries, or a position is not finite.
Result<std::size_t> push_out(const SurfaceField& field, std::span<Vec3> x,
                             std::span<const std::uint8_t> pinned);

struct GuardReport {
    AdvanceReport step{};  ///< of the last part
    int parts = 0, tries = 0;
    std::size_t pushed_out = 0;  ///< vertices that started inside
    std::size_t held = 0;        ///< vertices that were held, summed over the parts
};

/// A step of h that nothing crosses. The field is one of the system's forces; for laws that are no barriers
/// it is Integrator::advance. Keeps the field's account of impulses. An error leaves the state as it was.
Result<GuardReport> advance_without_crossing(Integrator& integrator, MotionSystem& system, MotionState& state,
                                             double h, const IntegrationSettings& settings,
                                             SurfaceField& field);

}  // namespace plush
