#pragma once

#include <cstddef>
#include <vector>

#include "plush/core/random.hpp"
#include "plush/math/rotation.hpp"
#include "plush/math/vec.hpp"

// Random input for tests. All of it is a function of the seed: the numbers are drawn in the order x, y, z.

namespace plush::test {

/// Each component uniform in [−size, size).
inline Vec3 random_vector(Random& random, double size = 1) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

inline std::vector<Vec3> random_vectors(std::size_t n, Random& random, double size = 1) {
    std::vector<Vec3> vectors(n);
    for (Vec3& v : vectors) v = random_vector(random, size);
    return vectors;
}

inline std::vector<Vec3> random_vectors(std::size_t n, std::uint64_t seed, double size = 1) {
    Random random(seed);
    return random_vectors(n, random, size);
}

/// Any rotation, but not all of them equally often: the direction of a point in a cube of four dimensions.
inline Quat random_rotation(Random& random) {
    const Vec3 v = random_vector(random);
    return normalised(Quat{random.uniform(-1, 1), v.x, v.y, v.z});
}

}  // namespace plush::test
