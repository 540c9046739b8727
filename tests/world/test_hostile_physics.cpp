#include <gtest/gtest.h>

#include <cstdlib>

#include "plush/core/random.hpp"
#include "support/worlds.hpp"

// Scenes that nobody would make: masses of twelve decades beside each other, steps of 10⁻⁵ to 0.1 s, stiffnesses over eight
// decades, 1,000 m/s, 1 mm to 1 km, bodies that begin inside each other, vertices in one place, flat tets, no bodies, thousands.
// Whatever comes of it is an Error that says why with the state of before, or a state that is finite, with all its bodies. A
// scene is a function of its seed; PLUSH_HOSTILE_SEED=n runs the one of that number, PLUSH_HOSTILE_FROM=n begins there.

namespace plush {
namespace {

class HostileScene {
public:
    explicit HostileScene(std::uint64_t seed) : random_(seed) {}

    World make() {
        WorldSettings settings{.threads = chance(0.5) ? 1 : 2};
        settings.step = power(-5, -1);
        settings.gravity = chance(0.8) ? Vec3{0, -9.81, 0} : vector(power(-2, 3));
        settings.absurd_motion = chance(0.5) ? AbsurdMotion::freeze : AbsurdMotion::stop;
        constexpr ContactMethod methods[] = {ContactMethod::automatic, ContactMethod::automatic,
                                             ContactMethod::volume, ContactMethod::points};
        settings.contact.method = methods[index(4)];
        settings.contact.volume.pixels_across = 16;
        settings.contact.volume.memory_limit = 64;
        settings.solver.iterations = 30;
        size_ = power(-3, 3);
        World world(settings);
        if (chance(0.7)) world.add_ground();
        std::size_t count = 1 + index(7);
        if (chance(0.03)) count = 0;
        if (chance(0.01)) return crowd(std::move(world));
        for (std::size_t k = 0; k < count; ++k) add_one(world);
        if (chance(0.2)) add_joint(world);
        return world;
    }
    /// What was refused when it was added.
    std::size_t refused() const { return refused_; }

private:
    bool chance(double p) { return random_.uniform(0, 1) < p; }
    std::size_t index(std::size_t n) {
        return static_cast<std::size_t>(random_.uniform(0, 1) * static_cast<double>(n));
    }
    double power(double low, double high) { return std::pow(10, random_.uniform(low, high)); }
    Vec3 vector(double size) {
        return {random_.uniform(-size, size), random_.uniform(-size, size), random_.uniform(-size, size)};
    }
    double speed() { return chance(0.5) ? 0 : power(-3, 3); }
    double own_size() { return chance(0.7) ? size_ : power(-3, 3); }
    /// Often in each other, and sometimes at the very same place.
    Placement placement(double size) {
        Placement p;
        p.position = chance(0.15) ? Vec3{0, size, 0} : vector(2 * size) + Vec3{0, 2 * size, 0};
        if (chance(0.5)) p.rotation = from_axis_angle(vector(1) + Vec3{2, 0, 0}, random_.uniform(-180, 180));
        const double v = speed();
        p.velocity = vector(v);
        if (chance(0.3)) p.angular_velocity = vector(v / size);
        return p;
    }
    Shape shape(double r) {
        switch (index(5)) {
            case 0:
                return Shape::sphere(r);
            case 1:
                return Shape::box({r, power(-2, 0) * r, r});
            case 2:
                return Shape::capsule(r, power(-1, 1) * r);
            case 3:
                return Shape::cylinder(r, power(-2, 1) * r);
            default:
                return Shape::torus(r, power(-2, -0.4) * r);
        }
    }
    void flatten(std::vector<Vec3>& x) {
        if (x.size() > 3 && chance(0.2)) x[index(x.size())] = x[index(x.size())];  // two in one place
        if (chance(0.1))
            for (Vec3& p : x) p.y = 0;
    }
    IntegrationSettings integration() {
        constexpr IntegrationMethod methods[] = {
            IntegrationMethod::implicit_euler, IntegrationMethod::implicit_euler,
            IntegrationMethod::bdf2,           IntegrationMethod::semi_implicit_euler,
            IntegrationMethod::runge_kutta_4,  IntegrationMethod::verlet};
        IntegrationSettings s;
        s.method = methods[index(6)];
        s.max_substeps = 50;
        s.iterations = 100;
        return s;
    }
    void add_springs(SpringBody& body) {
        body.springs.stretch = power(-2, 6), body.springs.shear = power(-2, 6),
        body.springs.bend = power(-4, 3);
        body.springs.damping = chance(0.5) ? 0 : power(-4, 1);
        body.springs.mass = power(-6, 6);
        body.motion.integration = integration();
        body.self_contact = chance(0.1);
    }
    void add_one(World& world) {
        try {
            add_any(world);
        } catch (const Error&) {
            ++refused_;
        }
    }
    void add_any(World& world) {
        const double r = own_size();
        switch (index(7)) {
            case 0:
            case 1: {
                Rigid body{.shape = shape(r)};
                body.mass = power(-6, 6);
                body.material = {.friction = chance(0.3) ? 0 : power(-2, 1),
                                 .restitution = random_.uniform(0, 1)};
                world.add(body, placement(r));
                return;
            }
            case 2: {
                Rope rope;
                rope.from = {-r, r, 0}, rope.to = {r, r, 0}, rope.segments = 1 + static_cast<int>(index(12));
                add_springs(rope);
                const BodyId body = world.add(rope, placement(r));
                if (chance(0.3)) world.pin(body, 0);
                return;
            }
            case 3: {
                Cloth cloth;
                cloth.corner = {-r, r, -r}, cloth.side_x = {2 * r, 0, 0}, cloth.side_y = {0, 0, 2 * r};
                cloth.vertices = {2 + static_cast<int>(index(5)), 2 + static_cast<int>(index(5))};
                add_springs(cloth);
                world.add(cloth, placement(r));
                return;
            }
            case 4: {
                Jelly jelly;
                jelly.low = {-r, 0, -r}, jelly.high = {r, 2 * r, r}, jelly.cells = {2, 1, 2};
                add_springs(jelly);
                world.add(jelly, placement(r));
                return;
            }
            case 5: {
                Particles dust;
                for (std::size_t k = 0; k < 20; ++k)
                    dust.positions.push_back(vector(r) + Vec3{0, r, 0}),
                        dust.velocities.push_back(vector(speed()));
                flatten(dust.positions);
                dust.mass = power(-6, 6), dust.radius = chance(0.3) ? 0 : power(-4, 0) * r;
                world.add(dust);
                return;
            }
            default: {
                std::vector<Vec3> x{{-r, 0, 0}, {r, 0, 0}, {0, r, 0}, {0, 0, r}, {0, -r, 0.2 * r}};
                for (Vec3& p : x) p += vector(0.3 * r);
                flatten(x);
                Soft soft;
                soft.solid = SoftSolid(TetMesh(x, {{0, 1, 2, 3}, {0, 1, 3, 4}}));
                soft.elastic.young = power(1, 9), soft.elastic.poisson = random_.uniform(0, 0.49);
                soft.mass = power(-6, 6);
                soft.motion.integration = integration();
                world.add(soft, placement(r));
            }
        }
    }
    void add_joint(World& world) {
        std::vector<BodyId> rigid;
        for (const BodyId body : world.bodies())
            if (world.kind(body) == BodyKind::rigid) rigid.push_back(body);
        if (rigid.size() < 2) return;
        try {
            world.add(BallJoint{.anchor = vector(size_)}, rigid[0], rigid[1]);
            world.add(HingeJoint{.anchor = vector(size_),
                                 .motor = {.speed = power(-1, 4), .max_force = power(-3, 9)}},
                      rigid[1]);
        } catch (const Error&) {
            ++refused_;
        }
    }
    World crowd(World world) {
        const Shape ball = Shape::sphere(0.4 * size_);
        for (int k = 0; k < 10000; ++k)
            world.add(
                Rigid{.shape = ball},
                {.position = Vec3{static_cast<double>(k % 100), 1, static_cast<double>(k / 100)} * size_});
        return world;
    }

