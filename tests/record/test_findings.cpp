#include <gtest/gtest.h>

#include "plush/record/run.hpp"
#include "record/findings.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// What goes less well than asked for is said once for each kind, with how often, where it was worst, and the fix.

namespace plush {
namespace {

using test::says;

Scene scene(const std::string& settings, const std::string& bodies) {
    const SceneLoad load = Scene::try_parse(
        R"({ "plush": 1, "duration": 0.2, )" + settings + R"( "bodies": [)" + bodies + "] }", ".", "here");
    for (const Error& error : load.errors) ADD_FAILURE() << error.what();
    return load.scene.value();
}

RunSummary run(const Scene& scene, const std::filesystem::path& out = {}) {
    auto summary = run_scene(scene, {.out = out, .threads = 1});
    EXPECT_TRUE(summary.ok());
    return summary.value();
}

const RunFinding* find(const RunSummary& s, std::string_view kind) {
    for (const RunFinding& f : s.findings)
        if (f.kind == kind) return &f;
    return nullptr;
}

constexpr const char* stack =
    R"({ "ground": {} }, { "name": "low", "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.1, 0] },
       { "name": "high", "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] }, "density": 1e6 }, "at": [0.02, 0.3, 0] })";

TEST(Findings, ASolveThatIsCutShortIsToldOnce) {
    const RunSummary s =
        run(scene(R"("solver": { "iterations": 1, "newton": false, "tolerance": 1e-12 },)", stack));
    const RunFinding* f = find(s, "islands");
    ASSERT_TRUE(f) << to_json(s);
    EXPECT_GT(f->count, 3);
    EXPECT_LE(f->steps, s.steps);
    EXPECT_GT(f->worst, 1e-12);
    EXPECT_FALSE(f->body.empty());
    EXPECT_GT(f->time, 0);
    const std::string text = to_sentence(*f, s.steps);
    for (const char* words : {"ended above its tolerance", "times", "worst at", "solver.iterations"})
        EXPECT_TRUE(says(text, words)) << text;
    EXPECT_TRUE(says(to_json(s), R"("kind": "islands")"));
}

TEST(Findings, AGoodRunHasNone) {
    const RunSummary s = run(scene("", stack));
    EXPECT_TRUE(s.findings.empty()) << to_json(s);
}

TEST(Findings, CoarserPixelsNameThePair) {
    const RunSummary s = run(
        scene(R"("contact": { "method": "volume", "volume": { "pixels_across": 2000, "memory_limit": 1 } },)",
              R"({ "name": "low", "fixed": { "torus": { "ring_radius": 0.1, "tube_radius": 0.05 } } },
           { "name": "high", "rigid": { "torus": { "ring_radius": 0.1, "tube_radius": 0.05 } }, "at": [0.02, 0.03, 0] })"));
    const RunFinding* f = find(s, "coarsened");
    ASSERT_TRUE(f) << to_json(s);
    EXPECT_EQ(f->body, "low");
    EXPECT_EQ(f->other, "high");
    EXPECT_TRUE(says(to_sentence(*f, s.steps), "memory_limit"));
}

TEST(Findings, AnAbsurdBodyIsFrozenAndNamed) {
    const RunSummary s = run(scene(
        R"("absurd_motion": "freeze", "step": 0.1,)",
        R"({ "ground": {} }, { "name": "mad", "rigid": { "sphere": { "radius": 0.0001 } }, "at": [0, 1, 0], "velocity": [1e6, 0, 0] })"));
    const RunFinding* f = find(s, "frozen");
    ASSERT_TRUE(f) << to_json(s);
    EXPECT_EQ(f->count, 1);
    EXPECT_EQ(f->body, "mad");
    EXPECT_TRUE(s.finished);
}

TEST(Findings, InvertedTetsAreCounted) {
    World world(WorldSettings{.gravity = {}, .threads = 1});
    TetMesh mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}});
    Soft soft;
    soft.name = "tet";
    soft.solid = SoftSolid(mesh);
    soft.elastic.young = 1;
    const BodyId body = world.add(soft);
    world.step();
    EXPECT_EQ(world.report().convergence.inverted_tets, 0);
    world.set_vertex(body, 3, {0.2, 0.2, -1}, {});
    world.step();
    EXPECT_EQ(world.report().convergence.inverted_tets, 1);
    EXPECT_EQ(world.report().convergence.worst[inverted_trouble].a, body);
    std::vector<RunFinding> findings;
    add_findings(findings, world);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].body, "tet");
}

TEST(Findings, AreKeptAcrossAResume) {
    const test::TempFolder folder;
    const Scene bad = scene(R"("solver": { "iterations": 1, "newton": false, "tolerance": 1e-12 },)", stack);
    const RunSummary straight = run(bad);
    RunSettings first{.out = folder / "run", .threads = 1};
    first.progress = [](const RunProgress& p) { return p.step < 6; };
    ASSERT_TRUE(run_scene(bad, first).ok());
    const auto resumed = resume_run(folder / "run", {.threads = 1});
    ASSERT_TRUE(resumed.ok());
    ASSERT_EQ(resumed.value().findings.size(), straight.findings.size());
    for (std::size_t k = 0; k < straight.findings.size(); ++k) {
        EXPECT_EQ(resumed.value().findings[k].count, straight.findings[k].count);
        EXPECT_EQ(resumed.value().findings[k].worst, straight.findings[k].worst);
        EXPECT_EQ(resumed.value().findings[k].time, straight.findings[k].time);
    }
}

// What plush check says of the first step: why it would be refused, or how it goes less well than asked for.
TEST(Findings, TheFirstStepIsToldBeforeARun) {
    const auto first = [](const std::string& body) {
        World world = scene("", body).build(1);
        return try_first_step(world);
    };
    const FirstStep good = first(R"({ "rigid": { "sphere": { "radius": 0.1 } } })");
    EXPECT_FALSE(good.refused);
    EXPECT_TRUE(good.warnings.empty());
    const FirstStep stiff =
        first(R"({ "cloth": { "stretch": 1e8, "integrator": "verlet" }, "name": "sheet" })");
    ASSERT_TRUE(stiff.refused);
    EXPECT_TRUE(says(stiff.refused->what(), "the first step: body \"sheet\": a step of"));
    EXPECT_TRUE(says(stiff.refused->what(), "more than 1000 substeps"));
    const FirstStep loose =
        first(R"({ "cloth": { "solve_iterations": 1 }, "name": "sheet", "velocity": [1, 0, 0] },
        { "fixed": { "sphere": { "radius": 0.3 } } })");
    EXPECT_FALSE(loose.refused);
    ASSERT_EQ(loose.warnings.size(), 1u);
    EXPECT_TRUE(says(loose.warnings[0].what(), "the first step: a linear solve of a deformable body"));
    EXPECT_TRUE(says(loose.warnings[0].what(), "in \"sheet\" (residual"));
}

}  // namespace
}  // namespace plush
