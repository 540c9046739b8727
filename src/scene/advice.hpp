#pragma once

#include "plush/scene/scene.hpp"

// What a run of a scene would meet that its file does not show: who touches whom and how, what is too fast, too small, too
// stiff or too coarse for the step and the pixel.

namespace plush {

/// How the bodies of two names touch; copies count as one name.
struct PairAdvice {
    std::string a{}, b{};  ///< b: "itself" of a deformable body
    long long pairs = 0;
    std::string how{};     ///< "volume", "points", "vertices by forces", "cuts", "nothing", …
    bool touch = true;     ///< false: they pass through each other, though nobody said so
    bool sampled = false;  ///< one pair stands for all
};
/// Of every two names whose bodies may collide and of which one can move, in the order of the bodies.
std::vector<PairAdvice> pair_advice(const World& world);

/// Warnings, each with its fix. `places`: of the world's bodies in their scene, in their order; may be empty.
std::vector<Error> run_advice(const World& world, const std::vector<std::string>& places = {});

/// Where the bodies of Scene::build() stand in the file, "line 12, $.bodies[3]", in their order.
std::vector<std::string> body_places(const Scene& scene);

}  // namespace plush
