#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plush/bodies/deformable.hpp"
#include "plush/bodies/settings.hpp"
#include "plush/contact/settings.hpp"
#include "plush/core/describe.hpp"
#include "plush/core/log.hpp"

namespace plush {

/// When bodies at rest stop being computed.
struct SleepSettings {
    bool enabled = true;
    /// Every point of the body slower than this, m/s; default: by its size and gravity (0.01 m/s for things of 5 cm to 2 m
    /// under 9.81 m/s²).
    std::optional<double> speed{};
    double after = 0.5;  ///< for this long, s
};
PLUSH_API void describe(FieldVisitor& v, SleepSettings& s);

/// What becomes of a body whose speed or deformation is absurd beside its size and the step (docs/reliability.md).
enum class AbsurdMotion {
    stop,    ///< step() throws an Error that names it, and the last good state is kept
    freeze,  ///< the body stays where it was for good, and the rest goes on
};

/// What holds for a whole world.
struct WorldSettings {
    Vec3 gravity{0, -9.81, 0};  ///< m/s²
    double step = 1.0 / 60;     ///< h, s
    int threads = 0;            ///< 0: as many as the machine has. The results do not depend on it
    RotationMethod rotation = RotationMethod::momentum;
    ContactSettings contact{};
    SolverSettings solver{};
    SleepSettings sleep{};
    AbsurdMotion absurd_motion = AbsurdMotion::stop;
    /// Whether every step keeps its ledger of energy (StepReport::ledger). The motion does not depend on it.
    bool ledger = true;
};
/// All but `threads`, which is no part of a scene.
PLUSH_API void describe(FieldVisitor& v, WorldSettings& s);

}  // namespace plush
