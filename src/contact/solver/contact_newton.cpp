#include "contact/solver/contact_newton.hpp"

#include <algorithm>
#include <cmath>

#include "contact/solver/limited_impulse.hpp"
#include "core/assert.hpp"
#include "core/tuning.hpp"

// All rows are scaled by √d, so that W has a diagonal near 1. Two methods take turns; after each step comes a sweep, which
// brings the impulses back within their bounds, and the natural map tells what is left.
//
// Active sets (Alart & Curnier 1991; Hüeber, Stadler & Wohlmuth 2008). λ − w says of each contact whether it is open, sticks
// or slips, and Newton's step solves the linear equations of that guess:
//
//     open    λ = 0
//     sticks  w = 0
//     slips   w_n = 0, λ_t = μ λ_n t,  t = (λ_t − w_t)/|λ_t − w_t|, which turns with λ_t and w_t
//
// This is quick where rows are independent of each other. Where they are redundant, as those of a box on four corners, it
// may guess in circles.
//
// Proximal points (Rockafellar 1976) with a convex problem each. About a centre c,
//
//     λ = Π_K(c − (w + s)/ε),   w = W λ + q,   s = μ |w_t| along n  (De Saxcé & Feng 1998),
//
// has one λ, however redundant rows are, and c ← λ converges like ε/(ε + σ) in a mode with the compliance σ. With a fixed s
// it is the minimum over p, w = W p + q, of
//
//     ½ p·W p + ε/2 Σ |Π_K(c − (w + s)/ε)|²,
//
// smooth and convex, so that Newton's method with a line search always arrives (Castro, Permenter & Han 2022 solve their
// contacts so). With s of the present w Newton's equations are not symmetric; from the minimum that takes a step or two,
// and where it does not, s is taken from the minimum and kept for another.

namespace plush {
namespace {

double dot_of(const std::vector<double>& x, const std::vector<double>& y) {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
    return sum;
}

double largest_of(const std::vector<double>& x) {
    double largest = 0;
    for (const double v : x) largest = std::max(largest, std::abs(v));
    return largest;
}

void add_scaled(std::vector<double>& x, double factor, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += factor * y[i];
}

/// Onto the disc.
void bound_tangent(Vec3& x, double radius) {
    const double length = std::sqrt(x.y * x.y + x.z * x.z);
    if (length > radius) {
        const double part = radius > 0 ? radius / length : 0;
        x.y *= part, x.z *= part;
    }
}

constexpr Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

}  // namespace

ContactNewton::ContactNewton(std::vector<NewtonBlock> blocks, std::vector<double> compliance)
    : blocks_(std::move(blocks)), matrix_(std::move(compliance)) {
    const std::size_t n = rows();
    PLUSH_ASSERT(matrix_.size() == n * n);
    bias_.resize(n);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        NewtonBlock& b = blocks_[i];
        Vec3 root{1, 1, 1};
        for (std::size_t k = 0; k < b.rows; ++k) {
            PLUSH_ASSERT(b.compliance[k] > 0);
            root[k] = std::sqrt(b.compliance[k]);
        }
        root_.push_back(root);
        for (std::size_t k = 0; k < b.rows; ++k) bias_[3 * i + k] = b.bias[k] / root[k];
        cone_.push_back(b.law == NewtonBlock::Law::contact && b.rows == 3 ? b.friction * root.y / root.x : 0);
        b.low *= root.x, b.high *= root.x;
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) matrix_[i * n + j] /= root_[i / 3][i % 3] * root_[j / 3][j % 3];
}

void ContactNewton::multiply(const Vector& x, Vector& y) const {
    const std::size_t n = rows();
    y.assign(n, 0);
    for (std::size_t j = 0; j < n; ++j) {  // W is symmetric
        if (x[j] == 0) continue;
        const double* const row = &matrix_[j * n];
        for (std::size_t i = 0; i < n; ++i) y[i] += x[j] * row[i];
    }
}

