#include "contact/fields/surface_field.hpp"

#include <algorithm>

#include "bodies/integrators/integrator.hpp"
#include "core/assert.hpp"
#include "core/range_check.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

/// The share that each evaluation of a step has in it.
std::span<const double> stage_weights(IntegrationMethod method) {
    static constexpr double one[] = {1}, second[] = {0, 1}, four[] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
    switch (method) {
        case IntegrationMethod::midpoint:
            return second;
        case IntegrationMethod::runge_kutta_4:
            return four;
        default:
            return one;
    }
}

}  // namespace

void SurfaceTouch::add_derivatives(double k, double b, const Vec3& v, Mat3& external, Vec3& product) const {
    external += (-k * stiffness) * outer(normal, normal) + -b * damping;
    product -= (stiffness * dot(normal, v - reference)) * normal;
}

void SurfaceField::set_obstacles(std::vector<Obstacle> obstacles, double t0) {
    obstacles_ = std::move(obstacles);
    t0_ = t0;
    impulses_.assign(obstacles_.size(), {});
    touches_.clear();
    recording_ = false;
    masses_.clear();
    pose_obstacles();
}

void SurfaceField::set_settings(const SurfaceSettings& given) {
    as_given_ = given;
    settings_ = resolved(as_given_, scale_);
    pose_obstacles();
}

void SurfaceField::set_scale(const BodyScale& scale) {
    if (scale == scale_) return;
    scale_ = scale;
    set_settings(SurfaceSettings(as_given_));
}

void SurfaceField::visit_state(StateVisitor& v) {
    v(as_given_.law, as_given_.stiffness, as_given_.buffer, as_given_.stick_speed, as_given_.dissipation,
      as_given_.max_substeps, loads_);
    // With a law that nobody may set, forces would reach below the surface, or beyond all bounds.
    if (dynamic_cast<const StateReader*>(&v) && !check_ranges(as_given_).ok())
        throw Error({.place = "snapshot",
                     .problem = "what it says of a surface law makes no sense",
                     .cure = "take the bytes that World::snapshot() returned"});
    settings_ = resolved(as_given_, scale_);
}

void SurfaceField::set_radii(std::vector<double> radii) {
    radii_ = std::move(radii);
    largest_radius_ = radii_.empty() ? 0 : std::max(0.0, *std::max_element(radii_.begin(), radii_.end()));
    pose_obstacles();
}

void SurfaceField::pose_obstacles() {
    posed_.clear();
    for (const Obstacle& o : obstacles_) {
        PLUSH_ASSERT(o.distance);
        posed_.emplace_back(o, force_reach(settings_) + largest_radius_);
    }
}

void SurfaceField::set_time(double t) {
    for (PosedObstacle& o : posed_)
        if (o.moves()) o.set_time(t - t0_);
}

bool SurfaceField::may_reach(const Box3& box) const {
    return std::any_of(posed_.begin(), posed_.end(),
                       [&](const PosedObstacle& o) { return o.may_reach(box); });
}

void SurfaceField::record_found() {
    if (!recording_) return;
    evaluations_.push_back(recorded_.size());
    recorded_.insert(recorded_.end(), found_.begin(), found_.end());
}

void SurfaceField::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                              const Parallel& parallel) {
    PLUSH_ASSERT(radii_.empty() || radii_.size() == x.size());
    PLUSH_ASSERT(f.size() == x.size());
    find_all(query_of(x, v, nullptr), parallel);
    give_forces(f);
}

void SurfaceField::give_forces(std::span<Vec3> f) {
    if (recording_) evaluations_.push_back(recorded_.size());
    for (const Chunk& chunk : chunks_) {
        for (const SurfaceTouch& t : chunk.touches) f[t.vertex] += t.force;
        if (recording_) recorded_.insert(recorded_.end(), chunk.touches.begin(), chunk.touches.end());
    }
}

void SurfaceField::feel(std::span<const Vec3> x, std::span<const Vec3> v, const Parallel& parallel) {
    find_all(query_of(x, v, nullptr), parallel);
    touches_.clear();
    for (const Chunk& chunk : chunks_)
        touches_.insert(touches_.end(), chunk.touches.begin(), chunk.touches.end());
}

double SurfaceField::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) add_energy(i, x[i], sum);
    return sum;
}

void SurfaceField::add_energy(std::size_t point, const Vec3& p, double& sum) const {
    if (!feels(point)) return;
    for (std::size_t k = 0; k < posed_.size(); ++k) {
        const PosedObstacle& o = posed_[k];
        const Vec3 local = o.to_local(p);
        if (!o.may_reach_local(local)) continue;
        const LawValue law = evaluate_law(settings_, o.distance().value(local) - radius(point));
        if (!(law.energy > 0)) continue;
        // Within a step what it does to the obstacle counts, too.
        double soft = 1;
        if (recording_ && obstacles_[k].inverse_mass > 0)
            soft = softening(k, p - o.origin(), o.normal_to_world(o.distance().sample(local).gradient),
                             law.stiffness, h_);
        sum += soft * law.energy;
    }
}

