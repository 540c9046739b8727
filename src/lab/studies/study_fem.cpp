#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "lab/studies/study.hpp"
#include "lab/validation/elastic.hpp"

// Elastic bodies of tets against beams with known answers: how the error falls with the size of the tets, how
// far a beam may bend, what the two time steps do to a vibration, and which linear solver is worth its time.

namespace plush::lab {
namespace {

std::string word(ElasticModel model) {
    return std::string(elastic_model_choices()[static_cast<std::size_t>(model)].word);
}

void convergence(Report& report, const StudySettings& settings) {
    Plot plot{.name = "cantilever",
              .title = "A beam under a small load at its end: what the deflection lacks",
              .x = {.label = "Cells across the thickness", .scale = Scale::log},
              .y = {.label = "Error", .unit = "%", .scale = Scale::log},
              .caption =
                  "Length 0.5 m, 0.1 m thick, against Timoshenko's beam. Linear tets are too stiff in "
                  "bending; the error falls with the square of their size."};
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        Series series{.name = word(model)};
        for (const int across : {3, 4, 6, 8, 12, 16, 24}) {
            settings.now(fmt::format("cantilever, {}, {} cells across", word(model), across));
            const Beam beam{.length = 0.5, .model = model, .along = 5 * across, .across = across};
            const double force = 1e-3 * 3 * beam.young * beam.second_moment() / (0.25 * beam.length);
            series.x.push_back(across);
            series.y.push_back(100 * (1 - bent_tip(beam, force).down / beam_deflection(beam, force)));
        }
        const std::size_t n = series.y.size();
        report.figure("rate " + series.name, std::log(series.y[n - 3] / series.y[n - 1]) /
                                                 std::log(series.x[n - 1] / series.x[n - 3]));
        report.figure("error " + series.name, series.y.back());
        if (plot.lines.empty())
            plot.lines.push_back({.name = "second order", .x = series.x[1], .y = series.y[1], .slope = -2});
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
}

void large_bending(Report& report, const StudySettings& settings) {
    Plot plot{.name = "elastica",
              .title = "A slender beam under a load that keeps its direction",
              .x = {.label = "Load P L²/EI"},
              .y = {.label = "Drop of the end, by the length"},
              .caption =
                  "Points: the elastica (Bisshopp and Drucker 1945). Corotational tets; the beam is ten "
                  "times as long as thick."};
    for (const int across : {4, 8, 16}) {
        Series series{.name = fmt::format("{} cells across", across), .draw = Draw::line};
        for (const double load : {0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0}) {
            settings.now(fmt::format("elastica, {} cells across, load {}", across, load));
            const Beam beam{.along = 10 * across, .across = across};
            const double force = load * beam.young * beam.second_moment() / (beam.length * beam.length);
            series.x.push_back(load);
            series.y.push_back(bent_tip(beam, force).down / beam.length);
        }
        plot.series.push_back(std::move(series));
    }
    plot.series.push_back({.name = "elastica",
                           .x = {1, 2, 5, 10},
                           .y = {0.30172, 0.49346, 0.71379, 0.81061},
                           .draw = Draw::points});
    report.add(std::move(plot));
}

void vibration(Report& report, const StudySettings& settings) {
    Plot order{.name = "frequency",
               .title = "First mode: error of the step",
               .x = {.label = "Steps a period", .scale = Scale::log},
               .y = {.label = "Error of the frequency", .unit = "%", .scale = Scale::log},
               .columns = 2,
               .caption =
                   "Left: the first bending mode by BDF2, against the same tets at 800 steps a period. "
                   "Right: the end of the beam after a push, 50 steps a period."};
    const Beam beam{.along = 40, .across = 4};
    settings.now("frequency, 800 steps a period");
    const double finest = bending_frequency(beam, 800, 2);
    Series series{.name = "BDF2"};
    for (const int steps : {12, 25, 50, 100, 200}) {
        settings.now(fmt::format("frequency, {} steps a period", steps));
        series.x.push_back(steps);
        series.y.push_back(100 * std::abs(bending_frequency(beam, steps, 2) / finest - 1));
    }
    order.lines.push_back({.name = "second order", .x = series.x[2], .y = series.y[2], .slope = -2});
    report.figure("order of BDF2", std::log2(series.y[2] / series.y[3]));
    order.series.push_back(std::move(series));
    report.add(std::move(order));

    Plot motion{.name = "damping",
                .title = "Two ways to step",
                .x = {.label = "Time in periods"},
                .y = {.label = "Deflection, by the largest"},
                .columns = 2};
    for (const auto& [name, method] : {std::pair{"BDF2", IntegrationMethod::bdf2},
                                       std::pair{"implicit Euler", IntegrationMethod::implicit_euler}}) {
        settings.now(fmt::format("damping, {}", name));
        DeformableBody body = beam_body(beam, {.method = method, .solver = LinearSolver::cholesky});
        std::size_t tip = 0;
        for (std::uint32_t i = 0; i < body.positions().size(); ++i) {
            const Vec3 p = body.positions()[i];
            const double s = p.x / beam.length;
            if (p.x > body.positions()[tip].x) tip = i;
            if (p.x > 1e-9) body.set_vertex(i, p, {0, 1e-4 * s * s * (6 - 4 * s + s * s) / 3, 0});
        }
        const double rest = body.positions()[tip].y, h = 1 / (50 * beam_frequency(beam));
        Series line{.name = name, .draw = Draw::line};
        double largest = 0;
        for (int i = 1; i <= 200; ++i) {
            body.predict(h, {}, RotationMethod::momentum);
            body.correct(h, {});
            line.x.push_back(i / 50.0);
            line.y.push_back(body.positions()[tip].y - rest);
            if (i <= 25) largest = std::max(largest, std::abs(line.y.back()));
        }
        double late = 0;
        for (std::size_t i = 150; i < 200; ++i) late = std::max(late, std::abs(line.y[i]));
        for (double& y : line.y) y /= largest;
        report.figure(fmt::format("left after three periods, {}", name), late / largest);
        motion.series.push_back(std::move(line));
    }
    report.add(std::move(motion));
}

void solvers(Report& report, const StudySettings& settings) {
    Plot plot{.name = "solvers",
              .title = "One step of a beam of 3,200 tets by two solvers",
              .x = {.label = "Step", .unit = "s", .scale = Scale::log},
              .y = {.label = "Time a step", .unit = "ms", .scale = Scale::log},
              .caption =
                  "Conjugate gradients to 1e-4 and to 1e-8, and the factorisation, which does not care. "
                  "E = 10 MPa. The fastest of ten steps, one thread."};
    struct Way {
        const char* name;
        LinearSolver solver;
        double tolerance;
    };
    for (const Way& way : {Way{"conjugate gradients, 1e-4", LinearSolver::conjugate_gradients, 1e-4},
                           Way{"conjugate gradients, 1e-8", LinearSolver::conjugate_gradients, 1e-8},
                           Way{"Cholesky", LinearSolver::cholesky, 1e-4}}) {
        Series series{.name = way.name};
        for (const double h : {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1}) {
            settings.now(fmt::format("{}, h = {}", way.name, h));
            IntegrationSettings integration;
            integration.solver = way.solver, integration.tolerance = way.tolerance;
            integration.iterations = 10'000;
            DeformableBody body = beam_body({.along = 40, .across = 4, .sideways = 4}, integration);
            double best = HUGE_VAL;
            for (int i = 0; i < 10; ++i) {
                const auto start = std::chrono::steady_clock::now();
                body.predict(h, {0, -9.81, 0}, RotationMethod::momentum);
                body.correct(h, {});
                const std::chrono::duration<double, std::milli> time =
                    std::chrono::steady_clock::now() - start;
                best = std::min(best, time.count());
            }
            series.x.push_back(h), series.y.push_back(best);
        }
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
}

}  // namespace

Report study_fem(const StudySettings& settings) {
    Report report = begin_report("Elastic bodies of tets", "plush study fem");
    report.paragraph(
        "Linear tets with corotational or stable neo-Hookean elasticity, against beams whose answers are "
        "known. Poisson's ratio is 0, as beam theory has it.");
    report.heading("How the error falls with the size of the tets");
    convergence(report, settings);
    report.heading("How far a beam may bend");
    large_bending(report, settings);
    report.heading("Vibration");
    vibration(report, settings);
    report.paragraph(
        "What to notice.",
        "Implicit Euler eats most of a vibration within three periods even at 50 steps a period; "
        "BDF2 keeps it. For toys that shall come to rest that is welcome, for an instrument it is "
        "not.");
    report.heading("Which solver");
    solvers(report, settings);
    report.paragraph(
        "What to notice.",
        "Conjugate gradients take as many turns as the step is stiff: small steps and soft bodies "
        "are theirs. Where the step is long, the body stiff or the answer wanted exactly, "
        "\"solver\": \"cholesky\" is faster.");
    return report;
}

}  // namespace plush::lab
