#pragma once

#include <memory>
#include <vector>

#include "detect/penetration.hpp"

// Balls of 20 tets on a jittered lattice, as many as are wanted and all overlapping their neighbours alike:
// what the time of penetration depth is measured on.

namespace plush::lab {

class BallLattice {
public:
    explicit BallLattice(int count);

    std::span<const TetObject> objects() const { return objects_; }
    long long tets() const { return 20 * static_cast<long long>(objects_.size()); }

private:
    std::shared_ptr<const TetShape> shape_;
    std::vector<std::vector<Vec3>> places_;
    std::vector<TetObject> objects_;
};

/// Nanoseconds a colliding point, each the least of several searches.
struct DepthCost {
    std::size_t colliding = 0;
    double cells = 0, points = 0, edges = 0, border = 0, propagation = 0, total = 0;
};
DepthCost cost_of(std::span<const TetObject> objects, const DepthOptions& options, int threads, int runs);

}  // namespace plush::lab
