#include <algorithm>

#include "bodies/integrators/integrator.hpp"
#include "core/assert.hpp"
#include "core/tuning.hpp"

// Implicit steps. Linearised implicit Euler, f(x', v') ≈ f + K (h v + h Δv) + B Δv, makes
//
//     (M − h B − h² K) Δv = h f + h² K v.
//
// One pass over the elements fills one matrix of blocks, with the factors −h² and −h, or (springs) the edges
// that are added to it; K v comes from the same pass. Where nothing is pinned the net force that a solve to a
// tolerance leaves over is taken away (balance_net), so that momentum changes by h times the external forces
// and by nothing else.
//
// More Newton iterations look at the residual at the end of the step so far,
//
//     r = h f(x', v') − M (v' − v),     (M − h B − h² K) δ = r,     v' += s δ,
//
// with s halved until the residual falls, or the incremental potential ½ |v' − v|²_M + E(x') does and what is
// left does not push back along δ: friction and damping have no potential, and a fall of E alone could turn a
// sliding vertex round for ever. BDF2 is the same equation with another v, x and h (integrator.hpp), and
// its first linearisation is about x̂ + h̃ v, which is within O(h²) of the end. Quasi-static steps leave M and
// B out and look for f(x') = 0; a small multiple of the diagonal stands in for M where the matrix would be
// singular.

