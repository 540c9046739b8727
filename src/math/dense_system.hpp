#pragma once

#include <cstddef>
#include <span>
#include <vector>

// A dense linear system of some hundred unknowns, solved in place. The factors are Plush's own: their bits depend on the
// numbers alone, not on the caches of a machine.

namespace plush {

class DenseSystem {
public:
    /// All zero. Rows and columns are filled up to a multiple of twelve with those of the identity.
    void resize(std::size_t size);
    std::size_t size() const { return size_; }
    double& operator()(std::size_t row, std::size_t column) { return a_[row + column * stride_]; }
    double operator()(std::size_t row, std::size_t column) const { return a_[row + column * stride_]; }

    /// b becomes x of A x = b by A = P L U, with partial pivoting; false where A is singular. A is lost.
    [[nodiscard]] bool solve(std::span<double> b);
    /// b becomes x of A x = b for a symmetric positive definite A, by L Lᵀ; the part below the diagonal is read.
    [[nodiscard]] bool solve_positive(std::span<double> b);

private:
    bool factorise_columns(std::size_t first, std::size_t end);
    void update_after(std::size_t first, std::size_t end);

    std::size_t size_ = 0, stride_ = 0;
    std::vector<double> a_, upper_, x_;
    std::vector<std::size_t> pivots_;
};

}  // namespace plush
