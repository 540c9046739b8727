#include "bodies/deformable/assembly.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

Vec3 velocity_at(const Twist& motion, const Vec3& arm) {
    return motion.linear + cross(motion.angular, arm);
}

/// (V', ω') of mass `m`, inertia `j` about the centre and first moment `s` under a force and a torque:
///     m a − s × α = F,     s × a + j α = T.
Twist acceleration(double m, const Vec3& s, const Mat3& j, const Vec3& force, const Vec3& torque) {
    PLUSH_ASSERT(m > 0);
    const Mat3 turn = skew(s);
    const Vec3 alpha = inverse(j + (turn * turn) * (1 / m)) * (torque - cross(s, force) / m);
    return {(force + cross(s, alpha)) / m, alpha};
}

/// A lower bound of the smallest eigenvalue of a symmetric positive definite matrix.
double least_eigenvalue(const Mat3& m) {
    const Mat3 i = inverse(m);
    double largest_row = 0;
    for (std::size_t r = 0; r < 3; ++r)
        largest_row = std::max(largest_row, std::abs(i(r, 0)) + std::abs(i(r, 1)) + std::abs(i(r, 2)));
    return 1 / largest_row;
}

/// What of (δθ × r) × f pushes back: −∂(r × f)/∂θ, symmetric, without its negative eigenvalues. With unit
/// vectors r̂ and f̂, s = r̂ + f̂ and d = r̂ − f̂ are eigenvectors, and so is what is across both.
Mat3 load_stiffness(const Vec3& r, const Vec3& f) {
    const double scale = norm(r) * norm(f);
    if (!(scale > 0)) return {};
    const Vec3 u = r / norm(r), w = f / norm(f), s = u + w, d = u - w;
    const double c = dot(u, w);
    if (c <= 0) return outer(d, d) * (scale * (1 + c) / (4 * (1 - c)));
    const Mat3 across = Mat3::diagonal({1, 1, 1}) - outer(s, s) * (1 / (2 * (1 + c)));
    return (across * c + outer(d, d) * 0.25) * scale;
}

Mat3 diagonal(double d) {
    return Mat3::diagonal({d, d, d});
}

}  // namespace

std::optional<Error> why_not_attached(const IntegrationSettings& settings) {
    using Method = IntegrationMethod;
    if (settings.method == Method::verlet || settings.method == Method::time_corrected_verlet)
        return Error(
            {.problem = "a body that is advanced by a Verlet method cannot be attached to a free one",
             .cure = "take implicit_euler or semi_implicit_euler"});
    if (settings.method == Method::quasi_static)
        return Error(
            {.problem =
                 "a quasi-static body has no inertia to share with the free one that it is attached to",
             .cure =
                 "take implicit_euler, which comes to rest in the same place, or give the weight as loads"});
    if (evaluates_the_end(settings))
        return Error(
            {.problem = "a body that is attached to a free one has one Newton iteration of implicit_euler",
             .cure = "take implicit_euler with newton 1, or an explicit method"});
    return {};
}

Assembly::Assembly(std::vector<DeformableBody*> bodies, std::size_t attached_bodies,
                   std::vector<AttachedVertex> attached, const Parallel& parallel)
    : bodies_(std::move(bodies)), attached_(std::move(attached)), parallel_(parallel) {
    PLUSH_ASSERT(!bodies_.empty());
    for (const DeformableBody* body : bodies_) {
        parts_.push_back({vertices_, {}, {}, {}, {}});
        vertices_ += body->positions().size();
    }
    attached_to_.assign(vertices_ + 2 * attached_bodies, none);
    for (const AttachedVertex& c : attached_) {
        PLUSH_ASSERT(c.body < parts_.size() && c.attached_body < attached_bodies);
        PLUSH_ASSERT(c.vertex < bodies_[c.body]->positions().size());
        attached_rows_.push_back(parts_[c.body].first + c.vertex);
        attached_to_[attached_rows_.back()] = c.attached_body;
    }
    masses_.resize(rows()), pinned_.resize(rows()), arms_.resize(rows());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        std::copy(bodies_[b]->masses().begin(), bodies_[b]->masses().end(),
                  part(std::span(masses_), b).begin());
}

// -- the step -----------------------------------------------------------------------------------------

