#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "cut_worlds.hpp"

// Blades that are steered while they are in soft bodies.

namespace plush {
namespace {

using namespace cut_worlds;
using test::open_edges;

constexpr double half = 0.1;  ///< of the block's side, m
constexpr int cells = 8;
constexpr double tet_edge = 1.4 * 2 * half / cells;
const Vec3 axis{-half, 0, -half};
constexpr double radius = 0.12;

Soft block(bool skinned) {
    Soft soft;
    soft.solid =
        skinned ? SoftSolid::fill(generate({.shape = "box", .triangles = 3000, .size = 2 * half}).value(),
                                  {.cells_across = cells})
                : SoftSolid(tet_box({half, half, half}, {cells, cells, cells}).value());
    soft.elastic = {.young = 5e4, .poisson = 0.3, .density = 800, .stiffness_damping = 0.01};
    soft.name = "block";
    return soft;
}

/// Down into the block, and along a quarter circle about an upright axis, while it turns. The block's centre
/// is at this place.
Scripted scalpel(const Vec3& centre, const Vec3& velocity) {
    Scripted s;
    s.shape = Shape::box({0.025, 0.1, 0.001});
    s.blade = Blade{.from = {-0.025, -0.1, 0}, .to = {0.025, -0.1, 0}, .back = {0, 0.2, 0}};
    s.name = "scalpel";
    const auto key = [&](double time, double degrees, double bottom) {
        const double a = degrees * std::numbers::pi / 180;
        const Vec3 on_circle = axis + radius * Vec3{std::cos(a), 0, std::sin(a)};
        s.keyframes.push_back({time, centre + time * velocity + on_circle + Vec3{0, bottom + 0.1, 0},
                               from_axis_angle({0, 1, 0}, -degrees - 90)});
    };
    key(0, 10, 0.11), key(0.1, 10, 0.05);
    for (int k = 1; k <= 14; ++k) key(0.1 + 0.025 * k, 10 + 5 * k, 0.05);
    return s;
}

/// Vertices that the cut has made inside of a block that has not been bent: how far off the circle.
double off_circle(const World& world, BodyId body, double& first, double& last) {
    double off = 0;
    first = 360, last = 0;
    const Vec3 centre = world.centre(body);
    for (const Vec3& x : world.drawn_positions(body)) {
        const Vec3 p = x - centre;
        if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > 0.98 * half) continue;
        const Vec3 d = p - axis;
        const double angle = std::atan2(d.z, d.x) * 180 / std::numbers::pi;
        off = std::max(off, std::abs(std::hypot(d.x, d.z) - radius));
        first = std::min(first, angle), last = std::max(last, angle);
    }
    return off;
}

// The block flies, and the scalpel with it: what it cuts is a matter of what it does in the material.
TEST(CuttingTurning, AScalpelIsSteeredAlongAQuarterCircle) {
    for (const bool skinned : {true, false}) {
        World world(weightless());
        const Vec3 velocity{0.5, -0.3, 0.2};
        const BodyId body = world.add(block(skinned), {.velocity = velocity});
        world.add(scalpel({}, velocity));
        const double mass = world.mass(body);
        const double volume = volume_now(world, body);
        const Vec3 momentum = world.momentum();
        for (int k = 0; k < 48; ++k) {
            world.step();
            EXPECT_NEAR(world.mass(body), mass, 1e-12 * mass);
            EXPECT_LT(norm(world.momentum() - momentum), 1e-9 * norm(momentum));
            EXPECT_NEAR(volume_now(world, body), volume, 1e-9 * volume);
            if (skinned) {
                EXPECT_EQ(open_edges(world.drawn_surface(body)), 0);
            }
            EXPECT_EQ(test::unpaired_edges(world.drawn_surface(body)), 0);
        }
        EXPECT_GT(world.cuts(body), 10u);
        EXPECT_EQ(world.pieces(body), 1u);
        double first = 0, last = 0;
        EXPECT_LT(off_circle(world, body, first, last), 0.5 * tet_edge) << skinned;
        EXPECT_LT(first, 10);
        EXPECT_GT(last, 80);
    }
}

// From every third step of a turn: where the blade was, and where it goes, is state.
TEST(CuttingTurning, SnapshotsOfTheMiddleOfATurn) {
    for (const bool skinned : {true, false}) {
        const auto build = [&](int threads) {
            auto world = std::make_unique<World>(settings(threads));
            world->add_ground();
            world->add(block(skinned), {.position = {0, half, 0}});
            world->add(scalpel({0, half, 0}, {}));
            return world;
        };
        const auto world = build(1);
        steps(*world, 12);
        const BodyId body = world->find("block");
        ASSERT_GT(world->cuts(body), 0u);
        const std::uint64_t cuts = world->cuts(body);
        const std::array others{build(1), build(2), build(4)};
        for (std::size_t k = 0; k < 9; ++k) {
            World& other = *others[k % 3];
            other.restore(world->snapshot());
            EXPECT_EQ(other.state_hash(), world->state_hash());
            for (int step = 0; step < 3; ++step) {
                world->step(), other.step();
                EXPECT_EQ(other.state_hash(), world->state_hash()) << skinned << " " << k << " " << step;
            }
        }
        EXPECT_GT(world->cuts(body), cuts + 5);
    }
}

// The blade behind the edge of a knife that rolls on its way through bare tets: whether it was beside them is
// state.
TEST(CuttingTurning, SnapshotsOfAKnifeThatRolls) {
    const auto build = [] {
        auto world = std::make_unique<World>(weightless());
        world->add(block(false));
        Scripted knife;
        knife.shape = Shape::box({0.001, 0.2, 0.2});
        knife.blade = Blade{.from = {0, -0.2, -0.2}, .to = {0, -0.2, 0.2}, .back = {0, 0.4, 0}};
        for (int k = 0; k <= 10; ++k) {  // its edge goes along a circle of 18 cm
            const Quat turned = from_axis_angle({0, 0, 1}, -10 * k);
            const Vec3 middle = Vec3{-0.16, 0.12, 0} + rotate(turned, {0.18, 0.2, 0});
            knife.keyframes.push_back({0.03 * k, middle, turned});
        }
        world->add(knife);
        return world;
    };
    const auto world = build();
    const BodyId body = world->find("block");
    for (int k = 0; k < 10; ++k) {
        const auto other = build();  // that has seen nothing yet
        other->restore(world->snapshot());
        for (int step = 0; step < 3; ++step) {
            world->step(), other->step();
            EXPECT_EQ(other->state_hash(), world->state_hash()) << k << " " << step;
        }
    }
    EXPECT_EQ(world->pieces(body), 2u);
}

}  // namespace
}  // namespace plush
