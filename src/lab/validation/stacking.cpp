#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "geometry/mesh/embedding.hpp"
#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::lab {
namespace {

struct Rest {
    double height = 0;  ///< of the top box's centre above where it belongs, m
    double drift = 0;   ///< largest distance from where a box was after 5 s, m
    double rms = 0;     ///< speed over the second half, m/s
};

// Boxes of 0.2 m with these masses, bottom to top, for 20 s. They start 2 mm apart and not quite above each other: a stack that is
// built in place would stand with no contact law at all for a while.
Rest stand(const std::vector<double>& masses, double h, ContactMethod method) {
    const double half = 0.1;
    World world(problem_settings(h, method));
    world.add_ground();
    std::vector<BodyId> boxes;
    std::vector<Vec3> start;
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const double level = static_cast<double>(i), aside = i % 2 == 0 ? 0.5e-3 : -0.5e-3;
        start.push_back({aside, half * (2 * level + 1) + 2e-3 * (level + 1), -aside});
        boxes.push_back(world.add(Rigid{.shape = Shape::box({half, half, half}), .mass = masses[i]},
                                  {.position = start[i]}));
    }
    Rest rest;
    double squares = 0;
    int count = 0;
    while (world.time() < 20) {
        step_and_book(world);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (world.time() < 5) start[i] = world.centre(boxes[i]);
            rest.drift = std::max(rest.drift, norm(world.centre(boxes[i]) - start[i]));
            if (world.time() < 10) continue;
            squares += norm2(world.velocity(boxes[i]));
            ++count;
        }
    }
    rest.height = world.centre(boxes.back()).y - half * (2.0 * static_cast<double>(boxes.size()) - 1);
    rest.rms = std::sqrt(squares / count);
    return rest;
}

// A stack that is in balance stays where it is. No sleep.
std::vector<Check> stack(ContactMethod method) {
    const double h = 1.0 / 240;
    std::vector<Check> checks;
    const auto add = [&](const std::string& name, const std::vector<double>& masses) {
        const Rest rest = stand(masses, h, method);
        // Each joint may be left as deep as the allowed depth, and by volume half a pixel (1.6 mm).
        const double joint = by_volume(method) ? 2e-3 : 2e-4;
        checks.push_back(absolute(name + ", height of the top", rest.height, 0,
                                  joint * static_cast<double>(masses.size()), "m", h));
        checks.push_back(below(name + ", drift from 5 to 20 s", rest.drift, 1e-3, "m", h));
        checks.push_back(below(name + ", RMS speed", rest.rms, 1e-4, "m/s", h));
    };
    add("10 boxes", std::vector<double>(10, 1.0));
    add("100 : 1", {1.0, 100.0});
    // Sweeps alone pass the load down by a part in a thousand each, and 100 let the light box be crushed.
    add("1000 : 1", {1.0, 1000.0});
    return checks;
}

/// What the ground carries, as a part of the weight of all that moves: the mean of the last half second.
double carried(World& world, BodyId ground, double duration) {
    double weight = 0, force = 0;
    for (const BodyId b : world.bodies())
        if (b != ground) weight += world.mass(b) * norm(world.settings().gravity);
    int count = 0;
    while (world.time() < duration) {
        step_and_book(world);
        if (world.time() < duration - 0.5) continue;
        ++count;
        for (const Contact& c : world.contacts()) {
            const double up = c.normal.y * c.normal_force + c.friction_force.y;
            if (c.b == ground) force += up;
            if (c.a == ground) force -= up;
        }
    }
    return force / count / weight;
}

constexpr double weight_step = 1.0 / 120;

/// Rings and boxes that fall over one another and lie still after two seconds, and a stack beside them.
double carried_by_solids(ContactMethod method) {
    World world(problem_settings(weight_step, method));
    const BodyId ground = world.add_ground();
    const Mesh ring = generate({.shape = "torus", .triangles = 2000, .size = 0.4}).value();
    for (int i = 0; i < 3; ++i) {
        const double x = 0.02 * i, y = 0.25 * i;
        world.add(Rigid{.mesh = ring}, {.position = {x, 0.06 + y, 0}});
        world.add(Rigid{.shape = Shape::box({0.1, 0.05, 0.1})}, {.position = {0.05 - x, 0.17 + y, 0.02}});
        world.add(Rigid{.shape = Shape::box({0.05, 0.05, 0.05})},
                  {.position = {-0.5, 0.05 + 0.1 * i, 0.01 * i}});
    }
    return carried(world, ground, 3);
}

