// A box falls on the ground and rests there.
#include <cmath>
#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world;
    world.add_ground();
    const double half = 0.1;  // m
    const plush::BodyId box =
        world.add(plush::Rigid{.shape = plush::Shape::box({half, half, half})}, {.position = {0, 0.5, 0}});
    while (world.time() < 3) world.step();

    const double height = world.centre(box).y;
    const double speed = plush::norm(world.velocity(box));
    std::cout << "after " << world.time() << " s: height " << height << " m, speed " << speed << " m/s\n";
    // A millimetre: ten times the overlap that the default settings leave alone.
    return std::abs(height - half) < 1e-3 && speed < 1e-3 ? 0 : 1;
}
