#include <cstdio>

#include "plush/plush.hpp"

// The C++ twin of twin.py: the same calls, and so the same hash.

int main() {
    plush::WorldSettings settings;
    settings.step = 1.0 / 100, settings.threads = 1;
    plush::World world(settings);
    world.add_ground(0, {.friction = 0.7});
    const plush::Mesh ball = plush::generate({.shape = "icosphere", .triangles = 80, .size = 0.3}).value();
    plush::Soft soft;
    soft.mesh = ball, soft.name = "ball";
    soft.elastic.young = 5e4, soft.elastic.density = 300;
    const plush::BodyId toy = world.add(soft, {.position = {0, 0.3, 0}, .velocity = {0.5, 0, 0}});
    plush::Rigid box{.shape = plush::Shape::box({0.1, 0.1, 0.1}), .mass = 0.5};
    const plush::BodyId load = world.add(box, {.position = {0.02, 0.6, 0}});
    plush::HingeJoint hinge{.anchor = {1, 0.6, 0}, .axis = {0, 0, 1}};
    hinge.motor.speed = 1;
    const plush::BodyId arm = world.add(box, {.position = {1.2, 0.6, 0}});
    world.add(hinge, arm);
    for (int k = 0; k < 15; ++k) {
        world.apply_force(load, {0, 0, 0.1});
        world.step();
    }
    world.cut(toy, {.from = {-1, 0.1, -1}, .to = {2, 0.1, -1}, .back = {0, 0, 2}});
    for (int k = 0; k < 4; ++k) world.step();
    std::printf("%016llx\n", static_cast<unsigned long long>(world.state_hash()));
}
