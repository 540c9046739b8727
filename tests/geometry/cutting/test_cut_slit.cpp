#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/cutting/cut_checks.hpp"
#include "plush/core/random.hpp"

// Slits: cuts of a detailed skin that have not gone through, or never do.

namespace plush {
namespace {

using namespace test;

/// With the edge at this height, as wide as said, and far up.
BladeSheet knife(double x, double bottom, double half_width = 5, double top = 5) {
    return {{{x, bottom, -half_width}, {x, bottom, half_width}}, {0, top - bottom, 0}};
}

/// Closed, each edge between two triangles, each vertex in the middle of one fan, and the volume that it had.
void expect_whole(const Skinned& body, double volume) {
    const Mesh mesh = body.placed();
    EXPECT_EQ(open_edges(mesh.triangles()), 0);
    const EdgeTable edges(mesh.positions().size(), mesh.triangles());
    for (const int fans : fan_counts(mesh.positions().size(), mesh.triangles(), edges)) EXPECT_EQ(fans, 1);
    EXPECT_NEAR(volume_of(mesh.positions(), mesh.triangles()), volume, 1e-9 * volume);
    EXPECT_TRUE(body.solid.sound());
    EXPECT_TRUE(body.cut.sound(body.solid));
}

double volume_now(const Skinned& body) {
    const Mesh mesh = body.placed();
    return volume_of(mesh.positions(), mesh.triangles());
}

Mesh block() {
    return generate({.shape = "box", .triangles = 3000, .size = 1}).value();
}

TEST(CutSlit, ABladeHalfWayInLeavesOneClosedPiece) {
    Skinned body(block());
    const double volume = body.volume();
    const std::size_t triangles = body.skin.triangles().size();
    EXPECT_GT(body.through(knife(0.013, 0)), 0u);
    EXPECT_EQ(body.cut.pieces(body.solid), 1u);
    EXPECT_EQ(body.solid.pieces(), 1u);
    expect_whole(body, volume);
    EXPECT_GT(body.surface().triangles().size(), triangles + 100);  // walls
}

// The material on either side is moved away, the more the higher it is.
TEST(CutSlit, SidesMoveApartAndTheFrontDoesNot) {
    Skinned body(block());
    const double x0 = 0.013;
    ASSERT_GT(body.through(knife(x0, 0)), 0u);
    const Mesh before = body.placed();
    // Vertices above the front go to the side that their material is on.
    std::vector<double> push(body.x.size(), 0.0);
    const std::vector<std::uint8_t> real = body.solid.real_vertices();
    for (std::size_t v = 0; v < push.size(); ++v)
        if (real[v]) push[v] = body.x[v].x > x0 ? 1 : -1;
    for (const CutCell& cell : body.solid.cells()) {  // copies go with the rest of their cell
        double sum = 0;
        for (const std::uint32_t v : cell.corners) sum += push[v];
        for (const std::uint32_t v : cell.corners)
            if (push[v] == 0 && sum != 0) push[v] = sum > 0 ? 1 : -1;
    }
    for (std::size_t v = 0; v < push.size(); ++v) body.x[v].x += 0.1 * std::max(body.x[v].y, 0.0) * push[v];
    const Mesh after = body.placed();
    double left = 0, right = 0, front = 0;
    for (std::size_t v = 0; v < before.positions().size(); ++v) {
        const Vec3 &p = before.positions()[v], &q = after.positions()[v];
        if (std::abs(p.x - x0) > 1e-6) continue;
        if (p.y > 0.45) left = std::min(left, q.x - p.x), right = std::max(right, q.x - p.x);
        if (p.y < -0.13) front = std::max(front, std::abs(q.x - p.x));
    }
    EXPECT_LT(left, -0.04);
    EXPECT_GT(right, 0.04);
    EXPECT_LT(front, 1e-12);
}

TEST(CutSlit, GoesDeeperUntilThereAreTwo) {
    Skinned at_once(block()), body(block());
    const double volume = body.volume();
    at_once.through(knife(0.013, -5));
    CutStroke stroke;
    std::size_t cuts = 0;
    for (double bottom = 0.55; bottom > -0.7; bottom -= 0.07) {
        cuts += body.through(knife(0.013, bottom), stroke) > 0;
        expect_whole(body, volume);
        EXPECT_EQ(body.cut.pieces(body.solid), bottom > -0.5 ? 1u : 2u) << bottom;
    }
    EXPECT_GE(cuts, 5u);
    body.expect_sound(volume);
    const auto ours = part_volumes(body.surface()), theirs = part_volumes(at_once.surface());
    ASSERT_EQ(ours.size(), 2u);
    ASSERT_EQ(theirs.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(ours[k], theirs[k], 1e-9 * volume);
}

TEST(CutSlit, ANarrowBladeLeavesASlit) {
    Skinned body(block());
    const double volume = body.volume();
    CutStroke stroke;
    EXPECT_GT(body.through(knife(0.013, -5, 0.2), stroke), 0u);  // a slot right through
    EXPECT_EQ(body.cut.pieces(body.solid), 1u);
    expect_whole(body, volume);
    EXPECT_EQ(body.through(knife(0.013, -5, 0.2), stroke), 0u);
    // Wider, it goes on from there; in another stroke, too.
    body.cut.leave(stroke.blade);
    EXPECT_GT(body.through(knife(0.013, -5, 5)), 0u);
    EXPECT_EQ(body.cut.pieces(body.solid), 2u);
    body.expect_sound(volume);
}

// One that is no larger than a tet passes none.
TEST(CutSlit, ATinyBladeDoesNothing) {
    Skinned body(block());
    EXPECT_EQ(body.through(knife(0.013, 0.49, 0.01, 0.52)), 0u);
    EXPECT_EQ(body.surface().triangles().size(), body.skin.triangles().size());
}

// Blades from anywhere into figures with arms and legs, some steps deep, while the body moves under them.
TEST(CutSlit, RandomBladesKeepTheSurfaceClosed) {
    Random random(21);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    int slits = 0, parted = 0;
    for (const char* shape : {"bear", "star"}) {
        const Skinned whole(shape);
        const Box3 box = whole.skin.bounds();
        const double size = norm(box.size());
        for (int k = 0; k < 24; ++k) {
            Skinned toy = whole;
            const Vec3 n = normalised(Vec3{number(), number(), number()});
            const Vec3 s = normalised(cross(n, Vec3{number(), number(), number()})), back = cross(n, s);
            const Vec3 middle =
                0.5 * (box.low + box.high) + 0.15 * times(box.size(), Vec3{number(), number(), number()});
            const double half = (k % 3 == 0 ? 2 : 0.15 + 0.1 * random.uniform()) * size;
            CutStroke stroke;
            std::size_t cuts = 0, pieces = 1;
            for (int step = 0; step < 6; ++step) {
                for (Vec3& p : toy.x) p += 0.005 * size * Vec3{std::sin(p.y + step), std::sin(p.z), 0};
                const double before = volume_now(toy);
                const Vec3 tip = middle + (0.3 - 0.1 * step) * size * back;
                cuts += toy.through({{tip - half * s, tip + half * s}, size * back}, stroke);
                expect_whole(toy, before);
                EXPECT_GE(toy.cut.pieces(toy.solid), pieces);
                pieces = toy.cut.pieces(toy.solid);
            }
            slits += cuts > 0 && pieces == 1;
            parted += pieces > 1;
        }
    }
    EXPECT_EQ(slits + parted, 48);
    EXPECT_GT(parted, 5);  // measured: 8
}

// A slit across another one, while both are closed: four flaps, each carried by its own tets.
TEST(CutSlit, ASecondOneCrossesTheFirst) {
    Skinned body(block());
    const double volume = body.volume();
    const BladeSheet first = knife(0.013, 0), second{{{-5, 0.1, 0.021}, {5, 0.1, 0.021}}, {0, 5, 0}};
    for (const BladeSheet& blade : {first, second}) {
        EXPECT_GT(body.through(blade), 0u);
        body.cut.leave(0);
        expect_whole(body, volume);
        EXPECT_EQ(body.cut.pieces(body.solid), 1u);
    }
    // Every flap goes to its own corner.
    const Mesh before = body.placed();
    const std::vector<std::uint8_t> real = body.solid.real_vertices();
    std::vector<Vec3> push(body.x.size());
    for (std::size_t v = 0; v < push.size(); ++v)
        if (real[v] && body.x[v].y > 0.2)
            push[v] = {body.x[v].x > 0.013 ? 1.0 : -1.0, 0, body.x[v].z > 0.021 ? 1.0 : -1.0};
    for (int turn = 0; turn < 3; ++turn)
        for (const CutCell& cell : body.solid.cells())
            for (const std::uint32_t from : cell.corners)
                for (const std::uint32_t to : cell.corners)
                    if (push[from] != Vec3{} && push[to] == Vec3{} && body.x[to].y > 0.2)
                        push[to] = push[from];
    for (std::size_t v = 0; v < push.size(); ++v) body.x[v] += 0.1 * push[v];
    const Mesh after = body.placed();
    int seen = 0;
    for (const Triangle& t : before.triangles()) {
        Vec3 middle{};
        double lowest = HUGE_VAL;
        for (const int v : t) {
            const Vec3& p = before.positions()[static_cast<std::size_t>(v)];
            middle += p / 3, lowest = std::min(lowest, p.y);
        }
        if (lowest < 0.45 || std::hypot(middle.x - 0.013, middle.z - 0.021) > 0.1) continue;
        ++seen;
        const auto moved = [&](int v) {
            const std::size_t i = static_cast<std::size_t>(v);
            return after.positions()[i] - before.positions()[i];
        };
        for (const int v : t) {
            EXPECT_GT(moved(v).x * moved(t[0]).x, 0);
            EXPECT_GT(moved(v).z * moved(t[0]).z, 0);
            // Walls are on both sides.
            const double x = middle.x - 0.013, z = middle.z - 0.021;
            EXPECT_TRUE(std::abs(x) < 1e-9 || moved(v).x * x > 0);
            EXPECT_TRUE(std::abs(z) < 1e-9 || moved(v).z * z > 0);
        }
    }
    EXPECT_GT(seen, 20);
}

// Blades from anywhere, one after the other and each some way in: slits run into each other and cross.
TEST(CutSlit, RandomSlitsCross) {
    Random random(8);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    int cuts = 0;
    for (const bool bear : {true, false}) {
        const Skinned whole = bear ? Skinned("bear") : Skinned(block());
        const Box3 box = whole.skin.bounds();
        const double size = norm(box.size());
        for (int k = 0; k < 8; ++k) {
            Skinned toy = whole;
            for (int stroke = 0; stroke < 4; ++stroke) {
                for (Vec3& p : toy.x) p += 0.002 * size * Vec3{std::sin(p.y + stroke), std::sin(p.z), 0};
                const double before = volume_now(toy);
                const Vec3 n = normalised(Vec3{number(), number(), number()});
                const Vec3 s = normalised(cross(n, Vec3{number(), number(), number()})), back = cross(n, s);
                const Vec3 tip = 0.5 * (box.low + box.high) + 0.1 * size * Vec3{number(), number(), number()};
                cuts += toy.through({{tip - size * s, tip + size * s}, size * back}) > 0;
                toy.cut.leave(0);
                expect_whole(toy, before);
            }
        }
    }
    EXPECT_GT(cuts, 48);  // of 64; measured: 57
}

// A body with a slit is cut in two across it, and goes on being cut along it.
TEST(CutSlit, ABodyWithASlitIsCutThrough) {
    Skinned body(block());
    const double volume = body.volume();
    EXPECT_GT(body.through(knife(0.013, 0)), 0u);
    body.cut.leave(0);
    EXPECT_GT(body.through(plane({0, 0, 0.021}, {0.1, 0, 1})), 0u);
    EXPECT_EQ(body.cut.pieces(body.solid), 2u);
    body.expect_sound(volume);
    body.cut.leave(0);
    EXPECT_GT(body.through(plane({0, -0.2, 0}, {0.1, 1, 0})), 0u);
    EXPECT_EQ(body.cut.pieces(body.solid), 4u);
    body.expect_sound(volume);
}

// Arcs and rings, too.
TEST(CutSlit, BentBladesGoDeeperStepByStep) {
    for (const bool ring : {false, true}) {
        Skinned body(block());
        const double volume = body.volume();
        CutStroke stroke;
        std::size_t cuts = 0;
        for (double bottom = 0.5; bottom > -0.7; bottom -= 0.11) {
            BladeSheet blade{{}, {0, 5, 0}};
            const double turn = ring ? 2 * std::numbers::pi : 2;
            for (int i = 0; i <= 12; ++i) {
                const double a = turn * (i / 12.0 - 0.5);
                blade.edge.push_back({ring ? 0.3 * std::cos(a) : std::cos(a) - 0.95, bottom,
                                      (ring ? 0.3 : 1.0) * std::sin(a)});
            }
            if (ring) blade.edge.back() = blade.edge.front();
            cuts += body.through(blade, stroke) > 0;
            expect_whole(body, volume);
            EXPECT_EQ(body.cut.pieces(body.solid), bottom > -0.5 ? 1u : 2u) << ring << " " << bottom;
        }
        EXPECT_GE(cuts, 4u) << ring;
    }
}

}  // namespace
}  // namespace plush
