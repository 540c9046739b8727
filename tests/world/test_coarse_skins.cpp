#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cut_worlds.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/worlds.hpp"

// The law of skins: how the surface of a soft body is triangulated does not matter. One solid in the same tets, with skins of
// twelve to a hundred thousand triangles, rests alike: at rest, flat, as far squashed, and with the same pressure under it.

namespace plush {
namespace {

constexpr double g = 9.81;

/// A block that lies on the ground under its own weight, with tets of its own.
struct Block {
    Vec3 size{0.2, 0.2, 0.2};
    double density = 200, young = 3e4;
    double step = 1.0 / 60;
    TetMesh tets{};

    Vec3 half() const { return 0.5 * size; }
    double length() const { return std::cbrt(size.x * size.y * size.z); }
    Mesh skin(int triangles) const { return shapes::box(half(), triangles); }
    Soft soft(int triangles) const {
        Soft soft;
        soft.solid = SoftSolid::try_embed(skin(triangles), tets).value();
        soft.elastic = {.young = young, .poisson = 0.3, .density = density};
        soft.elastic.stiffness_damping = 0.05 * std::sqrt(length() / g);
        return soft;
    }
};

/// From 1 mm to 10 m, squashed by 0.3 to 5 % of its height, in 4 to 8 cells.
Block random_block(Random& random) {
    const auto between = [&](double low, double high) {
        return std::exp(random.uniform(std::log(low), std::log(high)));
    };
    Block block;
    const double s = between(1e-3, 10);
    block.size = {s * random.uniform(0.7, 1.5), s * random.uniform(0.5, 1), s * random.uniform(0.7, 1.5)};
    block.density = random.uniform(100, 1000);
    block.young = block.density * g * block.size.y / (2 * between(0.003, 0.05));
    block.step = 0.1 * std::sqrt(s / g);
    block.tets = tetrahedralise(block.skin(12), {.cells_across = static_cast<int>(random.uniform(4, 9))});
    return block;
}

/// What is measured of a block at rest. The faces are asked where they are in the tets, with no regard to any skin.
struct Rest {
    double squash = 0;      ///< how much nearer its upper and lower face have come, m
    double unevenness = 0;  ///< of the lower face, m
    double speed = 0;       ///< rms, m/s
    double gained = 0;      ///< total energy in the last half of the time, J
    double carried = 0;     ///< by the ground, N
    double off_centre = 0;  ///< the centre of pressure from below the centre of mass, m
    double pressure = 0;    ///< the largest less the least under it, of the mean
};

std::vector<double> heights(const Block& block, double y, std::span<const Vec3> x) {
    constexpr int n = 9;
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            points.push_back(
                {block.half().x * (2.0 * i / (n - 1) - 1), y, block.half().z * (2.0 * j / (n - 1) - 1)});
    const Embedding face = Embedding::in_tets(block.tets, points).value();
    std::vector<double> found;
    for (std::size_t p = 0; p < points.size(); ++p) found.push_back(face.at(p, x).y);
    return found;
}

double mean(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x;
    return sum / static_cast<double>(v.size());
}

double spread(const std::vector<double>& v) {
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    return *high - *low;
}

double total_energy(const World& world) {
    const Energy energy = world.energy();
    return energy.kinetic + energy.gravity + energy.elastic;
}

Rest rest_of(const Block& block, int triangles, ContactMethod method = ContactMethod::automatic) {
    WorldSettings settings = test::without_sleep();
    settings.step = block.step;
    settings.contact.method = method;
    World world(settings);
    const BodyId ground = world.add_ground();
    const BodyId body = world.add(block.soft(triangles), {.position = {0, block.half().y, 0}});
    constexpr int steps = 120;
    test::steps(world, steps / 2);
    Rest rest;
    const double before = total_energy(world);
    test::steps(world, steps / 2);
    rest.gained = total_energy(world) - before;
    const auto x = world.vertex_positions(body);
    const auto low = heights(block, -block.half().y, x), high = heights(block, block.half().y, x);
    rest.squash = block.size.y - (mean(high) - mean(low));
    rest.unevenness = spread(low);
    rest.speed = test::rms_speed(world);
    rest.carried = -world.contact_wrench(ground).force.y;
    double sum = 0;
    Vec3 centre{};
    std::vector<double> pressures;
    for (const Contact& c : world.contacts()) {
        sum += c.normal_force, centre += c.normal_force * c.point;
        pressures.push_back(c.pressure());
    }
    if (pressures.empty()) return rest;
    centre = centre / sum - world.centre(body);
    rest.off_centre = std::hypot(centre.x, centre.z);
    if (mean(pressures) > 0) rest.pressure = spread(pressures) / mean(pressures);  // points have no area
    return rest;
}

/// At rest as any solver leaves it, in units of the block.
bool rests(const Block& block, const Rest& rest) {
    return rest.speed <
           1e-4 * std::sqrt(g * block.length());  // measured: 1e-8 to 3e-8, by points 1e-7 to 2e-5
}

/// The measured values are those of the first four blocks with 12 and with 300 triangles.
void expect_alike(const Block& block, const Rest& rest, const Rest& finest) {
    EXPECT_TRUE(rests(block, rest)) << rest.speed;
    EXPECT_NEAR(rest.squash, finest.squash, 0.02 * finest.squash);     // measured: 0.8 %, by points 1.3 %
    EXPECT_LT(rest.unevenness, 0.005 * block.length());                // measured: 0.0004 to 0.0023
    EXPECT_LT(rest.gained, 1e-9 * finest.carried * block.length());    // measured: less than nothing
    EXPECT_NEAR(rest.carried, finest.carried, 1e-6 * finest.carried);  // measured: 5e-8
    EXPECT_LT(rest.off_centre, 1e-6 * block.length());                 // measured: 3e-8
    // Cells are as large as the edges of the tets, and border cells, which have fewer vertices, have other pressures.
    EXPECT_LT(rest.pressure, 0.45);  // measured: 0.34 and 0.37
}

void expect_alike(const Block& block, std::span<const int> skins, int fine, ContactMethod method,
                  int& restless) {
    const Rest finest = rest_of(block, fine, method);
    if (!rests(block, finest)) {
        ++restless;
        return;
    }
    for (const int triangles : skins) {
        SCOPED_TRACE("a skin of " + std::to_string(triangles) + " triangles");
        expect_alike(block, rest_of(block, triangles, method), finest);
    }
}

TEST(CoarseSkins, BlocksRestAlikeWithAnyTriangulation) {
    Random random(7);
    int restless = 0;
    for (int round = 0; round < 2; ++round)
        expect_alike(random_block(random), std::array{12, 300}, 3000, ContactMethod::automatic, restless);
    EXPECT_EQ(restless, 0);
}

// Forces at the points of the surface, instead of rows.
TEST(CoarseSkins, BlocksRestAlikeByPoints) {
    Block block;
    block.tets = tetrahedralise(block.skin(12), {.cells_across = 4});
    int restless = 0;
    expect_alike(block, std::array{12, 100}, 1200, ContactMethod::points, restless);
    EXPECT_EQ(restless, 0);
}

// Of the first eight blocks the fifth rocks on its cells with the finest skin too: that is no matter of skins.
TEST(CoarseSkinsFull, BlocksRestAlikeWithTwelveToAHundredThousandTriangles) {
    Random random(7);
    int restless = 0;
    for (int round = 0; round < 8; ++round) {
        SCOPED_TRACE("block " + std::to_string(round));
        expect_alike(random_block(random), std::array{12, 100, 1000, 10'000}, 100'000,
                     ContactMethod::automatic, restless);
    }
    EXPECT_LE(restless, 1);
}

/// Grown by a pressure inside, without gravity: of the volume at rest.
double growth(const Block& block, int triangles) {
    WorldSettings settings = test::without_gravity();
    settings.step = block.step;
    World world(settings);
    Soft soft = block.soft(triangles);
    soft.pressure = 0.1 * block.young;
    const BodyId body = world.add(soft);
    test::steps(world, 60);
    const Embedding fine = Embedding::in_tets(block.tets, block.skin(5000).positions()).value();
    std::vector<Vec3> at(fine.size());
    fine.apply(world.vertex_positions(body), at);
    const double before = block.size.x * block.size.y * block.size.z;
    return test::volume_of(at, block.skin(5000).triangles()) / before - 1;
}

TEST(CoarseSkins, PressureInsideActsOnAllOfTheSurface) {
    Block block;
    block.tets = tetrahedralise(block.skin(12), {.cells_across = 6});
    const double finest = growth(block, 5000);  // measured: 0.1430
    for (const int triangles : {12, 300})
        EXPECT_NEAR(growth(block, triangles), finest, 0.01 * finest);  // measured: 0.07 %
}

// A cut starts from the surface that touches: its pieces lie as flat as the whole did.
TEST(CoarseSkins, ABlockOfTwelveTrianglesIsCutAndItsPiecesRest) {
    Block block;
    block.tets = tetrahedralise(block.skin(12), {.cells_across = 5});
    World world(cut_worlds::settings());
    world.add_ground();
    const BodyId body = world.add(block.soft(12), {.position = {0, block.half().y, 0}});
    const double volume = cut_worlds::volume_now(world, body);
    ASSERT_EQ(world.cut(body, {.from = {0.0037, -1, -1}, .to = {0.0037, -1, 1}, .back = {0, 2, 0}}), 2u);
    EXPECT_NEAR(cut_worlds::volume_now(world, body), volume, 1e-10 * volume);
    EXPECT_EQ(test::open_edges(world.drawn_surface(body)), 0);
    const double before = total_energy(world);
    test::steps(world, 100);
    EXPECT_EQ(test::inverted_tets(world), 0u);
    double top = -1, bottom = 1;
    for (const Vec3& p : world.drawn_positions(body))
        top = std::max(top, p.y), bottom = std::min(bottom, p.y);
    EXPECT_GT(top - bottom, 0.98 * block.size.y);  // theory: 0.993; the skin's own corners bore it with 0.77
    EXPECT_LT(test::rms_speed(world), 5e-3);       // m/s
    EXPECT_LT(total_energy(world), before);
}

}  // namespace
}  // namespace plush
