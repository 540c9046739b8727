#include "bodies/deformable/particle_body.hpp"

#include <algorithm>

#include "core/assert.hpp"

// Semi-implicit Euler with linear drag taken implicitly, so that no drag is too strong for a step:
//     v* = (v + h (g + f/m)) / (1 + h c/m),   x* = x + h v*.

namespace plush {

ParticleBody::ParticleBody(const Particles& settings) : mass_(settings.mass), drag_(settings.drag) {
    points_.positions = settings.positions;
    points_.radius = settings.radius;
    points_.complete = true;
    velocities_ = settings.velocities;
    velocities_.resize(points_.positions.size());
}

void ParticleBody::predict(double h, const Vec3& gravity, RotationMethod) {
    PLUSH_ASSERT(mass_ > 0 && drag_ >= 0);
    const double keep = 1.0 / (1.0 + h * drag_ / mass_);
    const Vec3 change = h * (gravity + force_ / mass());
    gravity_ = gravity;
    next_velocities_.resize(velocities_.size());
    for (std::size_t i = 0; i < velocities_.size(); ++i)
        next_velocities_[i] = (velocities_[i] + change) * keep;
}

Node ParticleBody::node(std::size_t i) const {
    PLUSH_ASSERT(i < velocities_.size() && i < next_velocities_.size());
    return {{velocities_[i], {}}, {next_velocities_[i], {}}, points_.positions[i], 1.0 / mass_, {}};
}

void ParticleBody::correct(double h, std::span<const Twist> change) {
    PLUSH_ASSERT(change.size() == velocities_.size());
    work_ = {};
    const Vec3 pushed = h * (gravity_ + force_ / mass());
    for (std::size_t i = 0; i < velocities_.size(); ++i) {
        const Vec3 end = next_velocities_[i] + change[i].linear, mean = 0.5 * (velocities_[i] + end);
        work_.forces += h / mass() * mass_ * dot(force_, mean);
        work_.damping += mass_ * dot(next_velocities_[i] - velocities_[i] - pushed, mean);
        work_.integrator += h * mass_ * dot(gravity_, mean - end);
        velocities_[i] = end;
        points_.positions[i] += h * end;
    }
    force_ = {};
}

void ParticleBody::displace(std::span<const Twist> change) {
    PLUSH_ASSERT(change.size() <= points_.positions.size());
    for (std::size_t i = 0; i < change.size(); ++i) points_.positions[i] += change[i].linear;
}

Box3 ParticleBody::bounds() const {
    Box3 box;
    for (const Vec3& p : points_.positions) box.add(p);
    return box.grown(points_.radius);
}

double ParticleBody::speed_spread() const {
    double fastest2 = 0;
    for (const Vec3& v : velocities_) fastest2 = std::max(fastest2, norm2(v));
    return std::sqrt(fastest2);
}

double ParticleBody::size() const {
    return points_.radius > 0 ? points_.radius : HUGE_VAL;
}

double ParticleBody::kinetic_energy() const {
    double sum = 0;
    for (const Vec3& v : velocities_) sum += norm2(v);
    return 0.5 * mass_ * sum;
}

double ParticleBody::gravity_energy(const Vec3& gravity) const {
    Vec3 sum{};
    for (const Vec3& p : points_.positions) sum += p;
    return -mass_ * dot(gravity, sum);
}

Vec3 ParticleBody::moment_of_momentum() const {
    Vec3 sum{};
    for (std::size_t i = 0; i < velocities_.size(); ++i) sum += cross(points_.positions[i], velocities_[i]);
    return mass_ * sum;
}

Vec3 ParticleBody::momentum() const {
    Vec3 sum{};
    for (const Vec3& v : velocities_) sum += v;
    return mass_ * sum;
}

bool ParticleBody::is_finite() const {
    const auto finite = [](const Vec3& v) { return plush::is_finite(v); };
    return std::all_of(points_.positions.begin(), points_.positions.end(), finite) &&
           std::all_of(velocities_.begin(), velocities_.end(), finite);
}

void ParticleBody::visit_state(StateVisitor& v) {
    v(points_.positions, velocities_, force_);
}

bool ParticleBody::is_consistent() const {
    return velocities_.size() == points_.positions.size();
}

void ParticleBody::move_by(const Vec3& offset) {
    for (Vec3& p : points_.positions) p += offset;
}

void ParticleBody::set_velocity(const Vec3& velocity) {
    std::fill(velocities_.begin(), velocities_.end(), velocity);
}

void ParticleBody::apply_impulse(const Vec3& impulse) {
    for (Vec3& v : velocities_) v += impulse / mass();
}

}  // namespace plush
