#include <gtest/gtest.h>

#include "contact/solver/random_system.hpp"
#include "contact/volume/volume_contact.hpp"
#include "detect/depth_images/overlap_finder.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

// What a solve of contacts by volume promises, over random heaps of several bodies: every row of every pair
// in one system, as in a world.

namespace plush {
namespace {

using test::random_vector;

struct Shapes {
    Shapes() {
        for (const auto& [name, triangles] : {std::pair{"pebble", 1500}, std::pair{"torus", 1200},
                                              std::pair{"bear", 2000}, std::pair{"octopus", 1500}})
            all.push_back(std::make_unique<PosedSurface>(
                generate({.shape = name, .triangles = triangles, .size = 0.3}).value()));
    }
    std::vector<std::unique_ptr<PosedSurface>> all;
};

/// Bodies of several shapes and masses that overlap and fly about; the last one is fixed.
struct Heap {
    explicit Heap(std::uint64_t seed) : random(seed) {
        static const Shapes shapes;
        const int bodies = 3 + static_cast<int>(random.uniform(0, 4));
        for (int k = 0; k < bodies; ++k) {
            SurfaceView& view =
                views.emplace_back(shapes.all[static_cast<std::size_t>(random.uniform(0, 3.999))]->view);
            view.pose = {any(0.17), normalised(Quat{random.uniform(-1, 1), random.uniform(-1, 1),
                                                    random.uniform(-1, 1), random.uniform(0.1, 1)})};
            if (k + 1 == bodies) continue;  // fixed
            const double mass = std::pow(10, random.uniform(-1, 1));
            system.add_node(view.pose.position, mass, Mat3::identity() * (0.01 * mass), {any(1), any(5)});
        }
    }
    Vec3 any(double size) { return random_vector(random) * size; }
    Side side(std::size_t k) const {
        return k + 1 == views.size() ? Side{} : Side{nullptr, static_cast<std::uint32_t>(k)};
    }
    /// The rows of all pairs.
    void add_contacts(double friction, double cell) {
        OverlapFinder finder;
        for (std::size_t i = 0; i < views.size(); ++i)
            for (std::size_t j = i + 1; j < views.size(); ++j) {
                OverlapPair pair{.a = views[i], .b = views[j]};
                finder.find(pair, {.pixel = 1.0 / 256},
                            {.split = OverlapSplit::cells, .cell = cell, .face_normals = true});
                for (const Overlap& o : finder.model().contacts) {
                    if (!o.one_sided) continue;
                    VolumeContact c{
                        .a = static_cast<std::uint32_t>(i), .b = static_cast<std::uint32_t>(j), .overlap = o};
                    c.own_normal = dot(o.normal, o.gradient) > -(1 - 1e-12) * norm(o.gradient);
                    c.area = c.own_normal ? -dot(o.normal, o.gradient) : norm(o.gradient);
                    if (!(c.area > 0)) continue;
                    add_volume_block(system.rows, {side(i), side(j)}, c, system.nodes, true, 3).friction =
                        friction;
                    touches_wall.push_back(j + 1 == views.size());
                }
            }
    }
    Vec3 momentum() const {
        Vec3 p;
        for (std::size_t k = 0; k < system.nodes.size(); ++k)
            p += system.velocity[k].linear / system.nodes[k].inverse_mass;
        return p;
    }

    Random random;
    std::vector<SurfaceView> views;
    test::System system;
    std::vector<char> touches_wall;
};

TEST(VolumeWorlds, SignoriniAndCoulombHoldInEveryRow) {
    int pushed = 0, free = 0, stuck = 0, slid = 0, heaps = 0, astray = 0;
    double deepest = 0, fastest = 0, off_cone = 0, lost = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Heap heap(seed);
        const double mu = seed % 4 == 0 ? 0 : heap.random.uniform(0, 1);
        heap.add_contacts(mu, seed % 2 ? 0.05 : 0.1);
        if (heap.system.rows.blocks.empty()) continue;
        ++heaps;
        const Vec3 before = heap.momentum();
        const SweepReport report = heap.system.solve({.iterations = 10000, .tolerance = 1e-6});
        // Coulomb's law is no minimum of anything, and sweeps need not arrive where bodies are wedged deep in
        // one another: four heaps of forty are only near the answer after so many, two after ten times as
        // many. Without friction all arrive.
        const bool arrived = report.residual <= 1e-6;
        EXPECT_TRUE(arrived || mu > 0) << seed;
        EXPECT_LT(report.residual, 1e-3) << seed;  // measured: 2e-4
        astray += !arrived;
        double largest = 0;
        for (const Block& b : heap.system.rows.blocks) largest = std::max(largest, b.impulse.x);
        Vec3 from_wall;
        for (std::size_t k = 0; k < heap.system.rows.blocks.size(); ++k) {
            const Block& b = heap.system.rows.blocks[k];
            const Vec3 w = heap.system.relative_velocity(b);
            EXPECT_GE(b.impulse.x, 0);  // ρ ≥ 0
            const bool pushes = b.impulse.x > 1e-3 * largest;
            if (arrived) deepest = std::max(deepest, -w.x);           // −(∂V/∂q) u⁺/A ≥ 0
            if (arrived && pushes) fastest = std::max(fastest, w.x);  // ρ > 0 only where it is 0
            pushed += pushes, free += b.impulse.x == 0;
            const double rub = std::hypot(b.impulse.y, b.impulse.z);
            off_cone = std::max(off_cone, rub - mu * b.impulse.x * (1 + 1e-9));
            if (pushes && mu > 0) (std::hypot(w.y, w.z) < 1e-4 ? stuck : slid)++;
            if (!heap.touches_wall[k]) continue;
            for (const Entry& e : heap.system.rows.entries_of(b))
                from_wall += transpose_times(e.linear, b.impulse);
        }
        // What the bodies have gained the fixed one has given: between themselves nothing is lost.
        lost = std::max(lost, norm(heap.momentum() - before - from_wall) / (1 + norm(before)));
    }
    EXPECT_LE(astray, 4);      // measured: 4
    EXPECT_LT(deepest, 1e-4);  // m/s, of speeds of 1 to 3 m/s; measured: 5.3e-5
    EXPECT_LT(fastest, 1e-4);  // measured: 5.9e-5
    EXPECT_LE(off_cone, 0);
    EXPECT_LT(lost, 1e-12);  // measured: 8e-14
    EXPECT_GT(heaps, 30);    // measured: 39, with 486 that push, 1983 free, 172 that stick, 265 that slide
    EXPECT_GT(pushed, 300);
    EXPECT_GT(free, 100);
    EXPECT_GT(stuck, 50);
    EXPECT_GT(slid, 50);
}

}  // namespace
}  // namespace plush
