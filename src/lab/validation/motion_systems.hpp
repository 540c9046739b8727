#pragma once

#include "bodies/elements/springs.hpp"
#include "bodies/integrators/integrator.hpp"

// Equations of motion that are small enough to be known by formula, for the integrators to be measured on.

namespace plush::lab {

/// A few points and springs, m v̇ = f.
class SpringSystem final : public MotionSystem {
public:
    SpringSystem(std::vector<double> masses, std::span<const Spring> springs);

    void pin(std::size_t point) { pinned_[point] = 1, any_pinned_ = true; }
    void set_gravity(const Vec3& gravity) { gravity_ = gravity; }  ///< m/s²
    void set_damping(double rate) { damping_ = rate; }             ///< in proportion to mass, 1/s

    /// Kinetic and elastic, J.
    double energy(const MotionState& state) const;

    std::span<const double> masses() const override { return masses_; }
    std::span<const std::uint8_t> pinned() const override;
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    double least_damping() const override { return damping_; }
    BlockMatrix& matrix() override { return matrix_; }
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                         Linearisation& out) override;
    const Parallel& parallel() const override { return parallel_; }

private:
    std::vector<double> masses_;
    std::vector<std::uint8_t> pinned_;
    bool any_pinned_ = false;
    Springs springs_;
    Vec3 gravity_{};
    double damping_ = 0;
    BlockMatrix matrix_;
    Parallel parallel_{1};
};

/// ẏ = −k y for one number y, which is the velocity of a point of 1 kg along x. The exact solution is
/// y₀ e^(−k t). Its position is the integral of y, and of no use.
class Decay final : public MotionSystem {
public:
    explicit Decay(double k) : k_(k), matrix_(BlockPattern(1)) {}

    std::span<const double> masses() const override { return masses_; }
    void forces(std::span<const Vec3>, std::span<const Vec3> v, double, std::span<Vec3> f) override {
        f[0] = -k_ * v[0];
    }
    void add_stiffness(std::span<const Vec3>, StiffnessBounds bounds) const override { bounds.d[0] += k_; }
    double least_damping() const override { return k_; }
    BlockMatrix& matrix() override { return matrix_; }
    void add_derivatives(std::span<const Vec3>, std::span<const Vec3>, double, Linearisation& out) override {
        const double d = -out.b * k_;  // B = −k
        out.external[0] += Mat3::diagonal({d, d, d});
    }
    const Parallel& parallel() const override { return parallel_; }

private:
    double k_;
    std::vector<double> masses_{1.0};
    BlockMatrix matrix_;
    Parallel parallel_{1};
};

/// One piece a step, whatever comes of it, and linear systems solved to rounding.
IntegrationSettings exactly(IntegrationMethod method);

/// Two points of 2 kg on a spring of 1 N/m and rest length 1 m: ω = 1/s. Begins stretched by a fifth, at
/// rest. So linear that formulas hold to rounding, until it is compressed to nothing.
struct FreeSpring {
    FreeSpring();
    void step(IntegrationMethod method, double h);
    double energy() const { return system.energy(state); }

    SpringSystem system;
    MotionState state;
    Integrator integrator;
};

/// A point of 1 kg on a spring of 1 N/m and no rest length whose other end is held at the origin: ω = 1/s,
/// linear at any amplitude. Point 1 moves along x, from (1, 0) at rest.
struct HeldSpring {
    HeldSpring();
    void step(IntegrationMethod method, double h);
    double x() const { return state.x[1].x; }
    double v() const { return state.v[1].x; }
    double energy() const { return system.energy(state); }

    SpringSystem system;
    MotionState state;
    Integrator integrator;
};

}  // namespace plush::lab
