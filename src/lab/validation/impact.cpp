#include <fmt/format.h>

#include <cmath>

#include "lab/validation/validate.hpp"

namespace plush::lab {
namespace {

/// The heights between impacts, and when the ball last moved.
struct Bounces {
    std::vector<double> heights;
    double stop = 0;
};

Bounces drop_ball(double restitution, double h, double seconds, ContactMethod method) {
    constexpr double radius = 0.1, height = 1;
    World world(problem_settings(h, method));
    world.add_ground(0, {.friction = 0.5, .restitution = restitution});
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(radius), .material = {.restitution = 0}},
                                  {.position = {0, height + radius, 0}});
    Bounces result;
    double peak = 0, before = 0;
    bool bounced = false;
    while (world.time() < seconds) {
        step_and_book(world);
        const double y = world.centre(ball).y - radius, v = world.velocity(ball).y;
        if (std::abs(v) > 1e-3) result.stop = world.time();
        if (v > before + 1e-9) {  // only the ground pushes upward
            if (bounced) result.heights.push_back(peak);
            bounced = true;
            peak = y;
        }
        peak = std::max(peak, y);
        before = v;
    }
    result.heights.push_back(peak);
    return result;
}

// Newton's restitution: a ball dropped from h₀ reaches e²ⁿ h₀ after n impacts, and stops after
// √(2 h₀/g) (1 + e)/(1 − e).
std::vector<Check> bounce(ContactMethod method) {
    const double h = 1.0 / 2000;
    std::vector<Check> checks;
    for (double e : {0.25, 0.5, 0.8, 1.0}) {
        const Bounces b = drop_ball(e, h, e == 0.8 ? 5.0 : 4.0, method);
        for (int n = 1; n <= 3; ++n) {
            const double height = b.heights.size() >= static_cast<std::size_t>(n)
                                      ? b.heights[static_cast<std::size_t>(n - 1)]
                                      : 0;
            // By volume the ball is a mesh, up to 2e-5 m flatter than a ball, and so is every height.
            const double wanted = std::pow(e, 2 * n), mesh = by_volume(method) ? 3e-5 / wanted : 0;
            checks.push_back(
                relative(fmt::format("e = {}, height {}", e, n), height, wanted, 0.01 + mesh, "m", h));
        }
        if (e == 0.8)
            checks.push_back(relative("e = 0.8, time to stop", b.stop,
                                      std::sqrt(2 / 9.81) * (1 + e) / (1 - e), 0.01, "s", h));
    }
    const Bounces dead = drop_ball(0, h, 2, method);
    // From both sides: a ball that sinks in does not rest on the ground either. By volume it rests half a pixel deep.
    checks.push_back(
        absolute("e = 0, height 1", dead.heights.back(), 0, by_volume(method) ? 1e-3 : 1e-4, "m", h));
    return checks;
}

}  // namespace

std::vector<Problem> impact_problems() {
    return {{"bounce", "a ball dropped from 1 m, five restitutions", true, bounce, [](ContactMethod m) {
                 return m == ContactMethod::impulse
                            ? std::string(
                                  "the impulse acts after the overlap has grown: small bounces drown in it")
                            : spring_limit(m);
             }}};
}

}  // namespace plush::lab
