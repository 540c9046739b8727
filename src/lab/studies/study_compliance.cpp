#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/bench/clock.hpp"
#include "lab/studies/study.hpp"
#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/scene/scene.hpp"

// The contact compliance of soft bodies: by a factorisation in every step, and by that of the rest shape with the
// compliance iteration. Two worlds of the same bodies: the exact one goes its way, and the other is put into the same
// state before every step, so that what differs is the step alone. By the number of nodes of a body, and in
// the scenes of the paper.

namespace plush::lab {
namespace {

constexpr double h = 0.01;

/// What steps cost: the solves of velocities and of positions, ms, and all of it, ms of processor time.
struct Cost {
    std::vector<double> solve, step;
};

/// Steps a world from a state, and notes the least of a few tries: other programs take their time too.
void time_step(World& world, const std::vector<std::byte>& state, Cost& cost) {
    constexpr int tries = 2;
    double solve = HUGE_VAL, step = HUGE_VAL;
    for (int k = 0; k < tries; ++k) {
        world.restore(state);
        const double before = processor_seconds();
        world.step();
        step = std::min(step, 1e3 * (processor_seconds() - before));
        const PhaseTimes& times = world.report().times;
        solve = std::min(solve, 1e3 * (times[Phase::solve] + times[Phase::stabilise]));
    }
    cost.solve.push_back(solve), cost.step.push_back(step);
}

double middle(std::vector<double> values) {
    if (values.empty()) return std::nan("");
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

struct Comparison {
    Cost exact, approximate;
    double contacts = 0, turns = 0, max_turns = 0, factorised = 0, steps = 0;
    double force = 0;     ///< largest difference of a contact force, of the largest force
    double velocity = 0;  ///< largest difference of the velocity of a vertex, m/s
};

void add_differences(const World& exact, const World& other, Comparison& sum) {
    double largest = 0, difference = 0;
    for (const Contact& c : exact.contacts()) largest = std::max(largest, c.normal_force);
    const std::size_t common = std::min(exact.contacts().size(), other.contacts().size());
    for (std::size_t k = 0; k < common; ++k) {
        const Contact &a = exact.contacts()[k], &b = other.contacts()[k];
        difference = std::max({difference, std::abs(a.normal_force - b.normal_force),
                               norm(a.friction_force - b.friction_force)});
    }
    if (largest > 0) sum.force = std::max(sum.force, difference / largest);
    for (const BodyId id : exact.bodies()) {
        if (exact.kind(id) != BodyKind::deformable) continue;
        const auto u = exact.vertex_velocities(id), v = other.vertex_velocities(id);
        for (std::size_t k = 0; k < u.size(); ++k) sum.velocity = std::max(sum.velocity, norm(u[k] - v[k]));
    }
}

Comparison compare(World& exact, World& approximate, int steps) {
    Comparison result;
    for (int k = 0; k < steps; ++k) {
        const auto state = exact.snapshot();
        time_step(exact, state, result.exact);
        time_step(approximate, state, result.approximate);
        const StepReport& report = approximate.report();
        add_differences(exact, approximate, result);
        result.contacts += report.contacts, result.turns += report.compliance_iterations, ++result.steps;
        result.max_turns = std::max(result.max_turns, 1.0 * report.compliance_iterations);
        result.factorised += report.factorised_bodies;
    }
    return result;
}

std::vector<std::string> columns(std::string first) {
    return {std::move(first),
            "contacts",
            "turns",
            "most turns",
            "factorised after all",
            "force differs by",
            "velocity by (mm/s)",
            "solve, exact (ms)",
            "approximate (ms)",
            "processor time of a step, exact (ms)",
            "approximate, of a step (ms)"};
}

std::vector<Cell> row_of(Cell name, const Comparison& c) {
    return {std::move(name),
            c.contacts / c.steps,
            c.turns / c.steps,
            c.max_turns,
            c.factorised,
            c.force,
            1e3 * c.velocity,
            middle(c.exact.solve),
            middle(c.approximate.solve),
            middle(c.exact.step),
            middle(c.approximate.step)};
}

/// Two soft boxes, one on the other and askew, and a rigid ball that lies on both.
World heap(int cells, ComplianceMethod compliance) {
    WorldSettings s = problem_settings(h, ContactMethod::volume);
    s.solver.compliance = compliance;
    s.solver.tolerance = 1e-6;
    s.threads = 1;
    s.sleep.enabled = false;
    World world(s);
    world.add_ground();
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.15, 0.1, 0.15}, {cells, cells, cells}).value());
    soft.elastic = {.young = 2e4, .poisson = 0.35, .density = 500, .stiffness_damping = 0.01};
    world.add(soft, {.position = {0, 0.1, 0}});
    world.add(soft, {.position = {0.05, 0.31, 0.02}, .rotation = from_axis_angle({0.1, 1, 0.05}, 30)});
    world.add(Rigid{.shape = Shape::mesh(shapes::icosphere(0.08, 1280)), .density = 800},
              {.position = {0.02, 0.5, 0}});
    return world;
}

