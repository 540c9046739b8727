#include "contact/fields/barrier_particles.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/assert.hpp"

namespace plush {
namespace {

constexpr std::size_t particles_per_chunk = 64;
/// Of its gap a particle keeps at least this much in a substep.
constexpr double kept_gap = 0.75;
/// The largest τ √(E''/m): Verlet is off by its square over 24 in the frequency, 0.3 %.
constexpr double largest_phase = 0.25;
/// A rejected substep is halved; 60 halvings take any step below any rounding.
constexpr int max_halvings = 60;
/// Where a particle that starts inside is put, of the buffer, and how often that is tried.
constexpr double put_at = 0.01;
constexpr int push_tries = 8;

/// An obstacle as one particle meets it.
struct Near {
    std::size_t obstacle = 0;
    double gap = 0, force = 0, stiffness = 0;
    Vec3 normal{}, local{}, velocity{};  ///< of the surface
};

/// Steps one particle after another; keeps the room they need.
class Stepper {
public:
    Stepper(const FreeParticles& particles, std::span<const Obstacle> obstacles, double h,
            const SurfaceSettings& settings)
        : p_(particles), obstacles_(obstacles), h_(h), settings_(settings), impulses_(obstacles.size()) {
        for (const Obstacle& o : obstacles)
            posed_.emplace_back(o, settings.buffer + particles.radius), any_moves_ |= posed_.back().moves();
        after_ = posed_;
        near_.resize(obstacles.size()), next_near_.resize(obstacles.size());
    }

    void step(std::size_t i);
    const ParticleReport& report() const { return report_; }
    std::span<const Twist> impulses() const { return impulses_; }

private:
    void set_time(std::vector<PosedObstacle>& posed, double t) {
        if (!any_moves_) return;
        for (PosedObstacle& o : posed)
            if (o.moves()) o.set_time(t);
    }
    void look(const std::vector<PosedObstacle>& posed, const Vec3& x, std::vector<Near>& near) const;
    bool push_out(Vec3& x);
    bool stop_at_least_gap(const Vec3& x, Vec3& v);
    double free_part(const Vec3& to) const;
    void kick(double tau, const std::vector<PosedObstacle>& posed, const std::vector<Near>& near,
              const Vec3& x, Vec3& v, std::vector<Twist>& impulses) const;
    void give(std::size_t obstacle, const PosedObstacle& posed, const Vec3& x, const Vec3& impulse,
              std::vector<Twist>& impulses) const;
    bool drift(double left, double& tau, Vec3& x, Vec3& v);
    void hold(double t, Vec3& x, Vec3& v);
    static double stiffness(const std::vector<Near>& near) {
        double sum = 0;
        for (const Near& n : near) sum += n.stiffness;
        return sum;
    }

