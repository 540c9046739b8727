#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bodies/deformable/topologies.hpp"
#include "lab/studies/study_integrators.hpp"

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
    const double h = 2e-3;  // a little below the limit of semi-implicit Euler, 2.5 ms
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
    for (const Method method : {Method::semi_implicit_euler, Method::implicit_euler}) {
        Plot plot{.name = fmt::format("rope_{}", key_of(method)),
                  .title = word_of(method).name,
                  .x = {.label = "Springs from the pulled end", .low = 0, .high = rope_springs},
                  .y = {.label = "Speed", .unit = "m/s", .scale = Scale::log, .low = 1e-12, .high = 1},
                  .columns = 2};
        const auto speeds = pull(method, h, 16);
        for (const int after : {1, 4, 16}) {
            Series series{.name = fmt::format("{} step{}", after, after > 1 ? "s" : ""), .draw = Draw::both};
            const auto& row = speeds[static_cast<std::size_t>(after) - 1];
            for (std::size_t i = 0; i < row.size() && row[i] > 0; ++i) {
                series.x.push_back(static_cast<double>(i));
                series.y.push_back(row[i]);
            }
            plot.series.push_back(std::move(series));
        }
        report.add(std::move(plot));
    }
    Table table{.name = "rope_reach",
                .caption = "Springs that the pull has crossed",
                .columns = {"integrator", "after 1 step", "2 steps", "3 steps", "5 steps"},
                .rows = {}};
    for (const IntegratorWord& rule : integrator_choices) {
        const auto speeds = pull(rule.method, h, 5);
        table.rows.push_back({rule.name});
        for (const std::size_t after : {1u, 2u, 3u, 5u})
            table.rows.back().push_back(static_cast<double>(reached(speeds[after - 1])));
    }
    report.add(std::move(table));
    report.paragraph(
        "What to notice.",
        "The first step moves the pulled vertex alone. A force sees positions, and an explicit rule looks at "
        "each position once a step: from then on the pull crosses "
        "one spring a step (semi-implicit Euler, Verlet, midpoint), one in two (explicit Euler, whose "
        "positions lag a step behind), or two (Runge-Kutta 4, which looks four times). Where the real wave "
        "is "
        "faster than that, the rule cannot be stable: h ≤ 2/ω says the same in other words. The equations "
        "of implicit Euler hold everywhere at once, so the whole rope feels the pull in the first step, "
        "weaker by a constant factor a spring. The wave is smeared out: that is its damping.");
}

