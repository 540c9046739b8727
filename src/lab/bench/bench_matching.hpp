#pragma once

#include <string>
#include <vector>

// 500 cubes of 5 × 5 × 5 vertices that match their shape fall on level ground, in Plush and in Bullet, in
// turns.

namespace plush::lab {

struct MatchingRow {
    std::string name;                      ///< what touches what
    std::string peer;                      ///< and its version
    double peer_ms = 0, ms = 0;            ///< a step, of the processor, both on one thread
    double peer_wall_ms = 0, wall_ms = 0;  ///< a step, by the clock, Plush on all threads; Bullet has one
    double peer_depth = 0, depth = 0;      ///< of the deepest vertex below the ground at the end, by a side
    double ratio() const { return ms > 0 ? peer_ms / ms : 0; }
    double wall_ratio() const { return wall_ms > 0 ? peer_wall_ms / wall_ms : 0; }
};

struct MatchingBench {
    std::vector<MatchingRow> rows;
    std::string note;  ///< why there is no peer; empty where there is one
};

/// `threads` ≤ 0: all.
MatchingBench bench_matching(int runs, int threads);

}  // namespace plush::lab
