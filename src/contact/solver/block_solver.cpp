#include "contact/solver/block_solver.hpp"

#include <algorithm>
#include <optional>

#include "contact/joints/joint_system.hpp"
#include "contact/solver/friction_bound.hpp"
#include "contact/solver/island_newton.hpp"
#include "contact/solver/limited_impulse.hpp"
#include "core/assert.hpp"
#include "core/stop.hpp"
#include "core/tuning.hpp"

// Block projected Gauss-Seidel. Each visit to a block holds all other impulses still and solves the block's
// own 3×3 problem with the compliance D = J A⁻¹ Jᵀ of the block:
//
//     w = D λ + c,       c = (J u + b) − D λ_old.
//
// Bilateral: λ = −D⁻¹ c. Contact: it separates with λ = 0 if c_n ≥ 0; it sticks if λ = −D⁻¹ c lies in the
// cone; else it slips, and the projected fixed point of the two laws
//
//     λ_n ← max(0, λ_n − w_n / D_nn),    λ_t ← Π_{μ λ_n}(λ_t − w_t / d_t)
//
// is iterated a few times, d_t the larger tangential eigenvalue. The outer sweeps go on until the residual is small, so the inner answer need not
// be exact. Velocities are kept up to date: a visit costs O(entries), and no matrix of the island is ever
// formed.
//
// Joints are not swept. All direct blocks of the island together are one block of the Gauss-Seidel, and each
// sweep ends with its exact solution (joint_system.cpp), S δλ = −(w + γ λ). Bounded rows (motors, limits,
// ropes) belong to it while they lie between their bounds: one that leaves them is set on its bound and left
// out, one on its bound that wants back comes in again, and the system is solved anew. So an island of joints
// alone takes no sweeps.
//
// The residual is the natural map ‖λ − Π(λ − d⁻¹ w)‖∞ / ‖λ‖∞ with d = (D_nn, d_t, d_t), zero exactly at a
// solution.

namespace plush {

using Prepared = PreparedBlock;

class IslandSolver::Sweeper {
public:
    Sweeper(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
            std::span<Twist> velocity, const SolverSettings& settings)
        : rows_(rows), nodes_(nodes), velocity_(velocity), settings_(settings) {
        prepared_.reserve(blocks.size());
        std::vector<std::uint32_t> direct;
        for (std::uint32_t b : blocks) {
            PLUSH_ASSERT(b < rows.blocks.size());
            prepare(rows, rows.blocks[b]);
            if (rows.blocks[b].direct) direct.push_back(b);
        }
        for (const Prepared& p : prepared_)
            if (norm2(p.impulse) > 0) push(p, p.impulse);
        if (!direct.empty()) start_joints(direct);
        swept_ = std::any_of(prepared_.begin(), prepared_.end(), [](const Prepared& p) { return p.swept; });
    }

    double residual_now() const { return residual(); }

    SweepReport run() {
        for (Prepared& p : prepared_) p.bias = p.block->bias;
        forget_search();  // it belongs to other biases
        solve_joints();
        const SweepReport report = swept_ ? sweep_until_small() : SweepReport{1, residual()};
        for (const Prepared& p : prepared_) p.block->impulse = p.impulse, p.block->active = is_active(p);
        return report;
    }

private:
    SweepReport sweep_until_small() {
        SweepReport report{0, HUGE_VAL};
        const int before_newton = sweeps_before_newton(prepared_, rows_, settings_);
        for (int sweeps = 1;; ++sweeps) {
            stop_if_requested();
            const double change = sweep();
            ++report.iterations;
            // The residual costs as much as a sweep: it is evaluated when the sweeps have become small, and now and then.
            const bool last = sweeps >= settings_.iterations;
            const bool small = change <= settings_.tolerance * largest_impulse();
            if (last || small || sweeps == before_newton || sweeps % tuning::residual_every == 0)
                report.residual = residual();
            // The solution is that of a sweep, and so obeys the bounds: acceleration comes only between sweeps.
            if (report.residual <= settings_.tolerance) return report;
            if (before_newton > 0 && (last || sweeps == before_newton)) {
                report.iterations += solve_by_newton();
                report.residual = residual();
                if (report.residual <= settings_.tolerance) return report;
                forget_search();
            }
            if (last) return report;
            if (settings_.accelerated) accelerate();
        }
    }

    void forget_search() {
        blocks_ = linear_ = angular_ = {};
        last_square_ = 0;
    }