ContactNewton::Vector ContactNewton::velocities(const Vector& x) const {
    Vector w;
    multiply(x, w);
    add_scaled(w, 1, bias_);
    return w;
}

double ContactNewton::residual(const Vector& x, const Vector& w) const {
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const NewtonBlock& b = blocks_[i];
        const Vec3 now = at(x, i);
        Vec3 y = now - at(w, i);
        for (std::size_t k = b.rows; k < 3; ++k) y[k] = 0;
        if (b.law == NewtonBlock::Law::bounded) y.x = std::clamp(y.x, b.low, b.high);
        if (b.law == NewtonBlock::Law::limited) y = into_ball(y, b.high);
        if (b.law == NewtonBlock::Law::contact) {
            y.x = std::max(0.0, y.x);
            bound_tangent(y, cone_[i] * y.x);
        }
        for (std::size_t k = 0; k < 3; ++k) {
            worst = std::max(worst, std::abs(now[k] - y[k]) / root_[i][k]);
            scale = std::max(scale, std::abs(now[k]) / root_[i][k]);
        }
    }
    return scale > 0 ? worst / scale : worst;
}

/// Projected Gauss-Seidel, the normal of a contact before its tangents.
void ContactNewton::sweep(Vector& x, Vector& w) const {
    const std::size_t n = rows();
    const auto change = [&](std::size_t row, double value) {
        const double by = value - x[row];
        if (by == 0) return;
        x[row] = value;
        for (std::size_t j = 0; j < n; ++j) w[j] += by * matrix_[row * n + j];
    };
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const NewtonBlock& b = blocks_[i];
        const double next = x[3 * i] - w[3 * i];
        switch (b.law) {
            case NewtonBlock::Law::free:
                for (std::size_t k = 0; k < b.rows; ++k) change(3 * i + k, x[3 * i + k] - w[3 * i + k]);
                break;
            case NewtonBlock::Law::bounded:
                change(3 * i, std::clamp(next, b.low, b.high));
                break;
            case NewtonBlock::Law::limited: {
                const Vec3 y = into_ball(at(x, i) - at(w, i), b.high);
                for (std::size_t k = 0; k < 3; ++k) change(3 * i + k, y[k]);
                break;
            }
            case NewtonBlock::Law::contact:
                change(3 * i, std::max(0.0, next));
                if (b.rows == 1) break;
                Vec3 y = at(x, i) - at(w, i);
                bound_tangent(y, cone_[i] * x[3 * i]);
                change(3 * i + 1, y.y), change(3 * i + 2, y.z);
        }
    }
}

// -- active sets

/// What a block is guessed to do: unknowns, and the change of impulse that is fixed beforehand.
void ContactNewton::add_unknowns(std::size_t i, const Vec3& x, const Vec3& w, std::vector<Unknown>& unknowns,
                                 Vec3& fixed) const {
    const NewtonBlock& b = blocks_[i];
    const auto block = static_cast<std::uint32_t>(i);
    const auto solve_rows = [&](std::size_t count) {
        for (std::size_t k = 0; k < count; ++k)
            unknowns.push_back({block, axes[k], axes[k], tuning::newton_epsilon, -w[k]});
    };
    const double normal = x.x - w.x;
    if (b.law == NewtonBlock::Law::free) return solve_rows(b.rows);
    if (b.law == NewtonBlock::Law::bounded) {
        if (normal <= b.low || normal >= b.high)
            fixed.x = (normal <= b.low ? b.low : b.high) - x.x;
        else
            solve_rows(1);
        return;
    }
    if (b.law == NewtonBlock::Law::limited) {
        // λ = R z/|z|, z = λ − w: along z it is known, across it turns with z as the direction of slip does.
        const Vec3 z = x - w;
        const double length = norm(z), part = b.high / length;
        if (length <= b.high) return solve_rows(3);
        const Vec3 t = z / length, u = perpendicular(t);
        fixed = (b.high - dot(x, t)) * t;
        for (const Vec3& across : {u, cross(t, u)}) {
            const double aside = dot(x, across);
            if (part > tuning::newton_epsilon)
                unknowns.push_back(
                    {block, across, across, (1 - part) / part + tuning::newton_epsilon, -aside / part});
            else
                fixed -= aside * across;
        }
        return;
    }
    if (normal <= 0) {
        fixed = -x;
        return;
    }
    const double y = x.y - w.y, z = x.z - w.z, length = std::sqrt(y * y + z * z), mu = cone_[i];
    if (!(mu > 0)) fixed = {0, -x.y, -x.z};
    if (!(mu > 0) || length <= mu * normal) return solve_rows(mu > 0 ? 3 : 1);
    const Vec3 t{0, y / length, z / length}, across{0, -t.z, t.y};
    fixed = (mu * x.x - dot(x, t)) * t;
    unknowns.push_back({block, axes[0] + mu * t, axes[0], tuning::newton_epsilon, -w.x});
    // (1 − a) δλ + a δw = −λ across the direction of slip, a = μ λ_n/|λ_t − w_t|.
    const double a = std::min(1.0, mu * std::max(0.0, x.x) / length), aside = dot(x, across);
    if (a > tuning::newton_epsilon)
        unknowns.push_back({block, across, across, (1 - a) / a + tuning::newton_epsilon, -aside / a});
    else
        fixed -= aside * across;
}

