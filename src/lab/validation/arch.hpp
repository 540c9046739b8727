#pragma once

#include "plush/world/world.hpp"

namespace plush::lab {

/// An arch of 25 stones on the ground, of mean radius 1 m.
struct Arch {
    double thickness = 0.15;  ///< m
    double friction = 0.4;
    double cell = 0;  ///< of volume contact, m; 0: by default
};

/// How far its keystone sinks in 4 s, m; no more than 0.2, where it has fallen.
double keystone_drop(const Arch& arch, ContactMethod method);

}  // namespace plush::lab