void Assembly::begin(double h, const Vec3& gravity, std::span<AttachedBody> attached_bodies) {
    PLUSH_ASSERT(vertices_ + 2 * attached_bodies.size() == rows());
    attached_bodies_ = attached_bodies;
    for (DeformableBody* body : bodies_) body->begin_prediction(h, gravity);
    gather(h);
    look_at_loads();
}

void Assembly::predict(double h) {
    PLUSH_ASSERT(h > 0 && state_.x.size() == rows() && loads_.size() == rows());
    const Result<AdvanceReport> report = advance(h);
    if (!report) {
        for (DeformableBody* body : bodies_) body->give_up(report.error());
        return;
    }
    for (std::size_t c = 0; c < attached_bodies_.size(); ++c) {
        AttachedBody& attached_body = attached_bodies_[c];
        const Twist after{state_.v[velocity_row(c)], state_.v[spin_row(c)]};
        attached_body.impulse = {
            attached_body.mass * (after.linear - attached_body.velocity.linear) - h * attached_body.force,
            attached_body.inertia * (after.angular - attached_body.velocity.angular) -
                h * attached_body.torque};
        for (std::size_t k = 0; k < attached_.size(); ++k)
            if (attached_[k].attached_body == c)
                state_.v[attached_rows_[k]] = velocity_at(after, arms_[attached_rows_[k]]);
    }
    hand_out(report.value());
}

Result<AdvanceReport> Assembly::advance(double h) {
    const IntegrationSettings& settings = bodies_.front()->settings().integration;
    for (const DeformableBody* body : bodies_)
        if (body->settings().integration.method != settings.method)
            return Error(
                {.problem = "bodies that are attached to the same rigid body have different integrators",
                 .cure = "give them the same one"});
    if (auto refusal = why_not_attached(settings)) return *refusal;
    if (implicit_ && matrix_.rows() != rows()) make_pattern();
    return integrator_.advance(*this, state_, h, settings);
}

void Assembly::gather(double h) {
    implicit_ = bodies_.front()->settings().integration.method == IntegrationMethod::implicit_euler;
    MotionState& state = state_;
    state.t = bodies_.front()->time();
    state.x.assign(rows(), {}), state.v.assign(rows(), {}), state.last_change.assign(rows(), {});
    std::fill(pinned_.begin(), pinned_.end(), std::uint8_t{0});
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const MotionState& from = bodies_[b]->next();
        std::copy(from.x.begin(), from.x.end(), part(std::span(state.x), b).begin());
        std::copy(from.v.begin(), from.v.end(), part(std::span(state.v), b).begin());
        if (from.last_change.size() == from.x.size())
            std::copy(from.last_change.begin(), from.last_change.end(),
                      part(std::span(state.last_change), b).begin());
        const auto pins = bodies_[b]->pins();
        std::copy(pins.begin(), pins.end(), part(std::span(pinned_), b).begin());
    }
    for (std::size_t c = 0; c < attached_bodies_.size(); ++c) {
        const AttachedBody& attached_body = attached_bodies_[c];
        const std::size_t v = velocity_row(c), w = spin_row(c);
        PLUSH_ASSERT(attached_body.mass > 0);
        state.x[v] = attached_body.centre;
        state.v[v] = attached_body.velocity.linear, state.v[w] = attached_body.velocity.angular;
        state.last_change[v] =
            h * attached_body.force / attached_body.mass;  // a guess, which is all it is for
        masses_[v] = attached_body.mass;
        // The rest of the inertia joins the matrix; what is left here must be definite.
        masses_[w] = least_eigenvalue(attached_body.inertia);
    }
    for (std::size_t k = 0; k < attached_.size(); ++k) {
        const std::size_t row = attached_rows_[k];
        const AttachedBody& attached_body = attached_bodies_[attached_[k].attached_body];
        arms_[row] = state.x[row] - attached_body.centre;
        state.v[row] = velocity_at(attached_body.velocity, arms_[row]);
        state.last_change[row] = {};
        pinned_[row] = implicit_;  // its row is empty: what it would hold is in those of its rigid body
    }
}

void Assembly::look_at_loads() {
    loads_.resize(rows());
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        bodies_[b]->system().forces(part(std::span<const Vec3>(state_.x), b),
                                    part(std::span<const Vec3>(state_.v), b), state_.t,
                                    part(std::span(loads_), b));
}

