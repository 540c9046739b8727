#include <algorithm>
#include <cmath>

#include "lab/validate.hpp"

namespace plush::lab {
namespace {

struct Rest {
    double drift = 0;  ///< largest distance from the start, m
    double rms = 0;    ///< speed over the second half, m/s
};

// Boxes of 0.2 m with these masses, bottom to top, for 20 s.
Rest stand(const std::vector<double>& masses, double h, ContactMethod method, int sweeps) {
    const double half = 0.1;
    WorldSettings settings = problem_settings(h, method);
    settings.solver.iterations = sweeps;
    World world(settings);
    world.add_ground();
    std::vector<BodyId> boxes;
    std::vector<Vec3> start;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        start.push_back({0, half * (2.0 * static_cast<double>(i) + 1), 0});
        boxes.push_back(world.add(Rigid{.shape = Shape::box({half, half, half}), .mass = masses[i]},
                                  {.position = start[i]}));
    }
    Rest rest;
    double squares = 0;
    int count = 0;
    while (world.time() < 20) {
        world.step();
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            rest.drift = std::max(rest.drift, norm(world.centre(boxes[i]) - start[i]));
            if (world.time() < 10) continue;
            squares += norm2(world.velocity(boxes[i]));
            ++count;
        }
    }
    rest.rms = std::sqrt(squares / count);
    return rest;
}

// A stack that is in balance stays where it is. No sleep.
std::vector<Check> stack(ContactMethod method) {
    const double h = 1.0 / 240;
    std::vector<Check> checks;
    const auto add = [&](const std::string& name, const std::vector<double>& masses, int sweeps = 100) {
        const Rest rest = stand(masses, h, method, sweeps);
        checks.push_back(below(name + ", drift in 20 s", rest.drift, 1e-3, "m", h));
        checks.push_back(below(name + ", RMS speed", rest.rms, 1e-4, "m/s", h));
    };
    add("10 boxes", std::vector<double>(10, 1.0));
    add("100 : 1", {1.0, 100.0});
    // Sweeps pass the load down by a part in a thousand each: 100 let the light box be crushed.
    if (method == ContactMethod::volume) add("1000 : 1, 1000 sweeps", {1.0, 1000.0}, 1000);
    return checks;
}

}  // namespace

std::vector<Problem> stacking_problems() {
    return {{"stack", "10 boxes, and a heavy one on a light one", true, stack, [](ContactMethod m) {
                 return m == ContactMethod::impulse
                            ? std::string("one averaged point holds no torque: stacks topple")
                            : spring_limit(m);
             }}};
}

}  // namespace plush::lab
