#include <gtest/gtest.h>

#include <algorithm>

#include "plush/detect/overlap.hpp"
#include "plush/scene/scene.hpp"
#include "support/files.hpp"

// The first scene that a reader of the README meets does what the page says. The same in C++:
// tests/world/test_automatic.cpp.

namespace plush {
namespace {

std::string first_scene_of_the_readme() {
    const std::string page = test::read_text(PLUSH_SOURCE_DIR "/README.md"), start = "```jsonc\n";
    const std::size_t from = page.find(start) + start.size();
    return page.substr(from, page.find("```", from) - from);
}

/// The largest volume that two of the soft bodies share after two seconds, when all have landed, m³.
double max_shared(std::vector<std::string> set) {
    // Coarser than the page has them, for the sake of time.
    set.push_back("bodies[1].soft.triangles=1000");
    set.push_back("bodies[1].soft.cells_across=6");
    const SceneLoad load = Scene::try_parse(first_scene_of_the_readme(), ".", "README.md", set);
    if (!load.scene) {
        ADD_FAILURE() << (load.errors.empty() ? "" : load.errors[0].what());
        return 0;
    }
    World world = load.scene->build(2);
    while (world.time() < 2) world.step();
    std::vector<Mesh> bears;
    for (const BodyId id : world.bodies()) {
        if (world.kind(id) != BodyKind::deformable) continue;
        const auto surface = world.drawn_surface(id);
        bears.emplace_back(world.drawn_positions(id), std::vector<Triangle>(surface.begin(), surface.end()));
    }
    EXPECT_EQ(bears.size(), 10u);
    double most = 0;
    for (std::size_t i = 0; i < bears.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) most = std::max(most, overlap(bears[i], bears[j]).volume);
    return most;
}

TEST(Readme, TenBearsLieOnAHeapAndNotInOneAnother) {
    EXPECT_LT(max_shared({}), 1e-4);                             // measured: 4e-6
    EXPECT_THROW(max_shared({"contact.method=points"}), Error);  // they would pass through each other
}

}  // namespace
}  // namespace plush
