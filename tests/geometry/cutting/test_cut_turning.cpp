#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "geometry/cutting/cut_checks.hpp"
#include "plush/core/random.hpp"

// Blades that turn in the body: they cut along what their edge sweeps, and not along where they came in.

namespace plush {
namespace {

using namespace test;

constexpr double degree = std::numbers::pi / 180;
constexpr int cells = 12;                 ///< along a block of 1 m
constexpr double tet_edge = 1.4 / cells;  ///< m, the longest
constexpr double pi = std::numbers::pi;

Mesh block() {
    return generate({.shape = "box", .triangles = 6000, .size = 1}).value();
}

/// A block of tets, with a skin of its own or without one, and what a blade has done to it.
struct Block {
    explicit Block(bool skinned)
        : solid(tet_box({0.5, 0.5, 0.5}, {cells, cells, cells}).value()), has_skin(skinned) {
        if (has_skin) skin.emplace(block(), cells);
    }
    std::size_t through(const BladeSheet& blade) {
        return has_skin ? skin->through(blade, stroke) : solid.cut(blade, rest_of(solid), stroke).cuts;
    }
    Mesh surface() const { return has_skin ? skin->surface() : surface_of(solid); }
    std::size_t pieces() const { return has_skin ? skin->cut.pieces(skin->solid) : solid.pieces(); }
    /// Closed, with the volume that it had. A skin: with two triangles at each edge and one fan at each
    /// vertex.
    void expect_whole() const {
        const Mesh mesh = surface();
        EXPECT_NEAR(volume_of(mesh.positions(), mesh.triangles()), 1, 1e-9);
        if (!has_skin) {
            EXPECT_TRUE(solid.sound());
            EXPECT_EQ(unpaired_edges(mesh.triangles()), 0);
            return;
        }
        EXPECT_TRUE(skin->solid.sound());
        EXPECT_TRUE(skin->cut.sound(skin->solid));
        EXPECT_EQ(open_edges(mesh.triangles()), 0);
        const EdgeTable edges(mesh.positions().size(), mesh.triangles());
        for (const int fans : fan_counts(mesh.positions().size(), mesh.triangles(), edges))
            EXPECT_EQ(fans, 1);
    }
    /// Vertices that a cut has made inside of the block.
    std::vector<Vec3> inside() const {
        std::vector<Vec3> result;
        const Mesh mesh = surface();
        for (const Vec3& p : mesh.positions())
            if (std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}) < 0.4999) result.push_back(p);
        return result;
    }

    CutSolid solid;
    bool has_skin;
    std::optional<Skinned> skin{};
    CutStroke stroke{};
};

/// Upright, with its edge along t.
BladeSheet upright(const Vec3& middle, const Vec3& t, double half_length) {
    return {{middle - half_length * t, middle + half_length * t}, {0, 2, 0}};
}

/// On a circle about an upright axis, along it.
BladeSheet on_circle(const Vec3& axis, double radius, double angle, double bottom, double half_length) {
    const Vec3 out{std::cos(angle), 0, std::sin(angle)}, t{-std::sin(angle), 0, std::cos(angle)};
    return upright(axis + radius * out + Vec3{0, bottom, 0}, t, half_length);
}

// A scalpel of a quarter of the block, a quarter deep, goes down and then along a quarter circle.
TEST(CutTurning, AScalpelLeavesASlitAlongAQuarterCircle) {
    const Vec3 axis{-0.5, 0, -0.5};
    constexpr double radius = 0.6, half_length = 0.12, depth = 0.26;
    for (const bool skinned : {false, true}) {
        Block body(skinned);
        std::size_t cuts = 0;
        const auto look = [&](double angle, double bottom) {
            cuts += body.through(on_circle(axis, radius, angle * degree, bottom, half_length)) > 0;
            body.expect_whole();
        };
        for (double bottom = 0.6; bottom > 0.5 - depth; bottom -= 0.04) look(8, bottom);
        for (int angle = 8; angle <= 82; angle += 2) look(angle, 0.5 - depth);
        EXPECT_GT(cuts, 15u);
        EXPECT_EQ(body.pieces(), 1u);
        double off = 0, deepest = 0, first = pi, last = 0;
        for (const Vec3& p : body.inside()) {
            const Vec3 d = p - axis;
            off = std::max(off, std::abs(std::hypot(d.x, d.z) - radius));
            first = std::min(first, std::atan2(d.z, d.x)), last = std::max(last, std::atan2(d.z, d.x));
            deepest = std::max(deepest, 0.5 - p.y);
        }
        EXPECT_LT(off, 0.5 * tet_edge) << skinned;  // measured: 0.012 bare, 0.040 with a skin
        EXPECT_LT(first, 8 * degree);
        EXPECT_GT(last, 82 * degree);
        EXPECT_NEAR(deepest, depth, tet_edge);
    }
}

