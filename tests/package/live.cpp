// Serves a world of its own for five steps. The viewer is libplush_view.so's.
#include <iostream>
#include <plush/plush.hpp>
#include <plush/view/view.hpp>

int main() {
    plush::World world;
    world.add_ground();
    world.add(plush::Rigid{.shape = plush::Shape::sphere(0.2)}, {.position = {0, 1, 0}});
    plush::View view(world);
    std::cout << view.address() << std::endl;
    while (view.update()) {
        world.step();
        if (world.steps() == 5) view.stop();
    }
    return world.steps() == 5 && view.address().starts_with("http://127.0.0.1:") ? 0 : 1;
}
