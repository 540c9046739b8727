#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <vector>

#include "world/joint_graphs.hpp"

// Random graphs of redundant, contradictory, limited and driven joints: joints give no energy and hold together.
//
// Energy: from its lowest value on it gains no more than what motors give (the ledger's entry), but for the account of the
// joints, 1 % of the kinetic energy of the bodies for each of up to eight (tuning::joint_gain). Where joints contradict each other
// and the ground, what the position phase gives (push_out) counts as given, too.
//
// Gaps: joints that were closed once stay closed, at any step; those of graphs without limits are closed from the start. Limits
// may contradict other joints, and then no pose closes all of them. Such graphs are told by the projection itself: it ends every
// step at a minimum of the squares of all gaps, and that minimum is not 0. Contacts are pushed apart by solves of their own, so
// this is asked of steps without contact.

namespace plush {
namespace {

using test::JointGraph;

void expect_laws(std::uint64_t seed, double step, const JointGraph::Parts& parts) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed << ", step 1/" << std::round(1 / step) << ", motors "
                                      << parts.motors << ", limits " << parts.limits << ", gravity "
                                      << parts.gravity << ", ground " << parts.ground);
    JointGraph graph = test::random_joint_graph(seed, step, parts);
    const test::JointLaws laws = test::run_joint_graph(graph, 2);  // throws where a state is not finite
    if (std::getenv("PLUSH_SHOW"))
        std::printf(
            "GRAPH %d%d%d%d 1/%.0f %d growth %.4g opening %.3g gap %.3g residual %.3g unconverged %d closed "
            "%d\n",
            parts.motors, parts.limits, parts.gravity, parts.ground, 1 / step, static_cast<int>(seed),
            laws.growth / laws.scale, laws.opening, laws.gap, laws.residual, laws.unconverged, laws.closed);
    // Closed: at most 0.017 (seed 133, motors and ground, 1/30 s). Of those that contradict themselves 23 and 134, with motors on
    // ground at 1/60 s, are lifted by contacts by 0.059 and 0.161 of it, which the ledger has as push_out; beyond it 5e-9 and 0.
    const double growth = laws.closed ? laws.growth : laws.growth_beyond_push_out;
    EXPECT_LT(growth, 0.05 * laws.scale);
    EXPECT_LE(laws.opening, test::closed_gap);
    EXPECT_EQ(laws.unconverged, 0);
    EXPECT_TRUE(laws.closed || parts.limits);
}

void expect_laws_of_all(std::span<const std::uint64_t> seeds) {
    const std::vector<JointGraph::Parts> all{{.limits = false, .gravity = false},
                                             {.limits = false},
                                             {.gravity = false},
                                             {},
                                             {.ground = true},
                                             {.motors = true, .gravity = false},
                                             {.motors = true, .ground = true}};
    for (const JointGraph::Parts& parts : all)
        for (const std::uint64_t seed : seeds)
            for (const double rate : {30.0, 60.0, 240.0}) expect_laws(seed, 1 / rate, parts);
}

// Joints of 116 and 133 opened by up to 6 cm at 1/30 s; those of 114 and 189 contradict each other.
TEST(JointLaws, RandomGraphsGainNoEnergyAndHold) {
    const std::vector<std::uint64_t> seeds{31, 114, 116, 133, 189};
    expect_laws_of_all(seeds);
}

/// 200 seeds in pieces of 10.
class JointLawsFull : public ::testing::TestWithParam<int> {};

TEST_P(JointLawsFull, ManyRandomGraphsGainNoEnergyAndHold) {
    std::vector<std::uint64_t> seeds(10);
    std::iota(seeds.begin(), seeds.end(), 10 * static_cast<std::uint64_t>(GetParam()));
    expect_laws_of_all(seeds);
}
INSTANTIATE_TEST_SUITE_P(Pieces, JointLawsFull, ::testing::Range(0, 20));

/// A fixed joint and a slider with limits on one pair, thrown onto the ground at h = 1/30.
void expect_pair_keeps_its_energy(double spin) {
    SCOPED_TRACE(spin);
    WorldSettings settings;
    settings.step = 1.0 / 30;
    settings.sleep.enabled = false;
    World world(settings);
    world.add(Fixed{.shape = Shape::half_space()});
    const auto turn = [](const Vec3& axis, double angle) { return exp_rotation(angle * normalised(axis)); };
    const BodyId a = world.add(Rigid{.shape = Shape::box({0.1, 0.2, 0.15}), .density = 1400},
                               {.position = {0, 1.5, 0},
                                .rotation = turn({1, 2, 3}, 0.75),
                                .velocity = {-2, 2, 1.5},
                                .angular_velocity = spin * Vec3{3, 1, 2}});
    const BodyId b = world.add(Rigid{.shape = Shape::box({0.15, 0.05, 0.15}), .density = 50},
                               {.position = {0.25, 0.9, 0.1}, .rotation = turn({3, 1, -1}, 1.22)});
    const Vec3 anchor{0.12, 1.2, 0.05};
    const JointId fixed = world.add(FixedJoint{.anchor = anchor}, a, b);
    world.add(SliderJoint{.anchor = anchor, .axis = {0.4, 0.65, 1}, .limits = {.low = -0.2, .high = 0.2}}, b,
              a);
    const double start = world.energy().total();
    for (int i = 0; i < 150; ++i) {
        world.step();
        ASSERT_LE(world.energy().total(), start) << "step " << i;
        ASSERT_LT(world.joint_gap(fixed), 1e-3) << "step " << i;
    }
}

// 675 J became up to 47 MJ: conjugate gradients wandered off on what contradicting rows ask for.
TEST(JointLaws, AFixedJointAndASliderOnOnePairKeepTheirEnergy) {
    for (const double spin : {0.0, 0.5, 0.8, 1.0, 1.1, 1.5, 2.0, 3.0, 4.0, 5.0})
        expect_pair_keeps_its_energy(spin);
}

}  // namespace
}  // namespace plush
