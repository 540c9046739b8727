#include "bodies/integrators/integrator.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/assert.hpp"
#include "core/stop.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

using Method = IntegrationMethod;

bool is_pinned(std::span<const std::uint8_t> pinned, std::size_t i) {
    PLUSH_ASSERT(pinned.empty() || i < pinned.size());
    return !pinned.empty() && pinned[i];
}

std::string_view word(Method method) {
    for (const Choice& c : integration_method_choices())
        if (c.value == static_cast<int>(method)) return c.word;
    return "";
}

}  // namespace

void Integrator::accelerations(MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v,
                               double t, std::vector<Vec3>& a) {
    const auto masses = system.masses();
    const auto pinned = system.pinned();
    PLUSH_ASSERT(masses.size() == x.size() && v.size() == x.size());
    a.resize(x.size());
    system.forces(x, v, t, a);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = is_pinned(pinned, i) ? Vec3{} : a[i] / masses[i];
}

void Integrator::explicit_euler(MotionSystem& system, MotionState& s, double h) {
    accelerations(system, s.x, s.v, s.t, a_);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        s.x[i] += h * s.v[i];
        s.v[i] += h * a_[i];
    }
}

void Integrator::semi_implicit_euler(MotionSystem& system, MotionState& s, double h) {
    accelerations(system, s.x, s.v, s.t, a_);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
        s.v[i] += h * a_[i];
        s.x[i] += h * s.v[i];
    }
}

void Integrator::midpoint(MotionSystem& system, MotionState& s, double h) {
    const std::size_t n = s.x.size();
    accelerations(system, s.x, s.v, s.t, a_);
    x_stage_.resize(n), v_stage_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        x_stage_[i] = s.x[i] + (0.5 * h) * s.v[i];
        v_stage_[i] = s.v[i] + (0.5 * h) * a_[i];
    }
    accelerations(system, x_stage_, v_stage_, s.t + 0.5 * h, a_);
    for (std::size_t i = 0; i < n; ++i) {
        s.x[i] += h * v_stage_[i];
        s.v[i] += h * a_[i];
    }
}

