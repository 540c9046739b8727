#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "detect/penetration/tet_things.hpp"

namespace plush {
namespace {

const Parallel one_thread(1);

std::vector<Penetration> search(std::span<const Thing> things, const DepthOptions& options = {},
                                const Parallel& parallel = one_thread) {
    PenetrationSearch search;
    const auto objects = objects_of(things);
    const auto found = search.find(objects, options, parallel);
    return {found.begin(), found.end()};
}

const Penetration* find(std::span<const Penetration> list, std::uint32_t owner, std::uint32_t point,
                        std::uint32_t object) {
    for (const Penetration& r : list)
        if (r.owner == owner && r.point == point && r.object == object) return &r;
    return nullptr;
}

bool same_bits(std::span<const Penetration> a, std::span<const Penetration> b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Penetration& p, const Penetration& q) {
        return p.owner == q.owner && p.point == q.point && p.object == q.object && p.tet == q.tet &&
               p.weights == q.weights && p.direction == q.direction && p.depth == q.depth &&
               p.level == q.level;
    });
}

constexpr DepthOptions by_cells{.reference = true};
constexpr DepthOptions face_normals{.normals = DepthNormals::face};

// Stage 1 to 3 with a known answer: a tip 0.1 m below the flat top of a box.
TEST(Penetration, ATipBelowAFlatFaceIsAsDeepAsItIs) {
    const std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}), spike({0.1, 0.9, 0.2}, 0.5, 0.3)};
    for (const bool reference : {true, false}) {
        const auto found = search(things, {.normals = DepthNormals::face, .reference = reference});
        ASSERT_EQ(found.size(), 1u);
        const Penetration& r = found[0];
        EXPECT_EQ(r.owner, 1u);
        EXPECT_EQ(r.point, 0u);
        EXPECT_EQ(r.object, 0u);
        EXPECT_EQ(r.level, 0);
        EXPECT_NEAR(r.depth, 0.1, 1e-15);                          // measured 2.8e-17
        EXPECT_NEAR(norm(r.direction - Vec3{0, 1, 0}), 0, 1e-15);  // measured 0
        Vec3 place{};
        const Tet& tet = things[0].shape->tets()[r.tet];
        for (std::size_t i = 0; i < 4; ++i)
            place += r.weights[i] * things[0].x[static_cast<std::size_t>(tet[i])];
        EXPECT_NEAR(norm(place - things[1].x[0]), 0, 1e-15);
    }
}

// Stage 3 with a known answer: edges leave through two sides of a box, at distances of 0.2, 0.1 and √0.02 m,
// and count by the squares of these.
TEST(Penetration, CrossingsCountByTheSquareOfTheirDistance) {
    const Vec3 tip{0.3, 0.4, 0.05};
    const std::vector<Thing> things{
        block({0.5, 0.5, 0.5}, {1, 1, 1}),
        Thing(TetMesh({tip, {0.9, 0.4, 0.05}, {0.3, 0.8, 0.05}, {0.3, 0.8, 0.45}}, {{0, 1, 2, 3}}))};
    for (const bool reference : {true, false}) {
        const auto found = search(things, {.normals = DepthNormals::face, .reference = reference});
        const Penetration* r = find(found, 1, 0, 0);
        ASSERT_TRUE(r);
        EXPECT_NEAR(r->depth, (25 * 0.2 + 100 * 0.1 + 50 * 0.1) / 175, 1e-14);
        EXPECT_NEAR(norm(cross(r->direction, Vec3{25, 150, 0})), 0, 1e-12);
    }
}

