#pragma once

#include <vector>

#include "detect/features/convex_solid.hpp"

// Two flats that face each other, seen along the contact normal n: a above, b below. Where their projections overlap,
// the gap between them is a linear function.

namespace plush {

struct PolygonPoint {
    double x = 0, y = 0;                 ///< along the tangents, m
    double top = 0, bottom = 0;          ///< heights of the two surfaces along n, m
    std::uint8_t before = 0, after = 0;  ///< edges that meet here; those of b have the highest bit
    bool redundant = false;
    double gap() const { return top - bottom; }
};

/// The overlap of two flats: a polygon, a segment (2 points), a point, or nothing.
using ContactPolygon = std::vector<PolygonPoint>;

/// `frame` has n as its first row, then the tangents. `slack` (m): outlines that miss each other by less still touch.
ContactPolygon overlap_of_faces(const SupportFace& a, const SupportFace& b, const Mat3& frame, double slack);

/// What of it has a gap of at most this.
ContactPolygon closer_than(const ContactPolygon& polygon, double gap);

/// ∫ |x − c| dA / A about the centroid c: μ N times this is the moment by which a patch with uniform pressure resists
/// spinning. Of a segment, a quarter of its length.
double mean_radius(const ContactPolygon& polygon);

}  // namespace plush
