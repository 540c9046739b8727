#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "math/dense_system.hpp"
#include "plush/math/vec.hpp"

// The rows of an island as one dense problem, w = W λ + q with a law a block, and Newton's method for it: for islands
// that sweeps solve slowly, since many contacts share one body (W of a soft body is full) or heavy bodies rest on light
// ones.

namespace plush {

/// A block of up to three rows; the others have λ = 0.
struct NewtonBlock {
    enum class Law : std::uint8_t {
        free,     ///< w = 0
        bounded,  ///< one row, low ≤ λ ≤ high
        contact,  ///< Signorini along row 0, Coulomb's cone along rows 1 and 2
        limited,  ///< |λ| ≤ high
    };
    Law law = Law::contact;
    std::uint8_t rows = 3;
    double friction = 0;
    double low = 0, high = 0;
    Vec3 compliance{};  ///< d of the natural map: D_nn, and one number for both tangents
    Vec3 bias{};        ///< q
    Vec3 softness{};    ///< γ: part of W
};

/// The rows of a block on a rigid body, J, and how the body responds to impulses, A⁻¹.
struct NewtonEntry {
    std::uint32_t block = 0;
    std::uint32_t body = 0;  ///< 0, 1, … within the problem
    std::array<Vec3, 3> linear{}, angular{};
    double inverse_mass = 0;
    Mat3 inverse_inertia{};
};

class ContactNewton {
public:
    struct Limits {
        double tolerance = 0;  ///< of the natural-map residual
        int factorisations = 0;
    };
    struct End {
        double residual = 0;
        int factorisations = 0;
    };

    /// `compliance` is W by rows, three for each block, symmetric.
    ContactNewton(std::vector<NewtonBlock> blocks, std::vector<double> compliance);
    /// Where all bodies are rigid: W = J A⁻¹ Jᵀ and a block's softness on the diagonal. By rising blocks.
    void set_entries(std::vector<NewtonEntry> entries);

    /// From these impulses to the best that are found. They obey the bounds.
    End solve(std::span<Vec3> impulses, const Limits& limits);

private:
    using Vector = std::vector<double>;
    /// An unknown of a linear system: the impulse of block i along `column`; its equation is along `row`.
    struct Unknown {
        std::uint32_t block;
        Vec3 column, row;
        double diagonal, right;
    };
    /// A point of the proximal problem: p, w = W p + q and what the laws make of it.
    struct Point {
        Vector p, w, impulse;
        std::vector<Unknown> unknowns;
    };

    std::size_t rows() const { return 3 * blocks_.size(); }
    Vec3 at(const Vector& x, std::size_t block) const {
        return {x[3 * block], x[3 * block + 1], x[3 * block + 2]};
    }
    Vector velocities(const Vector& x) const;
    void multiply(const Vector& x, Vector& y) const;
    double residual(const Vector& x, const Vector& w) const;
    void sweep(Vector& x, Vector& w) const;
    bool solve_unknowns(const std::vector<Unknown>& unknowns, std::vector<double>& right, bool symmetric);

    bool solve_by_bodies(const std::vector<Unknown>& unknowns, std::vector<double>& right);

    // Active sets
    bool active_set_step(Vector& x, const Vector& w);
    void add_unknowns(std::size_t block, const Vec3& x, const Vec3& w, std::vector<Unknown>& unknowns,
                      Vec3& fixed) const;
    void try_active_sets(int most, Vector& x, double& left);

    // The proximal problem
    Vec3 project(std::size_t block, const Vec3& z, double epsilon, std::vector<Unknown>* unknowns) const;
    void apply_laws(const Vector& centre, const Vector& shift, double epsilon, Point& point,
                    bool derivatives) const;
    Vector dilation(const Vector& w) const;
    bool direction(const Point& point, bool coulomb, Vector& dp);
    void minimise(const Vector& centre, const Vector& shift, double epsilon, Point& point);
    double line_search(const Vector& centre, const Vector& shift, double epsilon, const Point& point,
                       const Vector& dp, const Vector& dw) const;
    bool solve_coulomb(const Vector& centre, double epsilon, Point& point);
    double merit(const Vector& centre, double epsilon, Point& point) const;
    bool solve_proximal(const Vector& centre, double epsilon, Point& point);

    bool spent() const { return factorisations_ >= limits_.factorisations; }

    std::vector<NewtonBlock> blocks_;
    Vector matrix_;             ///< D^-½ W D^-½
    std::vector<Vec3> root_;    ///< √d: λ times it is what is solved for
    std::vector<double> cone_;  ///< μ in the scaled rows; 0 where there is no friction
    Vector bias_;
    Limits limits_{};
    int factorisations_ = 0;
    double scale_ = 0;  ///< the largest scaled impulse so far
    DenseSystem system_;
    std::vector<NewtonEntry> entries_;
    std::vector<std::size_t> first_entry_;
    std::size_t bodies_ = 0;
};

}  // namespace plush
