#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/studies/study.hpp"
#include "lab/validation/validate.hpp"

// How to turn a rigid body: the box of the problem `flip`, free of all forces. The reference is Euler's
// equations in the body's frame with the quaternion beside them,
//
//     I ω̇ = (I ω) × ω,   q̇ = ½ q ω,
//
// by the classical Runge-Kutta method of fourth order with steps of 20 µs: it shares no code with the bodies.

namespace plush::lab {
namespace {

const Vec3 half{0.1, 0.2, 0.3};
const Vec3 spin{0.05, 5, 0.05};  // rad/s, about the middle axis but for a little

struct State {
    Vec3 spin{};  ///< in the body's frame
    Quat turn{};
};

State operator+(const State& a, const State& b) {
    return {a.spin + b.spin,
            {a.turn.w + b.turn.w, a.turn.x + b.turn.x, a.turn.y + b.turn.y, a.turn.z + b.turn.z}};
}
State operator*(double s, const State& a) {
    return {s * a.spin, {s * a.turn.w, s * a.turn.x, s * a.turn.y, s * a.turn.z}};
}

State rate(const State& s) {
    const Vec3 inertia = Vec3{half.y * half.y + half.z * half.z, half.x * half.x + half.z * half.z,
                              half.x * half.x + half.y * half.y} *
                         (1.0 / 3);  // of 1 kg
    const Vec3 momentum{inertia.x * s.spin.x, inertia.y * s.spin.y, inertia.z * s.spin.z};
    const Vec3 torque = cross(momentum, s.spin);
    const Quat turn = s.turn * Quat{0, s.spin.x, s.spin.y, s.spin.z};
    return {{torque.x / inertia.x, torque.y / inertia.y, torque.z / inertia.z},
            {0.5 * turn.w, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z}};
}

Quat reference_turn(double seconds) {
    const int steps = static_cast<int>(std::lround(seconds / 2e-5));
    const double dt = seconds / steps;
    State s{spin, {}};
    for (int i = 0; i < steps; ++i) {
        const State a = rate(s), b = rate(s + 0.5 * dt * a), c = rate(s + 0.5 * dt * b), d = rate(s + dt * c);
        s = s + (dt / 6) * (a + 2.0 * b + 2.0 * c + d);
    }
    return normalised(s.turn);
}

struct Way {
    const char* name;
    RotationMethod method;
};
constexpr std::array ways{Way{"momentum, free top (default)", RotationMethod::momentum},
                          Way{"implicit gyroscopic", RotationMethod::implicit},
                          Way{"first order, no gyroscopic term", RotationMethod::first_order}};

struct Tumble {
    World world;
    BodyId box;
    Tumble(double h, RotationMethod method) : world(make(h, method)) {
        box = world.add(Rigid{.shape = Shape::box(half), .mass = 1}, {.angular_velocity = spin});
    }
    static WorldSettings make(double h, RotationMethod method) {
        WorldSettings settings = problem_settings(h);
        settings.gravity = {};
        settings.rotation = method;
        return settings;
    }
};

void against_step(Report& report, const StudySettings& settings) {
    constexpr double seconds = 2;
    settings.now("a reference");
    const Quat expected = reference_turn(seconds);
    Plot turn{.name = "orientation_error",
              .title = "Error of the orientation after 2 s",
              .x = {.label = "Step h", .unit = "s", .scale = Scale::log},
              .y = {.label = "Angle to the reference", .unit = "rad", .scale = Scale::log}};
    Plot energy{.name = "energy_error",
                .title = "Error of the kinetic energy after 2 s",
                .x = {.label = "Step h", .unit = "s", .scale = Scale::log},
                .y = {.label = "Relative error", .unit = "", .scale = Scale::log}};
    Table orders{.name = "orders",
                 .caption = "Order p of the error C hᵖ, from the two smallest steps",
                 .columns = {"method", "orientation", "energy"},
                 .rows = {}};
    for (const Way& way : ways) {
        settings.now(way.name);
        Series t{.name = way.name}, e{.name = way.name};
        for (int n = 32; n <= 4096; n *= 2) {
            Tumble tumble(1.0 / n, way.method);
            const double before = tumble.world.energy().kinetic;
            for (int i = 0; i < n * seconds; ++i) tumble.world.step();
            const Quat apart = conjugate(expected) * tumble.world.pose(tumble.box).rotation;
            t.x.push_back(1.0 / n);
            t.y.push_back(norm(log_rotation(apart)));
            e.x.push_back(1.0 / n);
            e.y.push_back(std::abs(tumble.world.energy().kinetic / before - 1));
        }
        const auto order = [](const Series& s) -> Cell {
            const std::size_t k = s.y.size() - 1;
            if (s.y[k] < 1e-10) return "none: rounding alone";
            const double p = std::log2(s.y[k - 1] / s.y[k]);
            return p < 0.1 ? Cell("none: it does not shrink") : Cell(std::round(1e3 * p) / 1e3);
        };
        orders.rows.push_back({way.name, order(t), order(e)});
        turn.series.push_back(std::move(t));
        energy.series.push_back(std::move(e));
    }
    const double x = 1.0 / 512;
    turn.lines = {{.name = "slope 1", .x = x, .y = 0.4 * turn.series[1].y[4], .slope = 1},
                  {.name = "slope 2", .x = x, .y = 0.4 * turn.series[0].y[4], .slope = 2}};
    energy.lines = {{.name = "slope 1", .x = x, .y = 0.3 * energy.series[1].y[4], .slope = 1},
                    {.name = "slope 2", .x = x, .y = 0.3 * energy.series[0].y[4], .slope = 2}};
    report.heading("Error against the step");
    report.paragraph(
        "Half the step: a method of second order makes a quarter of the error, one of first order half. The "
        "first-order update without the gyroscopic term keeps ω, and with it turns the body about one axis "
        "for "
        "ever: its error does not shrink at all, since it solves another problem.");
    report.add(std::move(orders));
    report.add(std::move(turn));
    report.add(std::move(energy));
}

void over_time(Report& report, const StudySettings& settings) {
    constexpr double h = 1.0 / 60, seconds = 30;
    Plot energy{.name = "energy",
                .title = "Kinetic energy of the tumbling box, h = 1/60 s",
                .x = {.label = "Time", .unit = "s"},
                .y = {.label = "Energy / energy at the start", .unit = ""},
                .lines = {{.name = "exact", .y = 1}}};
    Plot middle{.name = "spin",
                .title = "Spin about the middle axis, seen from the box, h = 1/60 s",
                .x = {.label = "Time", .unit = "s"},
                .y = {.label = "Spin", .unit = "rad/s"}};
    for (const Way& way : ways) {
        settings.now(fmt::format("{}, 30 s", way.name));
        Tumble tumble(h, way.method);
        const double before = tumble.world.energy().kinetic;
        Series e{.name = way.name, .draw = Draw::line}, s{.name = way.name, .draw = Draw::line};
        while (tumble.world.time() < seconds - 0.5 * h) {
            tumble.world.step();
            const Quat back = conjugate(tumble.world.pose(tumble.box).rotation);
            e.x.push_back(tumble.world.time());
            e.y.push_back(tumble.world.energy().kinetic / before);
            s.x.push_back(tumble.world.time());
            s.y.push_back(rotate(back, tumble.world.angular_velocity(tumble.box)).y);
        }
        energy.series.push_back(std::move(e));
        middle.series.push_back(std::move(s));
    }
    report.heading("Over time");
    report.paragraph(
        "A body that is spun about its middle axis flips over, again and again; no force acts, so its energy "
        "and "
        "its angular momentum stay. An implicit step damps the spin; without the gyroscopic term nothing "
        "flips.");
    report.add(std::move(middle));
    report.add(std::move(energy));
}

}  // namespace

Report study_rotation(const StudySettings& settings) {
    Report report = begin_report("Three ways to turn a rigid body", "plush study rotation");
    report.paragraph(
        "A box of 0.2 × 0.4 × 0.6 m and 1 kg, spun at 5 rad/s about its middle axis with a little spin about "
        "the "
        "two others, and left alone. Plush can advance its orientation in three ways.");
    against_step(report, settings);
    over_time(report, settings);
    return report;
}

}  // namespace plush::lab
