#pragma once

#include "bodies/deformable_body.hpp"
#include "math/half_solves.hpp"

// How a deformable body answers impulses along rows. A row is a velocity that its vertices make,
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
// Explicit bodies answer by their masses; those that keep a shape as their clusters do (shape_matcher.hpp).

namespace plush {

/// As what a body answers.
enum class AnswerAs {
    itself,
    masses,  ///< as if its vertices were free
    rigid,   ///< as a whole: no strain comes of it
};

class BodyAnswer {
public:
    void clear() { half_.clear(), vertices_.clear(), first_.assign(1, 0); }
    /// One more row: its vertices, each once, then its end.
    void add(std::uint32_t vertex, const Vec3& g) { vertices_.push_back({vertex, g}); }
    void end_row() { first_.push_back(static_cast<std::uint32_t>(vertices_.size())); }
    std::size_t rows() const { return first_.size() - 1; }

    void measure(DeformableBody& body, AnswerAs as);
    /// W, rows × rows.
    std::span<const double> compliance() const { return compliance_; }
    /// Δv of all vertices.
    void change(std::span<const double> impulses, std::span<Vec3> out) const;

    std::span<const HalfSolves::Entry> row(std::size_t i) const {
        return std::span(vertices_).subspan(first_[i], first_[i + 1] - first_[i]);
    }

private:
    bool measure_by_factor(DeformableBody& body);
    template <class Answer>
    void measure_column_by_column(const DeformableBody& body, const Answer& answer);
    void measure_by_mass(const DeformableBody& body);
    void measure_as_whole(const DeformableBody& body);

    std::vector<HalfSolves::Entry> vertices_;
    std::vector<std::uint32_t> first_{0};
    std::vector<double> compliance_;
    enum class Way { factor, columns, masses, whole } way_ = Way::masses;
    HalfSolves half_;
    bool coupled_ = false;          ///< the last column is u
    double inverse_stiffness_ = 0;  ///< 1/c + uᵀ B⁻¹ u
    std::vector<double> coupling_;  ///< uᵀ B⁻¹ gᵀ of the rows
    std::vector<Vec3> columns_;     ///< A⁻¹ Gᵀ, one row's after the other
    std::span<const double> inverse_masses_{};
    std::vector<Twist> wrenches_, answers_;  ///< of the rows, on the whole body, and what it does then
    Vec3 centre_{};
    std::span<const Vec3> positions_{};
};

}  // namespace plush
