#pragma once

namespace plush::lab {

/// A soft block of 702 nodes that is pressed by a plate while a knife goes through it, and the same without the knife.
struct CutCost {
    long long nodes = 0;
    double cut_ms = 0, uncut_ms = 0;  ///< a step, mean over the time that the knife is in the block
    double largest_ms = 0;            ///< the slowest step with the knife
    double contacts = 0, pieces = 0;  ///< mean; at the end
};
CutCost cut_cost(int threads);

}  // namespace plush::lab
