#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numbers>
#include <set>

#include "detect/depth_images/float_lanes.hpp"
#include "detect/depth_images/surfaces.hpp"
#include "geometry/mesh/triangle_intersection.hpp"
#include "support/meshes.hpp"

// Patches tell where surfaces can overlap. What is left out by that must change no bit of what is found.

namespace plush {
namespace {

using test::random_rotation;
using test::random_vector;
using test::Surface;
using test::together;

Mesh shape(const char* name, int triangles, double size) {
    return generate({.shape = name, .triangles = triangles, .size = size}).value();
}

template <class F>
Mesh moved(const Mesh& mesh, const F& f) {
    std::vector<Vec3> positions;
    for (const Vec3& p : mesh.positions()) positions.push_back(f(p));
    return Mesh(std::move(positions), {mesh.triangles().begin(), mesh.triangles().end()});
}

/// Waves that throw a shape over itself.
Mesh crumpled(const Mesh& mesh, Random& random, double strength) {
    const double size = max_component(mesh.bounds().size());
    const Vec3 a = random_vector(random, 9 / size), b = random_vector(random, 9 / size),
               c = random_vector(random, 1), d = random_vector(random, 1);
    return moved(mesh, [&](const Vec3& p) {
        return p + (c * std::sin(dot(a, p)) + d * std::cos(dot(b, p))) * (strength * size);
    });
}

struct Seen {
    std::array<std::vector<OverlapInterval>, 3> stretches;
    std::vector<Overlap> contacts;
    ImageCounts counts;
    bool gated = false;
};

Seen look(OverlapPair pair, double pixel, bool by_patches) {
    if (!by_patches) {
        pair.a.patches = nullptr;
        if (pair.b) pair.b->patches = nullptr;
    }
    OverlapFinder finder;
    EXPECT_TRUE(finder.find(pair, {.pixel = pixel}, {.split = OverlapSplit::connected}));
    return {finder.images().intervals, finder.model().contacts, finder.images().counts,
            finder.plan().gated()};
}

int gated = 0;  // queries with a gate: where little is to be drawn there is none

/// Returns how many stretches there are, and expects equal ones with patches and without.
std::size_t expect_same(const OverlapPair& pair, double pixel) {
    const Seen with = look(pair, pixel, true), without = look(pair, pixel, false);
    EXPECT_FALSE(without.gated);
    gated += with.gated ? 1 : 0;
    std::size_t count = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto &x = with.stretches[d], &y = without.stretches[d];
        EXPECT_EQ(x.size(), y.size()) << "image " << d;
        const auto same = [](const OverlapInterval& i, const OverlapInterval& j) {
            return i.u == j.u && i.v == j.v && i.low == j.low && i.high == j.high && i.lower == j.lower &&
                   i.upper == j.upper;
        };
        EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end(), same)) << "image " << d;
        count += y.size();
    }
    EXPECT_EQ(with.contacts.size(), without.contacts.size());
    for (std::size_t k = 0; k < std::min(with.contacts.size(), without.contacts.size()); ++k) {
        EXPECT_EQ(with.contacts[k].volume, without.contacts[k].volume);
        EXPECT_EQ(with.contacts[k].gradient, without.contacts[k].gradient);
    }
    return count;
}

std::size_t expect_same(const Surface& a, const Surface& b, double pixel) {
    return expect_same({.a = a.view, .b = b.view}, pixel);
}
std::size_t expect_same_of_itself(const Mesh& mesh, double pixel) {
    const Surface surface(mesh, {}, true);
    return expect_same({.a = surface.view, .self = true}, pixel);
}

