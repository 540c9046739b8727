#pragma once

#include <functional>

#include "bodies/integrators/integrator.hpp"

namespace plush::test {

/// A system of unit masses whose force is any function, one call a point. For explicit methods, and for
/// implicit Euler where the derivatives are the same multiples of the identity everywhere.
class SmallSystem final : public MotionSystem {
public:
    using Force = std::function<Vec3(const Vec3& x, const Vec3& v, double t)>;
    SmallSystem(Force force, double stiffness, double damping, double least_damping)
        : force_(std::move(force)), k_(stiffness), d_(damping), least_(least_damping) {}

    std::span<const double> masses() const override { return masses_; }
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) override {
        for (std::size_t i = 0; i < x.size(); ++i) f[i] = force_(x[i], v[i], t);
    }
    void add_stiffness(std::span<const Vec3>, StiffnessBounds bounds) const override {
        for (double& k : bounds.k) k += k_;
        for (double& d : bounds.d) d += d_;
    }
    double least_damping() const override { return least_; }
    BlockMatrix& matrix() override { return matrix_; }
    void add_derivatives(std::span<const Vec3>, std::span<const Vec3> v, double,
                         Linearisation& out) override {
        for (std::size_t i = 0; i < v.size(); ++i) {
            out.external[i] += Mat3::identity() * -(out.k * k_ + out.b * d_);
            out.product[i] -= k_ * v[i];
        }
    }
    const Parallel& parallel() const override { return parallel_; }

private:
    Force force_;
    double k_, d_, least_;
    std::vector<double> masses_{1.0};
    BlockMatrix matrix_{BlockPattern(1)};
    Parallel parallel_{1};
};

/// ẍ = −ω² x − c ẋ.
inline SmallSystem oscillator(double w, double c) {
    return SmallSystem([=](const Vec3& x, const Vec3& v, double) { return -(w * w) * x - c * v; }, w * w, c,
                       c);
}

/// ẏ = −k y, with y the velocity.
inline SmallSystem decay(double k) {
    return SmallSystem([=](const Vec3&, const Vec3& v, double) { return -k * v; }, 0, k, k);
}

inline MotionState start(const Vec3& x, const Vec3& v) {
    MotionState s;
    s.x = {x}, s.v = {v};
    return s;
}

/// All that move; quasi-static steps have no time.
inline constexpr IntegrationMethod all_methods[] = {
    IntegrationMethod::explicit_euler, IntegrationMethod::semi_implicit_euler,
    IntegrationMethod::midpoint,       IntegrationMethod::runge_kutta_4,
    IntegrationMethod::verlet,         IntegrationMethod::time_corrected_verlet,
    IntegrationMethod::implicit_euler, IntegrationMethod::bdf2};

inline std::string_view word(IntegrationMethod method) {
    return integration_method_choices()[static_cast<std::size_t>(method)].word;
}

}  // namespace plush::test
