#pragma once

#include <span>
#include <string>
#include <vector>

#include "plush/geometry/tetrahedralise.hpp"

// Elastic boxes of 1,000 nodes that fall into a pen and lie on one another, here by volume and in another
// engine: what 10 ms of simulated time cost, and what state the heap is in at the end. The same eyes look at
// both: tets inside out, and the volumes that the bodies' surfaces share.

namespace plush::lab {

/// What is wrong with a heap.
struct HeapState {
    long long inverted = 0;    ///< tets
    double shared = 0;         ///< volume that two bodies share, by that of one body, over all pairs
    double mean_depth = 0;     ///< the largest of all overlaps: volume / area, m
    double largest_depth = 0;  ///< of all columns of the images, m
    double below = 0;          ///< how far the deepest node is under the ground, m
    bool finite = true;        ///< false: none of the others is known
};

/// Of bodies that are all made of the tets of `box`, as their nodes lie, one body after the other.
HeapState look_at(const TetMesh& box, std::span<const Vec3> nodes);

struct PileRow {
    std::string name;  ///< of the engine and how it was asked
    int bodies = 0, nodes = 0;
    double step = 0;         ///< h, s
    double ms = 0;           ///< of the processor for 10 ms of simulated time, one thread, mean
    double touching_ms = 0;  ///< the same over the last half; 0: not known
    double contacts = 0;     ///< a step, mean; 0: not known
    double allowed = 0;      ///< depth that is left alone, m; 0: not known
    double speed = 0;        ///< of all nodes over the last tenth of a second, root mean square, m/s
    double ratio = 0;        ///< ms by that of Plush
    double clock_ms = 0;     ///< by the clock, with as many threads as the engine can use
    double clock_ratio = 0;  ///< the same by that of Plush
    HeapState state{};
};

struct PilesBench {
    std::vector<PileRow> rows{};
    std::vector<std::string> notes{};  ///< what is missing and how to get it
};

/// `runs` of each, in turns; the fastest counts. By the clock Plush has so many threads; the peer has one.
PilesBench bench_piles(int runs, int threads);

}  // namespace plush::lab
