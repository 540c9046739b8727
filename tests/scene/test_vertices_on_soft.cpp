#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "plush/core/random.hpp"
#include "plush/scene/scene.hpp"
#include "support/random_scene.hpp"

// Cloth, ropes and particles on soft bodies of every kind: laws over random scenes. Contact and friction add no energy, two
// bodies that nothing else touches keep their momentum, vertices end outside, and what has fallen comes to rest.

namespace plush {
namespace {

using test::SceneJson;

constexpr std::array soft_kinds{"elastic ball", "elastic box", "jelly", "shape matching", "shells"};
constexpr std::array thin_kinds{"cloth", "rope", "particles", "cloud"};

struct Wish {
    std::size_t soft = 0, thin = 0;
    bool floats = false;
    double step = 0;  ///< 0: drawn
};

class Maker {
public:
    Maker(std::uint64_t seed, const Wish& wish) : random_(seed), wish_(wish) {}

    SceneJson make() {
        size_ = std::pow(10, random_.uniform(-1, 0));
        const double steps[] = {1.0 / 30, 1.0 / 60, 1.0 / 120, 1.0 / 240};
        SceneJson scene{
            {"plush", 1},
            {"duration", 1},
            {"step", wish_.step > 0 ? wish_.step : steps[static_cast<std::size_t>(random_.uniform(0, 4))]}};
        scene["gravity"] = {0, wish_.floats ? 0.0 : -9.81, 0};
        scene["bodies"] = SceneJson::array();
        if (!wish_.floats) scene["bodies"].push_back({{"ground", SceneJson::object()}, {"name", "ground"}});
        SceneJson soft = soft_body();
        soft["name"] = "soft", soft["at"] = {0, 0.55 * size_, 0};
        scene["bodies"].push_back(soft);
        SceneJson thin = thin_body();
        const double speed = std::sqrt(9.81 * size_);
        thin["name"] = "thin", thin["at"] = {0.1 * size_, 1.25 * size_, 0.05 * size_};
        thin["velocity"] = {0.3 * speed * random_.uniform(-1, 1), -speed * random_.uniform(0.2, 1),
                            0.3 * speed * random_.uniform(-1, 1)};
        if (!says_particles())
            thin["rotate"] = {{"axis", {1, 0.3, 0.2}}, {"degrees", random_.uniform(-30, 30)}};
        scene["bodies"].push_back(thin);
        return scene;
    }
    double size() const { return size_; }

private:
    bool says_particles() const { return wish_.thin >= 2; }
    double mass() { return 500 * size_ * size_ * size_; }

    SceneJson soft_body() {
        const double h = 0.5 * size_, m = mass();
        const SceneJson low{-h, -h, -h}, high{h, h, h};
        switch (wish_.soft) {
            case 0:
            case 1:
                return {{"soft",
                         {{"shape", wish_.soft == 0 ? "icosphere" : "box"},
                          {"triangles", 300},
                          {"size", size_},
                          {"mass", m},
                          {"young", 3e4 * size_ * std::pow(10, random_.uniform(0, 1))},
                          {"nodes", 60}}}};
            case 2:
                return {{"jelly", {{"low", low}, {"high", high}, {"cells", {3, 3, 3}}, {"mass", m}}}};
            case 3:
                return {{"shape_matching",
                         {{"shape", "icosphere"}, {"size", size_}, {"triangles", 80}, {"mass", m}}}};
            default:
                return {
                    {"shells", {{"shape", "icosphere"}, {"size", size_}, {"triangles", 80}, {"mass", m}}}};
        }
    }
    SceneJson thin_body() {
        const double h = 0.5 * size_, m = mass() * std::pow(10, random_.uniform(-2, -0.5)), r = 0.03 * size_;
        switch (wish_.thin) {
            case 0:
                return {{"cloth",
                         {{"corner", {-h, 0, -h}},
                          {"side_x", {size_, 0, 0}},
                          {"side_y", {0, 0, size_}},
                          {"vertices_x", 9},
                          {"vertices_y", 9},
                          {"mass", m}}}};
            case 1:
                return {{"rope",
                         {{"from", {-h, 0, 0}},
                          {"to", {h, 0, 0}},
                          {"segments", 14},
                          {"radius", r},
                          {"mass", m}}}};
            default: {
                SceneJson particles{{"fill", {{"count", 20}, {"low", {-h, 0, -h}}, {"high", {h, h, h}}}},
                                    {"mass", m / 20},
                                    {"radius", r}};
                if (wish_.thin == 3) particles["surface"] = SceneJson::object();
                return {{"particles", particles}};
            }
        }
    }

