#include "contact/block_solver.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

// Block projected Gauss-Seidel. Each visit to a block holds all other impulses still and solves the block's
// own 3×3 problem with the compliance D = J A⁻¹ Jᵀ of the block:
//
//     w = D λ + c,       c = (J u + b) − D λ_old.
//
// Bilateral: λ = −D⁻¹ c. Contact: the answer sticks if λ = −D⁻¹ c lies in the cone; it separates if c_n ≥ 0
// with λ = 0; else it slips, and the projected fixed point of the two laws
//
//     λ_n ← max(0, λ_n − w_n / D_nn),    λ_t ← Π_{μ λ_n}(λ_t − w_t / d_t),   d_t the larger tangential
//     eigenvalue
//
// is iterated a few times. The outer sweeps go on until the residual is small, so the inner answer need not
// be exact. Velocities are kept up to date: a visit costs O(entries), and no matrix of the island is ever
// formed.
//
// The residual is the natural map ‖λ − Π(λ − d⁻¹ w)‖∞ / ‖λ‖∞ with d = (D_nn, d_t, d_t), zero exactly at a
// solution.

namespace plush {
namespace {

/// A block with what the sweeps need.
struct Prepared {
    Block* block;
    std::span<const Entry> entries;
    std::vector<Entry>::size_type first_response;
    Mat3 compliance;          ///< D
    Mat3 inverse_compliance;  ///< D⁻¹; zero where the block has one row
    double tangent_compliance;
};

/// A⁻¹ Jᵀ of an entry: what one unit of each impulse does to the node.
struct Response {
    double inverse_mass;
    Mat3 angular;  ///< I⁻¹ Jᵀ, 3 × rows
};

// Coulomb's disc, or the four-sided pyramid |λ_1| + |λ_2| ≤ radius.
void project_tangent(double& x, double& y, double radius, FrictionModel model) {
    if (radius <= 0) {
        x = y = 0;
        return;
    }
    if (model == FrictionModel::cone) {
        const double length = std::sqrt(x * x + y * y);
        if (length > radius) x *= radius / length, y *= radius / length;
        return;
    }
    const double ax = std::abs(x), ay = std::abs(y);
    if (ax + ay <= radius) return;
    const double shift = 0.5 * (ax + ay - radius);  // the nearest point of the diamond's edge, or its corner
    double px = ax - shift, py = ay - shift;
    if (px < 0) px = 0, py = radius;
    if (py < 0) py = 0, px = radius;
    x = std::copysign(px, x), y = std::copysign(py, y);
}

bool in_friction_bound(const Vec3& impulse, double friction, FrictionModel model) {
    const double bound = friction * impulse.x;
    if (model == FrictionModel::cone) return impulse.y * impulse.y + impulse.z * impulse.z <= bound * bound;
    return std::abs(impulse.y) + std::abs(impulse.z) <= bound;
}

class Sweeper {
public:
    Sweeper(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
            std::span<Twist> velocity, const SolverSettings& settings)
        : velocity_(velocity), settings_(settings) {
        prepared_.reserve(blocks.size());
        for (std::uint32_t b : blocks) prepare(rows, rows.blocks[b], nodes);
        for (const Prepared& p : prepared_) push(p, p.block->impulse);
    }

    SolveReport run() {
        SolveReport report{0, HUGE_VAL};
        while (true) {
            const double change = sweep();
            ++report.iterations;
            // A look at the residual costs a sweep: look when the sweeps have become small, and now and then.
            const bool last = report.iterations >= settings_.iterations;
            const bool small = change <= settings_.tolerance * largest_impulse();
            if (last || small || report.iterations % tuning::residual_every == 0)
                report.residual = residual();
            // The answer is that of a sweep, and so obeys the bounds: acceleration comes only between sweeps.
            if (last || report.residual <= settings_.tolerance) return report;
            if (settings_.accelerated) accelerate();
        }
    }

private:
    void prepare(Rows& rows, Block& block, std::span<const Node> nodes) {
        Prepared p{&block, rows.entries_of(block), responses_.size(), {}, {}, 0};
        for (const Entry& e : p.entries) {
            const Node& node = nodes[e.node];
            const Response r{node.inverse_mass, node.inverse_inertia * transpose(e.angular)};
            p.compliance += e.linear * transpose(e.linear) * r.inverse_mass + e.angular * r.angular;
            responses_.push_back(r);
        }
        const Mat3& d = p.compliance;
        if (block.rows == 3) p.inverse_compliance = inverse(d);
        // The larger eigenvalue of the tangential 2×2 part: the step 1/d_t is then a contraction.
        const double mean = 0.5 * (d(1, 1) + d(2, 2)), half = 0.5 * (d(1, 1) - d(2, 2));
        p.tangent_compliance = mean + std::sqrt(half * half + d(1, 2) * d(1, 2));
        prepared_.push_back(p);
    }

    // J u + b.
    Vec3 relative_velocity(const Prepared& p) const {
        Vec3 w = p.block->bias;
        for (const Entry& e : p.entries) {
            const Twist& u = velocity_[e.node];
            w += e.linear * u.linear + e.angular * u.angular;
        }
        return w;
    }