TEST(OverlapGate, ChangesNoBitOfSurfacesThatCross) {
    Random random(5);
    gated = 0;
    const std::vector<Mesh> shapes{shape("octopus", 6000, 1), shape("bear", 4000, 1), shape("torus", 3000, 1),
                                   shape("bowl", 2000, 1.2), shape("box", 12, 0.8)};
    std::size_t found = 0;
    for (int turn = 0; turn < 24; ++turn) {
        const auto any = [&] { return shapes[static_cast<std::size_t>(random.uniform(0, 4.999))]; };
        const Surface a(any(), {random_vector(random, 0.1), random_rotation(random)}, true);
        const Surface b(any(), {random_vector(random, 0.7), random_rotation(random)}, true);
        found += expect_same(a, b, 1.0 / 256);
    }
    EXPECT_GE(gated, 12);        // of 24; measured: 20
    EXPECT_GT(found, 100'000u);  // measured: 390,754
}

TEST(OverlapGate, ChangesNoBitOfWhatLiesInABowl) {
    gated = 0;
    const Surface bowl(shape("bowl", 4096, 0.66), {}, true);
    for (const double height : {-0.06, -0.02, 0.02, 0.1, 0.3}) {
        const Surface octopus(shape("octopus", 6000, 0.4), {{0.02, height, 0.01}, {}}, true);
        expect_same(octopus, bowl, 1.0 / 512);
        expect_same(bowl, octopus, 1.0 / 512);
    }
    EXPECT_GE(gated, 8);  // of 10
}

TEST(OverlapGate, SeesWhatIsWhollyInside) {
    // Nothing crosses: only that one patch of each part is always tested tells.
    const Surface large(shape("icosphere", 5120, 1), {}, true);
    const Surface small(shape("bear", 3000, 0.2), {{0.05, 0.02, 0}, {}}, true);
    EXPECT_GT(expect_same(large, small, 1.0 / 256), 1000u);
    EXPECT_GT(expect_same(small, large, 1.0 / 256), 1000u);
    // Two shells, one in the other, wind twice around what is in both.
    const Surface twice(together(shape("icosphere", 5120, 1), shape("icosphere", 1280, 0.8)), {}, true);
    EXPECT_GT(expect_same(twice, small, 1.0 / 256), 1000u);
    EXPECT_GT(expect_same(small, twice, 1.0 / 256), 1000u);
    const Mesh two =
        together(shape("icosphere", 320, 0.1), moved(shape("icosphere", 320, 0.1), [](const Vec3& p) {
                     return p + Vec3{0.3, 0, 0};
                 }));
    const Surface pair(two, {{-0.15, 0, 0}, {}}, true);
    EXPECT_GT(expect_same(large, pair, 1.0 / 256), 1000u);
    EXPECT_GT(
        expect_same_of_itself(together(shape("icosphere", 320, 1), shape("icosphere", 320, 0.3)), 1.0 / 256),
        1000u);
}

TEST(OverlapGate, ChangesNoBitOfASurfaceWithItself) {
    Random random(11);
    gated = 0;
    std::size_t found = 0;
    for (int turn = 0; turn < 24; ++turn) {
        const Mesh mesh = turn % 3 == 0   ? shape("octopus", 6000, 1)
                          : turn % 3 == 1 ? shape("eel", 3000, 1)
                                          : shape("star", 2000, 1);
        found += expect_same_of_itself(crumpled(mesh, random, 0.1 * (turn / 3)), 1.0 / 256);
    }
    EXPECT_EQ(gated, 24);
    EXPECT_GT(found, 40'000u);  // measured: 55,157
}

/// Each vertex moved for itself by more than an edge: triangles with a common vertex cross, and nothing is
/// smooth anywhere.
Mesh jittered(const Mesh& mesh, Random& random, double strength) {
    return moved(mesh, [&](const Vec3& p) { return p + random_vector(random, strength); });
}

TEST(OverlapGate, ChangesNoBitWhereNeighboursCross) {
    Random random(21);
    gated = 0;
    std::size_t found = 0;
    for (int turn = 0; turn < 8; ++turn) {
        const Mesh mesh = turn % 2 == 0 ? shape("icosphere", 1280, 1) : shape("star", 1500, 1);
        found += expect_same_of_itself(jittered(mesh, random, 0.03 * (1 + turn / 2)), 1.0 / 256);
    }
    EXPECT_EQ(gated, 8);
    EXPECT_GT(found, 40'000u);
}

// One vertex in twenty is pulled through the triangles around it, and all else is smooth: two patches may
// face the same way on the whole, and what folds lies between them.
TEST(OverlapGate, ChangesNoBitWhereSingleVerticesFoldOver) {
    Random random(31);
    gated = 0;
    std::size_t found = 0;
    for (int turn = 0; turn < 24; ++turn) {
        const Mesh mesh = turn % 2 == 0 ? shape("icosphere", 1280, 1) : shape("torus", 3000, 1);
        const double strength = 0.04 * (1 + turn / 6);  // edges are 0.07 and 0.04
        found += expect_same_of_itself(moved(mesh,
                                             [&](const Vec3& p) {
                                                 const Vec3 way = random_vector(random, strength);
                                                 return random.uniform(0, 1) < 0.05 ? p + way : p;
                                             }),
                                       1.0 / 512);
    }
    EXPECT_EQ(gated, 24);
    EXPECT_GT(found, 20'000u);  // measured: 33,838
}

TEST(OverlapGate, ChangesNoBitOfSurfacesThatCrossThemselvesAndEachOther) {
    Random random(8);
    gated = 0;
    std::size_t found = 0;
    for (int turn = 0; turn < 12; ++turn) {
        const Surface a(crumpled(shape("octopus", 5000, 1), random, 0.25),
                        {random_vector(random, 0.1), random_rotation(random)}, true);
        const Surface b(crumpled(shape(turn % 2 == 0 ? "star" : "eel", 2000, 1), random, 0.25),
                        {random_vector(random, 0.3), random_rotation(random)}, true);
        found += expect_same(a, b, 1.0 / 256);
    }
    EXPECT_GE(gated, 8);  // of 12
    EXPECT_GT(found, 20'000u);
}

/// Where an edge has four triangles connected parts are not determined, and not needed.
TEST(OverlapGate, IsNotAskedWhereEdgesHaveFourTriangles) {
    const Mesh ball = shape("icosphere", 1280, 1);
    // Two balls that share an edge: the second is moved so that two of its vertices are two of the first.
    const Triangle t = ball.triangles()[0];
    const Vec3 p = ball.positions()[static_cast<std::size_t>(t[0])];
    const Vec3 q = ball.positions()[static_cast<std::size_t>(t[1])];
    const Vec3 out = normalised(p + q);
    std::vector<Vec3> positions(ball.positions().begin(), ball.positions().end());
    std::vector<Triangle> triangles(ball.triangles().begin(), ball.triangles().end());
    const auto count = static_cast<int>(positions.size());
    // Mirrored at the plane through the edge, so turned inside out, and turned back.
    for (std::size_t v = 0; v < static_cast<std::size_t>(count); ++v)
        positions.push_back(positions[v] - out * (2 * dot(positions[v] - p, out)));
    for (std::size_t k = 0; k < ball.triangles().size(); ++k) {
        Triangle u = ball.triangles()[k];
        for (int& v : u) v = v == t[0] || v == t[1] ? v : v + count;
        triangles.push_back({u[0], u[2], u[1]});
    }
    const Surface two(Mesh(positions, triangles), {}, true);
    const Surface other(shape("torus", 3000, 1.5), {}, true);
    EXPECT_TRUE(two.clusters.closed());
    EXPECT_FALSE(two.patches.of(two.view)->manifold());
    gated = 0;
    EXPECT_GT(expect_same(two, other, 1.0 / 256), 100u);
    EXPECT_EQ(gated, 0);
}

/// A smooth ring that is bent to an eight goes through itself: patches that do not touch cross, and none is
/// folded.
TEST(OverlapGate, SeesASmoothRingThatIsBentThroughItself) {
    const Mesh eight = moved(shape("torus", 8000, 1), [](const Vec3& p) {
        const double t = std::atan2(p.z, p.x);
        const Vec3 along = normalised(Vec3{-std::sin(t), 0, std::cos(2 * t)}), aside{along.z, 0, -along.x};
        const double out = 0.5 * (std::hypot(p.x, p.z) - 0.35);
        return Vec3{std::cos(t), 0, 0.5 * std::sin(2 * t)} * 0.5 + aside * out + Vec3{0, 0.5 * p.y, 0};
    });
    gated = 0;
    EXPECT_GT(expect_same_of_itself(eight, 1.0 / 512), 500u);
    EXPECT_EQ(gated, 1);
}

TEST(OverlapGate, ChangesNoBitWhereTrianglesAreAsSmallAsPixels) {
    // No column is sure to meet one of them.
    Random random(3);
    gated = 0;
    std::size_t found = 0;
    for (int turn = 0; turn < 4; ++turn)
        found += expect_same_of_itself(crumpled(shape("octopus", 40'000, 1), random, 0.4), 1.0 / 256);
    EXPECT_EQ(gated, 4);
    EXPECT_GT(found, 500u);  // measured: 721
}

TEST(OverlapGate, LeavesMostOfAnOctopusAlone) {
    const Surface octopus(shape("octopus", 15'000, 0.5), {}, true);
    const OverlapPair itself{.a = octopus.view, .self = true};
    // Measured: 152,192 crossings without, and 12,291 with, in the creases between its arms and at their
    // tips.
    EXPECT_LT(8 * look(itself, 1.0 / 512, true).counts.crossings,
              look(itself, 1.0 / 512, false).counts.crossings);
}

/// Planes between triangles: never between two that meet, and mostly between two that do not.
TEST(FloatLanes, FindPlanesBetweenTrianglesThatDoNotMeet) {
    Random random(17);
    constexpr float margin = 1.0f / 256;
    int apart_found = 0, far = 0, meeting = 0;
    for (int turn = 0; turn < 20'000; ++turn) {
        std::array<std::array<Vec3, 3>, 2> t;
        for (auto& corners : t) {
            const Vec3 middle = random_vector(random, 1.5);
            for (Vec3& p : corners) p = middle + random_vector(random, 1.5);
        }
        std::array<Triangle8, 2> lanes{};
        for (std::size_t k = 0; k < 2; ++k)
            for (std::size_t c = 0; c < 3; ++c)
                lanes[k][c] = {Float8{} + static_cast<float>(t[k][c].x),
                               Float8{} + static_cast<float>(t[k][c].y),
                               Float8{} + static_cast<float>(t[k][c].z)};
        const unsigned found = bits_of(apart(lanes[0], lanes[1], margin));
        EXPECT_TRUE(found == 0 || found == 0xff);
        const bool meet = triangles_meet(t[0][0], t[0][1], t[0][2], t[1][0], t[1][1], t[1][2]);
        if (meet) {
            EXPECT_EQ(found, 0u);
        }
        meeting += meet ? 1 : 0, far += meet ? 0 : 1, apart_found += found ? 1 : 0;
    }
    EXPECT_GT(meeting, 1000);
    EXPECT_GT(apart_found, 0.97 * far);
}

TEST(SurfacePatches, HoldEachTriangleOnceAndKnowTheirNeighbours) {
    const Surface surface(together(shape("octopus", 5000, 1), moved(shape("torus", 800, 1),
                                                                    [](const Vec3& p) {
                                                                        return p + Vec3{3, 0, 0};
                                                                    })),
                          {}, true);
    const SurfacePatches& patches = *surface.patches.of(surface.view);
    std::vector<int> triangles(patches.size());
    for (std::size_t t = 0; t < surface.clusters.corners().size(); ++t) ++triangles[patches.of(t)];
    for (std::size_t p = 0; p < patches.size(); ++p) {
        EXPECT_GE(triangles[p], 1);
        EXPECT_LE(triangles[p], 8);
        EXPECT_EQ(patches.triangles(p).size(), static_cast<std::size_t>(triangles[p]));
        for (const std::uint32_t t : patches.triangles(p)) EXPECT_EQ(patches.of(t), p);
        for (const std::uint32_t n : patches.neighbours(p)) {
            const auto back = patches.neighbours(n);
            EXPECT_TRUE(n != p && std::binary_search(back.begin(), back.end(), p));
        }
    }
    EXPECT_EQ(patches.parts().size(), 2u);
    EXPECT_TRUE(patches.manifold());
    for (std::size_t t = 0; t < surface.clusters.corners().size(); ++t)
        for (const std::uint32_t n : patches.across(t)) {
            const auto& back = patches.across(n);
            EXPECT_NE(std::find(back.begin(), back.end(), t), back.end());
        }
    EXPECT_LT(patches.size(), surface.clusters.corners().size() / 4);
}

TEST(SurfacePatches, KnowWhereThreeOrMoreMeet) {
    const Surface surface(shape("octopus", 5000, 1), {}, true);
    const SurfacePatches& patches = *surface.patches.of(surface.view);
    // Patches and triangles around each vertex, from the triangles.
    std::map<std::uint32_t, std::pair<std::set<std::uint32_t>, std::size_t>> around;
    for (std::uint32_t t = 0; t < surface.clusters.corners().size(); ++t)
        for (const std::uint32_t v : surface.clusters.triangle_vertices(t))
            around[v].first.insert(patches.of(t)), ++around[v].second;
    std::map<std::set<std::uint32_t>, std::size_t> expected, known;
    for (const auto& [v, there] : around)
        if (there.first.size() >= 3) ++expected[there.first];
    for (std::uint32_t p = 0; p < patches.size(); ++p)
        for (std::uint32_t m = patches.first_meeting(p); m < patches.first_meeting(p + 1); ++m) {
            std::set<std::uint32_t> there;
            std::map<std::uint32_t, int> vertices;
            for (const std::uint32_t place : patches.fan(m)) {
                there.insert(place / 8);
                for (const std::uint32_t v :
                     surface.clusters.triangle_vertices(patches.triangles(place / 8)[place % 8]))
                    ++vertices[v];
            }
            EXPECT_EQ(*there.begin(), p);
            ++known[there];
            // One vertex is in all of them, and they are all that it has.
            const auto middle =
                std::max_element(vertices.begin(), vertices.end(),
                                 [](const auto& x, const auto& y) { return x.second < y.second; });
            EXPECT_EQ(static_cast<std::size_t>(middle->second), patches.fan(m).size());
            EXPECT_EQ(around[middle->first].second, patches.fan(m).size());
            for (const std::uint32_t i : there)
                for (std::size_t k = 0; k < patches.neighbours(i).size(); ++k) {
                    const auto shared = patches.meetings_with(i, k);
                    EXPECT_EQ(there.contains(patches.neighbours(i)[k]),
                              std::binary_search(shared.begin(), shared.end(), m));
                }
        }
    EXPECT_EQ(known, expected);
    EXPECT_GT(patches.meetings(), patches.size());
}

}  // namespace
}  // namespace plush
