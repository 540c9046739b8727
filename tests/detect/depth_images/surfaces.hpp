#pragma once

#include "detect/depth_images/overlap_finder.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush::test {

using Surface = PosedSurface;

}  // namespace plush::test