/// A soft block between a rigid one and the ground.
double carried_with_soft(ContactMethod method) {
    World world(problem_settings(weight_step, method));
    const BodyId ground = world.add_ground();
    Soft soft;
    soft.solid = SoftSolid::fill(shapes::box({0.15, 0.1, 0.15}, 768), {.cells_across = 6});
    soft.elastic = {.young = 1e5, .poisson = 0.3, .density = 500, .stiffness_damping = 0.02};
    world.add(soft, {.position = {0, 0.1, 0}});
    world.add(Rigid{.shape = Shape::box({0.1, 0.05, 0.1}), .mass = 3.0}, {.position = {0.01, 0.25, 0}});
    return carried(world, ground, 3);
}

/// A soft block in the same tets, whatever its skin: what the ground carries, and how much nearer its upper and its lower face
/// have come (m).
struct SkinnedBlock {
    double carried = 0, squash = 0;
};
SkinnedBlock skinned_block(ContactMethod method, int triangles) {
    const Vec3 half{0.1, 0.1, 0.1};
    const TetMesh tets = tetrahedralise(shapes::box(half), {.cells_across = 8});
    World world(problem_settings(weight_step, method));
    const BodyId ground = world.add_ground();
    Soft soft;
    soft.solid = SoftSolid::try_embed(shapes::box(half, triangles), tets).value();
    soft.elastic = {.young = 3e4, .poisson = 0.3, .density = 200, .stiffness_damping = 0.01};
    const BodyId body = world.add(soft, {.position = {0, half.y, 0}});
    SkinnedBlock block{.carried = carried(world, ground, 1.5)};
    // Where the two faces are in the tets, with no regard to the skin.
    constexpr int n = 9;
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (const double y : {-half.y, half.y})
                points.push_back({half.x * (2.0 * i / (n - 1) - 1), y, half.z * (2.0 * j / (n - 1) - 1)});
    const Embedding faces = Embedding::in_tets(tets, points).value();
    for (std::size_t p = 0; p < points.size(); ++p)
        block.squash +=
            (points[p].y < 0 ? 1 : -1) * (faces.at(p, world.vertex_positions(body)).y - points[p].y);
    block.squash /= n * n;
    return block;
}

/// Skins of 12 to 10⁵ triangles.
void add_skins(std::vector<Check>& checks, ContactMethod method) {
    const SkinnedBlock finest = skinned_block(method, 100'000);
    for (const int triangles : {12, 100, 1000, 10'000}) {
        const SkinnedBlock block = skinned_block(method, triangles);
        const std::string name = fmt::format("a soft block with a skin of {} triangles", triangles);
        checks.push_back(relative(name + ", carried", block.carried, 1, 1e-3, "", weight_step));
        checks.push_back(relative(name + ", squash of that with 100000", block.squash / finest.squash, 1,
                                  0.02, "", weight_step));
    }
}

// What rests is carried: the vertical forces on the ground sum up to the weight.
std::vector<Check> weight(ContactMethod method) {
    std::vector<Check> checks{relative("carried by the ground, of the weight", carried_by_solids(method), 1,
                                       1e-3, "", weight_step)};
    if (method == ContactMethod::volume) {
        checks.push_back(relative("the same with a soft body in the pile", carried_with_soft(method), 1, 1e-3,
                                  "", weight_step));
        add_skins(checks, method);
    }
    return checks;
}

}  // namespace

std::vector<Problem> stacking_problems() {
    return {{"weight", "the forces under a pile at rest", true, weight,
             [](ContactMethod m) {
                 return m == ContactMethod::impulse
                            ? std::string("one averaged point holds no torque: nothing rests")
                            : spring_limit(m);
             }},
            {"stack", "10 boxes, and a heavy one on a light one", true, stack, [](ContactMethod m) {
                 return m == ContactMethod::impulse
                            ? std::string("one averaged point holds no torque: stacks topple")
                            : spring_limit(m);
             }}};
}

}  // namespace plush::lab
