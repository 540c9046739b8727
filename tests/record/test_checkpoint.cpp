#include <gtest/gtest.h>

#include "record/checkpoint.hpp"
#include "record/disk_full.hpp"
#include "support/files.hpp"

namespace plush {
namespace {

using test::read_text;
using test::TempFolder;
using test::write_text;

Checkpoint example() {
    Checkpoint c{.scene_name = "bowl", .scene = R"({"plush": 1})", .step = 20, .steps = 40};
    for (int i = 0; i < 100; ++i) c.world.push_back(static_cast<std::byte>(i));
    c.frames_bytes = 12345;
    c.metrics_bytes = 678;
    c.totals.max_contacts = 9;
    c.totals.residual = 1e-7;
    c.totals.seconds = {1, 2, 3, 4, 5, 6};
    return c;
}

TEST(Checkpoint, ComesBackWhole) {
    TempFolder folder;
    const Checkpoint saved = example();
    save_checkpoint({folder.path()}, saved).value();
    const Checkpoint c = load_checkpoint(RunFolder{folder.path()}.checkpoint()).value();
    EXPECT_EQ(c.scene_name, saved.scene_name);
    EXPECT_EQ(c.scene, saved.scene);
    EXPECT_EQ(c.world, saved.world);
    EXPECT_EQ(c.step, 20);
    EXPECT_EQ(c.steps, 40);
    EXPECT_EQ(c.has_frames, 1);
    EXPECT_EQ(c.frames_bytes, 12345u);
    EXPECT_EQ(c.metrics_bytes, 678u);
    EXPECT_EQ(c.totals.max_contacts, 9);
    EXPECT_EQ(c.totals.residual, 1e-7);
    EXPECT_EQ(c.totals.seconds, saved.totals.seconds);
}

TEST(Checkpoint, CutOrDamagedAnywhereIsRefused) {
    TempFolder folder;
    const auto file = RunFolder{folder.path()}.checkpoint();
    save_checkpoint({folder.path()}, example()).value();
    const std::string all = read_text(file);
    for (std::size_t at = 0; at < all.size(); ++at) {
        write_text(file, all.substr(0, at));
        const auto cut = load_checkpoint(file);
        ASSERT_FALSE(cut) << at;
        ASSERT_FALSE(cut.error().cure().empty());
        for (const int bit : {0, 7}) {
            std::string bad = all;
            bad[at] = static_cast<char>(bad[at] ^ (1 << bit));
            write_text(file, bad);
            ASSERT_FALSE(load_checkpoint(file)) << at;
        }
    }
    write_text(file, all + "x");
    EXPECT_FALSE(load_checkpoint(file));
    write_text(file, all);
    EXPECT_TRUE(load_checkpoint(file));
    EXPECT_FALSE(load_checkpoint(folder / "absent"));
    EXPECT_FALSE(load_checkpoint(folder.path()));
}

TEST(Checkpoint, FullDiskKeepsTheOldOne) {
    TempFolder folder;
    const auto file = RunFolder{folder.path()}.checkpoint();
    save_checkpoint({folder.path()}, example()).value();
    const std::string old = read_text(file);
    const int status = test::with_file_limit(old.size() + 10, [&] {
        Checkpoint bigger = example();
        bigger.world.resize(5000);
        return !save_checkpoint({folder.path()}, bigger);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(read_text(file), old);
    EXPECT_FALSE(std::filesystem::exists(folder / "checkpoint.plush.part"));
}

}  // namespace
}  // namespace plush
