#include "record/smooth_normals.hpp"

#include <algorithm>

#include "record/rays.hpp"

// The normal of a corner is the sum of the normals of the triangles around its vertex, weighted by their
// angle there (Thürmer and Wüthrich 1998: then it does not depend on how a face was cut into triangles), but
// only of those that bend away from the corner's own triangle by less than the crease angle.

namespace plush {

namespace {

/// Smooth below it: a ball of 80 triangles bends by 37° at most, a box by 90°, a twelve-sided cylinder by
/// 30°.
constexpr double crease_cosine = 0.766;  // cos 40°

struct Faces {
    std::vector<Vec3> normals{};   // unit
    std::vector<double> angles{};  // of each corner, radians
};

Faces faces_of(const FrameMesh& mesh) {
    Faces faces{std::vector<Vec3>(mesh.triangles.size() / 3), std::vector<double>(mesh.triangles.size())};
    for (std::size_t t = 0; t < faces.normals.size(); ++t) {
        Vec3 p[3];
        for (std::size_t c = 0; c < 3; ++c)
            p[c] = to_double(mesh.positions[static_cast<std::size_t>(mesh.triangles[3 * t + c])]);
        faces.normals[t] = normalised(cross(p[1] - p[0], p[2] - p[0]));
        for (std::size_t c = 0; c < 3; ++c) {
            const Vec3 a = normalised(p[(c + 1) % 3] - p[c]), b = normalised(p[(c + 2) % 3] - p[c]);
            faces.angles[3 * t + c] = std::acos(std::clamp(dot(a, b), -1.0, 1.0));
        }
    }
    return faces;
}

/// The corners at each vertex, one vertex after the other: those of v are [start[v], start[v + 1]).
struct Corners {
    std::vector<std::size_t> start{}, corner{};
};

Corners corners_of(const FrameMesh& mesh) {
    Corners out{std::vector<std::size_t>(mesh.positions.size() + 1),
                std::vector<std::size_t>(mesh.triangles.size())};
    for (const std::int32_t v : mesh.triangles) ++out.start[static_cast<std::size_t>(v) + 1];
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) out.start[v + 1] += out.start[v];
    std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
    for (std::size_t c = 0; c < mesh.triangles.size(); ++c)
        out.corner[next[static_cast<std::size_t>(mesh.triangles[c])]++] = c;
    return out;
}

}  // namespace

std::vector<Vec3f> corner_normals(const FrameMesh& mesh) {
    const Faces faces = faces_of(mesh);
    const Corners around = corners_of(mesh);
    std::vector<Vec3f> normals(mesh.triangles.size());
    for (std::size_t c = 0; c < normals.size(); ++c) {
        const Vec3& own = faces.normals[c / 3];
        const auto v = static_cast<std::size_t>(mesh.triangles[c]);
        Vec3 sum{};
        for (std::size_t i = around.start[v]; i < around.start[v + 1]; ++i) {
            const std::size_t other = around.corner[i];
            const Vec3& n = faces.normals[other / 3];
            if (dot(n, own) >= crease_cosine) sum += n * faces.angles[other];
        }
        const Vec3 n = normalised(sum, own);
        normals[c] = {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)};
    }
    return normals;
}

}  // namespace plush
