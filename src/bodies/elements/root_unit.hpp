#pragma once

#include <cmath>

namespace plush {

/// The power of two at or below a positive number; 1 for others. Roots of numbers over it round alike whatever the units are, as
/// long as those are powers of two of one another: a scene of twice the size gets the same bits.
inline double root_unit(double x) {
    return x > 0 && std::isfinite(x) ? std::ldexp(1, std::ilogb(x)) : 1;
}

}  // namespace plush
