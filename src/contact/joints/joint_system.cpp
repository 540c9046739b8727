#include "contact/joints/joint_system.hpp"

#include <algorithm>
#include <numeric>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/tuning.hpp"

// Block (i, j) of S is the sum of ± K_body(i, j) over the bodies that both blocks touch (docs/methods.md,
// Joints). A body that nothing pushes is no node, so the world couples nothing, and for
// chains and trees whose bodies have few joints each the factor has as many blocks as the matrix.
//
// Redundant rows make S singular. M = S + ε D is factorised, D the diagonal of each block's mean compliance,
// which makes impulses and angular impulses comparable. In the eigenvectors of S v = σ D v
//
//     P = M⁻¹ S M⁻¹      has      σ / (σ + ε)²:
//
// it is S⁻¹ up to 2ε/σ where σ is large, and exactly 0 where σ is, so what cannot be fulfilled is left alone
// instead of being divided by ε. Conjugate gradients preconditioned with P take the rest in two or three
// turns, starting from 0: they never leave the range of S, and of all impulses that do the same they give
// those with the least λᵀ D λ.
//
// On what no impulse can fulfil, since rows contradict each other, they would not end but wander off. This part of b is
// taken out before: (ε D M⁻¹)³ has (ε/(σ + ε))³, which is 1 where σ is 0 and next to nothing where it is not. Rounding
// leaves 1e-16/ε of it: once more takes the rest.
//
// Where the joints of an island form trees nothing is redundant: then ε is at the level of rounding and M⁻¹
// itself is the preconditioner.

namespace plush {
namespace {

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
    PLUSH_ASSERT(a.size() == b.size());
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += plush::dot(a[i], b[i]);
    return sum;
}

}  // namespace

JointSystem::JointSystem(const Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes)
    : blocks_(blocks.begin(), blocks.end()), diagonals_(blocks.size()), weights_(blocks.size()) {
    for (const std::uint32_t b : blocks_) {
        PLUSH_ASSERT(b < rows.blocks.size() && rows.blocks[b].direct);
        rows_.push_back(rows.blocks[b].rows);
        if (rows.blocks[b].law == Block::Law::bounded)
            bounded_.push_back({rows.blocks[b].owner, rows_.size() - 1});
    }
    couple(rows, nodes);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = rows.blocks[blocks_[i]];
        Mat3& d = diagonals_[i];
        for (std::size_t k = 0; k < block.rows; ++k) {
            d(k, k) += block.softness[k];
            weights_[i] += d(k, k) / block.rows;
        }
        for (std::size_t k = block.rows; k < 3; ++k) d(k, k) = 1;
    }
    redundant_ = may_be_redundant(rows);
    for (std::vector<Vec3>* v : {&r_, &z_, &p_, &q_, &t_}) v->resize(blocks_.size());
}

// Entries by the node, or group of nodes, that they reach; those that share one are coupled.
void JointSystem::couple(const Rows& rows, std::span<const Node> nodes) {
    struct Reach {
        std::uint32_t key, block;
        const Entry* entry;
    };
    std::vector<Reach> reached;
    for (std::uint32_t i = 0; i < blocks_.size(); ++i)
        for (const Entry& e : rows.entries_of(rows.blocks[blocks_[i]])) {
            const NodeGroup* group = rows.group_of(e.node);
            PLUSH_ASSERT(!group || group->compliance.size() == std::size_t{group->count} * group->count);
            reached.push_back({group ? group->first_node : e.node, i, &e});
        }
    std::stable_sort(reached.begin(), reached.end(),
                     [](const Reach& a, const Reach& b) { return a.key < b.key; });
    BlockPattern pattern(blocks_.size());
    for (std::size_t first = 0, last = 0; first < reached.size(); first = last) {
        while (last < reached.size() && reached[last].key == reached[first].key) ++last;
        for (std::size_t x = first; x < last; ++x)
            for (std::size_t y = first; y < last; ++y) {
                const Reach &a = reached[x], &b = reached[y];
                if (a.block > b.block) continue;
                const Mat3 value = compliance_between(rows, nodes, *a.entry, *b.entry);
                if (a.block == b.block) {
                    diagonals_[a.block] += value;
                    continue;
                }
                pattern.add(a.block, b.block);
                couplings_.push_back({0, 0, a.block, b.block, value});
            }
    }
    matrix_ = BlockMatrix(pattern);
    factor_.analyse(matrix_);
    for (Coupling& c : couplings_) c.slot = matrix_.slot(c.i, c.j), c.mirrored = matrix_.slot(c.j, c.i);
}

// Joints between bodies, and between bodies and the world, are edges of a graph. A tree is never redundant:
// the rows of one joint are independent, unless two of them act on one coordinate (share_coordinate).
bool JointSystem::may_be_redundant(const Rows& rows) const {
    std::vector<std::uint32_t> keys;  // of the bodies of this island alone: there may be many islands
    const auto key = [&](const Entry& e) {
        const NodeGroup* group = rows.group_of(e.node);
        return group ? group->first_node : e.node;
    };
    for (const std::uint32_t b : blocks_)
        for (const Entry& e : rows.entries_of(rows.blocks[b])) keys.push_back(key(e));
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<std::uint32_t> parent(keys.size() + 1);
    std::iota(parent.begin(), parent.end(), 0u);
    const auto world = static_cast<std::uint32_t>(keys.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        const Block& block = rows.blocks[blocks_[i]];
        if (i > 0 && rows.blocks[blocks_[i - 1]].owner == block.owner) continue;
        const auto entries = rows.entries_of(block);
        PLUSH_ASSERT(!entries.empty() && entries.size() <= 2);
        const auto end = [&](std::size_t k) {
            if (k >= entries.size()) return world;
            const auto at = std::lower_bound(keys.begin(), keys.end(), key(entries[k]));
            PLUSH_ASSERT(at != keys.end() && *at == key(entries[k]));
            return static_cast<std::uint32_t>(at - keys.begin());
        };
        const std::uint32_t a = root(parent, end(0)), b = root(parent, end(1));
        if (a == b) return true;
        parent[std::max(a, b)] = std::min(a, b);
    }
    return false;
}

