#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "lab/studies/study_polar.hpp"
#include "math/polar_batch.hpp"
#include "math/polar_kernel.hpp"
#include "math/warm_rotation.hpp"

// From the last step's rotation to this one's, and what everything costs.

namespace plush::lab {
namespace {

/// Müller's turn, in the frame of the world: Σ rᵢ × aᵢ / |Σ rᵢ · aᵢ|.
Mat3 gradient_turn(const Mat3& r, const Mat3& a) {
    Vec3 torque{};
    double overlap = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        torque += cross(r.column(i), a.column(i));
        overlap += dot(r.column(i), a.column(i));
    }
    return to_matrix(exp_rotation(torque / (std::abs(overlap) + 1e-9))) * r;  // the authors' 1e-9
}

Mat3 newton_turn(const Mat3& r, const Mat3& a) {
    const auto columns = [](const Mat3& m) {
        return polar_kernel::Columns<double>{
            {m(0, 0), m(1, 0), m(2, 0)}, {m(0, 1), m(1, 1), m(2, 1)}, {m(0, 2), m(1, 2), m(2, 2)}};
    };
    const auto [x, y, z] = polar_kernel::newton_turn(columns(r), columns(a), polar_kernel::least_gap).omega;
    return r * to_matrix(normalised(Quat{1, 0.5 * x, 0.5 * y, 0.5 * z}));
}

double angle_between(const Mat3& a, const Mat3& b) {
    return norm(log_rotation(to_quaternion(transpose(a) * b)));
}

/// Fed by every timed loop, so that none can be left out.
volatile double sink = 0;

/// The least nanoseconds a call, of several runs over all of `count`.
template <class F>
double nanoseconds(std::size_t count, F&& run) {
    constexpr int runs = 60;
    double best = HUGE_VAL;
    for (int i = 0; i < runs; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        sink = run();
        const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / static_cast<double>(count));
    }
    return best;
}

struct Timing {
    std::string name;
    double nanoseconds;
};

std::vector<Timing> time_all(const std::vector<Mat3>& matrices, const StudySettings& settings) {
    const std::size_t n = matrices.size();
    std::vector<Timing> out;
    for (const PolarWord& word : polar_choices()) {
        settings.now(fmt::format("time of {}", word.word));
        out.push_back({std::string(word.text), nanoseconds(n, [&] {
                           double sum = 0;
                           for (const Mat3& a : matrices) sum += polar(a, word.method).rotation(0, 0);
                           return sum;
                       })});
    }
    out[0].name = "the engine's function";
    for (const double degrees : {0.5, 10.0}) {  // two turns, and three
        std::vector<Quat> last;
        Random random(7);
        for (const Mat3& a : matrices)
            last.push_back(to_quaternion(polar(a).rotation) *
                           from_axis_angle(rotate(random_turn(random), {1, 0, 0}), degrees));
        out.push_back({fmt::format("warm start, {}° off", degrees), nanoseconds(n, [&] {
                           double sum = 0;
                           for (std::size_t i = 0; i < n; ++i)
                               sum += warm_rotation(matrices[i], last[i]).rotation.w;
                           return sum;
                       })});
    }
    std::vector<Mat3x8> batches(n / 8), found(n / 8);
    for (std::size_t i = 0; i < n; ++i) batches[i / 8].set_lane(i % 8, matrices[i]);
    out.push_back({"eight at a time", nanoseconds(n, [&] {
                       for (std::size_t i = 0; i < batches.size(); ++i) polar_rotations(batches[i], found[i]);
                       return found.back().entry[0][0];
                   })});
    return out;
}

}  // namespace

