#pragma once

#include <vector>

#include "bodies/integrators/position_constraints.hpp"
#include "contact/fields/surface_field.hpp"

// Obstacles as position constraints: after a Verlet step a vertex that has entered a surface is put on it, in
// every pass together with the distances between vertices. With the gap d < 0, the normal n, and the slide s,
// the tangential part of how far the vertex has moved against the surface since the step began:
//
//     x += |d| n;      x −= min(|s|, μ Σ|d| − (what was braked before)) s/|s|,      Σ over a step's passes
//
// which is Coulomb's law for shifts: a shift Δx after a step of h is the impulse m Δx/h (Macklin et al.,
// "Unified particle physics for real-time applications", 2014, Sec. 6.1, with the passes' sum for a bound in
// place of the pass's own). There is no bounce: what went in comes out with the surface's own velocity.
// The obstacle gets minus all impulses.
//
// A vertex that is inside already when a step begins is brought out in both of Verlet's positions: an
// overlap that somebody else made gives no velocity.

namespace plush {

class SurfaceProjection final : public PositionObstacles {
public:
    /// Obstacles, radii and the clock are the field's, which must outlive this. Its law must be `impulse`.
    explicit SurfaceProjection(SurfaceField& field) : field_(field) {}

    // -- PositionObstacles: one substep
    void begin(std::span<Vec3> x, std::span<Vec3> before, std::span<const double> inverse_masses, double t,
               double h) override;
    void project(std::span<Vec3> x) override;

    // -- one step of the world
    void begin_step() { touches_.clear(), first_.clear(); }
    /// Gives the field the touches of all substeps, with their mean forces over h.
    void finish_step(double h);

private:
    struct Touch {
        std::uint32_t vertex = 0, obstacle = 0;
        Vec3 normal{}, point{};
        Vec3 impulse{};                  ///< since begin_step(), N s
        double pressed = 0, braked = 0;  ///< since begin(), m
        std::uint32_t next = 0;          ///< of the same vertex
    };
    static constexpr std::uint32_t none = 0xffffffffu;

    /// The gap and the normal; false where it is not negative, or nowhere near.
    bool inside(const Vec3& x, std::size_t vertex, std::size_t obstacle, double& gap, Vec3& normal) const;
    Touch& touch(std::uint32_t vertex, std::uint32_t obstacle);
    void push(Vec3& x, Touch& touch, const Vec3& shift);
    void rub(Vec3& x, Touch& touch);

    SurfaceField& field_;
    std::vector<Touch> touches_;
    std::vector<std::uint32_t> first_;  ///< of each vertex: its first touch
    std::span<const Vec3> before_;
    std::span<const double> inverse_masses_;
    double h_ = 0;
};

}  // namespace plush
