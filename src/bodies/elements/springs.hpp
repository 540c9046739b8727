#pragma once

#include <vector>

#include "bodies/elements/force_field.hpp"
#include "plush/bodies/deformable.hpp"

// Springs with dampers (mass-spring lecture of Zachmann, Bremen; docs/methods.md). With d = x_j − x_i and the
// unit vector d̂:
//
//     f_i = k (|d| − l₀) d̂ + k_d ((v_j − v_i)·d̂) d̂,     f_j = −f_i,     E = ½ k (|d| − l₀)²
//     K_ii = −k (τ (1 − d̂d̂ᵀ) + d̂d̂ᵀ),  τ = 1 − l₀/|d|,   K_ij = −K_ii;   B_ii = −k_d d̂d̂ᵀ,  B_ij = −B_ii
//
// A compressed spring has τ < 0: it gives way sideways, and −K is indefinite. Derivatives take max(τ, 0)
// instead, which is the nearest semidefinite matrix and is exact in tension. How a damper turns with d is
// left out of K. A spring of no length has no direction: it pulls and damps with no force, unless l₀ = 0,
// when K_ii = −k 1 holds at d = 0 too.

namespace plush {

struct Spring {
    std::uint32_t i = 0, j = 0;
    double rest_length = 0;  ///< l₀, m; above 0 for the relative law
    double stiffness = 0;    ///< k, N/m or N
    double damping = 0;      ///< k_d, kg/s
};

class Springs final : public ForceField {
public:
    explicit Springs(SpringLaw law = SpringLaw::absolute) : law_(law) {}
    void add(const Spring& spring);
    std::size_t size() const { return rest_.size(); }
    /// As it was added, but with the stiffness in N/m.
    Spring spring(std::size_t s) const {
        return {ends_[2 * s], ends_[2 * s + 1], rest_[s], stiffness_[s], damping_[s]};
    }
    SpringLaw law() const { return law_; }

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern&) const override {}  // edges, not blocks
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    void add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                    Linearisation& out, const Parallel& parallel) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;

private:
    /// Forces too, where `f` is not empty.
    void add_edges(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                   const Parallel& parallel);
    void group(std::size_t vertices);

    SpringLaw law_;
    std::vector<std::uint32_t> ends_;  ///< i, j of each
    std::vector<double> rest_, stiffness_, damping_;

    EdgeMatrix edges_;
    /// Of the four springs of a group of edges, in its order; of none where a lane has no spring.
    struct Four {
        EdgeMatrix::Lanes rest, stiffness, damping;
    };
    std::vector<Four> fours_;
};

}  // namespace plush
