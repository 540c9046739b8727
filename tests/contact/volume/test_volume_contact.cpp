#include "contact/volume/volume_contact.hpp"

#include <gtest/gtest.h>

#include "contact/solver/random_system.hpp"
#include "detect/depth_images/overlap_finder.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

// Rows from real overlaps, against the volumes themselves.

namespace plush {
namespace {

using test::random_vector;

/// Two bodies of one mesh that overlap, as nodes of a system.
struct Pair {
    explicit Pair(std::uint64_t seed) : random(seed) {
        poses[0] = {{0.01 * random.uniform(-1, 1), 0, 0}, turned()};
        poses[1] = {random_vector(random) * 0.1, turned()};
        for (const Transform& pose : poses)
            system.add_node(pose.position, 1 + random.uniform(0, 3), Mat3::identity() * 0.02,
                            {any(1), any(5)});
    }
    Quat turned() { return normalised(Quat{random.uniform(-1, 1), random.uniform(-1, 1), 0.3, 0.5}); }
    Vec3 any(double size) { return random_vector(random) * size; }
    OverlapPair at(const std::array<Transform, 2>& where) const {
        OverlapPair pair{.a = surface.view, .b = surface.view};
        pair.a.pose = where[0], pair.b->pose = where[1];
        return pair;
    }
    /// The poses after moving with these velocities for a time.
    std::array<Transform, 2> moved(std::span<const Twist> u, double t) const {
        std::array<Transform, 2> out = poses;
        for (std::size_t k = 0; k < 2; ++k) {
            out[k].position += t * u[k].linear;
            out[k].rotation = exp_rotation(t * u[k].angular) * out[k].rotation;
        }
        return out;
    }
    double volume(const std::array<Transform, 2>& where) {
        finder.find(at(where), {.pixel = pixel}, {});
        double v = 0;
        for (const Overlap& o : finder.model().contacts) v += o.volume;
        return v;
    }
    std::vector<VolumeContact> contacts(OverlapSplit split, double cell = 0) {
        finder.find(at(poses), {.pixel = pixel}, {.split = split, .cell = cell});
        std::vector<VolumeContact> all;
        for (const Overlap& o : finder.model().contacts) {
            if (!o.one_sided) continue;
            VolumeContact c{.a = 0, .b = 1, .overlap = o};
            c.area = norm(o.gradient), c.depth = o.volume / c.area;
            all.push_back(c);
        }
        return all;
    }
    PairSides sides() const { return {{nullptr, 0}, {nullptr, 1}}; }

    static constexpr double pixel = 1.0 / 512;
    Random random;
    PosedSurface surface{generate({.shape = "pebble", .triangles = 2000, .size = 0.3}).value()};
    std::array<Transform, 2> poses;
    test::System system;
    OverlapFinder finder;
};

// w = −V̇/A: by moving the bodies and measuring again.
TEST(VolumeContact, TheRowIsTheRateOfTheVolume) {
    double worst = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Pair pair(seed);
        const auto contacts = pair.contacts(OverlapSplit::whole);
        ASSERT_EQ(contacts.size(), 1u) << seed;
        const Block& block =
            add_volume_block(pair.system.rows, pair.sides(), contacts[0], pair.system.nodes, true, 3);
        const double t = 1e-4;
        const double rate = (pair.volume(pair.moved(pair.system.velocity, t)) -
                             pair.volume(pair.moved(pair.system.velocity, -t))) /
                            (2 * t);
        const double w = pair.system.relative_velocity(block).x;
        worst = std::max(worst, std::abs(w + rate / contacts[0].area));
    }
    EXPECT_LT(worst, 0.03);  // m/s, of speeds of 1 to 2 m/s; measured 0.028
}

// V + ∂V/∂q Δq, against what is measured there: half a pixel of way, and where bodies turn as well.
TEST(VolumeContact, ItDeepensToFirstOrderAsTheVolumeGrows) {
    double worst = 0, least_way = HUGE_VAL;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Pair pair(seed);
        const VolumeContact contact = pair.contacts(OverlapSplit::whole).front();
        const double t = 0.5 * Pair::pixel;  // at about 1 m/s
        const std::vector<Twist>& u = pair.system.velocity;
        double change = 0;
        for (std::size_t side = 0; side < 2; ++side)
            change += deepening(contact, side, pair.poses[side].position,
                                {t * u[side].linear, t * u[side].angular});
        const double grown = pair.volume(pair.moved(u, t)) - contact.overlap.volume;
        worst = std::max(worst, std::abs(change - grown / contact.area));
        least_way = std::min(least_way, std::abs(change));
    }
    EXPECT_LT(worst, 0.1 * Pair::pixel);  // measured 0.080; they move by up to one pixel
    EXPECT_GT(least_way, 1e-3 * Pair::pixel);
}

