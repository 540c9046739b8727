#pragma once

#include "geometry/cutting/cut_checks.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

// Worlds in which soft bodies are cut, for the tests of it.

namespace plush::cut_worlds {

inline WorldSettings settings(int threads = 1) {
    WorldSettings s;
    s.step = 0.01;
    s.threads = threads;
    s.contact.method = ContactMethod::volume;
    return s;
}

inline WorldSettings weightless() {
    WorldSettings s = settings();
    s.gravity = {};
    return s;
}

inline void run(World& world, int steps) {
    for (int k = 0; k < steps; ++k) world.step();
}

}  // namespace plush::cut_worlds
