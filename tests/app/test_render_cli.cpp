#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// plush render, from outside.

namespace plush::test {
namespace {

using nlohmann::json;

/// A folder with a short run in "r".
class RenderCli : public testing::Test {
protected:
    void SetUp() override {
        write_text(folder_ / "s.json", R"({ "plush": 1, "duration": 0.2, "bodies": [ { "ground": {} },
            { "rigid": { "sphere": { "radius": 0.1 } }, "at": [0, 0.1, 0] } ] })");
        ASSERT_EQ(plush(folder_.path(), {"run", "s.json", "--quiet", "--out", "r"}).status, 0);
    }
    Outcome render(std::vector<std::string> words, const std::function<void()>& prepare = {}) {
        words.insert(words.begin(), "render");
        words.insert(words.end(), {"--size", "96x64", "--quality", "draft"});
        return plush(folder_.path(), words, prepare);
    }
    TempFolder folder_;
};

TEST_F(RenderCli, PrintsThePathOfThePicture) {
    const Outcome outcome = render({"r"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "r/picture.png\n");
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(read_text(folder_ / "r/picture.png").substr(1, 3), "PNG");
    const Outcome document = render({"r", "--json", "--mode", "contacts", "--frame", "0"});
    EXPECT_EQ(document.status, 0) << document.err;
    const json d = json::parse(document.out);
    EXPECT_EQ(d["mode"], "contacts");
    EXPECT_EQ(d["frames"], json::array({0}));
    EXPECT_EQ(d["pictures"], json::array({"r/picture-contacts.png"}));
    EXPECT_EQ(d["finished"], true);
    const Outcome quiet = render({"r", "--quiet", "-o", "deep/down/x.png"});
    EXPECT_EQ(quiet.status, 0) << quiet.err;
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "deep/down/x.png"));
}

TEST_F(RenderCli, WrongUsageIsStatus2WithAHint) {
    const struct {
        std::vector<std::string> words;
        std::string hint;
    } cases[] = {
        {{}, "RUN"},
        {{"nowhere"}, "no such folder"},
        {{"r", "--mode", "contact"}, "contacts"},
        {{"r", "--mode", "tets"}, "hold no tets"},
        {{"r", "--frame", "99"}, "0 to 6"},
        {{"r", "--every", "0"}, "--every"},
        {{"r", "--every", "x"}, "every"},
        {{"r", "--camera", "1,2"}, "POSITION;TARGET;FOV"},
        {{"r", "--camera", "1,2,3;1,2,3"}, "same point"},
        {{"r", "--turntable", "1"}, "120"},
        {{"r", "--fps", "0"}, "fps"},
        {{"r", "-o", "x.gif"}, ".png"},
        {{"r", "--fram", "1"}, "--frame"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = render(c.words);
        EXPECT_EQ(outcome.status, 2) << c.hint << outcome.err;
        EXPECT_EQ(outcome.out, "") << c.hint;
        EXPECT_TRUE(says(outcome.err, c.hint));
    }
    for (const char* size : {"96", "96x", "x64", "96x64x2", "-1x64", "1x1", "99999x64"})
        EXPECT_EQ(plush(folder_.path(), {"render", "r", "--size", size}).status, 2) << size;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r/picture.png")) << "nothing was written";
    EXPECT_TRUE(json::parse(render({"nowhere", "--json"}).out).contains("errors"));
}

TEST_F(RenderCli, WithoutFfmpegStatusTellsWhetherAFilmWasAskedFor) {
    const auto no_path = [] { ::setenv("PATH", "/nowhere", 1); };
    const Outcome welcome = render({"r", "--every", "3"}, no_path);
    EXPECT_EQ(welcome.status, 0) << welcome.err;
    EXPECT_TRUE(says(welcome.err, "ffmpeg"));
    EXPECT_TRUE(says(welcome.out, "r/pictures: 3 pictures"));
    const Outcome asked = render({"r", "-o", "film.mp4", "--every", "3"}, no_path);
    EXPECT_EQ(asked.status, 1);
    EXPECT_TRUE(says(asked.err, "ffmpeg"));
    EXPECT_TRUE(std::filesystem::exists(folder_ / "film/frame-000006.png"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "film.mp4"));
}

TEST_F(RenderCli, AFullDiskLeavesNoBrokenPicture) {
    const Outcome outcome = render({"r"}, [] {
        const rlimit limit{500, 500};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(says(outcome.err, "picture.png"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r/picture.png"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "r/picture.png.part"));
}

TEST_F(RenderCli, CtrlCEndsAFilmWithoutAHalfFile) {
    // An ffmpeg that takes everything, and tells by a file that it has begun.
    std::filesystem::create_directories(folder_ / "bin");
    write_text(folder_ / "bin/ffmpeg", "#!/bin/sh\nfor last; do :; done\n: > begun\nexec cat > \"$last\"\n");
    std::filesystem::permissions(folder_ / "bin/ffmpeg", std::filesystem::perms::owner_all);
    const std::string path = (folder_ / "bin").string() + ":/usr/bin:/bin";
    const Outcome outcome = plush(
        folder_.path(), {"render", "r", "-o", "film.mp4", "--turntable", "100000", "--size", "64x64"},
        [&] { ::setenv("PATH", path.c_str(), 1); },
        [&](pid_t child) {
            while (!std::filesystem::exists(folder_ / "begun")) ::usleep(2000);
            ::kill(child, SIGINT);
        });
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(says(outcome.err, "stopped after"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "film.mp4"));
    EXPECT_FALSE(std::filesystem::exists(folder_ / "film.mp4.part"));
}

TEST_F(RenderCli, TurntableNeedsNoNumber) {
    const Outcome outcome = plush(
        folder_.path(),
        {"render", "r", "--turntable", "--size", "16x16", "--quality", "draft", "--json", "-o", "round/"},
        [] { ::setenv("PATH", "/nowhere", 1); });
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["frames"].size(), 120u);
}

}  // namespace
}  // namespace plush::test
