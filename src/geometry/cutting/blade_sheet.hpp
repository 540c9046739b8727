#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plush/geometry/mesh.hpp"

// The sheet that a blade is: an edge of straight pieces, and behind each piece a flat *plate*, all with the
// same `back`. Seen along `back` the whole sheet is a line, and everything about it is asked in that view:
//
//         \  +             s(p)   the distance to the nearest place of the line, above 0 to the left of it
//          \     +                when one goes along the edge with `back` upward
//       −   o────────      ends   go on straight for ever
//         −       −
//
// So a point has one side of the whole sheet, and not one of each plate: what two plates pass is divided
// once. A single plate is a plane, s(p) = n·(p − from). Where the ends of a bent sheet would meet if they
// went on, or around a spiral, sides change between two far parts of the sheet as well; nothing is cut there,
// since the sheet does not cross it.

namespace plush {

struct BladeSheet {
    std::vector<Vec3> edge{};  ///< two points or more; where the last is the first it is a ring
    Vec3 back{};               ///< from the edge to the other end
    bool ring() const { return edge.size() > 2 && edge.front() == edge.back(); }
};

/// What keeps a blade from cutting, as an error whose place is left to the caller.
struct SheetFault {
    std::string problem{}, cure{};
};
std::optional<SheetFault> fault_of(const BladeSheet& blade);

/// One plate of a sheet: the parallelogram behind a piece of the edge.
class CutPlane {
public:
    CutPlane(const Vec3& from, const Vec3& to, const Vec3& back);
    const Vec3& normal() const { return normal_; }
    double height(const Vec3& p) const { return dot(normal_, p - from_); }
    /// p − from = u edge + w back + (something) n.
    double along_edge(const Vec3& p) const;
    double along_back(const Vec3& p) const;
    Vec3 edge_point(double u) const { return from_ + u * (to_ - from_); }
    /// Coordinates in the plane, with z = 0, that run counter-clockwise seen against the normal; and back.
    Vec3 flat(const Vec3& p) const { return {dot(p - from_, across_), dot(p - from_, along_), 0}; }
    Vec3 from_flat(const Vec3& flat) const { return from_ + flat.x * across_ + flat.y * along_; }

private:
    Vec3 from_, to_, back_;
    Vec3 normal_{}, across_{}, along_{};
};

class CutSheet {
public:
    explicit CutSheet(const BladeSheet& blade);
    const BladeSheet& blade() const { return blade_; }
    bool curved() const { return plates_.size() > 1; }
    const Vec3& normal() const { return plates_[0].normal(); }  ///< of the first plate
    double height(const Vec3& p) const;
    /// Where the sheet, or what its ends go on to, goes through the way from a to b: 0 at a, 1 at b. Of
    /// points on different sides; nothing where the sides change without a sheet between. Of several places
    /// the first.
    std::optional<double> crossing(const Vec3& a, const Vec3& b) const;
    /// All places on the sheet itself, however far along its back; rising.
    std::vector<double> crossings(const Vec3& a, const Vec3& b) const;
    bool holds(const Vec3& p) const;  ///< of a point on the sheet
    Box3 bounds() const;
    Vec3 view(const Vec3& p) const;  ///< along the back, z = 0
    /// In that view: a point on either side of its bends, on the line that halves the angle, so near that
    /// nothing of the sheet is between but the bend. Where it turns slowly, one bend after every so many
    /// degrees.
    std::vector<Vec3> beside_bends() const;

    // The sheet laid flat, z = 0, with the same handedness: along the edge and along the back.
    Vec3 unrolled(const Vec3& p) const;
    Vec3 rolled(const Vec3& flat) const;
    double length() const { return starts_.back(); }  ///< of the edge, laid flat
    /// Where it bends, along the edge; in a ring where it begins, too.
    std::span<const double> bends() const;

private:
    /// The nearest place of the line that the sheet is in the view along its back.
    struct Near {
        std::size_t plate = 0;
        double u = 0;  ///< 0 to 1, and beyond at the ends of the sheet
        Vec3 away{};   ///< from there, across the back
    };
    Near nearest(const Vec3& p) const;
    bool goes_on(std::size_t plate, bool at_end) const;  ///< to another plate

    BladeSheet blade_;
    bool ring_ = false;
    std::vector<CutPlane> plates_;
    std::vector<double> starts_;  ///< of plates along the edge, laid flat, and the end of the last
};

}  // namespace plush