// Stage 4 with a known answer: with one direction for all, propagated depths are exact, however deep.
TEST(Penetration, PropagatedDepthsUnderAFlatFaceAreExactHoweverDeep) {
    const double sink = 1.4;  // of a box 2 m high: its bottom is nearer to the other's bottom than to its top
    std::vector<Thing> things{block({2, 1, 2}, {4, 2, 4}), block({0.5, 1, 0.5}, {2, 8, 2})};
    things[1].moved({0.13, 2 - sink, 0.07});
    const auto found = search(things, face_normals);
    int deepest = 0;
    std::size_t seen = 0;
    for (const Penetration& r : found) {
        if (r.owner != 1) continue;
        ++seen;
        deepest = std::max(deepest, r.level);
        EXPECT_NEAR(r.depth, 1 - things[1].x[r.point].y, 1e-14);  // measured 4.4e-16
        EXPECT_NEAR(r.direction.y, 1, 1e-15);
    }
    EXPECT_EQ(seen, 6u * 9u);  // layers of 3 × 3 at −0.4, −0.15, 0.1, 0.35, 0.6, 0.85
    EXPECT_EQ(deepest, 5);

    // The baseline sends the lowest layer out at the bottom.
    const auto closest = search(things, {.method = DepthMethod::closest_feature});
    for (const Penetration& r : closest)
        EXPECT_TRUE(r.owner != 1 || things[1].x[r.point].y >= -0.3 || r.direction.y < -0.9);
}

// No point changes class along the path, so the vector d·r may only creep; the baseline's jumps
// where another side of the box becomes the closest.
TEST(Penetration, ThePathAcrossACoarseBoxHasNoJumps) {
    const std::vector<Thing> coarse{block({0.5, 0.5, 0.5}, {1, 1, 1})};  // edges of 1 m and √2 m
    const auto largest_change = [&](DepthMethod method, DepthNormals normals) {
        Vec3 before{};
        double largest = 0;
        for (int i = 0; i <= 850; ++i) {
            std::vector<Thing> things = coarse;
            things.push_back(spike({-0.4 + 1e-3 * i, 0.2, 0.05}, 0.8, 0.02));
            const auto found = search(things, {.method = method, .normals = normals});
            const Penetration* r = find(found, 1, 0, 0);
            if (!r) return HUGE_VAL;
            const Vec3 now = r->depth * r->direction;
            if (i > 0) largest = std::max(largest, norm(now - before) / norm(now));
            before = now;
        }
        return largest;
    };
    // Measured: 0.32 %, 1e-13, 141 %.
    EXPECT_LT(largest_change(DepthMethod::consistent, DepthNormals::interpolated), 0.01);
    EXPECT_LT(largest_change(DepthMethod::consistent, DepthNormals::face), 0.01);
    EXPECT_GT(largest_change(DepthMethod::closest_feature, DepthNormals::face), 0.10);
}

// |d − exact| → 0 at the surface; d/exact → 1 with face normals only.
TEST(Penetration, DepthsConvergeToTheExactOneAtTheSurface) {
    double last = HUGE_VAL;
    for (double depth = 0.25; depth > 1e-9; depth /= 4) {
        const std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}),
                                        spike({0.63, 1 - depth, 0.71}, 0.9, 0.4)};
        const auto smooth = search(things), flat = search(things, face_normals);
        ASSERT_EQ(smooth.size(), 1u);
        const double error = std::abs(smooth[0].depth - depth);
        EXPECT_LT(error, last / 2);                   // measured: 1/3.4 to a quarter each time
        EXPECT_GT(error, 0.05 * depth);               // and not faster: the ratio does not tend to 1
        EXPECT_NEAR(flat[0].depth / depth, 1, 1e-6);  // measured 1e-8 at a depth of 1e-9
        last = error;
    }
    EXPECT_LT(last, 1e-9);
}

// Interpolated normals can point along the edge: the depth is then zero, not negative.
TEST(Penetration, ADepthIsNeverNegative) {
    // Just below the top, next to a corner where normals lean outward; the only edges lead inward over the
    // top.
    const TetMesh flat({{0.98, 0.99, 0.98}, {-3, 1.4, -3}, {-3.3, 1.4, -2.8}, {-3, 1.6, -3.2}},
                       {{0, 1, 2, 3}});
    const std::vector<Thing> things{block({1, 1, 1}, {1, 1, 1}), Thing(flat)};
    const auto smooth = search(things);
    const Penetration* r = find(smooth, 1, 0, 0);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->level, 0);
    EXPECT_EQ(r->depth, 0);
    EXPECT_NEAR(norm(r->direction), 1, 1e-15);
    const auto flat_normals = search(things, face_normals);
    EXPECT_NEAR(find(flat_normals, 1, 0, 0)->depth, 0.01, 1e-15);
}

