#pragma once

#include <cstdint>

#include "bodies/body.hpp"
#include "plush/geometry/sdf.hpp"

// A surface that vertices are held off: a distance with a pose, that moves rigidly through the step.

namespace plush {

/// What the world says of it, at the start of a step.
struct Obstacle {
    const SignedDistance* distance = nullptr;  ///< never null; must live as long as the step
    Transform pose{};                          ///< at the start of the step
    Motion motion{};                           ///< through the step, about motion.origin
    double friction = 0, restitution = 0;      ///< of the pair; restitution is for the impulse law
    std::uint32_t index = 0;                   ///< the caller's own name for it
    // Of one that vertices can move, about motion.origin; 0: nothing moves it.
    double inverse_mass = 0;  ///< 1/kg
    Mat3 inverse_inertia{};   ///< 1/(kg m²)
    double sharers = 1;       ///< deformable bodies that may touch it in this step
};

/// An obstacle at a moment, ready to be asked by many points.
class PosedObstacle {
public:
    /// `reach`: what is farther than this from its surface is culled, m.
    PosedObstacle(const Obstacle& obstacle, double reach);

    /// `t` seconds after the start of the step.
    void set_time(double t);
    /// To where it is, for good.
    void move_to(const Transform& pose) {
        start_ = pose, moves_ = false;
        set_time(0);
    }
    bool moves() const { return moves_; }

    Vec3 to_local(const Vec3& p) const { return transpose_times(rotation_, p - position_); }
    Vec3 to_world(const Vec3& p) const { return rotation_ * p + position_; }
    Vec3 normal_to_world(const Vec3& n) const { return rotation_ * n; }
    Vec3 velocity_at(const Vec3& p) const { return linear_ + cross(angular_, p - origin_); }
    const Vec3& origin() const { return origin_; }  ///< of its motion, now
    const SignedDistance& distance() const { return *distance_; }

    /// Whether anything in the ball can be within reach.
    bool may_reach(const Vec3& centre, double radius) const {
        return local_bounds_.distance2(to_local(centre)) <= radius * radius;
    }
    /// The same for a box along the world's axes.
    bool may_reach(const Box3& box) const {
        const Vec3 centre = to_local(box.centre()), half = 0.5 * box.size();
        Vec3 turned{};  // the half size of the box around it along the obstacle's axes
        for (std::size_t i = 0; i < 3; ++i) {
            const Vec3& row = rotation_.row[i];
            turned += half[i] * Vec3{std::abs(row.x), std::abs(row.y), std::abs(row.z)};
        }
        return local_bounds_.overlaps({centre - turned, centre + turned});
    }
    /// The same for a point that is given in the obstacle's own frame.
    bool may_reach_local(const Vec3& p) const { return local_bounds_.contains(p); }

    /// The largest part s of the way from `from` to `to` (in the obstacle's own frame) on all of which the
    /// distance stays above `floor`. Never too large; 0 where it is not above it at the start, 1 for no
    /// hindrance. Conservative advancement; see obstacle.cpp.
    double safe_fraction(const Vec3& from, const Vec3& to, double floor) const;

private:
    double newton_fraction(const Vec3& from, const Vec3& way, double floor) const;
    double lipschitz_fraction(const Vec3& from, const Vec3& way, double floor) const;

    const SignedDistance* distance_;
    Transform start_;
    Vec3 start_origin_, linear_, angular_;
    Box3 local_bounds_;
    double steepness_;
    bool convex_, moves_;
    // now:
    Mat3 rotation_{};
    Vec3 position_{}, origin_{};
};

}  // namespace plush
