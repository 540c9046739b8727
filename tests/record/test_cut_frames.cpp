#include <gtest/gtest.h>

#include "plush/record/frames.hpp"
#include "plush/record/run.hpp"
#include "record/run_folder.hpp"
#include "record/sliced.hpp"
#include "support/files.hpp"

// Recordings of a body that is cut in the middle of a run: frames hold its new surface from then on, whether
// the run was stopped in between or not.

namespace plush {
namespace {

using test::read_text;
using test::sliced;
using test::TempFolder;

TEST(CutFrames, HoldTheNewSurfaceFromTheCutOn) {
    TempFolder folder;
    const RunSummary whole = run_scene(sliced(), {.out = folder / "whole", .threads = 1}).value();
    EXPECT_TRUE(whole.finished);
    FrameReader reader = FrameReader::open(RunFolder{folder / "whole"}.frames()).value();
    Frame first, last;
    reader.read(0, first).value();
    reader.read(reader.frames() - 1, last).value();
    EXPECT_TRUE(first.surfaces.empty());
    ASSERT_EQ(last.surfaces.size(), 1u);
    EXPECT_EQ(last.surfaces[0].body, 1u);
    EXPECT_GT(last.surfaces[0].points, first.points_of(reader.header(), 1));
    EXPECT_EQ(last.surfaces[0].points, last.points.size());
    EXPECT_EQ(last.surface_of(0), nullptr);
}

// Stopped while the knife is in the loaf, and gone on with: the same files, byte for byte.
TEST(CutFrames, AreTheSameAfterAStopInTheMiddle) {
    for (const bool skinned : {false, true}) {
        TempFolder folder;
        const Scene scene = sliced(skinned);
        const RunSummary whole = run_scene(scene, {.out = folder / "whole", .threads = 1}).value();
        run_scene(scene, {.out = folder / "parts", .steps = 13, .threads = 2}).value();
        const RunSummary rest = resume_run(folder / "parts", {.steps = whole.steps, .threads = 1}).value();
        EXPECT_EQ(rest.state_hash, whole.state_hash);
        EXPECT_EQ(read_text(RunFolder{folder / "parts"}.frames()),
                  read_text(RunFolder{folder / "whole"}.frames()));
        const RunSummary again = run_scene(scene, {.threads = 2, .verify = folder / "whole"}).value();
        ASSERT_TRUE(again.verified.has_value());
        EXPECT_EQ(again.verified->steps, whole.steps);
        EXPECT_FALSE(again.verified->first_different.has_value());
    }
}

// A skin is cut bit by bit: frames of the way down have more and more of it.
TEST(CutFrames, HoldASlitThatGrows) {
    TempFolder folder;
    run_scene(sliced(true), {.out = folder / "slit", .threads = 1}).value();
    FrameReader reader = FrameReader::open(RunFolder{folder / "slit"}.frames()).value();
    std::size_t grown = 0, points = 0;
    Frame frame;
    for (std::size_t k = 0; k < reader.frames(); ++k) {
        reader.read(k, frame).value();
        grown += !frame.surfaces.empty() && frame.surfaces[0].points > points;
        if (!frame.surfaces.empty()) points = frame.surfaces[0].points;
    }
    EXPECT_GE(grown, 3u);
}

// What lies about a surface is refused, frame by frame.
TEST(CutFrames, RefuseSurfacesThatDoNotFit) {
    TempFolder folder;
    FramesHeader header{.scene = "one", .step = 0.01, .frame_rate = 100};
    header.meshes.push_back({.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, .triangles = {0, 1, 2}});
    header.bodies.push_back({.name = "soft", .kind = "deformable", .mesh = 0, .points = 3});
    Frame good{.asleep = {0}, .points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    good.surfaces = {{0, 4, {0, 1, 2, 1, 2, 3}}};
    Frame far = good, open = good, twice = good, none = good, few = good;
    far.surfaces[0].triangles[1] = 4;
    open.surfaces[0].triangles.pop_back();
    twice.surfaces.push_back(good.surfaces[0]);
    none.surfaces[0].body = 1;
    few.surfaces[0].points = 3, few.surfaces[0].triangles = {0, 1, 2};
    {
        FrameWriter writer = FrameWriter::create(folder / "f.plush", header).value();
        for (const Frame& f : {good, far, open, twice, none, few}) writer.write(f).value();
    }
    FrameReader reader = FrameReader::open(folder / "f.plush").value();
    Frame frame;
    EXPECT_TRUE(reader.read(0, frame).ok());
    EXPECT_EQ(frame, good);
    for (std::size_t k = 1; k < 6; ++k) EXPECT_FALSE(reader.read(k, frame).ok()) << k;
}

}  // namespace
}  // namespace plush
