#pragma once

#include "detect/overlap_finder.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::test {

/// A mesh with all that the images need of it. Not to be copied: the view points into it.
struct Surface {
    Mesh mesh;
    SurfaceClusters clusters;
    ClusterBounds bounds;
    SurfaceView view;

    explicit Surface(Mesh m, const Transform& pose = {})
        : mesh(std::move(m)), clusters(mesh.positions(), mesh.triangles()) {
        bounds.refit(clusters, mesh.positions());
        view = {.surface = &clusters, .positions = mesh.positions(), .bounds = &bounds, .pose = pose};
    }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;
};

inline Vec3 random_vector(Random& random, double size) {
    const double x = random.uniform(-size, size), y = random.uniform(-size, size);
    return {x, y, random.uniform(-size, size)};
}

inline Quat random_rotation(Random& random) {
    const Vec3 v = random_vector(random, 1);
    return normalised(Quat{random.uniform(-1, 1), v.x, v.y, v.z});
}

}  // namespace plush::test
