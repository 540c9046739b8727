#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/studies/study.hpp"
#include "lab/validation/validate.hpp"
#include "plush/scene/scene.hpp"

// What the sweeps of the block solver buy. First the solver alone: one step, from nothing (no warm start),
// cut off after n sweeps, and the natural-map residual ‖λ − Π(λ − d⁻¹ w)‖∞ / ‖λ‖∞ that is left. Then what a
// person sees of it: how far a tower sinks and leans when every step may sweep n times only. Last, a pile:
// how deep contacts overlap with the settings of the built-in scene.

namespace plush::lab {
namespace {

constexpr double h = 1.0 / 60;
constexpr int tower_height = 20;

void add_stack(World& world, std::span<const double> masses) {
    const double half = 0.1;
    world.add_ground();
    for (std::size_t i = 0; i < masses.size(); ++i)
        world.add(Rigid{.shape = Shape::box({half, half, half}), .mass = masses[i]},
                  {.position = {0, half * (2.0 * static_cast<double>(i) + 1), 0}});
}

// tan θ = μ: the friction force stands on the edge of the cone.
void add_slope(World& world) {
    const double angle = std::atan(0.5);
    const Vec3 normal{std::sin(angle), std::cos(angle), 0}, half{0.2, 0.05, 0.2};
    const Material material{.friction = 0.5};
    world.add(Fixed{.shape = Shape::half_space(normal), .material = material});
    world.add(Rigid{.shape = Shape::box(half), .material = material},
              {.position = normal * half.y,
               .rotation = from_axis_angle({0, 0, -1}, angle * 180 / std::numbers::pi)});
}

struct Situation {
    std::string name, title;
    std::function<void(World&)> build;
};

std::vector<Situation> situations() {
    return {{"tower", "A tower of 20 equal boxes",
             [](World& w) { add_stack(w, std::vector<double>(tower_height, 1.0)); }},
            {"heavy_on_light", "100 kg on 1 kg",
             [](World& w) {
                 add_stack(w, std::vector{1.0, 100.0});
             }},
            {"thousand", "1000 kg on 1 kg",
             [](World& w) {
                 add_stack(w, std::vector{1.0, 1000.0});
             }},
            {"slope", "A box on a slope, at the limit of friction", add_slope}};
}

World make_world(const Situation& situation, const SolverSettings& solver) {
    WorldSettings settings = problem_settings(h);
    settings.solver = solver;
    World world(settings);
    situation.build(world);
    return world;
}

double residual_after(int sweeps, bool accelerated, const Situation& situation) {
    World world = make_world(situation, {.iterations = sweeps,
                                         .tolerance = 0,
                                         .warm_start = false,
                                         .accelerated = accelerated,
                                         .newton = false});
    world.step();
    return world.report().residual;
}

/// 1 2 3 5 7 10 20 …
std::vector<double> sweeps_up_to(int most) {
    std::vector<double> all;
    for (int decade = 1; decade <= most; decade *= 10)
        for (const int m : {1, 2, 3, 5, 7})
            if (m * decade <= most) all.push_back(m * decade);
    return all;
}

/// The first number of sweeps with a residual below `goal`; NaN where there is none.
double first_below(const Series& s, double goal) {
    for (std::size_t i = 0; i < s.y.size(); ++i)
        if (s.y[i] <= goal) return s.x[i];
    return std::nan("");
}

void residuals(Report& report, const StudySettings& settings) {
    report.heading("Residual against sweeps");
    report.paragraph(
        "One step from rest, without the forces of an earlier one. A plain sweep carries news of the ground "
        "one "
        "box further; conjugate directions over the sweeps carry it faster. The dotted line is the tolerance "
        "at "
        "which the solver stops by default.");
    Table table{
        .name = "sweeps_needed",
        .caption =
            "The first number of sweeps, of those drawn below, that leaves less than this residual (a "
            "dash: more than 1000)",
        .columns = {"situation", "plain, 1 %", "accelerated, 1 %", "plain, 0.01 %", "accelerated, 0.01 %"},
        .rows = {}};
    std::vector<Plot> plots;
    for (const Situation& situation : situations()) {
        settings.now(situation.title);
        Plot plot{.name = "residual_" + situation.name,
                  .title = situation.title,
                  .x = {.label = "Sweeps", .unit = "", .scale = Scale::log},
                  .y = {.label = "Relative residual", .unit = "", .scale = Scale::log},
                  .lines = {{.name = "default tolerance", .y = 1e-8}}};
        for (const bool accelerated : {false, true}) {
            Series s{.name = accelerated ? "accelerated" : "plain sweeps", .x = sweeps_up_to(1000)};
            for (const double n : s.x)
                s.y.push_back(residual_after(static_cast<int>(n), accelerated, situation));
            plot.series.push_back(std::move(s));
        }
        table.rows.push_back({situation.title, first_below(plot.series[0], 1e-2),
                              first_below(plot.series[1], 1e-2), first_below(plot.series[0], 1e-4),
                              first_below(plot.series[1], 1e-4)});
        plots.push_back(std::move(plot));
    }
    report.add(std::move(table));
    for (Plot& plot : plots) report.add(std::move(plot));
}

/// Default settings, with and without Newton's method: what a step from nothing leaves, and what it takes.
void newton(Report& report, const StudySettings& settings) {
    report.heading("Newton's method after the sweeps");
    report.paragraph(
        "The same step with default settings. Where sweeps are slow, Newton's method solves the equations of "
        "the island "
        "that they leave. Iterations are sweeps and factorisations together.");
    Table table{.name = "newton",
                .caption = "One step from rest without a warm start, default settings",
                .columns = {"situation", "sweeps alone", "residual", "with Newton's method", "residual"},
                .rows = {}};
    for (const Situation& situation : situations()) {
        settings.now(situation.title + ", Newton's method");
        std::vector<double> found;
        for (const bool newton : {false, true}) {
            World world = make_world(situation, {.warm_start = false, .newton = newton});
            world.step();
            found.push_back(world.report().iterations);
            found.push_back(world.report().residual);
        }
        table.rows.push_back({situation.title, found[0], found[1], found[2], found[3]});
    }
    report.add(std::move(table));
}

/// The largest distance that any box of the tower has moved after `seconds`, m.
double tower_drift(const SolverSettings& solver, double seconds) {
    World world = make_world(situations()[0], solver);
    std::vector<Vec3> start;
    for (const BodyId body : world.bodies()) start.push_back(world.pose(body).position);
    while (world.time() < seconds - 0.5 * h) world.step();
    double worst = 0;
    std::size_t i = 0;
    for (const BodyId body : world.bodies())
        worst = std::max(worst, norm(world.pose(body).position - start[i++]));
    return worst;
}

void drift(Report& report, const StudySettings& settings) {
    constexpr double seconds = 2;
    report.heading("What too few sweeps do to a tower");
    report.paragraph(
        "The same tower for two seconds, at 60 steps a second and without sleep. Each step may sweep so many "
        "times. With a warm start the forces of the last step are the first guess of the next: what one step "
        "does not find, later ones do. The tower is 4 m tall: a box that moved as far has fallen from its "
        "top.");
    Plot plot{.name = "tower_drift",
              .title = "How far a box of the tower has moved after 2 s",
              .x = {.label = "Sweeps a step, at most", .unit = "", .scale = Scale::log},
              .y = {.label = "Largest displacement", .unit = "m", .scale = Scale::log}};
    const struct {
        const char* name;
        bool accelerated, warm;
    } kinds[] = {{"plain, cold start", false, false},
                 {"accelerated, cold start", true, false},
                 {"plain, warm start", false, true},
                 {"accelerated, warm start", true, true}};
    for (const auto& kind : kinds) {
        settings.now(fmt::format("tower, {}", kind.name));
        Series s{.name = kind.name, .x = {1, 2, 3, 5, 10, 20, 50, 100, 200, 500}};
        for (const double n : s.x)
            s.y.push_back(tower_drift({.iterations = static_cast<int>(n),
                                       .warm_start = kind.warm,
                                       .accelerated = kind.accelerated,
                                       .newton = false},
                                      seconds));
        plot.series.push_back(std::move(s));
    }
    report.add(std::move(plot));
}

void pile(Report& report, const StudySettings& settings) {
    settings.now("a pile");
    const std::vector<std::string> set{"bodies[toy].repeat.grid=[5,2,5]"};
    const Scene scene = Scene::load("bowl", set);
    World world = scene.build(0);
    const double allowed =
        scene.settings().contact.allowed_depth.value_or(tuning::derived_allowed_depth.usual);
    std::vector<double> depths, sweeps;
    while (world.time() < 2 - 0.5 * world.settings().step) {
        world.step();
        if (world.report().contacts > 0) sweeps.push_back(world.report().iterations);
        if (world.time() < 1) continue;  // most are still in the air
        for (const Contact& c : world.contacts()) depths.push_back(c.depth);
    }
    report.heading("In a pile");
    report.paragraph(fmt::format(
        "50 bodies of eight shapes fall into the bowl of the built-in scene, two layers of it, for 2 s. Its "
        "solver may sweep {} times a step and stops at {:g}; overlap of up to {:g} m is left alone.",
        scene.settings().solver.iterations, scene.settings().solver.tolerance, allowed));
    const Histogram by_depth = histogram(depths, 30, Scale::log);
    report.figure("pile_contacts", static_cast<double>(depths.size()));
    report.figure("pile_not_overlapping", static_cast<double>(by_depth.left_out));
    report.paragraph(
        fmt::format("Of {} contacts of the second second, {} did not overlap (points are watched before they "
                    "touch) and are not in the histogram.",
                    depths.size(), by_depth.left_out));
    report.add(Plot{.name = "pile_depth",
                    .title = "Depth of the contacts of a pile",
                    .x = {.label = "Depth", .unit = "m", .scale = Scale::log},
                    .y = {.label = "Contacts", .unit = ""},
                    .series = {histogram_series("contacts", by_depth)},
                    .lines = {{.name = "left alone", .x = allowed}}});
    report.add(Plot{.name = "pile_sweeps",
                    .title = "Sweeps that the steps of the pile took",
                    .x = {.label = "Sweeps of the island that took most", .unit = ""},
                    .y = {.label = "Steps", .unit = ""},
                    .series = {histogram_series("steps", histogram(sweeps, 16))}});
}

}  // namespace

Report study_solver(const StudySettings& settings) {
    Report report = begin_report("Sweeps of the contact solver", "plush study solver");
    report.paragraph(
        "Contacts are solved by sweeps: one after the other, each contact is given the force that is right "
        "if "
        "all others stay as they are. How many sweeps does that take, and what does it cost to stop early?");
    residuals(report, settings);
    newton(report, settings);
    drift(report, settings);
    pile(report, settings);
    return report;
}

}  // namespace plush::lab
