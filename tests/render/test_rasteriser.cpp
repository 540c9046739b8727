#include <gtest/gtest.h>

#include "plush/core/random.hpp"
#include "plush/render/render.hpp"
#include "render/lighting.hpp"
#include "render/palette.hpp"
#include "render/rasteriser.hpp"
#include "render/soft_runs.hpp"
#include "render/tracer.hpp"

// Drafts are drawn by z-buffers: they must show what the tracer shows, to within their shadows.

namespace plush::render {
namespace {

using test::cloth_mesh;
using test::frame_mesh;
using test::moved;
using test::pixel;

constexpr int width = 240, height = 160;

/// Balls, boxes, a cloth, a rope and particles above a ground.
struct Fair {
    std::vector<FrameMesh> meshes{frame_mesh(shapes::icosphere(0.3, 1280)),
                                  frame_mesh(shapes::box({0.3, 0.3, 0.3})), cloth_mesh(31, 1)};
    Stage stage{.centre = {0, 0.3, 0}, .radius = 1};
    Camera camera{.position = {0.5, 2.5, 4}, .target = {0, 0.3, 0}, .fov = 40};

    explicit Fair(const Vec3& colour) {
        stage.planes.push_back(
            {.normal = {0, 1, 0}, .across = {1, 0, 0}, .along = {0, 0, 1}, .colour = paint::ground});
        stage.bodies = {{0, {.position = {0.6, 0.3, 0.2}}, colour},
                        {1, {{-0.5, 0.35, 0.4}, exp_rotation({0.2, 0.7, 0.1})}, colour, Finish::shiny}};
        stage.softs.push_back({2,
                               moved(meshes[2],
                                     [](const Vec3& p) {
                                         return p + Vec3{-0.2, 0.9 + 0.1 * std::sin(6 * p.x), -0.4};
                                     }),
                               colour});
        stage.balls.push_back({{{0, 0.1f, 0.8f}, {0.3f, 0.1f, 0.9f}}, 0.1, colour});
        stage.tubes.push_back({{{{-1, 0.1, 0.9}, {-0.4, 0.1, 1.1}, 0.04, 0.08}}, 0.06, colour});
    }
    Picture traced() const {
        return Tracer(meshes).draw(stage, camera, width, height, RenderQuality::draft, Parallel(2)).value();
    }
    Picture drafted(int threads = 2) const {
        return Rasteriser(meshes).draw(stage, camera, width, height, Parallel(threads));
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

TEST(Rasteriser, BodiesAreWhereTheTracerHasThem) {
    const Fair fair(red);
    const Picture traced = fair.traced(), drafted = fair.drafted();
    int bodies = 0, differ = 0;
    double difference = 0;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const Vec3 t = pixel(traced, x, y), d = pixel(drafted, x, y);
            bodies += is_red(t), differ += is_red(t) != is_red(d);
            difference += norm(t - d);
        }
    }
    EXPECT_GT(bodies, 3000);
    EXPECT_LT(differ, 0.02 * bodies);                // measured 0 of 3502
    EXPECT_LT(difference / (width * height), 0.03);  // linear light; measured 0.010
}

TEST(Rasteriser, ShadowsAndCornersAreAsDarkAsTheTracers) {
    Fair fair(paint::china);
    fair.stage.softs.clear(), fair.stage.tubes.clear(), fair.stage.balls.clear();
    fair.stage.bodies = {{0, {.position = {0, 0.9, 0}}, paint::china},
                         {1, {.position = {1, 0.3, 0}}, paint::china}};
    const Picture traced = fair.traced(), drafted = fair.drafted();
    const Vec3 sun = Studio({0, 1, 0}).sun(), foot = Vec3{0, 0.9, 0} - sun * (0.9 / sun.y);
    const Vec3 open{-0.6, 0, 1.1};
    const double lit = luminance(fair.at(drafted, open)), shaded = luminance(fair.at(drafted, foot));
    EXPECT_NEAR(lit, luminance(fair.at(traced, open)), 0.02);
    EXPECT_NEAR(shaded / lit, luminance(fair.at(traced, foot)) / luminance(fair.at(traced, open)),
                0.12);  // measured 0.014
    // The half shadow is several pixels wide.
    const Vec3 out = normalised(cross(sun, {0, 1, 0}));
    int between = 0;
    for (double r = 0; r < 0.6; r += 0.02) {
        const double l = luminance(fair.at(drafted, foot + out * r));
        between += l > shaded + 0.1 * (lit - shaded) && l < shaded + 0.9 * (lit - shaded);
    }
    EXPECT_GE(between, 2);  // measured 3
    // Beside the box, in the sun: it hides half the sky.
    const double near = luminance(fair.at(drafted, {1, 0, 0.34}));
    EXPECT_LT(near, 0.92 * lit);  // measured 0.86, as the tracer's
    // No body is spotted by its own shadow: the upper side of the box is even.
    double least = HUGE_VAL, most = 0;
    for (double x = 0.8; x < 1.21; x += 0.05)
        for (double z = -0.2; z < 0.21; z += 0.05) {
            const double l = luminance(fair.at(drafted, {x, 0.6, z}));
            least = std::min(least, l), most = std::max(most, l);
        }
    EXPECT_GT(least, 0.97 * most);  // measured 0.998
}

TEST(Rasteriser, EveryNumberOfThreadsGivesTheSameBytes) {
    Fair fair(red);
    fair.stage.wire = true;
    Random random(1);
    for (int i = 0; i < 30; ++i) {
        const Vec3 place{random.uniform(-1, 1), random.uniform(0.2, 1), random.uniform(-1, 1)};
        fair.stage.bodies.push_back(
            {i % 2, {place, exp_rotation(place * 3)}, body_colour(static_cast<std::size_t>(i))});
    }
    const Picture alone = fair.drafted(1);
    // The same bodies in another colour, exactly in the same places: the first ones win.
    const std::size_t count = fair.stage.bodies.size();
    for (std::size_t i = 0; i < count; ++i) {
        fair.stage.bodies.push_back(fair.stage.bodies[i]);
        fair.stage.bodies.back().colour = paint::slip;
    }
    EXPECT_EQ(alone.rgb, fair.drafted(2).rgb);
    fair.stage.marks.push_back({{{0, 0.2, 1.5}, {0, 0.8, 1.5}, 0.02, 0.02}, paint::stick});
    const Picture one = fair.drafted(1);
    EXPECT_EQ(one.rgb, fair.drafted(2).rgb);
    EXPECT_EQ(one.rgb, fair.drafted(4).rgb);
}

TEST(Rasteriser, MarksShineFaintlyThroughBodies) {
    Fair fair(paint::china);
    const Vec3 ball{0.6, 0.3, 0.2}, beside{0.1, 1.2, 0.8};
    const Vec3 blue = colour_of(0x0000FF);
    fair.stage.marks.push_back({{ball, ball + Vec3{0, 0.01, 0}, 0.05, 0.05}, blue});
    fair.stage.marks.push_back({{beside, beside + Vec3{0, 0.01, 0}, 0.05, 0.05}, blue});
    const Picture picture = fair.drafted();
    const Vec3 open = fair.at(picture, beside), behind = fair.at(picture, ball);
    EXPECT_GT(open.z, 4 * open.x);
    EXPECT_GT(behind.z, 1.3 * behind.x);
    EXPECT_LT(behind.z, 4 * behind.x);
}

TEST(Rasteriser, ACameraAmongTheTrianglesSeesThem) {
    // One triangle reaches from behind the camera to far before it.
    Fair fair(red);
    fair.stage.bodies.clear(), fair.stage.softs.clear(), fair.stage.balls.clear(), fair.stage.tubes.clear();
    fair.meshes.push_back({.positions = {{-2, 0, 9}, {2, 0, 9}, {0, 0, -30}}, .triangles = {0, 1, 2}});
    fair.stage.bodies.push_back({3, {.position = {0, 0.1, 0}}, red});
    fair.camera = {.position = {0, 0.6, 3}, .target = {0, 0.5, 0}, .fov = 40};
    const Picture traced = fair.traced(), drafted = fair.drafted();
    int bodies = 0, differ = 0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            bodies += is_red(pixel(traced, x, y)),
                differ += is_red(pixel(traced, x, y)) != is_red(pixel(drafted, x, y));
    EXPECT_GT(bodies, 3000);
    EXPECT_LT(differ, 0.01 * bodies);
}

TEST(Rasteriser, PlacesThatAreNoNumbersAreLeftOut) {
    Fair fair(red);
    fair.stage.softs[0].positions[60] = {std::nanf(""), HUGE_VALF, 0};
    fair.stage.softs[0].positions[123] = {0, -HUGE_VALF, std::nanf("")};
    fair.stage.balls[0].centres[0].x = std::nanf("");
    const Picture picture = fair.drafted();
    EXPECT_TRUE(is_red(fair.at(picture, {0.6, 0.3, 0.2})));
}

TEST(Rasteriser, WhatOneSeesThroughIsTheTracers) {
    Fair fair(red);
    EXPECT_TRUE(Rasteriser::can_draw(fair.stage));
    fair.stage.softs[0].finish = Finish::translucent;
    EXPECT_FALSE(Rasteriser::can_draw(fair.stage));
}

// What it keeps from picture to picture does not show: not of moved bodies, nor of another camera, size or plane.
TEST(Rasteriser, AFrameOfAFilmIsThePicture) {
    Fair fair(red);
    Rasteriser film(fair.meshes);
    const auto draws_alike = [&](int w, int h) {
        const Parallel parallel(2);
        const Picture frame = film.draw(fair.stage, fair.camera, w, h, parallel);
        return frame.rgb == Rasteriser(fair.meshes).draw(fair.stage, fair.camera, w, h, parallel).rgb;
    };
    EXPECT_TRUE(draws_alike(120, 80));
    for (Vec3f& p : fair.stage.softs[0].positions) p.y += 0.1f * std::sin(9 * p.x);
    EXPECT_TRUE(draws_alike(120, 80));
    fair.camera.position.x += 0.3;
    EXPECT_TRUE(draws_alike(120, 80));
    fair.stage.planes[0].point.y = -0.1;
    EXPECT_TRUE(draws_alike(120, 80));
    fair.stage.grid = 0.2;
    EXPECT_TRUE(draws_alike(120, 80));
    EXPECT_TRUE(draws_alike(80, 120));
    fair.stage.softs.clear();
    EXPECT_TRUE(draws_alike(80, 120));
}

// Of a run: drafts are the rasteriser's, and are what the other qualities show.
TEST(Rasteriser, DraftsOfRunsAreDrawnByIt) {
    test::TempFolder folder;
    test::SmallRun().write(folder / "run", 1);
    const auto picture_of = [&](RenderQuality quality, RenderMode mode, int threads) {
        RenderSettings settings{.width = 120, .height = 80, .mode = mode, .quality = quality};
        settings.labels = false, settings.threads = threads, settings.out = folder / "one.png";
        return test::read_png(render_run(folder / "run", settings).value().pictures.at(0));
    };
    for (const RenderMode mode : {RenderMode::surface, RenderMode::wireframe, RenderMode::contacts}) {
        const Picture draft = picture_of(RenderQuality::draft, mode, 1);
        EXPECT_EQ(draft.rgb, picture_of(RenderQuality::draft, mode, 2).rgb);
        const Picture good = picture_of(RenderQuality::high, mode, 2);
        double difference = 0;
        for (int y = 0; y < 80; ++y)
            for (int x = 0; x < 120; ++x) difference += norm(pixel(draft, x, y) - pixel(good, x, y));
        EXPECT_GT(difference, 0);
        // Measured 0.031, 0.037, 0.031: high quality has smooth edges, a draft has one sample a pixel.
        EXPECT_LT(difference / (120 * 80), 0.05) << static_cast<int>(mode) << ' ' << difference / (120 * 80);
    }
}

}  // namespace
}  // namespace plush::render
