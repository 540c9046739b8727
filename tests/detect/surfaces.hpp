#pragma once

#include "detect/overlap_finder.hpp"
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

}  // namespace plush::test
