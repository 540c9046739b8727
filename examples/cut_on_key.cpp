// Cuts a soft body where a line is drawn across it on the screen, when a key is pressed.

#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world;
    world.add_ground();
    plush::Soft loaf;
    loaf.solid = plush::SoftSolid(plush::tet_box({0.3, 0.1, 0.1}, {9, 3, 3}).value());
    loaf.elastic = {.young = 5e4, .density = 500};
    const plush::BodyId body = world.add(loaf, {.position = {0, 0.06, 0}});

    const plush::Vec3 eye{0, 0.3, 1};
    for (int i = 0; i < 90; ++i) {
        const bool key = i == 40;  // a window's event
        if (key) {
            // The line's ends on the screen, as rays of the camera; the blade is the plane through both, seen from the eye.
            const plush::Vec3 a = plush::Vec3{0.02, 0.5, 0} - eye, b = plush::Vec3{0.02, -0.4, 0} - eye;
            std::cout << "pieces: "
                      << world.cut(body, {.from = eye + 2 * a, .to = eye + 2 * b, .back = -2 * a}) << '\n';
        }
        world.step();
    }
    return world.pieces(body) == 2 ? 0 : 1;
}
