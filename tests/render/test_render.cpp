#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "plush/render/render.hpp"
#include "render/palette.hpp"
#include "render/process_memory.hpp"
#include "render/small_runs.hpp"
#include "support/errors.hpp"

namespace plush::render {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::pixel;
using test::read_png;
using test::says;
using test::SmallRun;
using test::TempFolder;
using test::write_text;

RenderSettings tiny() {
    return {.width = 96, .height = 64, .quality = RenderQuality::draft, .threads = 2};
}

/// Sets a variable of the environment for as long as it lives.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        const char* old = std::getenv(name);
        had_ = old != nullptr;
        if (old) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    ~Environment() {
        if (had_) {
            ::setenv(name_, old_.c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }

private:
    const char* name_;
    std::string old_;
    bool had_;
};

/// Puts a program called ffmpeg first on the path.
Environment fake_ffmpeg(const TempFolder& folder, const std::string& script) {
    const fs::path bin = folder / "bin";
    fs::create_directories(bin);
    write_text(bin / "ffmpeg", "#!/bin/sh\n" + script);
    ::chmod((bin / "ffmpeg").c_str(), 0755);
    return Environment("PATH", bin.string() + ":/usr/bin:/bin");
}

std::size_t files_in(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Render, MakesAPictureOfTheLastFrame) {
    TempFolder folder;
    SmallRun().write(folder / "run", 4);
    RenderSettings settings = tiny();
    settings.width = 97, settings.height = 63;
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_TRUE(s.finished);
    EXPECT_EQ(s.frames, (std::vector<std::size_t>{3}));
    ASSERT_EQ(s.pictures, (std::vector<fs::path>{folder / "run/picture.png"}));
    const Picture picture = read_png(s.pictures[0]);
    EXPECT_EQ(picture.width, 97);
    EXPECT_EQ(picture.height, 63);
    EXPECT_EQ(files_in(folder / "run"), 2u) << "the frames, the picture and nothing else";
    const json document = json::parse(to_json(s));
    EXPECT_EQ(document["pictures"][0], (folder / "run/picture.png").string());
    EXPECT_TRUE(document["film"].is_null());
    EXPECT_EQ(document["size"], json::array({97, 63}));
    // The same again: the same bytes, with any number of threads.
    const std::string bytes = test::read_text(s.pictures[0]);
    settings.threads = 1;
    ASSERT_TRUE(render_run(folder / "run", settings));
    EXPECT_EQ(bytes, test::read_text(s.pictures[0]));
    // An earlier frame is another picture.
    settings.frame = 0, settings.camera.target = Vec3{0, 0.25, 0};
    settings.out = folder / "zero.png";
    ASSERT_TRUE(render_run(folder / "run", settings).value().finished);
    EXPECT_NE(bytes, test::read_text(folder / "zero.png"));
}

TEST(Render, MakesManyPicturesNamedByTheirFrames) {
    TempFolder folder;
    SmallRun().write(folder / "run", 8);
    const Environment no_ffmpeg("PATH", "/nowhere");
    RenderSettings settings = tiny();
    settings.every = 3;
    std::vector<std::size_t> told;
    settings.progress = [&](const RenderProgress& p) {
        EXPECT_EQ(p.wanted, 3u);
        told.push_back(p.done);
        return true;
    };
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_TRUE(s.finished) << "a film was welcome, not asked for";
    EXPECT_EQ(told, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(s.frames, (std::vector<std::size_t>{0, 3, 6}));
    for (const char* name : {"frame-000000.png", "frame-000003.png", "frame-000006.png"})
        EXPECT_EQ(read_png(folder / "run/pictures" / name).width, 96) << name;
    EXPECT_TRUE(s.film.empty());
    ASSERT_EQ(s.warnings.size(), 1u);
    EXPECT_TRUE(says(s.warnings[0], "ffmpeg"));
}

TEST(Render, WrongWishesAreRefusedWithACure) {
    TempFolder folder;
    SmallRun().write(folder / "run", 4);
    const auto refused = [&](auto change, const std::string& words) {
        RenderSettings settings = tiny();
        change(settings);
        const auto result = render_run(folder / "run", settings);
        ASSERT_FALSE(result) << words;
        EXPECT_TRUE(says(result.error(), words)) << result.error().what();
        EXPECT_FALSE(result.error().cure().empty());
    };
    refused([](RenderSettings& s) { s.frame = 4; }, "0 to 3");
    refused([](RenderSettings& s) { s.frame = -5; }, "-5");
    refused([](RenderSettings& s) { s.every = 0; }, "--every");
    refused([](RenderSettings& s) { s.every = 1, s.frame = 1; }, "--frame");
    refused([](RenderSettings& s) { s.every = 1, s.turntable = 4; }, "--turntable");
    refused([](RenderSettings& s) { s.width = 3; }, "3 ×");
    refused([](RenderSettings& s) { s.width = 1'000'000; }, "16384");
    refused([&](RenderSettings& s) { s.out = folder / "x.jpg"; }, ".jpg");
    refused([&](RenderSettings& s) { s.out = folder / "x.png", s.every = 1; }, "one .png");
    refused([](RenderSettings& s) { s.mode = RenderMode::tets; }, "no tets");
    refused([](RenderSettings& s) { s.mode = RenderMode::pressure; }, "no pressures");
    EXPECT_EQ(files_in(folder / "run"), 1u) << "nothing was written";
}

TEST(Render, FoldersWithoutFramesAreNamed) {
    TempFolder folder;
    const auto problem = [&](const char* name) {
        return std::string(render_run(folder / name, tiny()).error().what());
    };
    EXPECT_TRUE(says(problem("absent"), "no such folder"));
    fs::create_directories(folder / "empty");
    EXPECT_TRUE(says(problem("empty"), "no frames.plush"));
    write_text(folder / "file", "");
    EXPECT_TRUE(says(problem("file"), "not a folder"));
    SmallRun().write(folder / "none", 0);
    EXPECT_TRUE(says(problem("none"), "no whole frame"));
    write_text(folder / "empty/frames.plush", "something else");
    EXPECT_TRUE(says(problem("empty"), "frames"));
}

TEST(Render, CutFilesGiveTheirWholeFramesAndDamageIsAnError) {
    TempFolder folder;
    SmallRun().write(folder / "run", 4);
    const fs::path frames = folder / "run/frames.plush";
    const std::string all = test::read_text(frames);
    write_text(frames, all.substr(0, all.size() - 20));
    EXPECT_EQ(render_run(folder / "run", tiny()).value().frames, (std::vector<std::size_t>{2}));
    std::string bad = all;
    bad[all.size() - 20] = static_cast<char>(bad[all.size() - 20] ^ 1);
    write_text(frames, bad);
    const auto damaged = render_run(folder / "run", tiny());
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().place(), "frame 3");
}

/// How many pixels are clearly of this colour's hue.
int count_like(const Picture& picture, const Vec3& colour) {
    const Vec3 hue = normalised(colour);
    int count = 0;
    for (int y = 0; y < picture.height; ++y)
        for (int x = 0; x < picture.width; ++x) {
            const Vec3 c = pixel(picture, x, y);
            count += dot(normalised(c), hue) > 0.985;
        }
    return count;
}

TEST(Render, ContactsShowForcesAndWhoSticks) {
    TempFolder folder;
    SmallRun().write(folder / "run", 2);
    RenderSettings settings = tiny();
    settings.mode = RenderMode::contacts, settings.labels = false;
    settings.width = 240, settings.height = 160;
    const auto picture = [&](long long frame) {
        settings.frame = frame;
        return read_png(render_run(folder / "run", settings).value().pictures.at(0));
    };
    const Picture sticks = picture(0), slips = picture(1);
    EXPECT_GT(count_like(sticks, paint::stick), 3);  // measured 5, and 5 below
    EXPECT_EQ(count_like(sticks, paint::slip), 0);
    EXPECT_GT(count_like(slips, paint::slip), 3);
    EXPECT_EQ(count_like(slips, paint::stick), 0);
    EXPECT_GT(count_like(sticks, paint::friction), 4);  // measured 9
    settings.mode = RenderMode::penetration;
    EXPECT_GT(count_like(picture(0), paint::slip), 10) << "an arrow of overlap";  // measured 29
    EXPECT_EQ(count_like(picture(0), paint::friction), 0);
    EXPECT_TRUE(fs::exists(folder / "run/picture-contacts.png"));
    EXPECT_TRUE(fs::exists(folder / "run/picture-penetration.png"));
    // Words are drawn over it.
    const Picture bare = picture(0);
    settings.labels = true;
    EXPECT_NE(bare.rgb, picture(0).rgb);
}

TEST(Render, VolumesAreSeenThroughBodies) {
    TempFolder folder;
    RenderSettings settings = tiny();
    settings.mode = RenderMode::volumes, settings.labels = false;
    settings.width = 240, settings.height = 160;
    const auto orange = [&](double sunk) {
        const fs::path run = folder / std::to_string(sunk);
        SmallRun{.sunk = sunk}.write(run, 1);
        return count_like(read_png(render_run(run, settings).value().pictures.at(0)), paint::slip);
    };
    EXPECT_GT(orange(0.05), 100);  // measured: 879
    EXPECT_EQ(orange(-0.01), 0);   // above the ground
}

TEST(Render, VariantsStandSideBySideInStep) {
    TempFolder folder;
    SmallRun().write(folder / "out/a", 6);
    SmallRun{.frame_rate = 15}.write(folder / "out/b", 3);  // half as many frames a second, and it ends early
    write_text(folder / "out/variants.json",
               R"({"variants": [{"name": "a", "label": "ä is first"}, {"name": "b"}]})");
    RenderSettings settings = tiny();
    settings.width = 204, settings.height = 64, settings.labels = false;
    settings.frame = 2;
    const Picture both = read_png(render_run(folder / "out", settings).value().pictures.at(0));
    ASSERT_EQ(both.width, 204);
    // At frame 2 of a, b shows its frame 1: the ball is at 0.2 m there and at 0.1 m here. Same camera for
    // both.
    const auto ball_middle = [&](int from, int to) {
        double sum = 0, count = 0;
        for (int y = 0; y < both.height; ++y)
            for (int x = from; x < to; ++x) {
                const Vec3 c = pixel(both, x, y);
                if (c.x > 2.5 * c.z) sum += x - from, ++count;  // the first body is orange
            }
        EXPECT_GT(count, 50);
        return sum / count;
    };
    EXPECT_GT(ball_middle(0, 100), ball_middle(104, 204) + 3);
    const Vec3 seam = pixel(both, 102, 30);
    EXPECT_EQ(seam, (Vec3{1, 1, 1}));
    settings.labels = true;
    const Picture labelled = read_png(render_run(folder / "out", settings).value().pictures.at(0));
    EXPECT_NE(both.rgb, labelled.rgb);
    // The longer one leads.
    settings.frame = -1;
    EXPECT_EQ(render_run(folder / "out", settings).value().frames, (std::vector<std::size_t>{5}));
    for (const char* bad : {"{", "[]", R"({"variants": []})", R"({"variants": [{}]})",
                            R"({"variants": [{"name": "../x"}]})", R"({"variants": [{"name": "absent"}]})"}) {
        write_text(folder / "out/variants.json", bad);
        EXPECT_FALSE(render_run(folder / "out", settings)) << bad;
    }
}

TEST(Render, WithoutAFontThereAreNoWordsAndAWarning) {
    TempFolder folder;
    SmallRun().write(folder / "run", 1);
    RenderSettings settings = tiny();
    settings.labels = false;
    const fs::path file = render_run(folder / "run", settings).value().pictures.at(0);
    const std::string bare = test::read_text(file);
    settings.labels = true;
    const Environment no_font("PLUSH_FONT", "/nowhere/font.ttf");
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_TRUE(s.finished);
    ASSERT_EQ(s.warnings.size(), 1u);
    EXPECT_TRUE(says(s.warnings[0], "DejaVu"));
    EXPECT_EQ(test::read_text(file), bare);
}

TEST(RenderFilm, WithoutFfmpegPicturesRemain) {
    TempFolder folder;
    SmallRun().write(folder / "run", 3);
    const Environment no_ffmpeg("PATH", "/nowhere");
    RenderSettings settings = tiny();
    settings.out = folder / "film.mp4";
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_FALSE(s.finished);
    ASSERT_TRUE(s.error);
    EXPECT_TRUE(says(s.error->problem(), "ffmpeg"));
    EXPECT_EQ(s.pictures.size(), 3u);
    EXPECT_TRUE(fs::exists(folder / "film/frame-000002.png"));
    EXPECT_FALSE(fs::exists(folder / "film.mp4"));
}

TEST(RenderFilm, GetsEveryPictureAndItsNameAtTheEnd) {
    TempFolder folder;
    SmallRun().write(folder / "run", 5);
    // Takes the bytes, and writes their number where the film should be: the last word.
    const Environment path = fake_ffmpeg(folder, "for last; do :; done\nwc -c > \"$last\"\n");
    RenderSettings settings = tiny();
    settings.out = folder / "it's a film.mp4";
    settings.every = 2;
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_TRUE(s.finished) << (s.error ? s.error->what() : "");
    EXPECT_EQ(s.film, settings.out);
    EXPECT_TRUE(s.pictures.empty());
    EXPECT_EQ(std::stoi(test::read_text(s.film)), 3 * 96 * 64 * 3);
    EXPECT_FALSE(fs::exists(s.film.string() + ".part"));
    // A turntable is a film of one frame.
    settings.every.reset(), settings.turntable = 4, settings.out = folder / "round.mp4";
    EXPECT_EQ(render_run(folder / "run", settings).value().frames, (std::vector<std::size_t>{4, 4, 4, 4}));
    EXPECT_EQ(std::stoi(test::read_text(settings.out)), 4 * 96 * 64 * 3);
}

TEST(RenderFilm, FailuresLeaveNoHalfFile) {
    TempFolder folder;
    SmallRun().write(folder / "run", 30);
    RenderSettings settings = tiny();
    settings.out = folder / "film.mp4";
    for (const char* script : {"for last; do :; done\necho part > \"$last\"\necho no space >&2\nexit 1\n",
                               "for last; do :; done\nhead -c 9999 > \"$last\"\necho no space >&2\nexit 3\n",
                               "for last; do :; done\ncat > \"$last\"\necho no space >&2\nexit 1\n"}) {
        const Environment path = fake_ffmpeg(folder, script);
        const RenderSummary s = render_run(folder / "run", settings).value();
        EXPECT_FALSE(s.finished);
        ASSERT_TRUE(s.error);
        EXPECT_TRUE(says(s.error->problem(), "no space")) << s.error->what();
        EXPECT_FALSE(fs::exists(folder / "film.mp4"));
        EXPECT_FALSE(fs::exists(folder / "film.mp4.part"));
    }
    // Stopped by the user.
    const Environment path = fake_ffmpeg(folder, "for last; do :; done\ncat > \"$last\"\n");
    settings.progress = [](const RenderProgress& p) { return p.done < 3; };
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_FALSE(s.finished || s.error);
    EXPECT_EQ(s.frames.size(), 3u);
    EXPECT_FALSE(fs::exists(folder / "film.mp4") || fs::exists(folder / "film.mp4.part"));
}

TEST(RenderFilm, RealFfmpegMakesAnMp4) {
    if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no ffmpeg here";
    TempFolder folder;
    SmallRun().write(folder / "run", 4);
    RenderSettings settings = tiny();
    settings.width = 65, settings.height = 49;  // odd sides need care
    settings.out = folder / "film.mp4";
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_TRUE(s.finished) << (s.error ? s.error->what() : "");
    EXPECT_EQ(test::read_text(s.film).substr(4, 4), "ftyp");
}

TEST(Render, MemoryDoesNotGrowWithTheNumberOfFrames) {
    TempFolder folder;
    SmallRun{.ballast = 200}.write(folder / "run", 10'000);  // 10 kB a frame: 104 MB
    RenderSettings settings = tiny();
    settings.out = folder / "first.png";
    ASSERT_TRUE(render_run(folder / "run", settings));  // threads and fonts are there now
    settings.every = 500;
    settings.out = folder / "pictures";
    const Environment no_ffmpeg("PATH", "/nowhere");
    test::forget_peak_memory();
    const double before = test::memory_mib("VmRSS:");
    const RenderSummary s = render_run(folder / "run", settings).value();
    EXPECT_EQ(s.pictures.size(), 20u);
    EXPECT_LT(test::memory_mib("VmHWM:") - before, 30);  // MiB; measured 0.1
}

}  // namespace
}  // namespace plush::render
