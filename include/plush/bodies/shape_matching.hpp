#pragma once

#include "plush/core/describe.hpp"

// Shape matching: clusters of vertices that remember their shape. The same names stand in scene files.

namespace plush {

/// What a cluster may become without being pulled back.
enum class MatchMode {
    rigid,      ///< its rest shape, moved and turned
    linear,     ///< stretched and sheared too
    quadratic,  ///< bent and twisted too
};
PLUSH_API std::span<const Choice> match_mode_choices();

/// How vertices are drawn to their goals.
enum class MatchRule {
    project,  ///< goals of where the step would end: damped, at rest after two steps of stiffness 1
    kick,     ///< goals of where the step begins, as in the paper: keeps swinging, for teaching
};
PLUSH_API std::span<const Choice> match_rule_choices();

/// Which rotation is taken for the best.
enum class MatchFit {
    torque_free,  ///< that of the least squares: no torque is left
    deformation,  ///< that of the deformation gradient, as in the lecture: turns the body a little
};
PLUSH_API std::span<const Choice> match_fit_choices();

/// How a cluster keeps its shape.
struct MatchSettings {
    MatchMode mode = MatchMode::rigid;
    double stiffness = 1;     ///< α: the part of the way to the goals that is gone in a step, 0 to 1
    double softness = 0.5;    ///< β of linear and quadratic: 0 is rigid, 1 only keeps what keep_volume says
    bool keep_volume = true;  ///< linear and quadratic: goals have the volume of the rest shape
    MatchRule rule = MatchRule::project;
    MatchFit fit = MatchFit::torque_free;
    /// Plastic flow: where the stretch S departs from 1 by more than `yield` (the root of the sum of the
    /// squares of S − 1) the rest shape follows it with the rate `creep` (1/s; 0: never), until it departs
    /// from the first one by `max_flow`.
    double yield = 0.1, creep = 0, max_flow = 0.5;
};
PLUSH_API void describe(FieldVisitor& v, MatchSettings& s);

/// How a mesh is cut into clusters.
struct ClusterSettings {
    double size = 0;       ///< diameter of a cluster, m; 0: the whole body is one
    double overlap = 0.5;  ///< 0 to 0.9: centres are at least (1 − overlap) size/2 apart
};
PLUSH_API void describe(FieldVisitor& v, ClusterSettings& s);

}  // namespace plush