void Integrator::runge_kutta_4(MotionSystem& system, MotionState& s, double h) {
    const std::size_t n = s.x.size();
    x_stage_ = s.x, v_stage_ = s.v;
    dx_.assign(n, {}), dv_.assign(n, {});
    constexpr double offset[] = {0, 0.5, 0.5, 1}, weight[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    for (std::size_t stage = 0; stage < 4; ++stage) {
        accelerations(system, x_stage_, v_stage_, s.t + offset[stage] * h, a_);
        const double w = weight[stage], next = stage < 3 ? offset[stage + 1] * h : 0;
        for (std::size_t i = 0; i < n; ++i) {
            const Vec3 slope = v_stage_[i];
            dx_[i] += w * slope;
            dv_[i] += w * a_[i];
            x_stage_[i] = s.x[i] + next * slope;
            v_stage_[i] = s.v[i] + next * a_[i];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        s.x[i] += h * dx_[i];
        s.v[i] += h * dv_[i];
    }
}

void Integrator::verlet(MotionSystem& system, MotionState& s, double h, bool corrected) {
    const std::size_t n = s.x.size();
    const auto pinned = system.pinned();
    accelerations(system, s.x, s.v, s.t, a_);
    const bool starts = s.x_before.size() != n || !(s.h_before > 0);
    if (starts) s.x_before.resize(n);
    const double ratio = corrected && !starts ? h / s.h_before : 1.0;
    const double half = corrected && !starts ? 0.5 * (h + s.h_before) * h : h * h;
    x_stage_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 x = s.x[i];
        Vec3 moved;
        if (is_pinned(pinned, i))
            moved = h * s.v[i];
        else if (starts)
            moved = h * s.v[i] + (0.5 * h * h) * a_[i];
        else
            moved = ratio * (x - s.x_before[i]) + half * a_[i];
        s.x_before[i] = x;
        s.x[i] = x + moved;
        x_stage_[i] = moved;
        if (!is_pinned(pinned, i)) s.v[i] = moved / h + (0.5 * h) * a_[i];
    }
    if (system.constrain(s.x, s.x_before, s.t + h, h))
        for (std::size_t i = 0; i < n; ++i)
            if (!is_pinned(pinned, i)) s.v[i] += (s.x[i] - s.x_before[i] - x_stage_[i]) / h;
    s.h_before = h;
}

bool is_implicit(Method method) {
    return method == Method::implicit_euler || method == Method::bdf2 || method == Method::quasi_static;
}

bool evaluates_the_end(const IntegrationSettings& settings) {
    return is_implicit(settings.method) && (settings.method != Method::implicit_euler || settings.newton > 1);
}

AdvanceReport Integrator::step(MotionSystem& system, MotionState& state, double h,
                               const IntegrationSettings& settings) {
    PLUSH_ASSERT(state.x.size() == system.masses().size() && state.v.size() == state.x.size());
    AdvanceReport report;
    report.largest_step = HUGE_VAL;
    switch (settings.method) {
        case Method::explicit_euler:
            explicit_euler(system, state, h);
            break;
        case Method::semi_implicit_euler:
            semi_implicit_euler(system, state, h);
            break;
        case Method::midpoint:
            midpoint(system, state, h);
            break;
        case Method::runge_kutta_4:
            runge_kutta_4(system, state, h);
            break;
        case Method::verlet:
            verlet(system, state, h, false);
            break;
        case Method::time_corrected_verlet:
            verlet(system, state, h, true);
            break;
        case Method::implicit_euler:
            report = implicit_euler(system, state, h, settings);
            break;
        case Method::bdf2:
            report = bdf2(system, state, h, settings);
            break;
        case Method::quasi_static:
            report = quasi_static(system, state, h, settings);
            break;
    }
    state.t += h;
    return report;
}

Result<AdvanceReport> Integrator::advance(MotionSystem& system, MotionState& state, double h,
                                          const IntegrationSettings& settings) {
    AdvanceReport report;
    report.largest_step = HUGE_VAL;
    if (settings.policy != StepPolicy::accept && !is_implicit(settings.method)) {
        report.largest_step = usable_step(settings.method, mode_bounds(system, state.x, rows_));
        PLUSH_ASSERT(!(report.largest_step < 0));
        double parts = std::ceil(h / report.largest_step);
        if (report.largest_step == 0)
            return Error({.problem = fmt::format("{} grows at any step here, for want of damping",
                                                 word(settings.method)),
                          .cure = "take semi_implicit_euler or implicit_euler, add damping, or accept "
                                  "the growth with the policy accept"});
        if (parts > 1 && settings.policy == StepPolicy::refuse)
            return Error(
                {.problem = fmt::format("a step of {} s is too large for {}", h, word(settings.method)),
                 .cure = fmt::format("take steps of at most {} s, or implicit_euler", report.largest_step)});
        if (!(parts <= std::min(1.0 * settings.max_substeps, tuning::free_substeps)))
            parts = limit_friction(system, state, h, settings, report);
        if (!(parts <= settings.max_substeps))
            return Error({.problem = fmt::format("a step of {} s needs more than {} substeps of {}", h,
                                                 settings.max_substeps, word(settings.method)),
                          .cure = fmt::format("take steps of at most {} s, softer springs, or implicit_euler",
                                              report.largest_step * settings.max_substeps)});
        report.substeps = std::max(1, static_cast<int>(parts));
    }
    const double part = h / report.substeps;
    // Its memory is a displacement, which another step would take for another velocity.
    if (settings.policy == StepPolicy::substep && settings.method == Method::verlet && state.h_before != part)
        state.x_before.clear();
    const AdvanceReport whole = report;
    for (int i = 0; i < whole.substeps; ++i) {
        stop_if_requested();
        report = step(system, state, part, settings);
    }
    report.substeps = whole.substeps, report.largest_step = whole.largest_step;
    report.limited_friction = whole.limited_friction;
    if (report.limited_friction) system.limit_friction(0);
    return report;
}

// Substeps that all but friction asks for, times what friction may make of them. Friction adds at most s/τ to the damping of any
// motion; with substeps of 1 − s times the limit of the rest all conditions of stable_step.cpp hold with it.
double Integrator::limit_friction(MotionSystem& system, const MotionState& state, double h,
                                  const IntegrationSettings& settings, AdvanceReport& report) {
    system.limit_friction(h);
    const double step =
        (1 - tuning::substep_friction) * usable_step(settings.method, mode_bounds(system, state.x, rows_));
    const double with_all = std::ceil(h / report.largest_step), least = std::ceil(h / step);
    const double parts =
        std::max(least, std::min(1.0 * settings.max_substeps, tuning::friction_substeps * least));
    if (!(least <= settings.max_substeps) || parts >= with_all) {
        system.limit_friction(0);
        return with_all;
    }
    report.limited_friction = true, report.largest_step = step;
    system.limit_friction(h / std::max(1.0, parts));
    return parts;
}

}  // namespace plush
