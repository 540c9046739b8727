#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plush/record/frames.hpp"
#include "plush/record/run.hpp"
#include "record/checkpoint.hpp"
#include "record/run_folder.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Runs whose files were damaged after they were stopped: they go on to the same end, keep what can be read, and say what not.

namespace plush {
namespace {

using test::read_text;
using test::says;
using test::TempFolder;
using test::write_text;

constexpr long long stop_at = 20, steps = 30;

Scene falling_ball(const std::filesystem::path& folder, const std::string& mesh = {}) {
    const std::string body = mesh.empty() ? R"("sphere": { "radius": 0.1 })" : R"("mesh": ")" + mesh + '"';
    const std::string text = R"({ "plush": 1, "duration": 0.5, "frame_rate": 60, "bodies": [
        { "ground": {} }, { "rigid": { )" +
                             body + R"( }, "at": [0, 0.4, 0] } ] })";
    SceneLoad load = Scene::try_parse(text, folder, "ball");
    if (!load.scene) throw load.errors.front();
    return *load.scene;
}

/// A run that was stopped after 20 of its 30 steps, with checkpoints at steps 10 and 20.
class StoppedRun {
public:
    StoppedRun() : scene_(falling_ball(temp_.path())) {
        straight = run_scene(scene_, {.out = temp_ / "straight"}).value();
        stop();
    }
    void stop() {
        std::filesystem::remove_all(files.path);
        RunSettings settings{.out = files.path, .checkpoint_every = 10.0 / 60};
        settings.progress = [](const RunProgress& p) { return p.step < stop_at; };
        run_scene(scene_, settings).value();
    }
    /// Goes on to the end, and compares it with that of the run that was never stopped.
    RunSummary resume() {
        const RunSummary summary = resume_run(files.path, {}).value();
        EXPECT_TRUE(summary.finished);
        EXPECT_EQ(summary.state_hash, straight.state_hash);
        return summary;
    }
    std::vector<long long> frame_steps() const {
        FrameReader reader = FrameReader::open(files.frames()).value();
        EXPECT_TRUE(reader.damage().empty());
        EXPECT_EQ(reader.tail(), FrameReader::Tail::whole);
        std::vector<long long> list;
        Frame frame;
        for (std::size_t k = 0; k < reader.frames(); ++k)
            if (reader.read(k, frame)) list.push_back(frame.step);
        return list;
    }

