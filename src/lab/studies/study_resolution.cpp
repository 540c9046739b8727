#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/studies/study.hpp"
#include "lab/studies/study_snake.hpp"
#include "lab/validation/validate.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/generate.hpp"

// How finely must a volume contact be cut? What one solve leaves of an overlap, and what friction makes of
// a spinning disc, against the side of the cells. After Allard et al. 2010, Figure 6.

namespace plush::lab {
namespace {

/// Two bodies, the first one fixed.
struct Case {
    std::string name;
    Mesh fixed, moved;
    Transform pose{};  ///< of the second
    double size = 1;   ///< of the smaller, m
};

std::vector<Case> cases() {
    const Mesh pebble = generate({.shape = "pebble", .triangles = 8000, .size = 0.3}).value();
    const Mesh bear = generate({.shape = "bear", .triangles = 8000, .size = 0.3}).value();
    return {{"a board pressed aslant into a pebble",
             pebble,
             shapes::box({0.2, 0.02, 0.12}),
             {{0.02, 0.07, 0}, from_axis_angle({0.2, 0, 1}, 9)},
             0.3},
            {"two pebbles", pebble, pebble, {{0.06, 0.125, 0.03}, from_axis_angle({1, 2, 1}, 50)}, 0.3},
            {"two bears", bear, bear, {{0.1, 0.08, 0.06}, from_axis_angle({0, 1, 0.3}, 80)}, 0.3}};
}

double overlap_of(const Case& c, const Transform& pose) {
    return overlap(c.fixed, {}, c.moved, pose, {.pixel = c.size / 256, .split = OverlapSplit::whole}).volume;
}

struct Outcome {
    double left = 0;  ///< of the volume
    double contacts = 0;
};

/// One position solve, and what is left of the overlap.
Outcome solve_once(const Case& c, OverlapSplit split, double cell) {
    WorldSettings settings = problem_settings(1.0 / 60, ContactMethod::volume);
    settings.gravity = {};
    settings.contact.stabilise_passes = 1;
    settings.contact.volume.split = split;
    settings.contact.volume.cell = cell;
    World world(settings);
    world.add(Fixed{.mesh = c.fixed});
    const BodyId moved =
        world.add(Rigid{.mesh = c.moved}, {.position = c.pose.position, .rotation = c.pose.rotation});
    const double before = overlap_of(c, c.pose);
    world.step();
    return {overlap_of(c, world.pose(moved)) / before, static_cast<double>(world.contacts().size())};
}

void leftover(Report& report, const StudySettings& settings) {
    Plot left{.name = "leftover", .title = "What one solve leaves of the overlap", .columns = 2};
    left.x = {.label = "cells along the body", .scale = Scale::log};
    left.y = {.label = "volume left / volume before"};
    Plot contacts{.name = "contacts", .title = "The contacts it takes", .columns = 2};
    contacts.x = left.x;
    contacts.y = {.label = "contacts", .scale = Scale::log};
    Table mono{.name = "mono",
               .caption = "One contact for each connected overlap",
               .columns = {"bodies", "contacts", "volume left / volume before"},
               .digits = 3};
    const std::vector<double> across{1, 2, 4, 8, 16, 32};
    for (const Case& c : cases()) {
        settings.now(c.name);
        Series volume{.name = c.name, .x = across}, number{.name = c.name, .x = across};
        for (const double n : across) {
            const Outcome o = solve_once(c, OverlapSplit::cells, c.size / n);
            volume.y.push_back(o.left), number.y.push_back(o.contacts);
        }
        left.series.push_back(std::move(volume));
        contacts.series.push_back(std::move(number));
        const Outcome o = solve_once(c, OverlapSplit::connected, 0);
        mono.rows.push_back({c.name, o.contacts, o.left});
    }
    contacts.caption =
        "One body is fixed, the other is pushed out by one solve of the stabilise phase, which moves it by "
        "no "
        "more than a fifth of its size. More solves with fresh images would take away the rest.";
    report.add(std::move(left));
    report.add(std::move(contacts));
    report.add(std::move(mono));
}

/// When a flat disc that spins has stopped, as a multiple of what uniform pressure makes it.
double spin_stop(double cells) {
    constexpr double radius = 0.1, half = 0.01, mu = 0.3, spin = 10, h = 1.0 / 960;
    WorldSettings settings = problem_settings(h, ContactMethod::volume);
    if (cells > 1)
        settings.contact.volume.cell = 2 * radius / cells;
    else
        settings.contact.volume.split = OverlapSplit::connected;
    World world(settings);
    world.add_ground(0, {.friction = mu});
    const BodyId disc =
        world.add(Rigid{.shape = Shape::cylinder(radius, half), .mass = 1.0, .material = {.friction = mu}},
                  {.position = {0.013, half - 0.5 * tuning::derived_allowed_depth.usual, 0.007},
                   .angular_velocity = {0, spin, 0}});
    const double expected = 3 * radius * spin / (4 * mu * 9.81);
    while (world.time() < 2 * expected && norm(world.angular_velocity(disc)) > 1e-6) world.step();
    return world.time() / expected;
}

void drilling(Report& report, const StudySettings& settings) {
    settings.now("a spinning disc");
    Plot plot{.name = "spin", .title = "A disc spun on its flat side: time to stop", .legend = false};
    plot.x = {.label = "cells across the disc", .scale = Scale::log};
    plot.y = {.label = "time / time by uniform pressure"};
    Series series{.name = "volume"};
    for (const double cells : {2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0}) {
        series.x.push_back(cells);
        series.y.push_back(spin_stop(cells));
    }
    plot.series.push_back(std::move(series));
    plot.lines.push_back({.name = "uniform pressure", .x = 2, .y = 1, .slope = 0});
    plot.caption =
        "With one contact there is no friction against spinning at all. The load of a rigid body is spread "
        "over its cells as evenly as balance allows.";
    report.add(std::move(plot));
    report.figure("spin_mono", spin_stop(1));
}

}  // namespace

Report study_resolution(const StudySettings& settings) {
    Report report = begin_report("The resolution of volume contact", "plush study resolution");
    report.paragraph(
        "Two bodies that overlap are parted by one equation for each cell of a grid. Large cells mean few "
        "equations, and a solve that knows the overlap only on average.");
    report.heading("What one solve leaves");
    leftover(report, settings);
    report.heading("Friction");
    drilling(report, settings);
    snake_against_points(report, settings);
    return report;
}

}  // namespace plush::lab
