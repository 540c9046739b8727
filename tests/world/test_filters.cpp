#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;
using Kind = ContactEvent::Kind;

/// The height of a box after a second above the ground, 0.1 m when it rests and far below when it fell
/// through.
double height_after_a_second(World& world, BodyId box) {
    steps(world, 60);
    return world.centre(box).y;
}

const double rest = 0.1, fallen = 0.1 - 0.5 * g;  // the latter to within g h/2 = 8 cm

TEST(Filters, BothMasksMustAllow) {
    struct Case {
        Filter box, ground;
        bool touches;
    };
    const Case cases[] = {
        {{1, 1}, {1, 1}, true},  {{1, 2}, {2, 1}, true},
        {{1, 2}, {1, 1}, false}, {{2, 1}, {1, 1}, false},
        {{3, 4}, {4, 2}, true},  {{1, 0}, {1, 1}, false},
        {{1, 1}, {0, 1}, false}, {{1u << 31, 1}, {1, 1u << 31}, true},
    };
    for (const Case& c : cases) {
        World world;
        world.add(Fixed{.shape = Shape::half_space(), .filter = c.ground});
        Rigid body = cube();
        body.filter = c.box;
        const BodyId box = world.add(body, {.position = {0, rest, 0}});
        EXPECT_NEAR(height_after_a_second(world, box), c.touches ? rest : fallen, 0.1)
            << c.box.groups << ' ' << c.box.collides_with << ' ' << c.ground.groups;
    }
}

TEST(Filters, AFilterSetLaterWakesWhatRested) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, rest, 0}});
    steps(world, 90);
    ASSERT_TRUE(world.asleep(box));
    world.set_filter(ground, {.groups = 1, .collides_with = 0});
    EXPECT_NEAR(height_after_a_second(world, box), fallen, 0.1);
}

TEST(Filters, APairMayBeToldApart) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, rest, 0}});
    const BodyId other = world.add(cube(), {.position = {1, rest, 0}});
    world.set_collide(box, ground, false);
    EXPECT_NEAR(height_after_a_second(world, box), fallen, 0.1);
    EXPECT_NEAR(world.centre(other).y, rest, 1e-3);
    // The pair's own word goes before the masks.
    world.set_filter(other, {.groups = 1, .collides_with = 0});
    world.set_collide(ground, other, true);
    EXPECT_NEAR(height_after_a_second(world, other), rest, 1e-3);
}

TEST(Filters, JointedNeighboursIgnoreEachOtherUnlessTold) {
    for (bool collide : {false, true}) {
        World world(without_gravity());
        const BodyId a = world.add(cube()), b = world.add(cube(), {.position = {0.2, 0.02, 0.01}});
        world.add(BallJoint{.anchor = {0.1, 0, 0}, .collide = collide}, a, b);
        world.step();
        EXPECT_EQ(world.events().empty(), !collide);
    }
}

TEST(Filters, ThePairsMaterialGoesBeforeThoseOfTheBodies) {
    const auto slid = [](std::optional<double> friction) {
        World world;
        const BodyId ground = world.add_ground(0, {.friction = 0.5});
        const BodyId box = world.add(cube(), {.position = {0, rest, 0}, .velocity = {1, 0, 0}});
        if (friction) world.set_pair_material(box, ground, {.friction = *friction});
        steps(world, 60);
        return world.centre(box).x;
    };
    const double h = 1.0 / 60;
    EXPECT_NEAR(slid(0), 1, 1e-9);                           // slides on without friction
    EXPECT_NEAR(slid({}), 1 / (2 * 0.5 * g) - h / 2, 1e-3);  // v²/(2 μ g), less v h/2
    EXPECT_NEAR(slid(1), 1 / (2 * 1.0 * g) - h / 2, 3e-3);
    EXPECT_LT(slid(100), 1.0 / 60);  // sticks at once
}

