#include "lab/report/gallery.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/files.hpp"

namespace plush::lab {
namespace {

using test::read_text;
using test::says;
using test::TempFolder;

namespace fs = std::filesystem;

fs::path docs() {
    return fs::path(PLUSH_SOURCE_DIR) / "docs";
}

// `plush gallery` was run after the last change of the list of scenes.
TEST(Gallery, ThePageInTheDocsIsOfTheseScenes) {
    EXPECT_EQ(read_text(docs() / "gallery.md"), gallery_markdown());
}

TEST(Gallery, EverySceneHasAPictureThatIsSmallEnough) {
    for (const BuiltinScene& scene : builtin_scenes()) {
        const fs::path file = docs() / "pictures" / (scene.name + ".png");
        ASSERT_TRUE(fs::exists(file)) << "plush gallery " << scene.name;
        EXPECT_LE(fs::file_size(file), largest_picture) << scene.name;
        EXPECT_EQ(read_text(file).substr(1, 3), "PNG") << scene.name;
    }
}

TEST(Gallery, RunsAndDrawsWhatIsAsked) {
    const TempFolder folder;
    GallerySettings settings{.names = {"incline"}, .out = folder / "docs", .runs = folder / "runs"};
    std::size_t steps = 0, pictures = 0;
    settings.running = [&](const std::string& scene, const RunProgress&) {
        return ++steps, scene == "incline";
    };
    settings.drawing = [&](const std::string&, const render::RenderProgress&) { return ++pictures, true; };
    const auto made = make_gallery(settings);
    ASSERT_TRUE(made.ok());
    ASSERT_EQ(made.value().size(), 1u);
    EXPECT_EQ(made.value()[0].bytes, fs::file_size(folder / "docs/pictures/incline.png"));
    EXPECT_EQ(read_text(folder / "docs/gallery.md"), gallery_markdown());
    EXPECT_GT(steps, 100u);
    EXPECT_EQ(pictures, 1u);
}

TEST(Gallery, SaysWhatIsWrong) {
    const auto wrong = make_gallery({.names = {"bowll"}});
    ASSERT_FALSE(wrong.ok());
    EXPECT_TRUE(says(wrong.error().cure(), "bowl"));
    const TempFolder folder;
    GallerySettings settings{.names = {"incline"}, .out = folder / "docs", .runs = folder / "runs"};
    settings.running = [](const std::string&, const RunProgress& p) { return p.step < 3; };
    EXPECT_FALSE(make_gallery(settings).ok());
    EXPECT_FALSE(fs::exists(folder / "docs/gallery.md"));
}

}  // namespace
}  // namespace plush::lab
