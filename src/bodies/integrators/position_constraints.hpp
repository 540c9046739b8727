#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "plush/geometry/sdf.hpp"

// Conditions on positions, set right after a Verlet step, one after the other and then again (a nonlinear
// Gauss-Seidel; Jakobsen, "Advanced character physics", 2001). Each is met by the smallest shift in the norm
// of the masses, so that two free points keep their common centre of mass:
//
//     distance l:  x_i += w_i/(w_i + w_j) (|d| − l) d̂,  x_j −= w_j/(w_i + w_j) (|d| − l) d̂,  d = x_j − x_i
//     maximal distance: the same where |d| > l only
//     obstacle φ ≥ r:   x += (r − φ) ∇φ where φ < r
//
// with w = 1/m, 0 for pinned points. Obstacles come last in a turn: what is seen last holds exactly.

namespace plush {

/// Obstacles that move, rub and want to know how hard they were pushed: see contact/fields/surface_projection.hpp.
class PositionObstacles {
public:
    virtual ~PositionObstacles() = default;
    /// A step of h that began at `before`, Verlet's memory, and ends at x, at the time t. What is inside an
    /// obstacle already at its start may be moved in both alike: that gives no velocity.
    virtual void begin(std::span<Vec3> x, std::span<Vec3> before, std::span<const double> inverse_masses,
                       double t, double h) = 0;
    /// One turn: changes x.
    virtual void project(std::span<Vec3> x) = 0;
};

class PositionConstraints {
public:
    void keep_distance(std::uint32_t i, std::uint32_t j, double length) {
        PLUSH_ASSERT(i != j && !(length < 0));
        pairs_.push_back({i, j, length, true});
    }
    void limit_distance(std::uint32_t i, std::uint32_t j, double length) {
        PLUSH_ASSERT(i != j && !(length < 0));
        pairs_.push_back({i, j, length, false});
    }
    /// All points stay at least `radius` outside.
    void keep_outside(Sdf obstacle, double radius = 0) {
        obstacles_.push_back({std::move(obstacle), radius});
    }
    void set_iterations(int n) { iterations_ = n; }
    bool empty() const { return pairs_.empty() && obstacles_.empty(); }

    /// Changes x; `inverse_masses` has one a point. More obstacles, or null, take their part in every turn.
    void project(std::span<Vec3> x, std::span<const double> inverse_masses,
                 PositionObstacles* obstacles = nullptr) const;
    /// The largest violation, m.
    double error(std::span<const Vec3> x) const;

private:
    struct Pair {
        std::uint32_t i, j;
        double length;
        bool exact;
    };
    struct Obstacle {
        Sdf distance;
        double radius;
    };
    std::vector<Pair> pairs_;
    std::vector<Obstacle> obstacles_;
    int iterations_ = 20;
};

}  // namespace plush
