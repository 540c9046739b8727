#pragma once

#include <cmath>  // what IEEE 754 rounds exactly: sqrt, fma, abs, ldexp and the like

// Every transcendental function that a step, a mesh or a scene depends on goes through here (a check of the tests
// reads the sources): libm and the compiler's constant folding round differently from machine to machine, and
// promise 3 (same bits) would end there. Square roots are exact by IEEE 754 and need no pinning.
//
// Results are within 0.56 units in the last place of the true value (tests/core/test_transcendental.cpp). Zeros,
// infinities and NaN are treated as in C's Annex F.

namespace plush::pinned {

double sin(double x);
double cos(double x);
double tan(double x);
double acos(double x);
double atan2(double y, double x);
double exp(double x);
double log(double x);
double cbrt(double x);
double hypot(double x, double y);

}  // namespace plush::pinned