    /// Returns the number of factorisations.
    int solve_by_newton() {
        std::vector<Vec3> velocities, impulses;
        for (const Prepared& p : prepared_)
            velocities.push_back(relative_velocity(p)), impulses.push_back(p.impulse);
        const int factorisations =
            newton_impulses(rows_, nodes_, prepared_, velocities, settings_.tolerance, impulses);
        for (std::size_t i = 0; i < prepared_.size(); ++i) {
            Prepared& p = prepared_[i];
            const Vec3 change = impulses[i] - p.impulse;
            if (norm2(change) == 0) continue;
            p.impulse = impulses[i];
            push(p, change);
        }
        return factorisations;
    }

    void prepare(Rows& rows, Block& block) {
        PLUSH_ASSERT(block.rows >= 1 && block.rows <= 3 && block.friction >= 0);
        PLUSH_ASSERT(block.law != Block::Law::bounded || (block.rows == 1 && block.low <= block.high));
        Prepared p{.block = &block,
                   .entries = rows.entries_of(block),
                   .bias = block.bias,
                   .impulse = block.impulse,
                   .friction = block.friction,
                   .tangent_compliance = 0,
                   .compliance = {},
                   .inverse_compliance = {},
                   .contact = block.law == Block::Law::contact,
                   .one_row = block.rows == 1,
                   .bounded = block.law == Block::Law::bounded,
                   .limited = block.law == Block::Law::limited,
                   .swept = !block.direct,
                   .activations = 0,
                   .low = block.low,
                   .high = block.high,
                   .softness = block.softness,
                   .normal = -1,
                   .share = 0};
        Mat3& d = p.compliance;
        for (const Entry& e : p.entries) {
            PLUSH_ASSERT(e.node < nodes_.size());
            touched_.push_back(e.node);
            if (const NodeGroup* group = rows.group_of(e.node)) {
                for (std::uint32_t k = 0; k < group->count; ++k) touched_.push_back(group->first_node + k);
                for (const Entry& f : p.entries) d += compliance_between(rows, nodes_, e, f);
                continue;
            }
            const Node& node = nodes_[e.node];
            PLUSH_ASSERT(!(node.inverse_mass < 0));
            d += e.linear * transpose(e.linear) * node.inverse_mass +
                 e.angular * (node.inverse_inertia * transpose(e.angular));
        }
        for (std::size_t k = 0; k < block.rows; ++k) {
            PLUSH_ASSERT(!(block.softness[k] < 0));
            d(k, k) += block.softness[k];
        }
        if (block.normal_of != Block::none) follow(p);
        if (p.contact && !(d(0, 0) > 0)) {  // nothing responds: all that it could push is held
            block.impulse = {};
            return;
        }
        if (!p.contact)
            for (std::size_t k = block.rows; k < 3; ++k) d(k, k) = 1;
        // The larger eigenvalue of the tangential 2×2 part: the step 1/d_t is then a contraction.
        const double mean = 0.5 * (d(1, 1) + d(2, 2)), half = 0.5 * (d(1, 1) - d(2, 2));
        p.tangent_compliance = mean + std::sqrt(half * half + d(1, 2) * d(1, 2));
        constexpr double held =
            1e-12;  // across the normal nothing responds: there is no friction to solve for
        if (p.contact && !p.one_row && !(2 * mean - p.tangent_compliance > held * d(0, 0)))
            p.one_row = true, p.impulse.y = p.impulse.z = 0;
        // One number for all rows of a limited block, not below any eigenvalue: a ball stays one.
        if (p.limited) p.tangent_compliance = trace(d);
        if (!p.one_row) p.inverse_compliance = inverse(d);
        prepared_.push_back(p);
    }

    // Row 0 becomes λ_n − s λ'_n = 0, in the unit of the tangents. Without the other block it stays without a solution.
    void follow(Prepared& p) const {
        const Block* const other = &rows_.blocks[p.block->normal_of];
        PLUSH_ASSERT(p.contact && other < p.block && p.compliance(0, 0) == 0);
        for (std::size_t i = prepared_.size(); i-- > 0 && p.normal < 0;)
            if (prepared_[i].block == other) p.normal = static_cast<std::int64_t>(i);
        if (p.normal < 0) return;
        p.share = p.block->share;
        p.softness.x = p.compliance(0, 0) = 0.5 * (p.compliance(1, 1) + p.compliance(2, 2));
    }

