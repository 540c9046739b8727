#include "lab/validation/motion_systems.hpp"

#include <array>

namespace plush::lab {

SpringSystem::SpringSystem(std::vector<double> masses, std::span<const Spring> springs)
    : masses_(std::move(masses)), pinned_(masses_.size(), 0) {
    for (const Spring& spring : springs) springs_.add(spring);
    BlockPattern pattern(masses_.size());
    springs_.add_pattern(pattern);
    matrix_ = BlockMatrix(pattern);
    springs_.bind(matrix_);
}

std::span<const std::uint8_t> SpringSystem::pinned() const {
    return any_pinned_ ? std::span<const std::uint8_t>(pinned_) : std::span<const std::uint8_t>();
}

double SpringSystem::energy(const MotionState& state) const {
    double sum = springs_.energy(state.x);
    for (std::size_t i = 0; i < masses_.size(); ++i) sum += 0.5 * masses_[i] * norm2(state.v[i]);
    return sum;
}

void SpringSystem::forces(std::span<const Vec3> x, std::span<const Vec3> v, double, std::span<Vec3> f) {
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = masses_[i] * (gravity_ - damping_ * v[i]);
    springs_.add_forces(x, v, f, parallel_);
}

void SpringSystem::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    springs_.add_stiffness(x, bounds);
    for (std::size_t i = 0; i < x.size(); ++i) bounds.d[i] += damping_ * masses_[i];
}

void SpringSystem::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double,
                                   Linearisation& out) {
    springs_.add_derivatives(x, v, out, parallel_);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = -out.b * damping_ * masses_[i];
        out.external[i] += Mat3::diagonal({d, d, d});
    }
}

IntegrationSettings exactly(IntegrationMethod method) {
    return {.method = method, .policy = StepPolicy::accept, .tolerance = 1e-14, .iterations = 1000};
}

FreeSpring::FreeSpring() : system({2, 2}, std::array{Spring{0, 1, 1, 1, 0}}) {
    state.x = {{-0.6, 0, 0}, {0.6, 0, 0}};
    state.v.resize(2);
}

void FreeSpring::step(IntegrationMethod method, double h) {
    integrator.step(system, state, h, exactly(method));
}

HeldSpring::HeldSpring() : system({1, 1}, std::array{Spring{0, 1, 0, 1, 0}}) {
    system.pin(0);
    state.x = {{}, {1, 0, 0}};
    state.v.resize(2);
}

void HeldSpring::step(IntegrationMethod method, double h) {
    integrator.step(system, state, h, exactly(method));
}

}  // namespace plush::lab
