#include "lab/validation/arch.hpp"

#include <fmt/format.h>

#include <numbers>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::lab {

namespace {
constexpr double step = 1.0 / 120, fallen = 0.2;
}

double keystone_drop(const Arch& arch, ContactMethod method) {
    constexpr int stones = 25;
    constexpr double pi = std::numbers::pi;
    WorldSettings settings = problem_settings(step, method);
    settings.solver.iterations = 1000;  // the thrust goes through 26 joints: 100 sweeps let it sink
    settings.contact.volume.cell = arch.cell;
    World world(settings);
    const Material material{.friction = arch.friction};
    world.add_ground(0, material);
    BodyId key;
    for (int i = 0; i < stones; ++i) {
        const Mesh stone = shapes::arch_stone(1 - arch.thickness / 2, 1 + arch.thickness / 2, pi * i / stones,
                                              pi * (i + 1) / stones, 0.2, 12);
        const BodyId body = world.add(Rigid{.mesh = stone, .density = 2000, .material = material});
        if (i == stones / 2) key = body;
    }
    const double start = world.centre(key).y;
    // A mechanism that moves at all is through within seconds: its speed grows by e in 0.3 s.
    while (world.time() < 4 && start - world.centre(key).y < fallen) step_and_book(world);
    return start - world.centre(key).y;
}

namespace {

// Heyman's safe theorem with friction: a semicircular arch stands where a thrust line stays within its
// thickness (0.1075 of its radius, Milankovitch 1907) and within the cone of every joint (μ about 0.31 for
// thick ones, Gilbert and Casapulla 2006). Joints reach to their edges, whatever the cells.
std::vector<Check> arch(ContactMethod method) {
    std::vector<Check> checks;
    const auto add = [&](const Arch& a, bool stands, const std::string& cells) {
        const double drop = keystone_drop(a, method);
        const std::string name = fmt::format("{} at thickness {}, μ = {}{}", stands ? "sinks" : "stands",
                                             a.thickness, a.friction, cells);
        checks.push_back(below(name, stands ? drop : fallen - drop, stands ? 0.01 : 0, "m", step));
    };
    add({}, true, "");
    add({.friction = 0.3}, false, "");
    add({.thickness = 0.095, .friction = 0.8}, false, "");
    if (method == ContactMethod::volume) {
        add({.cell = 0.15 / 2}, true, ", cells of t/2");
        add({.thickness = 0.095, .friction = 0.8, .cell = 0.095 / 3}, false, ", cells of t/3");
    }
    return checks;
}

std::string arch_limit(ContactMethod m) {
    if (m == ContactMethod::impulse) return "one averaged point holds no torque: stones slip off each other";
    if (m == ContactMethod::points)
        return "the corners of one stone lie on those of the next, inside of neither";
    return spring_limit(m);
}

}  // namespace

std::vector<Problem> arch_problems() {
    return {{"arch", "an arch of 25 stones, on both sides of its limits", true, arch, arch_limit}};
}

}  // namespace plush::lab
