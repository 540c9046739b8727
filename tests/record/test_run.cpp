#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plush/record/frames.hpp"
#include "plush/record/run.hpp"
#include "record/disk_full.hpp"
#include "record/run_folder.hpp"
#include "support/files.hpp"

namespace plush {
namespace {

using test::read_text;
using test::TempFolder;
using test::write_text;

/// Two boxes that fall on each other, the lower one through a corner: contacts, friction and spin.
Scene small_scene(std::vector<std::string> set = {}) {
    const char* text = R"({ "plush": 1, "duration": 0.5,
        "bodies": [ { "ground": {} },
          { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.15, 0] },
          { "rigid": { "sphere": { "radius": 0.1 } }, "at": [0.05, 0.4, 0.02] } ] })";
    SceneLoad load = Scene::try_parse(text, std::filesystem::temp_directory_path(), "small", set);
    if (!load.scene) throw load.errors.front();
    return *load.scene;
}

TEST(Run, WritesEverything) {
    TempFolder folder;
    const RunFolder files{folder / "run"};
    const RunSummary summary = run_scene(small_scene(), {.out = files.path}).value();
    EXPECT_TRUE(summary.finished);
    EXPECT_EQ(summary.steps, 30);
    EXPECT_GT(summary.contacts_max, 0);
    EXPECT_LT(summary.end.total(), summary.start.total());
    const auto json = nlohmann::json::parse(read_text(files.summary()));
    EXPECT_EQ(json["scene"], "small");
    EXPECT_EQ(json["steps"], 30);
    EXPECT_EQ(json["finished"], true);
    EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16u);
    for (const auto phase : phase_names) EXPECT_TRUE(json["seconds"].contains(std::string(phase)));
    for (const char* key : {"version", "machine", "threads", "simulated_seconds", "contacts", "largest_depth",
                            "residual", "energy"}) {
        EXPECT_TRUE(json.contains(key)) << key;
    }
    // A heading and 30 rows, the last with the final hash.
    const std::string metrics = read_text(files.metrics());
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 31);
    EXPECT_TRUE(metrics.ends_with(json["state_hash"].get<std::string>() + "\n"));

    FrameReader reader = FrameReader::open(files.frames()).value();
    EXPECT_EQ(static_cast<long long>(reader.frames()), summary.frames);
    EXPECT_EQ(reader.header().bodies.size(), 3u);
    Frame frame;
    reader.read(reader.frames() - 1, frame).value();
    EXPECT_EQ(frame.step, 30);
    EXPECT_FALSE(frame.contacts.empty());
    // What was kept of the scene gives the same run.
    EXPECT_EQ(run_scene(scene_of_run(files.path).value()).value().state_hash, summary.state_hash);
}

TEST(Run, SharesTheMeshesOfEqualBodies) {
    TempFolder folder;
    const char* text = R"({ "plush": 1, "bodies": [
        { "rigid": { "sphere": { "radius": 0.1 } }, "at": [0, 1, 0], "repeat": { "count": 5, "step": [0, 1, 0] } } ] })";
    SceneLoad load = Scene::try_parse(text, folder.path(), "balls");
    ASSERT_TRUE(load.scene) << load.errors.front().what();
    run_scene(*load.scene, {.out = folder / "run", .steps = 1}).value();
    const FrameReader reader = FrameReader::open(folder / "run/frames.plush").value();
    EXPECT_EQ(reader.header().bodies.size(), 5u);
    EXPECT_EQ(reader.header().meshes.size(), 1u);
}

TEST(Run, StoppedAnywhereGoesOnToTheSameEnd) {
    TempFolder folder;
    const Scene scene = small_scene();
    const RunSummary straight = run_scene(scene, {.out = folder / "straight"}).value();
    for (const long long stop : {1, 7, 16, 29}) {
        const RunFolder files{folder / "stopped"};
        RunSettings settings{.out = files.path, .replace = true};
        settings.progress = [&](const RunProgress& p) { return p.step < stop; };
        const RunSummary part = run_scene(scene, settings).value();
        EXPECT_FALSE(part.finished);
        EXPECT_FALSE(part.error);
        EXPECT_EQ(part.steps, stop);
        EXPECT_FALSE(run_scene(scene, {.out = files.path})) << "an interrupted run is not thrown away";
        const RunSummary rest = resume_run(files.path).value();
        EXPECT_TRUE(rest.finished);
        EXPECT_EQ(rest.steps, 30);
        EXPECT_EQ(rest.state_hash, straight.state_hash) << stop;
        EXPECT_EQ(rest.start_hash, straight.start_hash);
        EXPECT_EQ(rest.contacts_mean, straight.contacts_mean);
        EXPECT_EQ(rest.frames, straight.frames);
        EXPECT_EQ(read_text(files.frames()), read_text(folder / "straight/frames.plush")) << stop;
    }
}

