#include "contact/fields/surface_projection.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

bool SurfaceProjection::inside(const Vec3& x, std::size_t vertex, std::size_t obstacle, double& gap,
                               Vec3& normal) const {
    const PosedObstacle& posed = field_.posed()[obstacle];
    const Vec3 local = posed.to_local(x);
    if (!posed.may_reach_local(local)) return false;
    const double radius = field_.radius(vertex);
    // Written so that a NaN is left out.
    if (!(posed.distance().value(local) < radius)) return false;
    const DistanceSample sample = posed.distance().sample(local);
    gap = sample.value - radius;
    normal = posed.normal_to_world(normalised(sample.gradient));
    return gap < 0;
}

SurfaceProjection::Touch& SurfaceProjection::touch(std::uint32_t vertex, std::uint32_t obstacle) {
    PLUSH_ASSERT(vertex < first_.size());
    for (std::uint32_t k = first_[vertex]; k != none; k = touches_[k].next)
        if (touches_[k].obstacle == obstacle) return touches_[k];
    Touch fresh;
    fresh.vertex = vertex, fresh.obstacle = obstacle, fresh.next = first_[vertex];
    first_[vertex] = static_cast<std::uint32_t>(touches_.size());
    touches_.push_back(fresh);
    return touches_.back();
}

void SurfaceProjection::begin(std::span<Vec3> x, std::span<Vec3> before,
                              std::span<const double> inverse_masses, double t, double h) {
    PLUSH_ASSERT(field_.settings().law == SurfaceLaw::impulse && h > 0);
    PLUSH_ASSERT(before.size() == x.size() && inverse_masses.size() == x.size());
    before_ = before, inverse_masses_ = inverse_masses, h_ = h;
    first_.resize(x.size(), none);
    for (Touch& touch : touches_) touch.pressed = touch.braked = 0;

    field_.set_time(t - h);
    double gap = 0;
    Vec3 normal{};
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t o = 0; o < field_.posed().size(); ++o)
            if (inverse_masses[i] > 0 && inside(before[i], i, o, gap, normal)) {
                before[i] -= gap * normal;
                x[i] -= gap * normal;
            }
    field_.set_time(t);
}

void SurfaceProjection::push(Vec3& x, Touch& touch, const Vec3& shift) {
    PLUSH_ASSERT(inverse_masses_[touch.vertex] > 0);
    x += shift;
    const Vec3 impulse = shift / (inverse_masses_[touch.vertex] * h_);
    touch.impulse += impulse;
    field_.add_impulse(touch.obstacle, x, impulse);
}

void SurfaceProjection::rub(Vec3& x, Touch& touch) {
    const double left = field_.obstacles()[touch.obstacle].friction * touch.pressed - touch.braked;
    const Vec3 moved = x - before_[touch.vertex] - h_ * field_.posed()[touch.obstacle].velocity_at(x);
    const Vec3 slide = moved - dot(moved, touch.normal) * touch.normal;
    const double length = norm(slide), brake = std::min(length, left);
    if (!(brake > 0)) return;
    touch.braked += brake;
    push(x, touch, (-brake / length) * slide);
}

void SurfaceProjection::project(std::span<Vec3> x) {
    PLUSH_ASSERT(before_.size() == x.size() && inverse_masses_.size() == x.size());
    double gap = 0;
    Vec3 normal{};
    for (std::uint32_t i = 0; i < x.size(); ++i) {
        if (inverse_masses_[i] == 0) continue;
        for (std::uint32_t o = 0; o < field_.posed().size(); ++o) {
            if (!inside(x[i], i, o, gap, normal)) continue;
            Touch& t = touch(i, o);
            t.normal = normal;
            t.pressed -= gap;
            push(x[i], t, -gap * normal);
            rub(x[i], t);
            // Along a hollow the way back leads inside again.
            if (inside(x[i], i, o, gap, normal)) push(x[i], t, -gap * normal);
            t.point = x[i];
        }
    }
}

void SurfaceProjection::finish_step(double h) {
    PLUSH_ASSERT(h > 0);
    std::sort(touches_.begin(), touches_.end(), [](const Touch& a, const Touch& b) {
        return a.vertex != b.vertex ? a.vertex < b.vertex : a.obstacle < b.obstacle;
    });
    std::vector<SurfaceTouch> touches;
    for (const Touch& t : touches_) {
        SurfaceTouch out;
        out.vertex = t.vertex, out.obstacle = t.obstacle;
        out.normal = t.normal, out.point = t.point;
        out.force = t.impulse / h;
        touches.push_back(out);
    }
    field_.set_touches(std::move(touches));
    begin_step();
}

}  // namespace plush
