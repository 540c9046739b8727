#include "contact/solver/island_newton.hpp"

#include <algorithm>
#include <cmath>

#include "contact/solver/contact_newton.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

using Blocks = std::span<const PreparedBlock>;

/// Of a factorisation, in products of two numbers.
double factor_work(std::size_t rows) {
    const double n = static_cast<double>(rows);
    return n * n * n / 3;
}

std::size_t rows_of(const PreparedBlock& p) {
    return p.one_row ? 1 : p.block->rows;
}

std::size_t rows_of(Blocks blocks) {
    std::size_t sum = 0;
    for (const PreparedBlock& p : blocks) sum += rows_of(p);
    return sum;
}

/// J A⁻¹ Jᵀ of all blocks, by rows.
class DenseCompliance {
public:
    DenseCompliance(const Rows& rows, std::span<const Node> nodes, Blocks blocks)
        : nodes_(nodes), blocks_(blocks), size_(3 * blocks.size()), values_(size_ * size_) {
        for (const PreparedBlock& p : blocks) {
            first_.push_back(groups_.size());
            for (const Entry& e : p.entries) groups_.push_back(rows.group_of(e.node));
        }
        for (std::size_t i = 0; i < blocks.size(); ++i)
            for (std::size_t j = 0; j <= i; ++j) couple(i, j);
    }
    std::vector<double> take() { return std::move(values_); }
    double diagonal(std::size_t row) const { return values_[row * size_ + row]; }

private:
    void couple(std::size_t i, std::size_t j) {
        Mat3 sum{};
        bool any = false;
        for (std::size_t e = 0; e < blocks_[i].entries.size(); ++e)
            for (std::size_t f = 0; f < blocks_[j].entries.size(); ++f) {
                const Entry &x = blocks_[i].entries[e], &y = blocks_[j].entries[f];
                const NodeGroup* const group = groups_[first_[i] + e];
                if (group ? group != groups_[first_[j] + f] : x.node != y.node) continue;
                any = true;
                if (group)
                    sum += x.linear * group->at(x.node, y.node) * transpose(y.linear);
                else
                    sum += x.linear * transpose(y.linear) * nodes_[x.node].inverse_mass +
                           x.angular * (nodes_[x.node].inverse_inertia * transpose(y.angular));
            }
        if (i == j)
            for (std::size_t k = 0; k < 3; ++k) sum(k, k) += blocks_[i].softness[k];
        if (!any && i != j) return;
        // Rows that a block does not have are left out.
        for (std::size_t r = 0; r < rows_of(blocks_[i]); ++r)
            for (std::size_t c = 0; c < rows_of(blocks_[j]); ++c)
                values_[(3 * i + r) * size_ + 3 * j + c] = values_[(3 * j + c) * size_ + 3 * i + r] =
                    sum(r, c);
    }

    std::span<const Node> nodes_;
    Blocks blocks_;
    std::size_t size_;
    std::vector<double> values_;
    std::vector<std::size_t> first_;
    std::vector<const NodeGroup*> groups_;  ///< of each entry
};

/// Where all bodies are rigid; empty where one is not.
std::vector<NewtonEntry> rigid_entries(const Rows& rows, std::span<const Node> nodes, Blocks blocks) {
    std::vector<std::uint32_t> bodies;
    for (const PreparedBlock& p : blocks)
        for (const Entry& e : p.entries) {
            if (rows.group_of(e.node)) return {};
            bodies.push_back(e.node);
        }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    std::vector<NewtonEntry> entries;
    for (std::uint32_t i = 0; i < blocks.size(); ++i)
        for (const Entry& e : blocks[i].entries) {
            const auto body = std::lower_bound(bodies.begin(), bodies.end(), e.node) - bodies.begin();
            NewtonEntry& to =
                entries.emplace_back(NewtonEntry{.block = i,
                                                 .body = static_cast<std::uint32_t>(body),
                                                 .inverse_mass = nodes[e.node].inverse_mass,
                                                 .inverse_inertia = nodes[e.node].inverse_inertia});
            for (std::size_t r = 0; r < rows_of(blocks[i]); ++r)
                to.linear[r] = e.linear.row[r], to.angular[r] = e.angular.row[r];
        }
    return entries;
}

/// The size of the systems that are factorised.
std::size_t system_size(const Rows& rows, Blocks blocks) {
    std::vector<std::uint32_t> bodies;
    for (const PreparedBlock& p : blocks)
        for (const Entry& e : p.entries) {
            if (rows.group_of(e.node)) return rows_of(blocks);
            bodies.push_back(e.node);
        }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return std::min(rows_of(blocks), 6 * bodies.size());
}

