#include <gtest/gtest.h>

#include "plush/record/run.hpp"
#include "plush/render/render.hpp"
#include "record/sliced.hpp"
#include "render/lighting.hpp"
#include "render/palette.hpp"
#include "render/process_memory.hpp"
#include "render/smooth_normals.hpp"
#include "render/soft_runs.hpp"
#include "render/tracer.hpp"

// Deformable bodies in pictures: they are where their vertices are, cloths have two sides, ropes are round
// and throw shadows. Frames are made by hand, except those of a cut.

namespace plush::render {
namespace {

namespace fs = std::filesystem;
using test::cloth_mesh;
using test::moved;
using test::pixel;
using test::rope_mesh;
using test::SoftRun;
using test::TempFolder;

constexpr int width = 240, height = 160;

/// A stage with a ground, and a camera above it.
struct Theatre {
    std::vector<FrameMesh> meshes{};
    Stage stage{.centre = {0, 0.3, 0}, .radius = 1};
    Camera camera{.position = {0.5, 2.5, 4}, .target = {0, 0.3, 0}, .fov = 40};

    Theatre() {
        stage.planes.push_back({.point = {},
                                .normal = {0, 1, 0},
                                .across = {1, 0, 0},
                                .along = {0, 0, 1},
                                .colour = paint::ground});
    }
    Picture draw(int threads = 2) const {
        return Tracer(meshes)
            .draw(stage, camera, width, height, RenderQuality::normal, Parallel(threads))
            .value();
    }
    Vec3 at(const Picture& picture, const Vec3& place) const {
        const Lens::Seen seen = Lens(camera, width, height).project(place);
        return pixel(picture, seen.x, seen.y);
    }
};

const Vec3 red = colour_of(0xD02010);
bool is_red(const Vec3& c) {
    return c.x > 2 * c.y && c.x > 2 * c.z;
}

/// A run drawn by render_run, with the camera it used.
struct Shown {
    Picture picture;
    Camera camera;
    bool orange(const Vec3& place) const {  // the first body that moves
        const Lens::Seen seen = Lens(camera, picture.width, picture.height).project(place);
        const Vec3 c = pixel(picture, seen.x, seen.y);
        return c.x > 2.5 * c.z;
    }
};
Shown show(const fs::path& run, long long frame) {
    RenderSettings settings{.width = 240, .height = 160, .threads = 2};
    settings.frame = frame, settings.labels = false;
    settings.camera.position = Vec3{0.3, 1.2, 3}, settings.camera.target = Vec3{0, 0.5, 0};
    const RenderSummary s = render_run(run, settings).value();
    return {test::read_png(s.pictures.at(0)),
            {.position = s.camera_position, .target = s.camera_target, .fov = s.fov}};
}

TEST(Soft, AClothIsWhereItsVerticesAre) {
    TempFolder folder;
    SoftRun run;
    const FrameMesh cloth = cloth_mesh(21, 1);
    run.add("cloth", cloth);
    // It stands upright; in frame 1 its middle has moved 0.4 m down, and its sides hang where they were.
    const auto upright = [](const Vec3& p) { return Vec3{p.x, 0.8 + 0.3 * p.z, 0}; };
    const auto sag = [&](const Vec3& p) { return upright(p) - Vec3{0, 0.4 * (1 - 4 * p.x * p.x), 0}; };
    {
        FrameWriter writer = run.create(folder / "run");
        writer.write(run.frame(moved(cloth, upright))).value();
        writer.write(run.frame(moved(cloth, sag))).value();
    }
    const Shown before = show(folder / "run", 0), after = show(folder / "run", 1);
    for (const double x : {-0.3, -0.1, 0.0, 0.2}) {
        for (const double z : {-0.45, 0.0, 0.45}) {
            EXPECT_TRUE(before.orange(upright({x, 0, z}))) << x << ' ' << z;
            EXPECT_TRUE(after.orange(sag({x, 0, z}))) << x << ' ' << z;
        }
        EXPECT_FALSE(before.orange(sag({x, 0, -0.6}))) << x;
        EXPECT_FALSE(after.orange(upright({x, 0, 0.6}))) << x;
        for (const double z : {-0.6, 0.6}) {
            EXPECT_FALSE(before.orange(upright({x, 0, z}))) << x << ' ' << z;
            EXPECT_FALSE(after.orange(sag({x, 0, z}))) << x << ' ' << z;
        }
    }
}

TEST(Soft, ClothsHaveTwoSidesWithoutSpots) {
    // The same upright cloth with its front to the camera, and with its back: both are lit from the camera's
    // side.
    const auto picture_of = [](double turn) {
        Theatre s;
        s.meshes.push_back(cloth_mesh(41, 1));
        s.stage.planes.clear();
        s.camera = {.position = {0, 0.5, 3}, .target = {0, 0.5, 0}, .fov = 30};
        s.stage.softs.push_back({0,
                                 moved(s.meshes[0],
                                       [&](const Vec3& p) {
                                           return Vec3{p.x, 0.5 + turn * p.z, 0.05 * std::sin(5 * p.x)};
                                       }),
                                 red});
        return s.draw();
    };
    const Picture front = picture_of(-1), back = picture_of(1);
    double least = HUGE_VAL, most = 0, jump = 0;
    for (double y = 50; y < 110; ++y) {
        for (double x = 90; x < 150; ++x) {
            const Vec3 f = pixel(front, x, y), b = pixel(back, x, y);
            const double ratio = luminance(b) / luminance(f);
            least = std::min(least, ratio), most = std::max(most, ratio);
            for (const Picture* p : {&front, &back}) {
                const double here = luminance(pixel(*p, x, y)), next = luminance(pixel(*p, x + 1, y));
                jump = std::max(jump, std::abs(next / here - 1));
            }
        }
    }
    EXPECT_GT(least, 0.6);  // measured 0.71
    EXPECT_LT(most, 0.9);   // measured 0.73
    // A ray that met its own triangle would leave a dark spot.
    EXPECT_LT(jump, 0.05);  // measured 0.011
}

TEST(Soft, TubesAreRoundAndThrowShadows) {
    Theatre s;
    const double radius = 0.06;
    s.meshes.push_back(rope_mesh(11, 1.2));
    const FramesHeader header{.gravity = {0, -9.81, 0},
                              .meshes = s.meshes,
                              .bodies = {{.mesh = 0, .points = 11, .radius = radius}}};
    const Frame frame{.asleep = {0}, .points = moved(s.meshes[0], [](const Vec3& p) {
                                         return p + Vec3{0, 0.35, 0};
                                     })};
    const std::vector<Vec3> colours{red};
    const Stage made = stage_of(header, frame, colours, {.radius = 1});
    ASSERT_EQ(made.tubes.size(), 1u);
    EXPECT_EQ(made.tubes[0].tubes.size(), 10u);
    const Picture empty = s.draw();
    s.stage.tubes = made.tubes;
    const Picture picture = s.draw();
    for (double x = -0.6; x < 0.65; x += 0.05) EXPECT_TRUE(is_red(s.at(picture, {x, 0.35, 0}))) << x;
    const Vec3 view = normalised(s.camera.target - s.camera.position);
    const Vec3 up = normalised(cross(cross(view, {0, 1, 0}), view));
    for (const double x : {-0.5, 0.0, 0.45}) {
        const Vec3 axis{x, 0.35, 0};
        EXPECT_TRUE(is_red(s.at(picture, axis + up * 0.04)) && is_red(s.at(picture, axis - up * 0.04)));
        EXPECT_FALSE(is_red(s.at(picture, axis + up * 0.09)) || is_red(s.at(picture, axis - up * 0.09)));
        // Its upper side looks to the sky: measured 1.9, 1.6, 2.7.
        EXPECT_GT(luminance(s.at(picture, axis + up * 0.03)),
                  1.1 * luminance(s.at(picture, axis - up * 0.04)));
    }
    const Vec3 sun = Studio({0, 1, 0}).sun();
    const Vec3 foot = Vec3{0, 0.35, 0} - sun * (0.35 / sun.y);
    EXPECT_LT(luminance(s.at(picture, foot)), 0.7 * luminance(s.at(empty, foot)));  // measured 0.60
}

TEST(Soft, EdgesMoveWithTheVertices) {
    Theatre s;
    s.meshes.push_back(cloth_mesh(2, 0.1));  // it is stretched ten times
    s.stage.planes.clear();
    s.camera = {.position = {0, 0.5, 3}, .target = {0, 0.5, 0}, .fov = 30};
    s.stage.softs.push_back({0,
                             moved(s.meshes[0],
                                   [](const Vec3& p) {
                                       return Vec3{10 * p.x, 0.5 - 10 * p.z, 0};
                                   }),
                             red});
    const Picture plain = s.draw();
    s.stage.wire = true;
    const Picture wired = s.draw();
    // The diagonal of the square, upper left to lower right.
    const auto dark = [&](const Vec3& place) {
        return luminance(s.at(wired, place)) < 0.7 * luminance(s.at(plain, place));
    };
    for (const double x : {-0.3, -0.1, 0.2}) {
        EXPECT_TRUE(dark({x, 0.5 - x, 0})) << x;
        EXPECT_FALSE(dark({x, 0.5 - x + 0.05, 0}) || dark({x, 0.5 - x - 0.05, 0})) << x;
    }
}

TEST(Soft, CreasesAreThoseOfTheFormAtRest) {
    const FrameMesh box = test::frame_mesh(shapes::box({1, 1, 1}, 300)), cloth = cloth_mesh(11, 1);
    SmoothNormals of_box(box), of_cloth(cloth);
    EXPECT_EQ(of_box.at(box.positions), corner_normals(box));
    // A stretched cube still has flat sides that meet in edges.
    for (const Vec3f& n : of_box.at(moved(box, [](const Vec3& p) { return Vec3{p.x, 3 * p.y, 0.5 * p.z}; })))
        EXPECT_NEAR(max_component(abs(to_double(n))), 1, 1e-6);
    // A cloth folded by a right angle along the line x = 0 is round there: the normal halves the angle.
    const auto folded = moved(cloth, [](const Vec3& p) {
        return Vec3{std::min(p.x, 0.0), -std::max(p.x, 0.0), p.z};
    });
    const std::vector<Vec3f> normals = of_cloth.at(folded);
    int on_fold = 0;
    for (std::size_t c = 0; c < normals.size(); ++c) {
        const Vec3f at = cloth.positions[static_cast<std::size_t>(cloth.triangles[c])];
        if (at.x != 0 || std::abs(at.z) > 0.45f) continue;
        ++on_fold;
        EXPECT_GT(to_double(normals[c]).x, 0.5);
        EXPECT_GT(to_double(normals[c]).y, 0.5);
    }
    EXPECT_GT(on_fold, 40);
}

TEST(Soft, EveryNumberOfThreadsGivesTheSameBytes) {
    Theatre s;
    s.meshes = {cloth_mesh(81, 1), rope_mesh(20, 1)};
    s.stage.wire = true;
    for (const double x : {-0.5, 0.4}) {  // two bodies of one mesh
        s.stage.softs.push_back({0,
                                 moved(s.meshes[0],
                                       [&](const Vec3& p) {
                                           return Vec3{x + p.x, 0.4 + 0.2 * std::sin(7 * p.z + 9 * x), p.z};
                                       }),
                                 red});
    }
    s.stage.tubes.push_back({{{{-1, 1, 0}, {1, 0.8, 0}, 0.05, 0.05}}, 0.05, paint::stick});
    EXPECT_EQ(s.draw(1).rgb, s.draw(2).rgb);
}

TEST(Soft, PlacesThatAreNoNumbersAreLeftOut) {
    TempFolder folder;
    SoftRun run;
    run.add("cloth", cloth_mesh(11, 1));
    run.add("rope", rope_mesh(5, 1), 0.02);
    std::vector<Vec3f> points = run.header.meshes[0].positions;
    points.insert(points.end(), 5, Vec3f{0.5f, 0.5f, 0.5f});  // a rope without a length
    points[60] = {std::nanf(""), HUGE_VALF, 0};
    points[123] = {0, std::nanf(""), 0};
    run.create(folder / "run").write(run.frame(points)).value();
    const RenderSummary s =
        render_run(folder / "run", {.width = 96, .height = 64, .labels = false, .threads = 2}).value();
    EXPECT_TRUE(s.finished);
    // The camera looks at the rest of it.
    const Lens lens({.position = s.camera_position, .target = s.camera_target, .fov = s.fov}, 96, 64);
    EXPECT_LT(norm(s.camera_position), 3);  // measured 2.0
    for (const std::size_t corner : {0, 10, 110, 120}) {
        const Lens::Seen seen = lens.project(to_double(points[corner]));
        EXPECT_TRUE(seen.x > 0 && seen.x < 96 && seen.y > 0 && seen.y < 64);
    }
}

TEST(Soft, TheCameraHoldsEveryVertex) {
    TempFolder folder;
    SoftRun run;
    const FrameMesh cloth = cloth_mesh(60, 0.2);
    run.add("cloth", cloth);
    // One corner is pulled far out: the camera may not miss it among 3,600 vertices.
    std::vector<Vec3f> points = cloth.positions;
    points[1234] = {1.5f, 0.2f, 0.4f};
    run.create(folder / "run").write(run.frame(points)).value();
    const RenderSummary s = render_run(folder / "run", {.width = 240, .height = 160, .threads = 2}).value();
    const Camera camera{.position = s.camera_position, .target = s.camera_target, .fov = s.fov};
    const Lens lens(camera, 240, 160);
    for (const Vec3f& p : points) {
        const Lens::Seen seen = lens.project(to_double(p));
        ASSERT_TRUE(seen.x > 0 && seen.x < 240 && seen.y > 0 && seen.y < 160);
    }
    EXPECT_LT(norm(s.camera_position - s.camera_target), 10);
}

// A body that was cut in the run is drawn with the surface of its frame, which is not that of its mesh.
TEST(Soft, ACutBodyIsDrawn) {
    TempFolder folder;
    run_scene(test::sliced(), {.out = folder / "whole", .threads = 1}).value();
    const auto drawn = render_run(folder / "whole", {.width = 64, .height = 48, .threads = 1});
    ASSERT_TRUE(drawn.ok());
    EXPECT_TRUE(drawn.value().finished);
}

TEST(Soft, MemoryDoesNotGrowWithTheNumberOfFrames) {
    TempFolder folder;
    SoftRun run;
    const FrameMesh cloth = cloth_mesh(101, 1);  // 20,000 triangles
    run.add("cloth", cloth);
    {
        FrameWriter writer = run.create(folder / "run");
        for (int k = 0; k < 60; ++k)
            writer
                .write(run.frame(moved(cloth,
                                       [&](const Vec3& p) {
                                           return p + Vec3{0, 0.1 * std::sin(9 * p.x + k), 0};
                                       })))
                .value();
    }
    RenderSettings settings{.width = 64, .height = 48, .quality = RenderQuality::draft, .threads = 2};
    settings.out = folder / "pictures/";
    settings.every = 30;
    ASSERT_EQ(render_run(folder / "run", settings).value().pictures.size(), 2u);  // fonts, threads, pools
    settings.every = 1;
    test::forget_peak_memory();
    const double before = test::memory_mib("VmRSS:");
    ASSERT_EQ(render_run(folder / "run", settings).value().pictures.size(), 60u);
    // A hierarchy and its normals are some 5 MiB: 60 of them would be 300.
    EXPECT_LT(test::memory_mib("VmHWM:") - before, 40);  // MiB; measured 4.3
}

}  // namespace
}  // namespace plush::render
