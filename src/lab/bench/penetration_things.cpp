#include "lab/bench/penetration_things.hpp"

#include <algorithm>
#include <cmath>

#include "lab/bench/clock.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/math/rotation.hpp"

namespace plush::lab {

// Radius 0.5 and 0.8 from middle to middle: about three vertices of each ball are in others.
BallLattice::BallLattice(int count, std::uint64_t seed) {
    Random random(seed);
    const TetMesh ball = tet_ball(0.5).value();
    shape_ = std::make_shared<const TetShape>(ball);
    const int side = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(count)) - 1e-9));
    for (int i = 0; i < count; ++i) {
        const auto jitter = [&] { return random.uniform(-0.08, 0.08); };
        const Vec3 at{0.8 * (i % side) + jitter(), 0.8 * (i / side % side) + jitter(),
                      0.8 * (i / (side * side)) + jitter()};
        const Quat turn = exp_rotation({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
        auto& x = places_.emplace_back();
        for (const Vec3& p : ball.positions()) x.push_back(at + rotate(turn, p));
    }
    for (const auto& x : places_) objects_.push_back({shape_.get(), x, false});
}

std::vector<BallLattice> ball_lattices(int count) {
    // Enough of them to be forgotten: with 20 of 120 balls a point costs what it costs with 100.
    constexpr int most = 20, balls = 12000;
    std::vector<BallLattice> lattices;
    for (int i = 0; i < std::clamp(balls / count, 1, most); ++i)
        lattices.emplace_back(count, static_cast<std::uint64_t>(11 + i));
    return lattices;
}

DepthCost cost_of(std::span<const BallLattice> lattices, const DepthOptions& options, int rounds) {
    const Parallel parallel(1);
    PenetrationSearch search;
    constexpr double none = HUGE_VAL;
    std::vector<DepthCost> least(lattices.size(), {0, none, none, none, none, none, none});
    const auto lower = [](double& to, double seconds) { to = std::min(to, seconds); };
    for (int r = 0; r <= rounds; ++r)
        for (std::size_t i = 0; i < lattices.size(); ++i) {
            const double start = processor_seconds();
            const std::size_t points = search.find(lattices[i].objects(), options, parallel).size();
            const double all = processor_seconds() - start;
            if (r == 0) continue;  // it makes room
            DepthCost& l = least[i];
            const DepthTimes& t = search.times();
            l.colliding = points;
            lower(l.cells, t.cells), lower(l.points, t.points), lower(l.edges, t.edges);
            lower(l.border, t.border), lower(l.propagation, t.propagation), lower(l.total, all);
        }
    DepthCost sum;
    for (const DepthCost& l : least) {
        sum.colliding += l.colliding, sum.cells += l.cells, sum.points += l.points, sum.edges += l.edges;
        sum.border += l.border, sum.propagation += l.propagation, sum.total += l.total;
    }
    const double scale = 1e9 / static_cast<double>(sum.colliding);
    return {sum.colliding / lattices.size(),
            scale * sum.cells,
            scale * sum.points,
            scale * sum.edges,
            scale * sum.border,
            scale * sum.propagation,
            scale * sum.total};
}

}  // namespace plush::lab