    Random random_;
    double size_ = 1;
    std::size_t refused_ = 0;
};

bool is_finite_state(const World& world) {
    for (const BodyId body : world.bodies()) {
        const bool deformable = world.kind(body) == BodyKind::deformable;
        if (deformable) {
            for (const Vec3& x : world.vertex_positions(body))
                if (!is_finite(x)) return false;
        } else if (world.kind(body) == BodyKind::particles) {
            for (const Vec3& x : world.particle_positions(body))
                if (!is_finite(x)) return false;
        } else if (!is_finite(world.pose(body).position) || !is_finite(world.velocity(body))) {
            return false;
        }
    }
    return true;
}

/// Returns whether an Error has ended it.
bool run_hostile(std::uint64_t seed, int steps) {
    HostileScene scene(seed);
    World world = scene.make();
    const std::size_t count = world.bodies().size();
    if (count > 1000) steps = 2;
    bool ended = false;
    for (int k = 0; k < steps && !ended; ++k) {
        const std::uint64_t before = world.state_hash();
        try {
            world.step();
        } catch (const Error& error) {
            EXPECT_FALSE(error.problem().empty()) << "seed " << seed;
            EXPECT_EQ(world.state_hash(), before) << "seed " << seed << ": " << error.what();
            ended = true;
        }
        EXPECT_TRUE(is_finite_state(world)) << "seed " << seed << " step " << k;
        EXPECT_EQ(world.bodies().size(), count) << "seed " << seed;
        if (testing::Test::HasFailure()) return ended;
    }
    return ended;
}

void run_seeds(std::uint64_t first, std::uint64_t count, int steps) {
    if (const char* one = std::getenv("PLUSH_HOSTILE_SEED"))
        first = std::strtoull(one, nullptr, 10), count = 1;
    if (const char* from = std::getenv("PLUSH_HOSTILE_FROM")) first = std::strtoull(from, nullptr, 10);
    if (const char* many = std::getenv("PLUSH_HOSTILE_COUNT")) count = std::strtoull(many, nullptr, 10);
    std::size_t ended = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        ended += run_hostile(seed, steps);
        if (testing::Test::HasFailure()) return;
    }
    EXPECT_LT(2 * ended, count + 2) << "most of them can be stepped";
}

TEST(HostilePhysics, TwoHundredScenes) {
    run_seeds(1, 200, 12);
}
TEST(HostilePhysicsFull, FiveThousandScenes) {
    run_seeds(1000, 5000, 30);
}

}  // namespace
}  // namespace plush
