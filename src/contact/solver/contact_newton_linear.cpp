#include <algorithm>

#include "contact/solver/contact_newton.hpp"
#include "core/assert.hpp"

// The linear equations of a step of Newton's method.

namespace plush {

/// `right` becomes the solution of Σ_j (row_k · W_kj column_j) y_j + diagonal_k y_k = right_k.
bool ContactNewton::solve_unknowns(const std::vector<Unknown>& unknowns, std::vector<double>& right,
                                   bool symmetric) {
    const std::size_t n = rows();
    ++factorisations_;
    if (!entries_.empty() && unknowns.size() > 6 * bodies_) return solve_by_bodies(unknowns, right);
    system_.resize(unknowns.size());
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
        const Unknown& of = unknowns[k];
        const double* const w = &matrix_[3 * of.block * n];
        for (std::size_t j = 0; j < (symmetric ? k + 1 : unknowns.size()); ++j) {
            const Vec3& c = unknowns[j].column;
            double sum = 0;
            for (std::size_t r = 0; r < 3; ++r) {
                if (of.row[r] == 0) continue;
                const double* const e = w + r * n + 3 * unknowns[j].block;
                sum += of.row[r] * (e[0] * c.x + e[1] * c.y + e[2] * c.z);
            }
            system_(k, j) = sum;
        }
        system_(k, k) += of.diagonal;
    }
    return symmetric ? system_.solve_positive(right) : system_.solve(right);
}

void ContactNewton::set_entries(std::vector<NewtonEntry> entries) {
    entries_ = std::move(entries);
    first_entry_.assign(blocks_.size() + 1, 0);
    bodies_ = 0;
    for (NewtonEntry& e : entries_) {
        PLUSH_ASSERT(e.block < blocks_.size());
        ++first_entry_[e.block + 1];
        bodies_ = std::max(bodies_, std::size_t{e.body} + 1);
        for (std::size_t k = 0; k < 3; ++k)
            e.linear[k] /= root_[e.block][k], e.angular[k] /= root_[e.block][k];
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) first_entry_[i + 1] += first_entry_[i];
}

/// The same where there are more unknowns than velocities of bodies. With P = row·J, Q = A⁻¹ Jᵀ·column and the diagonal E,
/// (E + P Qᵀ) y = b has y = E⁻¹(b − P z), (1 + Qᵀ E⁻¹ P) z = Qᵀ E⁻¹ b (Woodbury): z is what the bodies' velocities change by.
bool ContactNewton::solve_by_bodies(const std::vector<Unknown>& unknowns, std::vector<double>& right) {
    using Six = std::array<double, 6>;
    struct Part {
        std::size_t first;
        Six p, q;
    };
    std::vector<Part> parts;
    std::vector<std::size_t> end;
    std::vector<double> diagonal, z(6 * bodies_);
    system_.resize(6 * bodies_);
    for (std::size_t k = 0; k < 6 * bodies_; ++k) system_(k, k) = 1;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
        const Unknown& u = unknowns[k];
        double e = u.diagonal;
        for (std::size_t r = 0; r < blocks_[u.block].rows; ++r)
            e += u.row[r] * blocks_[u.block].softness[r] / (root_[u.block][r] * root_[u.block][r]) *
                 u.column[r];
        diagonal.push_back(e);
        const std::size_t begin = parts.size();
        for (std::size_t i = first_entry_[u.block]; i < first_entry_[u.block + 1]; ++i) {
            const NewtonEntry& entry = entries_[i];
            Vec3 linear{}, angular{}, force{}, moment{};
            for (std::size_t r = 0; r < 3; ++r) {
                linear += u.row[r] * entry.linear[r], angular += u.row[r] * entry.angular[r];
                force += u.column[r] * entry.linear[r], moment += u.column[r] * entry.angular[r];
            }
            force *= entry.inverse_mass, moment = entry.inverse_inertia * moment;
            parts.push_back({6 * std::size_t{entry.body},
                             {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z},
                             {force.x, force.y, force.z, moment.x, moment.y, moment.z}});
        }
        end.push_back(parts.size());
        for (std::size_t i = begin; i < parts.size(); ++i)
            for (std::size_t r = 0; r < 6; ++r) {
                z[parts[i].first + r] += parts[i].q[r] / e * right[k];
                for (std::size_t j = begin; j < parts.size(); ++j)
                    for (std::size_t c = 0; c < 6; ++c)
                        system_(parts[i].first + r, parts[j].first + c) += parts[i].q[r] / e * parts[j].p[c];
            }
    }
    if (!system_.solve(z)) return false;
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
        double moved = 0;
        for (std::size_t i = k == 0 ? 0 : end[k - 1]; i < end[k]; ++i)
            for (std::size_t r = 0; r < 6; ++r) moved += parts[i].p[r] * z[parts[i].first + r];
        right[k] = (right[k] - moved) / diagonal[k];
    }
    return true;
}

}  // namespace plush
