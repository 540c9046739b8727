#pragma once

// What a simulation needs. See docs/architecture.md for the modules behind it. Scenes and runs are in
// plush/scene and plush/record; pictures are in plush/render and in a library of their own, plush::render.

#include "plush/core/version.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/components.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "plush/world/world.hpp"
