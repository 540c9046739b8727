#pragma once

// All of Plush's public interface. See docs/architecture.md for the rooms behind it.

#include "plush/core/version.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "plush/world/world.hpp"