// The edge of a knife goes along a circle about an axis along it, its back behind it. What it cuts off is a
// part of a cylinder; the blade behind the edge sweeps the rest of the block with its flat, and leaves it
// whole.
TEST(CutTurning, AKnifeThatRollsCutsOffAPartOfACylinder) {
    constexpr double radius = 0.9;
    const Vec3 axis{-0.8, 0.6, 0};
    double part = 0;  // of the block inside of the cylinder
    constexpr int slices = 100'000;
    for (int i = 0; i < slices; ++i) {
        const double y = -0.5 + (i + 0.5) / slices, h = std::abs(axis.y - y);
        if (h < radius)
            part += std::clamp(axis.x + std::sqrt(radius * radius - h * h) + 0.5, 0.0, 1.0) / slices;
    }
    for (const bool skinned : {false, true}) {
        Block body(skinned);
        for (int angle = -5; angle <= 95; angle += 2) {
            const double a = angle * degree;
            const Vec3 out{std::cos(a), -std::sin(a), 0}, back{std::sin(a), std::cos(a), 0};
            const Vec3 middle = axis + radius * out;
            body.through({{middle - Vec3{0, 0, 2}, middle + Vec3{0, 0, 2}}, 2 * back});
            body.expect_whole();
        }
        const auto volumes = part_volumes(body.surface());
        ASSERT_EQ(volumes.size(), 2u) << skinned;
        EXPECT_NEAR(volumes[0], part, 0.015 * part);  // measured: 3e-6 bare, 1 % with a skin
    }
}

// Down through the block, turning about the upright axis by 40 degrees: the halves part along a twisted
// surface.
TEST(CutTurning, AKnifeThatTwistsPartsABlock) {
    for (const bool skinned : {false, true}) {
        Block body(skinned);
        for (int k = 0; k <= 60; ++k) {
            const double a = 40 * degree * (k / 60.0 - 0.5);
            body.through(upright({0.013, 0.55 - 0.02 * k, 0.007}, {std::sin(a), 0, std::cos(a)}, 2));
            body.expect_whole();
        }
        EXPECT_EQ(body.pieces(), 2u) << skinned;
        double off = 0;
        for (const Vec3& p : body.inside()) {
            const double a = 40 * degree * ((0.55 - p.y) / 1.2 - 0.5);
            off = std::max(off, std::abs(std::cos(a) * (p.x - 0.013) - std::sin(a) * (p.z - 0.007)));
        }
        EXPECT_LT(off, 0.5 * tet_edge) << skinned;  // measured: 0.016 bare, 0.027 with a skin
    }
}

/// Where a path leads a blade, of a time from 0 to 1; on a level, with its edge along it.
using Path = std::function<Vec3(double)>;

