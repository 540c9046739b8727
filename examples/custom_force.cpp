// Two forces that the library does not have: a magnet on rigid bodies, called once a step, and wind that whirls about a rope,
// evaluated in every stage of the rope's integrator.

#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world({.gravity = {0, 0, 0}});
    const plush::BodyId iron = world.add(
        plush::Rigid{.shape = plush::Shape::sphere(0.05), .mass = 1, .damping = 1}, {.position = {1, 0, 0}});
    const plush::Vec3 magnet{0, 0, 0};
    world.add_custom_force([&](plush::World& w) {
        const plush::Vec3 to = magnet - w.centre(iron);
        w.apply_force(iron, to / (0.1 + norm2(to)));  // N
    });

    plush::Rope rope;
    rope.from = {0, 2, 0}, rope.to = {1, 2, 0};
    const plush::BodyId line = world.add(rope);
    world.pin(line, 0);
    world.add_force_field(line, [](std::span<const plush::Vec3> x, std::span<const plush::Vec3> v, double t,
                                   std::span<plush::Vec3> f) {
        for (std::size_t i = 0; i < x.size(); ++i)
            f[i] = 0.01 * (plush::Vec3{0, std::sin(t), std::cos(t)} - 0.1 * v[i]);  // N
    });

    for (int i = 0; i < 300; ++i) world.step();
    std::cout << "the iron is " << norm(world.centre(iron) - magnet) << " m from the magnet\n";
    return norm(world.centre(iron)) < 0.9 && norm(world.velocity(line)) > 0 ? 0 : 1;
}
