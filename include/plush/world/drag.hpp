#pragma once

#include <optional>

#include "plush/core/describe.hpp"

namespace plush {

/// A spring from a point of a body's surface to a target that the user moves: f = k (target − p) + d (target velocity − v),
/// and no longer than the largest force. It is taken implicitly, with the contacts and joints of the step: any stiffness,
/// mass and step are stable.
struct Drag {
    /// k, N/m. Absent: the body's mass follows the target at about two swings a second.
    std::optional<double> stiffness{};
    std::optional<double> damping{};    ///< d, N s/m. Absent: critical for the body's mass
    std::optional<double> max_force{};  ///< N. Absent: twenty times the body's weight
};
PLUSH_API void describe(FieldVisitor& v, Drag& s);

}  // namespace plush
