#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plush/scene/scene.hpp"
#include "support/random_scene.hpp"

// Laws of energy over random scenes of all kinds. "No step adds energy beyond what the ledger accounts for": motors, scripts and
// forces may, and the position phase may lift what overlaps; contacts, friction, damping, joints and integrators never do.

namespace plush {
namespace {

using test::SceneJson;
using test::SceneWish;

struct Verdict {
    double gained = 0;       ///< by what may only lose, J, at the worst time
    double unaccounted = 0;  ///< |sum|, J, at the end
    double scale = 0;        ///< of the energies that went about, J
    double magnitude = 0;    ///< sum of absolute entries, J
    std::string problem{};
    bool ok() const { return problem.empty(); }
};

Verdict judge(const SceneJson& json, int steps) {
    Verdict verdict;
    SceneLoad load = Scene::try_parse(json.dump(), ".", "random");
    if (!load.scene) {
        verdict.problem = "the scene is refused: " + std::string(load.errors.front().what());
        return verdict;
    }
    World world = load.scene->build(1);
    const Energy start = world.energy();
    const Vec3 momentum = world.momentum(), gravity = world.settings().gravity;
    EnergyLedger sum;
    double scale = start.kinetic;
    try {
        for (int i = 0; i < steps; ++i) {
            world.step();
            const StepReport& report = world.report();
            sum += report.ledger;
            verdict.magnitude += report.ledger.magnitude();
            scale = std::max(
                {scale, report.energy.kinetic, std::abs(report.energy.potential() - start.potential())});
            const double passive =
                sum.contact + sum.friction + sum.damping + sum.joints + sum.integrator + sum.sleep;
            // Velocities are those of half a step before, as leapfrog has them: by ½ h g·Δp the energy goes up and down.
            const double half_step = 0.5 * world.settings().step * dot(gravity, world.momentum() - momentum);
            verdict.gained =
                std::max(verdict.gained, std::min(passive, passive + half_step));  // BDF2 has no such half
            verdict.unaccounted = std::max(verdict.unaccounted, std::abs(sum.unaccounted));
        }
    } catch (const Error& error) {
        verdict.problem = error.what();
        return verdict;
    }
    verdict.scale = scale;
    if (!(verdict.gained <= 0.01 * scale + 1e-12))
        verdict.problem = fmt::format("gained {:.3g} J where {:.3g} J went about", verdict.gained, scale);
    else if (!(verdict.unaccounted <= 0.01 * std::max(verdict.magnitude, scale) + 1e-12))
        verdict.problem =
            fmt::format("{:.3g} J of {:.3g} J are not accounted for", verdict.unaccounted, verdict.magnitude);
    if (!verdict.ok())
        verdict.problem += fmt::format(
            " (contact {:.3g}, friction {:.3g}, damping {:.3g}, joints {:.3g}, integrator {:.3g}, "
            "push_out {:.3g}, scripts {:.3g}, motors {:.3g}, unaccounted {:.3g})",
            sum.contact, sum.friction, sum.damping, sum.joints, sum.integrator, sum.push_out, sum.scripts,
            sum.motors, sum.unaccounted);
    return verdict;
}

void expect_law(const SceneWish& wish, std::uint64_t first, std::uint64_t count, int steps) {
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const SceneJson scene = test::random_scene(seed, wish);
        const Verdict verdict = judge(scene, steps);
        if (verdict.ok()) continue;
        const SceneJson small =
            test::shrunk(scene, [&](const SceneJson& s) { return !judge(s, steps).ok(); });
        ADD_FAILURE() << "seed " << seed << ": " << verdict.problem
                      << "\nas small: " << judge(small, steps).problem << "\n"
                      << small.dump();
    }
}

TEST(EnergyLaws, RigidBodiesOfAllKindsGainNothing) {
    expect_law({.soft = false, .vertices = false, .joints = false}, 1, 80, 60);
}
TEST(EnergyLaws, JointedBodiesGainWhatMotorsGive) {
    expect_law({.soft = false, .vertices = false}, 1001, 40, 60);
}
TEST(EnergyLaws, SoftBodiesGainNothing) {
    expect_law({.vertices = false, .max_bodies = 3}, 2001, 40, 40);
}
TEST(EnergyLaws, VerticesByForcesGainNothing) {
    expect_law({.soft = false, .max_bodies = 3}, 3001, 40, 40);
}

/// 5,000 scenes of all kinds and as many without vertices by forces, in pieces of 100.
class EnergyLawsFull : public ::testing::TestWithParam<int> {};

TEST_P(EnergyLawsFull, ScenesOfAllKindsGainNothing) {
    expect_law({}, 10'000 + 100 * static_cast<std::uint64_t>(GetParam()), 100, 60);
}
TEST_P(EnergyLawsFull, ScenesWithoutVerticesGainNothing) {
    expect_law({.vertices = false}, 20'000 + 100 * static_cast<std::uint64_t>(GetParam()), 100, 60);
}
INSTANTIATE_TEST_SUITE_P(Pieces, EnergyLawsFull, ::testing::Range(0, 50));

}  // namespace
}  // namespace plush
