#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body.hpp"

// Contact of bodies of one cluster each, which have a place and a turn, with one another and with fixed and
// scripted ones. A vertex alone has a hundredth
// of a body's mass: put outside of the other body it is drawn back by all the others, and a pile of such
// bodies sinks into itself. So the two touch as the rigid bodies that they nearly are: sequential impulses
// (Catto, Iterative dynamics with temporal coherence, 2005) at the vertices that are inside, for velocities
// and, apart from those, for places. What a body gets it passes on to its vertices as the motion V + ω × r,
// so both momenta of the two are kept.
//
// Friction then holds the body and not its vertices: what shape matching is known to destroy is left alone.

namespace plush {

/// A body, at the end of a step.
struct MatchedProxy {
    Vec3 centre{};
    Twist velocity{};  ///< with the change that contact makes of it
    Twist shift{};     ///< what contact moves it by, m and rad
    double inverse_mass = 0;
    Mat3 inverse_inertia{};
};

/// A vertex of body a inside of body b.
struct MatchedContact {
    std::uint32_t a = 0, b = 0;
    Vec3 point{}, normal{};  ///< world; out of b
    double depth = 0;        ///< m
    double friction = 0;
    double restitution = 0, resting_speed = 0;  ///< no bounce below that, m/s
    double rebound = 0;                         ///< the speed to leave with, m/s: of part_matched_bodies()
    double impulse = 0, push = 0;               ///< along the normal: N s, and kg m of the shift
    Vec3 rub{};                                 ///< across it, N s
};

/// After a step of h: changes velocities and sets shifts. Contacts are visited in their order, `sweeps`
/// times; an overlap of `slack` (m) is left, for bodies at rest to stay in touch.
void part_matched_bodies(std::span<MatchedProxy> bodies, std::span<MatchedContact> contacts, double h,
                         int sweeps, double slack);

}  // namespace plush