// The same where every vertex moves for itself: pressed into the other, some more than others.
TEST(VolumeContact, ItDeepensAsTheVerticesOfADeformableBodyMove) {
    Pair pair(3);
    const auto of = pair.surface.mesh.triangles();
    const std::vector<Triangle> triangles(of.begin(), of.end());
    const auto find = [&](const std::vector<Vec3>& positions) {
        const PosedSurface surface(Mesh(positions, triangles));
        const OverlapPair at{.a = surface.view, .b = pair.at({Transform{}, pair.poses[1]}).b};
        pair.finder.find(at, {.pixel = Pair::pixel}, {.rows = GradientRows::vertices});
        VolumeContact contact{.a = 0, .b = 1, .overlap = pair.finder.model().contacts.front()};
        const auto rows = pair.finder.model().rows(0, 0);
        contact.overlap.a.assign(rows.begin(), rows.end());
        contact.area = norm(contact.overlap.gradient);
        return contact;
    };
    const std::vector<Vec3> from(pair.surface.mesh.positions().begin(), pair.surface.mesh.positions().end());
    const VolumeContact contact = find(from);
    std::vector<Vec3> to = from;
    for (Vec3& x : to) x -= contact.overlap.normal * (Pair::pixel * (1 + 2 * x.y - x.z));
    const double grown = (find(to).overlap.volume - contact.overlap.volume) / contact.area;
    EXPECT_NEAR(deepening(contact, 0, from, to), grown, 0.03 * Pair::pixel);
    EXPECT_GT(grown, 0.5 * Pair::pixel);
}

TEST(VolumeContact, ForcesAndMomentsAreOpposite) {
    for (const double cell : {0.02, 0.05, 0.3}) {
        Pair pair(7);
        for (const VolumeContact& c : pair.contacts(OverlapSplit::cells, cell)) {
            const Block block =
                add_volume_block(pair.system.rows, pair.sides(), c, pair.system.nodes, false, 3);
            const auto entries = pair.system.rows.entries_of(block);
            for (std::size_t r = 0; r < 3; ++r) {
                Vec3 force, moment;
                for (const Entry& e : entries) {
                    force += e.linear.row[r];
                    moment += e.angular.row[r] + cross(pair.system.nodes[e.node].origin, e.linear.row[r]);
                }
                EXPECT_LT(norm(force), 1e-14);
                EXPECT_LT(norm(moment), 1e-13);
            }
        }
    }
}

// What a solve promises, over random pairs, friction and cells.
TEST(VolumeContact, SignoriniAndCoulombHoldAfterASolve) {
    int pushed = 0, free = 0, stuck = 0, slid = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Pair pair(seed);
        const double mu = pair.random.uniform(0, 1);
        for (const VolumeContact& c : pair.contacts(OverlapSplit::cells, 0.06))
            add_volume_block(pair.system.rows, pair.sides(), c, pair.system.nodes, true, 3).friction = mu;
        const auto momentum = [&] {
            Vec3 p;
            for (std::size_t k = 0; k < 2; ++k)
                p += pair.system.velocity[k].linear / pair.system.nodes[k].inverse_mass;
            return p;
        };
        const Vec3 before = momentum();
        const SweepReport report = pair.system.solve({.iterations = 20000, .tolerance = 1e-6});
        EXPECT_LE(report.residual, 1e-6) << seed;
        EXPECT_LT(norm(momentum() - before), 1e-12);
        double largest = 0;
        for (const Block& b : pair.system.rows.blocks) largest = std::max(largest, b.impulse.x);
        for (const Block& b : pair.system.rows.blocks) {
            const Vec3 w = pair.system.relative_velocity(b);
            EXPECT_GE(b.impulse.x, 0);
            EXPECT_GE(w.x, -1e-4) << seed;
            const bool pushes = b.impulse.x > 1e-3 * largest;
            EXPECT_TRUE(!pushes || w.x < 1e-4) << w.x;
            pushed += pushes;
            free += b.impulse.x == 0;
            const double rub = std::hypot(b.impulse.y, b.impulse.z);
            EXPECT_LE(rub, mu * b.impulse.x * (1 + 1e-9));
            if (pushes) (std::hypot(w.y, w.z) < 1e-4 ? stuck : slid)++;
        }
    }
    // All kinds were seen.
    EXPECT_GT(pushed, 20);
    EXPECT_GT(free, 10);
    EXPECT_GT(stuck, 5);
    EXPECT_GT(slid, 5);
}

