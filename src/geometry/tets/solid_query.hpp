#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/internal_api.hpp"
#include "geometry/mesh/bvh.hpp"
#include "plush/geometry/mesh.hpp"

// What the tet methods ask of a closed surface. Inside is where the winding number is above zero, so that a
// surface that crosses itself bounds the union of what it encloses, and a cavity, whose wall is oriented into
// it, is outside. All signs are exact: coordinates must be in the range of the predicates.

namespace plush {

class SolidQuery {
public:
    PLUSH_INTERNAL_API SolidQuery(std::vector<Vec3> positions, std::vector<Triangle> triangles);

    Box3 bounds() const { return bvh_.bounds(); }
    std::span<const Vec3> positions() const { return positions_; }
    std::span<const Triangle> triangles() const { return triangles_; }

    /// The triangles that the line through (·, y, z) along x crosses, each with the sign of its normal's x.
    struct Crossing {
        int triangle, sign;
    };
    void crossings(double y, double z, std::vector<Crossing>& found) const;
    /// The winding number of p from the crossings of its line. Points on the surface count as inside of the
    /// triangles that they lie on.
    int winding(std::span<const Crossing> line, const Vec3& p) const;
    int winding(const Vec3& p) const;
    bool inside(const Vec3& p) const { return winding(p) > 0; }

    /// The point of the surface nearest to p.
    Vec3 closest(const Vec3& p) const;
    /// The distance to the nearest triangle, negative inside (m).
    PLUSH_INTERNAL_API double signed_distance(const Vec3& p) const;

    /// The triangles whose boxes overlap the box.
    PLUSH_INTERNAL_API void candidates(const Box3& box, std::vector<int>& found) const;
    /// Whether one of the triangles has a point in common with the closed tet (of positive volume).
    bool any_meets_tet(std::span<const int> candidates, const std::array<Vec3, 4>& tet) const;
    /// Whether a triangle of the surface has a point in common with the closed triangle abc (with an area).
    bool meets_triangle(const Vec3& a, const Vec3& b, const Vec3& c) const;

private:
    std::array<Vec3, 3> corners_of(int triangle) const;
    bool meets(int triangle, const Vec3& a, const Vec3& b, const Vec3& c) const;

    std::vector<Vec3> positions_;
    std::vector<Triangle> triangles_;
    std::vector<char> flat_;  ///< triangles without area
    Bvh bvh_;
};

}  // namespace plush
