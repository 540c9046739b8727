#pragma once

#include <span>

#include "math/block_matrix.hpp"
#include "math/conjugate_gradients.hpp"

// A force field acts on the vertices of a body, or of several bodies that are advanced together. One object
// holds all elements of a kind (all springs, all tets), in arrays.
//
// Explicit rules ask for forces alone. Implicit Euler asks for the derivatives K = ∂f/∂x and B = ∂f/∂v too,
// of which it makes M − h B − h² K. That must be positive definite, so a field gives −K and −B positive
// semidefinite and says which part of the true derivative it leaves out for that.

namespace plush {

/// Where an implicit step is expected to end, x' = x̂ + h v'. What begins within the step, as contact does, is felt
/// there and not where the step starts.
struct ExpectedEnd {
    std::span<const Vec3> x, v;  ///< m, m/s
    double h = 0, t = 0;         ///< s; the time is that of the end
    int iteration = 0;           ///< how often another end was expected before
};

/// Where a field adds its derivatives, times two factors, each in its own place:
struct Linearisation {
    double k = 0, b = 0;       ///< the factors of K and of B; not positive
    BlockMatrix& matrix;       ///< of forces between vertices: its rows sum to zero
    std::span<Mat3> external;  ///< of forces from outside, each on its own vertex alone (drag, obstacles)
    std::vector<RankOneTerm>& dense;        ///< k K of forces that couple a whole body
    std::vector<const EdgeMatrix*>& edges;  ///< k K + b B of springs: of a field that owns them
    std::span<Vec3> product;                ///< K v, without a factor; of no use where `full`
    /// For Newton iterations that shall converge: with all that leaves −K semidefinite, whatever it costs.
    bool full = false;
    /// No field has added to the matrix yet: the first one may write instead.
    bool empty = false;
    /// Where it is given it takes the place of `matrix`, which is not there: fields that would add to that
    /// are not asked then.
    HalfMatrix* half = nullptr;
    /// Of the first linearisation of an implicit step; null elsewhere.
    const ExpectedEnd* end = nullptr;
};

/// Largest row sums of |−K| and |−B| by Gershgorin's theorem: of each vertex, N/m and kg/s.
struct StiffnessBounds {
    std::span<double> k, d;
};

/// What a field stands for, in the ledger of energy.
enum class ForceKind { material, contact, outside };

class ForceField {
public:
    virtual ~ForceField() = default;

    virtual ForceKind force_kind() const { return ForceKind::material; }
    /// Of a field from outside: the forces of its last evaluation, N; empty where there was none.
    virtual std::span<const Vec3> last_forces() const { return {}; }

    /// The time, s, at which it will be asked next: of the body's own clock.
    virtual void set_time(double) {}
    /// f += forces, N. Positions x in m, velocities v in m/s.
    virtual void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                            const Parallel& parallel) = 0;
    /// J.
    virtual double energy(std::span<const Vec3> x) const = 0;

    /// The pairs of vertices that `add_derivatives` couples through the matrix.
    virtual void add_pattern(BlockPattern& pattern) const = 0;
    /// Looks up the slots of its blocks; called once for a pattern.
    virtual void bind(const BlockMatrix& matrix) = 0;
    virtual void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                 const Parallel& parallel) = 0;
    /// Both at once, for what works most of it out twice.
    virtual void add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                            std::span<Vec3> f, Linearisation& out, const Parallel& parallel) {
        add_derivatives(x, v, out, parallel);
        add_forces(x, v, f, parallel);
    }
    /// Whether it writes every block of a matrix that is `empty`, so that nobody has to clear it before.
    virtual bool covers_matrix() const { return false; }
    /// A matrix in halves with all blocks that it couples, for Linearisation::half where that is not `full`;
    /// empty where it has none, or none with so many blocks when both halves are counted. Called once for a
    /// number of vertices.
    virtual HalfMatrix half_pattern(std::size_t /*vertices*/, std::size_t /*least_blocks*/) { return {}; }
    /// Whether floats can hold k K + b B.
    virtual bool fits_half(double /*k*/, double /*b*/) const { return false; }
    virtual void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const = 0;

    /// Of explicit methods: friction takes from a slide, in a substep of `part` s, no more than the fraction
    /// tuning::substep_friction, and bounds of stiffness leave it out. 0: as its law is.
    virtual void limit_friction(double /*part*/, std::span<const double> /*masses*/) {}

    /// Whether one linear step may go astray however stiff the matrix: then steps look where they lead.
    virtual bool needs_line_search() const { return false; }

    /// Whether the derivatives at given positions are always the same, whatever has happened to the body.
    virtual bool lasting_derivatives() const { return false; }

    /// Whether what it gave for an expected end holds at the end that came of it; if not, the step is solved again
    /// with this one expected.
    virtual bool agrees_at(const ExpectedEnd&, const Parallel&) { return true; }

    /// After a step of h that ended at x, whatever methods and substeps took it there.
    virtual void end_step(std::span<const Vec3> /*x*/, double /*h*/) {}

    /// What changes while it acts (plastic flow, broken elements); most have nothing.
    virtual void visit_state(StateVisitor&) {}
};

}  // namespace plush
