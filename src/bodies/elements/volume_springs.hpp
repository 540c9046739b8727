#pragma once

#include "bodies/elements/measure_springs.hpp"
#include "plush/geometry/mesh.hpp"

// Volume-preserving springs, E = ½ k (V − V₀)²/V₀ with k in Pa (a bulk modulus).
//
// TetVolumes: V = (x₁ − x₀)×(x₂ − x₀)·(x₃ − x₀)/6 of each tet, V₀ > 0. An inverted tet has V < 0 and is
// pushed back through the plane.
//
// ClosedVolume: the volume inside one closed surface, V = Σ a·(b × c)/6 over its triangles, with the gradient
// ∂V/∂x_a = Σ N/6 over the triangles at a, N = (b − a)×(c − a). It couples every vertex with every other, so
// its derivative −(k/V₀) g gᵀ is not put into the sparse matrix but handed over as one rank-one term, which
// costs a product of O(n) and conjugate gradients about one iteration more.
//
// Both leave (V − V₀) ∂²V/∂x² out of the derivative (see MeasureSprings): exact at rest, never indefinite.

namespace plush {

struct TetVolume {
    std::array<std::uint32_t, 4> vertices{};
    double rest_volume = 0;  ///< V₀, m³, above 0
    double stiffness = 0;    ///< k, Pa
    double damping = 0;      ///< Pa s
};

class TetVolumes final : public MeasureSprings<4> {
public:
    void add(const TetVolume& tet);
    Measure<4> measure(std::size_t element, const std::array<Vec3, 4>& p) const override;

private:
    std::vector<double> rest_;
};

class ClosedVolume final : public ForceField {
public:
    /// `triangles` must be closed and oriented outward.
    ClosedVolume(std::vector<Triangle> triangles, double rest_volume, double stiffness, double damping = 0);
    double volume(std::span<const Vec3> x) const;
    double rest_volume() const { return rest_; }
    /// Overpressure against outside, Pa: k (V₀ − V)/V₀.
    double pressure(std::span<const Vec3> x) const { return stiffness_ * (rest_ - volume(x)) / rest_; }

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern&) const override {}
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;

private:
    void find_gradient(std::span<const Vec3> x, std::vector<Vec3>& g) const;

    std::vector<Triangle> triangles_;
    double rest_, stiffness_, damping_;
    std::vector<Vec3> gradient_;
};

}  // namespace plush