// Curves that come back on themselves, a corner that is turned on the spot, and to and fro on the same line.
TEST(CutTurning, PathsOfEveryKind) {
    constexpr double bottom = 0.24, half_length = 0.08;
    const Path half_circle = [](double s) { return 0.3 * Vec3{std::cos(pi * s), 0, std::sin(pi * s)}; };
    const Path circle = [](double s) {
        return 0.3 * Vec3{std::cos(2.1 * pi * s), 0, std::sin(2.1 * pi * s)};
    };
    const Path wave = [](double s) { return Vec3{-0.4 + 0.8 * s, 0, 0.12 * std::sin(2 * pi * s)}; };
    const Path corner = [](double s) {
        return s < 0.5 ? Vec3{-0.35 + 0.7 * s, 0, 0.01} : Vec3{0, 0, 0.01 + 0.7 * (s - 0.5)};
    };
    const Path saw = [](double s) {
        return Vec3{0.3 * std::sin(6 * pi * s), 0, 0.01 * std::sin(20 * pi * s)};
    };
    int number = 0;
    for (const Path& path : {half_circle, circle, wave, corner, saw}) {
        Block body(true);
        constexpr int looks = 80;
        Vec3 t{};
        for (int k = 0; k < looks; ++k) {
            const double s = static_cast<double>(k) / looks;
            const Vec3 ahead = path(s + 1e-6) - path(s);
            if (number != 4) t = ahead / norm(ahead);  // a saw does not turn about
            if (number == 4) t = {1, 0, 0};
            body.through(upright(path(s) + Vec3{0, bottom, 0}, t, half_length));
            body.expect_whole();
        }
        std::array<int, 10> seen{};
        double off = 0;
        for (const Vec3& p : body.inside()) {
            double nearest = HUGE_VAL;
            std::size_t place = 0;
            for (int k = 0; k < 10 * looks; ++k) {
                const double s = k / (10.0 * looks);
                const Vec3 q = path(s);
                const double d = std::hypot(p.x - q.x, p.z - q.z);
                if (d < nearest) nearest = d, place = static_cast<std::size_t>(10 * s);
            }
            off = std::max(off, nearest), ++seen[place];
        }
        EXPECT_EQ(body.pieces(), 1u) << number;
        EXPECT_LT(off, half_length + tet_edge) << number;  // beyond its ends, too
        for (const int count : seen) EXPECT_GT(count, number == 4 ? -1 : 0) << number;
        ++number;
    }
}

// Blades of any length that go anywhere, turn on the spot, go back and cross their own ways, while the body
// moves.
TEST(CutTurning, RandomTurnsKeepTheSurfaceClosed) {
    std::size_t cuts = 0, parted = 0;
    const Skinned plain(block()), bear("bear");
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random(seed);
        const auto number = [&] { return 2 * random.uniform() - 1; };
        Skinned body = seed % 2 ? bear : plain;
        const Box3 box = body.skin.bounds();
        const double size = norm(box.size());
        Vec3 s = normalised(Vec3{number(), number(), number()});
        Vec3 back = normalised(cross(s, Vec3{number(), number(), number()}));
        Vec3 tip = 0.5 * (box.low + box.high) + 0.4 * size * back, heading = -back, turning{};
        const double half = (seed % 3 == 0 ? 0.08 : seed % 3 == 1 ? 0.2 : 2) * size;
        CutStroke stroke;
        for (int step = 0; step < 60; ++step) {
            if (step % 10 == 5) {
                turning = 0.15 * Vec3{number(), number(), number()};
                const double choice = random.uniform();
                heading = choice < 0.2 ? Vec3{} : choice < 0.6 ? -back : choice < 0.8 ? s : -s;
            }
            const auto turned = [&](const Vec3& v) { return v + cross(turning, v); };
            s = normalised(turned(s));
            back = normalised(turned(back) - dot(turned(back), s) * s);
            if (heading != Vec3{}) heading = normalised(turned(heading));
            tip += 0.02 * size * heading;
            for (Vec3& p : body.x) p += 0.001 * size * Vec3{std::sin(p.y + step), std::sin(p.z), 0};
            const double before = volume_of(body.placed().positions(), body.placed().triangles());
            cuts += body.through({{tip - half * s, tip + half * s}, size * back}, stroke) > 0;
            const Mesh mesh = body.placed();
            ASSERT_EQ(open_edges(mesh.triangles()), 0) << seed << " " << step;
            const EdgeTable edges(mesh.positions().size(), mesh.triangles());
            for (const int fans : fan_counts(mesh.positions().size(), mesh.triangles(), edges))
                ASSERT_EQ(fans, 1) << seed << " " << step;
            // Points that a way has made in the skin have moved with the tets, and are taken away again.
            EXPECT_NEAR(volume_of(mesh.positions(), mesh.triangles()), before, 1e-6 * before);
            ASSERT_TRUE(body.solid.sound() && body.cut.sound(body.solid)) << seed << " " << step;
        }
        parted += body.cut.pieces(body.solid) > 1;
    }
    EXPECT_GT(cuts, 75u);
    EXPECT_GT(parted, 0u);
}

}  // namespace
}  // namespace plush
