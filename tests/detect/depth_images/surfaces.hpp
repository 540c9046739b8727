#pragma once

#include "detect/depth_images/overlap_finder.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::test {

using Surface = PosedSurface;

inline Vec3 random_vector(Random& random, double size) {
    const double x = random.uniform(-size, size), y = random.uniform(-size, size);
    return {x, y, random.uniform(-size, size)};
}

inline Quat random_rotation(Random& random) {
    const Vec3 v = random_vector(random, 1);
    return normalised(Quat{random.uniform(-1, 1), v.x, v.y, v.z});
}

inline Mesh together(const Mesh& a, const Mesh& b) {
    std::vector<Vec3> positions(a.positions().begin(), a.positions().end());
    std::vector<Triangle> triangles(a.triangles().begin(), a.triangles().end());
    const int shift = static_cast<int>(positions.size());
    positions.insert(positions.end(), b.positions().begin(), b.positions().end());
    for (const Triangle& t : b.triangles()) triangles.push_back({t[0] + shift, t[1] + shift, t[2] + shift});
    return Mesh(std::move(positions), std::move(triangles));
}

}  // namespace plush::test