    Random random_;
    Wish wish_;
    double size_ = 1;
};

std::string name_of(const Wish& wish, std::uint64_t seed, const SceneJson& scene) {
    return fmt::format("{} on {}, seed {}\n{}", thin_kinds[wish.thin], soft_kinds[wish.soft], seed,
                       scene.dump());
}

/// Runs it and says what breaks a law.
void expect_laws(const Wish& wish, std::uint64_t seed, double time) {
    Maker maker(seed, wish);
    const SceneJson json = maker.make();
    const std::string what = name_of(wish, seed, json);
    SceneLoad load = Scene::try_parse(json.dump(), ".", "random");
    ASSERT_TRUE(load.scene) << load.errors.front().what() << what;
    World world = load.scene->build(1);
    const BodyId soft = world.find("soft"), thin = world.find("thin");
    EnergyLedger sum;
    const Energy start = world.energy();
    const Vec3 momentum = world.momentum();
    double scale = start.kinetic, depth = 0, impulse = 0, moment = 0;
    bool touched = false;
    for (int i = 0; world.time() < time; ++i) {
        world.step();
        const StepReport& report = world.report();
        sum += report.ledger;
        scale =
            std::max({scale, report.energy.kinetic, std::abs(report.energy.potential() - start.potential())});
        for (const Contact& c : world.contacts())
            touched = touched || (c.a == thin && c.b == soft) || (c.a == soft && c.b == thin);
        if (wish.floats) depth = std::max(depth, report.largest_depth);
        if (wish.floats)
            impulse = std::max(impulse, report.momentum.net_impulse),
            moment = std::max(moment, report.momentum.net_moment);
        const double passive = sum.contact + sum.friction + sum.damping + sum.integrator;
        const double half_step =
            0.5 * world.settings().step * dot(world.settings().gravity, world.momentum() - momentum);
        ASSERT_LE(std::min(passive, passive + half_step), 0.01 * scale)
            << "step " << i << ": contact " << sum.contact << ", friction " << sum.friction << ", integrator "
            << sum.integrator << " J; " << what;
    }
    EXPECT_TRUE(touched) << what;
    if (!wish.floats) return;
    const double all = norm(momentum) + world.mass(thin) * std::sqrt(9.81);
    EXPECT_LE(norm(world.momentum() - momentum), 1e-9 * all) << what;
    EXPECT_LE(impulse, 1e-10 * all) << what;
    EXPECT_LE(moment, 1e-10 * all) << what;
    // A vertex that is struck is stopped at once, and its neighbours, which a linear step does not see, pull it in for some steps.
    const double thickness = wish.thin == 0 ? 1e-3 : 0.03 * maker.size();  // its buffer, or its radius
    const double way = world.settings().step * std::sqrt(2 * 9.81 * maker.size());
    EXPECT_LE(world.report().largest_depth, thickness) << what;
    EXPECT_LE(depth, thickness + 0.5 * way) << what;
}

void sweep(bool floats, std::uint64_t first, std::uint64_t count, double time) {
    for (std::size_t soft = 0; soft < soft_kinds.size(); ++soft)
        for (std::size_t thin = 0; thin < thin_kinds.size(); ++thin)
            for (std::uint64_t seed = first; seed < first + count; ++seed)
                expect_laws({.soft = soft, .thin = thin, .floats = floats}, seed, time);
}

TEST(VerticesOnSoftBodies, AddNoEnergyAndKeepMomentum) {
    sweep(true, 1, 2, 0.5);
}
TEST(VerticesOnSoftBodies, AddNoEnergyOnWhatLiesOnTheGround) {
    sweep(false, 101, 2, 0.5);
}
TEST(VerticesOnSoftBodiesFull, AddNoEnergyAndKeepMomentum) {
    sweep(true, 1, 25, 1);
    sweep(false, 101, 25, 1);
}

}  // namespace
}  // namespace plush
