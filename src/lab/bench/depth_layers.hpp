#pragma once

#include "plush/world/world.hpp"

namespace plush::lab {

/// The layers that depth images of a whole scene need (Allard et al. 2010, Table 1): the most crossings of any column
/// along the three axes with the surfaces of all bodies that have bounds. `pixel` in m. Plush draws pairs alone and keeps
/// the crossings of each column; this is what images of the paper's kind would need at the same pixel.
int depth_layers(const World& world, double pixel);

}  // namespace plush::lab
