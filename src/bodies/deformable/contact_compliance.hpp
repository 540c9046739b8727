#pragma once

#include "bodies/deformable/rest_compliance.hpp"
#include "core/assert.hpp"

// The contact compliance of a deformable body: its response to impulses along rows. A row is a velocity that its vertices make,
//
//     w_i = Σ_k g_ik · v_k,
//
// an impulse λ_i along it is g_ik λ_i on the vertices, and with the matrix A of the body's step
//
//     Δv = A⁻¹ Gᵀ λ,      W = G A⁻¹ Gᵀ.
//
// Implicit bodies: by the factor of A (half_solves.hpp), exact to rounding. A term that couples the whole
// body, A = B + c u uᵀ as pressure has it, is put back by
//
//     A⁻¹ = B⁻¹ − B⁻¹ u uᵀ B⁻¹ / (1/c + uᵀ B⁻¹ u)      (Sherman & Morrison 1950),
//
// with u as one more column. Where A cannot be factorised each row is solved for by conjugate gradients.
// Explicit bodies respond by their masses; those that keep a shape as their clusters do (shape_matcher.hpp).
//
// Large elastic bodies may give an approximate W (rest_compliance.hpp) and the true Δv of given impulses, by
// conjugate gradients on A. Whoever solves with such a W looks at the true y = G Δv afterwards, and solves
// again for what is missing, with a W that has learned of it: with the last changes s of λ and y of G Δv
//
//     W ← W − W s sᵀ W / (sᵀ W s) + y yᵀ / (sᵀ y),
//
// the update of Broyden, Fletcher, Goldfarb and Shanno (1970): then W s = y, and W is as definite as before.

namespace plush {

/// As what a body responds.
enum class ComplianceAs {
    itself,
    masses,  ///< as if its vertices were free
    rigid,   ///< as a whole: no strain comes of it
};

class ContactCompliance {
public:
    void clear() { half_.clear(), vertices_.clear(), first_.assign(1, 0); }
    /// One more row: its vertices, each once, then its end.
    void add(std::uint32_t vertex, const Vec3& g) { vertices_.push_back({vertex, g}); }
    void end_row() { first_.push_back(static_cast<std::uint32_t>(vertices_.size())); }
    std::size_t rows() const { return first_.size() - 1; }

    void measure(DeformableBody& body, ComplianceAs as);
    /// Measures W by the body's rest shape; false where it has no such compliance.
    [[nodiscard]] bool measure_approximately(DeformableBody& body, std::span<const Vec3> rest);
    /// The first rows, components of single vertices, respond each alone by its mass, the others exactly among themselves. For
    /// vertices alone W̃ = G M⁻¹ Gᵀ ≥ W. Approximate.
    void measure_by_nodes(DeformableBody& body, std::size_t alone);
    double inverse_mass(std::size_t i) const;  ///< of a row that responds alone
    bool approximate() const { return way_ == Way::approximate || way_ == Way::nodes; }
    /// Of an approximate compliance: what Δv may be, before it is solved for.
    void expect(std::span<const Vec3> change) { moved_.assign(change.begin(), change.end()); }
    /// Δv of these impulses, to the tolerance, and from the last one on. It is what change() then gives. W
    /// learns from it, so that it is right for the difference from the impulses of before.
    void move(std::span<const double> impulses, double tolerance);
    /// G Δv of it.
    double velocity(std::size_t i) const;
    /// W λ, row i.
    double compliance_times(std::size_t i, std::span<const double> impulses) const;
    /// The body is made of other things now.
    void forget_rest() { rest_.forget(); }
    /// W, rows × rows; without those that respond alone.
    std::span<const double> compliance() const { return compliance_; }
    /// Δv of all vertices.
    void change(std::span<const double> impulses, std::span<Vec3> out) const;

    std::span<const HalfSolves::Entry> row(std::size_t i) const {
        PLUSH_ASSERT(i < rows());
        return std::span(vertices_).subspan(first_[i], first_[i + 1] - first_[i]);
    }

private:
    void learn(std::span<const double> impulses);
    bool measure_by_factor(DeformableBody& body);
    template <class Response>
    void measure_column_by_column(const DeformableBody& body, const Response& response);
    void measure_by_mass(const DeformableBody& body);
    void measure_as_whole(const DeformableBody& body);

    std::vector<HalfSolves::Entry> vertices_;
    std::vector<std::uint32_t> first_{0};
    std::vector<double> compliance_;
    enum class Way { factor, columns, masses, whole, approximate, nodes } way_ = Way::masses;
    std::size_t alone_ = 0;  ///< rows that respond alone
    HalfSolves half_;
    bool coupled_ = false;          ///< the last column is u
    double inverse_stiffness_ = 0;  ///< 1/c + uᵀ B⁻¹ u
    std::vector<double> coupling_;  ///< uᵀ B⁻¹ gᵀ of the rows
    std::vector<Vec3> columns_;     ///< A⁻¹ Gᵀ, one row's after the other
    std::span<const double> inverse_masses_{};
    std::vector<Twist> wrenches_, responses_;  ///< of the rows, on the whole body, and what it does then
    Vec3 centre_{};
    std::span<const Vec3> positions_{};
    RestCompliance rest_;
    DeformableBody* body_ = nullptr;                       ///< of an approximate compliance
    std::vector<Vec3> impulse_, moved_;                    ///< of its vertices, and Δv
    std::vector<double> last_impulses_, last_velocities_;  ///< of the rows
};

}  // namespace plush
