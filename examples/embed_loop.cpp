// A world in a loop of one's own. Frames come when they come; the world always takes steps of the same length, so that
// the same input gives the same motion on a fast and on a slow machine.

#include <algorithm>
#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world({.step = 1.0 / 120});
    world.add_ground();
    const plush::BodyId ball =
        world.add(plush::Rigid{.shape = plush::Shape::sphere(0.1), .material = {.restitution = 0.5}},
                  {.position = {0, 1, 0}});

    const double frames[] = {1.0 / 60,  1.0 / 60, 0.05,
                             1.0 / 144, 0.3,      1.0 / 30};  // s, as a game's clock gives them
    double owed = 0;  // time that has passed and is not simulated yet, s
    plush::Vec3 before = world.centre(ball), drawn{};
    for (int frame = 0; frame < 120; ++frame) {
        // A frame that took long would ask for many steps, which take long: never owe more than a tenth of a second.
        owed = std::min(owed + frames[frame % 6], 0.1);
        while (owed >= world.settings().step) {
            before = world.centre(ball);
            world.step();
            owed -= world.settings().step;
        }
        // Between two steps: what is drawn is less than a step late, and smooth.
        const double part = owed / world.settings().step;
        drawn = before + part * (world.centre(ball) - before);
    }
    std::cout << "after " << world.time() << " s the ball is at y = " << drawn.y << " m\n";
    return std::abs(drawn.y - 0.1) < 0.01 ? 0 : 1;
}
