#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "geometry/cut_checks.hpp"
#include "plush/core/random.hpp"

// Blades that turn in the body: they cut along what their edge sweeps, and not along where they came in.

namespace plush {
namespace {

using namespace test;

/// Closed, each edge between two triangles, each vertex in the middle of one fan, and the volume that it had.
void expect_whole(const Skinned& body, double volume, double tolerance = 1e-9) {
    const Mesh mesh = body.placed();
    ASSERT_EQ(open_edges(mesh.triangles()), 0);
    const EdgeTable edges(mesh.positions().size(), mesh.triangles());
    for (const int fans : fan_counts(mesh.positions().size(), mesh.triangles(), edges)) ASSERT_EQ(fans, 1);
    ASSERT_NEAR(volume_of(mesh.positions(), mesh.triangles()), volume, tolerance * volume);
    ASSERT_TRUE(body.solid.sound());
    ASSERT_TRUE(body.cut.sound(body.solid));
}

Mesh block() {
    return generate({.shape = "box", .triangles = 6000, .size = 1}).value();
}

constexpr double degree = std::numbers::pi / 180;
constexpr double radius = 0.6;
const Vec3 axis{-0.5, 0, -0.5};

/// Upright, as long as said, along a circle about the axis.
BladeSheet scalpel(double angle, double bottom, double half_length = 0.12) {
    const Vec3 t{-std::sin(angle), 0, std::cos(angle)};
    const Vec3 middle = axis + Vec3{radius * std::cos(angle), bottom, radius * std::sin(angle)};
    return {{middle - half_length * t, middle + half_length * t}, {0, 1, 0}};
}

TEST(CutTurning, AScalpelOnAQuarterCircle) {
    Skinned body(block(), 12);
    const double volume = body.volume();
    CutStroke stroke;
    for (double bottom = 0.6; bottom > 0.24; bottom -= 0.04) {
        body.through(scalpel(8 * degree, bottom), stroke);
        expect_whole(body, volume);
    }
    for (int k = 8; k <= 82; ++k) {
        body.through(scalpel(k * degree, 0.24), stroke);
        expect_whole(body, volume);
    }
    EXPECT_EQ(body.cut.pieces(body.solid), 1u);
    const Mesh mesh = body.placed();
    double off = 0, low = 1, first = 10, last = -10;
    int walls = 0;
    for (const Vec3& p : mesh.positions()) {
        if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > 0.4999) continue;
        ++walls;
        const Vec3 d = p - axis;
        off = std::max(off, std::abs(std::hypot(d.x, d.z) - radius));
        first = std::min(first, std::atan2(d.z, d.x)), last = std::max(last, std::atan2(d.z, d.x));
        low = std::min(low, p.y);
    }
    std::printf("walls %d off %g low %g from %g to %g triangles %zu of %zu\n", walls, off, low, first / degree,
                last / degree, mesh.triangles().size(), body.skin.triangles().size());
}

TEST(CutTurning, AKnifeThatRollsOnItsWayThrough) {
    Skinned body(block(), 12);
    const double volume = body.volume();
    CutStroke stroke;
    // About the point (−0.8, 0.6) its edge goes along a circle, with its back behind it.
    for (int k = -5; k <= 95; k += 2) {
        const double a = k * degree;
        const Vec3 out{std::cos(a), -std::sin(a), 0}, back{std::sin(a), std::cos(a), 0};
        const Vec3 middle = Vec3{-0.8, 0.6, 0} + 0.9 * out;
        body.through({{middle - Vec3{0, 0, 2}, middle + Vec3{0, 0, 2}}, 2 * back}, stroke);
        expect_whole(body, volume);
    }
    std::printf("pieces %zu\n", body.cut.pieces(body.solid));
    for (const double v : part_volumes(body.placed())) std::printf("volume %g\n", v);
}

struct Bare {
    CutSolid solid{tet_box({0.5, 0.5, 0.5}, {12, 12, 12}).value()};
    CutStroke stroke{};
    std::size_t through(const BladeSheet& blade) {
        const CutOutcome made = solid.cut(blade, rest_of(solid), stroke);
        expect_sound(solid, 1);
        return made.cuts;
    }
};

TEST(CutTurning, BareTetsQuarterCircle) {
    Bare body;
    for (double bottom = 0.6; bottom > 0.24; bottom -= 0.04) body.through(scalpel(8 * degree, bottom));
    for (int k = 8; k <= 82; ++k) body.through(scalpel(k * degree, 0.24));
    const Mesh mesh = surface_of(body.solid);
    double off = 0, low = 1, first = 10, last = -10;
    int walls = 0;
    for (const Vec3& p : mesh.positions()) {
        if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) > 0.4999) continue;
        ++walls;
        const Vec3 d = p - axis;
        off = std::max(off, std::abs(std::hypot(d.x, d.z) - radius));
        first = std::min(first, std::atan2(d.z, d.x)), last = std::max(last, std::atan2(d.z, d.x));
        low = std::min(low, p.y);
    }
    std::printf("walls %d off %g low %g from %g to %g pieces %zu\n", walls, off, low, first / degree,
                last / degree, body.solid.pieces());
}

