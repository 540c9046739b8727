#pragma once

#include "bodies/body.hpp"

namespace plush {

/// Where in a step two bodies with given paths touch first.
struct ImpactSearch {
    double step = 0;       ///< s
    double touching = 0;   ///< a gap up to this touches already, m
    double tolerance = 0;  ///< of the gap at the time that is found, m
    double inset = 0;      ///< Reach::inset
};
struct ImpactTime {
    enum class Outcome {
        apart,     ///< all the way
        touching,  ///< when the step starts
        impact
    };
    Outcome outcome = Outcome::apart;
    double time = 0;
    Vec3 normal{};     ///< of the impact: pushes a out of b
    double way = 0;    ///< of any two points against each other in the step, at most, m
    bool far = false;  ///< the way of the step is more than the thinner one's inscribed radius
    /// The bodies are thinner than the way between two of the evaluated moments.
    bool at_limit = false;
};

/// `path(time)` of each body; of one that does not move, its pose.
ImpactTime time_of_impact(const Body& a, bool a_moves, const Body& b, bool b_moves,
                          const ImpactSearch& search);

/// Points that move straight from one place to another, of a body of this inscribed radius; the normal pushes them out.
struct PointPaths {
    std::span<const Vec3> from{}, to{};
    double thickness = 0;
};
ImpactTime time_of_impact(const PointPaths& points, const Body& solid, bool solid_moves,
                          const ImpactSearch& search);

/// The place of a body that moves, or not.
inline PathPoint place_at(const Body& body, bool moves, double time) {
    return moves ? body.path(time) : PathPoint{body.pose(), {body.pose().position, {}}};
}

}  // namespace plush