bool ContactNewton::active_set_step(Vector& x, const Vector& w) {
    std::vector<Unknown> unknowns;
    Vector fixed(rows()), change;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Vec3 of{};
        add_unknowns(i, at(x, i), at(w, i), unknowns, of);
        for (std::size_t k = 0; k < 3; ++k) fixed[3 * i + k] = of[k];
    }
    multiply(fixed, change);
    std::vector<double> y;
    for (const Unknown& u : unknowns) y.push_back(u.right - dot(u.row, at(change, u.block)));
    if (!unknowns.empty() && !solve_unknowns(unknowns, y, false)) return false;
    add_scaled(x, 1, fixed);
    for (std::size_t k = 0; k < unknowns.size(); ++k)
        for (std::size_t r = 0; r < 3; ++r) x[3 * unknowns[k].block + r] += y[k] * unknowns[k].column[r];
    return std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
}

/// x becomes the best of the steps, if it leaves less than before.
void ContactNewton::try_active_sets(int most, Vector& x, double& left) {
    Vector now = x, w = velocities(x);
    int worse = 0;
    for (int step = 0; step < most && left > limits_.tolerance && worse < tuning::newton_patience && !spent();
         ++step) {
        if (!active_set_step(now, w)) return;
        w = velocities(now);
        sweep(now, w);
        const double found = residual(now, w);
        worse = found < left ? 0 : worse + 1;
        if (found < left) x = now, left = found;
    }
}

// -- proximal points

/// Π_K(z), and the directions in which it moves with z: unknowns with ε over the eigenvalue on their diagonal.
Vec3 ContactNewton::project(std::size_t i, const Vec3& z, double epsilon,
                            std::vector<Unknown>* unknowns) const {
    const NewtonBlock& b = blocks_[i];
    const auto add = [&](const Vec3& along, double eigenvalue) {
        if (unknowns)
            unknowns->push_back({static_cast<std::uint32_t>(i), along, along, epsilon / eigenvalue, 0});
    };
    const auto keep_rows = [&](std::size_t count) {
        Vec3 kept{};
        for (std::size_t k = 0; k < count; ++k) kept[k] = z[k], add(axes[k], 1);
        return kept;
    };
    if (b.law == NewtonBlock::Law::free) return keep_rows(b.rows);
    if (b.law == NewtonBlock::Law::bounded) {
        if (z.x > b.low && z.x < b.high) return keep_rows(1);
        return {std::clamp(z.x, b.low, b.high), 0, 0};
    }
    if (b.law == NewtonBlock::Law::limited) {
        const double length = norm(z);
        if (length <= b.high) return keep_rows(3);
        const Vec3 t = z / length, u = perpendicular(t);
        if (b.high > 0) add(u, b.high / length), add(cross(t, u), b.high / length);
        return b.high * t;
    }
    const double mu = cone_[i];
    if (!(mu > 0)) return z.x > 0 ? keep_rows(1) : Vec3{};
    const double length = std::sqrt(z.y * z.y + z.z * z.z);
    if (length <= mu * z.x) return keep_rows(3);
    const double normal = (z.x + mu * length) / (1 + mu * mu);
    if (normal <= 0) return {};
    const Vec3 t{0, z.y / length, z.z / length}, ray = axes[0] + mu * t;
    add(ray / std::sqrt(1 + mu * mu), 1);
    add({0, -t.z, t.y}, mu * normal / length);
    return normal * ray;
}

