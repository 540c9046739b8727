#include "lab/study_snake.hpp"

#include <fmt/format.h>

#include <cmath>

#include "plush/scene/scene.hpp"

namespace plush::lab {
namespace {

struct Pulled {
    std::vector<Vec3> shape{};  ///< of the skin, at the end
    double contacts = 0;        ///< mean
};

Pulled pull(const std::vector<std::string>& changes) {
    const Scene scene = Scene::load("snake", changes);
    World world = scene.build(0);
    BodyId snake{};
    for (const BodyId id : world.bodies())
        if (world.kind(id) == BodyKind::deformable) snake = id;
    Pulled out;
    int steps = 0;
    while (world.time() < scene.duration() - 0.5 * world.settings().step) {
        world.step();
        out.contacts += static_cast<double>(world.contacts().size()), ++steps;
    }
    out.contacts /= steps;
    out.shape = world.drawn_positions(snake);
    return out;
}

double mean_distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    double square = 0;
    for (std::size_t k = 0; k < a.size(); ++k) square += norm2(a[k] - b[k]);
    return std::sqrt(square / static_cast<double>(a.size()));
}

/// Friction at every vertex of the belly: weak springs that sink by a fraction of a millimetre.
std::vector<std::string> by_points() {
    return {"contact.method=points", "contact.surface.stiffness=200", "contact.surface.buffer=0.0005",
            "contact.surface.stick_speed=0.0001"};
}

}  // namespace

void snake_against_points(Report& report, const StudySettings& settings) {
    constexpr double length = 1;  // m, of the scene
    settings.now("the snake, by points");
    const Pulled points = pull(by_points());
    Plot plot{.name = "snake", .title = "The pulled snake: cells against points", .legend = false};
    plot.x = {.label = "cells along the snake", .scale = Scale::log};
    plot.y = {.label = "root mean square distance / length", .scale = Scale::log};
    Series series{.name = "volume"};
    Table table{.name = "snake",
                .caption = "Difference to friction at every vertex when the pull has ended",
                .columns = {"cells", "contacts, mean", "distance / length"},
                .digits = 3};
    const auto add = [&](const std::string& name, const Pulled& pulled) {
        const double d = mean_distance(pulled.shape, points.shape) / length;
        table.rows.push_back({name, pulled.contacts, d});
        return d;
    };
    settings.now("the snake, one contact");
    report.figure("snake_whole", add("one contact", pull({"contact.volume.split=whole"})));
    for (const double cell : {0.3, 0.15, 0.075, 0.046, 0.022}) {
        settings.now(fmt::format("the snake, cells of {:g} mm", 1e3 * cell));
        const double d =
            add(fmt::format("{:g} mm", 1e3 * cell), pull({fmt::format("contact.volume.cell={}", cell)}));
        series.x.push_back(length / cell), series.y.push_back(d);
        report.figure(fmt::format("snake_{:g}_mm", 1e3 * cell), d);
    }
    plot.series.push_back(std::move(series));
    plot.caption =
        "scenes/snake: its head is pulled sideways by half its length. With one contact all of the belly "
        "slides "
        "or sticks at once, and the snake turns about its middle.";
    report.add(std::move(plot));
    report.add(std::move(table));
}

}  // namespace plush::lab