void JointSystem::fill(std::span<const std::uint8_t> active, double epsilon) {
    epsilon_ = epsilon;
    active_.assign(active.begin(), active.end());
    matrix_.set_zero(Parallel(1));
    for (std::uint32_t i = 0; i < blocks_.size(); ++i) {
        Mat3 d = active[i] ? diagonals_[i] : (weights_[i] > 0 ? weights_[i] : 1) * Mat3::identity();
        if (active[i])
            for (std::size_t k = 0; k < rows_[i]; ++k) d(k, k) += epsilon * weights_[i];
        matrix_.add_symmetric(matrix_.diagonal_slot(i), d);
    }
    for (const Coupling& c : couplings_) {
        if (!active[c.i] || !active[c.j]) continue;
        matrix_.add(c.slot, c.value);
        matrix_.add(c.mirrored, transpose(c.value));
    }
}

/// Whether two rows of one joint hold its coordinate: a motor and a stop, or both stops.
bool JointSystem::share_coordinate(std::span<const std::uint8_t> active) const {
    const Bounded* last = nullptr;
    for (const Bounded& row : bounded_) {
        if (!active[row.block]) continue;
        if (last && last->owner == row.owner) return true;
        last = &row;
    }
    return false;
}

bool JointSystem::factorise(std::span<const std::uint8_t> active) {
    PLUSH_ASSERT(active.size() == blocks_.size());
    filtered_ = redundant_ || share_coordinate(active);
    if (!filtered_) {
        fill(active, tuning::joint_epsilon_tree);
        if (factor_.factorise(matrix_)) return true;
        // The rows of a joint may be dependent after all, as those of a lever of length 0.
        filtered_ = redundant_ = true;
    }
    for (double epsilon = tuning::joint_epsilon; epsilon < 1; epsilon *= 100) {
        fill(active, epsilon);
        if (factor_.factorise(matrix_)) return true;
    }
    return false;
}

// S x = M x − ε D x, in the active part.
void JointSystem::multiply(std::span<const Vec3> x, std::span<Vec3> y) const {
    PLUSH_ASSERT(x.size() == blocks_.size() && y.size() == blocks_.size());
    matrix_.multiply_rows(x, y, 0, blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) y[i] -= epsilon_ * weights_[i] * x[i];
}

void JointSystem::precondition(std::span<const Vec3> r, std::span<Vec3> z) {
    std::copy(r.begin(), r.end(), z.begin());
    factor_.solve(z);
    if (!filtered_) return;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] = r[i] - epsilon_ * weights_[i] * z[i];
    factor_.solve(z);
}

// b ← b − (ε D M⁻¹)³ b.
void JointSystem::leave_contradictions(std::span<Vec3> b) {
    std::copy(b.begin(), b.end(), t_.begin());
    for (int power = 0; power < tuning::joint_filter_power; ++power) {
        factor_.solve(t_);
        for (std::size_t i = 0; i < b.size(); ++i) t_[i] = epsilon_ * weights_[i] * t_[i];
    }
    for (std::size_t i = 0; i < b.size(); ++i) b[i] -= t_[i];
}

void JointSystem::solve(std::span<const Vec3> b, std::span<Vec3> x) {
    PLUSH_ASSERT(b.size() == blocks_.size() && x.size() == blocks_.size());
    PLUSH_ASSERT(active_.size() == blocks_.size());
    std::fill(x.begin(), x.end(), Vec3{});
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
        r_[i] = active_[i] ? b[i] : Vec3{};
        for (std::size_t k = rows_[i]; k < 3; ++k) r_[i][k] = 0;
    }
    if (filtered_)
        for (int twice = 0; twice < 2; ++twice) leave_contradictions(r_);
    precondition(r_, z_);
    p_ = z_;
    double rz = dot(r_, z_);
    const double enough = rz * tuning::joint_tolerance * tuning::joint_tolerance;
    for (int turn = 0; turn < tuning::joint_solve_turns && rz > enough; ++turn) {
        multiply(p_, q_);
        const double curvature = dot(p_, q_);
        double regular = 0;  // pᵀ ε D p
        for (std::size_t i = 0; i < x.size(); ++i) regular += epsilon_ * weights_[i] * norm2(p_[i]);
        if (!(curvature > regular)) break;  // what is left is rounding, along rows that are redundant
        const double way = rz / curvature;
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += way * p_[i], r_[i] -= way * q_[i];
        precondition(r_, z_);
        const double next = dot(r_, z_), keep = next / rz;
        if (!(next < rz)) break;
        rz = next;
        for (std::size_t i = 0; i < x.size(); ++i) p_[i] = z_[i] + keep * p_[i];
    }
}

}  // namespace plush