void by_size(Report& report, const StudySettings& settings) {
    report.heading("By the size of a body");
    report.paragraph(
        "Two soft boxes, one on the other and askew, and a rigid ball on top, with friction, tolerance 1e-6, "
        "one thread. Steps in which they fall onto each other and bulge; medians of the better of two tries. "
        "Of "
        "each step the processor time of all of it is given too.");
    Table table{.name = "by_size",
                .caption = "Exact and approximate compliance by the nodes of each of two bodies",
                .columns = columns("nodes"),
                .rows = {},
                .digits = 3};
    Plot plot{.name = "solve_time",
              .title = "Solving contacts of two soft boxes and a ball",
              .x = {.label = "Nodes of a body", .unit = "", .scale = Scale::log},
              .y = {.label = "Solves of a step", .unit = "ms", .scale = Scale::log}};
    Series exact_times{.name = "exact"}, approximate_times{.name = "approximate"};
    for (const int cells : {4, 6, 9, 12, 16}) {
        const double nodes = std::pow(cells + 1, 3);
        settings.now(fmt::format("{} nodes", nodes));
        World exact = heap(cells, ComplianceMethod::exact);
        World approximate = heap(cells, ComplianceMethod::approximate);
        while (exact.time() < 0.15) exact.step();
        const Comparison c = compare(exact, approximate, 8);
        table.rows.push_back(row_of(nodes, c));
        exact_times.x.push_back(nodes), exact_times.y.push_back(middle(c.exact.solve));
        approximate_times.x.push_back(nodes), approximate_times.y.push_back(middle(c.approximate.solve));
    }
    plot.series = {std::move(exact_times), std::move(approximate_times)};
    report.add(std::move(table));
    report.add(std::move(plot));
}

struct Touching {
    const char* scene;
    double from;  ///< s: then its bodies touch and move
};

void in_scenes(Report& report, const StudySettings& settings) {
    constexpr int steps = 8;
    report.heading("In the scenes of the paper");
    report.paragraph(fmt::format(
        "Soft bodies of about 350 nodes and more, {} steps while they touch and move, one thread, with the "
        "tolerance of each scene.",
        steps));
    Table table{.name = "scenes",
                .caption = "Exact and approximate compliance in scenes",
                .columns = columns("scene"),
                .rows = {},
                .digits = 3};
    for (const Touching& one :
         {Touching{"soft_toys_10", 1.0}, Touching{"soft_toys_20", 1.0}, Touching{"soft_toys_40", 1.0},
          Touching{"octopuses", 0.5}, Touching{"grasp", 1.0}, Touching{"organs", 0.2}}) {
        const auto scenes = builtin_scenes();
        if (std::none_of(scenes.begin(), scenes.end(),
                         [&](const BuiltinScene& s) { return s.name == one.scene; }))
            continue;
        settings.now(one.scene);
        const auto world = [&](const char* compliance) {
            const std::vector<std::string> changes{"sleep.enabled=false",
                                                   fmt::format("solver.compliance={}", compliance)};
            return Scene::load(one.scene, changes).build(1);
        };
        World exact = world("exact"), approximate = world("approximate");
        while (exact.time() < one.from) exact.step();
        table.rows.push_back(row_of(one.scene, compare(exact, approximate, steps)));
    }
    report.add(std::move(table));
}

}  // namespace

Report study_compliance(const StudySettings& settings) {
    Report report = begin_report("The contact compliance of soft bodies", "plush study compliance");
    report.paragraph(
        "Contact rows are solved with the compliance W of each body. Exact: its matrix A is factorised in "
        "every step. Approximate: that of its rest shape, factorised once and turned with each vertex; "
        "bodies then move as they truly do, by conjugate gradients on A, and what the approximation got "
        "wrong goes into the next compliance iteration, until the laws of contact hold for the true "
        "motion.");
    report.formula("w = G u* + (W − W̃) λ_k + W̃ λ");
    by_size(report, settings);
    in_scenes(report, settings);
    return report;
}

}  // namespace plush::lab
