#pragma once

#include "plush/world/world.hpp"

// What a run of a world would meet that its scene file does not show: who touches whom and how, what is too fast, too stiff
// or too coarse for the step.

namespace plush {

/// How the bodies of two names touch; copies count as one name.
struct PairAdvice {
    std::string a{}, b{};
    long long pairs = 0;
    std::string how{};     ///< "volume", "points", "vertices by forces", "nothing", …
    bool touch = true;     ///< false: they pass through each other, though nobody said so
    bool sampled = false;  ///< one pair stands for all
};
/// Of every two names whose bodies may collide and of which one can move, in the order of the bodies.
std::vector<PairAdvice> pair_advice(const World& world);

/// Warnings, each with its fix.
std::vector<Error> run_advice(const World& world);

}  // namespace plush
