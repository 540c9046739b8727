#include "detect/features/convex_solid.hpp"

#include <algorithm>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

using Kind = ExactShape::Kind;

/// Directions of the samples of a rim, in the plane (z, x): counter-clockwise about y.
const std::array<std::array<double, 2>, SupportFace::rim_points>& rim_directions() {
    static const auto made = [] {
        std::array<std::array<double, 2>, SupportFace::rim_points> d{};
        for (std::size_t i = 0; i < d.size(); ++i) {
            const double angle =
                2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(d.size());
            d[i] = {pinned::cos(angle), pinned::sin(angle)};
        }
        return d;
    }();
    return made;
}

}  // namespace

ConvexSolid::ConvexSolid(const ExactShape& shape, const Transform& pose, const Vec3& origin)
    : kind_(shape.kind), size_(shape.size), centre_(pose.position - origin) {
    PLUSH_ASSERT(kind_ == Kind::box || kind_ == Kind::capsule || kind_ == Kind::cylinder);
    const Mat3 r = to_matrix(pose.rotation);
    for (std::size_t i = 0; i < 3; ++i) axes_[i] = r.column(i);
    if (kind_ == Kind::box) {
        face_count_ = edge_count_ = 3;
        diameter_ = 2 * norm(size_);
    } else {
        first_face_ = first_edge_ = 1;
        face_count_ = kind_ == Kind::cylinder;
        edge_count_ = 1;
        diameter_ = 2 * (size_.x + size_.y);
    }
}

double ConvexSolid::extent(const Vec3& n) const {
    if (kind_ == Kind::box)
        return size_.x * std::abs(dot(axes_[0], n)) + size_.y * std::abs(dot(axes_[1], n)) +
               size_.z * std::abs(dot(axes_[2], n));
    const double along = dot(axes_[1], n);
    if (kind_ == Kind::capsule) return size_.x + size_.y * std::abs(along);
    return size_.x * norm(n - along * axes_[1]) + size_.y * std::abs(along);
}

Vec3 ConvexSolid::support(const Vec3& u) const {
    const Vec3 d = local(u);
    const double end = std::copysign(size_.y, d.y);
    if (kind_ == Kind::box) return world({std::copysign(size_.x, d.x), end, std::copysign(size_.z, d.z)});
    if (kind_ == Kind::capsule) return world({0, end, 0}) + size_.x * u;
    const Vec3 out = normalised(Vec3{d.x, 0, d.z}, {});
    return world(size_.x * out + Vec3{0, end, 0});
}

std::array<Vec3, 8> ConvexSolid::box_corners() const {
    std::array<Vec3, 8> corners;
    for (std::size_t i = 0; i < 8; ++i)
        corners[i] =
            world({i & 1 ? size_.x : -size_.x, i & 2 ? size_.y : -size_.y, i & 4 ? size_.z : -size_.z});
    return corners;
}

SupportFace ConvexSolid::face(const Vec3& u, double touching) const {
    const Vec3 d = local(u);
    if (kind_ == Kind::box) return box_face(d);
    const bool endwise = std::abs(d.y) > std::sqrt(d.x * d.x + d.z * d.z);
    if (!endwise) return side(d);
    if (kind_ == Kind::cylinder) return cap(d, touching);
    SupportFace end;
    end.id = d.y > 0;
    end.add(world({0, std::copysign(size_.y, d.y), 0}) + size_.x * u, 0);
    end.normal = u;
    return end;
}

SupportFace ConvexSolid::box_face(const Vec3& d) const {
    const Vec3 m = abs(d);
    const std::size_t k = m.x >= m.y && m.x >= m.z ? 0 : m.y >= m.z ? 1 : 2;
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const double sign = d[k] < 0 ? -1.0 : 1.0;
    SupportFace face;
    face.id = static_cast<std::uint8_t>(2 * k + (sign > 0));
    face.normal = sign * axes_[k];
    constexpr double round[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (std::uint8_t c = 0; c < 4; ++c) {
        const std::size_t n = sign > 0 ? c : 3u - c;
        Vec3 p{};
        p[k] = sign * size_[k], p[i] = round[n][0] * size_[i], p[j] = round[n][1] * size_[j];
        face.add(world(p), c);
    }
    return face;
}

// Corners are fixed to the body, so that a cap at rest has the same ones in every step. Where the cap is inclined the rim
// rolls: its deepest point belongs to the pose, and samples beside it would make a polygon of the rim.
SupportFace ConvexSolid::cap(const Vec3& d, double touching) const {
    SupportFace face;
    const double top = d.y < 0 ? -1.0 : 1.0, r = size_.x;
    face.id = top > 0;
    face.normal = top * axes_[1];
    const double inclined = std::sqrt(d.x * d.x + d.z * d.z);
    const bool rolls = 2 * r * inclined > touching;
    const double dz = rolls ? d.z / inclined : 0, dx = rolls ? d.x / inclined : 0;
    const auto& directions = rim_directions();
    const auto at = [&](double z, double x) { return world({r * x, top * size_.y, r * z}); };
    double before = 0;  // the sine of the angle from the last sample to the deepest point
    for (std::size_t c = 0; c <= directions.size(); ++c) {
        const std::size_t i = top > 0 ? c % directions.size() : (directions.size() - c) % directions.size();
        const auto [z, x] = directions[i];
        const double sine = top * (z * dx - x * dz), cosine = z * dz + x * dx;
        if (rolls && c > 0 && before > 0 && sine <= 0 && cosine > 0)
            face.add(at(dz, dx), SupportFace::deepest_label);
        before = sine;
        if (c == directions.size()) break;
        face.add(at(z, x), static_cast<std::uint8_t>(i), rolls && cosine > tuning::rim_arc);
    }
    return face;
}

SupportFace ConvexSolid::side(const Vec3& d) const {
    const Vec3 out = normalised(Vec3{d.x, 0, d.z});
    SupportFace face;
    face.id = 2;
    for (std::uint8_t end = 0; end < 2; ++end) {
        const Vec3 core = world({0, end ? size_.y : -size_.y, 0});
        const Vec3 radial = axes_[0] * out.x + axes_[2] * out.z;
        // A ball reaches farthest along d itself, a rim along its own plane's part.
        const Vec3 along = axes_[0] * d.x + axes_[1] * d.y + axes_[2] * d.z;
        face.add(core + size_.x * (kind_ == Kind::capsule ? along : radial), end);
    }
    face.normal = axes_[0] * out.x + axes_[2] * out.z;
    return face;
}

}  // namespace plush