namespace plush {
namespace {

bool is_pinned(std::span<const std::uint8_t> pinned, std::size_t i) {
    PLUSH_ASSERT(pinned.empty() || i < pinned.size());
    return !pinned.empty() && pinned[i];
}

/// Below it corrections in single precision would have to be repeated, and bring nothing.
constexpr double least_single_tolerance = 1e-7;

constexpr int max_halvings = 12;
/// How strongly the force may push back along a change, of what pushed before it.
constexpr double max_return = 0.9;

/// A linear step that gains more than this fraction of the kinetic energy is mended by Newton iterations.
constexpr double max_gain = 1e-3;
/// As max_gain, for BDF2, where it only gives back what the steps before took.
constexpr double max_given_back = 1e-2;
constexpr int mending_iterations = 12;

/// Kinetic energy and all that the system knows of, J.
struct StepEnergy {
    double kinetic = 0, potential = 0;
    double total() const { return kinetic + potential; }
};
StepEnergy energy_of(const MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v) {
    StepEnergy energy{0, system.potential(x)};
    for (std::size_t i = 0; i < v.size(); ++i) energy.kinetic += 0.5 * system.masses()[i] * norm2(v[i]);
    return energy;
}

/// Whether a step has gained energy. A system without a potential (an assembly) does not tell.
bool gained(const StepEnergy& before, const StepEnergy& after, double max_share = max_gain) {
    if (before.potential == 0 && after.potential == 0) return false;
    const double rounding = 1e-12 * (std::abs(before.potential) + std::abs(after.potential));
    return after.total() - before.total() > max_share * before.kinetic + rounding;
}

/// ½ (H(x, v) + H(2 x − x_b, 2 v − v_b)) of a state and the one before.
StepEnergy pair_energy(const MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v,
                       std::span<const Vec3> x_before, std::span<const Vec3> v_before) {
    std::vector<Vec3> x_ahead(x.size()), v_ahead(v.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        x_ahead[i] = 2 * x[i] - x_before[i], v_ahead[i] = 2 * v[i] - v_before[i];
    const StepEnergy here = energy_of(system, x, v), ahead = energy_of(system, x_ahead, v_ahead);
    return {0.5 * (here.kinetic + ahead.kinetic), 0.5 * (here.potential + ahead.potential)};
}

double along(std::span<const Vec3> a, std::span<const Vec3> b) {
    PLUSH_ASSERT(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(a[i], b[i]);
    return sum;
}

}  // namespace

// The matrix is k K + b B, a_ the forces, product_ K v.
void Integrator::linearise(MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v, double t,
                           double k, double b, bool full, bool may_be_half, const ExpectedEnd* end) {
    const std::size_t n = x.size();
    HalfMatrix* const half = may_be_half ? system.half_matrix(k, b) : nullptr;
    halved_ = half != nullptr;
    BlockMatrix none;
    BlockMatrix& matrix = half ? none : system.matrix();
    PLUSH_ASSERT(half || matrix.rows() == n);
    if (!half && !system.covers_matrix()) matrix.set_zero(system.parallel());
    factorised_ = false;
    factors_ = {k, b};
    external_.assign(n, {});
    product_.assign(n, {});
    dense_.clear(), edges_.clear();
    Linearisation out{k, b, matrix, external_, dense_, edges_, product_, full, true, half, end};
    a_.resize(n);
    system.linearise(x, v, t, a_, out);
}

void Integrator::add_masses(MotionSystem& system, double factor) {
    const auto masses = system.masses();
    PLUSH_ASSERT(external_.size() == masses.size());
    const auto each = [&](auto&& add) {
        system.parallel().each(masses.size(), BlockMatrix::rows_per_task, [&](std::size_t i) {
            const double m = factor * masses[i];
            external_[i] += Mat3::diagonal({m, m, m});
            add(i, external_[i]);
        });
    };
    if (halved_) {
        HalfMatrix& half = *system.half_matrix(factors_.k, factors_.b);
        return each([&](std::size_t i, const Mat3& m) { half.add_diagonal(i, m); });
    }
    BlockMatrix& matrix = system.matrix();
    each([&](std::size_t i, const Mat3& m) { matrix.add_symmetric(matrix.diagonal_slot(i), m); });
}

// What was written into halves is written out where somebody needs all of it.
const BlockMatrix& Integrator::whole_matrix(MotionSystem& system) {
    BlockMatrix& matrix = system.matrix();
    if (halved_)
        if (const HalfMatrix* half = system.half_matrix(factors_.k, factors_.b)) half->expand(matrix);
    halved_ = false;
    return matrix;
}

bool Integrator::may_be_half(const IntegrationSettings& settings) const {
    return settings.solver != LinearSolver::cholesky && settings.tolerance >= least_single_tolerance;
}

namespace {

/// All blocks of a matrix and of the edges that are added to it.
void add_edges(const BlockMatrix& matrix, std::span<const EdgeMatrix* const> edges, BlockMatrix& whole,
               const Parallel& parallel) {
    BlockPattern pattern(matrix.rows());
    for (std::uint32_t i = 0; i < matrix.rows(); ++i)
        for (const std::uint32_t j : matrix.columns(i))
            if (i < j) pattern.add(i, j);
    for (const EdgeMatrix* e : edges)
        e->each_end([&](std::size_t i, std::size_t j, const Vec3&, double) {
            if (i < j) pattern.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
        });
    whole = BlockMatrix(pattern);
    whole.set_zero(parallel);
    for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
        const auto columns = matrix.columns(i);
        for (std::uint32_t k = 0; k < columns.size(); ++k)
            whole.add(whole.slot(i, columns[k]), matrix.block(matrix.first_slot(i) + k));
    }
    for (const EdgeMatrix* e : edges)
        e->each_end([&](std::size_t i, std::size_t j, const Vec3& w, double s) {
            const Mat3 block = Mat3::diagonal({s, s, s}) + outer(w, w);
            whole.add(whole.diagonal_slot(i), block);
            whole.add(whole.slot(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)), block * -1.0);
        });
}

}  // namespace

const BlockCholesky* Integrator::factor(MotionSystem& system) {
    if (factorised_) return &cholesky_;
    const BlockMatrix& blocks = whole_matrix(system);
    if (!edges_.empty()) add_edges(blocks, edges_, whole_, system.parallel());
    const BlockMatrix& matrix = edges_.empty() ? blocks : whole_;
    if (!cholesky_.fits(matrix)) cholesky_.analyse(matrix);
    factorised_ = cholesky_.factorise(matrix, system.pinned());
    return factorised_ ? &cholesky_ : nullptr;
}

void Integrator::solve_linear(MotionSystem& system, std::span<const Vec3> b, std::span<Vec3> x,
                              const IntegrationSettings& settings, AdvanceReport& report,
                              bool may_be_single) {
    const auto pinned = system.pinned();
    PLUSH_ASSERT(b.size() == x.size() && (pinned.empty() || pinned.size() == x.size()));
    int left = settings.iterations;
    const auto note = [&](const SolveReport& solve) {
        left -= solve.iterations;
        report.solve.iterations += solve.iterations;
        report.solve.residual = solve.residual;
    };
    bool single = may_be_single && settings.tolerance >= least_single_tolerance;
    if (halved_ && single && dense_.empty() && edges_.empty()) {
        HalfMatrix& half = *system.half_matrix(factors_.k, factors_.b);
        const SolveReport solve =
            cg_.solve(half, b, pinned, x, {settings.tolerance, settings.iterations}, system.parallel());
        note(solve);
        if (solve.converged) return;
        if (left <= 0) {
            report.solve.converged = false;
            return;
        }
        single = false;  // it has got as far as it could
    }
    const BlockMatrix& matrix = whole_matrix(system);
    if (settings.solver == LinearSolver::cholesky && dense_.empty() && factor(system)) {
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = is_pinned(pinned, i) ? Vec3{} : b[i];
        return cholesky_.solve(x);
    }
    const SolveReport solve = cg_.solve(matrix, {dense_, edges_}, b, pinned, x,
                                        {settings.tolerance, left, single}, system.parallel());
    note(solve);
    report.solve.converged = report.solve.converged && solve.converged;
}

// r into `rest`, and its size |r|_{M⁻¹}, a velocity times √kg.
double Integrator::unbalanced(MotionSystem& system, const ImplicitStep& step, std::span<const Vec3> x,
                              std::span<const Vec3> v, double t, std::vector<Vec3>& rest) {
    const auto masses = system.masses();
    const auto pinned = system.pinned();
    PLUSH_ASSERT(masses.size() == x.size() && v.size() == x.size() && step.v.size() == x.size());
    rest.resize(x.size());
    system.forces(x, v, t, rest);
    double square = 0;
    for (std::size_t i = 0; i < rest.size(); ++i) {
        if (is_pinned(pinned, i)) {
            rest[i] = {};
            continue;
        }
        rest[i] = step.h * rest[i] - masses[i] * (v[i] - step.v[i]);
        square += norm2(rest[i]) / masses[i];
    }
    return std::sqrt(square);
}

// From s.x, s.v, which satisfy x' = x + h v', until the force is balanced or the iterations are used up.
void Integrator::newton(MotionSystem& system, const ImplicitStep& step, MotionState& s, double t,
                        const IntegrationSettings& settings, AdvanceReport& report) {
    const std::size_t n = s.x.size();
    const auto masses = system.masses();
    const auto potential = [&](std::span<const Vec3> x, std::span<const Vec3> v) {
        double sum = system.potential(x);
        for (std::size_t i = 0; i < n; ++i) sum += 0.5 * masses[i] * norm2(v[i] - step.v[i]);
        return sum;
    };
    PLUSH_ASSERT(step.h > 0 && a_.size() == n && s.last_change.size() == n && step.x.size() == n);
    // Relative to what the step has to balance: the impulses of all forces at its start.
    double first = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (!is_pinned(system.pinned(), i))
            first += norm2(step.h * a_[i]) / masses[i] + masses[i] * norm2(s.v[i] - step.v[i]);
    first = std::sqrt(first);
    change_.resize(n), x_try_.resize(n), v_try_.resize(n);
    double energy = potential(s.x, s.v);
    // Where the linear step has led astray, the velocity that the step began with is the better start.
    for (std::size_t i = 0; i < n; ++i)
        v_try_[i] = s.v[i] - s.last_change[i], x_try_[i] = step.x[i] + step.h * v_try_[i];
    if (const double before = potential(x_try_, v_try_); settings.newton > 1 && !(energy <= before)) {
        s.x.swap(x_try_), s.v.swap(v_try_);
        energy = before;
    }
    double left = unbalanced(system, step, s.x, s.v, t, rest_);
    std::vector<Vec3> rest_try;
    while (report.newton < settings.newton && left > settings.newton_tolerance * first) {
        linearise(system, s.x, s.v, t, -step.h * step.h, -step.h, true);
        add_masses(system, 1);
        std::fill(change_.begin(), change_.end(), Vec3{});
        solve_linear(system, rest_, change_, settings, report);
        if (system.pinned().empty()) balance_net(external_, rest_, change_);
        ++report.newton;
        const double push = along(rest_, change_);
        double scale = 1;
        bool better = false;
        for (int halvings = 0; halvings <= max_halvings && !better; ++halvings, scale *= 0.5) {
            for (std::size_t i = 0; i < n; ++i) {
                v_try_[i] = s.v[i] + scale * change_[i];
                x_try_[i] = step.x[i] + step.h * v_try_[i];
            }
            const double energy_try = potential(x_try_, v_try_);
            const double left_try = unbalanced(system, step, x_try_, v_try_, t, rest_try);
            better =
                left_try < left || (energy_try < energy && along(rest_try, change_) > -max_return * push);
            if (!better) continue;
            s.x.swap(x_try_), s.v.swap(v_try_), rest_.swap(rest_try);
            energy = energy_try, left = left_try;
        }
        if (!better) break;  // rounding, or forces that no step of this size can follow
    }
    report.unbalanced = first > 0 ? left / first : 0;
}

// Forces between vertices are linear about x, v. Contact is felt at the end: first where the velocities lead, then,
// as long as that disagrees, where the last solve did (tuning::end_iterations).
void Integrator::linear_step(MotionSystem& system, const ImplicitStep& step, std::span<const Vec3> x,
                             double t, double t_end, MotionState& s, const IntegrationSettings& settings,
                             AdvanceReport& report) {
    const std::size_t n = s.x.size();
    const std::vector<Vec3> v = s.v;
    const auto masses = system.masses();
    PLUSH_ASSERT(x.size() == n && step.x.size() == n && step.v.size() == n);
    // Of a start at x itself; else forces are those at x̂ + h v already.
    const double ahead = t == t_end ? 0 : step.h * step.h;
    x_end_.resize(n), v_end_ = v;
    for (std::size_t i = 0; i < n; ++i) x_end_[i] = step.x[i] + step.h * v[i];
    s.last_change.resize(n);
    for (int iteration = 0;; ++iteration) {
        const ExpectedEnd end{x_end_, v_end_, step.h, t_end, iteration};
        linearise(system, x, v, t, -step.h * step.h, -step.h, false, may_be_half(settings), &end);
        add_masses(system, 1);
        dv_.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            dv_[i] = step.h * a_[i] + ahead * product_[i] + masses[i] * (step.v[i] - v[i]);
        solve_linear(system, dv_, s.last_change, settings, report, true);
        if (system.pinned().empty()) balance_net(external_, dv_, s.last_change);
        for (std::size_t i = 0; i < n; ++i) {
            s.v[i] = v[i] + s.last_change[i];
            s.x[i] = step.x[i] + step.h * s.v[i];
        }
        if (iteration + 1 >= tuning::end_iterations || system.agrees_at({s.x, s.v, step.h, t_end, iteration}))
            break;
        x_end_ = s.x, v_end_ = s.v;
    }
    report.newton = 1;
}

AdvanceReport Integrator::implicit_euler(MotionSystem& system, MotionState& s, double h,
                                         const IntegrationSettings& settings) {
    AdvanceReport report;
    report.largest_step = HUGE_VAL;
    x_stage_ = s.x, v_stage_ = s.v;
    const ImplicitStep step{x_stage_, v_stage_, h};
    linear_step(system, step, x_stage_, s.t, s.t + h, s, settings, report);
    // Where vertices turn about one another by more than a little, springs that are linear about the start of the step
    // stretch at no cost.
    if (settings.newton > 1) newton(system, step, s, s.t + h, settings, report);
    const bool mend = gained(energy_of(system, x_stage_, v_stage_), energy_of(system, s.x, s.v));
    IntegrationSettings more = settings;
    more.newton = report.newton + mending_iterations;
    if (mend) newton(system, step, s, s.t + h, more, report);
    // Whoever keeps account of forces sees those of the end last.
    if (mend || settings.newton > 1) unbalanced(system, step, s.x, s.v, s.t + h, rest_);
    return report;
}

AdvanceReport Integrator::bdf2(MotionSystem& system, MotionState& s, double h,
                               const IntegrationSettings& settings) {
    const std::size_t n = s.x.size();
    const auto pinned = system.pinned();
    const bool starts = s.x_before.size() != n || s.v_before.size() != n || s.h_before != h;
    const std::vector<Vec3> x = s.x, v = s.v;
    AdvanceReport report;
    if (starts) {
        IntegrationSettings euler = settings;
        euler.newton = std::max(2, settings.newton);  // so that the forces at the end are evaluated
        report = implicit_euler(system, s, h, euler);
    } else {
        report.largest_step = HUGE_VAL;
        const double part = 2 * h / 3;
        x_stage_.resize(n), v_stage_.resize(n), dx_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            x_stage_[i] = (4 * x[i] - s.x_before[i]) / 3;
            v_stage_[i] = (4 * v[i] - s.v_before[i]) / 3;
            if (is_pinned(pinned, i)) x_stage_[i] = x[i] + (h - part) * v[i], v_stage_[i] = v[i];
            dx_[i] = x_stage_[i] + part * v[i];
        }
        const ImplicitStep step{x_stage_, v_stage_, part};
        linear_step(system, step, dx_, s.t + h, s.t + h, s, settings, report);
        // Looks at the forces at the end even where it has no iteration left.
        newton(system, step, s, s.t + h, settings, report);
        // H may grow by a part of what the steps before took. What may not grow as well is the pair's energy, which never does where
        // forces are linear (Dahlquist 1978, "G-stability is equivalent to A-stability").
        const StepEnergy start = energy_of(system, x, v);
        const auto gains = [&] {
            const StepEnergy end = energy_of(system, s.x, s.v);
            return gained(start, end, max_given_back) ||
                   (gained(start, end) && gained(pair_energy(system, x, v, s.x_before, s.v_before),
                                                 pair_energy(system, s.x, s.v, x, v)));
        };
        if (gains()) {
            IntegrationSettings more = settings;
            more.newton = report.newton + mending_iterations;
            newton(system, step, s, s.t + h, more, report);
        }
        if (gains()) {
            s.x = x, s.v = v, s.x_before.clear();
            return bdf2(system, s, h, settings);
        }
        unbalanced(system, step, s.x, s.v, s.t + h, rest_);
    }
    s.x_before = x, s.v_before = v, s.h_before = h;
    return report;
}

