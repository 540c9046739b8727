#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/body.hpp"
#include "plush/contact/settings.hpp"

// Contact and joints as blocks of up to three constraint rows,
//
//     w = J u + b,      u = u* + A⁻¹ Jᵀ λ,
//
// with one law a block that ties w and λ together:
//
//     contact     w_n ≥ 0, λ_n ≥ 0, λ_n w_n = 0; |λ_t| ≤ μ λ_n, and where w_t ≠ 0, λ_t = −μ λ_n w_t/|w_t|
//     bilateral   w = 0
//
// Row 0 of a contact is the normal, rows 1 and 2 the tangents. A block reaches nodes by its entries: J has
// one 3×6 piece a node. The solver knows nothing else: not what the bodies are, nor what made the rows.

namespace plush {

struct Entry {
    std::uint32_t node = 0;
    Mat3 linear{};   ///< rows × velocity
    Mat3 angular{};  ///< rows × angular velocity
};

struct Block {
    enum class Law : std::uint8_t { contact, bilateral };
    Law law = Law::contact;
    std::uint8_t rows = 3;  ///< 1: the normal row alone
    double friction = 0;
    std::uint32_t first_entry = 0, entry_count = 0;
    Vec3 bias{};
    Vec3 impulse{};  ///< λ: the warm start before, the answer after
};

/// All rows of a step, over the nodes of all bodies.
struct Rows {
    std::vector<Block> blocks;
    std::vector<Entry> entries;

    void clear() { blocks.clear(), entries.clear(); }
    std::span<const Entry> entries_of(const Block& b) const {
        return {entries.data() + b.first_entry, b.entry_count};
    }
};

/// The rows of a point: `frame` times the velocity of the material point with lever arm r, with a sign.
inline Entry point_entry(std::uint32_t node, const Mat3& frame, const Vec3& r, double sign) {
    return {node, frame * sign, frame * skew(r) * -sign};
}

}  // namespace plush
