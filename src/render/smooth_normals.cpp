#include "render/smooth_normals.hpp"

#include <algorithm>
#include <array>

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
constexpr std::size_t max_around = 256;
constexpr std::size_t chunk = 4096;  // triangles, or normals, of a task

/// The normal of a triangle, of unit length, and the angles at its corners; none where its places are no numbers.
struct Face {
    Vec3 normal{};
    std::array<double, 3> angle{};
};

Face face_of(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles, std::size_t t) {
    Vec3 p[3], side[3];
    for (std::size_t c = 0; c < 3; ++c)
        p[c] = to_double(positions[static_cast<std::size_t>(triangles[3 * t + c])]);
    const Vec3 normal = normalised(cross(p[1] - p[0], p[2] - p[0]), {});
    if (!is_finite(normal)) return {};  // its neighbours do without it
    Face face{.normal = normal};
    for (std::size_t c = 0; c < 3; ++c) side[c] = normalised(p[(c + 1) % 3] - p[c]);
    for (std::size_t c = 0; c < 3; ++c)
        face.angle[c] = std::acos(std::clamp(-dot(side[c], side[(c + 2) % 3]), -1.0, 1.0));
    return face;
}

struct Faces {
    std::vector<Vec3> normals{};   // unit
    std::vector<double> angles{};  // of each corner, radians
};

Faces faces_of(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles) {
    Faces faces{std::vector<Vec3>(triangles.size() / 3), std::vector<double>(triangles.size())};
    for (std::size_t t = 0; t < faces.normals.size(); ++t) {
        const Face face = face_of(positions, triangles, t);
        faces.normals[t] = face.normal;
        std::copy(face.angle.begin(), face.angle.end(), &faces.angles[3 * t]);
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
        if (around.start[v + 1] - around.start[v] > max_around) continue;
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

SmoothNormals::SmoothNormals(const FrameMesh& rest)
    : rest_(rest),
      group_of_(rest.triangles.size()),
      face_normals_(rest.triangles.size() / 3),
      angles_(rest.triangles.size()) {
    const Corners around = corners_of(rest);
    const Faces faces = faces_of(rest.positions, rest.triangles);
    std::vector<std::uint32_t> counts;  // for the corner under way
    for (std::size_t v = 0; v < rest.positions.size(); ++v) {
        const std::size_t first_group = start_.size() - 1;
        const std::span<const std::size_t> corners(around.corner.data() + around.start[v],
                                                   around.start[v + 1] - around.start[v]);
        for (const std::size_t c : corners) {
            counts.clear();
            if (corners.size() > max_around) {
                counts.push_back(static_cast<std::uint32_t>(c));
            } else {
                for (const std::size_t other : corners)
                    if (dot(faces.normals[other / 3], faces.normals[c / 3]) >= crease_cosine)
                        counts.push_back(static_cast<std::uint32_t>(other));
            }
            if (counts.empty()) counts.push_back(static_cast<std::uint32_t>(c));  // a face without a normal
            group_of_[c] = static_cast<std::uint32_t>(group_of(counts, first_group));
        }
    }
}

std::size_t SmoothNormals::group_of(std::span<const std::uint32_t> counts, std::size_t first) {
    const std::size_t groups = start_.size() - 1;
    // Where many lie at one vertex each is alone.
    for (std::size_t g = first; g < groups && counts.size() > 1; ++g) {
        const std::span<const std::uint32_t> known(counted_.data() + start_[g], start_[g + 1] - start_[g]);
        if (std::equal(known.begin(), known.end(), counts.begin(), counts.end())) return g;
    }
    counted_.insert(counted_.end(), counts.begin(), counts.end());
    start_.push_back(counted_.size());
    return groups;
}

void SmoothNormals::shared(std::span<const Vec3f> positions, const Parallel& parallel,
                           std::vector<Vec3f>& normals) {
    parallel.each(face_normals_.size(), chunk, [&](std::size_t t) {
        const Face face = face_of(positions, rest_.triangles, t);
        face_normals_[t] = to_float(face.normal);
        for (std::size_t c = 0; c < 3; ++c) angles_[3 * t + c] = static_cast<float>(face.angle[c]);
    });
    normals.resize(start_.size() - 1);
    parallel.each(normals.size(), chunk, [&](std::size_t g) {
        Vec3 sum{};
        for (std::size_t i = start_[g]; i < start_[g + 1]; ++i)
            sum += to_double(face_normals_[counted_[i] / 3]) * static_cast<double>(angles_[counted_[i]]);
        normals[g] = to_float(normalised(sum, to_double(face_normals_[counted_[start_[g]] / 3])));
    });
}

void SmoothNormals::quick(std::span<const Vec3f> positions, const Parallel& parallel,
                          std::vector<Vec3f>& normals) {
    const auto place = [&](std::size_t c) { return positions[static_cast<std::size_t>(rest_.triangles[c])]; };
    parallel.each(face_normals_.size(), chunk, [&](std::size_t t) {
        const Vec3f a = place(3 * t), b = place(3 * t + 1), c = place(3 * t + 2);
        const Vec3f u{b.x - a.x, b.y - a.y, b.z - a.z}, v{c.x - a.x, c.y - a.y, c.z - a.z};
        face_normals_[t] = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
    });
    normals.resize(start_.size() - 1);
    parallel.each(normals.size(), chunk, [&](std::size_t g) {
        Vec3f sum{};
        for (std::size_t i = start_[g]; i < start_[g + 1]; ++i) {
            const Vec3f& n = face_normals_[counted_[i] / 3];
            sum.x += n.x, sum.y += n.y, sum.z += n.z;
        }
        const float length = std::sqrt(sum.x * sum.x + sum.y * sum.y + sum.z * sum.z);
        const bool good = length > 0 && std::isfinite(length);
        normals[g] = good ? Vec3f{sum.x / length, sum.y / length, sum.z / length} : Vec3f{};
    });
}

std::vector<Vec3f> SmoothNormals::at(std::span<const Vec3f> positions) {
    std::vector<Vec3f> normals, corners;
    shared(positions, Parallel(1), normals);
    for (const std::uint32_t g : group_of_) corners.push_back(normals[g]);
    return corners;
}

}  // namespace plush::render
