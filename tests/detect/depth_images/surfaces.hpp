#pragma once

#include "detect/depth_images/overlap_finder.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush::test {

using Surface = PosedSurface;

inline Mesh together(const Mesh& a, const Mesh& b) {
    std::vector<Vec3> positions(a.positions().begin(), a.positions().end());
    std::vector<Triangle> triangles(a.triangles().begin(), a.triangles().end());
    const int shift = static_cast<int>(positions.size());
    positions.insert(positions.end(), b.positions().begin(), b.positions().end());
    for (const Triangle& t : b.triangles()) triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    return Mesh(std::move(positions), std::move(triangles));
}

}  // namespace plush::test
