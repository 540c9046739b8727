#pragma once

#include <utility>
#include <vector>

#include "plush/geometry/mesh.hpp"

// Meshes made of others.

namespace plush::test {

/// Both in one mesh; nothing is joined.
inline Mesh together(const Mesh& a, const Mesh& b) {
    std::vector<Vec3> positions(a.positions().begin(), a.positions().end());
    std::vector<Triangle> triangles(a.triangles().begin(), a.triangles().end());
    const int shift = static_cast<int>(positions.size());
    positions.insert(positions.end(), b.positions().begin(), b.positions().end());
    for (const Triangle& t : b.triangles()) triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    return Mesh(std::move(positions), std::move(triangles));
}

/// Every triangle oriented the other way: the inside out of a closed mesh.
inline Mesh flipped(const Mesh& mesh) {
    std::vector<Triangle> triangles(mesh.triangles().begin(), mesh.triangles().end());
    for (Triangle& t : triangles) std::swap(t[1], t[2]);
    return Mesh({mesh.positions().begin(), mesh.positions().end()}, std::move(triangles));
}

}  // namespace plush::test
