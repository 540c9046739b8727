#pragma once

#include <cstddef>

// Dense products and factors of the panels of a sparse factorisation: columns one after another, each as long
// as `stride`, widths a multiple of three.

namespace plush {

/// C = A Bᵀ (`add` false) or C −= A Bᵀ (true): A is rows × depth, B columns × depth, C rows × columns. Only
/// what is on and below the diagonal of C is promised where `lower`. Rows are rounded up to fours: A is read
/// and C written that far.
void multiply_panels(std::size_t rows, std::size_t columns, std::size_t depth, const double* a,
                     std::size_t a_stride, const double* b, std::size_t b_stride, double* c,
                     std::size_t c_stride, bool subtract, bool lower);

/// The first `columns` rows become L of L Lᵀ, the rows below become B L⁻ᵀ. Zeros are written above the
/// diagonal within narrow strips only. False where a pivot is not positive.
[[nodiscard]] bool factorise_panel(std::size_t rows, std::size_t columns, double* a, std::size_t stride);

}  // namespace plush
