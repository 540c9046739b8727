#pragma once

#include "plush/math/rotation.hpp"

namespace plush {

struct WarmRotation {
    Quat rotation{};
    int steps = 0;           ///< Newton iterations that were made
    bool restarted = false;  ///< the start was of no use, and polar() answered
};

/// The rotation nearest to `a`, found from that of the last time step (any quaternion but zero). Two turns
/// where it has moved by less than a degree, three up to twenty. Right to about 1e-15/gap in what follows a
/// body, and always to 1e-9.
///
/// It is nearest always, never only a stationary point: a start at or near a half turn off, from where the
/// plain iteration would crawl or stay, is recognised and answered by polar(). Where several are nearest
/// (rank 1, zero, some reflections; see polar.hpp) the one nearest to `last` is taken: bodies that are
/// crushed do not flicker. What is not finite gives `last`.
[[nodiscard]] WarmRotation warm_rotation(const Mat3& a, const Quat& last);

}  // namespace plush
