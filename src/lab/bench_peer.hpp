#pragma once

#include <string>

#include "plush/core/error.hpp"

// Other engines are programs of their own in bench/peers/, built only where they are found. One run of one is
// a child process.

namespace plush::lab {

/// A level square of cloth that is held and let go.
struct ClothTask {
    int vertices = 100;      ///< a side
    double side = 1;         ///< m
    double mass = 1;         ///< kg
    double step = 1.0 / 60;  ///< s
    int steps = 120;
    int iterations = 10;
    bool whole_side = false;  ///< held along one side, or at its two corners
};

struct PeerCloth {
    std::string version;
    double ms = 0, wall_ms = 0;    ///< of the processor and of the clock, a step, mean
    double largest = 0, mean = 0;  ///< ratios of links to their rest lengths, the worst of the last second
};

/// Cubes in layers of 10 × 10 that fall on level ground.
struct MatchingTask {
    int bodies = 500, side = 5;  ///< vertices along an edge
    double length = 0.1;         ///< of an edge, m
    double step = 1.0 / 120;     ///< s
    int steps = 240;
    bool vertex_face = false;  ///< they touch one another too
};

struct PeerMatching {
    std::string version;
    double ms = 0, wall_ms = 0;  ///< of the processor and of the clock, a step, mean
    double depth = 0;            ///< of the deepest vertex below the ground at the end, by the length
};

struct PeerOverlap {
    std::string version;
    double ms = 0, volume = 0;  ///< the least of its runs, m³
};

/// Of two mesh files, by `cgal_overlap` or `embree_overlap`; rays are `pixel` apart, m.
Result<PeerOverlap> run_overlap_peer(const std::string& name, const std::string& a, const std::string& b,
                                     double pixel, int runs);

/// An error says what is missing and how to get it.
Result<PeerCloth> run_bullet(const ClothTask& task);
Result<PeerMatching> run_bullet(const MatchingTask& task);

}  // namespace plush::lab
