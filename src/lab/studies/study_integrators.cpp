#include "lab/studies/study_integrators.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

// Seven integrators on equations that are known by heart: the circle, the decay, and what a single step does.
// All numbers come from the engine's own Integrator.

namespace plush::lab {

using Method = IntegrationMethod;

void circle_field(Report& report, const StudySettings& settings) {
    settings.now("the circle field");
    constexpr int per_turn = 16, turns = 2;
    const double h = 2 * std::numbers::pi / per_turn;
    report.heading("The circle field");
    report.formula("ẋ₁ = −x₂,   ẋ₂ = x₁");
    report.paragraph(
        "Every arrow stands at a right angle to its radius, so every solution is a circle, and |x| stays "
        "what it is. It is also the simplest spring: with 1 kg on 1 N/m, x₁ is the velocity and x₂ the "
        "stretch, and |x|²/2 is the energy. Semi-implicit Euler and Verlet need that reading, because they "
        "treat the two in turn; the others would do the same with any field.");
    report.paragraph(
        "What is plotted.",
        fmt::format("Two turns from (0, 1) with {} steps a turn, h = {:.4f} s. Thin and grey: the solution. "
                    "Arrows: the field.",
                    per_turn, h));
    Table radii{.name = "circle_radius",
                .caption = "Radius after two turns; 1 is right",
                .columns = {"integrator", "measured", "by formula", "formula"},
                .rows = {}};
    const auto formula = [](Method m) -> const char* {
        switch (m) {
            case Method::explicit_euler:
                return "(1 + h²)^(n/2)";
            case Method::midpoint:
                return "(1 + h⁴/4)^(n/2)";
            case Method::runge_kutta_4:
                return "(1 − h⁶/72 + h⁸/576)^(n/2)";
            case Method::implicit_euler:
                return "(1 + h²)^(−n/2)";
            default:
                return "bounded: an ellipse";
        }
    };
    for (const IntegratorWord& rule : integrator_choices) {
        // With equal steps it is Verlet.
        if (rule.method == Method::time_corrected_verlet) continue;
        Plot plot{.name = fmt::format("circle_{}", key_of(rule.method)),
                  .title = rule.name,
                  .x = {.label = "x₁", .low = -2, .high = 2},
                  .y = {.label = "x₂", .low = -2, .high = 2},
                  .equal = true,
                  .columns = 3,
                  .legend = false};
        for (int i = -2; i <= 2; ++i)
            for (int j = -2; j <= 2; ++j) plot.arrows.push_back({0.8 * i, 0.8 * j, -0.8 * j, 0.8 * i});
        Series exact{.name = "exact", .draw = Draw::line, .reference = true};
        for (int i = 0; i <= 120; ++i) {
            exact.x.push_back(std::sin(2 * std::numbers::pi * i / 120));
            exact.y.push_back(std::cos(2 * std::numbers::pi * i / 120));
        }
        Series path = series_of(rule, Draw::both);
        HeldSpring spring;
        const auto add = [&] { path.x.push_back(spring.v()), path.y.push_back(spring.x()); };
        add();
        for (int i = 0; i < turns * per_turn; ++i) spring.step(rule.method, h), add();
        const double factor = energy_factor(rule.method, h);
        radii.rows.push_back({rule.name, std::hypot(spring.x(), spring.v()),
                              factor == 1 ? Cell("") : Cell(std::pow(factor, 0.5 * turns * per_turn)),
                              formula(rule.method)});
        plot.series = {std::move(exact), std::move(path)};
        report.add(std::move(plot));
    }
    report.paragraph(
        "What to notice.",
        "Explicit Euler follows the tangent, which leaves every circle on the outside: it spirals out, and "
        "no step is small enough to stop it (half the step, half the growth in a turn). Implicit Euler "
        "spirals in by the same factor. Midpoint "
        "still spirals out, by h⁴/8 a step; Runge-Kutta 4 spirals in, by h⁶/144, which no eye sees. "
        "Semi-implicit Euler makes the same first-order error as explicit Euler at the same price, but its "
        "points lie on a closed ellipse, for ever. So do Verlet's, on one closer to the circle.");
    report.add(std::move(radii));
}

namespace {

Series decay_series(const IntegratorWord& rule, double k, double h, int steps) {
    Series series = series_of(rule, Draw::both);
    Decay system(k);
    MotionState state;
    state.x.resize(1), state.v = {{1, 0, 0}};
    Integrator integrator;
    for (int i = 0; i <= steps; ++i) {
        series.x.push_back(state.t * k);
        series.y.push_back(state.v[0].x);
        integrator.step(system, state, h, exactly(rule.method));
    }
    return series;
}

Series exponential(double end, int parts = 100) {
    Series exact{.name = "exact", .draw = Draw::line, .reference = true};
    for (int i = 0; i <= parts; ++i) {
        exact.x.push_back(end * i / parts);
        exact.y.push_back(std::exp(-exact.x.back()));
    }
    return exact;
}

/// The rules that apply to a first-order equation: Verlet's have no velocity but only positions to remember,
/// and semi-implicit Euler does what explicit Euler does.
constexpr std::array first_order_rules{Method::explicit_euler, Method::midpoint, Method::runge_kutta_4,
                                       Method::implicit_euler};

double decay_factor(Method method, double z) {
    return decay_series(word_of(method), 1, z, 1).y[1];
}

void amplification(Report& report) {
    Plot plot{.name = "decay_factor",
              .title = "By how much one step multiplies x",
              .x = {.label = "h k"},
              .y = {.label = "Factor R(−h k)", .low = -2, .high = 2},
              .lines = {{.name = "R = 1", .y = 1}, {.name = "R = −1", .y = -1}},
              .caption =
                  "From one step of the engine at each h k. The step is stable where the curve is "
                  "between −1 and 1; without oscillation where it is above 0."};
    for (const Method method : first_order_rules) {
        Series series = series_of(word_of(method), Draw::line);
        for (int i = 1; i <= 160; ++i) {
            series.x.push_back(0.025 * i);
            series.y.push_back(decay_factor(method, series.x.back()));
        }
        plot.series.push_back(std::move(series));
    }
    plot.series.push_back(exponential(4));
    report.add(std::move(plot));
    Table limits{.name = "decay_limits",
                 .caption = "Largest stable h k of ẋ = −k x: where |R| passes 1, by bisection",
                 .columns = {"integrator", "found", "expected", "R(z), z = −h k"},
                 .rows = {}};
    constexpr std::array expected{2.0, 2.0, 2.785293563405282, HUGE_VAL};
    constexpr std::array formula{"1 + z", "1 + z + z²/2", "1 + z + z²/2 + z³/6 + z⁴/24", "1/(1 − z)"};
    for (std::size_t r = 0; r < first_order_rules.size(); ++r) {
        const Method method = first_order_rules[r];
        double low = 0.1, high = 1000;
        const bool always = std::abs(decay_factor(method, high)) <= 1;
        for (int i = 0; i < 60 && !always; ++i) {
            const double middle = 0.5 * (low + high);
            (std::abs(decay_factor(method, middle)) <= 1 ? low : high) = middle;
        }
        limits.rows.push_back({word_of(method).name, always ? Cell("none up to 1000") : Cell(low),
                               always ? Cell("none") : Cell(expected[r]), formula[r]});
    }
    report.add(std::move(limits));
}

}  // namespace

void decay(Report& report, const StudySettings& settings) {
    settings.now("decay");
    report.heading("ẋ = −k x across the stability limit");
    report.formula(
        "exact:  x(t) = x₀ e^(−k t)\nexplicit Euler:  x′ = (1 − h k) x\nimplicit Euler:  x′ = x / (1 + h k)");
    report.paragraph(
        "Nothing is more stable than this equation: all solutions die out. Whether those of an integrator do "
        "depends on h k alone. Large k makes an equation stiff: the step has to be small for the sake of "
        "stability although the solution has long become dull.");
    report.paragraph("What is plotted.",
                     "The same decay with four steps h, below and above the limits 1/k and 2/k of explicit "
                     "Euler.");
    constexpr double k = 1;
    for (const double z : {0.5, 1.5, 2.0, 2.5}) {
        Plot plot{.name = fmt::format("decay_{}", static_cast<int>(std::lround(100 * z))),
                  .title = fmt::format("h = {}/k", z),
                  .x = {.label = "k t", .low = 0, .high = 10},
                  .y = {.label = "x / x₀", .low = -3, .high = 3},
                  .columns = 2};
        plot.series = {decay_series(word_of(Method::explicit_euler), k, z, static_cast<int>(10 / z)),
                       decay_series(word_of(Method::implicit_euler), k, z, static_cast<int>(10 / z)),
                       exponential(10)};
        report.add(std::move(plot));
    }
    report.paragraph(
        "What to notice.",
        "Up to h = 1/k explicit Euler comes down on one side. Up to 2/k it jumps across 0 at every step but "
        "still arrives. At 2/k it jumps back and forth for ever, beyond that it explodes. Implicit Euler "
        "arrives at any step: it cannot explode, which does not make it accurate. Verlet's rules are not "
        "shown: they remember two positions and no velocity, and apply to second-order equations only; "
        "semi-implicit Euler is explicit Euler here.");
    report.paragraph(
        "Other rules.",
        "Each multiplies x by a number R that depends on h k alone: a polynomial for explicit rules, which "
        "must leave the strip between −1 and 1 somewhere, and a fraction for the implicit one, which need "
        "not. "
        "The better a rule, the longer it follows e^(−h k) before it leaves.");
    amplification(report);
}

// How an explicit and an implicit step reach for the solution of ẋ = −x.
void how_steps_reach(Report& report, const StudySettings& settings) {
    settings.now("how steps reach");
    constexpr double h = 1.4;
    constexpr int steps = 2;
    report.heading("How a step reaches for the solution");
    report.formula("explicit:  x′ = x + h f(x)         implicit:  x′ = x + h f(x′)");
    report.paragraph(
        "Both steps are straight lines. An explicit step takes the slope where it stands. An implicit step "
        "looks for the point whose own slope, followed backwards, leads to where it stands: it asks the "
        "slope of where it arrives.");
    Plot plot{.name = "reach",
              .title = fmt::format("Two steps of ẋ = −x with h = {}", h),
              .x = {.label = "t", .low = 0, .high = 3},
              .y = {.label = "x", .low = -0.6, .high = 1.2},
              .caption =
                  "Grey: the solution from 1, and the solutions through the points where the implicit "
                  "steps arrive. Arrows: the slope −x everywhere."};
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 12; ++j) {
            const double t = 0.075 + 0.15 * i, x = -0.525 + 0.15 * j;
            plot.arrows.push_back({t, x, 1, -x});
        }
    for (const Method method : {Method::explicit_euler, Method::implicit_euler})
        plot.series.push_back(decay_series(word_of(method), 1, h, steps));
    plot.series.push_back(exponential(3));
    Series others{.name = "other solutions", .draw = Draw::line, .reference = true};
    const Series implicit = plot.series[1];
    for (std::size_t s = 1; s <= steps; ++s) {
        for (int i = 0; i <= 60; ++i) {
            const double t = 0.05 * i;
            others.x.push_back(t);
            others.y.push_back(implicit.y[s] * std::exp(implicit.x[s] - t));
        }
        others.x.push_back(std::nan("")), others.y.push_back(std::nan(""));
    }
    plot.series.push_back(std::move(others));
    report.add(std::move(plot));
    report.paragraph("What to notice.",
                     "The explicit step leaves along the tangent of the curve that it is on, and overshoots "
                     "where the curve flattens: past 0, where the solution never goes. The implicit step "
                     "arrives along the tangent of the curve that it comes to. It stays above the solution, "
                     "always too slow, and never crosses 0, however large h.");
}

