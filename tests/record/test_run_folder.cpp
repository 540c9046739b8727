#include <gtest/gtest.h>

#include "record/metrics.hpp"
#include "record/run_folder.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

namespace plush {
namespace {

using test::read_text;
using test::says;
using test::TempFolder;
using test::write_text;

TEST(RunFolder, IsMadeWhereNothingIs) {
    TempFolder temp;
    const RunFolder folder{temp / "a/b/c"};
    EXPECT_TRUE(prepare_run_folder(folder, false));
    EXPECT_TRUE(std::filesystem::is_directory(folder.path));
    EXPECT_TRUE(prepare_run_folder(folder, false)) << "empty: still welcome";
}

TEST(RunFolder, LeavesOtherPeoplesFilesAlone) {
    TempFolder temp;
    const RunFolder folder{temp.path()};
    // Names like a run's, content of someone else's.
    write_text(folder.metrics(), "my,own,table\n1,2,3\n");
    write_text(folder.summary(), "{\"finished\": true}");
    for (const bool replace : {false, true}) {
        const auto refused = prepare_run_folder(folder, replace);
        ASSERT_FALSE(refused);
        EXPECT_FALSE(refused.error().cure().empty());
    }
    EXPECT_EQ(read_text(folder.metrics()), "my,own,table\n1,2,3\n");
    const RunFolder file{temp / "summary.json"};
    EXPECT_FALSE(prepare_run_folder(file, true)) << "a file is no folder";
}

TEST(RunFolder, ReplacesAFinishedRunAndOnlyThat) {
    TempFolder temp;
    const RunFolder folder{temp.path()};
    write_text(folder.metrics(), metrics_heading() + "1,2\n");
    write_text(folder.checkpoint(), "plushchk…");
    write_text(folder.summary(), "{\"finished\": true}");
    write_text(temp / "notes.txt", "mine");
    ASSERT_TRUE(prepare_run_folder(folder, false));
    EXPECT_FALSE(std::filesystem::exists(folder.checkpoint()));
    EXPECT_FALSE(std::filesystem::exists(folder.summary()));
    EXPECT_EQ(read_text(temp / "notes.txt"), "mine");
}

TEST(RunFolder, DoesNotThrowAnInterruptedRunAway) {
    TempFolder temp;
    const RunFolder folder{temp.path()};
    const auto make = [&](const std::string& summary) {
        write_text(folder.metrics(), metrics_heading());
        write_text(folder.checkpoint(), "plushchk…");
        std::filesystem::remove(folder.summary());
        if (!summary.empty()) write_text(folder.summary(), summary);
    };
    for (const std::string summary : {"{\"finished\": false}", "", "not JSON"}) {
        make(summary);
        const auto refused = prepare_run_folder(folder, false);
        ASSERT_FALSE(refused) << summary;
        EXPECT_TRUE(says(refused.error().cure(), "--resume"));
        EXPECT_TRUE(std::filesystem::exists(folder.checkpoint()));
        EXPECT_TRUE(prepare_run_folder(folder, true));
    }
    // A full disk is no fault of the run.
    make("{\"finished\": false, \"error\": {}, \"can_go_on\": true}");
    EXPECT_FALSE(prepare_run_folder(folder, false));
    // A run whose physics went bad would go bad again: it may go.
    make("{\"finished\": false, \"error\": {}, \"can_go_on\": false}");
    EXPECT_TRUE(prepare_run_folder(folder, false));
}

TEST(RunFolder, OfARunningRunIsRefusedUntouched) {
    TempFolder temp;
    const RunFolder folder{temp.path()};
    const auto running = MetricsWriter::create(folder.metrics());
    ASSERT_TRUE(running);
    write_text(folder.checkpoint(), "plushchk…");
    const auto refused = prepare_run_folder(folder, true);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(std::filesystem::exists(folder.checkpoint()));
}

TEST(Metrics, HashesAreReadBack) {
    TempFolder temp;
    const auto file = temp / "metrics.csv";
    const std::string rows = "1,0.1,x,00000000000000ff\n2,0.2,x,123456789abcdef0\n";
    write_text(file, metrics_heading() + rows + "3,0.3,x,0000");
    const auto hashes = read_hashes(file);
    ASSERT_TRUE(hashes) << hashes.error().what();
    EXPECT_EQ(hashes.value(), (std::vector<std::uint64_t>{0xff, 0x123456789abcdef0}));
    EXPECT_EQ(hash_text(0xff), "00000000000000ff");
    for (const std::string bad :
         {"1,0\n", "1,0,00000000000000fg\n", "1,0,ff\n", "x,0,00000000000000ff\n", "\n", ",,,\n"}) {
        write_text(file, metrics_heading() + bad);
        const auto refused = read_hashes(file);
        ASSERT_FALSE(refused) << bad;
        EXPECT_EQ(refused.error().place(), "line 2");
    }
    write_text(file, metrics_heading() + "1,0,00000000000000ff\n3,0,00000000000000ff\n");
    EXPECT_EQ(read_hashes(file).error().place(), "line 3");
    write_text(file, "step,time\n");
    EXPECT_FALSE(read_hashes(file));
    EXPECT_FALSE(read_hashes(temp / "absent"));
}

}  // namespace
}  // namespace plush
