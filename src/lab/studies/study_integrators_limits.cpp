#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "bodies/deformable/topologies.hpp"
#include "lab/studies/study_integrators.hpp"
#include "plush/core/random.hpp"

// Orders of convergence, stability limits, and what a step costs.

namespace plush::lab {

using Method = IntegrationMethod;

void orders(Report& report, const StudySettings& settings) {
    report.heading("Order of convergence");
    report.formula("error ≈ C hᵖ,   so   log error ≈ log C + p log h");
    report.paragraph(
        "Two points of 1 kg hang one below the other on springs of 40 N/m and 1 m and are let go aside, "
        "under "
        "gravity: a double pendulum, smooth but far from linear. The reference is Runge-Kutta 4 with 2¹⁸ "
        "steps in 1 s.");
    report.paragraph(
        "What is plotted.",
        "The error of all positions and velocities after 1 s against the step. Time-corrected Verlet "
        "takes steps of 1.5, 0.5, 1.2 and 0.8 times the mean, again and again, and so does plain "
        "Verlet once more for comparison. The order p is the slope, by least squares on the four "
        "smallest steps whose error is above rounding.");
    Plot plot{.name = "convergence",
              .title = "Error after 1 s",
              .x = {.label = "Step h", .unit = "s", .scale = Scale::log},
              .y = {.label = "Error", .scale = Scale::log, .low = 1e-13, .high = 10}};
    Plot work{.name = "work",
              .title = "What accuracy costs",
              .x = {.label = "Evaluations of the forces", .scale = Scale::log},
              .y = {.label = "Error", .scale = Scale::log, .low = 1e-13, .high = 10},
              .caption =
                  "The same errors against the work of an explicit rule. Implicit Euler is left out: it "
                  "solves linear systems instead."};
    Table table{.name = "orders",
                .caption = "Order p: expected within 0.1, and measured",
                .columns = {"integrator", "expected", "measured", "error at h = 1/1024 s"},
                .rows = {},
                .digits = 4};
    const auto add = [&](const IntegratorWord& rule, bool changing, Cell expected) {
        settings.now(fmt::format("order of {}", rule.name));
        Convergence found = measure_convergence(rule.method, changing);
        Series series = series_of(rule, Draw::both);
        if (changing) series.name += ", changing h";
        if (changing && rule.method == Method::verlet) series.style = 11;
        series.x = found.steps, series.y = found.errors;
        table.rows.push_back({series.name, std::move(expected), found.order, found.errors[4]});
        if (!changing || rule.method != Method::verlet)
            report.figure(fmt::format("order_{}", key_of(rule.method)), found.order);
        if (rule.method != Method::implicit_euler && series.style < 7u) {
            work.series.push_back(series);
            for (double& x : work.series.back().x) x = rule.forces / x;
        }
        plot.series.push_back(std::move(series));
    };
    for (const IntegratorWord& rule : integrator_choices)
        add(rule, rule.method == Method::time_corrected_verlet, static_cast<double>(rule.order));
    add(word_of(Method::verlet), true, "none");
    const double at = 1.0 / 1024;
    plot.lines = {{.name = "slope 1", .x = at, .y = 0.3 * plot.series[1].y[4], .slope = 1},
                  {.name = "slope 2", .x = at, .y = 0.3 * plot.series[4].y[4], .slope = 2},
                  {.name = "slope 4", .x = at, .y = 0.3 * plot.series[3].y[4], .slope = 4}};
    report.add(std::move(plot));
    report.add(std::move(table));
    report.paragraph(
        "What to notice.",
        "Half the step makes half the error, a quarter, or a sixteenth. Runge-Kutta 4 falls until rounding "
        "stops it. Plain Verlet takes (x − x₋)/h₋ for its velocity and believes that both steps were equal: "
        "when they are not it does not converge to anything, and the time-corrected rule costs "
        "nothing more.");
    report.add(std::move(work));
}

namespace {

/// Whether a free spring with ω = 1/s and this damping stays within bounds at this step.
bool stays(Method method, double damping, double h) {
    FreeSpring spring;
    spring.system.set_damping(damping);
    // Small, so that it is linear: growth by the factor below is still far from the rest length.
    spring.state.x = {{-0.5 - 1e-6, 0, 0}, {0.5 + 1e-6, 0, 0}};
    const double before = spring.energy();
    // Undamped: just below the limit the energy is bounded but large. Damped: it ends below where it began.
    const double allowed = damping > 0 ? 1 : 1e6;
    constexpr int steps = 20000;
    for (int i = 0; i < steps; ++i) {
        spring.step(method, h);
        if (!(spring.energy() <= 1e8 * before)) return false;
    }
    return spring.energy() <= allowed * before;
}

template <class F>
double bisect(double low, double high, int times, F&& holds) {
    for (int i = 0; i < times; ++i) {
        const double middle = 0.5 * (low + high);
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

DeformableBody flat_cloth(Method method, int side, double damping) {
    SpringMaterial material;
    material.stretch = 100, material.shear = 50, material.bend = 1, material.mass = 0.2;
    Result<DeformableModel> model = cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, side, side, material);
    IntegrationSettings integration;
    integration.method = method, integration.policy = StepPolicy::accept;
    return {std::move(model.value()), {.integration = integration, .damping = damping}};
}

void advance(DeformableBody& body, double h, std::span<const Twist> nothing) {
    body.predict(h, {}, RotationMethod::momentum);
    body.correct(h, nothing);
}

/// Whether a flat cloth that trembles by a micrometre stays within bounds.
bool cloth_stays(Method method, double h) {
    constexpr int side = 12, steps = 1500;
    DeformableBody body = flat_cloth(method, side, 0);
    Random random(1);
    for (std::uint32_t i = 0; i < body.node_count(); ++i)
        body.set_vertex(i, body.positions()[i],
                        1e-4 * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
    const std::vector<Twist> nothing(body.node_count());
    const double before = body.kinetic_energy();
    for (int i = 0; i < steps; ++i) {
        advance(body, h, nothing);
        if (!(body.kinetic_energy() <= 1e4 * before)) return false;
    }
    return true;
}

void spring_limits(Report& report, const StudySettings& settings) {
    Table table{.name = "stability",
                .caption = "One spring: the largest stable hω, undamped and with a damping of c = ω",
                .columns = {"integrator", "undamped: found", "predicted", "damped: found", "predicted"},
                .rows = {},
                .digits = 5};
    for (const IntegratorWord& rule : integrator_choices) {
        settings.now(fmt::format("stability of {}", rule.name));
        if (rule.method == Method::implicit_euler) {
            const bool all = stays(rule.method, 0, 1000) && stays(rule.method, 1, 1000);
            table.rows.push_back({rule.name, all ? "no limit up to 1000" : "unstable at 1000", "no limit",
                                  all ? "no limit up to 1000" : "unstable at 1000", "no limit"});
            continue;
        }
        const double undamped = largest_stable_step(rule.method, ModeBounds{1, 0, 0});
        const double damped = largest_stable_step(rule.method, ModeBounds{1, 1, 1});
        table.rows.push_back({rule.name});
        auto& row = table.rows.back();
        if (undamped > 0)
            row.push_back(bisect(0.5, 4, 40, [&](double h) { return stays(rule.method, 0, h); }));
        else
            row.push_back(energy_factor(rule.method, 0.01) > 1 &&
                                  spring_energies(rule.method, 0.01, 1000).back() > 1
                              ? "none: grows at 0.01"
                              : "stable at 0.01");
        row.push_back(undamped > 0 ? Cell(undamped) : Cell("none"));
        row.push_back(bisect(0.1, 4, 40, [&](double h) { return stays(rule.method, 1, h); }));
        row.push_back(damped);
    }
    report.add(std::move(table));
}

void cloth_limits(Report& report, const StudySettings& settings) {
    Table table{.name = "cloth_stability",
                .caption = "A cloth of 12 × 12 vertices, undamped: the largest stable step",
                .columns = {"integrator", "found (ms)", "promised by the engine (ms)", "promised / found"},
                .rows = {},
                .digits = 3};
    for (const Method method : {Method::semi_implicit_euler, Method::runge_kutta_4, Method::verlet}) {
        settings.now(fmt::format("stability of a cloth with {}", word_of(method).name));
        const double promised = flat_cloth(method, 12, 0).largest_stable_step();
        const double found =
            bisect(0.5 * promised, 4 * promised, 11, [&](double h) { return cloth_stays(method, h); });
        table.rows.push_back({word_of(method).name, 1e3 * found, 1e3 * promised, promised / found});
    }
    report.add(std::move(table));
}

}  // namespace

void stability_limits(Report& report, const StudySettings& settings) {
    report.heading("Stability limits, found and predicted");
    report.formula("ẍ + c ẋ + ω² x = 0");
    report.paragraph(
        "What the engine asks before each explicit step is how large it may be. For one motion with "
        "frequency "
        "ω and damping c the answer is a formula (src/bodies/integrators/stable_step.cpp): undamped, 2/ω for "
        "semi-implicit Euler "
        "and "
        "Verlet, about 2.8/ω for Runge-Kutta 4, none for explicit Euler and midpoint.");
    report.paragraph(
        "What is measured.",
        "A spring is stepped 20 000 times; bisection finds the step at which it begins to grow. Beside "
        "it stands the engine's prediction for the same ω and c, before the 5 % that it keeps in "
        "reserve.");
    spring_limits(report, settings);
    report.paragraph(
        "What to notice.",
        "Damping gives explicit Euler and midpoint a limit and costs the others a part of theirs: "
        "Verlet's most, which learns of the velocity half a step late. For Runge-Kutta 4 the engine promises "
        "a "
        "half-disc of radius 2.61, which holds at any damping; undamped it could go to 2√2.");
    cloth_limits(report, settings);
    report.paragraph(
        "For a cloth nobody knows ω. The engine bounds it by the row sums of the stiffness (Gershgorin): "
        "safe, "
        "quick to compute, and on the careful side by the factor in the last column.");
}

void cost(Report& report, const StudySettings& settings) {
    constexpr int side = 48, batch = 3;
    constexpr double damping = 1, frame = 1.0 / 60;  // 1/s, s
    report.heading("What a step costs");
    const auto clock = [] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };
    // Structural, shear and bending springs of the grid.
    constexpr int springs = 2 * side * (side - 1) + 2 * (side - 1) * (side - 1) + 2 * side * (side - 2);
    report.paragraph(
        fmt::format("A cloth of {0} × {0} vertices and {1} springs with a damping of {2}/s, trembling, on "
                    "one thread of the "
                    "machine that is named above. Explicit rules take the largest step that the engine "
                    "promises; implicit "
                    "Euler takes 1/60 s. The best of several batches of {3} steps.",
                    side, springs, damping, batch));
    Table table{
        .name = "cost",
        .caption = "Cost of a step, and of a simulated second",
        .columns = {"integrator", "step (ms)", "a step, per spring (ns)", "a simulated second takes (s)"},
        .rows = {},
        .digits = 3};
    Plot plot{.name = "cost_per_spring",
              .title = "Time of a step, per spring",
              .x = {.label = "Time", .unit = "ns", .scale = Scale::log},
              .y = {.label = "integrator"}};
    Series bars{.name = "ns", .draw = Draw::bars};
    for (const IntegratorWord& rule : integrator_choices) {
        settings.now(fmt::format("cost of {}", rule.name));
        DeformableBody body = flat_cloth(rule.method, side, damping);
        const double stable = body.largest_stable_step(), h = std::min(stable, frame);
        Random random(1);
        for (std::uint32_t i = 0; i < body.node_count(); ++i)
            body.set_vertex(i, body.positions()[i],
                            0.1 * Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)});
        const std::vector<Twist> nothing(body.node_count());
        double best = HUGE_VAL;
        const int batches = rule.method == Method::implicit_euler ? 4 : 40;  // its steps are dear
        for (int b = 0; b < batches; ++b) {
            const double begin = clock();
            for (int i = 0; i < batch; ++i) advance(body, h, nothing);
            best = std::min(best, (clock() - begin) / batch);
        }
        table.rows.push_back({rule.name, 1e3 * h, 1e9 * best / springs, best / h});
        plot.categories.push_back(rule.name);
        bars.y.push_back(1e9 * best / springs);
    }
    plot.series = {std::move(bars)};
    report.add(std::move(plot));
    report.add(std::move(table));
    report.paragraph(
        "What to notice.",
        "An explicit step costs its evaluations of the forces and little else. An implicit one costs tens of "
        "them, the matrix and the conjugate gradients; but one step of it covers many. Which is cheaper "
        "depends "
        "on the stiffness: twice as stiff costs an explicit rule √2 times as many steps, and the implicit "
        "one a "
        "few more iterations. The small print of the other sections holds: what implicit Euler saves it pays "
        "for with damping, and what explicit Euler saves with everything else.");
}

}  // namespace plush::lab