void SurfaceField::set_end_poses(std::span<const Transform> poses) {
    PLUSH_ASSERT(poses.size() == posed_.size());
    for (std::size_t o = 0; o < posed_.size(); ++o) posed_[o].move_to(poses[o]);
}

void SurfaceField::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                   const Parallel& parallel) {
    find_all(query_of(x, v, &out), parallel);
    give_derivatives(v, out);
}

void SurfaceField::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                              std::span<Vec3> f, Linearisation& out,
                                              const Parallel& parallel) {
    find_all(query_of(x, v, &out), parallel);
    give_derivatives(v, out);
    give_forces(f);
}

void SurfaceField::give_derivatives(std::span<const Vec3> v, Linearisation& out) const {
    PLUSH_ASSERT(out.external.size() == v.size() && out.product.size() == v.size());
    for (const Chunk& chunk : chunks_)
        for (const SurfaceTouch& t : chunk.touches)
            t.add_derivatives(out.k, out.b, v[t.vertex], out.external[t.vertex], out.product[t.vertex]);
}

void SurfaceField::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    if (posed_.empty() || settings_.law == SurfaceLaw::impulse) return;
    PLUSH_ASSERT(bounds.k.size() == x.size() && bounds.d.size() == x.size());
    const double reach = force_reach(settings_);
    const bool hard = is_barrier(settings_.law);
    // A rigid matrix k n nᵀ has a row sum of at most √3 k in any frame; √3 (2/v₀) μ p and √3 c p likewise.
    const double row = std::sqrt(3.0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!feels(i)) continue;
        double k = 0, d = 0;
        for (std::size_t o = 0; o < posed_.size(); ++o) {
            const Vec3 local = posed_[o].to_local(x[i]);
            double gap = HUGE_VAL;
            if (posed_[o].may_reach_local(local)) gap = posed_[o].distance().value(local) - radius(i);
            if (!(gap < reach)) continue;
            const LawValue law = evaluate_law(settings_, hard ? 0.5 * gap : gap);
            k += law.stiffness;
            d += law.force * settings_.dissipation;
            if (friction_part_ == 0) d += law.force * 2 * obstacles_[o].friction / settings_.stick_speed;
        }
        const double entering = evaluate_law(settings_, hard ? 0.5 * reach : -1).stiffness;
        bounds.k[i] += row * std::max(k, entering);
        bounds.d[i] += row * d;
    }
}

void SurfaceField::limit_friction(double part, std::span<const double> masses) {
    PLUSH_ASSERT(part >= 0);
    friction_part_ = part;
    part > 0 ? friction_masses_.assign(masses.begin(), masses.end()) : friction_masses_.clear();
}

/// Below which friction of at most `limit` is smoothed, m/s.
double SurfaceField::stick_speed(std::uint32_t vertex, double limit) const {
    if (friction_part_ == 0) return settings_.stick_speed;
    PLUSH_ASSERT(vertex < friction_masses_.size() && friction_masses_[vertex] > 0);
    return std::max(settings_.stick_speed,
                    2 * limit * friction_part_ / (tuning::substep_friction * friction_masses_[vertex]));
}

void SurfaceField::begin_step(const IntegrationSettings& integration, double h,
                              std::span<const double> masses) {
    PLUSH_ASSERT(h > 0);
    recording_ = true;
    method_ = integration.method, h_ = h;
    at_end_ = evaluates_the_end(integration);
    masses_.clear();
    if (is_implicit(method_)) masses_.assign(masses.begin(), masses.end());
    recorded_.clear();
    evaluations_.clear();
    given_.clear();
    counts_.assign(obstacles_.size(), 0.0);
}

void SurfaceField::add_impulse(std::size_t obstacle, const Vec3& point, const Vec3& impulse) {
    PLUSH_ASSERT(obstacle < impulses_.size());
    impulses_[obstacle].linear -= impulse;
    impulses_[obstacle].angular -= cross(point - posed_[obstacle].origin(), impulse);
}

void SurfaceField::add_impulses(std::span<const Twist> received) {
    PLUSH_ASSERT(received.size() == impulses_.size());
    for (std::size_t o = 0; o < received.size(); ++o) {
        impulses_[o].linear += received[o].linear;
        impulses_[o].angular += received[o].angular;
    }
}

void SurfaceField::add_touch(const SurfaceTouch& touch, const Vec3& impulse) {
    PLUSH_ASSERT(touch.obstacle < impulses_.size());
    impulses_[touch.obstacle].linear -= impulse;
    impulses_[touch.obstacle].angular -= cross(touch.arm, impulse);
}