    // J u + γ λ + b.
    Vec3 relative_velocity(const Prepared& p) const {
        Vec3 w = p.bias + times(p.softness, p.impulse);
        if (p.normal >= 0)
            w.x -= p.softness.x * p.share * prepared_[static_cast<std::size_t>(p.normal)].impulse.x;
        for (const Entry& e : p.entries) {
            const Twist& u = velocity_[e.node];
            if (p.one_row)
                w.x += dot(e.linear.row[0], u.linear) + dot(e.angular.row[0], u.angular);
            else
                w += e.linear * u.linear + e.angular * u.angular;
        }
        return w;
    }

    // u += A⁻¹ Jᵀ Δλ.
    void push(const Prepared& p, const Vec3& change) {
        for (const Entry& e : p.entries) {
            const Node& node = nodes_[e.node];
            Twist& u = velocity_[e.node];
            if (const NodeGroup* group = rows_.group_of(e.node)) {
                const Vec3 impulse = transpose_times(e.linear, change);
                const Mat3* const row = &group->at(e.node, group->first_node);  // W is symmetric
                Twist* const velocity = &velocity_[group->first_node];
                for (std::uint32_t k = 0; k < group->count; ++k)
                    velocity[k].linear += transpose_times(row[k], impulse);
            } else if (p.one_row) {
                u.linear += e.linear.row[0] * (change.x * node.inverse_mass);
                u.angular += node.inverse_inertia * (e.angular.row[0] * change.x);
            } else {
                u.linear += transpose_times(e.linear, change) * node.inverse_mass;
                u.angular += node.inverse_inertia * transpose_times(e.angular, change);
            }
        }
    }

    double sweep() {
        double largest = 0;
        for (Prepared& p : prepared_) {
            if (!p.swept) continue;
            const Vec3 fresh = local_solution(p, relative_velocity(p));
            const Vec3 change = fresh - p.impulse;
            const double size = size_of(p, change);
            if (size == 0) continue;  // most often a gap that stays one
            p.impulse = fresh;
            push(p, change);
            largest = std::max(largest, size);
        }
        return std::max(largest, solve_joints());
    }

    // -- the direct part

    void start_joints(std::span<const std::uint32_t> direct) {
        system_.emplace(rows_, direct, nodes_);
        for (std::uint32_t i = 0; i < prepared_.size(); ++i) {
            const Prepared& p = prepared_[i];
            if (p.swept) continue;
            joints_.push_back(i);
            active_.push_back(!p.bounded || p.block->active);
        }
        PLUSH_ASSERT(joints_.size() == direct.size());
        w_.resize(joints_.size()), change_.resize(joints_.size());
        factorise();
    }

    void factorise() {
        if (system_->factorise(active_)) return;
        for (const std::uint32_t i : joints_) prepared_[i].swept = true;  // it can still be swept
        joints_.clear();
        swept_ = true;
    }

    bool is_active(const Prepared& p) const {
        return p.bounded && p.impulse.x > p.low && p.impulse.x < p.high;
    }

    // Bounded rows on their bounds that want to leave them take part again; true where there are any.
    bool activate() {
        bool changed = false;
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            Prepared& p = prepared_[joints_[k]];
            if (active_[k] || p.swept) continue;
            const double wanted = p.impulse.x - relative_velocity(p).x / p.compliance(0, 0);
            const double least = tuning::least_activation * p.block->lever * largest_impulse_ + 1e-300;
            if (wanted <= p.low + least || wanted >= p.high - least) {
                put_on(p, wanted <= p.low + least ? p.low : p.high);  // acceleration may have moved it
                continue;
            }
            if (++p.activations > tuning::max_activations)
                p.swept = swept_ = true;
            else
                active_[k] = 1, changed = true;
        }
        return changed;
    }

    void put_on(Prepared& p, double impulse) {
        if (p.impulse.x == impulse) return;
        push(p, {impulse - p.impulse.x, 0, 0});
        p.impulse.x = impulse;
    }

