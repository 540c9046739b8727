#pragma once

#include <cstdint>
#include <vector>

#include "bodies/body.hpp"

namespace plush {

/// A surface point of one body that is inside the other, or will soon be.
struct PointHit {
    std::uint32_t point;  ///< index in the set of the body it belongs to
    bool of_b;            ///< it is a point of b, tested against a
    Vec3 position;        ///< half-way between the two surfaces, world
    Vec3 normal;          ///< unit; the direction that pushes a out of b
    double depth;         ///< m; negative for a gap
    bool known = false;   ///< it carried load in the last step
    /// Of exact shapes: the mean distance of the touching patch from its centroid, m; 0 where no patch is known.
    double patch_radius = 0;
    /// From `position` to the place where friction acts, across the normal, m (contact/points/patch_friction.hpp).
    Vec3 friction_offset{};
};

/// Which point of which body.
struct PointName {
    std::uint32_t point;
    bool of_b;
};

/// How close is close.
struct Reach {
    double margin = 0;  ///< points nearer than this count, m
    double step = 0;    ///< and those that would come nearer within this time at their present velocity, s
    double inset = 0;  ///< how far inside its own body a point is queried where its own place is ambiguous, m
};

/// What a search saw: the points that were near, and how far they were. Until the bodies have moved against
/// each other by `slack` no other point can matter, and of these only those that were near enough. A cache:
/// with or without it the same hits are found.
struct SearchMemory {
    struct Seen {
        std::uint32_t point;
        double value;  ///< of the other's distance
    };
    std::vector<Seen> seen;  ///< in the order of the points
    Mat3 rotation{};         ///< from the owner's frame to the other's, then
    Vec3 position{};
    double farthest = 0, slack = -1;  ///< m; nothing is known with a negative slack
};

struct PairMemory {
    SearchMemory a_in_b, b_in_a;
};

/// The points of a against the distance of b, and of b against a. Appends to `hits`, in the order of the
/// points.
void find_point_hits(const Body& a, const Body& b, const Reach& reach, PairMemory& memory,
                     std::vector<PointHit>& hits);
void find_point_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits);

/// The same for these points alone, in their order.
void measure_points(const Body& a, const Body& b, const Reach& reach, std::span<const PointName> names,
                    std::vector<PointHit>& hits);

/// Keeps at most `count` of the hits: the deepest, then always the one farthest from those already kept, so
/// that a few points support a face as well as all of them would. Hits that nearly coincide count once, and
/// known ones are preferred: a contact whose points change from step to step never rests.
void keep_well_spread(std::vector<PointHit>& hits, std::size_t count);

}  // namespace plush
