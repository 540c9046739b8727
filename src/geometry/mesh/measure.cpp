#include "plush/geometry/mass.hpp"

// Volume by the divergence theorem: V = Σ (a−o) · (b−o) × (c−o) / 6 over the triangles abc of a closed
// surface, for any point o. The centre of the bounds keeps the terms small where the mesh is far from the
// origin.

namespace plush {

double volume(const Mesh& mesh) {
    const Vec3 o = mesh.bounds().centre();
    const auto p = mesh.positions();
    double six_volumes = 0;
    for (const auto& [a, b, c] : mesh.triangles())
        six_volumes += dot(p[static_cast<std::size_t>(a)] - o,
                           cross(p[static_cast<std::size_t>(b)] - o, p[static_cast<std::size_t>(c)] - o));
    return six_volumes / 6;
}

double area(const Mesh& mesh) {
    const auto p = mesh.positions();
    double twice = 0;
    for (const auto& [a, b, c] : mesh.triangles())
        twice += norm(cross(p[static_cast<std::size_t>(b)] - p[static_cast<std::size_t>(a)],
                            p[static_cast<std::size_t>(c)] - p[static_cast<std::size_t>(a)]));
    return twice / 2;
}

}  // namespace plush