void polar_warm_start(Report& report, const StudySettings& settings) {
    settings.now("warm starts");
    report.heading("From the last step's rotation");
    report.formula("tr(exp(ω)ᵀRᵀA) = tr S + b·ω − ½ ωᵀHω + …,   H = tr S − S,   ω = H⁻¹ b");
    report.paragraph(
        "In a simulation R is known up to what happened in one step. Müller et al. (2016) turn it by b/|tr "
        "S|, a "
        "gradient step: robust and short. Plush divides by the second derivative H instead. H tells one "
        "thing "
        "more: where it is positive definite there is only one stationary R ahead, and it is the nearest.");
    report.paragraph(
        "What is plotted.",
        "The angle to the nearest rotation after each turn, for σ = 1.5, 1, 0.6 and starts 5° and 60° "
        "off, the worst of 100 directions.");
    Plot plot{.name = "warm_start",
              .title = "Turns from a warm start",
              .x = {.label = "Turns"},
              .y = {.label = "Angle to the nearest rotation",
                    .unit = "rad",
                    .scale = Scale::log,
                    .low = 1e-16,
                    .high = 10}};
    constexpr int max_turns = 10, starts = 100;
    struct Way {
        const char* name;
        Mat3 (*turn)(const Mat3&, const Mat3&);
    };
    for (const Way& way :
         {Way{"second derivative", newton_turn}, Way{"gradient (Müller et al.)", gradient_turn}})
        for (const double degrees : {5.0, 60.0}) {
            Series series{.name = fmt::format("{}, {}° off", way.name, degrees)};
            series.y.assign(max_turns + 1, 0);
            Random random(1);
            for (int k = 0; k < starts; ++k) {
                const SampleMatrix sample = sample_matrix(random, {1.5, 1, 0.6});
                const Mat3 exact = polar(sample.a, PolarMethod::svd).rotation;
                Mat3 r = exact * to_matrix(from_axis_angle(rotate(random_turn(random), {1, 0, 0}), degrees));
                for (std::size_t i = 0; i <= max_turns; ++i, r = way.turn(r, sample.a))
                    series.y[i] = std::max(series.y[i], angle_between(exact, r));
            }
            for (int i = 0; i <= max_turns; ++i) series.x.push_back(i);
            plot.series.push_back(std::move(series));
        }
    report.add(std::move(plot));

    // Half a turn off about the middle axis of the stretch.
    const Mat3 a = Mat3::diagonal({1.5, 1, 0.6});
    Mat3 stuck = Mat3::diagonal({-1, 1, -1});
    for (int i = 0; i < 1000; ++i) stuck = gradient_turn(stuck, a);
    const WarmRotation found = warm_rotation(a, {0, 0, 1, 0});
    const double gradient_off = angle_between(stuck, Mat3::identity()) * 180 / std::numbers::pi;
    const double plush_off = norm(log_rotation(found.rotation)) * 180 / std::numbers::pi;
    report.paragraph(
        "What to notice.",
        fmt::format(
            "The gradient gains a fixed factor a turn, the second derivative more than doubles the digits. "
            "Half a turn "
            "off about an axis of the stretch b is zero: after 1000 gradient turns the rotation is still "
            "{:.4g}° "
            "off. There H is not definite, and Plush starts again with the engine's function, seen from the "
            "last rotation, so that where several are nearest the one nearest to the last is taken: {:.2g}° "
            "off.",
            gradient_off, plush_off));
    report.figure("half_turn_gradient", gradient_off);
    report.figure("half_turn_plush", plush_off);
}

void polar_cost(Report& report, const StudySettings& settings) {
    constexpr std::size_t count = 2048;  // 147 kB: in the second cache
    report.heading("Time");
    report.paragraph(
        "What is measured.",
        fmt::format("Nanoseconds a matrix on one thread of the machine that is named above, the least of "
                    "60 runs over {} matrices. Ordinary ones have singular values from ½ to 2; hard ones a "
                    "condition up to 10⁶, any middle value, and determinants of both signs.",
                    count));
    Random random(3);
    std::vector<Mat3> ordinary, hard;
    for (std::size_t i = 0; i < count; ++i) {
        ordinary.push_back(
            sample_matrix(random, {random.uniform(0.5, 2), random.uniform(0.5, 2), random.uniform(0.5, 2)})
                .a);
        hard.push_back(sample_matrix(random, sample_values(random, 1e6)).a);
    }
    const std::vector<Timing> easy = time_all(ordinary, settings), rough = time_all(hard, settings);
    Plot plot{.name = "time",
              .title = "Time for one matrix",
              .x = {.label = "Time", .unit = "ns"},
              .y = {.label = "route"}};
    Series a{.name = "ordinary matrices", .draw = Draw::bars}, b{.name = "hard matrices", .draw = Draw::bars};
    Table table{.name = "times",
                .caption = "Time for one matrix (ns)",
                .columns = {"route", "ordinary", "hard", "engine's function / this, ordinary"},
                .rows = {},
                .digits = 3};
    for (std::size_t i = 0; i < easy.size(); ++i) {
        plot.categories.push_back(easy[i].name);
        a.y.push_back(easy[i].nanoseconds), b.y.push_back(rough[i].nanoseconds);
        table.rows.push_back({easy[i].name, easy[i].nanoseconds, rough[i].nanoseconds,
                              easy[0].nanoseconds / easy[i].nanoseconds});
    }
    plot.series = {std::move(a), std::move(b)};
    report.add(std::move(plot));
    report.add(std::move(table));
    report.paragraph("What to notice.",
                     "Eight side by side cost about a quarter of one after the other: the closed form has no "
                     "branches, and a register "
                     "holds four doubles. Each lane has the bits of the engine's function. Hard matrices are "
                     "those that the "
                     "closed form must leave to the SVD, one by one.");
}

}  // namespace plush::lab
