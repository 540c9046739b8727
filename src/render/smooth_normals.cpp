#include "render/smooth_normals.hpp"

#include <algorithm>

#include "render/rays.hpp"

// The normal of a corner is the sum of the normals of the triangles around its vertex, weighted by their
// angle there (Thürmer and Wüthrich 1998: then it does not depend on how a face was cut into triangles), but
// only of those that bend away from the corner's own triangle by less than the crease angle.

namespace plush::render {

namespace {

/// Smooth below it: a ball of 80 triangles bends by 37° at most, a box by 90°, a twelve-sided cylinder by
/// 30°.
constexpr double crease_cosine = 0.766;  // cos 40°

/// Where more corners meet in a vertex they stay flat: to look at all pairs of them would take for ever.
constexpr std::size_t most_around = 256;

struct Faces {
    std::vector<Vec3> normals{};   // unit
    std::vector<double> angles{};  // of each corner, radians
};

Faces faces_of(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles) {
    Faces faces{std::vector<Vec3>(triangles.size() / 3), std::vector<double>(triangles.size())};
    for (std::size_t t = 0; t < faces.normals.size(); ++t) {
        Vec3 p[3];
        for (std::size_t c = 0; c < 3; ++c)
            p[c] = to_double(positions[static_cast<std::size_t>(triangles[3 * t + c])]);
        const Vec3 normal = normalised(cross(p[1] - p[0], p[2] - p[0]), {});
        if (!is_finite(normal)) continue;  // its neighbours do without it
        faces.normals[t] = normal;
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

Vec3f to_float(const Vec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

/// Calls add(c, other) for every corner c and all corners whose triangles count for its normal, in order.
template <class Add>
void each_smooth_pair(const FrameMesh& mesh, const Faces& faces, const Add& add) {
    const Corners around = corners_of(mesh);
    for (std::size_t c = 0; c < mesh.triangles.size(); ++c) {
        const auto v = static_cast<std::size_t>(mesh.triangles[c]);
        if (around.start[v + 1] - around.start[v] > most_around) continue;
        for (std::size_t i = around.start[v]; i < around.start[v + 1]; ++i) {
            const std::size_t other = around.corner[i];
            if (dot(faces.normals[other / 3], faces.normals[c / 3]) >= crease_cosine) add(c, other);
        }
    }
}

}  // namespace

std::vector<Vec3f> corner_normals(const FrameMesh& mesh) {
    const Faces faces = faces_of(mesh.positions, mesh.triangles);
    std::vector<Vec3> sums(mesh.triangles.size());
    each_smooth_pair(mesh, faces, [&](std::size_t c, std::size_t other) {
        sums[c] += faces.normals[other / 3] * faces.angles[other];
    });
    std::vector<Vec3f> normals(sums.size());
    for (std::size_t c = 0; c < sums.size(); ++c)
        normals[c] = to_float(normalised(sums[c], faces.normals[c / 3]));
    return normals;
}

SmoothNormals::SmoothNormals(const FrameMesh& rest) : rest_(rest), start_(rest.triangles.size() + 1) {
    each_smooth_pair(rest, faces_of(rest.positions, rest.triangles), [&](std::size_t c, std::size_t other) {
        counted_.push_back(static_cast<std::uint32_t>(other));
        ++start_[c + 1];
    });
    for (std::size_t c = 0; c < rest.triangles.size(); ++c) start_[c + 1] += start_[c];
}

std::vector<Vec3f> SmoothNormals::at(std::span<const Vec3f> positions) const {
    const Faces faces = faces_of(positions, rest_.triangles);
    std::vector<Vec3f> normals(rest_.triangles.size());
    for (std::size_t c = 0; c < normals.size(); ++c) {
        Vec3 sum{};
        for (std::size_t i = start_[c]; i < start_[c + 1]; ++i)
            sum += faces.normals[counted_[i] / 3] * faces.angles[counted_[i]];
        normals[c] = to_float(normalised(sum, faces.normals[c / 3]));
    }
    return normals;
}

}  // namespace plush::render