TEST(Filters, ThePairsRestitution) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 1.1, 0}});
    world.set_pair_material(ball, ground, {.restitution = 0.5});
    double before = 0, bounced = 0;
    while (world.time() < 0.6 && bounced == 0) {
        before = world.velocity(ball).y;
        world.step();
        if (world.velocity(ball).y > 0) bounced = world.velocity(ball).y;
    }
    EXPECT_NEAR(bounced, -0.5 * before, 0.05 * bounced);  // gravity acts within the step of the impact
}

TEST(Filters, ThePairsMethod) {
    for (ContactMethod method : {ContactMethod::none, ContactMethod::impulse, ContactMethod::points}) {
        World world;
        const BodyId ground = world.add_ground();
        const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 0.2, 0}});
        world.set_pair_method(ball, ground, method);
        bool touched = false;
        for (int i = 0; i < 60; ++i) {
            world.step();
            touched = touched || !world.events().empty();
            EXPECT_TRUE(method != ContactMethod::none || world.contacts().empty());
        }
        EXPECT_TRUE(touched);
        const double expected = method == ContactMethod::none ? 0.2 - 0.5 * g : 0.1;
        EXPECT_NEAR(world.centre(ball).y, expected, method == ContactMethod::none ? 0.1 : 5e-3);
    }
}

TEST(Filters, SensorsReportAndDoNotPush) {
    World world;
    const BodyId gate =
        world.add(Fixed{.shape = Shape::box({0.5, 0.1, 0.5}), .sensor = true, .name = "gate"});
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05)}, {.position = {0, 1, 0}});
    int began = 0, ongoing = 0, ended = 0;
    const int n = 60;
    for (int i = 0; i < n; ++i) {
        world.step();
        EXPECT_TRUE(world.contacts().empty());
        for (const ContactEvent& e : world.events()) {
            EXPECT_TRUE(e.sensor);
            EXPECT_TRUE((e.a == gate && e.b == ball) || (e.a == ball && e.b == gate));
            began += e.kind == Kind::began;
            ongoing += e.kind == Kind::ongoing;
            ended += e.kind == Kind::ended;
        }
    }
    EXPECT_EQ(began, 1);
    EXPECT_GT(ongoing, 0);
    EXPECT_EQ(ended, 1);
    const double h = world.settings().step;
    EXPECT_NEAR(world.centre(ball).y, 1 - g * h * h * n * (n + 1) / 2, 1e-12);  // free fall
}

TEST(Filters, AScriptedSensorSeesAFixedBody) {
    World world;
    world.add(Fixed{.shape = Shape::sphere(0.1)});
    world.add(Scripted{.shape = Shape::sphere(0.1),
                       .keyframes = {{.time = 0, .position = {-1, 0, 0}}, {.time = 1, .position = {1, 0, 0}}},
                       .sensor = true});
    int began = 0, ended = 0;
    for (int i = 0; i < 60; ++i) {
        world.step();
        for (const ContactEvent& e : world.events()) {
            began += e.kind == Kind::began;
            ended += e.kind == Kind::ended;
        }
    }
    EXPECT_EQ(began, 1);
    EXPECT_EQ(ended, 1);
}

TEST(Filters, EventsBeginGoOnAndEndOnceEachInOrder) {
    World world;
    world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 0.3, 0}});
    std::string story;
    const auto watch = [&](int n) {
        for (int i = 0; i < n; ++i) {
            world.step();
            ASSERT_LE(world.events().size(), 1u);
            char now = '.';
            for (const ContactEvent& e : world.events())
                now = e.kind == Kind::began ? 'b' : e.kind == Kind::ongoing ? 'o' : 'e';
            if (story.empty() || story.back() != now || now == 'b' || now == 'e') story += now;
        }
    };
    watch(30);
    world.set_velocity(box, {0, 3, 0});
    watch(15);
    EXPECT_EQ(story, ".boe.");
    watch(120);
    EXPECT_EQ(story, ".boe.bo");
    EXPECT_TRUE(world.asleep(box));
}

}  // namespace
}  // namespace plush
