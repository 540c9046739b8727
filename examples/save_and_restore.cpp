// Goes back to a moment, and branches off from it: snapshots of one world, copies that are worlds of their own, and a file that is
// opened without what made it.

#include <filesystem>
#include <iostream>
#include <plush/plush.hpp>

int main() {
    plush::World world;
    world.add_ground();
    for (int i = 0; i < 4; ++i)
        world.add(plush::Rigid{.shape = plush::Shape::box({0.1, 0.1, 0.1})},
                  {.position = {0.03 * i, 0.15 + 0.25 * i, 0}});
    for (int i = 0; i < 20; ++i) world.step();

    const auto moment = world.snapshot();  // bytes: keep them, or write them to a file
    for (int i = 0; i < 60; ++i) world.step();
    const auto first = world.state_hash();

    world.restore(moment);  // the same steps again, to the same bits
    plush::World other = world.copy();
    for (int i = 0; i < 60; ++i) world.step(), other.step();
    bool same = world.state_hash() == first && other.state_hash() == first;

    // The same from a file: another program could have written it.
    world.restore(moment);
    const auto file = std::filesystem::temp_directory_path() / "plush_example_save_and_restore.world";
    world.save(file);
    plush::World loaded = plush::World::load(file);
    std::filesystem::remove(file);
    for (int i = 0; i < 60; ++i) loaded.step();
    same = same && loaded.state_hash() == first;

    // What if there were no friction from here on?
    world.restore(moment);
    plush::World slippery = world.copy();
    for (const plush::BodyId body : slippery.bodies()) slippery.set_friction(body, 0);
    for (int i = 0; i < 60; ++i) slippery.step();
    std::cout << "the same again: " << (same ? "yes" : "no")
              << "; without friction another way: " << (slippery.state_hash() != first ? "yes" : "no")
              << '\n';
    return same && slippery.state_hash() != first ? 0 : 1;
}
