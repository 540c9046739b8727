#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bodies/elements/force_field.hpp"

namespace plush {

/// What the integrators see of a deformable body, of several that are joined, or of a small equation in a
/// test: points with masses and the forces on them, m v̇ = f(x, v, t), ẋ = v.
///
/// A first-order equation ẏ = F(y, t) is one with unit masses whose *velocity* is y and whose force is F(v,
/// t).
class MotionSystem {
public:
    virtual ~MotionSystem() = default;

    virtual std::span<const double> masses() const = 0;  ///< kg, above 0
    /// Empty, or a byte a point: pinned points keep the velocity with which they enter a step.
    virtual std::span<const std::uint8_t> pinned() const { return {}; }

    /// f = all forces, N.
    virtual void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) = 0;

    // -- for stability limits
    /// Adds bounds of the rows of |∂f/∂x| and |∂f/∂v|.
    virtual void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const = 0;
    /// Every motion is damped at least at this rate, 1/s: c in m v̇ = … − c m v.
    virtual double least_damping() const { return 0; }

    /// ForceField::limit_friction() of all fields.
    virtual void limit_friction(double /*part*/) {}

    // -- for implicit methods
    /// A matrix with the pattern of all derivatives; its values are the integrator's to fill.
    virtual BlockMatrix& matrix() = 0;
    /// Whether derivatives write every block where the matrix is `empty`: then nobody has to clear it.
    virtual bool covers_matrix() const { return false; }
    /// A matrix in halves that can take k K + b B instead of the other one; null where there is none.
    virtual HalfMatrix* half_matrix(double /*k*/, double /*b*/) { return nullptr; }
    virtual void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                                 Linearisation& out) = 0;

    /// Both at once. Systems of force fields ask each for both, which saves work, and which some fields
    /// respond otherwise than forces alone (contact/fields/surface_field.hpp).
    virtual void linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                           Linearisation& out) {
        add_derivatives(x, v, t, out);
        forces(x, v, t, f);
    }

    /// Of implicit steps: see ForceField::agrees_at.
    virtual bool agrees_at(const ExpectedEnd&) { return true; }

    /// The energy at x of all forces that have one, J: what a line search looks at.
    virtual double potential(std::span<const Vec3> /*x*/) const { return 0; }

    /// Sets positions right after a step of the Verlet methods, of h to the time t; true where it changed
    /// any. `before` is where the step began, the methods' memory: what is shifted in both gets no velocity.
    virtual bool constrain(std::span<Vec3> /*x*/, std::span<Vec3> /*before*/, double /*t*/, double /*h*/) {
        return false;
    }

    virtual const Parallel& parallel() const = 0;
};

/// Where a system is. Everything that the next step reads.
struct MotionState {
    std::vector<Vec3> x, v;  ///< m, m/s
    double t = 0;            ///< s
    /// The memory of Verlet's methods and of BDF2: one step before, and how long that step was; empty at a
    /// start. Velocities are BDF2's alone.
    std::vector<Vec3> x_before{}, v_before{};
    double h_before = 0;
    /// The change of velocity of the last implicit step: the next one's first guess.
    std::vector<Vec3> last_change{};

    /// After positions or velocities were set by hand: the next step starts afresh.
    void forget() {
        x_before.clear();
        v_before.clear();
        last_change.clear();
    }
};

inline void visit_state(StateVisitor& v, MotionState& s) {
    v(s.x, s.v, s.t, s.x_before, s.v_before, s.h_before, s.last_change);
}

}  // namespace plush
