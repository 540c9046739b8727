#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <set>

#include "detect/depth_images/surfaces.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// The images themselves: are they watertight, does culling change nothing, do threads change nothing?

namespace plush {
namespace {

using test::random_rotation;
using test::random_vector;
using test::Surface;

const std::filesystem::path meshes = PLUSH_MESHES_DIR;

#define SKIP_WITHOUT_MESHES()             \
    if (!std::filesystem::exists(meshes)) \
    GTEST_SKIP() << "no folder " << meshes << "; set PLUSH_TEST_MESHES to test with real meshes"

/// Columns in which the crossings of a surface do not add up to zero, of all that meet it.
ImageCounts all_columns(const Mesh& mesh, const Transform& pose, double pixel) {
    const Surface surface(mesh, pose);
    OverlapFinder finder;
    EXPECT_TRUE(finder.find({.a = surface.view, .self = true}, {.pixel = pixel}, {}));
    return finder.images().counts;
}

/// Every vertex in the middle of a pixel, in all three images.
Mesh on_pixel_centres(const Mesh& mesh, const Transform& pose, double pixel) {
    std::vector<Vec3> positions;
    for (const Vec3& p : mesh.positions()) {
        const Vec3 q = (pose * p) / pixel;
        positions.push_back(Vec3{std::floor(q.x) + 0.5, std::floor(q.y) + 0.5, std::floor(q.z) + 0.5} *
                            pixel);
    }
    return Mesh(std::move(positions), {mesh.triangles().begin(), mesh.triangles().end()});
}

const std::vector<const char*> closed_meshes{
    "armadillo.obj",    "bunny.off",    "spot.obj",
    "cheburashka.off",  "elephant.obj", "3holes.off",
    "octopus-low.mesh", "hand.mesh",    "bad/cow-nonmanifold-edge.off"};

void expect_watertight(const Mesh& mesh, std::uint64_t seed) {
    Random random(seed);
    const double size = max_component(mesh.bounds().size());
    for (const int across : {30, 100, 250}) {
        const double pixel = power_of_two_below(size / across);
        const Transform pose{random_vector(random, size), random_rotation(random)};
        const ImageCounts seen = all_columns(mesh, pose, pixel);
        EXPECT_GT(seen.columns,
                  100u);  // measured: 135 of the eel, which is slim; the others have 300 and more
        EXPECT_EQ(seen.open[0], 0u) << "of " << seen.columns;
        const ImageCounts hit = all_columns(on_pixel_centres(mesh, pose, pixel), {}, pixel);
        EXPECT_GT(hit.columns, 100u);
        EXPECT_EQ(hit.open[0], 0u) << "of " << hit.columns << ", vertices on pixel centres";
    }
}

TEST(DepthImages, AreWatertightOnRealMeshes) {
    SKIP_WITHOUT_MESHES();
    for (const char* file : closed_meshes) {
        SCOPED_TRACE(file);
        expect_watertight(Mesh::load(meshes / file), 5);
    }
}

TEST(DepthImages, AreWatertightOnGeneratedShapes) {
    for (const ShapeName& shape : shape_names()) {
        SCOPED_TRACE(shape.name);
        expect_watertight(generate({.shape = std::string(shape.name), .triangles = 2000}).value(), 6);
    }
}

TEST(DepthImages, AreWatertightWithTrianglesOfAnySize) {
    // 12 triangles up to 1,400 pixels long take the wide edge functions; a face along a column is met by
    // none.
    for (const double pixel : {1.0 / 8, 1.0 / 64, 1.0 / 1024}) {
        const Mesh box = shapes::box({0.5, 0.5, 0.5});
        EXPECT_EQ(all_columns(on_pixel_centres(box, {}, pixel), {}, pixel).open[0], 0u);
        EXPECT_EQ(all_columns(box, {{0.1, 0.2, 0.3}, exp_rotation({1, 2, 3})}, pixel).open[0], 0u);
    }
}

TEST(DepthImages, SeeAHole) {
    const Mesh sphere = shapes::icosphere(1, 1280);
    std::vector<Triangle> triangles(sphere.triangles().begin(), sphere.triangles().end());
    triangles.pop_back();
    const Mesh open({sphere.positions().begin(), sphere.positions().end()}, triangles);
    const ImageCounts seen = all_columns(open, {}, 1.0 / 64);
    EXPECT_GT(seen.open[0], 5u);  // 40
    EXPECT_LT(seen.open[0], 100u);
}

TEST(SurfaceClusters, HoldEveryTriangleOnce) {
    const Mesh mesh = generate({.shape = "bear", .triangles = 20000}).value();
    const Surface s(mesh);
    std::set<std::uint32_t> seen;
    for (const auto& cluster : s.clusters.clusters()) {
        EXPECT_LE(cluster.triangles, SurfaceClusters::max_triangles);
        EXPECT_LE(cluster.vertices, 192u);
        for (std::uint32_t t = cluster.first_triangle; t < cluster.first_triangle + cluster.triangles; ++t) {
            EXPECT_TRUE(seen.insert(s.clusters.triangle_id(t)).second);
            const Triangle& expected = mesh.triangles()[s.clusters.triangle_id(t)];
            const auto ids = s.clusters.triangle_vertices(t);
            for (std::size_t k = 0; k < 3; ++k) {
                EXPECT_EQ(static_cast<int>(ids[k]), expected[k]);
                EXPECT_TRUE(s.bounds.boxes[s.clusters.cluster_of(t)].contains(mesh.positions()[ids[k]]));
            }
        }
    }
    EXPECT_EQ(seen.size(), mesh.triangles().size());
    // Patches, not strips: 20,000 triangles in clusters of 30 or more on the whole.
    EXPECT_LT(s.clusters.clusters().size(), 20000u / 25);  // 513
    EXPECT_TRUE(s.clusters.closed());
}

void expect_same(const OverlapFinder& a, const OverlapFinder& b) {
    for (std::size_t d = 0; d < 3; ++d) {
        const auto &x = a.images().intervals[d], &y = b.images().intervals[d];
        ASSERT_EQ(x.size(), y.size());
        for (std::size_t i = 0; i < x.size(); ++i)
            ASSERT_EQ(std::memcmp(&x[i], &y[i], sizeof(OverlapInterval)), 0)
                << "axis " << d << " interval " << i;
    }
    const auto &p = a.model().contacts, &q = b.model().contacts;
    ASSERT_EQ(p.size(), q.size());
    for (std::size_t c = 0; c < p.size(); ++c) {
        EXPECT_EQ(p[c].volume, q[c].volume);
        EXPECT_EQ(p[c].gradient, q[c].gradient);
        EXPECT_EQ(p[c].moment, q[c].moment);
        EXPECT_EQ(p[c].centre, q[c].centre);
        EXPECT_EQ(p[c].largest_depth, q[c].largest_depth);
        for (std::size_t side = 0; side < 2; ++side) {
            const auto r = a.model().rows(c, side), s = b.model().rows(c, side);
            ASSERT_EQ(r.size(), s.size());
            for (std::size_t i = 0; i < r.size(); ++i) {
                EXPECT_EQ(r[i].vertex, s[i].vertex);
                EXPECT_EQ(r[i].gradient, s[i].gradient);
            }
        }
    }
}

/// Calls f(pair, pixel) for overlapping pairs of random shapes in random poses, light and deep, aligned and
/// not, some with every vertex on pixel centres.
template <class F>
void random_pairs(std::uint64_t seed, int count, const F& f) {
    Random random(seed);
    static const std::vector<Mesh> known = [] {
        std::vector<Mesh> all;
        for (const char* name : {"box", "icosphere", "torus", "pebble", "bear", "chain_link"})
            all.push_back(generate({.shape = name, .triangles = 1500}).value());
        return all;
    }();
    for (int i = 0; i < count; ++i) {
        const auto shape = [&] { return known[random.below(known.size())]; };
        const double pixel = std::exp2(-static_cast<double>(4 + random.below(4)));
        const auto pose = [&](double apart) {
            return Transform{random_vector(random, apart), i % 3 == 0 ? Quat{} : random_rotation(random)};
        };
        Mesh first = shape(), second = shape();
        Transform pa = pose(0.1), pb = pose(0.6);
        if (i % 4 == 0) {
            first = on_pixel_centres(first, pa, pixel), second = on_pixel_centres(second, pb, pixel);
            pa = {}, pb = {};
        }
        const Surface a(first, pa), b(second, pb);
        SCOPED_TRACE(i);
        f(OverlapPair{.a = a.view, .b = b.view}, pixel);
    }
}

const ModelSettings all_of_it{.split = OverlapSplit::connected, .rows = GradientRows::vertices};

TEST(DepthPlan, CullingChangesNoBit) {
    int met = 0;
    std::size_t kept = 0, all = 0;
    Random random(9);
    random_pairs(1, 150, [&](const OverlapPair& pair, double pixel) {
        OverlapFinder culled, aimed, whole;
        ASSERT_TRUE(whole.find(pair, {.pixel = pixel, .cull = false}, all_of_it));
        ASSERT_TRUE(culled.find(pair, {.pixel = pixel}, all_of_it));
        // Any direction will do, good or bad.
        ASSERT_TRUE(aimed.find(pair, {.pixel = pixel, .direction = random_vector(random, 1)}, all_of_it));
        expect_same(whole, culled);
        expect_same(whole, aimed);
        EXPECT_EQ(whole.images().counts.open[0] + whole.images().counts.open[1], 0u);
        met += whole.model().contacts.empty() ? 0 : 1;
        kept += culled.images().counts.crossings, all += whole.images().counts.crossings;
    });
    EXPECT_GT(met, 90);             // 130 of the 150 overlap
    EXPECT_LT(10 * kept, 9 * all);  // it does cull: 0.63
}

// So fine a surface has blocks of groups, and a coarse partner has none.
TEST(DepthPlan, CullingChangesNoBitOfVeryFineSurfaces) {
    const Mesh fine = generate({.shape = "icosphere", .triangles = 500'000}).value();
    const Mesh coarse = generate({.shape = "bear", .triangles = 1500}).value();
    const Surface a(fine, {}), b(fine, {{0.6, 0.5, 0.4}, exp_rotation({1, 2, 3})}),
        c(coarse, {{0.4, -0.5, 0.1}, exp_rotation({0.3, 0, 1})});
    ASSERT_FALSE(a.view.bounds->blocks.empty());
    ASSERT_TRUE(c.view.bounds->blocks.empty());
    for (const OverlapPair& pair :
         {OverlapPair{.a = a.view, .b = b.view}, {.a = a.view, .b = c.view}, {.a = c.view, .b = a.view}})
        for (const double pixel : {1.0 / 16, 1.0 / 128}) {
            OverlapFinder culled, whole;
            ASSERT_TRUE(whole.find(pair, {.pixel = pixel, .cull = false}, all_of_it));
            ASSERT_TRUE(culled.find(pair, {.pixel = pixel}, all_of_it));
            expect_same(whole, culled);
            EXPECT_FALSE(whole.model().contacts.empty());
        }
}

// Where triangles are smaller than pixels only what has a line in it is processed: groups and clusters while
// drawing, and leaves. Coarse, so that a plan ends at groups and at blocks of them, and some with all
// vertices on pixel centres, where a box that is too small by anything loses a crossing.
TEST(DepthPlan, CullingChangesNoBitOfTrianglesSmallerThanPixels) {
    const Mesh ball = generate({.shape = "icosphere", .triangles = 150'000}).value();
    const Mesh bear = generate({.shape = "bear", .triangles = 60'000}).value();
    const Parallel two(2);
    Random random(11);
    int met = 0;
    std::array<int, 2> ended{};  // at clusters, at groups
    for (int i = 0; i < 24; ++i) {
        const double pixel = std::exp2(-static_cast<double>(3 + i % 5));
        Transform pa{random_vector(random, 0.1), random_rotation(random)};
        Transform pb{normalised(random_vector(random, 1)) * random.uniform(0.5, 0.95),
                     random_rotation(random)};
        const Mesh &first = i % 2 == 0 ? ball : bear, &second = i % 3 == 0 ? bear : ball;
        const bool centred = i % 4 == 3;
        const Surface a(centred ? on_pixel_centres(first, pa, pixel / 3) : first, centred ? Transform{} : pa);
        const Surface b(centred ? on_pixel_centres(second, pb, pixel / 3) : second,
                        centred ? Transform{} : pb);
        SCOPED_TRACE(i);
        const OverlapPair pair{.a = a.view, .b = b.view};
        OverlapFinder culled, aimed, whole, threaded;
        ASSERT_TRUE(whole.find(pair, {.pixel = pixel, .cull = false}, all_of_it));
        ASSERT_TRUE(culled.find(pair, {.pixel = pixel}, all_of_it));
        ASSERT_TRUE(aimed.find(pair, {.pixel = pixel, .direction = random_vector(random, 1)}, all_of_it));
        expect_same(whole, culled);
        expect_same(whole, aimed);
        ASSERT_TRUE(threaded.find(pair, {.pixel = pixel}, all_of_it, &two));
        expect_same(whole, threaded);
        EXPECT_EQ(whole.images().counts.open[0] + whole.images().counts.open[1], 0u);
        met += whole.model().contacts.empty() ? 0 : 1;
        ++ended[culled.plan().levels[0]];
    }
    EXPECT_GT(met, 12);      // measured: 18 of the 24
    EXPECT_GT(ended[0], 4);  // measured: 14
    EXPECT_GT(ended[1], 4);  // measured: 10
}

// `cull` off keeps what has lines; whether boxes, oriented boxes and leaves hold what they must is told by the
// surface as it is, without any of them.
TEST(DepthImages, CellsAndBricksLoseNoCrossing) {
    const Mesh mesh = generate({.shape = "bear", .triangles = 60'000}).value();
    Random random(12);
    std::size_t crossings = 0;
    for (int i = 0; i < 12; ++i) {
        const double pixel = std::exp2(-static_cast<double>(3 + i % 4));
        const Transform pose{random_vector(random, 0.3), random_rotation(random)};
        const Mesh moved = i % 3 == 0 ? on_pixel_centres(mesh, pose, pixel / 3) : mesh.transformed(pose);
        const Surface settled(moved);
        ClusterBounds boxes_alone;
        boxes_alone.refit(settled.clusters, moved.positions());
        SurfaceView plain = settled.view;
        plain.bounds = &boxes_alone;
        ASSERT_FALSE(settled.bounds.cells.empty());
        ASSERT_TRUE(boxes_alone.cells.empty() && boxes_alone.oriented_boxes.empty());
        SCOPED_TRACE(i);
        OverlapFinder with, without;
        ASSERT_TRUE(with.find({.a = settled.view, .self = true}, {.pixel = pixel, .cull = false}, all_of_it));
        ASSERT_TRUE(without.find({.a = plain, .self = true}, {.pixel = pixel, .cull = false}, all_of_it));
        EXPECT_EQ(with.images().counts.crossings, without.images().counts.crossings);
        EXPECT_EQ(with.images().counts.columns, without.images().counts.columns);
        EXPECT_EQ(with.images().counts.open[0], 0u);
        crossings += without.images().counts.crossings;
    }
    EXPECT_GT(crossings, 20000u);  // measured: 50,396
}

TEST(OrientedBox, HoldsItsPointsAndIsThinWhereTheyAre) {
    Random random(13);
    for (int i = 0; i < 50; ++i) {
        const Transform pose{random_vector(random, 3), random_rotation(random)};
        const double thick = i % 5 == 0 ? 0 : 0.01;
        std::vector<Vec3> points;
        for (int k = 0; k < 40; ++k) {
            const Vec3 p = random_vector(random, 1);
            points.push_back(pose * Vec3{p.x, 0.5 * p.y, thick * p.z});
        }
        const OrientedBox box = OrientedBox::around(points);
        double thinnest = HUGE_VAL;
        for (const Vec3& arm : box.arms) thinnest = std::min(thinnest, norm(arm));
        EXPECT_LT(thinnest, 1.5 * thick + 2e-9);  // measured: 1.2; arms keep a direction
        // In any direction.
        for (int k = 0; k < 20; ++k) {
            const Vec3 n = random_vector(random, 1);
            double reach = dot(n, box.centre), most = -HUGE_VAL;
            for (const Vec3& arm : box.arms) reach += std::abs(dot(n, arm));
            for (const Vec3& p : points) most = std::max(most, dot(n, p));
            EXPECT_LE(most, reach + 1e-12);
        }
    }
}

TEST(DepthPlan, CullingChangesNoBitAgainstAHalfSpace) {
    random_pairs(2, 20, [&](const OverlapPair& pair, double pixel) {
        const OverlapPair ground{.a = pair.a,
                                 .half_space = HalfSpace{normalised(pair.b->pose.position), 0.1}};
        OverlapFinder culled, whole;
        ASSERT_TRUE(whole.find(ground, {.pixel = pixel, .cull = false}, all_of_it));
        ASSERT_TRUE(culled.find(ground, {.pixel = pixel}, all_of_it));
        expect_same(whole, culled);
    });
}

/// Two surfaces as one.
Mesh joined(const Mesh& a, const Transform& pa, const Mesh& b, const Transform& pb, bool turn_b = false) {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles(a.triangles().begin(), a.triangles().end());
    for (const Vec3& p : a.positions()) positions.push_back(pa * p);
    const int first = static_cast<int>(positions.size());
    for (const Vec3& p : b.positions()) positions.push_back(pb * p);
    for (const Triangle& t : b.triangles())
        triangles.push_back({first + t[0], first + t[turn_b ? 2 : 1], first + t[turn_b ? 1 : 2]});
    return Mesh(std::move(positions), std::move(triangles));
}

// Of a surface with itself, columns in which it cannot wind twice are not sorted.
TEST(DepthPlan, CullingChangesNoBitOfASurfaceWithItself) {
    int met = 0;
    std::size_t open = 0, inverted = 0;
    int number = 0;
    random_pairs(5, 40, [&](const OverlapPair& pair, double pixel) {
        const auto mesh_of = [](const SurfaceView& view) {
            std::vector<Triangle> triangles;
            for (std::size_t t = 0; t < view.surface->corners().size(); ++t) {
                const auto v = view.surface->triangle_vertices(t);
                triangles.push_back({static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])});
            }
            return Mesh({view.positions.begin(), view.positions.end()}, std::move(triangles));
        };
        // Some with a part that is inside out, some with a hole.
        Mesh both = joined(mesh_of(pair.a), pair.a.pose, mesh_of(*pair.b), pair.b->pose, number % 5 == 1);
        if (number % 5 == 2) {
            std::vector<Triangle> triangles(both.triangles().begin(), both.triangles().end() - 7);
            both = Mesh({both.positions().begin(), both.positions().end()}, std::move(triangles));
        }
        ++number;
        const Surface surface(both);
        OverlapFinder culled, whole;
        ASSERT_TRUE(
            whole.find({.a = surface.view, .self = true}, {.pixel = pixel, .cull = false}, all_of_it));
        ASSERT_TRUE(culled.find({.a = surface.view, .self = true}, {.pixel = pixel}, all_of_it));
        expect_same(whole, culled);
        const ImageCounts &p = whole.images().counts, &q = culled.images().counts;
        EXPECT_EQ(p.columns, q.columns);
        EXPECT_EQ(p.crossings, q.crossings);
        EXPECT_EQ(p.open[0], q.open[0]);
        EXPECT_EQ(p.inverted[0], q.inverted[0]);
        met += whole.model().contacts.empty() ? 0 : 1;
        open += p.open[0], inverted += p.inverted[0];
    });
    EXPECT_GT(met, 20);           // measured: 25 of the 40
    EXPECT_GT(open, 100u);        // measured: 1,192
    EXPECT_GT(inverted, 10000u);  // measured: 71,894
}

TEST(DepthImages, ThreadsChangeNoBit) {
    const Parallel two(2), three(3);
    random_pairs(3, 12, [&](const OverlapPair& pair, double pixel) {
        OverlapFinder one, other, another;
        ASSERT_TRUE(one.find(pair, {.pixel = pixel}, all_of_it));
        ASSERT_TRUE(other.find(pair, {.pixel = pixel}, all_of_it, &two));
        ASSERT_TRUE(another.find(pair, {.pixel = pixel}, all_of_it, &three));
        expect_same(one, other);
        expect_same(one, another);
    });
}

TEST(DepthImages, UsedAgainTheyForget) {
    OverlapFinder used;
    random_pairs(4, 12, [&](const OverlapPair& pair, double pixel) {
        OverlapFinder fresh;
        ASSERT_TRUE(fresh.find(pair, {.pixel = pixel}, all_of_it));
        ASSERT_TRUE(used.find(pair, {.pixel = pixel}, all_of_it));
        expect_same(fresh, used);
        ASSERT_TRUE(used.find({.a = pair.a, .self = true}, {.pixel = pixel}, all_of_it));
    });
}

// An embedded surface is deformed only where it matters, and bounded by what carries it.
TEST(ClusterCages, LazyDeformationIsTheSameAsAllOfIt) {
    const Mesh mesh = generate({.shape = "bear", .triangles = 6000}).value();
    const TetMesh tets = tetrahedralise(mesh, {.cells_across = 8});
    const Embedding embedding = Embedding::in_tets(tets, mesh.positions()).value();
    std::vector<Vec3> coarse(tets.positions().begin(), tets.positions().end());
    for (Vec3& x : coarse) x += Vec3{0.2 * x.y * x.y, 0.1 * x.z, -0.3 * x.x * x.y};
    std::vector<Vec3> deformed(mesh.positions().size());
    embedding.apply(coarse, deformed);

    const SurfaceClusters clusters(mesh.positions(), mesh.triangles());
    ClusterBounds by_cages, by_vertices;
    ClusterCages(clusters, embedding).refit(coarse, by_cages);
    by_vertices.refit(clusters, deformed);
    for (std::size_t c = 0; c < clusters.clusters().size(); ++c) {
        EXPECT_TRUE(by_cages.boxes[c].contains(by_vertices.boxes[c].low));
        EXPECT_TRUE(by_cages.boxes[c].contains(by_vertices.boxes[c].high));
    }
    const SurfaceView lazy{
        .surface = &clusters, .positions = coarse, .bounds = &by_cages, .embedding = &embedding};
    const SurfaceView whole{.surface = &clusters, .positions = deformed, .bounds = &by_vertices};
    const Surface other(shapes::icosphere(0.4, 5000), {{0.5, 0.1, 0}});
    OverlapFinder a, b;
    ASSERT_TRUE(a.find({.a = lazy, .b = other.view}, {.pixel = 1.0 / 128}, all_of_it));
    ASSERT_TRUE(b.find({.a = whole, .b = other.view}, {.pixel = 1.0 / 128}, all_of_it));
    ASSERT_EQ(b.model().contacts.size(), 1u);
    // The window may differ, so only to rounding.
    EXPECT_NEAR(a.model().contacts[0].volume, b.model().contacts[0].volume, 1e-12);
    EXPECT_GT(b.model().contacts[0].volume, 1e-4);

    // Boxes that fit, where the other one is near: the same bits.
    ClusterBounds fitted = by_cages;
    const Box3& ball = other.view.bounds->all;
    const Vec3 there = other.view.pose.position;
    const Box3 near[]{{ball.low + there, ball.high + there}};
    ClusterCages(clusters, embedding).tighten(clusters, coarse, near, fitted);
    const auto ordered_count = std::count(fitted.ordered.begin(), fitted.ordered.end(), 1);
    EXPECT_GT(ordered_count, 5);
    EXPECT_LT(ordered_count, static_cast<std::ptrdiff_t>(clusters.clusters().size()));
    for (std::size_t c = 0; c < clusters.clusters().size(); ++c)
        if (fitted.ordered[c]) {
            EXPECT_EQ(fitted.boxes[c].low, by_vertices.boxes[c].low);
            EXPECT_EQ(fitted.boxes[c].high, by_vertices.boxes[c].high);
        }
    OverlapFinder tight;
    SurfaceView fitting = lazy;
    fitting.bounds = &fitted;
    ASSERT_TRUE(tight.find({.a = fitting, .b = other.view}, {.pixel = 1.0 / 128}, all_of_it));
    expect_same(a, tight);

    // Forces on the coarse vertices are those on the surface, carried over by the transposed map.
    ModelSettings on_coarse = all_of_it;
    on_coarse.rows = GradientRows::coarse;
    ASSERT_TRUE(a.find({.a = lazy, .b = other.view}, {.pixel = 1.0 / 128}, on_coarse));
    std::vector<Vec3> fine(deformed.size()), expected(coarse.size()), got(coarse.size());
    for (const VertexGradient& g : b.model().rows(0, 0)) fine[g.vertex] = g.gradient;
    embedding.add_transposed(fine, expected);
    for (const VertexGradient& g : a.model().rows(0, 0)) got[g.vertex] = g.gradient;
    double largest = 0;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        EXPECT_NEAR(norm(got[i] - expected[i]), 0, 1e-12);  // 1e-17
        largest = std::max(largest, norm(expected[i]));
    }
    EXPECT_GT(largest, 1e-4);
}

/// Whatever the limit is, images take no more than that and what was there; above it the result is the same.
TEST(DepthImages, KeepToTheirMemory) {
    const Mesh mesh = generate({.shape = "torus", .triangles = 2000}).value();
    const Surface a(mesh), b(mesh, {{0.1, 0.02, 0}, {}});
    const Parallel two(2);
    const auto find = [&](OverlapFinder& finder, std::size_t most, const Parallel* parallel) {
        return finder.find({.a = a.view, .b = b.view}, {.pixel = 1.0 / 512, .max_bytes = most}, {}, parallel);
    };
    OverlapFinder whole;
    ASSERT_TRUE(find(whole, std::size_t{1} << 30, nullptr));
    ASSERT_EQ(whole.model().contacts.size(), 1u);
    const double volume = whole.model().contacts[0].volume;
    int fitted = 0, refused = 0;
    for (std::size_t most = std::size_t{1} << 14; most <= std::size_t{1} << 30; most *= 2) {
        OverlapFinder alone, shared;
        const bool fits = find(alone, most, nullptr);
        EXPECT_EQ(find(shared, most, &two), fits) << most;  // however many threads share the work
        EXPECT_LT(alone.images().capacity(), 2 * most + (std::size_t{1} << 20)) << most;
        (fits ? fitted : refused)++;
        if (!fits) continue;
        EXPECT_EQ(alone.model().contacts.at(0).volume, volume);
    }
    EXPECT_GT(fitted, 2);
    EXPECT_GT(refused, 2);
}

}  // namespace
}  // namespace plush
