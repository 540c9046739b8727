#include "lab/studies/study_snake.hpp"

#include <fmt/format.h>

#include <cmath>

#include "plush/scene/scene.hpp"

namespace plush::lab {
namespace {

constexpr double length = 1;                     // m, of the snake
constexpr double pull_starts = 0.2, ends = 1.5;  // s, of the rod's keyframes
constexpr double between = 0.05;                 // s, from one shape that is compared to the next

/// Where the skin is at each moment that is compared; the last one is at rest.
struct Pulled {
    std::vector<std::vector<Vec3>> shapes{};
    double contacts = 0;  ///< mean
};

/// The same for all: steps so short that halving them moves the snake by less than 0.05 % of its length
/// (those of the scene move it by 0.25 %), sweeps enough for all of them, and pixels so small that the depth
/// which is left alone makes no patch that is wide enough to hold a round belly against rolling.
Pulled pull(std::vector<std::string> changes) {
    for (const char* fine : {"step=0.005", "solver.iterations=5000"}) changes.emplace_back(fine);
    const Scene scene = Scene::load("snake", changes);
    World world = scene.build(0);
    BodyId snake{};
    for (const BodyId id : world.bodies())
        if (world.kind(id) == BodyKind::deformable) snake = id;
    Pulled out;
    const double h = world.settings().step;
    double next = pull_starts + between;
    for (; world.time() < scene.duration() - 0.5 * h;) {
        world.step();
        out.contacts += static_cast<double>(world.contacts().size());
        if (world.time() < next - 0.5 * h || next > ends + 0.5 * h) continue;
        out.shapes.push_back(world.drawn_positions(snake));
        next += between;
    }
    out.contacts /= static_cast<double>(world.steps());
    out.shapes.push_back(world.drawn_positions(snake));
    return out;
}

/// In units of the snake's length: the root mean square over its skin, and over the time that it is pulled;
/// and when it has come to rest.
struct Difference {
    double pulled = 0, at_rest = 0;
};

Difference difference(const Pulled& a, const Pulled& b) {
    const auto square = [&](std::size_t k) {
        double sum = 0;
        for (std::size_t v = 0; v < a.shapes[k].size(); ++v) sum += norm2(a.shapes[k][v] - b.shapes[k][v]);
        return sum / static_cast<double>(a.shapes[k].size());
    };
    const std::size_t moments = a.shapes.size() - 1;
    double sum = 0;
    for (std::size_t k = 0; k < moments; ++k) sum += square(k);
    return {std::sqrt(sum / static_cast<double>(moments)) / length, std::sqrt(square(moments)) / length};
}

std::vector<std::string> cells_of(double cell, double pixel) {
    return {fmt::format("contact.volume.cell={}", cell), fmt::format("contact.volume.pixel={}", pixel)};
}

}  // namespace

void snake_against_points(Report& report, const StudySettings& settings) {
    constexpr double pixel = 0.0005, large_pixel = 0.002;  // m
    const std::string hard = "contact.method=closest_feature";
    Plot plot{.name = "snake", .title = "The pulled snake: cells against points"};
    plot.x = {.label = "cells along the snake", .scale = Scale::log};
    plot.y = {.label = "root mean square distance / length", .scale = Scale::log};
    Series pulled{.name = "while it is pulled"}, rest{.name = "at rest"};
    Table table{
        .name = "snake",
        .caption = "Difference to hard contact with friction at every vertex, in lengths of the snake",
        .columns = {"cells", "contacts, mean", "while pulled", "at rest"},
        .digits = 3};
    const auto run = [&](const std::string& name, const std::vector<std::string>& changes) {
        settings.now("the snake, " + name);
        return pull(changes);
    };
    const auto add = [&](const std::string& name, const Pulled& shapes, const Pulled& points) {
        const Difference d = difference(shapes, points);
        table.rows.push_back({name, shapes.contacts, d.pulled, d.at_rest});
        return d;
    };
    const Pulled points = run("by points", {hard});
    const auto compare = [&](const std::string& name, const std::vector<std::string>& changes) {
        return add(name, run(name, changes), points);
    };
    report.figure("snake_whole", compare("one contact", {"contact.volume.split=whole",
                                                         fmt::format("contact.volume.pixel={}", pixel)})
                                     .pulled);
    for (const double cell : {0.3, 0.15, 0.075, 0.046, 0.022, 0.011}) {
        const Difference d = compare(fmt::format("{:g} mm", 1e3 * cell), cells_of(cell, pixel));
        pulled.x.push_back(length / cell), pulled.y.push_back(d.pulled);
        rest.x.push_back(length / cell), rest.y.push_back(d.at_rest);
        report.figure(fmt::format("snake_{:g}_mm", 1e3 * cell), d.pulled);
    }
    // What else makes as much of a difference: how deep volume contact leaves a body, how many vertices
    // there are, and what stands for friction at each.
    compare("11 mm, pixels of 2 mm", cells_of(0.011, large_pixel));
    const Difference springs =
        compare("points as springs", {"contact.method=points", "contact.surface.stiffness=200",
                                      "contact.surface.buffer=0.0005", "contact.surface.stick_speed=0.0001"});
    for (const int triangles : {3500, 14000}) {  // the scene has 7,000
        const std::string skin = fmt::format("bodies[snake].soft.triangles={}", triangles);
        std::vector<std::string> cells = cells_of(0.011, pixel);
        cells.push_back(skin);
        const Pulled other = run(fmt::format("by points, {} triangles", triangles), {hard, skin});
        const std::string name = fmt::format("11 mm, both with {} triangles", triangles);
        add(name, run(name, cells), other);
    }
    plot.lines.push_back({.name = "points as springs, while pulled", .y = springs.pulled});
    plot.series = {std::move(pulled), std::move(rest)};
    plot.caption =
        "scenes/snake: its head is pulled sideways by half its length, and the rest of it follows, bends and "
        "rolls. With one contact all of the belly slides or sticks at once, and the snake turns about its "
        "middle. Below 75 mm cells differ from hard points by no more than springs of 200 N/m at the same "
        "points do.";
    report.add(std::move(plot));
    report.add(std::move(table));
}

}  // namespace plush::lab