    TempFolder temp_{};
    Scene scene_;
    RunFolder files{temp_ / "run"};
    RunSummary straight{};
};

std::vector<long long> all_but(std::vector<long long> missing) {
    std::vector<long long> list;
    for (long long k = 0; k <= steps; ++k)
        if (std::find(missing.begin(), missing.end(), k) == missing.end()) list.push_back(k);
    return list;
}

TEST(Salvage, AWholeRunSaysNothing) {
    StoppedRun run;
    const RunSummary summary = run.resume();
    EXPECT_TRUE(summary.warnings.empty());
    EXPECT_EQ(run.frame_steps(), all_but({}));
    EXPECT_EQ(read_text(run.files.frames()), read_text(run.temp_ / "straight/frames.plush"));
}

TEST(Salvage, FramesBeforeAndBehindDamageAreKept) {
    StoppedRun run;
    std::string bytes = read_text(run.files.frames());
    // In the content of a frame: its neighbours stay.
    const std::size_t at = bytes.find("FRAM", bytes.size() - 1500) + 60;
    ASSERT_LT(at, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ 8);
    write_text(run.files.frames(), bytes);
    const RunSummary summary = run.resume();
    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_TRUE(says(summary.warnings.front().what(), "20 of 21 frames"));
    EXPECT_FALSE(summary.warnings.front().place().empty());
    EXPECT_EQ(run.frame_steps().size(), 30u);
    EXPECT_EQ(run.frame_steps().back(), 30);
    EXPECT_EQ(summary.frames, 30);
    EXPECT_EQ(read_text(run.files.path / "frames.plush.damaged"), bytes)
        << "the damaged file is kept as it was";
}

TEST(Salvage, ADamagedHeadOrLostBytesHideNoOtherFrame) {
    for (const bool lost : {false, true}) {
        StoppedRun run;
        std::string bytes = read_text(run.files.frames());
        const std::size_t head = bytes.find("FRAM", bytes.size() - 1500);
        ASSERT_NE(head, bytes.npos);
        if (lost) {
            bytes.erase(head + 60, 40);
        } else {
            bytes[head + 9] = static_cast<char>(bytes[head + 9] ^ 1);  // of the length
        }
        write_text(run.files.frames(), bytes);
        FrameReader reader = FrameReader::open(run.files.frames()).value();
        EXPECT_EQ(reader.frames(), 20u) << lost;
        ASSERT_EQ(reader.damage().size(), 1u);
        EXPECT_EQ(reader.damage().front().begin, head);
        const RunSummary summary = run.resume();
        EXPECT_EQ(summary.warnings.size(), 1u);
        EXPECT_EQ(run.frame_steps().size(), 30u);
    }
}

TEST(Salvage, ADamagedHeaderIsMadeAnew) {
    StoppedRun run;
    std::string bytes = read_text(run.files.frames());
    for (const std::size_t at : {std::size_t{2}, std::size_t{40}}) {
        run.stop();
        std::string bad = bytes;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        write_text(run.files.frames(), bad);
        const RunSummary summary = run.resume();
        ASSERT_EQ(summary.warnings.size(), 1u) << at;
        EXPECT_EQ(run.frame_steps(), all_but({})) << at;
    }
}

TEST(Salvage, AFileThatIsGoneOrCutIsBegunAnew) {
    StoppedRun run;
    std::filesystem::remove(run.files.frames());
    std::filesystem::remove(run.files.metrics());
    const RunSummary gone = run.resume();
    EXPECT_EQ(gone.warnings.size(), 2u);
    EXPECT_EQ(run.frame_steps().front(), 21);
    run.stop();
    const std::string rows = read_text(run.files.metrics());
    write_text(run.files.metrics(), rows.substr(0, rows.size() / 2));
    const RunSummary cut = run.resume();
    ASSERT_EQ(cut.warnings.size(), 1u);
    const std::string salvaged = read_text(run.files.metrics());
    EXPECT_TRUE(salvaged.starts_with(rows.substr(0, rows.rfind('\n', rows.size() / 2))));
    EXPECT_NE(salvaged.find("\n30,"), salvaged.npos);
    run.stop();
    std::string bad = rows;
    bad[bad.find("\n9,") + 4] = ',';  // a column too many
    write_text(run.files.metrics(), bad);
    const RunSummary damaged = run.resume();
    ASSERT_EQ(damaged.warnings.size(), 1u);
    EXPECT_EQ(damaged.warnings.front().place(), "line 10");
    EXPECT_EQ(read_text(run.files.path / "metrics.csv.damaged"), bad);
}

TEST(Salvage, TheCheckpointBeforeIsUsedWhereTheNewerIsDamaged) {
    StoppedRun run;
    ASSERT_TRUE(std::filesystem::exists(run.files.previous_checkpoint()));
    std::string bytes = read_text(run.files.checkpoint());
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    write_text(run.files.checkpoint(), bytes);
    const RunSummary summary = run.resume();
    ASSERT_EQ(summary.warnings.size(), 1u);
    EXPECT_TRUE(says(summary.warnings.front().cure(), "checkpoint.plush.damaged"));
    EXPECT_EQ(run.frame_steps(), all_but({}));
    // A stop between the two renames of a checkpoint leaves the older alone.
    run.stop();
    std::filesystem::remove(run.files.checkpoint());
    run.resume();
    EXPECT_EQ(run.frame_steps(), all_but({}));
}

TEST(Salvage, AFileOfTheSceneThatHasChangedIsNamed) {
    TempFolder temp;
    const std::string cube =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 "
        "6 5\nf 3 7 8 "
        "4\nf 1 5 7 3\nf 2 4 8 6\n";
    write_text(temp / "cube.obj", cube);
    RunSettings settings{.out = temp / "run"};
    settings.progress = [](const RunProgress& p) { return p.step < 5; };
    run_scene(falling_ball(temp.path(), "cube.obj"), settings).value();
    write_text(temp / "cube.obj", cube + "# another\n");
    const auto refused = resume_run(temp / "run", {});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(says(refused.error().file(), "cube.obj"));
    EXPECT_TRUE(says(refused.error().problem(), "changed"));
    std::filesystem::remove(temp / "cube.obj");
    EXPECT_FALSE(resume_run(temp / "run", {}));
    write_text(temp / "cube.obj", cube);
    EXPECT_TRUE(resume_run(temp / "run", {}));
}

TEST(Salvage, AnotherWorldThanTheOneThatBeganIsRefused) {
    StoppedRun run;
    Checkpoint checkpoint = load_checkpoint(run.files.checkpoint()).value();
    checkpoint.totals.start_hash ^= 1;
    save_checkpoint(run.files, checkpoint).value();
    const auto refused = resume_run(run.files.path, {});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(says(refused.error().problem(), "not the one that the run began with"));
}

TEST(Salvage, TemporaryFilesFollowNoLinks) {
    TempFolder temp;
    write_text(temp / "mine.txt", "mine");
    std::filesystem::create_symlink(temp / "mine.txt", temp / "a.part");
    const std::string text = "new";
    ASSERT_TRUE(replace_file(temp / "a", std::as_bytes(std::span(text))));
    EXPECT_EQ(read_text(temp / "a"), "new");
    EXPECT_EQ(read_text(temp / "mine.txt"), "mine");
}

TEST(Salvage, SalvagedFilesFollowNoLinks) {
    StoppedRun run;
    write_text(run.temp_ / "mine.txt", "mine");
    for (const auto& file : {run.files.frames(), run.files.metrics()}) {
        const std::string bytes = read_text(file);
        write_text(file, std::string_view(bytes).substr(0, bytes.size() / 2));
        std::filesystem::create_symlink(run.temp_ / "mine.txt", file.string() + ".part");
    }
    EXPECT_EQ(run.resume().warnings.size(), 2u);
    EXPECT_EQ(read_text(run.temp_ / "mine.txt"), "mine");
    EXPECT_FALSE(std::filesystem::is_symlink(run.files.frames()));
}

}  // namespace
}  // namespace plush
