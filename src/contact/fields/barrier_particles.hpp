#pragma once

#include "contact/fields/obstacle.hpp"
#include "contact/fields/surface_law.hpp"
#include "core/parallel.hpp"
#include "plush/core/error.hpp"

// Free particles before barriers. They do not know of one another, so each takes substeps of its own:
// velocity Verlet (kick, drift, kick), with a length τ such that
//
//     the drift uses up at most a quarter of any gap   (conservative advancement, obstacle.hpp)
//     τ ≤ ¼ √(m/E'')   before and after the drift      (a barrier stiffens fast: what was entered counts)
//
// In a kick each surface gives p = ½ τ f(d) (1 − c n·u'), u' the velocity after it, and then Coulomb's
// friction, at most μ p and at most what stops the sliding: particles really stick.
//
// Nothing can make it loop or cross. There are at most `max_substeps` of them; then the particle is held for
// the rest of the step: it stays where it is on the surface it is nearest to, without velocity into any that
// is within reach. A particle at the least gap that still comes nearer loses that velocity at once.

namespace plush {

struct FreeParticles {
    std::span<Vec3> x, v;            ///< m, m/s
    double mass = 0;                 ///< of each, kg, above 0
    double radius = 0;               ///< m
    double drag = 0;                 ///< kg/s
    Vec3 gravity{};                  ///< m/s²
    std::span<const Vec3> forces{};  ///< on each, N; empty: none
};

struct ParticleReport {
    std::size_t substeps = 0;    ///< of all particles
    std::size_t stopped = 0;     ///< came to the least gap: the barrier is too weak for their speed
    std::size_t held = 0;        ///< ran out of substeps
    std::size_t pushed_out = 0;  ///< started inside, and were put outside along the normal
    std::size_t squeezed = 0;    ///< between obstacles that close on them: the only ones that may be inside
};

/// One step of h. `impulses` gets what each obstacle received, N s and N m s about the origin of its motion.
/// The law must be a barrier. Error: a position or velocity that is not finite; nothing is changed then.
Result<ParticleReport> step_before_barriers(const FreeParticles& particles,
                                            std::span<const Obstacle> obstacles, double h,
                                            const SurfaceSettings& settings, std::span<Twist> impulses,
                                            const Parallel& parallel);

}  // namespace plush
