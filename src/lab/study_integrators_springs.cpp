#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bodies/topologies.hpp"
#include "lab/study_integrators.hpp"

// The integrators on springs: a pull along a rope, and energy of one spring and of a cloth.

namespace plush::lab {

using Method = IntegrationMethod;

namespace {

constexpr int rope_springs = 40;

/// The speed of every vertex of a rope after each step, while its first vertex is pulled along it.
std::vector<std::vector<double>> pull(Method method, double h, int steps) {
    SpringMaterial material;
    material.stretch = 100, material.bending = Bending::none, material.mass = 1;
    Result<DeformableModel> model = rope({0, 0, 0}, {1, 0, 0}, rope_springs, material);
    DeformableBody body(std::move(model.value()), {.integration = exactly(method)});
    const std::vector<Twist> nothing(body.node_count());
    std::vector<std::vector<double>> speeds;
    for (int i = 0; i < steps; ++i) {
        body.add_force(0, {-1, 0, 0});
        body.predict(h, {}, RotationMethod::momentum);
        body.correct(h, nothing);
        auto& row = speeds.emplace_back();
        for (const Vec3& v : body.velocities()) row.push_back(norm(v));
    }
    return speeds;
}

/// Springs that the pull has crossed: the last vertex that moves at all. The engine's rounding of a rope that
/// hangs still is far below.
int reached(const std::vector<double>& speeds) {
    int last = 0;
    for (std::size_t i = 0; i < speeds.size(); ++i)
        if (speeds[i] > 0) last = static_cast<int>(i);
    return last;
}

}  // namespace

void pull_on_a_rope(Report& report, const StudySettings& settings) {
    settings.now("a pull along a rope");
    // A spring of 100 N/(1/40) = 4 kN/m between masses of 1/40 kg.
    const double stiffness = 100.0 * rope_springs, mass = 1.0 / rope_springs;
    const double h = 1e-3;
    report.heading("A pull travels along a rope");
    report.paragraph(fmt::format(
        "A straight rope of 1 m and 1 kg lies free, {} springs of {:.0f} N/m in a row. Its first vertex is "
        "pulled with 1 N. In a real rope the news travels with the speed of sound, √(EA/μ) = 10 m/s: one "
        "spring in {:.1f} ms. In a simulation it travels as far as the rule lets it.",
        rope_springs, stiffness, 1e3 * std::sqrt(mass / stiffness)));
    report.paragraph("What is plotted.",
                     fmt::format("The speed of every vertex after 1, 4 and 16 steps of {} ms, "
                                 "on a log axis: a line ends where nothing moves at all.",
                                 1e3 * h));
    Plot plot{.name = "rope",
              .title = "Speed along the rope after 1, 4 and 16 steps",
              .x = {.label = "Springs from the pulled end", .low = 0, .high = rope_springs},
              .y = {.label = "Speed", .unit = "m/s", .scale = Scale::log, .low = 1e-14, .high = 1}};
    for (const Method method : {Method::semi_implicit_euler, Method::implicit_euler}) {
        const auto speeds = pull(method, h, 16);
        for (const int after : {1, 4, 16}) {
            Series series{
                .name = fmt::format("{}, {} step{}", word_of(method).name, after, after > 1 ? "s" : ""),
                .draw = Draw::both};
            const auto& row = speeds[static_cast<std::size_t>(after) - 1];
            for (std::size_t i = 0; i < row.size() && row[i] > 0; ++i) {
                series.x.push_back(static_cast<double>(i));
                series.y.push_back(row[i]);
            }
            plot.series.push_back(std::move(series));
        }
    }
    report.add(std::move(plot));
    Table table{.name = "rope_reach",
                .caption = "Springs that the pull has crossed",
                .columns = {"integrator", "after 1 step", "2 steps", "5 steps", "10 steps"},
                .rows = {}};
    for (const IntegratorWord& rule : integrator_words) {
        const auto speeds = pull(rule.method, h, 10);
        table.rows.push_back({rule.name});
        for (const std::size_t after : {1u, 2u, 5u, 10u})
            table.rows.back().push_back(static_cast<double>(reached(speeds[after - 1])));
    }
    report.add(std::move(table));
    report.paragraph(
        "What to notice.",
        "A force sees positions, and an explicit rule looks at each position once a step: the pull crosses "
        "one spring a step (semi-implicit Euler, Verlet, midpoint), one in two (explicit Euler, whose "
        "positions lag a step behind), or two (Runge-Kutta 4, which looks four times). Where the real wave "
        "is "
        "faster than that, the rule cannot be stable: h ≤ 2/ω says the same in other words. The equations "
        "of implicit Euler hold everywhere at once, so the whole rope feels the pull in the first step, "
        "weaker by a constant factor a spring. The wave is smeared out: that is its damping.");
}

namespace {

/// The energy of a spring at the middle and at the ends of what it was within each period.
struct PerPeriod {
    std::vector<double> time, last, low, high;
};

PerPeriod over_periods(Method method, int per_period, int periods) {
    const double h = 2 * std::numbers::pi / per_period;
    HeldSpring spring;
    const double before = spring.energy();
    PerPeriod found;
    for (int p = 0; p < periods; ++p) {
        double low = HUGE_VAL, high = 0;
        for (int i = 0; i < per_period; ++i) {
            spring.step(method, h);
            const double e = spring.energy() / before;
            low = std::min(low, e), high = std::max(high, e);
        }
        found.time.push_back(p + 1);
        found.last.push_back(spring.energy() / before);
        found.low.push_back(low), found.high.push_back(high);
    }
    return found;
}

void first_periods(Report& report, int per_period) {
    Plot plot{.name = "spring_energy_start",
              .title = "Energy in the first three periods",
              .x = {.label = "Time", .unit = "periods", .low = 0, .high = 3},
              .y = {.label = "Energy / energy at the start", .low = 0.9, .high = 1.1},
              .lines = {{.name = "exact", .y = 1}}};
    for (const IntegratorWord& rule : integrator_words) {
        if (rule.method == Method::time_corrected_verlet) continue;
        Series series = series_of(rule, Draw::line);
        HeldSpring spring;
        const double before = spring.energy();
        for (int i = 0; i <= 3 * per_period; ++i) {
            series.x.push_back(static_cast<double>(i) / per_period);
            series.y.push_back(spring.energy() / before);
            spring.step(rule.method, 2 * std::numbers::pi / per_period);
        }
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
}

void spring_factors(Report& report, double z) {
    Table table{.name = "spring_energy_factors",
                .caption = fmt::format("What a step with z = hω = {:.4f} does to the energy", z),
                .columns = {"integrator", "change a step, measured", "by formula", "formula", "verdict"},
                .rows = {}};
    const auto row = [&](Method method, const char* formula, const char* verdict) {
        const double factor = energy_factor(method, z);
        const int n = 10;
        const double measured = std::pow(spring_energies(method, z, n).back(), 1.0 / n) - 1;
        table.rows.push_back({word_of(method).name, measured, factor - 1, formula, verdict});
    };
    const auto bounded = [&](Method method, const char* formula) {
        const std::vector<double> e = spring_energies(method, z, 5000);
        const EnergyBounds bounds = energy_bounds(method, z);
        table.rows.push_back({word_of(method).name,
                              fmt::format("{:.6f} … {:.6f}", *std::min_element(e.begin(), e.end()),
                                          *std::max_element(e.begin(), e.end())),
                              fmt::format("{:.6f} … {:.6f}", bounds.low, bounds.high), formula, "bounded"});
    };
    row(Method::explicit_euler, "z²", "grows");
    bounded(Method::semi_implicit_euler, "1/(1 ± z/2)");
    row(Method::midpoint, "z⁴/4", "grows");
    row(Method::runge_kutta_4, "−z⁶/72 + z⁸/576", "decays");
    bounded(Method::verlet, "1 … 1 + ¾ z², and terms of z⁴");
    bounded(Method::time_corrected_verlet, "as Verlet, with equal steps");
    row(Method::implicit_euler, "−z²/(1 + z²)", "decays");
    report.add(std::move(table));
}

}  // namespace

void energy_of_a_spring(Report& report, const StudySettings& settings) {
    settings.now("energy of a spring");
    constexpr int per_period = 50, periods = 100;
    const double z = 2 * std::numbers::pi / per_period;
    report.heading("Energy of a single spring over 100 periods");
    report.formula("ẍ = −ω² x,   E = ½ m v² + ½ k x²,   ω² = k/m");
    report.paragraph(
        "A mass on an undamped spring keeps its energy. Integrators do three things with it: they let it "
        "grow, "
        "let it decay, or keep it within bounds. Which of the three is a property of the rule; how much, of "
        "z = hω.");
    report.paragraph(
        "What is plotted.",
        fmt::format("The energy at the end of each of 100 periods, {} steps a period (z = {:.4f}); "
                    "for bounded ones the shaded band shows all they do within a period. "
                    "Then the first three periods from near.",
                    per_period, z));
    Plot plot{.name = "spring_energy",
              .title = "Energy over 100 periods",
              .x = {.label = "Time", .unit = "periods", .low = 0, .high = periods},
              .y = {.label = "Energy / energy at the start", .scale = Scale::log, .low = 0.1, .high = 10},
              .lines = {{.name = "exact", .y = 1}}};
    for (const IntegratorWord& rule : integrator_words) {
        if (rule.method == Method::time_corrected_verlet) continue;
        PerPeriod found = over_periods(rule.method, per_period, periods);
        Series series = series_of(rule, Draw::both);
        series.x = std::move(found.time), series.y = std::move(found.last);
        series.low = std::move(found.low), series.high = std::move(found.high);
        report.figure(fmt::format("spring_energy_after_100_{}",
                                  integration_method_words()[static_cast<std::size_t>(rule.method)].word),
                      series.y.back());
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
    first_periods(report, per_period);
    report.paragraph(
        "What to notice.",
        "Explicit Euler has left the picture after four periods, and implicit Euler, its mirror image, has "
        "lost as much. Midpoint is of second order and still gains 36 % in 100 periods. Runge-Kutta 4 loses "
        "0.03 %. Semi-implicit Euler is as wrong as explicit Euler at any moment, ±6 %, but its error comes "
        "back to where it was every half period: after a million periods it is the same. That is what "
        "symplectic buys. Verlet has that and a second order besides.");
    spring_factors(report, z);
}

namespace {

constexpr int cloth_side = 16;
constexpr double cloth_damping = 0;

DeformableBody hung_cloth(Method method) {
    SpringMaterial material;
    material.stretch = 100, material.shear = 50, material.bend = 1, material.mass = 0.2;
    material.damping = cloth_damping;
    Result<DeformableModel> model = cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, cloth_side, cloth_side, material);
    DeformableBody body(std::move(model.value()), {.integration = exactly(method)});
    body.pin(0), body.pin(cloth_side - 1);
    return body;
}

}  // namespace

void energy_of_a_cloth(Report& report, const StudySettings& settings) {
    constexpr double h = 1e-3, seconds = 4, g = 9.81;
    report.heading("Energy of a cloth");
    report.paragraph(fmt::format(
        "A cloth of 1 m² and 0.2 kg, {0} × {0} vertices, held at two corners, begins flat and level and "
        "swings "
        "down. Nothing damps it: kinetic, elastic and gravitational energy together stay what they are.",
        cloth_side));
    report.paragraph(
        "What is plotted.",
        fmt::format("The change of the total energy in parts of m g · 1 m, over {} s with h = {} ms. "
                    "The axis is cut at ±1.",
                    seconds, 1e3 * h));
    Plot plot{.name = "cloth_energy",
              .title = "Total energy of a swinging cloth",
              .x = {.label = "Time", .unit = "s", .low = 0, .high = seconds},
              .y = {.label = "Change / (m g · 1 m)", .low = -1, .high = 1},
              .lines = {{.name = "exact", .y = 0}}};
    Table table{.name = "cloth_energy_worst",
                .caption = "The largest change of energy in 4 s, in parts of m g · 1 m",
                .columns = {"integrator", "largest change"},
                .rows = {}};
    for (const IntegratorWord& rule : integrator_words) {
        if (rule.method == Method::time_corrected_verlet) continue;
        settings.now(fmt::format("a cloth with {}", rule.name));
        DeformableBody body = hung_cloth(rule.method);
        const Vec3 gravity{0, -g, 0};
        const auto energy = [&] { return body.kinetic_energy() + body.potential_energy(gravity); };
        const std::vector<Twist> nothing(body.node_count());
        const double before = energy(), scale = body.mass() * g;
        Series series = series_of(rule, Draw::line);
        double worst = 0;
        const int steps = static_cast<int>(std::lround(seconds / h));
        for (int i = 1; i <= steps && std::isfinite(worst) && worst < 100; ++i) {
            body.predict(h, gravity, RotationMethod::momentum);
            body.correct(h, nothing);
            const double change = (energy() - before) / scale;
            worst = std::max(worst, std::abs(change));
            if (i % 10 && worst < 1) continue;
            series.x.push_back(i * h), series.y.push_back(change);
        }
        table.rows.push_back({rule.name, worst < 100 ? Cell(worst) : Cell("explodes")});
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
    report.paragraph(
        "What to notice.",
        "A cloth is a few hundred springs with as many frequencies, and each rule does to it what it did to "
        "one. What is bounded for one spring stays bounded here. The decay of implicit Euler "
        "looks like air that is not there: it takes the swing away within seconds, the fast motions first.");
    report.add(std::move(table));
}

}  // namespace plush::lab