namespace {

/// The energy of a spring at the end of each period, and the least and the most within it.
struct PerPeriod {
    std::vector<double> time, last, low, high;
};

PerPeriod over_periods(Method method, int per_period, int periods) {
    const double h = 2 * std::numbers::pi / per_period;
    HeldSpring spring;
    const double before = spring.energy();
    PerPeriod found{{0}, {1}, {1}, {1}};
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
    for (const IntegratorWord& rule : integrator_choices) {
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
              .y = {.label = "Energy / energy at the start", .low = 0.5, .high = 1.5},
              .lines = {{.name = "exact", .y = 1}}};
    for (const IntegratorWord& rule : integrator_choices) {
        if (rule.method == Method::time_corrected_verlet) continue;
        PerPeriod found = over_periods(rule.method, per_period, periods);
        Series series = series_of(rule, Draw::line);
        series.x = std::move(found.time), series.y = std::move(found.last);
        series.low = std::move(found.low), series.high = std::move(found.high);
        report.figure(fmt::format("spring_energy_after_100_{}", key_of(rule.method)), series.y.back());
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
    first_periods(report, per_period);
    report.paragraph(
        "What to notice.",
        "Explicit Euler doubles its energy in every period, and implicit Euler, its mirror image, halves it. "
        "Midpoint is of second order and still gains 37 % in 100 periods. Runge-Kutta 4 loses "
        "0.03 %. Semi-implicit Euler is as wrong as explicit Euler at any moment, by up to 7 %, but its "
        "error comes "
        "back to where it was every half period: after a million periods it is the same. That is what "
        "symplectic buys. (Its period is off by z²/24, so that the ends of periods drift across the band.) "
        "Verlet has that and a second order besides.");
    spring_factors(report, z);
}

namespace {

constexpr int cloth_side = 12;

DeformableBody hung_cloth(Method method) {
    SpringMaterial material;
    material.stretch = 40, material.shear = 20, material.bend = 0.2, material.mass = 0.2;
    Result<DeformableModel> model = cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, cloth_side, cloth_side, material);
    IntegrationSettings integration = exactly(method);
    integration.tolerance = 1e-8;  // of the linear systems: far below what the rule itself loses
    DeformableBody body(std::move(model.value()), {.integration = integration});
    body.pin(0), body.pin(cloth_side - 1);
    return body;
}

/// The change of energy in parts of m g · 1 m, until it is past all bounds.
Series cloth_energy(const IntegratorWord& rule, double h, double seconds, double& worst) {
    const Vec3 gravity{0, -9.81, 0};
    constexpr double all_bounds = 100;
    DeformableBody body = hung_cloth(rule.method);
    const auto energy = [&] { return body.kinetic_energy() + body.potential_energy(gravity); };
    const std::vector<Twist> nothing(body.node_count());
    const double before = energy(), scale = body.mass() * norm(gravity);
    Series series = series_of(rule, Draw::line);
    series.x = {0}, series.y = {0};
    const int steps = static_cast<int>(std::lround(seconds / h)), every = std::max(1, steps / 400);
    worst = 0;
    for (int i = 1; i <= steps && worst < all_bounds; ++i) {
        body.predict(h, gravity, RotationMethod::momentum);
        body.correct(h, nothing);
        const double change = (energy() - before) / scale;
        worst = std::isfinite(change) ? std::max(worst, std::abs(change)) : HUGE_VAL;
        if (i % every && std::abs(change) < 0.1) continue;
        series.x.push_back(i * h), series.y.push_back(change);
    }
    if (worst >= all_bounds) worst = HUGE_VAL;
    return series;
}

}  // namespace

void energy_of_a_cloth(Report& report, const StudySettings& settings) {
    constexpr double h = 4e-4, long_step = 1.0 / 60, seconds = 4;
    report.heading("Energy of a cloth");
    report.paragraph(fmt::format(
        "A cloth of 1 m² and 0.2 kg, {0} × {0} vertices, held at two corners, begins flat and level and "
        "swings "
        "down. Nothing damps it: kinetic, elastic and gravitational energy together stay what they are.",
        cloth_side));
    report.paragraph(
        "What is plotted.",
        fmt::format(
            "The change of the total energy in parts of m g · 1 m, over {} s with h = {} ms, which the "
            "engine's limit allows semi-implicit Euler and Verlet; implicit Euler also with 1/60 s.",
            seconds, 1e3 * h));
    Plot plot{.name = "cloth_energy",
              .title = "Total energy of a swinging cloth",
              .x = {.label = "Time", .unit = "s", .low = 0, .high = seconds},
              .y = {.label = "Change / (m g · 1 m)", .low = -0.6, .high = 0.2},
              .lines = {{.name = "exact", .y = 0}}};
    Table table{.name = "cloth_energy_worst",
                .caption = "The largest change of energy in 4 s, in parts of m g · 1 m",
                .columns = {"integrator", "largest change"},
                .rows = {},
                .digits = 3};
    const auto add = [&](const IntegratorWord& rule, double step) {
        settings.now(fmt::format("a cloth with {}", rule.name));
        double worst = 0;
        Series series = cloth_energy(rule, step, seconds, worst);
        if (step != h) series.name += ", h = 1/60 s", series.style = 8;
        table.rows.push_back({series.name, std::isfinite(worst) ? Cell(worst) : Cell("explodes")});
        plot.series.push_back(std::move(series));
    };
    for (const IntegratorWord& rule : integrator_choices)
        if (rule.method != Method::time_corrected_verlet) add(rule, h);
    add(word_of(Method::implicit_euler), long_step);
    report.add(std::move(plot));
    report.paragraph(
        "What to notice.",
        "A cloth is hundreds of springs with as many frequencies, and each rule does to it what it did to "
        "one. What grew grows fastest at the highest frequency: explicit Euler and midpoint explode, at a "
        "step "
        "that suits the others. What was bounded stays bounded. What decayed looks like air that is not "
        "there: "
        "with steps of 1/60 s implicit Euler takes the swing away, the fast motions first.");
    report.add(std::move(table));
}

}  // namespace plush::lab
