#include <algorithm>
#include <cmath>

#include "math/svd3.hpp"
#include "world/surface_points.hpp"
#include "world/world_impl.hpp"

// The public functions of a world that touch its bodies at points of their surfaces, and read the forces on them.

namespace plush {

void World::update_queries() {
    to_change(*this)->queries.update(to_change(*this)->parallel);
}
void World::enable_queries(bool enabled) {
    to_change(*this)->queries.enable(enabled);
    if (enabled) update_queries();
}
Vec3 World::position_of(const SurfacePoint& at) const {
    return plush::position_of(to_read(*this)->bodies, at);
}
Vec3 World::velocity_of(const SurfacePoint& at) const {
    return plush::velocity_of(to_read(*this)->bodies, at);
}
SurfacePoint World::surface_point(BodyId body, std::uint32_t triangle, const Vec3& weights) const {
    return make_surface_point(to_read(*this)->bodies, body, triangle, weights);
}
std::vector<VertexWeight> World::weights_of(const SurfacePoint& at) const {
    return plush::weights_of(to_read(*this)->bodies, at);
}
SkinWeights World::skin_weights(BodyId body) const {
    return skin_weights_of(to_read(*this)->bodies.at(body));
}
void World::apply_force(const SurfacePoint& at, const Vec3& force) {
    to_act(*this)->actions.apply_force(at, force);
}
void World::apply_impulse(const SurfacePoint& at, const Vec3& impulse) {
    to_act(*this)->actions.apply_impulse(at, impulse);
}
// -- strain

namespace {

/// Of a tet whose edges from its first vertex were the columns of `rest` and are those of `now`: F = now · rest⁻¹, whose
/// singular values are the stretches along its axes of strain.
double tet_strain(const Mat3& rest, const Mat3& now) {
    if (!(std::abs(determinant(rest)) > 0)) return 0;  // flat at the start: nothing to compare with
    const Vec3 sigma = svd3(now * inverse(rest)).sigma;
    return max_component(abs(sigma - Vec3{1, 1, 1}));
}

}  // namespace

double World::largest_strain(BodyId body) const {
    const BodyRecord& record = to_read(*this)->bodies.at(body);
    if (!record.is_deformable()) return 0;
    const std::span<const Vec3> x = record.deformable().positions(), rest = record.parts.rest;
    double largest = 0;
    const auto edge = [&](int a, int b) {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        const double length = norm(rest[j] - rest[i]);
        if (length > 0) largest = std::max(largest, std::abs(norm(x[j] - x[i]) / length - 1));
    };
    const auto columns = [](std::span<const Vec3> p, const Tet& t) {
        const auto at = [&](std::size_t c) { return p[static_cast<std::size_t>(t[c])]; };
        return transpose(Mat3{{at(1) - at(0), at(2) - at(0), at(3) - at(0)}});
    };
    for (const Tet& t : tets(body)) largest = std::max(largest, tet_strain(columns(rest, t), columns(x, t)));
    if (!tets(body).empty()) return largest;
    for (const Triangle& t : record.deformable().triangles())
        for (std::size_t c = 0; c < 3; ++c) edge(t[c], t[(c + 1) % 3]);
    for (const auto& [a, b] : edges(body)) edge(a, b);
    return largest;
}

// -- forces

std::vector<Wrench> WorldParts::blade_wrenches() const {
    std::vector<Wrench> wrenches;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) wrenches.push_back(cutting.blade_wrench(i));
    return wrenches;
}

namespace {

std::vector<ForceReadings::Pair> pairs_of(const WorldParts& world, Reading reading) {
    if (reading == Reading::last_step) return world.forces.pairs(world.contacts);
    if (!world.forces.smoothed())
        throw Error({.place = "reading",
                     .problem = "forces are not smoothed",
                     .cure = "call smooth_forces() with the time of the mean first"});
    return {world.forces.mean_pairs().begin(), world.forces.mean_pairs().end()};
}

}  // namespace

ContactForce World::contact_force(BodyId body, Reading reading) const {
    const std::uint32_t index = to_read(*this)->bodies.index_of(body);
    return sum_on(pairs_of(*to_read(*this), reading), index);
}
ContactForce World::pair_force(BodyId a, BodyId b, Reading reading) const {
    const std::uint32_t i = to_read(*this)->bodies.index_of(a), j = to_read(*this)->bodies.index_of(b);
    return force_on(pairs_of(*to_read(*this), reading), i, j);
}
std::vector<PairForce> World::pair_forces(Reading reading) const {
    std::vector<PairForce> out;
    for (const ForceReadings::Pair& p : pairs_of(*to_read(*this), reading))
        out.push_back({to_read(*this)->bodies.id(p.i), to_read(*this)->bodies.id(p.j), p.on_i});
    return out;
}
Wrench World::joint_wrench(JointId joint, Reading reading) const {
    const std::uint32_t index = to_read(*this)->joints.index_of(joint);
    if (reading == Reading::last_step) return {joint_force(joint), joint_torque(joint)};
    static_cast<void>(pairs_of(*to_read(*this), reading));
    return to_read(*this)->forces.mean_joint(index);
}
Wrench World::blade_wrench(BodyId blade, Reading reading) const {
    const std::uint32_t index = to_read(*this)->bodies.index_of(blade);
    if (reading == Reading::last_step) return to_read(*this)->cutting.blade_wrench(index);
    static_cast<void>(pairs_of(*to_read(*this), reading));
    return to_read(*this)->forces.mean_blade(index);
}
void World::smooth_forces(double time) {
    if (!(time >= 0 && time <= 1e9))
        throw Error({.place = "time",
                     .problem = "it is out of range",
                     .cure = "give the seconds that the mean is taken over, or 0"});
    to_change(*this)->forces.smooth(time, to_change(*this)->contacts, to_change(*this)->blade_wrenches());
}

// -- drags

DragId World::add_drag(const SurfacePoint& at, const Drag& drag) {
    return add_drag(at, drag, position_of(at));
}
DragId World::add_drag(const SurfacePoint& at, const Drag& drag, const Vec3& target) {
    return to_act(*this)->drags.add(at, drag, target);
}
void World::set_drag_target(DragId drag, const Vec3& target, const Vec3& velocity) {
    to_act(*this)->drags.set_target(drag, target, velocity);
}
void World::remove_drag(DragId drag) {
    to_change(*this)->drags.remove(drag);
}
std::vector<DragId> World::drags() const {
    return to_read(*this)->drags.ids();
}
Vec3 World::drag_force(DragId drag) const {
    return to_read(*this)->drags.record(drag).force;
}
Vec3 World::drag_target(DragId drag) const {
    return to_read(*this)->drags.record(drag).target;
}
SurfacePoint World::drag_point(DragId drag) const {
    return resolve(to_read(*this)->bodies, to_read(*this)->drags.record(drag).at);
}

}  // namespace plush
