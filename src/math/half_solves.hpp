#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/block_cholesky.hpp"

// Half of the solve for many sparse right-hand sides. With A = L Lᵀ and Y = L⁻¹ B,
//
//     Bᵀ A⁻¹ B = Yᵀ Y,      A⁻¹ B λ = L⁻ᵀ (Y λ),
//
// so that the compliance that contacts feel takes the way down alone, is symmetric and positive semidefinite
// to the last bit, and only the one combination that is applied in the end is carried back up.
//
// A right-hand side that touches a few rows fills only the supernodes above them in the elimination tree
// (Gilbert & Peierls 1988): the others are never looked at.

namespace plush {

class HalfSolves {
public:
    struct Entry {
        std::uint32_t row = 0;
        Vec3 value{};
    };

    /// Forgets all columns.
    void clear() { entries_.clear(), first_.assign(1, 0); }
    /// b of one more right-hand side: add its entries, each row once, then end it.
    void add(std::uint32_t row, const Vec3& value) { entries_.push_back({row, value}); }
    void end_column() { first_.push_back(static_cast<std::uint32_t>(entries_.size())); }
    std::size_t columns() const { return first_.size() - 1; }

    /// Y. The factor must stay as it is until the answers have been read.
    void solve(const BlockCholesky& factor);
    /// Bᵀ A⁻¹ B, columns × columns.
    void products(std::vector<double>& out) const;
    /// x = A⁻¹ B λ.
    void combine(std::span<const double> factors, std::span<Vec3> x) const;

private:
    static constexpr std::size_t lanes = 8;
    std::size_t groups() const { return (columns() + lanes - 1) / lanes; }
    void solve_group(std::size_t group);

    const BlockCholesky* factor_ = nullptr;
    std::vector<Entry> entries_;
    std::vector<std::uint32_t> first_{0};
    std::vector<double> y_;          ///< of each group of columns: 3 × rows × lanes, in the order of L
    std::vector<std::uint8_t> met_;  ///< of each group: a byte a supernode
};

}  // namespace plush
