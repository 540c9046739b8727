#pragma once

#include <array>
#include <cstddef>

namespace plush {

/// What one image says of a contact, in pixels.
struct AxisSums {
    double volume = 0, shares = 0;         ///< Σ t (z⁺ − z⁻), Σ t
    double u = 0, v = 0, z = 0;            ///< Σ t times the middle
    double net = 0, net_u = 0, net_v = 0;  ///< of a: Σ ± t, and with the place
    std::array<double, 2> net_z{};         ///< of a and of b: Σ ± t times the crossing's depth
    double met = 0;                        ///< Σ t over crossings of a
    double longest = 0;                    ///< z⁺ − z⁻ of a whole stretch
    std::size_t columns = 0;
};

/// The three images.
using ContactSums = std::array<AxisSums, 3>;

}  // namespace plush
