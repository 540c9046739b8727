#include "world/drag_field.hpp"

#include "contact/solver/limited_impulse.hpp"

namespace plush {
namespace {

Vec3 sum_of(std::span<const VertexWeight> weights, std::span<const Vec3> of) {
    Vec3 sum{};
    for (const VertexWeight& w : weights) sum += w.weight * of[w.vertex];
    return sum;
}

}  // namespace

void DragField::begin_step(std::vector<DragPull> pulls, double t0) {
    pulls_ = std::move(pulls);
    start_ = time_ = t0;
    work_ = 0;
}

/// The trapezoid's rule along the way: stages that go back and forth give back what they took.
void DragField::go_to(DragPull& pull, const Vec3& place, const Vec3& force) {
    if (pull.place) work_ += 0.5 * dot(pull.force + force, place - *pull.place);
    pull.place = place, pull.force = force;
}

void DragField::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                           const Parallel&) {
    for (DragPull& pull : pulls_) {
        const Vec3 place = sum_of(pull.weights, x), velocity = sum_of(pull.weights, v);
        const Vec3 target = pull.target + (time_ - start_) * pull.target_velocity;
        const Vec3 wanted =
            pull.stiffness * (target - place) + pull.damping * (pull.target_velocity - velocity);
        const Vec3 force = into_ball(wanted, pull.max_force);
        go_to(pull, place, force);
        for (const VertexWeight& w : pull.weights) f[w.vertex] += w.weight * force;
    }
}

void DragField::add_stiffness(std::span<const Vec3>, StiffnessBounds bounds) const {
    for (const DragPull& pull : pulls_) {
        double sum = 0;
        for (const VertexWeight& w : pull.weights) sum += std::abs(w.weight);
        for (const VertexWeight& w : pull.weights) {
            bounds.k[w.vertex] += std::abs(w.weight) * sum * pull.stiffness;
            bounds.d[w.vertex] += std::abs(w.weight) * sum * pull.damping;
        }
    }
}

void DragField::end_step(std::span<const Vec3> x, double) {
    for (DragPull& pull : pulls_) go_to(pull, sum_of(pull.weights, x), pull.force);
}

}  // namespace plush
