#pragma once

#include "bodies/elements/force_field.hpp"
#include "plush/world/surface_point.hpp"

// Drags of a body whose integrator takes substeps, as a force in each of its stages:
//
//     f = k (T(t) − p) + d (V − w),   |f| ≤ F.
//
// A force held through a whole step would act on vibrations that swing many times within it, and would feed as many of them as it
// damps. Stiffness and damping are bounded by what the point itself weighs (Drags::push_explicitly), so that they ask for a
// few substeps and no more.

namespace plush {

struct DragPull {
    std::vector<VertexWeight> weights{};
    double stiffness = 0, damping = 0, max_force = 0;
    Vec3 target{}, target_velocity{};  ///< at the start of the step
    Vec3 force{};                      ///< of the last evaluation, N
    std::optional<Vec3> place{};       ///< where that was, m
};

class DragField final : public ForceField {
public:
    ForceKind force_kind() const override { return ForceKind::outside; }
    /// Of a step that starts at the body's time t0.
    void begin_step(std::vector<DragPull> pulls, double t0);
    std::span<const DragPull> pulls() const { return pulls_; }
    double work() const { return work_; }  ///< in the last step, J: f along the way of its point

    void set_time(double t) override { time_ = t; }
    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3>) const override { return 0; }
    void add_pattern(BlockPattern&) const override {}
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3>, std::span<const Vec3>, Linearisation&,
                         const Parallel&) override {}
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    void end_step(std::span<const Vec3> x, double h) override;

private:
    void go_to(DragPull& pull, const Vec3& place, const Vec3& force);

    std::vector<DragPull> pulls_;
    double start_ = 0, time_ = 0, work_ = 0;
};

}  // namespace plush