    const FreeParticles& p_;
    std::span<const Obstacle> obstacles_;
    double h_;
    const SurfaceSettings& settings_;
    bool any_moves_ = false;
    Vec3 acceleration_{};                       ///< of the particle at hand, by all but drag and surfaces
    double now_ = 0;                            ///< since the start of the step, s
    std::vector<PosedObstacle> posed_, after_;  ///< now, and at the end of the substep
    std::vector<Near> near_, next_near_;
    std::vector<Twist> impulses_, tried_;
    ParticleReport report_;
};

void Stepper::look(const std::vector<PosedObstacle>& posed, const Vec3& x, std::vector<Near>& near) const {
    for (std::size_t o = 0; o < posed.size(); ++o) {
        Near& n = near[o];
        n.obstacle = o;
        n.local = posed[o].to_local(x);
        const DistanceSample s = posed[o].distance().sample(n.local);
        n.gap = s.value - p_.radius;
        n.normal = posed[o].normal_to_world(s.gradient);
        n.velocity = posed[o].moves() ? posed[o].velocity_at(x) : Vec3{};
        const LawValue law = evaluate_law(settings_, n.gap);
        n.force = law.force, n.stiffness = law.stiffness;
    }
}

bool Stepper::push_out(Vec3& x) {
    const double least = least_gap(settings_);
    for (int k = 0; k <= push_tries; ++k) {
        bool clear = true;
        for (const Near& n : near_)
            if (n.gap < least) {
                x += (put_at * settings_.buffer - n.gap) * n.normal;
                clear = false;
                look(posed_, x, near_);
            }
        if (clear) return true;
        if (k == 0) ++report_.pushed_out;
    }
    return false;
}

void Stepper::give(std::size_t obstacle, const PosedObstacle& posed, const Vec3& x, const Vec3& impulse,
                   std::vector<Twist>& impulses) const {
    PLUSH_ASSERT(obstacle < impulses.size());
    impulses[obstacle].linear -= impulse;
    impulses[obstacle].angular -= cross(x - posed.origin(), impulse);
}

bool Stepper::stop_at_least_gap(const Vec3& x, Vec3& v) {
    bool any = false;
    for (const Near& n : near_) {
        const double into = -dot(v - n.velocity, n.normal);
        if (n.gap > least_gap(settings_) || !(into > 0)) continue;
        v += into * n.normal;
        give(n.obstacle, posed_[n.obstacle], x, (p_.mass * into) * n.normal, impulses_);
        any = true;
    }
    return any;
}

/// Half a substep of forces: gravity, surface after surface, and drag last, so that it takes no part of a
/// weight that a surface carries.
void Stepper::kick(double tau, const std::vector<PosedObstacle>& posed, const std::vector<Near>& near,
                   const Vec3& x, Vec3& v, std::vector<Twist>& impulses) const {
    v += tau * acceleration_;
    for (const Near& n : near) {
        if (n.force == 0) continue;
        const Vec3 before = v;
        const double full = tau * n.force / p_.mass, c = settings_.dissipation;
        const double out = dot(v - n.velocity, n.normal);
        // u' = u + full (1 − c u'), unless that would pull.
        const double pressure = std::max(0.0, (full - full * c * out) / (1 + full * c));
        v += pressure * n.normal;
        const Vec3 u = v - n.velocity, slide = u - dot(u, n.normal) * n.normal;
        const double speed = norm(slide), brake = obstacles_[n.obstacle].friction * pressure;
        if (speed > 0) v -= std::min(1.0, brake / speed) * slide;
        give(n.obstacle, posed[n.obstacle], x, p_.mass * (v - before), impulses);
    }
    v = v / (1 + tau * p_.drag / p_.mass);
}

/// The part of the way to `to` that is free, with obstacles from posed_ to after_.
double Stepper::free_part(const Vec3& to) const {
    double least = 1;
    for (const Near& n : near_) {
        const Vec3 end = after_[n.obstacle].to_local(to);
        const double floor = p_.radius + kept_gap * std::min(n.gap, settings_.buffer);
        least = std::min(least, posed_[n.obstacle].safe_fraction(n.local, end, floor));
        if (least == 0) break;
    }
    return least;
}

/// One substep of at most `tau`, which becomes what it was. False where none was found.
bool Stepper::drift(double left, double& tau, Vec3& x, Vec3& v) {
    for (int k = 0; k < max_halvings; ++k) {
        if (tau > 0.999 * left) tau = left;  // no crumb for a last substep
        tried_ = impulses_;
        Vec3 v_next = v;
        kick(0.5 * tau, posed_, near_, x, v_next, tried_);
        const Vec3 x_next = x + tau * v_next;
        set_time(after_, now_ + tau);
        const double part = free_part(x_next);
        if (part == 1) {
            look(after_, x_next, next_near_);
            bool outside = true;
            for (const Near& n : next_near_) outside &= n.gap > 0;
            const double phase2 = tau * tau * stiffness(next_near_) / p_.mass;
            if (outside && phase2 <= largest_phase * largest_phase) {
                kick(0.5 * tau, after_, next_near_, x_next, v_next, tried_);
                x = x_next, v = v_next;
                std::swap(near_, next_near_), std::swap(impulses_, tried_), std::swap(posed_, after_);
                return true;
            }
        }
        tau *= std::clamp(0.9 * part, 0.1, 0.5);
    }
    return false;
}

/// Stays on what it is nearest to until the step ends.
void Stepper::hold(double t, Vec3& x, Vec3& v) {
    ++report_.held;
    if (near_.empty()) return;
    std::size_t nearest = 0;
    for (const Near& n : near_)
        if (n.gap < near_[nearest].gap) nearest = n.obstacle;
    const Vec3 place = near_[nearest].local;
    set_time(posed_, t);
    if (posed_[nearest].moves()) x = posed_[nearest].to_world(place);
    look(posed_, x, near_);
    for (const Near& n : near_) {
        const double into = -dot(v - n.velocity, n.normal);
        if (n.gap > settings_.buffer || !(into > 0)) continue;
        v += into * n.normal;
        give(n.obstacle, posed_[n.obstacle], x, (p_.mass * into) * n.normal, impulses_);
    }
}

void Stepper::step(std::size_t i) {
    Vec3 &x = p_.x[i], &v = p_.v[i];
    acceleration_ = p_.forces.empty() ? p_.gravity : p_.gravity + p_.forces[i] / p_.mass;
    now_ = 0;
    set_time(posed_, 0);
    look(posed_, x, near_);
    const bool outside = push_out(x);
    double tau = h_;
    for (int k = 0; outside && now_ < h_ && k < settings_.max_substeps; ++k) {
        ++report_.substeps;
        if (stop_at_least_gap(x, v)) ++report_.stopped;
        const double left = h_ - now_;
        tau = std::min(tau, left);
        if (const double s = stiffness(near_); s > 0)
            tau = std::min(tau, largest_phase * std::sqrt(p_.mass / s));
        if (!drift(left, tau, x, v)) break;
        now_ = tau == left ? h_ : now_ + tau;
        tau *= 2;
    }
    if (now_ < h_) hold(h_, x, v);
    for (const Near& n : near_)
        if (!(n.gap > 0)) {
            ++report_.squeezed;
            break;
        }
}

void add(ParticleReport& a, const ParticleReport& b) {
    a.substeps += b.substeps, a.stopped += b.stopped, a.held += b.held;
    a.pushed_out += b.pushed_out, a.squeezed += b.squeezed;
}

}  // namespace

Result<ParticleReport> step_before_barriers(const FreeParticles& particles,
                                            std::span<const Obstacle> obstacles, double h,
                                            const SurfaceSettings& settings, std::span<Twist> impulses,
                                            const Parallel& parallel) {
    PLUSH_ASSERT(is_barrier(settings.law) && particles.mass > 0 && h > 0);
    PLUSH_ASSERT(particles.v.size() == particles.x.size() && impulses.size() == obstacles.size());
    PLUSH_ASSERT(particles.forces.empty() || particles.forces.size() == particles.x.size());
    for (std::size_t i = 0; i < particles.x.size(); ++i)
        if (!is_finite(particles.x[i]) || !is_finite(particles.v[i]))
            return Error({.place = fmt::format("particle {}", i),
                          .problem = "its position or velocity is not a number",
                          .cure = "give finite positions and velocities"});

    struct Part {
        ParticleReport report{};
        std::vector<Twist> impulses{};
    };
    std::vector<Part> parts((particles.x.size() + particles_per_chunk - 1) / particles_per_chunk);
    parallel.chunks(particles.x.size(), particles_per_chunk, [&](std::size_t begin, std::size_t end) {
        Stepper stepper(particles, obstacles, h, settings);
        for (std::size_t i = begin; i < end; ++i) stepper.step(i);
        parts[begin / particles_per_chunk] = {stepper.report(),
                                              {stepper.impulses().begin(), stepper.impulses().end()}};
    });
    ParticleReport report;
    std::fill(impulses.begin(), impulses.end(), Twist{});
    for (const Part& part : parts) {
        add(report, part.report);
        for (std::size_t o = 0; o < impulses.size(); ++o) {
            impulses[o].linear += part.impulses[o].linear;
            impulses[o].angular += part.impulses[o].angular;
        }
    }
    return report;
}

}  // namespace plush
