#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body.hpp"
#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "plush/contact/settings.hpp"

// Contact and joints as blocks of up to three constraint rows,
//
//     w = J u + b,      u = u* + A⁻¹ Jᵀ λ,
//
// with one law a block that ties w and λ together:
//
//     contact     w_n + γ λ_n ≥ 0, λ_n ≥ 0, λ_n (w_n + γ λ_n) = 0;
//                 |λ_t| ≤ μ λ_n, and where w_t ≠ 0, λ_t = −μ λ_n w_t/|w_t|
//                 or, where it follows another block, λ_n = s λ'_n, a share of that one's, whatever w_n is
//     bilateral   w + γ λ = 0
//     bounded     w = 0 with λ between two bounds;
//                 where λ is at the lower one w ≥ 0, at the upper one w ≤ 0
//     limited     w + γ λ = 0 with |λ| ≤ R, three rows; where |λ| = R, w + γ λ = −s λ with s ≥ 0
//
// γ is the compliance of a spring that is taken implicitly, 0 for what is rigid. Row 0 of a contact is the
// normal, rows 1 and 2 the tangents. A block reaches nodes by its entries: J has one 3×6 piece a node. The
// solver knows nothing else: not what the bodies are, nor what made the rows.

namespace plush {

struct Entry {
    std::uint32_t node = 0;
    Mat3 linear{};   ///< rows × velocity
    Mat3 angular{};  ///< rows × angular velocity
};

struct Block {
    enum class Law : std::uint8_t { contact, bilateral, bounded, limited };
    Law law = Law::contact;
    std::uint8_t rows = 3;  ///< the others are zero; 1 in a contact: the normal row alone; bounded: always 1
    bool direct = false;    ///< part of the system that is factorised and solved as a whole (joints)
    bool active = true;     ///< bounded: taken to lie between its bounds at first
    std::uint32_t owner = 0;  ///< direct blocks of one joint have the same
    /// Of rows that turn: what stands for a radian where they are compared with others, m. 1 where rows are along lines.
    double lever = 1;
    double friction = 0;
    /// Of a contact: the block before it, of the same bodies, that its normal impulse is a share of. Its own row 0 has no
    /// entries then, and friction is all that it does.
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::uint32_t normal_of = none;
    double share = 0;
    Vec3 softness{};                          ///< γ, row by row
    double low = -HUGE_VAL, high = HUGE_VAL;  ///< bounded; of a limited one `high` is R
    std::uint32_t first_entry = 0, entry_count = 0;
    Vec3 bias{};
    Vec3 given{};         ///< what bodies whose motion is given add to J u: part of the bias
    double rebound = 0;   ///< of a contact that bounces: the part of the bias that asks for it, m/s
    double recovery = 0;  ///< of a contact that is too deep: the part of the bias that parts it, m/s
    Vec3 impulse{};       ///< λ: the warm start before, the solution after
};

/// Whether a contact pushes, and friction holds it.
inline bool is_sticking(const Block& block) {
    const double bound = block.friction * block.impulse.x;
    return block.impulse.x > 0 && std::sqrt(block.impulse.y * block.impulse.y +
                                            block.impulse.z * block.impulse.z) < (1 - 1e-9) * bound;
}

/// Nodes that respond together, as the jointed vertices of a soft body do: an impulse on one moves them all,
/// Δu_i = Σ_j W_ij (impulse on j). Their own inverse masses are 0.
struct NodeGroup {
    std::uint32_t first_node = 0, count = 0;
    std::vector<Mat3> compliance{};  ///< W, count × count, by rows; symmetric
    const Mat3& at(std::uint32_t i, std::uint32_t j) const {
        PLUSH_ASSERT(i - first_node < count && j - first_node < count);
        return compliance[std::size_t{i - first_node} * count + (j - first_node)];
    }
};

/// All rows of a step, over the nodes of all bodies.
struct Rows {
    std::vector<Block> blocks;
    std::vector<Entry> entries;
    std::vector<NodeGroup> groups;  ///< of the step, whatever the rows are; by rising nodes

    void clear() { blocks.clear(), entries.clear(); }
    std::span<const Entry> entries_of(const Block& b) const {
        PLUSH_ASSERT(std::size_t{b.first_entry} + b.entry_count <= entries.size());
        return {entries.data() + b.first_entry, b.entry_count};
    }
    /// Null for a node that responds alone.
    const NodeGroup* group_of(std::uint32_t node) const {
        if (groups.empty() || node < groups.front().first_node) return nullptr;
        const auto after =
            std::upper_bound(groups.begin(), groups.end(), node,
                             [](std::uint32_t n, const NodeGroup& g) { return n < g.first_node; });
        const NodeGroup& g = *(after - 1);
        return node < g.first_node + g.count ? &g : nullptr;
    }
};

/// J A⁻¹ Jᵀ of one entry against another.
inline Mat3 compliance_between(const Rows& rows, std::span<const Node> nodes, const Entry& e,
                               const Entry& f) {
    if (const NodeGroup* group = rows.group_of(e.node); group && group == rows.group_of(f.node))
        return e.linear * group->at(e.node, f.node) * transpose(f.linear);
    if (e.node != f.node) return {};
    PLUSH_ASSERT(e.node < nodes.size());
    const Node& node = nodes[e.node];
    return e.linear * transpose(f.linear) * node.inverse_mass +
           e.angular * (node.inverse_inertia * transpose(f.angular));
}

/// The rows of a point: `frame` times the velocity of the material point with lever arm r, with a sign.
inline Entry point_entry(std::uint32_t node, const Mat3& frame, const Vec3& r, double sign) {
    return {node, frame * sign, frame * skew(r) * -sign};
}

}  // namespace plush
