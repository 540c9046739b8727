#include <gtest/gtest.h>

#include "plush/record/frames.hpp"
#include "plush/record/run.hpp"
#include "plush/view/view.hpp"
#include "view/served.hpp"

// What was done to a world is done again, to the same bits; a saved state goes on as the world did; runs are played back.

namespace plush::view {

using nlohmann::json;

namespace {

std::string hash_of(const World& world) {
    char hash[20];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(world.state_hash()));
    return hash;
}

/// Drags, drops, cuts, changes: some of everything, between steps.
void play_with(const Page& page) {
    const json drag = page.act({{"do", "drag"}, {"ray", {{"origin", {0, 2, 0}}, {"direction", {0, -1, 0}}}}});
    ASSERT_TRUE(drag["ok"]) << drag.dump();
    page.act({{"do", "step"}, {"count", 10}});
    page.act({{"do", "drag_to"}, {"drag", drag["drag"]}, {"target", {0.1, 0.9, 0.05}}});
    page.act({{"do", "step"}, {"count", 25}});
    page.act({{"do", "drop"}, {"shape", "box"}, {"at", {0, 1.6, 0}}, {"size", 0.15}});
    page.act({{"do", "set_friction"}, {"value", 0.2}});
    page.act({{"do", "release"}, {"drag", drag["drag"]}});
    page.act({{"do", "step"}, {"count", 10}});
    const json cut = page.act({{"do", "cut"},
                               {"body", 1},
                               {"from", {{"origin", {0, 0.6, 3}}, {"direction", {-1, 0, -3}}}},
                               {"to", {{"origin", {0, 0.6, 3}}, {"direction", {1, 0, -3}}}}});
    EXPECT_TRUE(cut["ok"]) << cut.dump();
    page.act({{"do", "step"}, {"count", 15}});
}

}  // namespace

TEST(ViewReplay, ARecordIsReplayedToTheSameHash) {
    test::TempFolder folder;
    const std::string scene = (folder / "small.json").string(), record = (folder / "input.jsonl").string();
    test::write_text(scene, small_scene);
    std::string hash, downloaded;
    {
        Served served({.names = {scene}, .threads = 1, .record = record});
        ASSERT_TRUE(served.opened());
        Page page(served.address());
        ASSERT_TRUE(page.open_stream());
        play_with(page);
        hash = page.state()["worlds"][0]["hash"];
        downloaded = page.get("/api/input").body;
    }
    EXPECT_EQ(test::read_text(record), downloaded);
    auto replay = Replay::load(record);
    ASSERT_TRUE(replay) << replay.error().what();
    EXPECT_EQ(replay.value().steps(), 60);
    EXPECT_TRUE(replay.value().drops_bodies());
    const Scene loaded = Scene::load(scene);
    EXPECT_EQ(replay.value().scene(), loaded.resolved());
    World world = loaded.build(2);
    for (int i = 0; i < 60; ++i) {
        replay.value().before_step(world);
        world.step();
    }
    EXPECT_EQ(hash_of(world), hash);
    World untouched = loaded.build(2);
    for (int i = 0; i < 60; ++i) untouched.step();
    EXPECT_NE(hash_of(untouched), hash);
}

