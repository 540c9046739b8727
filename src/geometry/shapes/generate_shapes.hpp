#pragma once

#include "geometry/shapes/implicit_mesh.hpp"
#include "plush/geometry/generate.hpp"

// Shapes that generate() knows by name and that have no parameters worth a public function.

namespace plush::shapes {

/// A smooth stone about 2 m long: another one for each seed.
Mesh pebble(int triangles, int seed);

// Figures of soft parts, about 1 m across; y is up, faces look to +z. The seed varies them.
Implicit bear(int seed);
Implicit bunny(int seed);
Implicit elephant(int seed);
Implicit octopus(int seed);
Implicit snake(int seed);
Implicit eel(int seed);
Implicit hand(int seed);
Implicit star(int seed);
Implicit liver(int seed);
Implicit stomach(int seed);
Implicit kidney(int seed);
Implicit gut(int seed);
Implicit gripper(int seed);
Implicit jaw(int seed);
Implicit gear(int seed);
Implicit bumpy(int seed);
Implicit armadillo(int seed);

}  // namespace plush::shapes
