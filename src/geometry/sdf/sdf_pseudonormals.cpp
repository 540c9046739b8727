#include "geometry/sdf/sdf_pseudonormals.hpp"

#include <algorithm>
#include <tuple>

#include "core/transcendental.hpp"

namespace plush {
namespace {

struct Side {  // corner `corner` of triangle `triangle` faces the edge low–high
    int low, high, triangle, corner;
};

}  // namespace

Vec3 pseudonormal_of_face(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 u = b - a, v = c - a, n = cross(u, v);
    return norm2(n) <= 1e-16 * norm2(u) * norm2(v) ? Vec3{} : normalised(n);
}

double angle_of_corner(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 u = b - a, v = c - a;
    return pinned::atan2(norm(cross(u, v)), dot(u, v));
}

Pseudonormals::Pseudonormals(const Mesh& mesh)
    : triangles_(mesh.triangles().begin(), mesh.triangles().end()),
      face_(triangles_.size()),
      edge_(triangles_.size()),
      vertex_(mesh.positions().size()) {
    const auto at = [&](int i) { return mesh.positions()[static_cast<std::size_t>(i)]; };
    std::vector<Side> sides;
    sides.reserve(3 * triangles_.size());
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const Triangle& f = triangles_[t];
        face_[t] = pseudonormal_of_face(at(f[0]), at(f[1]), at(f[2]));
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = f[i], b = f[(i + 1) % 3], c = f[(i + 2) % 3];
            vertex_[static_cast<std::size_t>(a)] += angle_of_corner(at(a), at(b), at(c)) * face_[t];
            sides.push_back({std::min(b, c), std::max(b, c), static_cast<int>(t), static_cast<int>(i)});
        }
    }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return std::tie(a.low, a.high, a.triangle, a.corner) < std::tie(b.low, b.high, b.triangle, b.corner);
    });
    for (std::size_t i = 0, end; i < sides.size(); i = end) {
        Vec3 sum;
        for (end = i;
             end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high; ++end)
            sum += face_[static_cast<std::size_t>(sides[end].triangle)];
        for (std::size_t k = i; k < end; ++k)
            edge_[static_cast<std::size_t>(sides[k].triangle)][static_cast<std::size_t>(sides[k].corner)] =
                sum;
    }
}

const Vec3& Pseudonormals::at(int triangle, const Vec3& w) const {
    const auto t = static_cast<std::size_t>(triangle);
    const int zeros = (w.x == 0) + (w.y == 0) + (w.z == 0);
    if (zeros == 0) return face_[t];
    if (zeros == 1) return edge_[t][w.x == 0 ? 0 : w.y == 0 ? 1 : 2];
    return vertex_[static_cast<std::size_t>(triangles_[t][w.x != 0 ? 0 : w.y != 0 ? 1 : 2])];
}

}  // namespace plush
