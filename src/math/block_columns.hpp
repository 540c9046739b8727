#pragma once

#include "math/four.hpp"

namespace plush {

/// The columns of a 3×3 block in registers; the fourth number of each means nothing.
struct BlockColumns {
    Four c0{}, c1{}, c2{};

    /// Of nine numbers and one behind them.
    static BlockColumns load(const double* from) {
        return {load_four(from), load_four(from + 3), load_four(from + 6)};
    }
    /// Each column covers what the one before wrote too much; the last one writes three numbers.
    void store(double* to) const {
        store_four(c0, to), store_four(c1, to + 3);
        const auto xy = __builtin_shufflevector(c2, c2, 0, 1);
        __builtin_memcpy(to + 6, &xy, sizeof xy);
        to[8] = c2[2];
    }
    void add_to(double* to) const {
        BlockColumns there = load(to);
        there.add(*this);
        there.store(to);
    }
    void add(const BlockColumns& o) { c0 += o.c0, c1 += o.c1, c2 += o.c2; }
    Four times(const Four& v) const { return c0 * v[0] + c1 * v[1] + c2 * v[2]; }
    BlockColumns transposed() const {
        const Four low = __builtin_shufflevector(c0, c1, 0, 4, 2, 6),
                   high = __builtin_shufflevector(c0, c1, 1, 5, 3, 7);
        return {__builtin_shufflevector(low, c2, 0, 1, 4, 5), __builtin_shufflevector(high, c2, 0, 1, 5, 6),
                __builtin_shufflevector(low, c2, 2, 3, 6, 7)};
    }
};

}  // namespace plush