    // u += A⁻¹ Jᵀ Δλ.
    void push(const Prepared& p, const Vec3& change) {
        const Response* r = responses_.data() + p.first_response;
        for (const Entry& e : p.entries) {
            Twist& u = velocity_[e.node];
            u.linear += transpose_times(e.linear, change) * r->inverse_mass;
            u.angular += r->angular * change;
            ++r;
        }
    }

    double sweep() {
        double largest = 0;
        for (const Prepared& p : prepared_) {
            const Vec3 old = p.block->impulse;
            const Vec3 fresh = local_solution(p, relative_velocity(p));
            p.block->impulse = fresh;
            const Vec3 change = fresh - old;
            push(p, change);
            largest = std::max(largest, max_component(abs(change)));
        }
        return largest;
    }

    Vec3 local_solution(const Prepared& p, const Vec3& w) const {
        const Block& block = *p.block;
        const Vec3& old = block.impulse;
        if (block.law == Block::Law::bilateral) {
            if (block.rows == 3) return old - p.inverse_compliance * w;
            return {old.x - w.x / p.compliance(0, 0), 0, 0};
        }
        if (block.rows == 1 || block.friction <= 0)
            return {std::max(0.0, old.x - w.x / p.compliance(0, 0)), 0, 0};
        const Vec3 stick = old - p.inverse_compliance * w;
        if (stick.x >= 0 && in_friction_bound(stick, block.friction, settings_.friction)) return stick;
        const Vec3 c = w - p.compliance * old;
        return c.x >= 0 ? Vec3{} : slip(p, old, c);
    }

    Vec3 slip(const Prepared& p, Vec3 impulse, const Vec3& c) const {
        const Mat3& d = p.compliance;
        for (int i = 0; i < tuning::slip_iterations; ++i) {
            impulse.x = std::max(0.0, impulse.x - (dot(d.row[0], impulse) + c.x) / d(0, 0));
            const double y = impulse.y - (dot(d.row[1], impulse) + c.y) / p.tangent_compliance;
            const double z = impulse.z - (dot(d.row[2], impulse) + c.z) / p.tangent_compliance;
            impulse.y = y, impulse.z = z;
            project_tangent(impulse.y, impulse.z, p.block->friction * impulse.x, settings_.friction);
        }
        return impulse;
    }

    // One step of the nonsmooth nonlinear conjugate gradient method (Silcowitz, Niebe & Erleben 2010). A
    // sweep is taken for a descent step −g; the next search direction is the Fletcher-Reeves combination of
    // it with the last one, and the part along the last one is added. Where the sweeps grow instead of
    // shrinking it starts afresh.
    void accelerate() {
        const std::size_t n = prepared_.size();
        const bool first = before_.empty();
        if (first) before_.resize(n), direction_.resize(n);
        double square = 0;
        for (std::size_t i = 0; i < n; ++i) square += norm2(prepared_[i].block->impulse - before_[i]);
        const double beta = first || last_square_ <= 0 ? 0 : square / last_square_;
        last_square_ = square;
        const bool restart = first || beta > 1;
        for (std::size_t i = 0; i < n; ++i) {
            const Prepared& p = prepared_[i];
            const Vec3 descent = first ? Vec3{} : p.block->impulse - before_[i];
            if (!restart) {
                const Vec3 extra = beta * direction_[i];
                p.block->impulse += extra;
                push(p, extra);
            }
            direction_[i] = restart ? descent : beta * direction_[i] + descent;
            before_[i] = p.block->impulse;
        }
    }

    double largest_impulse() const {
        double largest = 0;
        for (const Prepared& p : prepared_) largest = std::max(largest, max_component(abs(p.block->impulse)));
        return largest;
    }

    double residual() const {
        double worst = 0;
        for (const Prepared& p : prepared_) {
            const Vec3& x = p.block->impulse;
            const Vec3 w = relative_velocity(p);
            const Mat3& d = p.compliance;
            Vec3 y{x.x - w.x / d(0, 0), 0, 0};
            if (p.block->rows == 3) {
                // One number for both tangents: two would turn the direction of slip, and the map would not
                // vanish.
                const bool contact = p.block->law == Block::Law::contact;
                y.y = x.y - w.y / (contact ? p.tangent_compliance : d(1, 1));
                y.z = x.z - w.z / (contact ? p.tangent_compliance : d(2, 2));
            }
            if (p.block->law == Block::Law::contact) {
                y.x = std::max(0.0, y.x);
                project_tangent(y.y, y.z, p.block->friction * y.x, settings_.friction);
            }
            worst = std::max(worst, max_component(abs(x - y)));
        }
        const double scale = largest_impulse();
        return scale > 0 ? worst / scale : worst;
    }

    std::span<Twist> velocity_;
    const SolverSettings& settings_;
    std::vector<Prepared> prepared_;
    std::vector<Response> responses_;
    std::vector<Vec3> before_,
        direction_;  ///< of the acceleration: impulses before the sweep, search direction
    double last_square_ = 0;
};

}  // namespace

SolveReport solve_blocks(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                         std::span<Twist> velocity, const SolverSettings& settings) {
    PLUSH_ASSERT(nodes.size() == velocity.size());
    return Sweeper(rows, blocks, nodes, velocity, settings).run();
}

}  // namespace plush