/// Powers of two: of compliances, and of lengths. Roots and pivots of numbers over them are the same whatever the units are, as long
/// as those are powers of two of one another.
struct NewtonUnits {
    double compliance = 1, length = 1;
};
double power_of_two(double x) {
    return x > 0 && std::isfinite(x) ? std::ldexp(1, std::ilogb(x)) : 1;
}
NewtonUnits units_of(double compliance, std::span<const NewtonEntry> entries) {
    NewtonUnits units{.compliance = power_of_two(compliance)};
    for (const NewtonEntry& e : entries)
        if (const double turning = trace(e.inverse_inertia) / 3; turning > 0 && e.inverse_mass > 0) {
            units.length = power_of_two(std::sqrt(e.inverse_mass / turning));
            break;
        }
    return units;
}
void change_units(const NewtonUnits& units, std::span<NewtonEntry> entries) {
    for (NewtonEntry& e : entries) {
        e.inverse_mass /= units.compliance;
        e.inverse_inertia = (units.length * units.length / units.compliance) * e.inverse_inertia;
        for (Vec3& row : e.angular) row = row / units.length;
    }
}
void change_units(const NewtonUnits& units, NewtonBlock& b) {
    b.low *= units.compliance, b.high *= units.compliance;
    b.softness = b.softness / units.compliance;
    b.compliance = b.compliance / units.compliance;
}

}  // namespace

int sweeps_before_newton(Blocks blocks, const Rows& rows, const SolverSettings& settings) {
    const std::size_t size = rows_of(blocks);
    if (!settings.newton || settings.friction != FrictionModel::cone || size > tuning::newton_rows) return 0;
    double sweep = 0;  // products of two numbers
    for (const PreparedBlock& p : blocks) {
        if (!p.swept || p.normal >= 0 || p.block->normal_of != Block::none) return 0;
        for (const Entry& e : p.entries) {
            const NodeGroup* const group = rows.group_of(e.node);
            sweep += group ? 9.0 * group->count : 60.0;
        }
    }
    const double most =
        tuning::sweeps_per_factor * factor_work(system_size(rows, blocks)) / std::max(1.0, sweep);
    return static_cast<int>(
        std::clamp(most, static_cast<double>(std::min(tuning::sweeps_before_newton, settings.iterations)),
                   static_cast<double>(settings.iterations)));
}

int newton_impulses(const Rows& rows, std::span<const Node> nodes, Blocks blocks,
                    std::span<const Vec3> velocities, double tolerance, std::span<Vec3> impulses) {
    PLUSH_ASSERT(velocities.size() == blocks.size() && impulses.size() == blocks.size());
    DenseCompliance dense(rows, nodes, blocks);
    std::vector<NewtonBlock> problem;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const PreparedBlock& p = blocks[i];
        NewtonBlock b{.rows = static_cast<std::uint8_t>(rows_of(p)),
                      .friction = p.friction,
                      .low = p.low,
                      .high = p.high,
                      .softness = p.softness};
        if (!p.contact) b.law = p.bounded ? NewtonBlock::Law::bounded : NewtonBlock::Law::free;
        if (p.limited) b.law = NewtonBlock::Law::limited;
        for (std::size_t k = 0; k < b.rows; ++k)
            b.compliance[k] =
                (p.contact && k > 0) || p.limited ? p.tangent_compliance : dense.diagonal(3 * i + k);
        problem.push_back(b);
    }
    std::vector<double> w = dense.take();
    const std::size_t n = 3 * blocks.size();
    for (std::size_t row = 0; row < n; ++row) {
        double bias = velocities[row / 3][row % 3];
        for (std::size_t j = 0; j < n; ++j) bias -= w[row * n + j] * impulses[j / 3][j % 3];
        problem[row / 3].bias[row % 3] = bias;
    }
    const double allowed = tuning::newton_work / factor_work(system_size(rows, blocks));
    const int most = static_cast<int>(
        std::clamp(allowed, double{tuning::least_factorisations}, double{tuning::max_factorisations}));
    std::vector<NewtonEntry> entries = rigid_entries(rows, nodes, blocks);
    const NewtonUnits units = units_of(problem.empty() ? 1 : problem[0].compliance[0], entries);
    change_units(units, entries);
    for (NewtonBlock& b : problem) change_units(units, b);
    for (double& x : w) x /= units.compliance;
    for (Vec3& x : impulses) x *= units.compliance;
    ContactNewton newton(std::move(problem), std::move(w));
    newton.set_entries(std::move(entries));
    const int factorisations = newton.solve(impulses, {tolerance, most}).factorisations;
    for (Vec3& x : impulses) x = x / units.compliance;
    return factorisations;
}

}  // namespace plush
