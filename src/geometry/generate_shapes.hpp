#pragma once

#include "plush/geometry/generate.hpp"

// Shapes that generate() knows by name and that have no parameters worth a public function.

namespace plush::shapes {

/// A smooth stone about 2 m long: another one for each seed.
Mesh pebble(int triangles, int seed);

}  // namespace plush::shapes
