#include "contact/fields/barrier_guard.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/assert.hpp"

namespace plush {
namespace {

constexpr std::size_t vertices_per_chunk = 256;
/// Of its gap a vertex keeps at least this much in a part of a step.
constexpr double kept_gap = 0.5;
/// Where push_out() puts a vertex, of the buffer: near the surface, but where forces are not extreme.
constexpr double put_at = 0.01;
constexpr int push_tries = 8;

bool is_pinned(std::span<const std::uint8_t> pinned, std::size_t i) {
    PLUSH_ASSERT(pinned.empty() || i < pinned.size());
    return !pinned.empty() && pinned[i];
}

std::vector<PosedObstacle> posed_at(const SurfaceField& field, double t) {
    std::vector<PosedObstacle> posed(field.posed().begin(), field.posed().end());
    for (PosedObstacle& o : posed) o.set_time(t - field.start_time());
    return posed;
}

struct Ways {
    std::vector<PosedObstacle> before, after;
};

/// How far one vertex may go against one obstacle.
double vertex_fraction(const SurfaceField& field, const PosedObstacle& before, const PosedObstacle& after,
                       const Vec3& x, const Vec3& x_next, double radius) {
    const Vec3 from = before.to_local(x), to = after.to_local(x_next);
    const double gap = before.distance().value(from) - radius;
    if (!(gap > 0)) return 0;
    if (gap <= least_gap(field.settings())) {
        const Vec3 n = before.distance().sample(from).gradient;
        if (dot(n, to - from) < 0) return 0;
    }
    return before.safe_fraction(from, to, radius + kept_gap * std::min(gap, field.settings().buffer));
}

double safe_fraction(const SurfaceField& field, const Ways& ways, std::span<const Vec3> x,
                     std::span<const Vec3> x_next, const Parallel& parallel, std::span<double> fractions) {
    PLUSH_ASSERT(x_next.size() == x.size() && (fractions.empty() || fractions.size() == x.size()));
    const auto of_vertex = [&](std::size_t i) {
        double least = 1;
        for (std::size_t o = 0; o < ways.before.size(); ++o)
            least = std::min(least, vertex_fraction(field, ways.before[o], ways.after[o], x[i], x_next[i],
                                                    field.radius(i)));
        return least;
    };
    return parallel.reduce(
        x.size(), vertices_per_chunk, 1.0,
        [&](std::size_t begin, std::size_t end) {
            double least = 1;
            for (std::size_t i = begin; i < end; ++i) {
                const double f = of_vertex(i);
                if (!fractions.empty()) fractions[i] = f;
                least = std::min(least, f);
            }
            return least;
        },
        [](double a, double b) { return std::min(a, b); });
}

/// The nearest obstacle of a vertex that stands in its way.
std::size_t obstacle_in_way(const SurfaceField& field, const Ways& ways, const Vec3& x, const Vec3& x_next,
                            double radius) {
    PLUSH_ASSERT(!ways.before.empty() && ways.before.size() == ways.after.size());
    std::size_t worst = 0;
    double least = 2;
    for (std::size_t o = 0; o < ways.before.size(); ++o) {
        const double f = vertex_fraction(field, ways.before[o], ways.after[o], x, x_next, radius);
        if (f < least) least = f, worst = o;
    }
    return worst;
}

/// Stops a vertex on its way. False where another obstacle is there already.
bool hold(SurfaceField& field, const Ways& ways, double mass, double fraction, const Vec3& from, Vec3& x,
          Vec3& v, double radius) {
    PLUSH_ASSERT(mass > 0 && fraction < 1);
    const std::size_t o = obstacle_in_way(field, ways, from, x, radius);
    const PosedObstacle &before = ways.before[o], &after = ways.after[o];
    const Vec3 a = before.to_local(from), b = after.to_local(x), stop = a + fraction * (b - a);
    x = after.to_world(stop);
    for (std::size_t other = 0; other < ways.after.size(); ++other) {
        const PosedObstacle& obstacle = ways.after[other];
        const DistanceSample at = obstacle.distance().sample(obstacle.to_local(x));
        if (!(at.value - radius > 0)) return false;
        if (other != o && at.value - radius > field.settings().buffer) continue;
        const Vec3 n = obstacle.normal_to_world(at.gradient);
        const double into = -dot(v - obstacle.velocity_at(x), n);
        if (!(into > 0)) continue;
        v += into * n;
        field.add_impulse(other, x, (mass * into) * n);
    }
    return true;
}

Error not_finite(std::size_t vertex) {
    return Error({.place = fmt::format("vertex {}", vertex),
                  .problem = "its position is not a number",
                  .cure = "give finite positions and velocities"});
}

Error no_room(std::size_t vertex) {
    return Error({.place = fmt::format("vertex {}", vertex),
                  .problem = "there is no room for it between the obstacles",
                  .cure = "move them apart, make the vertex' radius smaller, or take the law buffered"});
}

}  // namespace

double largest_safe_fraction(const SurfaceField& field, std::span<const Vec3> x, std::span<const Vec3> x_next,
                             double t, double h, const Parallel& parallel, std::span<double> fractions) {
    PLUSH_ASSERT(h > 0);
    const Ways ways{posed_at(field, t), posed_at(field, t + h)};
    return safe_fraction(field, ways, x, x_next, parallel, fractions);
}

Result<std::size_t> push_out(const SurfaceField& field, std::span<Vec3> x,
                             std::span<const std::uint8_t> pinned) {
    PLUSH_ASSERT(pinned.empty() || pinned.size() == x.size());
    const double least = least_gap(field.settings()), aim = put_at * field.settings().buffer;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!is_finite(x[i])) return not_finite(i);
        if (is_pinned(pinned, i)) continue;
        bool inside = false, clear = false;
        for (int k = 0; k <= push_tries && !clear; ++k) {
            clear = true;
            for (const PosedObstacle& o : field.posed()) {
                const DistanceSample at = o.distance().sample(o.to_local(x[i]));
                const double gap = at.value - field.radius(i);
                if (gap >= least) continue;
                x[i] += (aim - gap) * o.normal_to_world(at.gradient);
                inside = true, clear = false;
            }
        }
        if (!clear) return no_room(i);
        moved += inside;
    }
    return moved;
}

