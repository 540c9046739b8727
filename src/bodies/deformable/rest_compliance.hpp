#pragma once

#include "bodies/deformable/deformable_body.hpp"
#include "math/half_solves.hpp"

// An approximate compliance of an elastic body along rows, for which nothing is factorised while it
// moves: that of its rest shape, turned with each vertex,
//
//     W̃ = G R C Rᵀ Gᵀ,      C = A(X)⁻¹,      R_v nearest to Σ_j (x_j − x_v)(X_j − X_v)ᵀ, j the neighbours of v
//
// (stiffness warping, Müller, Dorsey, McMillan, Jagnow & Cutler 2002, applied to the inverse). A(X) is
// factorised once, and a column of C is solved for when its vertex is touched for the first time. C is
// symmetric, and a block of it is always read from the column of its lower vertex: what is known already, and
// in which order it became known, never shows. All of this follows from how the body was made, from the step
// and from what is pinned; so it is no state.
//
// W̃ is symmetric and positive semidefinite. It is right for a body that has only been turned, stretches and
// whatever acts on it besides its elements make the difference. It does not keep momentum: what is applied
// in the end is the true response (contact_compliance.hpp).

namespace plush {

class RestCompliance {
public:
    /// Makes it that of the body's last step. False where it has none.
    [[nodiscard]] bool fit(DeformableBody& body, std::span<const Vec3> rest);
    /// Whether what it takes for these vertices, and for as many more, may be kept.
    static bool few_enough(const DeformableBody& body, std::span<const HalfSolves::Entry> touched);
    /// W̃ of rows, each a list of vertices.
    void measure(const DeformableBody& body, std::span<const HalfSolves::Entry> entries,
                 std::span<const std::uint32_t> first, std::vector<double>& out);
    /// The body is another.
    void forget() { rows_ = 0; }

private:
    void keep(std::span<const std::uint32_t> rows);
    void know(std::span<const std::uint32_t> vertices, const Parallel& parallel);
    void gather(const std::vector<std::uint32_t>& vertices, const Parallel& parallel);
    Mat3 turn(const DeformableBody& body, std::uint32_t vertex) const;

    std::size_t rows_ = 0;  ///< 0: nothing is known
    Integrator::Factors factors_{};
    std::vector<std::uint8_t> pinned_;
    std::vector<Vec3> rest_;
    BlockCholesky factor_;
    /// Of these rows columns are kept: those of the surface, until another one is touched; then all.
    std::vector<std::uint32_t> kept_, kept_place_;
    std::vector<std::vector<Vec3>> columns_;  ///< of a vertex: three of C, one after the other; or empty
    std::size_t known_ = 0;                   ///< columns that are not empty
    // C of those vertices that are touched now, dense, and a few more.
    std::vector<std::uint32_t> gathered_;  ///< rising
    std::vector<std::uint32_t> place_;     ///< of a vertex among them
    std::vector<double> c_;
};

}  // namespace plush
