// Picks a point of a soft body with a ray, as a mouse does, and drags it along.

#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world;
    world.add_ground();
    const plush::Mesh ball = plush::generate({.shape = "icosphere", .triangles = 320, .size = 0.3}).value();
    plush::Soft soft;
    soft.solid = plush::SoftSolid::fill(ball, {.cells_across = 4});
    soft.elastic = {.young = 2e4, .density = 300};
    world.add(soft, {.position = {0, 0.16, 0}});
    world.enable_queries();  // hierarchies follow the bodies; without them rays are right too, and slower
    for (int i = 0; i < 30; ++i) world.step();

    const plush::Vec3 eye{0.05, 0.25, 2}, through{0, 0, -1};  // of the pixel under the mouse
    const auto hit = world.ray(eye, through);
    if (!hit) return 1;
    std::cout << "picked triangle " << hit->surface.triangle << " of body " << hit->body.index << ", "
              << hit->distance << " m away\n";

    // A spring with good values for the body's mass, and never more than twenty times its weight.
    const plush::DragId drag = world.add_drag(hit->surface);
    for (int i = 0; i < 180; ++i) {
        const plush::Vec3 mouse = hit->point + plush::Vec3{0, std::min(0.005 * i, 0.5), 0};
        world.set_drag_target(drag, mouse);
        world.step();
        if (i % 60 == 59) std::cout << "pulls with " << norm(world.drag_force(drag)) << " N\n";
    }
    const plush::Vec3 lifted = world.position_of(hit->surface);
    const double weight = 9.81 * world.mass(hit->body), force = norm(world.drag_force(drag));
    world.remove_drag(drag);  // and it falls
    std::cout << "lifted by " << lifted.y - hit->point.y << " m; weight " << weight << " N\n";
    return lifted.y - hit->point.y > 0.4 && std::abs(force - weight) < 0.2 * weight ? 0 : 1;
}
