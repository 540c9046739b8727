#pragma once

#include <array>
#include <vector>

#include "bodies/elements/force_field.hpp"
#include "bodies/elements/incidence.hpp"

// Springs on a measure c of N vertices (an angle, a volume) instead of a length. With g_a = ∂c/∂x_a and c
// counted from its rest value:
//
//     E = ½ k c²,     f_a = −(k c + k_d ċ) g_a,     ċ = Σ g_a·v_a
//     K_ab = −k g_a g_bᵀ   (leaves out k c ∂²c/∂x²: exact at rest),     B_ab = −k_d g_a g_bᵀ
//
// This is the Gauss–Newton derivative: always semidefinite. The force is an exact gradient of an energy that
// rigid motion does not change, so momentum and angular momentum are kept. A measure that is not defined (a
// triangle without area) gives no force.

namespace plush {

template <std::size_t N>
struct Measure {
    double value = 0;  ///< c, from its rest value
    std::array<Vec3, N> gradient{};
};

template <std::size_t N>
class MeasureSprings : public ForceField {
public:
    std::size_t size() const { return stiffness_.size(); }

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern& pattern) const override;
    void bind(const BlockMatrix& matrix) override;
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;

    /// Of one element, for its vertices at p.
    virtual Measure<N> measure(std::size_t element, const std::array<Vec3, N>& p) const = 0;
    std::span<const std::uint32_t, N> vertices(std::size_t element) const {
        return std::span<const std::uint32_t, N>(vertices_.data() + N * element, N);
    }

protected:
    void append(const std::array<std::uint32_t, N>& vertices, double stiffness, double damping);
    std::array<Vec3, N> points(std::size_t element, std::span<const Vec3> x) const;

private:
    std::vector<std::uint32_t> vertices_;  ///< N of each
    std::vector<double> stiffness_, damping_;
    std::vector<std::uint32_t> slots_;  ///< N × N of each, made by bind()
    Incidence incidence_;
    std::vector<Vec3> scratch_;
    std::vector<Measure<N>> measures_;
};

extern template class MeasureSprings<4>;

}  // namespace plush
