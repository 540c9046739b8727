#pragma once

#include <memory>
#include <vector>

#include "detect/penetration/penetration.hpp"

// Balls of 20 tets on a jittered lattice, as many as are wanted and all overlapping their neighbours alike:
// what the time of penetration depth is measured on.

namespace plush::lab {

class BallLattice {
public:
    explicit BallLattice(int count, std::uint64_t seed = 11);

    std::span<const TetObject> objects() const { return objects_; }
    long long tets() const { return 20 * static_cast<long long>(objects_.size()); }

private:
    std::shared_ptr<const TetShape> shape_;
    std::vector<std::vector<Vec3>> places_;
    std::vector<TetObject> objects_;
};

/// Lattices of `count` balls that differ by chance, to be searched one after the other: the processor learns
/// by heart which way the branches of a small scene go when it sees it again and again, and no simulation
/// repeats itself so.
std::vector<BallLattice> ball_lattices(int count);

/// Nanoseconds a colliding point on one thread, of each lattice the least of several rounds through all. The
/// stages by the clock, the total of the processor: on a busy machine it is the surer one.
struct DepthCost {
    std::size_t colliding = 0;  ///< in a lattice, on average
    double cells = 0, points = 0, edges = 0, border = 0, propagation = 0, total = 0;
};
DepthCost cost_of(std::span<const BallLattice> lattices, const DepthOptions& options, int rounds);

}  // namespace plush::lab