TEST(ViewReplay, DamagedRecordsAreRefused) {
    test::TempFolder folder;
    const auto problem = [&](const std::string& text) {
        test::write_text(folder / "x", text);
        const auto replay = Replay::load((folder / "x").string());
        return replay ? std::string() : std::string(replay.error().what());
    };
    const std::string head = R"({"plush_input":1,"resolved":"","first_step":0})"
                             "\n";
    EXPECT_EQ(problem(head), "");
    EXPECT_EQ(problem(head + R"({"do":"pl)"), "");  // a last line that was being written
    EXPECT_NE(problem(""), "");
    EXPECT_NE(problem("{}\n"), "");
    EXPECT_NE(problem(R"({"plush_input":2,"resolved":""})"
                      "\n"),
              "");
    EXPECT_NE(problem(head + "nonsense\n").find("line 2"), std::string::npos);
    EXPECT_NE(problem(head + R"({"do":"play","step":1})"
                             "\n"),
              "");
    EXPECT_NE(problem(head + R"({"do":"release","drag":1,"step":5})"
                             "\n"
                             R"({"do":"release","drag":1,"step":4})"
                             "\n"),
              "");
    EXPECT_NE(problem(head + R"({"end":"x"})"
                             "\n"),
              "");
}

TEST(ViewReplay, ASavedStateGoesOnAsTheWorldDid) {
    test::TempFolder folder;
    const std::string scene = (folder / "small.json").string(), saved = (folder / "state.plush").string();
    test::write_text(scene, small_scene);
    std::string hash;
    {
        Served served({.names = {scene}, .threads = 1});
        Page page(served.address());
        ASSERT_TRUE(page.open_stream());
        play_with(page);
        test::write_text(saved, page.get("/api/save").body);
        page.act({{"do", "step"}, {"count", 20}});
        hash = page.state()["worlds"][0]["hash"];
    }
    {
        Served served({.names = {saved}, .threads = 1});
        ASSERT_TRUE(served.opened()) << served.opened().error().what();
        Page page(served.address());
        ASSERT_TRUE(page.open_stream());
        EXPECT_EQ(page.state()["worlds"][0]["step"], 60);
        page.act({{"do", "step"}, {"count", 20}});
        EXPECT_EQ(page.state()["worlds"][0]["hash"], hash);
    }
    std::string bytes = test::read_text(saved);
    bytes[bytes.size() / 2] ^= 1;
    test::write_text(saved, bytes);
    const Served damaged({.names = {saved}, .threads = 1});
    ASSERT_FALSE(damaged.opened());
    EXPECT_NE(std::string(damaged.opened().error().what()).find("damaged"), std::string::npos);
}

TEST(ViewReplay, ARecordedRunIsPlayedBack) {
    test::TempFolder folder;
    const std::string run = (folder / "run").string();
    const auto load = Scene::try_parse(small_scene, folder.path(), "small");
    ASSERT_TRUE(load.scene);
    ASSERT_TRUE(run_scene(*load.scene, {.out = run, .steps = 30, .threads = 1}));
    Served served({.names = {run}});
    ASSERT_TRUE(served.opened()) << served.opened().error().what();
    Page page(served.address());
    ASSERT_TRUE(page.open_stream("contacts,velocity"));
    EXPECT_EQ(page.state()["mode"], "recorded");
    ASSERT_TRUE(page.act({{"do", "seek"}, {"frame", 12}})["ok"]);
    std::optional<Message> frame;
    while ((frame = page.next(2)) && frame->meta()["frame"] != 12) {
    }
    ASSERT_TRUE(frame);
    auto reader = FrameReader::open(run + "/frames.plush");
    ASSERT_TRUE(reader);
    Frame expected;
    ASSERT_TRUE(reader.value().read(12, expected));
    const Section* points = frame->find(17, 1);
    ASSERT_TRUE(points);
    ASSERT_EQ(points->count, expected.points.size());
    for (std::size_t k = 0; k < expected.points.size(); ++k)
        EXPECT_EQ(points->real(3 * k + 1), expected.points[k].y);
    // Velocities are those from the frame before.
    Frame before;
    ASSERT_TRUE(reader.value().read(11, before));
    const double rate = 1 / (expected.time - before.time);
    const Section *speeds = frame->find(35, 1), *moved = frame->find(36);
    ASSERT_TRUE(speeds && moved);
    ASSERT_EQ(speeds->count, expected.points.size());
    for (std::size_t k = 0; k < expected.points.size(); ++k)
        EXPECT_NEAR(
            speeds->real(3 * k + 1),
            (static_cast<double>(expected.points[k].y) - static_cast<double>(before.points[k].y)) * rate,
            1e-4);
    ASSERT_EQ(moved->count, 1u);
    EXPECT_EQ(moved->whole(0), 2u);
    EXPECT_EQ(page.act({{"do", "set_friction"}, {"value", 1}})["ok"], false);
    EXPECT_EQ(page.get("/api/metrics").json()["columns"]["step"].size(), 30u);
    ASSERT_TRUE(page.act({{"do", "seek"}, {"frame", 100000}})["ok"]);
    const json world = page.state()["worlds"][0];
    EXPECT_EQ(world["frame"].get<int>(), world["frames"].get<int>() - 1);
}

TEST(ViewReplay, AWorldOfAProgramIsServed) {
    World world;
    world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 1, 0}});
    View view(world, {.name = "mine"});
    int steps = 0;
    std::thread page_thread([&] {
        Page page(view.address());
        EXPECT_TRUE(page.open_stream());
        page.act({{"do", "speed"}, {"value", 0}});
        EXPECT_EQ(page.act({{"do", "step"}, {"count", 50}})["done"], 50);
        EXPECT_GE(page.state()["worlds"][0]["step"].get<int>(), 50);
        EXPECT_EQ(page.act({{"do", "reload"}})["ok"], false);
        view.stop();
    });
    while (view.update()) {
        world.step();
        ++steps;
    }
    page_thread.join();
    EXPECT_GE(steps, 50);
    EXPECT_LT(world.centre(ball).y, 1);
}

}  // namespace plush::view