TEST(Penetration, AnObjectWhollyInsideHasNoDepth) {
    const std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}),
                                    block({0.2, 0.2, 0.2}, {1, 1, 1}, {{0.3, 0.1, 0}, {}})};
    for (const bool reference : {true, false}) {
        const auto found = search(things, {.reference = reference});
        ASSERT_EQ(found.size(), 8u);
        for (const Penetration& r : found) {
            EXPECT_EQ(r.level, -1);
            EXPECT_EQ(r.depth, 0);
            EXPECT_EQ(r.direction, Vec3{});
        }
    }
    // The closest feature knows a way out for each point, but not the same one.
    for (const Penetration& r : search(things, {.method = DepthMethod::closest_feature}))
        EXPECT_EQ(r.level, 0);
}

// More than two objects at one point: one answer for each, on its own surface.
TEST(Penetration, APointInTwoObjectsHasADepthInEach) {
    std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}), block({1, 1, 1}, {2, 2, 2}),
                              spike({0.97, 0.9, 0.1}, 0.5, 0.3)};
    things[1].moved({0.2, -0.05, 0});
    const auto found = search(things, face_normals);
    const Penetration *first = find(found, 2, 0, 0), *second = find(found, 2, 0, 1);
    ASSERT_TRUE(first && second);
    EXPECT_NEAR(second->depth, 0.05, 1e-15);  // all its edges leave the second by its top
    EXPECT_NEAR(second->direction.y, 1, 1e-15);
    // One edge leaves the first by its side, 0.03 away; the top is 0.1 away.
    EXPECT_GT(first->depth, 0.03);
    EXPECT_LT(first->depth, 0.1);
    EXPECT_GT(first->direction.x, 0.1);
    EXPECT_GT(first->direction.y, 0.1);
}

// Filters: pairs that may not touch are not there, and say nothing to the others.
TEST(Penetration, PairsThatMayNotTouchAreLeftOut) {
    const std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}), spike({0.1, 0.9, 0.2}, 0.5, 0.3)};
    PenetrationSearch search;
    const auto objects = objects_of(things);
    EXPECT_EQ(search.find(objects, {}, one_thread).size(), 1u);
    EXPECT_EQ(search.find(objects, {}, one_thread, [](auto, auto) { return false; }).size(), 0u);
}

/// A bar along x whose ends are bent round until they overlap: a ring that is open on top.
Thing bent_bar() {
    Thing bar = block({4, 0.25, 0.25}, {32, 2, 2});
    for (Vec3& p : bar.x) {
        const double angle = 0.813 * p.x, radius = 1 + p.y + (p.x > 0 ? 0.12 : -0.12);
        p = {radius * std::sin(angle), -radius * std::cos(angle), p.z + 0.02 * p.x};
    }
    bar.self = true;
    return bar;
}

TEST(Penetration, WithinOneObjectTheEndsOfABentBarMeet) {
    const std::vector<Thing> things{bent_bar()};
    for (const bool reference : {true, false}) {
        const auto found = search(things, {.reference = reference});
        ASSERT_GT(found.size(), 10u);
        std::size_t known = 0;
        for (const Penetration& r : found) {
            EXPECT_EQ(r.owner, r.object);
            const Tet& tet = things[0].shape->tets()[r.tet];
            EXPECT_EQ(std::count(tet.begin(), tet.end(), static_cast<int>(r.point)), 0);
            // Points of one end are in tets of the other.
            const Vec3 rest_point = tet_box({4, 0.25, 0.25}, {32, 2, 2}).value().positions()[r.point];
            const Vec3 rest_tet =
                tet_box({4, 0.25, 0.25}, {32, 2, 2}).value().positions()[static_cast<std::size_t>(tet[0])];
            EXPECT_LT(rest_point.x * rest_tet.x, 0);
            if (r.level < 0) continue;
            ++known;
            EXPECT_LT(r.depth, 0.5);
        }
        EXPECT_GT(known, found.size() / 2);
    }
    Thing blind = bent_bar();
    blind.self = false;
    EXPECT_TRUE(search({&blind, 1}).empty());
}