void SurfaceField::finish_step(std::span<const Vec3> v_before, std::span<const Vec3> v_after) {
    PLUSH_ASSERT(v_before.size() == v_after.size());
    const auto weights = stage_weights(method_);
    PLUSH_ASSERT(recording_ && !evaluations_.empty() && evaluations_.size() % weights.size() == 0);
    loads_.clear();
    // A linear step that was mended has evaluated its end, too.
    const bool at_end = at_end_ || (is_implicit(method_) && evaluations_.size() > 1);
    if (at_end) {
        recorded_.erase(recorded_.begin(),
                        recorded_.begin() + static_cast<std::ptrdiff_t>(evaluations_.back()));
        evaluations_.assign(1, 0);
    }
    if (is_implicit(method_)) {
        PLUSH_ASSERT(evaluations_.size() == 1);
        for (SurfaceTouch& t : recorded_) {
            const Vec3 after = v_after[t.vertex];
            if (!at_end) {
                t.force -= (h_ * t.stiffness * dot(t.normal, after - t.reference)) * t.normal +
                           t.damping * (after - v_before[t.vertex]);
                if (looks_ahead()) t.gap += h_ * (dot(t.normal, after) - t.approach);
            }
            const double sped_up = dot(after - v_before[t.vertex], t.normal);
            loads_.push_back({t.vertex, obstacles_[t.obstacle].index,
                              dot(t.force, t.normal) - masses_[t.vertex] * sped_up / h_});
        }
    }
    const double part = h_ * static_cast<double>(weights.size()) / static_cast<double>(evaluations_.size());
    for (std::size_t e = 0; e < evaluations_.size(); ++e) {
        const std::size_t end = e + 1 < evaluations_.size() ? evaluations_[e + 1] : recorded_.size();
        const double weight = part * weights[e % weights.size()];
        for (std::size_t c = evaluations_[e]; c < end; ++c)
            add_touch(recorded_[c], weight * recorded_[c].force);
    }
    touches_.assign(recorded_.begin() + static_cast<std::ptrdiff_t>(evaluations_.back()), recorded_.end());
    recording_ = false;
    masses_.clear();
}

void SurfaceField::project(std::span<Vec3> x, std::span<Vec3> v, std::span<const double> masses,
                           std::span<const std::uint8_t> pinned) {
    PLUSH_ASSERT(v.size() == x.size() && masses.size() == x.size());
    PLUSH_ASSERT(pinned.empty() || pinned.size() == x.size());
    touches_.clear();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!feels(i) || (!pinned.empty() && pinned[i])) continue;
        for (std::uint32_t o = 0; o < posed_.size(); ++o) {
            const Vec3 local = posed_[o].to_local(x[i]);
            if (!posed_[o].may_reach_local(local)) continue;
            const DistanceSample sample = posed_[o].distance().sample(local);
            SurfaceTouch t;
            t.gap = sample.value - radius(i);
            if (!(t.gap < 0)) continue;
            t.vertex = static_cast<std::uint32_t>(i), t.obstacle = o;
            t.normal = posed_[o].normal_to_world(sample.gradient);
            x[i] -= t.gap * t.normal;
            t.point = x[i], t.arm = x[i] - posed_[o].origin();
            t.surface_velocity = posed_[o].velocity_at(x[i]);
            const Vec3 u = v[i] - t.surface_velocity;
            const double into = -dot(u, t.normal);
            if (into > 0) {
                const Obstacle& law = obstacles_[o];
                const Vec3 slide = u + into * t.normal;
                const double speed = norm(slide), brake = law.friction * (1 + law.restitution) * into;
                const double left = speed > brake ? 1 - brake / speed : 0;
                const Vec3 change = (1 + law.restitution) * into * t.normal - (1 - left) * slide;
                v[i] += change;
                add_touch(t, masses[i] * change);
                if (h_ > 0) t.force = (masses[i] / h_) * change;  // the mean over the step
            }
            touches_.push_back(t);
        }
    }
}

void SurfaceField::hold_back(std::span<const Vec3> moved, std::span<Vec3> x, std::span<Vec3> v,
                             std::span<const double> masses, double h) {
    PLUSH_ASSERT(moved.size() == x.size() && v.size() == x.size() && masses.size() == x.size() && h > 0);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!feels(i) || moved[i] == Vec3{}) continue;
        for (std::size_t o = 0; o < posed_.size(); ++o) {
            const Vec3 from = posed_[o].to_local(x[i] - moved[i]), to = posed_[o].to_local(x[i]);
            const double floor = radius(i) + least_gap(settings_);
            if (posed_[o].distance().value(to) > floor + posed_[o].distance().steepness() * norm(moved[i]))
                continue;
            const double way = posed_[o].safe_fraction(from, to, floor);
            if (way >= 1) continue;
            const Vec3 back = (way - 1) * moved[i];
            x[i] += back;
            v[i] += back / h;
            add_impulse(o, x[i], (masses[i] / h) * back);
        }
    }
}

}  // namespace plush
