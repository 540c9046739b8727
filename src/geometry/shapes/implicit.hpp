#pragma once

#include <cstdint>
#include <vector>

#include "plush/geometry/sdf.hpp"

// Soft shapes: signed distances that melt into one another. They join those of plush/geometry/sdf.hpp, with
// which they may be mixed. Lengths in metres. All are approximate distances (Exactness::approximate) unless
// said otherwise: zero on the surface, with a gradient near 1 there, which is what a mesher needs.

namespace plush::implicit {

/// The axes of the ellipsoid are those of the turned frame.
Sdf ellipsoid(const Vec3& centre, const Vec3& radii, const Quat& turn = {});

/// A ball that rolls from one end to the other and changes its radius evenly on the way: exact.
Sdf round_cone(const Vec3& a, double radius_a, const Vec3& b, double radius_b);

/// A point of the middle line of a tube, and its radius there.
struct Station {
    Vec3 at;
    double radius;
};

/// A tube along a smooth curve through the stations (Catmull-Rom), round at its ends.
Sdf tube(const std::vector<Station>& stations);

/// A sum of plane waves of one wavelength in random directions: a landscape of even, rolling bumps.
class Waves {
public:
    Waves(double wavelength, std::uint64_t seed);
    DistanceSample sample(const Vec3& p) const;  ///< mean 0, mostly within ±1; the gradient per metre

private:
    struct Wave {
        Vec3 w;
        double phase;
    };
    std::vector<Wave> waves_;
};

/// The surface moved outward by height · waves, most where `where` is deepest inside: full strength `fade`
/// inside it, none outside.
Sdf displaced(Sdf shape, Waves waves, double height, Sdf where, double fade);

/// What a body is made of, part by part. Each part melts into those before it within its own radius: 0 joins
/// it with a crease, a large one with a broad fillet.
class Blend {
public:
    void add(Sdf part, double radius) { parts_.push_back(Part(std::move(part), radius, false)); }
    /// Takes the part away from those before it.
    void carve(Sdf part, double radius) { parts_.push_back(Part(std::move(part), radius, true)); }
    [[nodiscard]] Sdf done() &&;

    struct Part {
        Part(Sdf s, double r, bool c) : shape(std::move(s)), radius(r), carves(c), box(shape->bounds()) {}
        Sdf shape;
        double radius;
        bool carves;
        Box3 box;
    };

private:
    std::vector<Part> parts_;
};

}  // namespace plush::implicit
