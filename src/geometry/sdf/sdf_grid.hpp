#pragma once

#include <array>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// The corners of a box of cubic cells, x running fastest.
struct Grid {
    Vec3 origin{};
    double cell = 0;
    std::array<int, 3> nodes{};

    std::size_t size() const {
        return static_cast<std::size_t>(nodes[0]) * static_cast<std::size_t>(nodes[1]) *
               static_cast<std::size_t>(nodes[2]);
    }
    std::size_t index(int i, int j, int k) const {
        return (static_cast<std::size_t>(k) * static_cast<std::size_t>(nodes[1]) +
                static_cast<std::size_t>(j)) *
                   static_cast<std::size_t>(nodes[0]) +
               static_cast<std::size_t>(i);
    }
    Vec3 at(int i, int j, int k) const { return origin + cell * Vec3{1. * i, 1. * j, 1. * k}; }
    bool on_border(int i, int j, int k) const {
        return i == 0 || j == 0 || k == 0 || i == nodes[0] - 1 || j == nodes[1] - 1 || k == nodes[2] - 1;
    }
};

/// A grid around the mesh with about `cells_across` cells along its longest side and two of padding all
/// round.
Grid grid_around(const Box3& bounds, int cells_across);

/// The signed distance of a closed mesh at every node: exact within a cell of the surface and on the grid's
/// border, elsewhere the distance to a triangle that is nearest or nearly so (never too small).
std::vector<double> signed_distances(const Mesh& mesh, const Grid& grid);

}  // namespace plush
