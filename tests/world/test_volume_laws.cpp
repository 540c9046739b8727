#include <gtest/gtest.h>

#include <set>

#include "soft_heaps.hpp"
#include "world/world_parts.hpp"

// What volume contact promises after a velocity solve, row by row, over random mixes of all kinds of
// bodies. Velocities are those that the bodies have when the step has ended, not those of the solver's nodes.

namespace plush {
namespace {

using namespace testing_world;

enum class Kind { rigid, springs, clusters, elements, skin, clusters_with_skin };
constexpr int kinds = 6;

struct Mix {
    explicit Mix(const WorldSettings& settings) : world(settings) {}
    WorldParts world;
    std::vector<Kind> kind{};  ///< by body
    double friction = 0;
};

// Boxes and balls for the rigid ones: their inertia is the same about all axes, so that a step without
// torque leaves their angular velocity as the solve made it.
void add(WorldParts& world, Kind kind, const Placement& at, const Material& material, Random& random) {
    const auto add = [&](const auto& body) { world.add(world.factory.make(body, at)); };
    switch (kind) {
        case Kind::rigid: {
            const bool ball = random.uniform(0, 1) < 0.5;
            return add(Rigid{
                .shape = Shape::mesh(ball ? shapes::icosphere(0.1, 320) : shapes::box({0.09, 0.09, 0.09})),
                .density = random.uniform(200, 2000),
                .material = material});
        }
        case Kind::springs: {
            Jelly jelly;
            jelly.low = {-0.1, -0.1, -0.1}, jelly.high = {0.1, 0.1, 0.1}, jelly.cells = {2, 2, 2};
            jelly.material = material;
            return add(jelly);
        }
        case Kind::clusters:
        case Kind::clusters_with_skin: {
            ShapeMatching matched;
            matched.tets = tet_box({0.09, 0.09, 0.09}, {2, 2, 2}).value();
            if (kind == Kind::clusters_with_skin) matched.skin = shapes::icosphere(0.085, 320);
            matched.density = random.uniform(300, 1000);
            matched.material = material;
            return add(matched);
        }
        case Kind::elements:
        case Kind::skin: {
            static const Soft toy = soft_toy("bear", 2e4);  // a skin in a cage: the dearest to make
            Soft soft = kind == Kind::skin ? toy : soft_box(0.1, 2e4);
            soft.material = material;
            return add(soft);
        }
    }
}

/// Five bodies that fly into each other without weight.
std::unique_ptr<Mix> random_mix(std::uint64_t seed, ComplianceMethod compliance) {
    WorldSettings s;
    s.step = 0.01;
    s.threads = 1;
    s.gravity = {};
    s.contact.method = ContactMethod::volume;
    s.contact.stabilise_passes = 0;  // whose rows would take the place of those of the solve
    s.sleep.enabled = false;
    s.solver = {.iterations = 3000, .tolerance = 1e-8};
    s.solver.compliance = compliance;
    auto made = std::make_unique<Mix>(s);
    Mix& mix = *made;
    Random random(seed);
    const auto any = [&](double size) {
        return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} * size;
    };
    mix.friction = seed % 4 == 0 ? 0 : random.uniform(0.1, 1);
    for (int k = 0; k < 5; ++k) {
        const Vec3 at =
            any(0.12) + Vec3{0.14 * (k % 2), 0.14 * (k / 2), 0.1 * (k % 3)} - Vec3{0.07, 0.14, 0.1};
        const auto kind = static_cast<Kind>(random.uniform(0, kinds - 1e-9));
        add(mix.world, kind,
            {.position = at, .rotation = exp_rotation(any(2)), .velocity = -5 * at + any(0.3)},
            {.friction = mix.friction}, random);
        mix.kind.push_back(kind);
    }
    return made;
}

/// w of a contact: its normal part is −(∂V/∂q) u⁺/A, and u⁺ is what the bodies have now. `centres` are those
/// at the start of the step, about which the moments of rigid bodies were taken.
Vec3 sliding_and_parting(const BodyStore& bodies, const VolumeContact& c, std::span<const Vec3> centres) {
    const Mat3 frame = contact_frame(c.overlap.normal);
    Vec3 w;
    for (std::size_t side = 0; side < 2; ++side) {
        const std::uint32_t index = side == 0 ? c.a : c.b;
        const BodyRecord& body = bodies[index];
        if (body.is_deformable()) {
            const auto v = body.deformable().velocities();
            for (const VertexGradient& g : side == 0 ? c.overlap.a : c.overlap.b) {
                const Vec3 along = dot(c.overlap.normal, g.gradient) / -c.area * (frame * v[g.vertex]);
                w += {c.own_normal ? along.x : -dot(g.gradient, v[g.vertex]) / c.area, along.y, along.z};
            }
            continue;
        }
        const double sign = side == 0 ? 1 : -1;
        const Vec3 x = centres[index] + c.travel, u = velocity_of(body), spin = angular_velocity_of(body);
        const bool rigid = c.overlap.a.empty() && c.overlap.b.empty();
        const Vec3& rubs = rigid ? c.overlap.centre : c.overlap.sides[side];
        const Vec3 at_side = frame * (u + cross(spin, rubs - x));
        const double parting =
            c.own_normal ? dot(c.overlap.normal, u + cross(spin, c.overlap.sides[0] - x))
                         : -(dot(c.overlap.gradient, u) + dot(c.overlap.moment_about(x), spin)) / c.area;
        w += sign * Vec3{parting, at_side.y, at_side.z};
    }
    return w;
}

/// What velocities after a step say of its rows.
struct BrokenRows {
    double deeper = 0;  ///< a contact that closes by more than its gap, m/s
    double lifted = 0;  ///< one that pushes and opens, m/s
    double astray = 0;  ///< friction that does not oppose the sliding, as a fraction of μ times the push
};

/// The worst of all rows.
struct Broken {
    double pulled = 0;    ///< a force that pulls, N s
    double off_cone = 0;  ///< friction beyond μ times the push, N s
    BrokenRows rows{},
        parted{};         ///< of steps in which nothing was too deep, and of those that parted something
    double momentum = 0;  ///< that was gained, by the mass, m/s
    int pushing = 0, free = 0, sticking = 0, sliding = 0, unsolved = 0, steps = 0;
    std::set<std::pair<Kind, Kind>> met{};  ///< kinds that pushed one another
};

void check_rows(const Mix& mix, std::span<const Vec3> centres, Broken& worst) {
    BrokenRows& rows = mix.world.report.convergence.largest_displacement > 0 ? worst.parted : worst.rows;
    const std::vector<Block>& blocks = mix.world.system.rows().blocks;
    const VolumeContacts& volumes = mix.world.contact.volumes;
    double largest = 0;
    for (const Block& block : blocks) largest = std::max(largest, block.impulse.x);
    for (std::size_t k = 0; k < volumes.step_contacts().size(); ++k) {
        if (!volumes.step_blocks()[k]) continue;  // nothing can move
        const Block& block = blocks[*volumes.step_blocks()[k]];
        const VolumeContact& c = volumes.step_contacts()[k];
        if (c.containment) continue;  // of a body within another: the shortest way out, and no volume
        const Vec3 w = sliding_and_parting(mix.world.bodies, c, centres);
        const double gap = block.bias.x, push = block.impulse.x;
        const double rub = std::hypot(block.impulse.y, block.impulse.z), slip = std::hypot(w.y, w.z);
        EXPECT_GE(gap, 0);
        const bool pushes = push > 1e-3 * largest;
        worst.pulled = std::max(worst.pulled, -push);
        rows.deeper = std::max(rows.deeper, -(w.x + gap));
        worst.off_cone = std::max(worst.off_cone, rub - mix.friction * push * (1 + 1e-9));
        ++(pushes ? worst.pushing : worst.free);
        if (!pushes) continue;
        rows.lifted = std::max(rows.lifted, w.x + gap);
        worst.met.insert(std::minmax(mix.kind[c.a], mix.kind[c.b]));
        if (mix.friction == 0) continue;
        const bool slides = slip > 1e-3;
        ++(slides ? worst.sliding : worst.sticking);
        if (slides)
            rows.astray = std::max(rows.astray, 1 + (block.impulse.y * w.y + block.impulse.z * w.z) /
                                                        (mix.friction * push * slip));
    }
}

void step_and_check(Mix& mix, Broken& worst) {
    WorldParts& world = mix.world;
    std::vector<Vec3> centres;
    double mass = 0;
    for (const BodyRecord& body : world.bodies) centres.push_back(centre_of(body)), mass += mass_of(body);
    const Vec3 before = momentum_of(world.bodies);
    std::vector<Vec3> velocities;
    for (const BodyRecord& body : world.bodies) velocities.push_back(velocity_of(body));
    world.step();
    // Rows act where bodies meet.
    for (std::uint32_t i = 0; i < centres.size(); ++i)
        if (world.impacts.advanced(i))
            centres[i] += (world.settings.step - world.impacts.remaining(i)) * velocities[i];
    ++worst.steps;
    worst.momentum = std::max(worst.momentum, norm(momentum_of(world.bodies) - before) / mass);
    // Coulomb's law is no minimum of anything: sweeps need not arrive.
    if (world.report.residual > world.settings.solver.tolerance)
        ++worst.unsolved;
    else
        check_rows(mix, centres, worst);
}

Broken worst_of(std::uint64_t first, std::uint64_t last, ComplianceMethod compliance) {
    Broken worst;
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        const std::unique_ptr<Mix> mix = random_mix(seed, compliance);
        for (int k = 0; k < 8; ++k) step_and_check(*mix, worst);
    }
    return worst;
}

