#pragma once

#include <string>
#include <vector>

namespace plush::lab {

/// Steps of a chain or a tree of ball joints on one thread. Times are means over the steps of the fastest
/// run.
struct JointRowTime {
    std::string name;  ///< "chain" or "tree"
    int joints = 0;
    double step_ms = 0, solve_ms = 0;
    double us_per_joint = 0;  ///< of a whole step
    double ratio = 0;         ///< of that to the one of the smallest: 1 where the cost is linear
    double largest_gap = 0;   ///< m
};

/// 10², 10³ and 10⁴ joints of each.
std::vector<JointRowTime> bench_joints(int runs);

}  // namespace plush::lab
