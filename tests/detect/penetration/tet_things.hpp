#pragma once

#include <memory>

#include "detect/penetration/penetration.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/math/rotation.hpp"
#include "support/random.hpp"

// Tet meshes in some pose, for the tests of penetration depth.

namespace plush {

struct Thing {
    std::shared_ptr<const TetShape> shape;
    std::vector<Vec3> x;
    bool self = false;

    Thing(const TetMesh& mesh, const Transform& pose = {})
        : shape(std::make_shared<TetShape>(mesh)), x(mesh.positions().begin(), mesh.positions().end()) {
        for (Vec3& p : x) p = pose * p;
    }
    Thing& moved(const Vec3& by) {
        for (Vec3& p : x) p += by;
        return *this;
    }
    operator TetObject() const { return {shape.get(), x, self}; }
};

inline std::vector<TetObject> objects_of(std::span<const Thing> things) {
    return {things.begin(), things.end()};
}

inline Thing block(const Vec3& half, std::array<int, 3> cells, const Transform& pose = {}) {
    return Thing(tet_box(half, cells).value(), pose);
}

/// One tet that points down: its tip at `tip`, its base `height` above.
inline Thing spike(const Vec3& tip, double height, double width) {
    const Vec3 up{0, height, 0};
    return Thing(TetMesh({tip, tip + up + Vec3{width, 0, 0}, tip + up + Vec3{-width, 0, width},
                          tip + up + Vec3{-width, 0, -width}},
                         {{0, 2, 1, 3}}));
}

inline TetMesh ball20(double radius) {
    return tet_ball(radius).value();
}

/// n³ balls of 20 tets on a jittered lattice, turned at random and a little out of shape, so that neighbours
/// overlap.
inline std::vector<Thing> ball_lattice(int n, double jitter, std::uint64_t seed) {
    Random random(seed);
    const TetMesh ball = ball20(0.5);
    const auto shape = std::make_shared<TetShape>(ball);
    std::vector<Thing> things;
    for (int i = 0; i < n * n * n; ++i) {
        Thing thing(ball);
        thing.shape = shape;
        const Vec3 at{i % n + random.uniform(-0.2, 0.2), i / n % n + random.uniform(-0.2, 0.2),
                      i / (n * n) + random.uniform(-0.2, 0.2)};
        const Quat turn = exp_rotation(test::random_vector(random, 2));
        for (Vec3& p : thing.x) p = 0.65 * at + rotate(turn, p) + jitter * test::random_vector(random);
        things.push_back(std::move(thing));
    }
    return things;
}

}  // namespace plush