AdvanceReport Integrator::quasi_static(MotionSystem& system, MotionState& s, double h,
                                       const IntegrationSettings& settings) {
    const std::size_t n = s.x.size();
    const auto pinned = system.pinned();
    const auto masses = system.masses();
    const int most = settings.newton > 0 ? settings.newton : 100;
    const double t = s.t + h;
    AdvanceReport report;
    report.largest_step = HUGE_VAL;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_pinned(pinned, i)) s.x[i] += h * s.v[i];
        s.v[i] = {};
    }
    change_.resize(n), rest_.resize(n), x_try_.resize(n);
    const auto force = [&](std::span<const Vec3> x, std::vector<Vec3>& f) {
        f.resize(n);
        system.forces(x, s.v, t, f);
        double square = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (is_pinned(pinned, i)) f[i] = {};
            square += norm2(f[i]);
        }
        return std::sqrt(square);
    };
    std::vector<Vec3> rest_try;
    double left = force(s.x, rest_), energy = system.potential(s.x), first = left;
    double total_mass = 0;
    for (const double m : masses) total_mass += m;
    Box3 box;
    for (const Vec3& p : s.x) box.add(p);
    const double extent = norm(box.size());
    bool at_rest = false;
    // A body that nothing holds has no equilibrium but its own: the stand-in for M keeps it from going far.
    double hold = 1e-8;
    for (; report.newton < most && left > settings.newton_tolerance * first; ++report.newton) {
        linearise(system, s.x, s.v, t, -1, 0, true);
        double diagonal = 0;
        const BlockMatrix& matrix = system.matrix();
        for (std::size_t i = 0; i < n; ++i) diagonal += trace(matrix.block(matrix.diagonal_slot(i)));
        at_rest = left <= 1e-14 * diagonal * extent;  // what rounding leaves of forces in balance
        if (at_rest) break;
        add_masses(system, hold * diagonal / (3 * total_mass));
        std::fill(change_.begin(), change_.end(), Vec3{});
        solve_linear(system, rest_, change_, settings, report);
        double scale = 1;
        bool better = false;
        for (int halvings = 0; halvings <= max_halvings && !better; ++halvings, scale *= 0.5) {
            for (std::size_t i = 0; i < n; ++i) x_try_[i] = s.x[i] + scale * change_[i];
            const double energy_try = system.potential(x_try_);
            const double left_try = force(x_try_, rest_try);
            better = energy_try < energy || left_try < left;
            if (!better) continue;
            s.x.swap(x_try_), rest_.swap(rest_try);
            energy = energy_try, left = left_try;
            first = std::max(first, left);
        }
        if (better)
            hold = std::max(1e-8, scale < 0.5 ? hold : 0.1 * hold);
        else if ((hold *= 100) > 1)
            break;
    }
    report.unbalanced = first > 0 ? left / first : 0;
    report.solve.converged = at_rest || left <= settings.newton_tolerance * first;
    return report;
}

SolveReport Integrator::respond(MotionSystem& system, std::span<const Vec3> impulses, std::span<Vec3> change,
                                const IntegrationSettings& settings) {
    AdvanceReport report;
    solve_linear(system, impulses, change, settings, report);
    if (system.pinned().empty()) balance_net(external_, impulses, change);
    return report.solve;
}

}  // namespace plush