void ContactNewton::apply_laws(const Vector& centre, const Vector& shift, double epsilon, Point& point,
                               bool derivatives) const {
    point.impulse.resize(rows());
    point.unknowns.clear();
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Vec3 v = at(point.w, i);
        v.x += shift[i];
        const Vec3 x =
            project(i, at(centre, i) - v / epsilon, epsilon, derivatives ? &point.unknowns : nullptr);
        for (std::size_t k = 0; k < 3; ++k) point.impulse[3 * i + k] = x[k];
    }
}

/// s, one number a block.
ContactNewton::Vector ContactNewton::dilation(const Vector& w) const {
    Vector s(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        if (cone_[i] > 0)
            s[i] = cone_[i] * std::sqrt(w[3 * i + 1] * w[3 * i + 1] + w[3 * i + 2] * w[3 * i + 2]);
    return s;
}

/// Newton's direction for p = λ(w(p)): (1 + G W) δp = λ − p, G the derivative of λ. `coulomb`: s moves with w.
bool ContactNewton::direction(const Point& point, bool coulomb, Vector& dp) {
    dp = point.impulse;
    add_scaled(dp, -1, point.p);
    Vector change;
    multiply(dp, change);
    std::vector<Unknown> unknowns = point.unknowns;
    std::vector<double> y;
    for (Unknown& u : unknowns) {
        const Vec3 w = at(point.w, u.block);
        const double slip = std::sqrt(w.y * w.y + w.z * w.z);
        if (coulomb && cone_[u.block] > 0 && slip > 0)
            u.row += u.row.x * cone_[u.block] / slip * Vec3{0, w.y, w.z};
        y.push_back(dot(u.row, at(change, u.block)));
    }
    if (!unknowns.empty() && !solve_unknowns(unknowns, y, !coulomb)) return false;
    for (std::size_t k = 0; k < unknowns.size(); ++k)
        for (std::size_t r = 0; r < 3; ++r) dp[3 * unknowns[k].block + r] -= y[k] * unknowns[k].column[r];
    return true;
}

/// The step along dp at which the derivative of the convex function has almost vanished.
double ContactNewton::line_search(const Vector& centre, const Vector& shift, double epsilon,
                                  const Point& point, const Vector& dp, const Vector& dw) const {
    Point there;
    const auto slope = [&](double step) {
        there.p = point.p, there.w = point.w;
        add_scaled(there.p, step, dp), add_scaled(there.w, step, dw);
        apply_laws(centre, shift, epsilon, there, false);
        return dot_of(dw, there.p) - dot_of(dw, there.impulse);
    };
    const double first = slope(0), enough = tuning::newton_slope * std::abs(first);
    if (!(first < 0)) return 0;
    double low = 0, high = 1, at_low = first, at_high = slope(1), step = 1;
    for (int k = 0; k < tuning::newton_line_steps && at_high > enough; ++k) {
        step = low + (high - low) * std::clamp(-at_low / (at_high - at_low), 0.1, 0.9);
        const double found = slope(step);
        if (std::abs(found) <= enough) break;
        (found < 0 ? low : high) = step;
        (found < 0 ? at_low : at_high) = found;
    }
    return step;
}

/// The convex problem with a fixed s.
void ContactNewton::minimise(const Vector& centre, const Vector& shift, double epsilon, Point& point) {
    Vector dp, dw;
    for (int step = 0; step < tuning::newton_convex_steps && !spent(); ++step) {
        apply_laws(centre, shift, epsilon, point, true);
        dp = point.impulse;
        add_scaled(dp, -1, point.p);
        multiply(dp, dw);
        scale_ = std::max(scale_, largest_of(point.impulse));
        if (largest_of(dw) <= tuning::newton_inner * epsilon * scale_ || !direction(point, false, dp)) return;
        multiply(dp, dw);
        const double length = line_search(centre, shift, epsilon, point, dp, dw);
        if (length == 0) return;
        add_scaled(point.p, length, dp), add_scaled(point.w, length, dw);
    }
}

/// √(r·W r), r = λ(w) − p with s of the present w.
double ContactNewton::merit(const Vector& centre, double epsilon, Point& point) const {
    apply_laws(centre, dilation(point.w), epsilon, point, true);
    Vector r = point.impulse, wr;
    add_scaled(r, -1, point.p);
    multiply(r, wr);
    return std::sqrt(std::max(0.0, dot_of(r, wr)));
}

/// Newton's method with s of the present w; false where it does not get on.
bool ContactNewton::solve_coulomb(const Vector& centre, double epsilon, Point& point) {
    double now = merit(centre, epsilon, point);
    Vector dp, dw;
    for (int step = 0; step < tuning::newton_coulomb_steps; ++step) {
        if (now <= tuning::newton_inner * epsilon * scale_) return true;
        if (spent() || !direction(point, true, dp)) return false;
        multiply(dp, dw);
        bool better = false;
        for (double length = 1; length > 0.1 && !better; length *= 0.5) {
            Point next{point.p, point.w, {}, {}};
            add_scaled(next.p, length, dp), add_scaled(next.w, length, dw);
            const double found = merit(centre, epsilon, next);
            better = found < (1 - tuning::newton_decrease * length) * now;
            if (better) now = found, point = std::move(next);
        }
        if (!better) return false;
    }
    return false;
}

/// True where the first minimum led to it.
bool ContactNewton::solve_proximal(const Vector& centre, double epsilon, Point& point) {
    for (int round = 0; round < tuning::newton_rounds && !spent(); ++round) {
        minimise(centre, dilation(point.w), epsilon, point);
        if (solve_coulomb(centre, epsilon, point)) return round == 0;
    }
    return false;
}

ContactNewton::End ContactNewton::solve(std::span<Vec3> impulses, const Limits& limits) {
    PLUSH_ASSERT(impulses.size() == blocks_.size());
    limits_ = limits;
    factorisations_ = 0;
    Vector best(rows());
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        for (std::size_t k = 0; k < blocks_[i].rows; ++k) best[3 * i + k] = impulses[i][k] * root_[i][k];
    scale_ = largest_of(best);
    double left = residual(best, velocities(best));
    try_active_sets(tuning::newton_first_steps, best, left);
    Vector centre = best;
    Point point{centre, velocities(centre), {}, {}};
    double epsilon = tuning::newton_first_epsilon;
    while (left > limits_.tolerance && !spent()) {
        const bool easy = solve_proximal(centre, epsilon, point);
        centre = point.impulse;
        if (!std::all_of(centre.begin(), centre.end(), [](double v) { return std::isfinite(v); })) break;
        Vector x = centre, w = velocities(x);
        sweep(x, w);
        const double after = residual(x, w);
        double found = after;
        try_active_sets(tuning::newton_next_steps, x, found);
        if (found < tuning::newton_jump * after) centre = x, point = {x, velocities(x), {}, {}};
        if (found < left) best = x, left = found;
        epsilon = easy ? std::max(tuning::newton_least_epsilon, tuning::newton_shrink * epsilon)
                       : std::min(tuning::newton_first_epsilon, tuning::newton_grow * epsilon);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k) impulses[i][k] = best[3 * i + k] / root_[i][k];
    return {left, factorisations_};
}

}  // namespace plush
