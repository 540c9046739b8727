#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "plush/core/random.hpp"
#include "plush/math/rotation.hpp"
#include "plush/world/world.hpp"

// Random graphs of joints, and what is measured on them. A graph has two to five boxes of masses up to 1000 : 1, a tree
// of joints, and one to four more on pairs that are connected already or on the world. Anchors are up to 0.5 m from the
// bodies. Limits may exclude the pose in which the joint is added, so that they contradict other joints of the pair.

namespace plush::test {

struct JointGraph {
    /// What a seed may contain.
    struct Parts {
        bool motors = false, limits = true, gravity = true, ground = false, collide = false;
    };
    struct Motor {
        JointId joint;
        double max_force, position;
    };
    std::unique_ptr<World> world;
    std::vector<JointId> joints;
    std::vector<Motor> motors;
};

inline Vec3 random_vector(Random& random, double size) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

/// The bodies of a graph: a row of boxes.
inline std::vector<BodyId> add_boxes(World& world, Random& random, double height) {
    std::vector<BodyId> bodies;
    const auto count = 2 + random.below(4);
    for (std::uint64_t k = 0; k < count; ++k) {
        const Vec3 half{random.uniform(0.05, 0.25), random.uniform(0.05, 0.25), random.uniform(0.05, 0.25)};
        const Vec3 centre = Vec3{0.8 * static_cast<double>(k), height, 0} + random_vector(random, 0.1);
        // An angular velocity of up to 0.5 rad a step, at most 30 rad/s.
        const double spin = std::min(30.0, 0.5 / world.settings().step) * random.uniform() * random.uniform();
        bodies.push_back(
            world.add(Rigid{.shape = Shape::box(half), .mass = std::pow(10, random.uniform(-1, 2))},
                      {.position = centre,
                       .rotation = exp_rotation(random_vector(random, 1)),
                       .velocity = random_vector(random, 2),
                       .angular_velocity = random_vector(random, spin)}));
    }
    return bodies;
}

/// Limits around the pose in which the joint is added, or beside it.
inline JointLimits random_limits(Random& random, double at, double range) {
    JointLimits limits;
    const double low = at + random.uniform(-range, 0.2 * range);
    if (random.below(4) > 0) limits.low = low;
    if (random.below(4) > 0) limits.high = low + random.uniform(0, range);
    return limits;
}

inline void add_random_joint(JointGraph& graph, const JointGraph::Parts& parts, Random& random, BodyId a,
                             BodyId b) {
    World& world = *graph.world;
    const Vec3 from = world.centre(a), to = b ? world.centre(b) : from;
    const Vec3 anchor = 0.5 * (from + to) + random_vector(random, 0.3);
    const Vec3 axis = normalised(random_vector(random, 1));
    JointMotor motor;
    if (parts.motors && random.below(3) == 0) {
        motor.max_force = std::pow(10, random.uniform(0, 2.5));
        if (random.below(2) == 0)
            motor.speed = random.uniform(-5, 5);
        else
            motor.position = random.uniform(-0.5, 0.5), motor.speed = random.uniform(0.5, 5);
    }
    const auto limits = [&](double at, double range) {
        return parts.limits && random.below(2) == 0 ? random_limits(random, at, range) : JointLimits{};
    };
    const auto add = [&](const auto& joint) {
        graph.joints.push_back(b ? world.add(joint, a, b) : world.add(joint, a));
    };
    bool driven = motor.max_force.has_value();
    switch (random.below(6)) {
        case 0:
            driven = false;
            add(BallJoint{.anchor = anchor, .axis = axis, .collide = parts.collide});
            break;
        case 1:
            add(HingeJoint{.anchor = anchor,
                           .axis = axis,
                           .limits = limits(0, 0.5),
                           .motor = motor,
                           .collide = parts.collide});
            break;
        case 2:
            add(SliderJoint{.anchor = anchor,
                            .axis = axis,
                            .limits = limits(0, 0.3),
                            .motor = motor,
                            .collide = parts.collide});
            break;
        case 3:
            driven = false;
            add(FixedJoint{.anchor = anchor, .collide = parts.collide});
            break;
        case 4: {
            const Vec3 other = anchor + (0.2 + random.uniform(0, 0.3)) * axis;
            if (motor.position) *motor.position += norm(other - anchor);
            add(DistanceJoint{.anchor_a = anchor,
                              .anchor_b = other,
                              .limits = limits(norm(other - anchor), 0.2),
                              .motor = motor,
                              .collide = parts.collide});
            break;
        }
        default:
            driven = false;
            add(RopeJoint{.anchor_a = anchor, .anchor_b = anchor + 0.3 * axis, .collide = parts.collide});
    }
    if (driven)
        graph.motors.push_back(
            {graph.joints.back(), *motor.max_force, world.joint_position(graph.joints.back())});
}

inline JointGraph random_joint_graph(std::uint64_t seed, double step, const JointGraph::Parts& parts) {
    Random random(seed);
    WorldSettings settings;
    settings.step = step;
    settings.threads = 1;
    settings.sleep.enabled = false;
    if (!parts.gravity) settings.gravity = {};
    JointGraph graph{std::make_unique<World>(settings), {}, {}};
    if (parts.ground) graph.world->add(Fixed{.shape = Shape::half_space()});
    const std::vector<BodyId> bodies = add_boxes(*graph.world, random, parts.ground ? 0.8 : 0.0);
    for (std::size_t k = 1; k < bodies.size(); ++k)
        add_random_joint(graph, parts, random, bodies[k], bodies[random.below(k)]);
    const auto extra = 1 + random.below(4);
    for (std::uint64_t k = 0; k < extra; ++k) {
        const auto a = random.below(bodies.size()), b = random.below(bodies.size() + 1);
        add_random_joint(graph, parts, random, bodies[a],
                         b == a || b == bodies.size() ? BodyId{} : bodies[b]);
    }
    return graph;
}

/// Kinetic energy and that of gravity, with the velocities brought from the middle of the step to its end: the step is
/// a leapfrog, u = v(t − ½ h), and T(u) + V(q) of a free fall changes by ½ h m g·u without any force of a joint.
inline double energy_at_the_end(const World& world) {
    double shift = 0;
    for (const BodyId body : world.bodies())
        if (world.kind(body) == BodyKind::rigid)
            shift += 0.5 * world.settings().step * world.mass(body) *
                     dot(world.settings().gravity, world.velocity(body));
    return world.energy().total() + shift;
}

struct JointLaws {
    double growth = 0;   ///< of energy beyond the work of motors, since its lowest value; J
    double scale = 0;    ///< the kinetic energy at the start, and of a fall through 1 m; J
    double gap = 0;      ///< the largest in the second half of the run, m
    double kinetic = 0;  ///< the largest, J
    double work = 0;     ///< of motors at most, J
};

inline JointLaws run_joint_graph(JointGraph& graph, double seconds) {
    World& world = *graph.world;
    JointLaws laws;
    laws.scale = world.energy().kinetic;
    for (const BodyId body : world.bodies())
        if (world.kind(body) == BodyKind::rigid)
            laws.scale += world.mass(body) * norm(world.settings().gravity);
    // Limits that exclude the pose at the start are closed by then, which lifts bodies.
    constexpr int settling = 10;
    double lowest = HUGE_VAL;
    const auto steps = static_cast<int>(std::round(seconds / world.settings().step));
    for (int i = 0; i < steps; ++i) {
        const double before = energy_at_the_end(world);
        double given = 0;
        std::vector<double> was;
        for (const auto& m : graph.motors) was.push_back(world.joint_position(m.joint));
        world.step();
        for (std::size_t k = 0; k < graph.motors.size(); ++k)
            given +=
                graph.motors[k].max_force * std::abs(world.joint_position(graph.motors[k].joint) - was[k]);
        laws.work += given;
        if (i < settling) continue;
        lowest = std::min(lowest, before) + given;
        laws.growth = std::max(laws.growth, energy_at_the_end(world) - lowest);
        laws.kinetic = std::max(laws.kinetic, world.energy().kinetic);
        if (2 * i < steps) continue;
        for (const JointId joint : graph.joints) laws.gap = std::max(laws.gap, world.joint_gap(joint));
    }
    return laws;
}

}  // namespace plush::test
