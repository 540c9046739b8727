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
    /// What a joint must keep, as seen from outside: rotations that are fixed (`turns`: about no axis, about one, about all),
    /// limits, and the distance of its points.
    struct Held {
        JointId joint;
        BodyId a, b;
        int turns;
        Vec3 axis_a, axis_b;  ///< in the frames of the bodies
        Quat relative;
        JointLimits limits;
    };
    std::unique_ptr<World> world;
    std::vector<Held> joints;
};

inline Quat rotation_of(const World& world, BodyId body) {
    return body ? world.pose(body).rotation : Quat{};
}

/// By how much a joint gapes, m or rad.
inline double opening(const World& world, const JointGraph::Held& held) {
    double most = world.joint_gap(held.joint);
    const Quat a = rotation_of(world, held.a), b = rotation_of(world, held.b);
    if (held.turns == 1) most = std::max(most, norm(cross(rotate(a, held.axis_a), rotate(b, held.axis_b))));
    if (held.turns == 0)
        most = std::max(most, norm(log_rotation(conjugate(b) * a * conjugate(held.relative))));
    const double at = world.joint_position(held.joint);
    if (held.limits.low) most = std::max(most, *held.limits.low - at);
    if (held.limits.high) most = std::max(most, at - *held.limits.high);
    return most;
}

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
    JointLimits kept;
    const auto limits = [&](double at, double range) {
        return kept = parts.limits && random.below(2) == 0 ? random_limits(random, at, range) : JointLimits{};
    };
    const Quat turn_a = rotation_of(world, a), turn_b = rotation_of(world, b);
    const auto add = [&](const auto& joint, int turns) {
        graph.joints.push_back({b ? world.add(joint, a, b) : world.add(joint, a), a, b, turns,
                                rotate(conjugate(turn_a), axis), rotate(conjugate(turn_b), axis),
                                conjugate(turn_b) * turn_a, kept});
    };
    const bool collide = parts.collide;
    switch (random.below(6)) {
        case 0:
            return add(BallJoint{.anchor = anchor, .axis = axis, .collide = collide}, 3);
        case 1: {
            const JointLimits own = limits(0, 0.5);
            return add(
                HingeJoint{.anchor = anchor, .axis = axis, .limits = own, .motor = motor, .collide = collide},
                1);
        }
        case 2: {
            const JointLimits own = limits(0, 0.3);
            return add(
                SliderJoint{
                    .anchor = anchor, .axis = axis, .limits = own, .motor = motor, .collide = collide},
                0);
        }
        case 3:
            return add(FixedJoint{.anchor = anchor, .collide = collide}, 0);
        case 4: {
            const Vec3 other = anchor + (0.2 + random.uniform(0, 0.3)) * axis;
            if (motor.position) *motor.position += norm(other - anchor);
            const JointLimits own = limits(norm(other - anchor), 0.2);
            return add(
                DistanceJoint{
                    .anchor_a = anchor, .anchor_b = other, .limits = own, .motor = motor, .collide = collide},
                3);
        }
        default:
            return add(RopeJoint{.anchor_a = anchor, .anchor_b = anchor + 0.3 * axis, .collide = collide}, 3);
    }
}

inline JointGraph random_joint_graph(std::uint64_t seed, double step, const JointGraph::Parts& parts) {
    Random random(seed);
    WorldSettings settings;
    settings.step = step;
    settings.threads = 1;
    settings.sleep.enabled = false;
    if (!parts.gravity) settings.gravity = {};
    JointGraph graph{std::make_unique<World>(settings), {}};
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

/// A closed joint gapes by no more than this, m or rad: what the velocities of the next step close (tuning::joint_slack).
inline constexpr double closed_gap = 1.01e-6;

struct JointLaws {
    double growth = 0;  ///< of energy beyond the work of motors, since its lowest value; J
    /// The same beyond what the position phase gives as well: contacts push apart what joints that contradict each other hold.
    double growth_beyond_push_out = 0;
    double scale = 0;     ///< the largest kinetic energy so far, and that of a fall through 1 m; J
    double opening = 0;   ///< the largest after all joints were closed, m or rad; 0 where they never were
    double gap = 0;       ///< the largest in the second half of the run, m or rad
    double residual = 0;  ///< of the projection, the largest after its first steps
    int unconverged = 0;  ///< steps in which joints gape and their projection is not at a minimum
    bool closed = false;  ///< whether all joints were ever closed
    double motors = 0;    ///< work, J
};

inline JointLaws run_joint_graph(JointGraph& graph, double seconds) {
    World& world = *graph.world;
    JointLaws laws;
    double fall = 0;
    for (const BodyId body : world.bodies())
        if (world.kind(body) == BodyKind::rigid) fall += world.mass(body) * norm(world.settings().gravity);
    // Limits that exclude the pose at the start are closed by then, which lifts bodies.
    constexpr int settling = 10;
    double lowest = HUGE_VAL, lowest_pushed = HUGE_VAL, kinetic = world.energy().kinetic;
    const auto steps = static_cast<int>(std::round(seconds / world.settings().step));
    for (int i = 0; i < steps; ++i) {
        const double before = energy_at_the_end(world);
        world.step();
        const StepReport& report = world.report();
        kinetic = std::max(kinetic, report.energy.kinetic);
        double gap = 0;
        for (const JointGraph::Held& held : graph.joints) gap = std::max(gap, opening(world, held));
        laws.closed = laws.closed || gap <= closed_gap;
        if (laws.closed) laws.opening = std::max(laws.opening, gap);
        if (2 * i >= steps) laws.gap = std::max(laws.gap, gap);
        if (i < settling) continue;
        if (gap > closed_gap && report.contacts == 0) {
            laws.residual = std::max(laws.residual, report.convergence.position_residual);
            laws.unconverged += report.convergence.position_islands > 0;
        }
        // A motor that is locked against a stop holds together with it, and what the one takes the other gives: only what motors
        // give counts.
        const double given = std::max(0.0, report.ledger.motors);
        laws.motors += given;
        lowest = std::min(lowest, before) + given;
        const double now = energy_at_the_end(world);
        laws.growth = std::max(laws.growth, now - lowest);
        lowest_pushed = std::min(lowest_pushed, before) + given + std::max(0.0, report.ledger.push_out);
        laws.growth_beyond_push_out = std::max(laws.growth_beyond_push_out, now - lowest_pushed);
    }
    laws.scale = kinetic + fall;
    return laws;
}

}  // namespace plush::test
