#pragma once

#include <string>
#include <vector>

#include "lab/bench/penetration_things.hpp"
#include "lab/bench/two_threads.hpp"

// What penetration depth costs a colliding point, at three sizes of the same scene, and the stack of spheres
// of the paper beside Bullet's soft spheres.

namespace plush::lab {

struct DepthRow {
    long long tets = 0, colliding = 0;
    DepthCost fast, reference, hashed,
        closest;             ///< one thread: the default, by cells, by a hash, the baseline
    double two_threads = 0;  ///< times as fast as one, by the clock
};

/// 120 soft spheres of 20 tets that fall into a box, in both programs.
struct StackRow {
    std::string name;
    double ms = 0;        ///< a step, of the processor, one thread, mean
    double overlap = 0;   ///< pairs of spheres nearer than their radius, at the end
    double inverted = 0;  ///< tets turned inside out, at the end
    double speed = 0;     ///< root mean square of the vertices, at the end, m/s
};

struct PenetrationBench {
    std::vector<DepthRow> rows;
    TwoThreadsCeiling ceiling;
    std::vector<StackRow> stacks;
    std::string note;  ///< why there is no peer
};
PenetrationBench bench_penetration(int runs);

}  // namespace plush::lab
