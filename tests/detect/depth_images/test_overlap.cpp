#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <numbers>

#include "detect/depth_images/exact_boxes.hpp"
#include "detect/depth_images/surfaces.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/mass.hpp"

// Volumes, gradients and what follows from them against known answers.

namespace plush {
namespace {

using std::numbers::pi;
using test::exact_overlap;
using test::ExactOverlap;
using test::PosedBox;
using test::random_rotation;
using test::random_vector;

Mesh mesh_of(const PosedBox& box, int triangles = 12) {
    return shapes::box(box.half, triangles).transformed(box.pose);
}

Vec3 sum(const std::vector<VertexGradient>& rows) {
    Vec3 total;
    for (const VertexGradient& g : rows) total += g.gradient;
    return total;
}

// Two equal spheres of radius R whose centres are D apart (the lens).
double lens_volume(double r, double distance) {
    const double d = 2 * r - distance;
    return pi * d * d * (distance * distance + 4 * distance * r) / (12 * distance);
}

TEST(OverlapBoxes, PixelAlignedAreExact) {
    const double pixel = 1.0 / 32;
    for (const Vec3& shift : {Vec3{24, 16, 8}, Vec3{-31, 5, 0}, Vec3{0, 0, 30}, Vec3{3, -17, 29}}) {
        const Vec3 d = shift * pixel, o = Vec3{1, 1, 1} - abs(d);
        const Mesh box = shapes::box({0.5, 0.5, 0.5});
        for (const OverlapVolume rule : {OverlapVolume::weighted, OverlapVolume::mean}) {
            const OverlapReport r =
                overlap(box, {}, box, {d}, {.pixel = pixel, .volume = rule, .gradients = true});
            ASSERT_EQ(r.overlaps.size(), 1u);
            const Overlap& v = r.overlaps[0];
            const double expected = o.x * o.y * o.z;
            EXPECT_NEAR(v.volume, expected, 1e-12);  // 3e-18
            // The face of a that looks at b, along each axis; none where the faces are level.
            const Vec3 faces{o.y * o.z, o.z * o.x, o.x * o.y};
            for (std::size_t k = 0; k < 3; ++k) {
                const double sign = d[k] > 0 ? 1 : d[k] < 0 ? -1 : 0;
                EXPECT_NEAR(v.volumes[k], expected, 1e-12);
                EXPECT_NEAR(v.gradient[k], sign * faces[k], 1e-12) << k;
            }
            EXPECT_NEAR(norm(sum(v.a) - v.gradient), 0, 1e-12);
            EXPECT_NEAR(norm(sum(v.b) + v.gradient), 0, 1e-12);
            EXPECT_NEAR(norm(v.centre - d / 2), 0, 1e-12);
            EXPECT_NEAR(v.mean_depth * v.area, v.volume, 1e-12);
        }
    }
}

TEST(OverlapBoxes, FaceToFaceHasItsAreaAndDepth) {
    const Mesh box = shapes::box({0.5, 0.5, 0.5});
    const OverlapReport r = overlap(box, {}, box, {{0, 0.984375, 0}}, {.pixel = 1.0 / 32});  // half a pixel
    ASSERT_EQ(r.overlaps.size(), 1u);
    const Overlap& o = r.overlaps[0];
    EXPECT_NEAR(o.volume, 1.0 / 64, 1e-12);
    EXPECT_NEAR(o.area, 1, 1e-12);
    EXPECT_NEAR(o.mean_depth, 1.0 / 64, 1e-12);
    EXPECT_NEAR(o.largest_depth, 1.0 / 64, 1e-9);
    EXPECT_NEAR(norm(o.normal - Vec3{0, -1, 0}), 0, 1e-12);
    EXPECT_TRUE(o.one_sided);
    // The plain mean misses it: columns along the face see all or nothing of half a pixel.
    const OverlapReport mean =
        overlap(box, {}, box, {{0, 0.984375, 0}}, {.pixel = 1.0 / 32, .volume = OverlapVolume::mean});
    EXPECT_GT(std::abs(mean.volume * 64 - 1), 0.3);  // 0.67
}

// A bar right through a ball is pushed nowhere: what is left of the summed gradient is noise, and says
// nothing of the directions.
TEST(OverlapVolumes, OfABarThroughABallIsThePlainMean) {
    const Mesh bar = shapes::box({1, 0.1, 0.1}), ball = shapes::icosphere(0.5, 2000);
    const Transform pose{{0.03, 0.02, -0.03}, exp_rotation({0.3, 0.2, 0.1})};
    const auto volume = [&](OverlapVolume rule) {
        return overlap(bar, pose, ball, {}, {.pixel = 0.02, .volume = rule}).volume;
    };
    EXPECT_GT(volume(OverlapVolume::mean), 0.03);  // 0.039
    EXPECT_EQ(volume(OverlapVolume::weighted), volume(OverlapVolume::mean));
}

TEST(OverlapBoxes, NotAlignedAreOfFirstOrder) {
    Random random(3);
    std::vector<double> worst;
    for (const double across : {16.0, 32.0, 64.0, 128.0}) {
        double error = 0;
        for (int i = 0; i < 20; ++i) {
            const PosedBox a{{0.5, 0.5, 0.5}, {random_vector(random, 1)}};
            const PosedBox b{{0.5, 0.5, 0.5}, {a.pose.position + Vec3{0.413, 0.527, 0.611}}};
            const double exact = exact_overlap(a, b).volume;
            EXPECT_NEAR(exact, 0.587 * 0.473 * 0.389, 1e-12);
            const double v = overlap(mesh_of(a), mesh_of(b), {.pixel = 0.6 / across}).volume;
            error = std::max(error, std::abs(v / exact - 1));
        }
        RecordProperty("across_" + std::to_string(static_cast<int>(across)), std::to_string(error));
        EXPECT_LT(error, 2.5 / across) << across;  // 1.45 / across at most
        worst.push_back(error);
    }
    EXPECT_LT(worst[3], 0.3 * worst[0]);
}

/// Poses of two boxes that overlap by about `depth`: a corner, an edge or a face of b in a face of a.
PosedBox pressed_on(const PosedBox& a, const Quat& turn, double depth) {
    const Vec3 half{0.5, 0.4, 0.3};
    const Mat3 r = to_matrix(turn);
    const double reach = dot(abs(r.row[1]), half);
    return {half, a.pose * Transform{{0.1, a.half.y + reach - depth, -0.05}, turn}};
}

TEST(OverlapBoxes, ForceAndTorqueWithinTwoPercent) {
    Random random(7);
    double force = 0, torque = 0;
    for (int i = 0; i < 30; ++i) {
        const PosedBox a{{0.6, 0.5, 0.7}, {random_vector(random, 1), random_rotation(random)}};
        const PosedBox b = pressed_on(a, random_rotation(random), 0.15);
        const ExactOverlap exact = exact_overlap(a, b);
        // 64 pixels across the overlap, which is then some ten deep.
        OverlapReport r = overlap(mesh_of(a), mesh_of(b), {.split = OverlapSplit::whole});
        ASSERT_EQ(r.overlaps.size(), 1u);
        const Overlap& o = r.overlaps[0];
        EXPECT_GT(o.largest_depth, 4 * r.pixel);
        force = std::max(force, norm(o.gradient - exact.gradient) / norm(exact.gradient));
        // About the centre of a, against the largest that the force could have there.
        const Vec3 c = a.pose.position;
        const Vec3 expected = exact.moment - cross(c, exact.gradient);
        torque = std::max(torque,
                          norm(o.moment_about(c) - expected) / (norm(exact.gradient) * norm(o.centre - c)));
    }
    EXPECT_LT(force, 0.02);   // 0.0099
    EXPECT_LT(torque, 0.02);  // 0.0058
}

/// The tip of a sphere of radius r about (0, r, 0), closed by a cone to its middle: fine where it matters.
Mesh sphere_tip(double r, double angle) {
    const int rings = 96, sectors = 192;
    std::vector<Vec3> p{{0, 0, 0}};
    for (int i = 1; i <= rings; ++i)
        for (int j = 0; j < sectors; ++j) {
            const double t = angle * i / rings, f = 2 * pi * j / sectors;
            p.push_back({r * std::sin(t) * std::cos(f), r - r * std::cos(t), r * std::sin(t) * std::sin(f)});
        }
    p.push_back({0, r, 0});
    const int top = static_cast<int>(p.size()) - 1;
    std::vector<Triangle> t;
    const auto at = [&](int i, int j) { return 1 + (i - 1) * sectors + j % sectors; };
    for (int j = 0; j < sectors; ++j) {
        t.push_back({0, at(1, j), at(1, j + 1)});
        for (int i = 1; i < rings; ++i) {
            t.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            t.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
        t.push_back({at(rings, j), top, at(rings, j + 1)});
    }
    return Mesh(std::move(p), std::move(t));
}

TEST(OverlapSpheres, LensFormulaAtAllResolutionsAndDepths) {
    ASSERT_GT(volume(sphere_tip(1, 0.5)), 0);
    Random random(11);
    std::printf("  pixels across, depth in pixels: largest error of volume, force, direction (degrees)\n");
    for (const double depth : {0.25, 0.5, 1.0, 2.0, 4.0, 8.0}) {
        double coarsest = 0;
        for (const double across : {16.0, 32.0, 64.0, 128.0}) {
            // r² − (r − d/2)² = (across/2)²
            const double r = (across * across / 4 + depth * depth / 4) / depth;
            const Mesh tip = sphere_tip(r, depth > 0.2 * r ? 2.5 : 1.5 * std::asin(across / 2 / r));
            const double exact = lens_volume(r, 2 * r - depth);
            const double circle = pi * across * across / 4;
            double error = 0, force = 0, angle = 0;
            for (int i = 0; i < 8; ++i) {
                // Both tips at about the origin, one turned onto the other; then the pair anywhere.
                const Transform all{random_vector(random, 10), random_rotation(random)};
                const Transform up{{0, -depth / 2, 0}},
                    down{{0, depth / 2, 0}, from_axis_angle({1, 0, 0}, 180)};
                const OverlapReport o =
                    overlap(tip, all * up, tip, all * down, {.pixel = 1, .split = OverlapSplit::whole});
                ASSERT_EQ(o.overlaps.size(), 1u);
                const Vec3 n = rotate(all.rotation, {0, 1, 0});
                error = std::max(error, std::abs(o.volume / exact - 1));
                force = std::max(force, std::abs(norm(o.overlaps[0].gradient) / circle - 1));
                angle = std::max(angle, std::acos(std::min(1.0, dot(o.overlaps[0].normal, n))) * 180 / pi);
            }
            std::printf("  %5g %5g   %.5f %.5f %.3f\n", across, depth, error, force, angle);
            // First order or better.
            if (across == 16) coarsest = std::max(error, 1e-3);
            EXPECT_LT(error, 4 * coarsest * 16 / across) << across << " " << depth;
            EXPECT_LT(error, 0.08) << across << " " << depth;
            if (across >= 64 && depth >= 4) {
                EXPECT_LT(error, 0.005);
                EXPECT_LT(force, 0.02);
                EXPECT_LT(angle, 1.2);  // 2 % of a radian; 0.14 at most
            }
        }
    }
}

/// Volume of the image along one axis alone.
double axis_volume(const OverlapPair& pair, double pixel, std::size_t axis) {
    OverlapFinder finder;
    EXPECT_TRUE(finder.find(pair, {.pixel = pixel}, {}));
    return finder.model().contacts.empty() ? 0 : finder.model().contacts[0].volumes[axis];
}

TEST(OverlapGradient, IsTheDerivativeOfEachImagesVolume) {
    Random random(13);
    const double pixel = 1.0 / 256, step = pixel / 256;
    double largest = 0, worst = 0;
    for (int p = 0; p < 3; ++p) {
        const Mesh a = generate({.shape = "pebble", .triangles = 300, .seed = p})
                           .value()
                           .transformed({{}, random_rotation(random)});
        const test::Surface b(shapes::icosphere(0.5, 320), {{0.5, 0.3, 0.1}, random_rotation(random)});
        const test::Surface at(a);
        OverlapFinder finder;
        ASSERT_TRUE(
            finder.find({.a = at.view, .b = b.view}, {.pixel = pixel}, {.rows = GradientRows::vertices}));
        ASSERT_EQ(finder.model().contacts.size(), 1u);
        const auto rows = finder.model().rows(0, 0);
        for (std::size_t i = 0; i < rows.size(); i += 5)
            for (std::size_t d = 0; d < 3; ++d) {
                std::array<double, 2> volumes{};
                for (const int side : {0, 1}) {
                    std::vector<Vec3> moved(a.positions().begin(), a.positions().end());
                    moved[rows[i].vertex][d] += side ? step : -step;
                    const test::Surface other(Mesh(moved, {a.triangles().begin(), a.triangles().end()}));
                    volumes[static_cast<std::size_t>(side)] =
                        axis_volume({.a = other.view, .b = b.view}, pixel, d);
                }
                const double difference = (volumes[1] - volumes[0]) / (2 * step);
                largest = std::max(largest, std::abs(rows[i].gradient[d]));
                worst = std::max(worst, std::abs(difference - rows[i].gradient[d]));
            }
    }
    EXPECT_GT(largest, 0.01);
    EXPECT_LT(worst, 1e-3 * largest);  // 3.7e-4
}

TEST(OverlapGradient, ActionIsReaction) {
    Random random(17);
    std::size_t cells = 0;
    for (int i = 0; i < 20; ++i) {
        const Mesh a = generate({.shape = "pebble", .triangles = 2000, .seed = i}).value();
        const OverlapReport r = overlap(a, {random_vector(random, 0.1), random_rotation(random)}, a,
                                        {random_vector(random, 0.4), random_rotation(random)},
                                        {.split = OverlapSplit::cells, .cell = 0.1, .gradients = true});
        cells += r.overlaps.size();
        for (const Overlap& o : r.overlaps) {
            EXPECT_LT(norm(sum(o.a) + sum(o.b)), 1e-12);
            EXPECT_LT(norm(sum(o.a) - o.gradient), 1e-12);
        }
    }
    EXPECT_GT(cells, 100u);
}

TEST(OverlapGradient, MomentsCancelAtTheOrderOfThePixel) {
    // Σ p × ∂V/∂p over both is zero for the exact volume; of columns only to the pixel size.
    const Mesh a = generate({.shape = "bear", .triangles = 4000}).value();
    const Mesh b = generate({.shape = "pebble", .triangles = 4000}).value();
    const Transform pose{{0.35, 0.2, 0.1}, exp_rotation({0.3, 1, 0.2})};
    std::vector<double> left;
    for (const double pixel : {1.0 / 32, 1.0 / 64, 1.0 / 128, 1.0 / 256}) {
        const OverlapReport r =
            overlap(a, {}, b, pose, {.pixel = pixel, .split = OverlapSplit::whole, .gradients = true});
        ASSERT_EQ(r.overlaps.size(), 1u);
        Vec3 total;
        double size = 0;
        for (const auto& [rows, mesh] :
             {std::pair{&r.overlaps[0].a, a}, std::pair{&r.overlaps[0].b, b.transformed(pose)}})
            for (const VertexGradient& g : *rows) {
                const Vec3 p = mesh.positions()[g.vertex] - r.overlaps[0].centre;
                total += cross(p, g.gradient);
                size += norm(p) * norm(g.gradient);
            }
        left.push_back(norm(total) / size);
        EXPECT_LT(left.back(), 0.3 * pixel) << pixel;
    }
}

TEST(OverlapVolumes, DoNotChangeUnderACommonMotion) {
    Random random(19);
    const Mesh a = generate({.shape = "bear", .triangles = 8000}).value();
    const Mesh b = generate({.shape = "torus", .triangles = 8000}).value();
    const Transform pose{{0.3, 0.1, 0.1}, exp_rotation({1, 0.4, 0.2})};
    const double pixel = 1.0 / 256;
    const double exact = overlap(a, {}, b, pose, {.pixel = pixel / 4}).volume;
    double worst = 0;
    for (int i = 0; i < 8; ++i) {
        const Transform all{random_vector(random, 3), random_rotation(random)};
        const double v = overlap(a, all, b, all * pose, {.pixel = pixel}).volume;
        worst = std::max(worst, std::abs(v / exact - 1));
    }
    EXPECT_LT(worst, 5e-4);  // 8e-5
}

TEST(OverlapVolumes, DoNotDependOnTheNumberOfTriangles) {
    const Transform pose{{0.5, 0.3, 0.2}, exp_rotation({0.2, 0.5, 0.1})};
    const OverlapSettings settings{.pixel = 1.0 / 128, .split = OverlapSplit::whole};
    std::vector<Overlap> all;
    for (const int triangles : {2000, 20000, 200000}) {
        const Mesh a = shapes::icosphere(0.5, triangles);
        // The same size for all: as large as the smooth one.
        const double scale = std::cbrt(pi / 6 / volume(a));
        const Mesh full = a.transformed({}, scale);
        const OverlapReport r = overlap(full, {}, full, pose, settings);
        ASSERT_EQ(r.overlaps.size(), 1u);
        all.push_back(r.overlaps[0]);
    }
    for (const Overlap& o : all) {
        EXPECT_NEAR(o.volume / all[2].volume, 1, 0.01);  // 1.4e-4
        EXPECT_NEAR(o.area / all[2].area, 1, 0.01);
        EXPECT_LT(norm(o.gradient - all[2].gradient), 0.01 * norm(all[2].gradient));
    }
}

TEST(OverlapSplits, CellsAddUpToTheWhole) {
    const Mesh a = generate({.shape = "bear", .triangles = 4000}).value();
    const Transform pose{{0.3, 0.2, 0.1}, exp_rotation({0.3, 1, 0.2})};
    const double pixel = 1.0 / 128;
    const Overlap whole =
        overlap(a, {}, a, pose, {.pixel = pixel, .split = OverlapSplit::whole}).overlaps.at(0);
    std::size_t before = 0;
    for (const double cell : {HUGE_VAL, 1.0, 0.21, 0.05, pixel}) {
        const OverlapReport r =
            overlap(a, {}, a, pose, {.pixel = pixel, .split = OverlapSplit::cells, .cell = cell});
        Vec3 volumes, gradient;
        for (const Overlap& o : r.overlaps) {
            volumes += o.volumes, gradient += o.gradient;
            for (std::size_t d = 0; d < 3 && std::isfinite(cell); ++d) {
                // Its centre lies in it.
                EXPECT_GE(o.centre[d], cell * static_cast<double>(o.cell[d]) - 1e-9);
                EXPECT_LE(o.centre[d], cell * static_cast<double>(o.cell[d] + 1) + 1e-9);
            }
        }
        EXPECT_LT(norm(volumes - whole.volumes), 1e-12);
        EXPECT_LT(norm(gradient - whole.gradient), 1e-12);
        EXPECT_GE(r.overlaps.size(), before) << cell;
        before = r.overlaps.size();
    }
    EXPECT_GT(before, 1000u);
}

TEST(OverlapSplits, ConnectedOverlapsAreToldApart) {
    // A bar through a torus meets it twice; the middle of a dumbbell does not matter.
    const Mesh torus = shapes::torus(0.5, 0.1, 8000);  // about y
    const Mesh bar = shapes::capsule(0.05, 1.0, 2000);
    for (const Quat& turn : {from_axis_angle({0, 0, 1}, 90), from_axis_angle({1, 0.2, 0.3}, 77)}) {
        const Transform pose{{}, turn};
        const OverlapReport r = overlap(torus, {}, bar, pose, {.pixel = 1.0 / 128});
        ASSERT_EQ(r.overlaps.size(), 2u);
        EXPECT_NEAR(r.overlaps[0].volume / r.overlaps[1].volume, 1, 0.1);
        EXPECT_GT(norm(r.overlaps[0].centre - r.overlaps[1].centre), 0.9);
        const OverlapReport whole =
            overlap(torus, {}, bar, pose, {.pixel = 1.0 / 128, .split = OverlapSplit::whole});
        EXPECT_LT(norm(whole.overlaps.at(0).volumes - r.overlaps[0].volumes - r.overlaps[1].volumes), 1e-15);
    }
    Random random(23);
    const Mesh box = shapes::box({0.5, 0.5, 0.5});
    // Boxes whose faces lie anywhere between the lines: the three images see one and the same overlap.
    for (int i = 0; i < 40; ++i) {
        const Transform pose{random_vector(random, 1)};
        const Transform other{pose.position + Vec3{0.413, 0.527, 0.611}};
        EXPECT_EQ(overlap(box, pose, box, other, {.pixel = 0.6 / 64}).overlaps.size(), 1u) << i;
    }
    // Thin sheets at any angle are one overlap each.
    for (int i = 0; i < 20; ++i) {
        const Transform all{random_vector(random, 1), random_rotation(random)};
        const Transform upper{{0.05, 0.997, 0.1}};
        EXPECT_EQ(overlap(box, all, box, all * upper, {.pixel = 1.0 / 100}).overlaps.size(), 1u) << i;
    }
}

TEST(OverlapFields, HalfSpaceHasTheCapOfASphere) {
    Random random(29);
    const Mesh sphere = shapes::icosphere(0.5, 80000);
    for (const double d : {0.02, 0.1, 0.4}) {
        const Vec3 n = normalised(random_vector(random, 1));
        const Vec3 c = random_vector(random, 2);
        const double offset = dot(n, c) - 0.5 + d;
        const OverlapReport r = try_overlap_half_space(sphere, {c}, n, offset, {.gradients = true}).value();
        ASSERT_EQ(r.overlaps.size(), 1u);
        const Overlap& o = r.overlaps[0];
        EXPECT_NEAR(o.volume / (pi * d * d * (1.5 - d) / 3), 1, 0.01) << d;  // 0.0024, of the facets
        EXPECT_NEAR(norm(o.gradient) / (pi * d * (1 - d)), 1, 0.01) << d;
        EXPECT_EQ(o.normal, n);
        EXPECT_GT(dot(-o.gradient, n) / norm(o.gradient), 0.9999);
        EXPECT_NEAR(o.largest_depth / d, 1, 0.04);
        EXPECT_LT(norm(sum(o.a) - o.gradient), 1e-12);
        EXPECT_TRUE(o.b.empty());
    }
}

TEST(OverlapFields, AreAsGoodAsMeshes) {
    const Mesh bear = generate({.shape = "bear", .triangles = 8000}).value();
    const Transform pose{{0.3, 0.2, 0.1}, exp_rotation({0.3, 1, 0.2})};
    const OverlapSettings settings{.pixel = 1.0 / 256, .split = OverlapSplit::whole};
    const auto compare = [&](const SignedDistance& field, const Mesh& mesh, double tolerance) {
        const Overlap a = try_overlap(bear, pose, field, settings).value().overlaps.at(0);
        const Overlap b = overlap(bear, pose, mesh, {}, settings).overlaps.at(0);
        EXPECT_NEAR(a.volume / b.volume, 1, tolerance);
        EXPECT_LT(norm(a.gradient - b.gradient), tolerance * norm(b.gradient));
        EXPECT_GT(dot(a.normal, b.normal), 0.99);
        EXPECT_NEAR(norm(a.centre - b.centre), 0, 0.01);
    };
    compare(*sdf::box({0.2, 0.3, 0.25}), shapes::box({0.2, 0.3, 0.25}), 1e-6);
    compare(*sdf::sphere({}, 0.3), shapes::icosphere(0.3, 80000), 2e-3);
    compare(*sdf::torus(0.3, 0.1), shapes::torus(0.3, 0.1, 200000), 2e-3);
    // A plane through the general door.
    const OverlapReport plane =
        try_overlap(bear, pose, *sdf::plane({0, 0.1, 0}, {0, 1, 0}), settings).value();
    const OverlapReport half = try_overlap_half_space(bear, pose, {0, 1, 0}, 0.1, settings).value();
    EXPECT_NEAR(plane.volume / half.volume, 1, 1e-6);
}

TEST(OverlapAxes, ATurnHelpsFlatFacesAlongTheAxes) {
    // Aligned boxes are the worst case of columns; tilted images sample their faces at many offsets.
    Random random(31);
    double straight = 0, tilted = 0;
    for (int i = 0; i < 20; ++i) {
        const Vec3 at = random_vector(random, 1);
        const PosedBox a{{0.5, 0.5, 0.5}, {at}}, b{{0.5, 0.5, 0.5}, {at + Vec3{0.413, 0.527, 0.611}}};
        const double exact = exact_overlap(a, b).volume;
        const auto error = [&](const Quat& axes) {
            return std::abs(
                overlap(mesh_of(a), mesh_of(b), {.pixel = 1.0 / 40, .axes = axes}).volume / exact - 1);
        };
        straight = std::max(straight, error({}));
        tilted = std::max(tilted, error(tilted_axes()));
    }
    EXPECT_GT(straight, 0.02);  // 0.036
    EXPECT_LT(tilted, 0.001);   // 1e-4
}

}  // namespace
}  // namespace plush
