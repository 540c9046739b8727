#pragma once

#include "contact/points/point_contact.hpp"

namespace plush {

/// The response of the lecture slides, for teaching: the colliding points of a pair are averaged to one, and
/// one impulse there gives it its new velocity. Returns the impulse on a (world, N s) and where it acted.
struct AveragedImpulse {
    Vec3 point{}, normal{}, impulse{};
    double depth = 0;
    bool sticking = false;
};
std::optional<AveragedImpulse> apply_averaged_impulse(const PairSides& pair, std::span<const PointHit> hits,
                                                      const PairLaw& law, std::span<const Node> nodes,
                                                      std::span<Twist> velocity);

}  // namespace plush
