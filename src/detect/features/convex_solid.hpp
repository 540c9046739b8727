#pragma once

#include <array>
#include <span>

#include "geometry/shapes/exact_shape.hpp"
#include "plush/math/rotation.hpp"

// Boxes, capsules and cylinders at a pose, as separating axes and contact manifolds see them. All three are centrally
// symmetric, so that one support function serves both directions:
//
//     h(n) = max n·(x − centre) over the solid        box        Σ aᵢ |nᵢ|
//                                                     cylinder   r |n⊥| + a |n_y|
//                                                     capsule    r + a |n_y|

namespace plush {

/// The flat of a solid that looks along a direction: a face (polygon), a generator of a curved side (segment), or the
/// end of a capsule (point). Outlines go round counter-clockwise seen from outside.
struct SupportFace {
    static constexpr std::size_t rim_points =
        64;  ///< of a cap. Its outline is then 0.1 % smaller than the circle
    static constexpr std::uint8_t deepest_label = 127;
    struct Corner {
        Vec3 position;
        std::uint8_t label;  ///< of the corner and of the edge that leaves it
        /// A sample of a round rim that lies so near its deepest point that it says the same.
        bool redundant = false;
    };
    std::array<Corner, rim_points + 1> corners;
    std::size_t count = 0;
    Vec3 normal{};
    std::uint8_t id = 0;
    std::span<const Corner> outline() const { return {corners.data(), count}; }
    void add(const Vec3& p, std::uint8_t label, bool redundant = false) {
        corners[count++] = {p, label, redundant};
    }
};

class ConvexSolid {
public:
    /// Places are given from `origin`, so that rounding does not grow with the distance from the world's.
    ConvexSolid(const ExactShape& shape, const Transform& pose, const Vec3& origin);

    /// The support function h(n) about the centre, m; n of unit length.
    double extent(const Vec3& n) const;
    /// A point of the solid that is farthest along u.
    Vec3 support(const Vec3& u) const;
    /// The flat that looks most along u. The rim of a cap gets the exact point that is farthest along u where the cap is
    /// inclined to u by more than `touching` (m) across its width.
    SupportFace face(const Vec3& u, double touching) const;

    std::span<const Vec3> face_normals() const { return {axes_.data() + first_face_, face_count_}; }
    std::span<const Vec3> edge_directions() const { return {axes_.data() + first_edge_, edge_count_}; }
    std::array<Vec3, 8> box_corners() const;

    ExactShape::Kind kind() const { return kind_; }
    const Vec3& centre() const { return centre_; }
    const Vec3& axis() const { return axes_[1]; }  ///< of capsules and cylinders
    double radius() const { return size_.x; }      ///< of capsules and cylinders
    double half_height() const { return size_.y; }
    double diameter() const { return diameter_; }  ///< at most, m

private:
    SupportFace box_face(const Vec3& local) const;
    SupportFace cap(const Vec3& local, double touching) const;
    SupportFace side(const Vec3& local) const;
    Vec3 world(const Vec3& local) const {
        return centre_ + axes_[0] * local.x + axes_[1] * local.y + axes_[2] * local.z;
    }
    Vec3 local(const Vec3& u) const { return {dot(axes_[0], u), dot(axes_[1], u), dot(axes_[2], u)}; }

    ExactShape::Kind kind_;
    Vec3 size_, centre_;
    std::array<Vec3, 3> axes_;
    std::size_t first_face_ = 0, face_count_ = 0, first_edge_ = 0, edge_count_ = 0;
    double diameter_;
};

}  // namespace plush
