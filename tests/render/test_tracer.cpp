#include <gtest/gtest.h>

#include "plush/core/random.hpp"
#include "render/lighting.hpp"
#include "render/palette.hpp"
#include "render/small_runs.hpp"
#include "render/smooth_normals.hpp"
#include "render/tracer.hpp"

// Pictures have properties that can be wrong: things are where the camera says, light comes from one side.

namespace plush::render {
namespace {

using test::frame_mesh;
using test::pixel;

constexpr int width = 240, height = 160;

struct Studio1 {
    std::vector<FrameMesh> meshes{frame_mesh(shapes::icosphere(0.3, 1280)),
                                  frame_mesh(shapes::box({0.3, 0.3, 0.3}))};
    Stage stage{.centre = {0, 0.3, 0}, .radius = 1};
    Camera camera{.position = {0.5, 2.5, 4}, .target = {0, 0.3, 0}, .fov = 40};

    Studio1() {
        stage.planes.push_back({.point = {},
                                .normal = {0, 1, 0},
                                .across = {1, 0, 0},
                                .along = {0, 0, 1},
                                .colour = paint::ground});
    }
    Picture draw(int threads = 2, RenderQuality quality = RenderQuality::normal) const {
        return Tracer(meshes).draw(stage, camera, width, height, quality, Parallel(threads)).value();
    }
    Vec3 at(const Picture& picture, const Vec3& place) const {
        const Lens::Seen seen = Lens(camera, width, height).project(place);
        return pixel(picture, seen.x, seen.y);
    }
};

TEST(Tracer, ABallIsWhereTheCameraSays) {
    Studio1 s;
    const Vec3 centre{0.4, 0.8, -0.2};
    s.stage.bodies.push_back({0, {.position = centre}, colour_of(0xD02010)});
    const Picture picture = s.draw();
    const auto is_red = [&](const Vec3& place) {
        const Vec3 c = s.at(picture, place);
        return c.x > 2 * c.y && c.x > 2 * c.z;
    };
    const Vec3 view = normalised(centre - s.camera.position);
    const Vec3 side = normalised(cross(view, {0, 1, 0})), up = cross(side, view);
    EXPECT_TRUE(is_red(centre));
    for (const Vec3& d : {side, -side, up, -up}) {
        EXPECT_TRUE(is_red(centre + d * 0.27));
        EXPECT_FALSE(is_red(centre + d * 0.34));
    }
}

TEST(Tracer, ShadowsFallAwayFromTheSunAndAreSoft) {
    Studio1 s;
    const Vec3 centre{0, 0.9, 0};
    s.stage.bodies.push_back({0, {.position = centre}, paint::china});
    const Picture picture = s.draw();
    const Vec3 sun = Studio({0, 1, 0}).sun();
    ASSERT_GT(sun.y, 0.5);
    const Vec3 foot = centre - sun * (centre.y / sun.y);  // where the middle of the shadow falls
    const Vec3 mirrored{-foot.x, 0, -foot.z};             // on the sun's side
    const double dark = luminance(s.at(picture, foot)), lit = luminance(s.at(picture, mirrored));
    EXPECT_LT(dark, 0.65 * lit);  // measured 0.46
    // Along a line from the middle of the shadow outwards it gets brighter step by step, over several pixels.
    const Vec3 out = normalised(cross(sun, {0, 1, 0}));
    int between = 0;
    for (double r = 0; r < 0.6; r += 0.02) {
        const double l = luminance(s.at(picture, foot + out * r));
        between += l > dark + 0.1 * (lit - dark) && l < dark + 0.9 * (lit - dark);
    }
    EXPECT_GE(between, 3);  // measured 9
}

TEST(Tracer, CornersAreDarkerThanOpenGround) {
    Studio1 s;
    s.stage.bodies.push_back({1, {.position = {0, 0.3, 0}}, paint::china});
    const Picture picture = s.draw();
    // Both places see the sun; the near one sees half the sky.
    const double near = luminance(s.at(picture, {0, 0, 0.34})), far = luminance(s.at(picture, {0, 0, 1.3}));
    EXPECT_LT(near, 0.93 * far);  // measured 0.85
    EXPECT_GT(near, 0.5 * far);
}

TEST(Tracer, TheGroundHasAGridOfTheSizeItSays) {
    Studio1 s;
    s.stage.grid = 0.2;
    s.camera = {.position = {0.01, 5, 0.03}, .target = {0.01, 0, 0.03}, .up = {0, 0, -1}, .fov = 20};
    const Picture picture = s.draw();
    const Lens lens(s.camera, width, height);
    double on = 0, beside = 0;
    int lines = 0;
    for (double x = -0.8; x < 0.85; x += 0.2, ++lines) {
        for (double z = 0.05; z < 0.16; z += 0.01) {
            on += luminance(s.at(picture, {x, 0, z}));
            beside += luminance(s.at(picture, {x + 0.1, 0, z}));
        }
    }
    EXPECT_EQ(lines, 9);
    EXPECT_LT(on, 0.97 * beside);  // measured 0.91
    // Without the lines' places there is no difference: halfway between two lines, on both sides.
    double left = 0, right = 0;
    for (double x = -0.7; x < 0.75; x += 0.2) {
        left += luminance(s.at(picture, {x - 0.03, 0, 0.1}));
        right += luminance(s.at(picture, {x + 0.03, 0, 0.1}));
    }
    EXPECT_NEAR(left / right, 1, 0.01);
}

TEST(Tracer, EveryNumberOfThreadsGivesTheSameBytes) {
    Studio1 s;
    s.stage.wire = true;
    Random random(1);
    for (int i = 0; i < 30; ++i) {
        const Vec3 place{random.uniform(-1, 1), random.uniform(0.2, 1), random.uniform(-1, 1)};
        s.stage.bodies.push_back(
            {i % 2, {place, exp_rotation(place * 3)}, body_colour(static_cast<std::size_t>(i))});
    }
    s.stage.balls.push_back({{{0, 1, 1}, {0.5f, 1, 1}}, 0.05, paint::slip});
    s.stage.marks.push_back({{{0, 0.2, 1.5}, {0, 0.8, 1.5}, 0.02, 0.02}, paint::stick});
    const Picture one = s.draw(1);
    EXPECT_EQ(one.rgb, s.draw(2).rgb);
    EXPECT_NE(one.rgb, s.draw(2, RenderQuality::high).rgb);
}

TEST(Tracer, EdgesAreDrawnWhereTrianglesMeet) {
    Studio1 s;
    s.stage.bodies.push_back({1, {.position = {0, 0.3, 0}}, body_colour(1)});
    s.camera = {.position = {0, 0.31, 3}, .target = {0, 0.31, 0}, .fov = 20};
    const Picture plain = s.draw();
    s.stage.wire = true;
    const Picture wired = s.draw();
    // Somewhere along the row at a quarter of the face's height the diagonal crosses.
    const Lens lens(s.camera, width, height);
    const Lens::Seen left = lens.project({-0.27, 0.45, 0.3}), right = lens.project({0.27, 0.45, 0.3});
    int darker = 0, same = 0;
    for (double x = left.x; x <= right.x; ++x) {
        const double ratio = luminance(pixel(wired, x, left.y)) / luminance(pixel(plain, x, left.y));
        darker += ratio < 0.6;
        same += ratio > 0.98;
    }
    EXPECT_GE(darker, 1);
    EXPECT_LE(darker, 4);
    EXPECT_GT(same, 20);
}

TEST(Tracer, MarksShineFaintlyThroughBodies) {
    Studio1 s;
    s.stage.bodies.push_back({0, {.position = {0, 0.5, 0}}, paint::china});
    s.stage.marks.push_back({{{0, 0.5, 0}, {0, 0.51, 0}, 0.05, 0.05}, colour_of(0x0000FF)});      // inside
    s.stage.marks.push_back({{{0.6, 0.5, 0}, {0.6, 0.51, 0}, 0.05, 0.05}, colour_of(0x0000FF)});  // beside
    const Picture picture = s.draw();
    const Vec3 open = s.at(picture, {0.6, 0.5, 0}), behind = s.at(picture, {0, 0.5, 0});
    EXPECT_GT(open.z, 4 * open.x);
    EXPECT_GT(behind.z, 1.3 * behind.x);
    EXPECT_LT(behind.z, 4 * behind.x);
}

TEST(Tracer, NormalsAreSmoothOnBallsAndFlatOnBoxes) {
    const FrameMesh ball = frame_mesh(shapes::icosphere(1, 320)),
                    box = frame_mesh(shapes::box({1, 2, 3}, 48));
    const std::vector<Vec3f> round = corner_normals(ball), flat = corner_normals(box);
    for (std::size_t c = 0; c < round.size(); ++c) {
        const Vec3 p = to_double(ball.positions[static_cast<std::size_t>(ball.triangles[c])]);
        EXPECT_GT(dot(normalised(p), to_double(round[c])), 0.999);  // measured 0.99995
    }
    for (const Vec3f& n : flat) EXPECT_NEAR(max_component(abs(to_double(n))), 1, 1e-6);
}

TEST(Tracer, NothingToDrawIsAPictureOfTheBackground) {
    Stage empty;
    const Picture picture =
        Tracer({}).draw(empty, {.position = {0, 0, 3}}, 32, 16, RenderQuality::draft, Parallel(1)).value();
    EXPECT_EQ(picture.rgb.size(), 32u * 16 * 3);
    EXPECT_GT(luminance(pixel(picture, 16, 8)), 0.5);
}

/// Lightness and two colour axes (CIE 1976 L*a*b*, white point of sRGB), for distances as the eye sees them.
Vec3 lab(const Vec3& c) {
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    const double x = f((0.4124 * c.x + 0.3576 * c.y + 0.1805 * c.z) / 0.9505), y = f(luminance(c)),
                 z = f((0.0193 * c.x + 0.1192 * c.y + 0.9505 * c.z) / 1.089);
    return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

TEST(Palette, IsDistinctForEveryKindOfEye) {
    // Machado, Oliveira and Fernandes (2009), full severity: eyes without green, red and blue cones.
    const Mat3 eyes[] = {Mat3::identity(),
                         {{Vec3{0.367322, 0.860646, -0.227968},
                           {0.280085, 0.672501, 0.047413},
                           {-0.011820, 0.042940, 0.968881}}},
                         {{Vec3{0.152286, 1.052583, -0.204868},
                           {0.114503, 0.786281, 0.099216},
                           {-0.003882, -0.048116, 1.051998}}},
                         {{Vec3{1.255528, -0.076749, -0.178779},
                           {-0.078411, 0.930809, 0.147602},
                           {0.004733, 0.691367, 0.303900}}}};
    for (const Mat3& eye : eyes) {
        const auto distance = [&](const Vec3& a, const Vec3& b) { return norm(lab(eye * a) - lab(eye * b)); };
        double nearest = HUGE_VAL;
        for (std::size_t i = 0; i < 7; ++i)
            for (std::size_t j = 0; j < i; ++j)
                nearest = std::min(nearest, distance(body_colour(i), body_colour(j)));
        EXPECT_GT(nearest,
                  10);  // 2.3 is just noticeable; measured 26, and 16, 19, 15 without green, red, blue
        EXPECT_GT(distance(paint::stick, paint::slip), 60);  // least measured 98
    }
}

TEST(Tracer, ShinyHasAHighlightAndTranslucentShowsWhatIsBehind) {
    Studio1 s;
    const Vec3 centre{0, 0.9, 0};
    const auto with = [&](Finish finish) {
        s.stage.bodies = {{0, {.position = centre}, colour_of(0x802020), finish}};
        return s.draw(2, RenderQuality::high);
    };
    const Picture matt = with(Finish::matt), shiny = with(Finish::shiny), clear = with(Finish::translucent);
    // Where the sun is mirrored to the eye.
    const Vec3 half = normalised(Studio({0, 1, 0}).sun() + normalised(s.camera.position - centre));
    const Vec3 spot = centre + half * 0.3;
    EXPECT_GT(luminance(s.at(shiny, spot)), 1.5 * luminance(s.at(matt, spot)));  // measured below
    // A green ball behind the red one.
    s.stage.bodies.push_back(
        {0, {.position = centre - normalised(s.camera.position - centre) * 0.9}, colour_of(0x10D020)});
    s.stage.bodies[0].finish = Finish::translucent;
    const Vec3 through = s.at(s.draw(2, RenderQuality::high), centre), alone = s.at(clear, centre);
    EXPECT_GT(through.y / through.x, 1.3 * (alone.y / alone.x));
    s.stage.bodies[0].finish = Finish::matt;
    const Vec3 hidden = s.at(s.draw(2, RenderQuality::high), centre), red = s.at(matt, centre);
    EXPECT_NEAR(hidden.y / hidden.x, red.y / red.x, 0.02);
}

TEST(Palette, EveryMovingBodyHasItsOwnColourAndAGivenOneWins) {
    for (const int kinds : {1, 4}) {
        FramesHeader header;
        header.meshes.resize(static_cast<std::size_t>(kinds));
        for (int i = 0; i < 200; ++i) header.bodies.push_back({.kind = "rigid", .mesh = i % kinds});
        std::vector<Vec3> colours = body_colours(header);
        double nearest = HUGE_VAL;
        for (std::size_t i = 0; i < colours.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) nearest = std::min(nearest, norm(colours[i] - colours[j]));
        EXPECT_GT(nearest, 1e-3) << kinds;  // linear light
        header.bodies[7].colour = 0x123456;
        EXPECT_EQ(body_colours(header)[7], colour_of(0x123456));
    }
}

}  // namespace
}  // namespace plush::render
