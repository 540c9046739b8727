#pragma once

#include <string>
#include <vector>

// What a step of springs costs, taken apart, and the same cloth in Bullet. Cells and their masses are the
// same in all sizes: a cloth of nine times the springs is a larger cloth, whose systems are not harder, so
// that cost can be seen to grow with the springs and with nothing else.

namespace plush::lab {

/// Implicit steps of one cloth or jelly, on one thread. Nanoseconds are minima over many repetitions.
struct SolverRow {
    std::string name;
    long long vertices = 0, springs = 0;
    long long nonzeros = 0;  ///< numbers in the matrix
    double force_ns = 0;     ///< a spring
    double matrix_ns = 0;    ///< a spring, both its rows
    double product_ns = 0;   ///< a non-zero
    double bandwidth = 0;    ///< bytes that a product must read and write, GB/s
    double triad = 0;        ///< what a[i] = b[i] + s c[i] reaches over as many bytes, GB/s
    double iterations = 0;   ///< a step, mean
    double tolerance = 0;
    double step_ms = 0;  ///< processor time, mean over the steps, of the fastest run
    double step_ns_per_spring = 0;
    double stretch = 0;  ///< largest ratio of a spring to its rest length, the worst of the last second
};

/// One cloth of 100 × 100 in both programs, in turns. Processor time of one thread each, mean over the steps,
/// of the fastest run; stretch at the end.
struct PeerRow {
    std::string name;  ///< how the cloth is held
    std::string peer;  ///< and its version
    int peer_iterations = 0;
    double peer_ms = 0, ms = 0;            ///< a step, of the processor, both on one thread
    double peer_wall_ms = 0, wall_ms = 0;  ///< a step, by the clock, Plush on all threads; Bullet has one
    double peer_largest = 0, peer_mean = 0, largest = 0,
           mean = 0;                                      ///< ratios of springs to their rest lengths
    double iterations = 0, tolerance = 0, stiffness = 0;  ///< of Plush; N
    /// Neither the largest nor the mean stretch is above the peer's.
    bool comparable() const { return largest <= peer_largest && mean <= peer_mean; }
    double ratio() const { return ms > 0 ? peer_ms / ms : 0; }
    double wall_ratio() const { return wall_ms > 0 ? peer_wall_ms / wall_ms : 0; }
};

struct SpringsBench {
    std::vector<SolverRow> solver;
    std::vector<PeerRow> peers;
    std::string note;  ///< why there is no peer; empty where there is one
};

/// `threads` ≤ 0: all.
SpringsBench bench_cloth(int runs, int threads);
SpringsBench bench_jelly(int runs);

}  // namespace plush::lab
