#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "view/world_actions.hpp"

// A line that was drawn on the screen, as a blade. The two rays through its ends span a sheet. A blade is a parallelogram,
// so each body gets its own: as wide as the line is at the depth of the body's middle, and through all of the body.
//
//      eye ·────────── m ─────────▶          p, q: on the rays, at the depth of the body's middle
//           ╲    p ┌───────┐                 edge: from p + r m to q + r m
//            ╲─────┤ body  │                 back: −2 r m
//             ╲  q └───────┘

namespace plush::view {

namespace {

struct Ball {
    Vec3 centre{};
    double radius = 0;
};

Ball ball_around(const World& world, BodyId body) {
    Box3 box;
    for (const Vec3& p : world.vertex_positions(body)) box.add(p);
    return {0.5 * (box.low + box.high), 0.5 * norm(box.high - box.low)};
}

/// Nothing where the body is behind the eye.
std::optional<Blade> blade_through(const Ball& ball, const Ray& from, const Ray& to) {
    const Vec3 a = normalised(from.direction), b = normalised(to.direction);
    if (!(norm(a + b) > 1e-6)) return std::nullopt;
    const Vec3 m = normalised(a + b);
    const auto at_depth = [&](const Ray& ray, const Vec3& direction) -> std::optional<Vec3> {
        const double along = dot(direction, m);
        const double t = dot(ball.centre - ray.origin, m) / along;
        if (!(along > 1e-6) || !(t > 0)) return std::nullopt;
        return ray.origin + t * direction;
    };
    const auto p = at_depth(from, a), q = at_depth(to, b);
    if (!p || !q || !(norm(*p - *q) > 1e-6 * ball.radius)) return std::nullopt;
    return Blade{
        .from = *p + ball.radius * m, .to = *q + ball.radius * m, .back = -2 * ball.radius * m, .edge = {}};
}

}  // namespace

nlohmann::json WorldActions::cut(World& world, const Command& command) {
    const Ray from = command.ray("from"), to = command.ray("to");
    Json cuts = Json::array();
    const auto cut_one = [&](BodyId body) {
        const auto blade = blade_through(ball_around(world, body), from, to);
        if (!blade) return;
        const std::uint64_t before = world.cuts(body);
        const std::size_t pieces = world.cut(body, *blade);
        if (world.cuts(body) != before) cuts.push_back({{"body", index_of(world, body)}, {"pieces", pieces}});
    };
    if (command.has("body")) {
        cut_one(body_at(world, command.whole("body")));
        return {{"cuts", cuts}};
    }
    std::optional<Error> why;
    for (const BodyId body : world.bodies()) {
        if (!is_soft(world, body)) continue;
        try {
            cut_one(body);
        } catch (const Error& error) {  // tets alone do not make a body that can be cut
            why = error;
        }
    }
    if (cuts.empty() && why) throw *why;
    return {{"cuts", cuts}};
}

}  // namespace plush::view