    // Those that left their bounds are put on them, and those that cannot have w = 0 since other rows contradict them, on
    // the bound that their law asks for; true where there are any.
    bool clamp_active() {
        bool changed = false;
        for (std::size_t k = 0; k < joints_.size(); ++k)
            if (active_[k] && prepared_[joints_[k]].bounded) w_[k] = relative_velocity(prepared_[joints_[k]]);
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            Prepared& p = prepared_[joints_[k]];
            if (!p.bounded || !active_[k]) continue;
            double kept = std::clamp(p.impulse.x, p.low, p.high);
            if (std::abs(w_[k].x) * p.block->lever > tuning::joint_contradiction * fastest_joint_) {
                const double bound = w_[k].x > 0 ? p.low : p.high;
                if (std::isfinite(bound)) kept = bound;
            }
            if (kept == p.impulse.x) continue;
            put_on(p, kept);
            active_[k] = 0;
            changed = true;
        }
        return changed;
    }

    // All joints at once; the largest change.
    double solve_joints() {
        if (joints_.empty()) return 0;
        double largest = 0;
        largest_impulse_ = largest_impulse();
        for (std::size_t turn = 0; turn < tuning::max_activations * joints_.size() + 2; ++turn) {
            const bool more = activate();
            if (more) factorise();
            if (joints_.empty() || (turn > 0 && !more && !clamped_)) break;
            largest = std::max(largest, apply_joints());
            clamped_ = clamp_active();
            if (clamped_) factorise();
        }
        return largest;
    }

    double apply_joints() {
        double missing = 0, noise = 0;
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            const Prepared& p = prepared_[joints_[k]];
            w_[k] = -relative_velocity(p);
            if (!active_[k]) continue;
            missing = std::max(missing, max_component(abs(w_[k])) * p.block->lever);
            noise = std::max(noise, max_component(abs(w_[k] + p.bias)) * p.block->lever);
        }
        fastest_joint_ = noise;
        if (missing <= tuning::joint_noise * noise) return 0;
        system_->solve(w_, change_);
        double largest = 0;
        for (std::size_t k = 0; k < joints_.size(); ++k) {
            Prepared& p = prepared_[joints_[k]];
            if (!active_[k]) continue;
            p.impulse += change_[k];
            push(p, change_[k]);
            largest = std::max(largest, size_of(p, change_[k]));
        }
        return largest;
    }

    // -- one block

    Vec3 local_solution(const Prepared& p, const Vec3& w) const {
        const Vec3& old = p.impulse;
        if (p.bounded) return {std::clamp(old.x - w.x / p.compliance(0, 0), p.low, p.high), 0, 0};
        if (p.limited)
            return limited_impulse(old - p.inverse_compliance * w, p.compliance, w - p.compliance * old,
                                   p.high);
        if (!p.contact) {
            if (!p.one_row) return old - p.inverse_compliance * w;
            return {old.x - w.x / p.compliance(0, 0), 0, 0};
        }
        if (p.one_row || p.friction <= 0) return {std::max(0.0, old.x - w.x / p.compliance(0, 0)), 0, 0};
        if (w.x - dot(p.compliance.row[0], old) >= 0) return {};
        const Vec3 stick = old - p.inverse_compliance * w;
        if (stick.x >= 0 && in_friction_bound(stick, p.friction, settings_.friction)) return stick;
        return slip(p, old, w - p.compliance * old);
    }

    Vec3 slip(const Prepared& p, Vec3 impulse, const Vec3& c) const {
        const Mat3& d = p.compliance;
        PLUSH_ASSERT(d(0, 0) > 0 && p.tangent_compliance > 0);
        const double per_normal = 1 / d(0, 0), per_tangent = 1 / p.tangent_compliance;
        for (int i = 0; i < tuning::slip_iterations; ++i) {
            const Vec3 last = impulse;
            impulse.x = std::max(0.0, impulse.x - (dot(d.row[0], impulse) + c.x) * per_normal);
            const double y = impulse.y - (dot(d.row[1], impulse) + c.y) * per_tangent;
            const double z = impulse.z - (dot(d.row[2], impulse) + c.z) * per_tangent;
            impulse.y = y, impulse.z = z;
            project_tangent(impulse.y, impulse.z, p.friction * impulse.x, settings_.friction);
            if (max_component(abs(impulse - last)) <= tuning::slip_tolerance * impulse.x) break;
        }
        return impulse;
    }

    // One step of the nonsmooth nonlinear conjugate gradient method (Silcowitz, Niebe & Erleben 2010). A
    // sweep is taken for a descent step −g; the next search direction is the Fletcher-Reeves combination of
    // it with the last one, and the part along the last one is added. Where the sweeps grow instead of
    // shrinking it starts afresh. Velocities are linear in the impulses, so they are carried along in the
    // same combination, node by node: there are far fewer nodes than entries.
    void accelerate() {
        if (blocks_.before.empty()) return start_acceleration();
        PLUSH_ASSERT(blocks_.before.size() == prepared_.size() && linear_.before.size() == touched_.size());
        double square = 0;
        for (std::size_t i = 0; i < prepared_.size(); ++i)
            square += norm2((prepared_[i].impulse - blocks_.before[i]) / prepared_[i].block->lever);
        const double beta = last_square_ > 0 ? square / last_square_ : 0, keep = beta > 1 ? 0 : beta;
        last_square_ = square;
        for (std::size_t i = 0; i < prepared_.size(); ++i) advance(blocks_, i, prepared_[i].impulse, keep);
        for (std::size_t i = 0; i < touched_.size(); ++i) {
            Twist& u = velocity_[touched_[i]];
            advance(linear_, i, u.linear, keep);
            advance(angular_, i, u.angular, keep);
        }
    }

    /// One vector of the acceleration: what it was before the sweep, and the search direction.
    struct Search {
        std::vector<Vec3> before, direction;
        void add(const Vec3& x) { before.push_back(x), direction.push_back({}); }
    };

    static void advance(Search& search, std::size_t i, Vec3& x, double keep) {
        const Vec3 descent = x - search.before[i], extra = keep * search.direction[i];
        x += extra;
        search.direction[i] = extra + descent;
        search.before[i] = x;
    }

    void start_acceleration() {
        std::sort(touched_.begin(), touched_.end());
        touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
        for (const Prepared& p : prepared_) blocks_.add(p.impulse);
        for (std::uint32_t n : touched_) linear_.add(velocity_[n].linear), angular_.add(velocity_[n].angular);
    }

    static double size_of(const Prepared& p, const Vec3& x) { return max_component(abs(x)) / p.block->lever; }
    double largest_impulse() const {
        double largest = 0;  // N s
        for (const Prepared& p : prepared_) largest = std::max(largest, size_of(p, p.impulse));
        return largest;
    }

    double residual() const {
        double worst = 0;
        for (const Prepared& p : prepared_) {
            const Vec3& x = p.impulse;
            const Vec3 w = relative_velocity(p);
            const Mat3& d = p.compliance;
            Vec3 y{x.x - w.x / d(0, 0), 0, 0};
            if (!p.one_row) {
                // One number for both tangents: two would turn the direction of slip, and the map would not
                // vanish.
                y.y = x.y - w.y / (p.contact ? p.tangent_compliance : d(1, 1));
                y.z = x.z - w.z / (p.contact ? p.tangent_compliance : d(2, 2));
            }
            if (p.limited) y = into_ball(x - w / p.tangent_compliance, p.high);
            if (p.bounded) y.x = std::clamp(y.x, p.low, p.high);
            if (p.contact) {
                y.x = std::max(0.0, y.x);
                project_tangent(y.y, y.z, p.friction * y.x, settings_.friction);
            }
            worst = std::max(worst, size_of(p, x - y));
        }
        const double scale = largest_impulse();
        return scale > 0 ? worst / scale : worst > 0 ? 1 : 0;
    }

    const Rows& rows_;
    std::span<const Node> nodes_;
    std::span<Twist> velocity_;
    const SolverSettings settings_;
    std::vector<Prepared> prepared_;
    bool swept_ = false;  ///< whether any block is
    std::optional<JointSystem> system_{};
    std::vector<std::uint32_t> joints_;  ///< the blocks of the system
    std::vector<std::uint8_t> active_;
    std::vector<Vec3> w_, change_;
    bool clamped_ = false;
    double largest_impulse_ = 0;
    double fastest_joint_ = 0;            ///< the largest J u before the last solve, m/s, with levers
    std::vector<std::uint32_t> touched_;  ///< nodes of the entries; once, as soon as sweeps are accelerated
    Search blocks_, linear_, angular_;
    double last_square_ = 0;
};

IslandSolver::IslandSolver(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                           std::span<Twist> velocity, const SolverSettings& settings)
    : sweeper_(std::make_unique<Sweeper>(rows, blocks, nodes, velocity, settings)) {
    PLUSH_ASSERT(nodes.size() == velocity.size());
}
IslandSolver::~IslandSolver() = default;
IslandSolver::IslandSolver(IslandSolver&&) noexcept = default;

SweepReport IslandSolver::run() {
    return sweeper_->run();
}

double IslandSolver::residual() const {
    return sweeper_->residual_now();
}

SweepReport solve_blocks(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                         std::span<Twist> velocity, const SolverSettings& settings) {
    return IslandSolver(rows, blocks, nodes, velocity, settings).run();
}

}  // namespace plush
