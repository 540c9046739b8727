#pragma once

#include "bodies/integrators/integrator.hpp"
#include "contact/fields/surface_field.hpp"

namespace plush {

/// Points under gravity before surfaces, with whatever other field pulls on them.
class PointsOnSurfaces final : public MotionSystem {
public:
    PointsOnSurfaces(std::size_t count, double mass, const SurfaceSettings& settings, int threads = 1)
        : surface(settings), masses_(count, mass), parallel_(threads) {}

    std::span<const double> masses() const override { return masses_; }
    std::span<const std::uint8_t> pinned() const override { return pins; }
    void forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) override {
        for (std::size_t i = 0; i < f.size(); ++i) f[i] = masses_[i] * gravity;
        surface.set_time(t);
        surface.add_forces(x, v, f, parallel_);
        if (other) other->add_forces(x, v, f, parallel_);
    }
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override {
        surface.add_stiffness(x, bounds);
        if (other) other->add_stiffness(x, bounds);
    }
    BlockMatrix& matrix() override {
        if (matrix_.rows() != masses_.size()) {
            BlockPattern pattern(masses_.size());
            if (other) other->add_pattern(pattern);
            matrix_ = BlockMatrix(pattern);
            if (other) other->bind(matrix_);
        }
        return matrix_;
    }
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                         Linearisation& out) override {
        surface.set_time(t);
        surface.add_derivatives(x, v, out, parallel_);
        if (other) other->add_derivatives(x, v, out, parallel_);
    }
    bool agrees_at(const ExpectedEnd& end) override { return surface.agrees_at(end, parallel_); }
    void linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                   Linearisation& out) override {
        for (std::size_t i = 0; i < f.size(); ++i) f[i] = masses_[i] * gravity;
        surface.set_time(t);
        surface.add_forces_and_derivatives(x, v, f, out, parallel_);
        if (other) other->add_forces_and_derivatives(x, v, f, out, parallel_);
    }
    const Parallel& parallel() const override { return parallel_; }

    /// As a world does it: an account is kept of each step.
    void step(Integrator& integrator, MotionState& s, double h, const IntegrationSettings& settings) {
        const std::vector<Vec3> before = s.v;
        surface.begin_step(settings, h, masses_);
        integrator.step(*this, s, h, settings);
        surface.finish_step(before, s.v);
    }

    double energy(const MotionState& s) const {
        double sum = surface.energy(s.x);
        for (std::size_t i = 0; i < s.x.size(); ++i)
            sum += masses_[i] * (0.5 * norm2(s.v[i]) - dot(gravity, s.x[i]));
        return sum;
    }

    Vec3 gravity{0, -9.81, 0};
    SurfaceField surface;
    ForceField* other = nullptr;
    std::vector<std::uint8_t> pins;

private:
    std::vector<double> masses_;
    Parallel parallel_;
    BlockMatrix matrix_;
};

inline Obstacle floor_obstacle(const Sdf& plane, double friction = 0, double restitution = 0) {
    Obstacle o;
    o.distance = plane.get(), o.friction = friction, o.restitution = restitution;
    return o;
}

}  // namespace plush