TEST(CutTurning, BareTetsRolling) {
    Bare body;
    for (int k = -5; k <= 95; k += 1) {
        const double a = k * degree;
        const Vec3 out{std::cos(a), -std::sin(a), 0}, back{std::sin(a), std::cos(a), 0};
        const Vec3 middle = Vec3{-0.8, 0.6, 0} + 0.9 * out;
        body.through({{middle - Vec3{0, 0, 2}, middle + Vec3{0, 0, 2}}, 2 * back});
    }
    std::printf("pieces %zu\n", body.solid.pieces());
    for (const double v : part_volumes(surface_of(body.solid))) std::printf("volume %g\n", v);
}

// Blades of any length that go anywhere, turn on the spot, go back and cross their own ways, while the body moves.
TEST(CutTurning, RandomTurnsKeepTheSurfaceClosed) {
    const int seeds = std::getenv("SEEDS") ? std::atoi(std::getenv("SEEDS")) : 8;
    const int from = std::getenv("FROM") ? std::atoi(std::getenv("FROM")) : 0;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::size_t cuts = 0, most_pieces = 0;
    const Skinned blocks(block(), 8), bears("bear");
    for (int seed = from; seed < from + seeds; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const auto number = [&] { return 2 * random.uniform() - 1; };
        Skinned body = seed % 2 ? bears : blocks;
        const Box3 box = body.skin.bounds();
        const double size = norm(box.size());
        Vec3 s = normalised(Vec3{number(), number(), number()});
        Vec3 b = normalised(cross(s, Vec3{number(), number(), number()}));
        Vec3 tip = 0.5 * (box.low + box.high) + 0.4 * size * b;
        const double half = (seed % 3 == 0 ? 0.08 : seed % 3 == 1 ? 0.2 : 2) * size;
        CutStroke stroke;
        Vec3 heading = -b, turning{};
        std::size_t triangles = 0;
        for (int step = 0; step < 60; ++step) {
            if (step % 10 == 5) {
                turning = 0.15 * Vec3{number(), number(), number()};
                heading = random.uniform() < 0.5 ? (random.uniform() < 0.5 ? s : -s) : -b;
                if (random.uniform() < 0.2) heading = Vec3{};
            }
            const auto turned = [&](const Vec3& v) { return normalised(v + cross(turning, v)); };
            s = turned(s), b = normalised(turned(b) - dot(turned(b), s) * s);
            heading = heading == Vec3{} ? heading : turned(heading);
            tip += 0.02 * size * heading;
            for (Vec3& p : body.x) p += 0.001 * size * Vec3{std::sin(p.y + step), std::sin(p.z), 0};
            const Mesh mesh = body.placed();
            cuts += body.through({{tip - half * s, tip + half * s}, size * b}, stroke) > 0;
            expect_whole(body, volume_of(mesh.positions(), mesh.triangles()), 1e-5);
            if (::testing::Test::HasFatalFailure()) {
                std::printf("seed %d step %d\n", seed, step);
                return;
            }
            triangles = mesh.triangles().size();
        }
        most_pieces = std::max(most_pieces, body.cut.pieces(body.solid));
        std::printf("seed %d cuts %zu pieces %zu triangles %zu of %zu\n", seed, cuts, body.cut.pieces(body.solid),
                    triangles, body.skin.triangles().size());
    }
}

}  // namespace
}  // namespace plush
