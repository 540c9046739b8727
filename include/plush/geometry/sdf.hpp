#pragma once

#include <memory>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// How far a reported distance may be from the true one.
enum class Exactness {
    exact,        ///< the value is the Euclidean distance, everywhere
    lower_bound,  ///< |value| never exceeds the true distance
    approximate,  ///< close to it, by sampling or by an approximation inside
};

/// What a signed distance says at a point.
struct DistanceSample {
    double value;   ///< metres; negative inside
    Vec3 gradient;  ///< of unit length except where approximate; points outward
};

/// A signed distance function. Immutable and shared.
class PLUSH_API SignedDistance {
public:
    virtual ~SignedDistance() = default;
    virtual DistanceSample sample(const Vec3& p) const = 0;
    /// The value of sample(p) alone, where that is cheaper.
    virtual double value(const Vec3& p) const { return sample(p).value; }
    virtual Exactness exactness() const = 0;
    /// A box that holds everything inside; infinite for half-spaces and the like.
    virtual Box3 bounds() const = 0;
    /// Outside, the value changes by no more than this a metre. Culling rests on it.
    virtual double steepness() const { return 1; }
};

using Sdf = std::shared_ptr<const SignedDistance>;

namespace sdf {

PLUSH_API Sdf plane(const Vec3& point, const Vec3& normal);
PLUSH_API Sdf sphere(const Vec3& centre, double radius);
/// Infinite, about the line through `point` along `axis`.
PLUSH_API Sdf cylinder(const Vec3& point, const Vec3& axis, double radius);
PLUSH_API Sdf capped_cylinder(double radius, double half_height);  ///< about the y axis
PLUSH_API Sdf box(const Vec3& half_size);
PLUSH_API Sdf capsule(const Vec3& a, const Vec3& b, double radius);
PLUSH_API Sdf torus(double ring_radius, double tube_radius);  ///< about the y axis
/// y = height over a grid of nx × nz values with spacing `cell`, from `origin`; bilinear. A lower bound.
PLUSH_API Sdf heightfield(const Vec3& origin, double cell, int nx, int nz, std::vector<double> heights);

PLUSH_API Sdf intersection(std::vector<Sdf> parts);  ///< max: a lower bound outside
PLUSH_API Sdf union_of(std::vector<Sdf> parts);      ///< min: exact outside, a lower bound inside
PLUSH_API Sdf difference(Sdf a, Sdf b);              ///< max(a, −b): a bound
PLUSH_API Sdf rounded(Sdf a, double radius);         ///< grown by `radius`
PLUSH_API Sdf transformed(Sdf a, const Transform& transform);

/// The distance of any closed mesh, sampled on a grid of about `cells_across` cells along its longest side,
/// and interpolated. Approximate. Beyond the grid, a lower bound that is good enough to cull with.
PLUSH_API Sdf sampled(const Mesh& mesh, int cells_across = 32);

/// The distance to a closed mesh, exact at every point by the bounding hierarchy (slow: microseconds a
/// sample).
PLUSH_API Sdf exact(const Mesh& mesh);

}  // namespace sdf
}  // namespace plush