void Assembly::hand_out(const AdvanceReport& report) {
    const MotionState& state = state_;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        MotionState& to = bodies_[b]->next();
        const auto x = part(std::span(state.x), b), v = part(std::span(state.v), b);
        to.x.assign(x.begin(), x.end());
        to.v.assign(v.begin(), v.end());
        if (implicit_) {
            const auto change = part(std::span(state.last_change), b);
            to.last_change.assign(change.begin(), change.end());
        }
        to.t = state.t;
        bodies_[b]->finish_prediction(report);
    }
}

// -- forces -------------------------------------------------------------------------------------------

void Assembly::forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        bodies_[b]->system().forces(part(x, b), part(v, b), t, part(f, b));
    accelerate_attached(x, v, f);
}

/// From forces on all vertices to those on free ones and on rigid bodies. For implicit Euler these are the
/// pulled-back forces. The explicit methods divide by masses: they get mass times acceleration.
void Assembly::accelerate_attached(std::span<const Vec3> x, std::span<const Vec3> v,
                                   std::span<Vec3> f) const {
    for (std::size_t c = 0; c < attached_bodies_.size(); ++c) {
        const AttachedBody& attached_body = attached_bodies_[c];
        const std::size_t row_v = velocity_row(c), row_w = spin_row(c);
        const Vec3 spin = v[row_w];
        Vec3 force = attached_body.force, torque = attached_body.torque, moment{};
        double mass = attached_body.mass;
        Mat3 inertia = attached_body.inertia;
        for (std::size_t k = 0; k < attached_.size(); ++k) {
            if (attached_[k].attached_body != c) continue;
            const std::size_t i = attached_rows_[k];
            const Vec3 r = x[i] - x[row_v], inward = cross(spin, cross(spin, r));
            const Vec3 left = f[i] - masses_[i] * inward;
            force += left, torque += cross(r, left);
            const Mat3 turn = skew(r);
            mass += masses_[i], moment += masses_[i] * r, inertia = inertia - (turn * turn) * masses_[i];
        }
        if (implicit_) {
            f[row_v] = force, f[row_w] = torque;
        } else {
            const Twist a = acceleration(mass, moment, inertia, force, torque);
            f[row_v] = masses_[row_v] * a.linear, f[row_w] = masses_[row_w] * a.angular;
            for (std::size_t k = 0; k < attached_.size(); ++k) {
                if (attached_[k].attached_body != c) continue;
                const std::size_t i = attached_rows_[k];
                const Vec3 r = x[i] - x[row_v];
                f[i] = masses_[i] * (velocity_at(a, r) + cross(spin, cross(spin, r)));
            }
        }
    }
    if (implicit_)
        for (const std::size_t i : attached_rows_) f[i] = {};
}

// Σ k (V + ω × r)² ≤ 2 Σ k (V² + r² ω²): what the springs of attached vertices are to the two points.
void Assembly::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        bodies_[b]->system().add_stiffness(part(x, b), {part(bounds.k, b), part(bounds.d, b)});
    for (std::size_t k = 0; k < attached_.size(); ++k) {
        const std::size_t i = attached_rows_[k], c = attached_[k].attached_body;
        const double r2 = norm2(x[i] - x[velocity_row(c)]);
        for (const std::span<double> bound : {bounds.k, bounds.d}) {
            bound[velocity_row(c)] += 2 * bound[i];
            bound[spin_row(c)] += 2 * r2 * bound[i];
            bound[i] = 0;
        }
        bounds.k[spin_row(c)] += std::sqrt(r2) * norm(loads_[i]);
    }
}

double Assembly::least_damping() const {
    return 0;  // nothing damps the rigid bodies
}

void Assembly::limit_friction(double part) {
    for (DeformableBody* body : bodies_) body->system().limit_friction(part);
}

// -- the matrix ---------------------------------------------------------------------------------------