Result<GuardReport> advance_without_crossing(Integrator& integrator, MotionSystem& system, MotionState& state,
                                             double h, const IntegrationSettings& settings,
                                             SurfaceField& field) {
    GuardReport report;
    const Parallel& parallel = system.parallel();
    const auto pinned = system.pinned();
    const double t0 = state.t;
    MotionState now = state;
    field.set_time(t0);
    const bool guarded = is_barrier(field.settings().law) && !field.posed().empty();
    if (guarded) {
        Result<std::size_t> pushed = push_out(field, now.x, pinned);
        if (!pushed) return pushed.error();
        report.pushed_out = pushed.value();
        if (report.pushed_out > 0) now.forget();
    }

    const bool explicit_stages = guarded && !is_implicit(settings.method);
    std::vector<double> fractions(now.x.size(), 1);
    std::vector<Vec3> ahead(now.x.size());
    const int most = field.settings().max_substeps;
    double done = 0, part = h;
    while (done < h) {
        // What rounding would leave for a last part belongs to this one.
        if (part > 0.999 * (h - done)) part = h - done;
        const Ways ways{posed_at(field, t0 + done), posed_at(field, t0 + done + part)};
        const auto free_part = [&](std::span<const Vec3> to) {
            double least = 1;
            safe_fraction(field, ways, now.x, to, parallel, fractions);
            for (std::size_t i = 0; i < fractions.size(); ++i)
                if (!is_pinned(pinned, i)) least = std::min(least, fractions[i]);
            return least;
        };
        const bool last_try = report.tries >= most || part <= h / most;
        // Stages of explicit methods lie on the way that the present velocities lead: it must be free too,
        // or forces from inside would throw the vertex far out, and the way there may well be free.
        if (explicit_stages && !last_try) {
            for (std::size_t i = 0; i < ahead.size(); ++i) ahead[i] = now.x[i] + part * now.v[i];
            if (const double free = free_part(ahead); free < 1) {
                ++report.tries;
                part *= std::clamp(0.9 * free, 0.1, 0.5);
                continue;
            }
        }
        MotionState next = now;
        field.begin_step(settings, part, system.masses());
        Result<AdvanceReport> step = integrator.advance(system, next, part, settings);
        if (!step) return step.error();
        ++report.tries;
        const double free = guarded ? free_part(next.x) : 1;
        if (free < 1 && !last_try) {
            // A little less than what was free; but a hair's breadth of one vertex must not stop all.
            part *= std::clamp(0.9 * free, 0.1, 0.5);
            continue;
        }
        field.finish_step(now.v, next.v);
        field.set_time(t0 + done + part);
        if (free < 1) {
            for (std::size_t i = 0; i < fractions.size(); ++i) {
                if (fractions[i] >= 1 || is_pinned(pinned, i)) continue;
                if (!hold(field, ways, system.masses()[i], fractions[i], now.x[i], next.x[i], next.v[i],
                          field.radius(i)))
                    return no_room(i);
                ++report.held;
            }
            next.forget();
        }
        report.step = step.value();
        ++report.parts;
        now = std::move(next);
        done = part == h - done ? h : done + part;
        part = report.tries < most ? 2 * part : h - done;
    }
    now.t = t0 + h;
    state = std::move(now);
    return report;
}

}  // namespace plush
