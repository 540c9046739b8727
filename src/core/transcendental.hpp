#pragma once

#include <cmath>

// Every transcendental function that a step calls goes through here, so that it can be pinned to one
// implementation: libm may round differently on another machine, and promise 3 (same bits) would end there.
// Square roots are exact by IEEE 754 and need no pinning.

namespace plush::pinned {

inline double sin(double x) {
    return std::sin(x);
}
inline double cos(double x) {
    return std::cos(x);
}
inline double acos(double x) {
    return std::acos(x);
}
inline double atan2(double y, double x) {
    return std::atan2(y, x);
}
inline double exp(double x) {
    return std::exp(x);
}
inline double log(double x) {
    return std::log(x);
}
inline double cbrt(double x) {
    return std::cbrt(x);
}

}  // namespace plush::pinned