// κ V/A at the end of the step, in a row that is all there is: a mass on a spring, taken implicitly.
TEST(VolumeContact, ACompliantRowIsAnImplicitSpring) {
    Pair pair(3);
    auto contact = pair.contacts(OverlapSplit::whole).at(0);
    const double h = 0.01, kappa = 3e4;
    Block& block = add_volume_block(pair.system.rows, pair.sides(), contact, pair.system.nodes, true, 1);
    set_volume_law(block, pair.system.rows, pair.sides(), contact, {.flexibility = 1 / kappa},
                   pair.system.nodes, {}, h);
    pair.system.solve({});
    const Block& solved = pair.system.rows.blocks[0];
    double w = 0;
    for (const Entry& e : pair.system.rows.entries_of(solved))
        w += dot(e.linear.row[0], pair.system.velocity[e.node].linear) +
             dot(e.angular.row[0], pair.system.velocity[e.node].angular);
    const double depth_after = contact.depth - h * w;
    EXPECT_NEAR(solved.impulse.x / h, kappa * depth_after * contact.area,
                1e-9 * kappa * contact.depth * contact.area);
}

// −ν A w at the end of the step.
TEST(VolumeContact, DragIsProportionalToTheSlidingThatIsLeft) {
    Pair pair(5);
    const auto contact = pair.contacts(OverlapSplit::whole).at(0);
    const double h = 0.01, nu = 2e3;
    add_tangent_block(pair.system.rows, pair.sides(), contact, pair.system.nodes, {.viscosity = nu}, h);
    pair.system.solve({});
    const Block& block = pair.system.rows.blocks[0];
    const Vec3 w = pair.system.relative_velocity(block);
    EXPECT_GT(std::hypot(w.x, w.y), 1e-3);
    EXPECT_NEAR(block.impulse.x, -h * nu * contact.area * w.x, 1e-9);
    EXPECT_NEAR(block.impulse.y, -h * nu * contact.area * w.y, 1e-9);
}

/// A contact of four vertices of a body with four of another, or of its own: two up, two down.
VolumeContact four_by_four(bool self) {
    VolumeContact c{.a = 0, .b = self ? 0u : 1u};
    c.overlap.normal = {0, 1, 0};
    c.overlap.a = {{0, {0, -1, 0}}, {1, {0, -3, 0}}};
    if (self)
        c.overlap.a.push_back({2, {0, 2, 0}}), c.overlap.a.push_back({3, {0, 2, 0}});
    else
        c.overlap.b = {{2, {0, 2, 0}}, {3, {0, 2, 0}}};
    return c;
}

TEST(VolumeContactMovement, IsTheMeanOverTheAreaOfASide) {
    const VolumeContact c = four_by_four(false);
    const std::vector<Vec3> from(4), to{{4, 0, 0}, {0, 4, 0}, {1, 0, 0}, {3, 0, 0}};
    EXPECT_LT(norm(movement(c, 0, from, to) - Vec3{1, 3, 0}), 1e-15);
    EXPECT_LT(norm(movement(c, 1, from, to) - Vec3{2, 0, 0}), 1e-15);
}

TEST(VolumeContactMovement, OfABodyWithItselfIsThatOfItsSidesAgainstEachOther) {
    const VolumeContact c = four_by_four(true);
    const std::vector<Vec3> from(4), to{{4, 0, 0}, {0, 4, 0}, {1, 0, 0}, {3, 0, 0}};
    EXPECT_LT(norm(movement(c, 0, from, to) - Vec3{-1, 3, 0}), 1e-15);
    const std::vector<Vec3> all(4, Vec3{5, 6, 7});
    EXPECT_LT(norm(movement(c, 0, from, all)), 1e-15);
}

}  // namespace
}  // namespace plush
