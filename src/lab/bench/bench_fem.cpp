#include "lab/bench/bench_fem.hpp"

#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/elements/elastic_tets.hpp"
#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "math/block_cholesky.hpp"
#include "plush/bodies/soft.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

using Clock = std::chrono::steady_clock;
using Cells = std::array<int, 3>;

constexpr double h = 0.01, cell = 0.1, density = 1000, tolerance = 1e-4;
const ElasticMaterial rubber{.young = 2.6e5, .poisson = 0.3, .density = density};

template <class F>
double seconds_of(F&& work) {
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The fastest of `count` times, of the processor: for work on one thread.
template <class F>
double fastest(int count, F&& work) {
    double best = HUGE_VAL;
    for (int i = 0; i < count; ++i) {
        const double start = processor_seconds();
        work();
        best = std::min(best, processor_seconds() - start);
    }
    return best;
}

TetMesh box_of(const Cells& cells) {
    return tet_box({0.5 * cell * cells[0], 0.5 * cell * cells[1], 0.5 * cell * cells[2]}, cells).value();
}

/// The elements of a box by themselves, and what they fill: a matrix in halves where a body of the size has
/// one and `as_in_a_body`, else the whole one.
struct Elements {
    Elements(const TetMesh& mesh, bool as_in_a_body) {
        const auto rest = mesh.positions();
        for (const Tet& t : mesh.tets()) {
            std::array<std::uint32_t, 4> vertices{};
            std::array<Vec3, 4> corners{};
            for (std::size_t a = 0; a < 4; ++a)
                vertices[a] = static_cast<std::uint32_t>(t[a]), corners[a] = rest[vertices[a]];
            tets.add(vertices, corners, rubber);
        }
        if (as_in_a_body) half = tets.half_pattern(rest.size(), ConjugateGradients::least_single_blocks);
        if (!in_halves()) {
            BlockPattern pattern(rest.size());
            tets.add_pattern(pattern);
            matrix = BlockMatrix(pattern);
            tets.bind(matrix);
        }
        Random random(1);
        for (const Vec3& p : rest) {  // strained by some percent, so that no rotation is trivial
            const Vec3 shift{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
            x.push_back(p + 0.1 * cell * shift);
            v.push_back(shift);
        }
        f.resize(x.size()), product.resize(x.size()), external.resize(x.size());
    }

    bool in_halves() const { return half.rows() > 0; }
    void assemble() {
        Linearisation out{-h * h, -h,      matrix, external, dense,
                          edges,  product, false,  true,     in_halves() ? &half : nullptr};
        std::fill(product.begin(), product.end(), Vec3{});
        tets.add_forces_and_derivatives(x, v, f, out, one);
    }
    void multiply() {
        if (in_halves())
            half.multiply(v, f, one);
        else
            matrix.multiply(v, f, one);
    }
    std::size_t bytes() const { return tets.bytes() + (in_halves() ? half.bytes() : matrix.product_bytes()); }

    Parallel one{1};
    ElasticTets tets{ElasticModel::corotational};
    BlockMatrix matrix;
    HalfMatrix half;
    std::vector<Vec3> x, v, f, product;
    std::vector<Mat3> external;
    std::vector<RankOneTerm> dense;
    std::vector<const EdgeMatrix*> edges;
};

/// What is timed is the motion, and on the ground what the points of a skin cost.
WorldSettings by_points(int threads) {
    WorldSettings settings{.step = h, .threads = threads};
    settings.contact.method = ContactMethod::points;
    return settings;
}

World hanging_boxes(const Cells& cells, int bodies, int threads, double damping = 0) {
    World world(by_points(threads));
    Soft body;
    body.solid = SoftSolid(box_of(cells));
    body.elastic = rubber;
    body.elastic.stiffness_damping = damping;
    body.motion.integration.tolerance = tolerance;
    const Vec3 half = 0.5 * cell * Vec3{1.0 * cells[0], 1.0 * cells[1], 1.0 * cells[2]};
    for (int b = 0; b < bodies; ++b) {
        const Vec3 at{0, 0, 2.0 * half.z * (1.5 * b)};
        const BodyId id = world.add(body, {.position = at});
        world.pin(id, {at - half * 1.001, at + Vec3{-0.999 * half.x, 1.001 * half.y, 1.001 * half.z}});
    }
    return world;
}

/// GB/s of reading so many bytes over and over.
double stream_rate(double bytes, int repeats) {
    std::vector<double> numbers(static_cast<std::size_t>(bytes / sizeof(double)) / 16 * 16, 1.0);
    volatile double kept = 0;
    const double seconds = fastest(repeats, [&] {
        std::array<double, 16> sums{};
        for (std::size_t i = 0; i < numbers.size(); i += 16)
            for (std::size_t k = 0; k < 16; ++k) sums[k] += numbers[i + k];
        for (const double s : sums) kept = kept + s;
    });
    return 1e-9 * bytes / seconds;
}

/// By solves that cannot end before their iterations do: of twenty and of ten.
void time_iterations(Elements& e, int repeats, FemRow& row) {
    std::vector<Vec3> answer(e.x.size());
    row.single = e.in_halves();
    ConjugateGradients cg;
    SingleGradients single;
    std::vector<Mat3> inverse;
    for (std::uint32_t i = 0; i < e.x.size(); ++i) {
        if (!row.single) {
            e.matrix.add_symmetric(e.matrix.diagonal_slot(i), Mat3::identity());
            continue;
        }
        e.half.add_diagonal(i, Mat3::identity());
        inverse.push_back(inverse_of_definite(e.half.diagonal_block(i)));
    }
    if (row.single) single.take(e.half, inverse, e.v, e.f, e.one);
    const auto solve = [&](int iterations) {
        return fastest(repeats, [&] {
            std::fill(answer.begin(), answer.end(), Vec3{});
            if (row.single)
                single.solve(e.v, 1, 0, iterations, answer, e.one);
            else
                cg.solve(e.matrix, {}, e.v, {}, answer, {1e-300, iterations}, e.one);
        });
    };
    row.iteration_us = 1e6 * (solve(20) - solve(10)) / 10;
    // In double: the matrix, the inverse diagonal, and ten vectors read or written.
    row.iteration_bytes =
        row.single
            ? static_cast<double>(single.iteration_bytes())
            : static_cast<double>(e.matrix.product_bytes() + e.x.size() * (sizeof(Mat3) + 8 * sizeof(Vec3)));
    row.stream_rate = stream_rate(row.iteration_bytes, repeats);
}

FemRow time_body(const Cells& cells, int runs) {
    FemRow row;
    const TetMesh mesh = box_of(cells);
    row.tets = static_cast<long long>(mesh.tets().size());
    row.dofs = 3 * static_cast<long long>(mesh.positions().size());
    const auto tets = static_cast<double>(row.tets);
    const int repeats = (runs + 2) * static_cast<int>(std::clamp(1e6 / tets, 1.0, 200.0));
    {
        Elements e(mesh, true);
        row.assembly_ns = 1e9 * fastest(repeats, [&] { e.assemble(); }) / tets;
        row.product_us = 1e6 * fastest(repeats, [&] { e.multiply(); });
        row.bytes_per_tet = static_cast<double>(e.bytes()) / tets;
        time_iterations(e, repeats, row);
    }
    // The same steps whatever the size: their iterations differ, and the fastest of many would be one with
    // few.
    constexpr int steps = 12;
    const int worlds = static_cast<int>(std::clamp(1e5 / tets, 1.0, 20.0));
    double best = HUGE_VAL;
    for (int w = 0; w < worlds; ++w) {
        World world = hanging_boxes(cells, 1, 1);
        world.step();  // the first one makes what is made once
        std::vector<double> times;
        row.iterations = 0;
        for (int s = 0; s < steps; ++s) {
            const double start = processor_seconds();
            world.step();
            times.push_back(processor_seconds() - start);
            row.iterations += world.report().motion_iterations / static_cast<double>(steps);
        }
        std::sort(times.begin(), times.end());
        best = std::min(best, times[steps / 2]);
    }
    row.step_ms = 1e3 * best, row.step_ns_per_tet = 1e9 * best / tets;
    return row;
}

FemDirect time_direct(const Cells& cells, int runs) {
    Elements e(box_of(cells), false);
    e.assemble();
    const double mass = density * cell * cell * cell;
    FemDirect row;
    row.dofs = 3 * static_cast<long long>(e.x.size());
    std::vector<Eigen::Triplet<double>> entries;
    for (std::uint32_t i = 0; i < e.matrix.rows(); ++i) {
        e.matrix.add_symmetric(e.matrix.diagonal_slot(i), Mat3::diagonal({mass, mass, mass}));
        std::uint32_t slot = e.matrix.first_slot(i);
        for (const std::uint32_t j : e.matrix.columns(i)) {
            const Mat3 block = e.matrix.block(slot++);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    entries.emplace_back(static_cast<int>(3 * i) + r, static_cast<int>(3 * j) + c,
                                         block(static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
        }
    }
    Eigen::SparseMatrix<double> sparse(row.dofs, row.dofs);
    sparse.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> eigen;
    eigen.analyzePattern(sparse);
    BlockCholesky own;
    own.analyse(e.matrix);
    const int repeats = 2 * runs + 1;
    row.factor_ms = 1e3 * fastest(repeats, [&] { (void)own.factorise(e.matrix); });
    row.eigen_factor_ms = 1e3 * fastest(repeats, [&] { eigen.factorize(sparse); });
    std::vector<Vec3> x(e.x.size(), Vec3{1, 2, 3}), many(48 * e.x.size(), Vec3{1, 2, 3});
    row.solve_ms = 1e3 * fastest(repeats, [&] { own.solve(x); });
    row.many_ms = 1e3 * fastest(repeats, [&] { own.solve_many(many); }) / 48;
    Eigen::VectorXd b = Eigen::VectorXd::Ones(row.dofs);
    row.eigen_solve_ms = 1e3 * fastest(repeats, [&] { b = eigen.solve(b); });
    return row;
}

FemWorld time_world(const Cells& cells, int bodies, int threads, int runs) {
    FemWorld row{.bodies = bodies, .threads = threads};
    std::vector<double> times;
    for (int r = 0; r < runs; ++r) {
        World world = hanging_boxes(cells, bodies, threads);
        row.dofs = 3 * static_cast<long long>(world.vertex_positions(world.bodies()[0]).size());
        for (int s = 0; s < 20; ++s) {
            times.push_back(seconds_of([&] { world.step(); }));
            row.iterations += world.report().motion_iterations / (20.0 * runs * bodies);
        }
    }
    row.tets = 5LL * cells[0] * cells[1] * cells[2];
    std::sort(times.begin(), times.end());
    row.min_ms = 1e3 * times.front(), row.median_ms = 1e3 * times[times.size() / 2];
    return row;
}

FemSkin time_skin(int triangles, int runs) {
    const Mesh bear = generate({.shape = "bear", .triangles = triangles, .size = 0.3}).value();
    Soft body;
    body.solid = SoftSolid::fill(bear);
    body.elastic = {.young = 5e4, .poisson = 0.3, .density = density};
    body.motion.integration.tolerance = tolerance;
    double low = 0;
    for (const Vec3& p : bear.positions()) low = std::min(low, p.y);
    FemSkin row{.triangles = triangles, .tets = static_cast<long long>(body.solid.tets().tets().size())};
    row.air_ms = row.ground_ms = HUGE_VAL;
    for (int r = 0; r < runs; ++r) {
        World world(by_points(1));
        world.add(Fixed{.shape = Shape::half_space()});
        const BodyId id = world.add(body, {.position = {0, 0.2 - low, 0}});  // 0.2 m are 20 steps
        world.step();  // the first one makes what is made once
        const auto fastest_step = [&] { return 1e3 * fastest(12, [&] { world.step(); }); };
        row.air_ms = std::min(row.air_ms, fastest_step());
        while (world.time() < 0.5) world.step();
        row.ground_ms = std::min(row.ground_ms, fastest_step());
        row.whole_ms = 1e3 * fastest(5, [&] { (void)world.drawn_positions(id); });
    }
    return row;
}

double size_of(std::span<const Vec3> x) {
    Box3 box;
    for (const Vec3& p : x) box.add(p);
    return norm(box.size());
}

FemPeer beside_bullet(double step, double damping, int runs, int threads, std::string& note) {
    const FemTask task{.step = step, .steps = static_cast<int>(std::lround(0.3 / step)), .damping = damping};
    FemPeer row;
    row.bodies = task.bodies, row.nodes = task.side * task.side * task.side, row.step = step,
    row.damping = damping;
    row.peer_ms = row.ms = row.clock_ms = HUGE_VAL;
    row.threads = threads;
    for (int r = 0; r < runs; ++r) {
        const Result<PeerFem> peer = run_bullet(task);
        if (!peer.ok()) {
            note = fmt::format("{}: {}", peer.error().problem(), peer.error().cure());
        } else {
            row.peer = "Bullet " + peer.value().version;
            row.peer_ms = std::min(row.peer_ms, peer.value().ms * 0.01 / step);
            row.peer_size = peer.value().size;
        }
        const int n = task.side - 1;
        World world = hanging_boxes({n, n, n}, task.bodies, 1, damping);
        const double rest = size_of(world.vertex_positions(world.bodies()[0]));
        constexpr int steps = 30;
        world.step();  // the first one makes what is made once
        const double start = processor_seconds();
        for (int s = 1; s < steps; ++s) world.step();
        row.ms = std::min(row.ms, 1e3 * (processor_seconds() - start) / (steps - 1) * 0.01 / h);
        row.size = 0;
        for (const BodyId id : world.bodies())
            row.size = std::max(row.size, size_of(world.vertex_positions(id)) / rest);
        World many = hanging_boxes({n, n, n}, task.bodies, threads, damping);
        many.step();
        const double seconds = seconds_of([&] {
            for (int s = 1; s < steps; ++s) many.step();
        });
        row.clock_ms = std::min(row.clock_ms, 1e3 * seconds / (steps - 1) * 0.01 / h);
    }
    return row;
}

}  // namespace

FemBench bench_fem(int runs, int threads) {
    FemBench bench;
    for (const Cells& cells : {Cells{4, 5, 5}, Cells{6, 8, 10}, Cells{9, 10, 11}, Cells{16, 16, 16},
                               Cells{27, 27, 28}, Cells{58, 58, 60}})
        bench.rows.push_back(time_body(cells, runs));
    for (const Cells& cells : {Cells{4, 5, 5}, Cells{7, 7, 8}, Cells{9, 9, 10}, Cells{14, 14, 14}})
        bench.direct.push_back(time_direct(cells, runs));
    bench.worlds.push_back(time_world({6, 8, 10}, 40, 1, runs));
    if (threads != 1) bench.worlds.push_back(time_world({6, 8, 10}, 40, threads, runs));
    for (const int triangles : {2000, 20000, 200000}) bench.skins.push_back(time_skin(triangles, runs));
    for (const double damping : {0.01, 0.0})
        for (const double step : {0.01, 0.0025})
            bench.peers.push_back(beside_bullet(step, damping, runs, threads, bench.note));
    return bench;
}

}  // namespace plush::lab