TEST(Penetration, NothingAtRestIsInItself) {
    Thing bar = block({4, 0.25, 0.25}, {32, 2, 2});
    bar.self = true;
    EXPECT_TRUE(search({&bar, 1}).empty());
    EXPECT_TRUE(search({&bar, 1}, by_cells).empty());
}

TEST(Penetration, NoObjectsAndNoTetsAreNoTrouble) {
    EXPECT_TRUE(search({}).empty());
    const std::vector<Thing> empty{Thing(TetMesh())};
    EXPECT_TRUE(search(empty).empty());
    // Flat tets contain nothing; a whole object in one place makes no cell of size zero.
    Thing point = spike({}, 1, 1);
    for (Vec3& p : point.x) p = {0, 0.5, 0};
    const std::vector<Thing> things{point, point, block({1, 1, 1}, {1, 1, 1})};
    EXPECT_EQ(search(things).size(), 8u);
    EXPECT_EQ(search(things, by_cells).size(), 8u);
}

// Any order of the objects and any numbering of vertices and tets gives the same answer.
TEST(Penetration, TheOrderOfObjectsAndVerticesDoesNotMatter) {
    const std::vector<Thing> things = ball_lattice(4, 0.03, 3);
    const auto found = search(things);
    ASSERT_GT(found.size(), 100u);

    std::vector<Thing> reversed(things.rbegin(), things.rend());
    const auto last = static_cast<std::uint32_t>(things.size() - 1);
    auto turned = search(reversed);
    for (Penetration& r : turned) r.owner = last - r.owner, r.object = last - r.object;
    ASSERT_EQ(turned.size(), found.size());
    for (const Penetration& r : found) {
        const Penetration* same = find(turned, r.owner, r.point, r.object);
        ASSERT_TRUE(same);
        EXPECT_TRUE(same_bits({&r, 1}, {same, 1}));
    }

    // Vertices from the last to the first: sums run the other way, so a few units of rounding.
    std::vector<Thing> renamed;
    for (const Thing& thing : things) {
        const auto n = static_cast<int>(thing.x.size());
        std::vector<Vec3> x(thing.x.rbegin(), thing.x.rend());
        std::vector<Tet> tets;
        for (Tet t : thing.shape->tets()) {
            for (int& v : t) v = n - 1 - v;
            tets.push_back(t);
        }
        std::reverse(tets.begin(), tets.end());
        renamed.emplace_back(TetMesh(std::move(x), std::move(tets)));
    }
    const auto other = search(renamed);
    ASSERT_EQ(other.size(), found.size());
    double worst = 0;
    for (const Penetration& r : found) {
        const Penetration* same = find(other, r.owner, static_cast<std::uint32_t>(12 - r.point), r.object);
        ASSERT_TRUE(same);
        EXPECT_EQ(same->level, r.level);
        worst = std::max(worst, norm(same->depth * same->direction - r.depth * r.direction));
    }
    EXPECT_LT(worst, 1e-14);  // measured 4e-16
}

TEST(Penetration, ThreadsCellsAndPathsGiveTheSameBits) {
    for (const double jitter : {0.0, 0.06}) {  // convex, and with dents
        std::vector<Thing> things = ball_lattice(6, jitter, 5);
        things.push_back(block({0.5, 1, 0.5}, {3, 8, 3}, {{2, 0, 2}, exp_rotation({0.3, 0.1, -0.2})}));
        things.push_back(block({1, 1, 1}, {4, 4, 4}, {{2, -1, 2}, exp_rotation({0.1, 0.5, 0.2})}));
        const auto expected = search(things, by_cells);
        ASSERT_GT(expected.size(), 500u);
        EXPECT_GT(std::count_if(expected.begin(), expected.end(), [](auto& r) { return r.level == 1; }), 3);
        for (const int threads : {1, 2, 3})
            for (const DepthCells cells : {DepthCells::dense, DepthCells::hash})
                for (const bool reference : {true, false}) {
                    const Parallel parallel(threads);
                    EXPECT_TRUE(same_bits(search(things, {.cells = cells, .reference = reference}, parallel),
                                          expected))
                        << threads << " threads, hash " << (cells == DepthCells::hash) << ", reference "
                        << reference << ", jitter " << jitter;
                }
        for (const double edges : {0.4, 3.0})
            EXPECT_TRUE(same_bits(search(things, {.cell_edges = edges}), expected)) << edges;
    }
}

