#pragma once

#include <cstring>
#include <vector>

#include "plush/world/world.hpp"

// Worlds with all kinds of state, and bytes with a checksum that fits: for tests of snapshots that nobody should trust.

namespace plush::test {

/// A bit of everything that has state.
inline World everything(double radius = 0.1, double density = 1000, double stretch = 100,
                        int iterations = 100) {
    WorldSettings settings{.threads = 1};
    settings.solver.iterations = iterations;
    World world(settings);
    const BodyId ground = world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(radius), .density = density, .name = "ball"},
                                  {.position = {0, 0.099, 0}});
    const BodyId box =
        world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .name = "box"}, {.position = {0.02, 0.295, 0}});
    Jelly jelly{{{.name = "jelly"}}};
    jelly.low = {0.5, 0, -0.1}, jelly.high = {0.7, 0.2, 0.1}, jelly.cells = {2, 2, 2};
    const BodyId soft = world.add(jelly);
    Rope rope{{{.name = "rope"}}};
    rope.springs.stretch = stretch;
    rope.from = {-1, 0.5, 0}, rope.to = {-0.5, 0.5, 0}, rope.segments = 5;
    const BodyId hanging = world.add(rope);
    world.pin(hanging, Box3{{-1.1, 0, -1}, {-0.95, 1, 1}}, 0.5);
    const BodyId arm = world.add(Rigid{.shape = Shape::box({0.1, 0.02, 0.02})}, {.position = {1.5, 0.5, 0}});
    world.add(HingeJoint{.anchor = {1.4, 0.5, 0}, .motor = {.speed = 1, .max_force = 1}}, arm);
    Particles dust{.positions = {{0, 1, 0}, {0.1, 1, 0}}, .radius = 0.01};
    world.add(dust);
    world.set_collide(ball, soft, false);
    world.set_pair_material(box, ground, {.friction = 0.2});
    world.add_drag(world.surface_point(box, 0, {0.3, 0.3, 0.4}), {.stiffness = 10}, {0, 1, 0});
    world.smooth_forces(0.1);
    return world;
}

/// The soft bodies by volume, one of them cut.
inline World soft_pair() {
    WorldSettings settings{.threads = 1};
    settings.contact.method = ContactMethod::volume;
    World world(settings);
    world.add_ground();
    const SoftSolid solid = SoftSolid::fill(Shape::box({0.1, 0.1, 0.1}).drawn(), {.cells_across = 3});
    Soft soft;
    soft.solid = solid;
    const BodyId cut = world.add(soft, {.position = {0, 0.1, 0}});
    world.add(soft, {.position = {0.01, 0.295, 0}});
    world.cut(cut, Blade{.from = {-0.3, 0.1, -0.3}, .to = {0.3, 0.1, -0.3}, .back = {0, 0, 0.6}});
    return world;
}

/// Gives a snapshot the checksum of its bytes.
inline void sign_snapshot(std::vector<std::byte>& bytes) {
    if (bytes.size() < sizeof(std::uint64_t)) return;
    const std::uint64_t sum = checksum(std::span(bytes).first(bytes.size() - sizeof(std::uint64_t)));
    std::memcpy(bytes.data() + bytes.size() - sizeof(sum), &sum, sizeof(sum));
}

}  // namespace plush::test