void Assembly::make_pattern() {
    BlockPattern pattern(rows());
    // The rows that a row of a body turns into: its own, or the two of its rigid body.
    const auto turned = [&](std::size_t row) -> std::pair<std::size_t, std::size_t> {
        const std::uint32_t c = attached_to_[row];
        return c == none ? std::pair{row, row} : std::pair{velocity_row(c), spin_row(c)};
    };
    const auto add = [&](std::size_t i, std::size_t j) {
        if (i != j) pattern.add(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j));
    };
    // The springs say which edges they make when they are asked for derivatives.
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const std::size_t n = bodies_[b]->positions().size();
        BlockMatrix& own = bodies_[b]->system().matrix();
        std::vector<Mat3> external(n);
        std::vector<RankOneTerm> terms;
        std::vector<Vec3> product(n);
        parts_[b].edges.clear();
        Linearisation out{-1, -1, own, external, terms, parts_[b].edges, product, false, true};
        bodies_[b]->system().add_derivatives(bodies_[b]->positions(), bodies_[b]->velocities(), 0, out);
    }
    const auto each_end = [&](auto&& f) {
        for (Part& p : parts_)
            for (const EdgeMatrix* edges : p.edges)
                edges->each_end([&](std::size_t i, std::size_t j, const Vec3&, double) {
                    f(p, p.first + i, p.first + j);
                });
    };
    const auto each_block = [&](auto&& f) {
        for (std::size_t b = 0; b < bodies_.size(); ++b) {
            const BlockMatrix& m = bodies_[b]->system().matrix();
            for (std::size_t i = 0; i < m.rows(); ++i) {
                std::uint32_t slot = m.first_slot(i);
                for (const std::uint32_t j : m.columns(i))
                    f(b, slot++, parts_[b].first + i, parts_[b].first + j);
            }
        }
    };
    const auto couple = [&](std::size_t i, std::size_t j) {
        const auto a = turned(i), b = turned(j);
        add(a.first, b.first), add(a.first, b.second), add(a.second, b.first), add(a.second, b.second);
    };
    each_block([&](std::size_t, std::uint32_t, std::size_t i, std::size_t j) { couple(i, j); });
    each_end([&](const Part&, std::size_t i, std::size_t j) { couple(i, j); });
    for (std::size_t c = 0; 2 * c < rows() - vertices_; ++c) add(velocity_row(c), spin_row(c));
    matrix_ = BlockMatrix(pattern);

    for (Part& p : parts_) p.targets.clear(), p.attached.clear(), p.edge_targets.clear();
    each_end([&](Part& p, std::size_t i, std::size_t j) {
        const bool free = attached_to_[i] == none && attached_to_[j] == none;
        const auto row = static_cast<std::uint32_t>(i), column = static_cast<std::uint32_t>(j);
        p.edge_targets.push_back(free ? matrix_.slot(row, column) : none);
    });
    each_block([&](std::size_t b, std::uint32_t slot, std::size_t i, std::size_t j) {
        const bool free = attached_to_[i] == none && attached_to_[j] == none;
        const auto row = static_cast<std::uint32_t>(i), column = static_cast<std::uint32_t>(j);
        parts_[b].targets.push_back(free ? matrix_.slot(row, column) : none);
        if (!free) parts_[b].attached.push_back({slot, row, column});
    });
}

/// From each end of an edge: s 1 + w wᵀ on the diagonal and its opposite beside it.
void Assembly::add_edges(const Part& part) {
    std::size_t end = 0;
    for (const EdgeMatrix* edges : part.edges)
        edges->each_end([&](std::size_t i, std::size_t j, const Vec3& w, double s) {
            const std::size_t row = part.first + i, column = part.first + j;
            const Mat3 block = outer(w, w) + diagonal(s);
            if (attached_to_[row] == none)
                matrix_.add(matrix_.diagonal_slot(row), block);
            else
                add_block(row, row, block);
            PLUSH_ASSERT(end < part.edge_targets.size());
            const std::uint32_t target = part.edge_targets[end++];
            if (target != none)
                matrix_.add(target, block * -1);
            else
                add_block(row, column, block * -1);
        });
}

/// Jᵢᵀ A Jⱼ, each of the two only where its vertex is attached.
void Assembly::add_block(std::size_t row, std::size_t column, const Mat3& a) {
    const auto add = [&](std::size_t i, std::size_t j, const Mat3& m) {
        matrix_.add(matrix_.slot(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)), m);
    };
    const std::uint32_t ci = attached_to_[row], cj = attached_to_[column];
    PLUSH_ASSERT(ci != none || cj != none);
    const Mat3 left = skew(arms_[row]), right = skew(-arms_[column]);
    if (ci == none) {
        add(row, velocity_row(cj), a);
        add(row, spin_row(cj), a * right);
    } else if (cj == none) {
        add(velocity_row(ci), column, a);
        add(spin_row(ci), column, left * a);
    } else {
        add(velocity_row(ci), velocity_row(cj), a);
        add(velocity_row(ci), spin_row(cj), a * right);
        add(spin_row(ci), velocity_row(cj), left * a);
        add(spin_row(ci), spin_row(cj), left * a * right);
    }
}