void expect_laws(const Broken& worst) {
    EXPECT_EQ(worst.pulled, 0);
    EXPECT_LT(worst.rows.deeper, 1e-5);  // m/s, of speeds of 1 m/s; measured: 1.6e-6
    EXPECT_LT(worst.rows.lifted, 1e-5);  // measured: 1e-6
    EXPECT_LE(worst.off_cone, 0);
    EXPECT_LT(worst.rows.astray, 1e-6);  // measured: 4e-9
    // Rigid bodies that are parted are turned, and their spins with them: no row knows of that.
    EXPECT_LT(worst.parted.deeper, 1e-3);  // measured: 1.8e-4
    EXPECT_LT(worst.parted.lifted, 1e-3);  // measured: 2.7e-4
    EXPECT_LT(worst.parted.astray, 0.02);  // measured: 0.005
    EXPECT_LT(worst.momentum, 1e-13);      // measured: 8e-15
}

TEST(VolumeLaws, HoldInEveryRowOfRandomMixes) {
    Broken worst = worst_of(1, 4, ComplianceMethod::exact);
    expect_laws(worst);
    const Broken approximate = worst_of(5, 5, ComplianceMethod::approximate);
    expect_laws(approximate);
    EXPECT_LE(worst.unsolved + approximate.unsolved, 1);
    // Measured: 252, 442, 66 and 92, between 13 of the 21 pairs of kinds.
    EXPECT_GT(worst.pushing, 100);
    EXPECT_GT(worst.free, 100);
    EXPECT_GT(worst.sticking, 20);
    EXPECT_GT(worst.sliding, 20);
    EXPECT_GT(worst.met.size(), 8u);
    EXPECT_GT(approximate.pushing, 30);  // measured: 50
}

TEST(VolumeLawsFull, HoldInEveryRowOfManyRandomMixes) {
    for (const ComplianceMethod compliance : {ComplianceMethod::exact, ComplianceMethod::approximate}) {
        const Broken worst = worst_of(100, 129, compliance);
        expect_laws(worst);
        EXPECT_LE(worst.unsolved, 10);     // of 240 steps; measured: 2 of 320
        EXPECT_EQ(worst.met.size(), 21u);  // every kind has pushed every kind
    }
}

}  // namespace
}  // namespace plush
