#include "lab/bench/bench_joints.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "plush/world/world.hpp"

// Chains hang from one end, and so do trees: a chain with a branch at every second body. They swing a little.
// The cost of a joint should not depend on how many there are.

namespace plush::lab {
namespace {

struct Jointed {
    World world;
    std::vector<JointId> joints;
};

Jointed make(bool tree, int count) {
    WorldSettings settings;
    settings.threads = 1;
    settings.sleep.enabled = false;
    Jointed made{World(settings), {}};
    const Filter ghost{.groups = 0, .collides_with = 0};
    const double size = 0.1;
    std::vector<BodyId> bodies;
    std::vector<Vec3> tips;
    for (int i = 0; i < count; ++i) {
        // In a tree the odd ones are branches.
        const bool branch = tree && i % 2 == 1;
        const int parent = tree && !branch ? i - 2 : i - 1;
        const Vec3 from = i == 0 ? Vec3{} : tips[static_cast<std::size_t>(parent)];
        const Vec3 way = size * normalised(Vec3{branch ? 1.0 : 0.05, -1, 0});
        const double degrees = std::atan2(way.x, -way.y) * 57.29577951308232;
        bodies.push_back(
            made.world.add(Rigid{.shape = Shape::box({0.03, size / 2, 0.03}), .mass = 1, .filter = ghost},
                           {.position = from + 0.5 * way, .rotation = from_axis_angle({0, 0, 1}, degrees)}));
        tips.push_back(from + way);
        const JointEnd to = i == 0 ? JointEnd{} : JointEnd(bodies[static_cast<std::size_t>(parent)]);
        made.joints.push_back(made.world.add(BallJoint{.anchor = from}, bodies.back(), to));
    }
    return made;
}

JointRowTime time_one(bool tree, int count, int runs) {
    using Clock = std::chrono::steady_clock;
    JointRowTime row;
    row.name = tree ? "tree" : "chain";
    row.joints = count;
    row.step_ms = HUGE_VAL;
    // About as much work for each size.
    const int steps = std::max(5, 20000 / count);
    for (int r = 0; r < runs; ++r) {
        Jointed made = make(tree, count);
        made.world.step();  // the first one finds its memory
        double solve = 0;
        const auto start = Clock::now();
        for (int i = 0; i < steps; ++i) {
            made.world.step();
            solve += made.world.report().times.seconds[static_cast<std::size_t>(Phase::solve)];
        }
        const double ms = 1e3 * std::chrono::duration<double>(Clock::now() - start).count() / steps;
        if (ms < row.step_ms) row.step_ms = ms, row.solve_ms = 1e3 * solve / steps;
        for (const JointId joint : made.joints)
            row.largest_gap = std::max(row.largest_gap, made.world.joint_gap(joint));
    }
    row.us_per_joint = 1e3 * row.step_ms / count;
    return row;
}

}  // namespace

std::vector<JointRowTime> bench_joints(int runs) {
    std::vector<JointRowTime> rows;
    for (const bool tree : {false, true}) {
        const std::size_t first = rows.size();
        for (const int count : {100, 1000, 10000}) {
            rows.push_back(time_one(tree, count, runs));
            rows.back().ratio = rows.back().us_per_joint / rows[first].us_per_joint;
        }
    }
    return rows;
}

}  // namespace plush::lab
