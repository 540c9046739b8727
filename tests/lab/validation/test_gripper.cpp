#include "lab/validation/gripper.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "plush/geometry/generate.hpp"

// Bodies between two fingers: held above the force that Coulomb's law asks for, slipping below it. `plush validate gripper`
// has the two forces next to it; here are all the others.

namespace plush::lab {
namespace {

using What = Grip::What;

constexpr double gone = 0.25, stays = 0.02;  // by the body's width
/// What is soft and pressed by more than a third slides in part: a cube that is squeezed by 0.35 sinks by 0.074 at 1.1 times
/// the force, and slows down to 0.4 mm/s. A rabbit between two balls: by 0.036.
constexpr double sinks = 0.1;

void expect_coulomb(const Grip& g, const std::string& name, double holds_above, double slips_below) {
    const Held held = grip(g);
    const std::string what = name + (g.soft ? ", soft" : ", rigid") + ", " + std::to_string(g.force) +
                             " times the force, friction " + std::to_string(g.friction) + ", squeezed by " +
                             std::to_string(g.squeeze) + ", a = " + std::to_string(g.acceleration) +
                             ": drops by " + std::to_string(held.drop) + " of its width, " +
                             std::to_string(1e3 * held.speed) + " mm/s in the end";
    if (std::getenv("PLUSH_SHOW")) std::cout << what << std::endl;
    if (g.force > holds_above) {
        EXPECT_LT(held.drop, g.squeeze > 0.3 || g.what == What::mesh ? sinks : stays) << what;
    }
    if (g.force < slips_below) {
        EXPECT_GT(held.drop, gone) << what;
    }
}

/// The body, whether it is soft, and how much it is squeezed.
struct GrippedBody {
    What what;
    bool soft;
    double squeeze;
};

class GripperFull : public testing::TestWithParam<GrippedBody> {};

TEST_P(GripperFull, HoldsAndSlipsAsCoulombsLawSays) {
    const auto [what, soft, squeeze] = GetParam();
    const std::string name = what == What::ball ? "ball" : "box";
    for (const double force : {0.3, 0.6, 0.9, 1.1, 1.5, 3.0, 7.0, 20.0})
        expect_coulomb({.what = what, .soft = soft, .force = force, .squeeze = squeeze}, name, 1.05, 0.95);
    // The same force and more friction: what held goes on to hold.
    for (const double part : {0.5, 0.9, 1.1, 2.0})
        expect_coulomb(
            {.what = what, .soft = soft, .force = part, .friction = 0.5 * part, .squeeze = squeeze}, name,
            1.05, 0.95);
    for (const double force : {0.9, 1.1})
        expect_coulomb({.what = what, .soft = soft, .force = force, .squeeze = squeeze, .acceleration = 10},
                       name, 1.05, 0.95);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, GripperFull,
    testing::Values(GrippedBody{What::ball, false, 0.2}, GrippedBody{What::box, false, 0.2},
                    GrippedBody{What::ball, true, 0.05}, GrippedBody{What::ball, true, 0.2},
                    GrippedBody{What::ball, true, 0.35}, GrippedBody{What::box, true, 0.05},
                    GrippedBody{What::box, true, 0.2}, GrippedBody{What::box, true, 0.35}));

/// Balls as fingers roll off what bulges towards them: of a bear they slip at twice the force, rigid and soft.
class GrippedMeshesFull : public testing::TestWithParam<std::string> {};

TEST_P(GrippedMeshesFull, AreHeldThroughTheirCentreOfMass) {
    const Mesh shape = generate({.shape = GetParam(), .triangles = 2000, .size = 0.1}).value();
    int gripped = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const Mesh mesh = turned_to_grip(shape, 0.7, seed);
        if (mesh.empty()) continue;
        ++gripped;
        for (const bool soft : {false, true})
            for (const double force : {0.5, 2.0})
                expect_coulomb({.what = What::mesh,
                                .soft = soft,
                                .force = force,
                                .friction = 0.7,
                                .squeeze = 0.05,
                                .mesh = mesh},
                               GetParam() + " " + std::to_string(seed), 1.9, 0.6);
    }
    EXPECT_GT(gripped, 0);
}

INSTANTIATE_TEST_SUITE_P(Shapes, GrippedMeshesFull, testing::Values("bunny"),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace plush::lab