// Floats sort out most points: whatever the size of things, how far from the origin and how flat, none is
// lost.
TEST(Penetration, SizePlaceAndFlatTetsLoseNoPoint) {
    for (const double size : {1e-30, 1e-3, 1.0, 1e12, 1e30})
        for (const double away : {0.0, 1e4}) {
            std::vector<Thing> things = ball_lattice(3, 0.02, 5);
            things.push_back(block({1, 1e-5, 1}, {3, 1, 3}, {{1, 1, 1}, exp_rotation({0.1, 0.5, 0.2})}));
            things.push_back(block({1, 1, 1}, {2, 2, 2}));
            for (Vec3& p : things.back().x) p.y = 0.7;  // tets without volume
            if (away > 0) things.push_back(block({1, 1, 1}, {1, 1, 1}, {{-900, 0, 0}, {}}));
            for (Thing& thing : things) {
                for (Vec3& p : thing.x) p = size * (p + Vec3{away, -away, 0.5 * away});
                const auto tets = thing.shape->tets();
                thing.shape = std::make_shared<TetShape>(thing.x, tets);  // which knows the size of a cell
            }
            const auto expected = search(things, by_cells);
            EXPECT_GT(expected.size(), 100u) << size << " " << away;
            EXPECT_TRUE(same_bits(search(things), expected)) << size << " " << away;
        }
}

// A body that has burst covers more cells than can be looked into one by one.
TEST(Penetration, ABurstBodyIsNoEndlessSearch) {
    std::vector<Thing> things = ball_lattice(3, 0.02, 5);
    for (Vec3& p : things[0].x) p *= 1e9;
    const auto found = search(things);
    std::size_t inside = 0;  // of the burst one, by asking all
    std::array<double, 4> w{};
    for (std::size_t i = 1; i < things.size(); ++i)
        for (const Vec3& p : things[i].x) {
            const auto at = [&](int v) { return things[0].x[static_cast<std::size_t>(v)]; };
            const auto tets = things[0].shape->tets();
            inside += std::any_of(tets.begin(), tets.end(), [&](const Tet& t) {
                return point_in_tet(p, at(t[0]), at(t[1]), at(t[2]), at(t[3]), w);
            });
        }
    EXPECT_EQ(std::count_if(found.begin(), found.end(), [](auto& r) { return r.object == 0; }),
              static_cast<std::ptrdiff_t>(inside));
    EXPECT_GT(inside, 100u);
}

// The same by cells: where half of a body's vertices have flown away, edges and faces are a million cells
// long. (Not longer: at 1e9 rounding decides whether an edge crosses a face, and paths may differ.)
// Without a bound on the cells of a face it takes 4 s, without one on those of an edge more than 7.
TEST(Penetration, ABurstBodyIsNoEndlessWayThroughCells) {
    for (const DepthCells cells : {DepthCells::dense, DepthCells::hash}) {
        std::vector<Thing> things = ball_lattice(3, 0.02, 5);
        const auto burst = [](std::size_t i) { return i % 3 == 1; };
        for (std::size_t i = 0; i < things.size(); ++i)
            for (std::size_t v = 0; burst(i) && v < things[i].x.size(); v += 2) things[i].x[v] *= 3e5;
        PenetrationSearch by_walks, through_cells;
        const auto objects = objects_of(things);
        const auto expected = by_walks.find(objects, {.cells = cells}, one_thread);
        const std::clock_t start = std::clock();
        const auto found = through_cells.find(objects, {.cells = cells, .reference = true}, one_thread);
        EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2);  // measured: 0.01
        EXPECT_TRUE(same_bits(found, expected));
        std::size_t long_edges = 0, long_faces = 0;  // or it would show nothing
        for (const Crossing& c : through_cells.crossings()) {
            long_edges += burst(found[c.record].owner) && c.outside % 2 == 0;
            long_faces += burst(found[c.record].object);
        }
        EXPECT_GT(long_edges, 5u);
        EXPECT_GT(long_faces, 5u);
    }
}