TEST(Run, KilledAfterACheckpointDropsWhatCameLater) {
    TempFolder folder;
    const Scene scene = small_scene();
    const RunSummary straight = run_scene(scene, {.out = folder / "straight"}).value();
    // The child ends without a word at step 25; its last checkpoint is of step 18 (every 0.1 s = 6 steps is
    // 6, 12, 18, 24: the one of 24 is put out of reach by exiting at 23).
    const RunFolder files{folder / "killed"};
    if (const pid_t child = ::fork(); child == 0) {
        RunSettings settings{.out = files.path, .threads = 1, .checkpoint_every = 0.1};
        settings.progress = [](const RunProgress& p) {
            if (p.step == 23) ::_exit(7);
            return true;
        };
        static_cast<void>(run_scene(scene, settings));
        ::_exit(0);
    } else {
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_EQ(WEXITSTATUS(status), 7);
    }
    EXPECT_FALSE(std::filesystem::exists(files.summary()));
    EXPECT_EQ(resume_run(files.path).value().state_hash, straight.state_hash);
    EXPECT_EQ(read_text(files.frames()), read_text(folder / "straight/frames.plush"));
    const std::string metrics = read_text(files.metrics());
    EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 31);
    EXPECT_FALSE(run_scene(scene, {.steps = 30, .verify = files.path}).value().verified->first_different);
}

TEST(Run, MadeLongerIsTheLongRun) {
    TempFolder folder;
    const Scene scene = small_scene();
    const RunSummary straight = run_scene(scene, {.steps = 40}).value();
    run_scene(scene, {.out = folder / "run", .steps = 20}).value();
    const RunSummary again = resume_run(folder / "run").value();
    EXPECT_TRUE(again.finished) << "nothing left to do";
    EXPECT_EQ(again.steps, 20);
    EXPECT_EQ(resume_run(folder / "run", {.steps = 40}).value().state_hash, straight.state_hash);
    EXPECT_FALSE(resume_run(folder / "run", {.steps = 39})) << "a run does not go back";
}

TEST(Run, VerifyNamesTheFirstStepThatDiffers) {
    TempFolder folder;
    const RunFolder files{folder / "run"};
    run_scene(small_scene(), {.out = files.path}).value();
    const auto same = run_scene(small_scene(), {.threads = 2, .verify = files.path}).value();
    ASSERT_TRUE(same.verified);
    EXPECT_FALSE(same.verified->first_different);
    EXPECT_EQ(same.verified->steps, 30);
    // Another start.
    const auto moved =
        run_scene(small_scene({"bodies[2].at=[0.05, 0.4, 0.0200001]"}), {.verify = files.path}).value();
    EXPECT_EQ(moved.verified->first_different, 0);
    EXPECT_FALSE(moved.finished);
    // One digit of one hash: the row of step 13 ends with it.
    std::string metrics = read_text(files.metrics());
    std::size_t end = 0;
    for (int line = 0; line < 14; ++line) end = metrics.find('\n', end) + 1;
    char& digit = metrics[end - 2];
    digit = digit == '0' ? '1' : '0';
    write_text(files.metrics(), metrics);
    const auto edited = run_scene(small_scene(), {.verify = files.path}).value();
    EXPECT_EQ(edited.verified->first_different, 13);
    EXPECT_FALSE(run_scene(small_scene(), {.out = files.path, .verify = files.path}));
}

TEST(Run, FullDiskKeepsFramesAndCheckpoint) {
    TempFolder folder;
    const Scene scene = small_scene();
    const RunSummary straight = run_scene(scene, {.out = folder / "straight"}).value();
    const auto all = std::filesystem::file_size(folder / "straight/frames.plush");
    const auto checkpoint = std::filesystem::file_size(folder / "straight/checkpoint.plush");
    ASSERT_LT(checkpoint * 5, all * 4)
        << "the checkpoint is as large as the frames: the limit would hit it first";
    const RunFolder files{folder / "full"};
    const int status = test::with_file_limit(all * 9 / 10, [&] {
        const auto summary = run_scene(scene, {.out = files.path, .threads = 1, .checkpoint_every = 0.1});
        return summary && !summary.value().finished && summary.value().error &&
               summary.value().error->file() == files.frames().string();
    });
    ASSERT_EQ(status, 0);
    FrameReader reader = FrameReader::open(files.frames()).value();
    EXPECT_GT(reader.frames(), 5u);
    EXPECT_EQ(reader.tail(), FrameReader::Tail::whole);
    EXPECT_EQ(resume_run(files.path).value().state_hash, straight.state_hash);
    EXPECT_EQ(read_text(files.frames()), read_text(folder / "straight/frames.plush"));
}

TEST(Run, RefusesWhatCannotBe) {
    TempFolder folder;
    const Scene scene = small_scene();
    EXPECT_FALSE(run_scene(scene, {.duration = -1.0}));
    EXPECT_FALSE(run_scene(scene, {.duration = std::numeric_limits<double>::quiet_NaN()}));
    EXPECT_FALSE(run_scene(scene, {.duration = std::numeric_limits<double>::infinity()}));
    EXPECT_FALSE(run_scene(scene, {.steps = -1}));
    EXPECT_FALSE(run_scene(scene, {.out = "/proc/plush"}));
    EXPECT_FALSE(resume_run(folder.path()));
    EXPECT_FALSE(run_scene(scene, {.verify = folder.path()}));
    // A whole number of steps but for rounding is that number: 0.1 s of 1/60 s.
    EXPECT_EQ(run_scene(scene, {.duration = 0.1}).value().steps, 6);
    EXPECT_EQ(run_scene(scene, {.duration = 0.101}).value().steps, 7);
    EXPECT_EQ(run_scene(scene, {.steps = 0}).value().steps, 0);
}

}  // namespace
}  // namespace plush
