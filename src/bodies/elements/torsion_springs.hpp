#pragma once

#include "bodies/elements/measure_springs.hpp"

// Angle-preserving springs.
//
// HingeSprings keep the angle θ between two triangles at their common edge (cloth that resists bending):
// E = ½ k (θ − θ₀)², with θ = 0 where the triangles are flat. θ is known up to full turns: a hinge that is
// folded through itself takes the shorter way back.
//
//          x₂            θ = atan2((N_a × N_b)·ê, N_a·N_b),   e = x₁ − x₀
//         /  \           N_a = e × (x₂ − x₀),  N_b = (x₃ − x₀) × e
//       x₀ -- x₁         ∂θ/∂x₂ = −|e| N_a/|N_a|²,  ∂θ/∂x₃ = −|e| N_b/|N_b|², the rest by levers
//         \  /           (Bridson, Marino & Fedkiw, "Simulation of clothing with folds and wrinkles", 2003)
//          x₃
//
// AngleSprings keep the angle ψ between two edges at a vertex (ropes): a spring between the unit tangents û
// of a→b and ŵ of b→c, whose distance is 2 sin(ψ/2):
//
//     s = ŵ − û,   E = ½ k (|s| − c₀)²,   c₀ = 2 sin(ψ₀/2)
//
// For small angles that is ½ k (ψ − ψ₀)². An energy in ψ itself has a kink at ψ = 0, just where a straight
// rope rests; in s it is smooth there and needs no trigonometry.

namespace plush {

struct Hinge {
    std::uint32_t edge_from = 0, edge_to = 0;  ///< x₀, x₁
    std::uint32_t left = 0, right = 0;  ///< x₂ of triangle (x₀, x₁, x₂), x₃ of triangle (x₁, x₀, x₃)
    double rest_angle = 0;              ///< θ₀, radians; positive where the normals part
    double stiffness = 0;               ///< k, N m
    double damping = 0;                 ///< N m s
};

class HingeSprings final : public MeasureSprings<4> {
public:
    void add(const Hinge& hinge);
    Measure<4> measure(std::size_t element, const std::array<Vec3, 4>& p) const override;
    /// θ of four points; 0 where a triangle has no area.
    static double angle(const std::array<Vec3, 4>& p);

private:
    std::vector<double> rest_;
};

struct AngleSpring {
    std::uint32_t a = 0, b = 0, c = 0;  ///< the angle is at b
    double rest_angle = 0;              ///< ψ₀, radians: by how much the path turns at b; 0 is straight
    double stiffness = 0;               ///< k, N m
    double damping = 0;                 ///< N m s
};

class AngleSprings final : public ForceField {
public:
    void add(const AngleSpring& spring);
    std::size_t size() const { return rest_.size(); }

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void bind(const BlockMatrix& matrix) override;
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;

private:
    struct Tangents;
    Tangents tangents(std::size_t s, std::span<const Vec3> x) const;

    std::vector<std::uint32_t> vertices_;
    std::vector<double> rest_, stiffness_, damping_;  ///< rest_ is c₀
    std::vector<std::uint32_t> slots_;
    Incidence incidence_;
    std::vector<Vec3> scratch_;
};

}  // namespace plush