// More points than one range of them holds, against all asked one by one.
TEST(Penetration, ManyPointsAreFoundByTheirFirstTet) {
    const std::vector<Thing> things = ball_lattice(10, 0.03, 7);
    struct Place {
        std::uint32_t owner, point, object, tet;
        bool operator==(const Place&) const = default;
    };
    std::vector<Place> expected;
    const auto middle = [](const Thing& t) { return t.x.back(); };
    std::array<double, 4> w{};
    for (std::uint32_t i = 0; i < things.size(); ++i) {
        std::vector<std::uint32_t> near;
        for (std::uint32_t o = 0; o < things.size(); ++o)
            if (o != i && norm(middle(things[o]) - middle(things[i])) < 1.5) near.push_back(o);
        for (std::uint32_t v = 0; v < things[i].x.size(); ++v)
            for (const std::uint32_t o : near) {
                const auto at = [&](int k) { return things[o].x[static_cast<std::size_t>(k)]; };
                const auto tets = things[o].shape->tets();
                const auto tet = std::find_if(tets.begin(), tets.end(), [&](const Tet& t) {
                    return point_in_tet(things[i].x[v], at(t[0]), at(t[1]), at(t[2]), at(t[3]), w);
                });
                if (tet != tets.end())
                    expected.push_back({i, v, o, static_cast<std::uint32_t>(tet - tets.begin())});
            }
    }
    ASSERT_GT(expected.size(), 3000u);
    for (const int threads : {1, 2, 3}) {
        std::vector<Place> places;
        for (const Penetration& p : search(things, DepthOptions{}, Parallel(threads)))
            places.push_back({p.owner, p.point, p.object, p.tet});
        EXPECT_TRUE(places == expected) << threads << " threads";
    }
}

// Thousands of points in few cells: a tet then looks for itself.
TEST(Penetration, CrowdedCellsGiveTheSameBits) {
    std::vector<Thing> things{block({0.5, 0.5, 0.5}, {12, 12, 12}), block({0.5, 0.5, 0.5}, {2, 2, 2})};
    things[1].moved({0.3, 0.21, 0.17});
    const auto expected = search(things, by_cells);
    EXPECT_GT(expected.size(), 500u);
    for (const double edges : {1.0, 5.0})
        EXPECT_TRUE(same_bits(search(things, {.cell_edges = edges}), expected)) << edges;
}

// A search that was used before gives what a fresh one gives.
TEST(Penetration, ASearchIsUsedAgain) {
    PenetrationSearch used;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        std::vector<Thing> things = ball_lattice(3 + static_cast<int>(seed % 2), 0.05, seed);
        const auto objects = objects_of(things);
        EXPECT_TRUE(same_bits(used.find(objects, {}, one_thread), search(things)));
    }
}

TEST(Penetration, TheVertexNormalMethodGoesBackAlongTheOwnNormal) {
    std::vector<Thing> things{block({1, 1, 1}, {2, 2, 2}), block({0.4, 0.4, 0.4}, {1, 1, 1})};
    things[1].moved({0, 1.1, 0});  // its lower corners 0.3 deep
    const auto found = search(things, {.method = DepthMethod::vertex_normal});
    std::size_t corners = 0;
    for (const Penetration& r : found) {
        if (r.owner != 1) continue;
        ++corners;
        EXPECT_GT(r.direction.y, 0.4);  // a corner's normal leans: 1/√3, or more with more faces below
        EXPECT_NEAR(r.depth * r.direction.y, 0.3, 1e-14);
    }
    EXPECT_EQ(corners, 4u);
}

}  // namespace
}  // namespace plush
