#pragma once

#include <string>
#include <vector>

// `plush bench fem`: elastic bodies taken apart. Boxes of tets that hang by one side, h = 0.01 s, tolerance
// 1e-4, E = 260 kPa, cells of 0.1 m.

namespace plush::lab {

/// One body on one thread; of its steps the median of twelve, by processor time.
struct FemRow {
    long long tets = 0, dofs = 0;
    double assembly_ns = 0;   ///< a tet: forces and matrix
    double product_us = 0;    ///< matrix times vector
    double iteration_us = 0;  ///< of conjugate gradients: product, preconditioner and all sums
    double iterations = 0;    ///< of a step, mean
    double step_ms = 0, step_ns_per_tet = 0;
    double bytes_per_tet = 0;    ///< elements and matrix
    bool single = false;         ///< iterations are taken in single precision
    double iteration_bytes = 0;  ///< that an iteration has to read and write
    double stream_rate = 0;      ///< GB/s of a loop that does nothing but read as many bytes

    double iteration_ns() const { return 1e3 * iteration_us / static_cast<double>(tets); }  ///< a tet
    double iteration_rate() const { return 1e-3 * iteration_bytes / iteration_us; }         ///< GB/s
    /// Of a step, a tet: what is neither assembly nor an iteration.
    double rest_ns() const { return step_ns_per_tet - assembly_ns - iterations * iteration_ns(); }
};

/// The same matrix by three routes.
struct FemDirect {
    long long dofs = 0;
    double factor_ms = 0, solve_ms = 0, many_ms = 0;  ///< `many` of each of 48 right-hand sides
    double eigen_factor_ms = 0, eigen_solve_ms = 0;   ///< SimplicialLDLT
    double ratio() const { return eigen_factor_ms / factor_ms; }
};

/// Many bodies in one world.
struct FemWorld {
    int bodies = 0, threads = 0;
    long long tets = 0, dofs = 0;  ///< of each body
    double iterations = 0;         ///< of a body and step, mean
    double min_ms = 0, median_ms = 0;
};

/// A toy with a detailed skin that falls on the ground, one thread, fastest of its steps.
struct FemSkin {
    long long triangles = 0, tets = 0;
    double air_ms = 0, ground_ms = 0;  ///< a step before it touches, and when it lies there
    double whole_ms = 0;               ///< to deform all of the skin once, as a picture does
};

/// The same bodies in another engine. Times are for 10 ms of simulated time.
struct FemPeer {
    std::string peer;
    int bodies = 0, nodes = 0;
    double step = 0;                 ///< h of the peer, s
    double damping = 0;              ///< in proportion to stiffness, s
    double peer_ms = 0, ms = 0;      ///< of the processor, one thread each
    double peer_size = 0, size = 0;  ///< largest distance between two vertices of a body, by that at rest
    int threads = 1;
    double clock_ms = 0;  ///< of Plush by the clock with so many threads; the peer has one
    double ratio() const { return peer_ms / ms; }
    double clock_ratio() const { return peer_ms / clock_ms; }
    /// How many times as fast as the peer Plush is meant to be, and whether it is, with these threads.
    static constexpr double wanted_ratio = 20;
    bool fast_enough() const { return clock_ratio() >= wanted_ratio; }
    bool peer_explodes() const { return !(peer_size >= 0 && peer_size < 2); }
};

struct FemBench {
    std::vector<FemRow> rows{};
    std::vector<FemDirect> direct{};
    std::vector<FemWorld> worlds{};
    std::vector<FemSkin> skins{};
    std::vector<FemPeer> peers{};
    std::string note{};  ///< why there is no peer
};

FemBench bench_fem(int runs, int threads);

}  // namespace plush::lab
