#include <array>

#include "plush/core/random.hpp"
#include "support/random.hpp"
#include "worlds.hpp"

// Heavy bodies on light ones, with default settings. All of these were seen to fail with `solver.newton` off.

namespace plush {
namespace {

using namespace testing_world;

struct Rest {
    double drift = 0, speed = 0, residual = 0;  ///< over the second half; the residual over all steps
};

/// Boxes on each other, the heaviest above, each a little aside; they start 1 mm apart.
Rest stand(Random& random, std::span<const double> masses, double h, ContactMethod method, double seconds) {
    WorldSettings settings = without_sleep({.contact = {.method = method}});
    settings.step = h;
    World world(settings);
    world.add_ground();
    const double half = 0.1;
    std::vector<BodyId> boxes;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const double level = static_cast<double>(i);
        boxes.push_back(
            world.add(Rigid{.shape = Shape::box({half, half, half}), .mass = masses[i]},
                      {.position = {random.uniform(-0.01, 0.01), half * (2 * level + 1) + 1e-3 * (level + 1),
                                    random.uniform(-0.01, 0.01)}}));
    }
    Rest rest;
    std::vector<Vec3> start(boxes.size());
    while (world.time() < seconds) {
        world.step();
        rest.residual = std::max(rest.residual, world.report().residual);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (world.time() < 0.5 * seconds) {
                start[i] = world.centre(boxes[i]);
                continue;
            }
            rest.drift = std::max(rest.drift, norm(world.centre(boxes[i]) - start[i]));
            rest.speed = std::max(rest.speed, norm(world.velocity(boxes[i])));
        }
    }
    return rest;
}

void expect_rest(ContactMethod method, int count, double seconds) {
    Random random(17);
    for (int i = 0; i < count; ++i) {
        const double ratio = std::pow(10, random.uniform(1, 3)), h = 1 / random.uniform(60, 240);
        const std::array masses{1.0, ratio};
        const Rest rest = stand(random, masses, h, method, seconds);
        EXPECT_LE(rest.residual, 1e-8) << ratio << " : 1, h " << h;
        EXPECT_LT(rest.drift, 1e-3) << ratio << " : 1, h " << h;
        EXPECT_LT(rest.speed, 1e-4) << ratio << " : 1, h " << h;
    }
}

TEST(MassRatios, StacksToAThousandStandByVolume) {
    expect_rest(ContactMethod::volume, 3, 2);
}

TEST(MassRatios, StacksToAThousandStandByPoints) {
    expect_rest(ContactMethod::points, 6, 2);
}

TEST(MassRatiosFull, StacksToAThousandStand) {
    expect_rest(ContactMethod::volume, 20, 5);
    expect_rest(ContactMethod::points, 20, 5);
}

}  // namespace
}  // namespace plush