Report study_integrators(const StudySettings& settings) {
    Report report = begin_report("Seven integrators", "plush study integrators");
    report.paragraph(
        "A simulation of masses and springs is the solution of m v̇ = f(x, v), ẋ = v by steps of length h. "
        "Plush has seven rules for a step. This page measures them: what they do to circles, to decays and "
        "to energy, how their errors shrink with h, how large h may be, and what a step costs. Every number "
        "comes from the code that also moves cloth and ropes in scenes.");
    Table rules{.name = "",
                .caption = "The rules, with a = f/m",
                .columns = {"integrator", "a step of h", "order", "forces a step"},
                .rows = {}};
    constexpr std::array steps{
        "x′ = x + h v,  v′ = v + h a",
        "v′ = v + h a,  x′ = x + h v′",
        "x′ = x + h (v + ½ h a),  v′ = v + h a at the middle",
        "four slopes, weighted 1 : 2 : 2 : 1",
        "x′ = 2 x − x₋ + h² a",
        "x′ = x + (h/h₋)(x − x₋) + ½ (h + h₋) h a",
        "(M − h ∂f/∂v − h² ∂f/∂x) Δv = h f + h² ∂f/∂x v,  x′ = x + h v′",
    };
    for (std::size_t i = 0; i < steps.size(); ++i)
        rules.rows.push_back({integrator_choices[i].name, steps[i],
                              static_cast<double>(integrator_choices[i].order),
                              static_cast<double>(integrator_choices[i].forces)});
    report.add(std::move(rules));
    circle_field(report, settings);
    decay(report, settings);
    how_steps_reach(report, settings);
    pull_on_a_rope(report, settings);
    energy_of_a_spring(report, settings);
    energy_of_a_cloth(report, settings);
    orders(report, settings);
    stability_limits(report, settings);
    cost(report, settings);
    return report;
}

}  // namespace plush::lab
