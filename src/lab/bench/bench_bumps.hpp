#pragma once

#include <string>
#include <vector>

#include "plush/geometry/mesh.hpp"

// Two slabs of fine meshes, one at rest on the other, with bumpy faces that fit: contact all over, as scanned
// and broken things have it. Volume contact beside engines that take triangle pairs one by one.

namespace plush::lab {

struct BumpsRow {
    std::string name;              ///< of the engine, and its version
    long long triangles = 0;       ///< of each of the two bodies
    double ms = 0, median_ms = 0;  ///< of the processor a step at rest, one thread
    double contacts = 0;           ///< a step, mean
    double speed = 0;              ///< of the upper body at rest, root mean square, m/s
    double depth = 0;              ///< the deepest of its contacts, by its own account, m
    double sink = 0;               ///< how far its centre is below the exact fit at the end, m
    double ratio = 0;              ///< its ms by Plush's
};

struct BumpsBench {
    std::vector<BumpsRow> rows;
    std::vector<std::string> notes;  ///< which peers are missing, and how to get them
};

/// A slab of 1 m × 0.3 m × 1 m whose top (the lower one's) or bottom (the upper one's) is y = 0 but for its
/// bumps; so many cells along a side.
Mesh bumpy_slab(bool upper, int cells);

BumpsBench bench_bumps(int runs);

}  // namespace plush::lab
