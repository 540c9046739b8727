// Two fingers squeeze a soft ball and lift it; the forces on the fingers are read, normal and friction apart.

#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world;
    world.add_ground();
    plush::Soft soft;
    soft.solid = plush::SoftSolid::fill(
        plush::generate({.shape = "icosphere", .triangles = 320, .size = 0.2}).value(), {.cells_across = 4});
    soft.elastic = {.young = 3e4, .density = 400, .stiffness_damping = 0.01};
    soft.material.friction = 0.8;
    const plush::BodyId ball = world.add(soft, {.position = {0, 0.1, 0}});
    const auto finger = [&](double side) {
        plush::Scripted s;
        s.shape = plush::Shape::box({0.02, 0.06, 0.06});
        s.material.friction = 0.8;
        const auto at = [&](double gap, double height) {
            return plush::Vec3{side * (0.02 + gap), height, 0};
        };
        s.keyframes = {{0, at(0.12, 0.1), {}}, {0.3, at(0.08, 0.1), {}}, {0.8, at(0.08, 0.3), {}}};
        return world.add(s);
    };
    const plush::BodyId left = finger(-1), right = finger(1);
    world.smooth_forces(0.1);  // a mean over a tenth of a second
    for (int i = 0; i < 66; ++i) world.step();

    const auto smoothed = plush::Reading::smoothed;
    const double squeeze = norm(world.pair_force(left, ball, smoothed).normal);
    const double carried = world.pair_force(ball, left, smoothed).friction.y +
                           world.pair_force(ball, right, smoothed).friction.y;
    const double weight = 9.81 * world.mass(ball);
    std::cout << "each finger presses with " << squeeze << " N; friction carries " << carried << " N of "
              << weight << " N\n";
    return world.centre(ball).y > 0.25 &&
                   std::abs(world.contact_force(ball, smoothed).force().y - weight) < 0.1 * weight
               ? 0
               : 1;
}