void Assembly::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                               Linearisation& out) {
    pull_back(v, out, [&](std::size_t b, Linearisation& own) {
        bodies_[b]->system().add_derivatives(part(x, b), part(v, b), t, own);
    });
}

void Assembly::linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                         Linearisation& out) {
    pull_back(v, out, [&](std::size_t b, Linearisation& own) {
        bodies_[b]->system().linearise(part(x, b), part(v, b), t, part(f, b), own);
    });
    accelerate_attached(x, v, f);
}

ExpectedEnd Assembly::part_of(const ExpectedEnd& end, std::size_t b) const {
    return {part(end.x, b), part(end.v, b), end.h, end.t, end.iteration};
}

bool Assembly::agrees_at(const ExpectedEnd& end) {
    bool all = true;
    for (std::size_t b = 0; b < bodies_.size(); ++b)
        all = bodies_[b]->system().agrees_at(part_of(end, b)) && all;
    return all;
}

/// `ask(b, own)` fills the derivatives of body b in.
template <class Ask>
void Assembly::pull_back(std::span<const Vec3> v, Linearisation& out, Ask&& ask) {
    pulled_back_.clear();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        BlockMatrix& from = bodies_[b]->system().matrix();
        if (!bodies_[b]->system().covers_matrix()) from.set_zero(parallel_);
        std::vector<RankOneTerm> terms;
        std::vector<const EdgeMatrix*> edges;
        Linearisation own{out.k, out.b, from, part(out.external, b), terms, edges, part(out.product, b)};
        own.full = out.full, own.empty = true;
        const ExpectedEnd end = out.end ? part_of(*out.end, b) : ExpectedEnd{};
        if (out.end) own.end = &end;
        ask(b, own);
        const Part& p = parts_[b];
        PLUSH_ASSERT(p.targets.size() == from.blocks());
        parallel_.each(from.rows(), BlockMatrix::rows_per_task, [&](std::size_t i) {
            const std::uint32_t first = from.first_slot(i);
            for (std::uint32_t s = first; s < first + from.columns(i).size(); ++s)
                if (p.targets[s] != none) matrix_.add(p.targets[s], from.block(s));
        });
        for (const AttachedBlock& c : p.attached) add_block(c.row, c.column, from.block(c.slot));
        PLUSH_ASSERT(edges == p.edges);
        add_edges(p);
        pull_back_terms(terms, b, out.dense);
    }
    for (std::size_t k = 0; k < attached_.size(); ++k) {
        const std::size_t i = attached_rows_[k], c = attached_[k].attached_body;
        add_block(i, i, out.external[i] + diagonal(masses_[i]));
        const Mat3 turning = load_stiffness(arms_[i], loads_[i]);
        out.external[spin_row(c)] += turning * -out.k;
        out.product[spin_row(c)] -= turning * v[spin_row(c)];
        out.external[i] = {};
        out.product[velocity_row(c)] += out.product[i];
        out.product[spin_row(c)] += cross(arms_[i], out.product[i]);
        out.product[i] = {};
    }
    for (std::size_t c = 0; c < attached_bodies_.size(); ++c)
        out.external[spin_row(c)] += attached_bodies_[c].inertia - diagonal(masses_[spin_row(c)]);
}

/// c g gᵀ over the vertices of a body becomes c (Jᵀg)(Jᵀg)ᵀ over all rows.
void Assembly::pull_back_terms(std::vector<RankOneTerm>& terms, std::size_t body,
                               std::vector<RankOneTerm>& out) {
    for (const RankOneTerm& term : terms) {
        std::vector<Vec3> g(rows());
        PLUSH_ASSERT(parts_[body].first + term.first + term.g.size() <= vertices_);
        std::copy(term.g.begin(), term.g.end(),
                  g.begin() + static_cast<std::ptrdiff_t>(parts_[body].first + term.first));
        for (std::size_t k = 0; k < attached_.size(); ++k) {
            const std::size_t i = attached_rows_[k], c = attached_[k].attached_body;
            g[velocity_row(c)] += g[i];
            g[spin_row(c)] += cross(arms_[i], g[i]);
            g[i] = {};
        }
        pulled_back_.push_back(std::move(g));
        out.push_back({term.factor, 0, pulled_back_.back()});
    }
}

}  // namespace plush
