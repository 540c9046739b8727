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

/// An error says what is missing and how to get it.
Result<PeerCloth> run_bullet(const ClothTask& task);

}  // namespace plush::lab
