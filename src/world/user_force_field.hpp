#pragma once

#include "bodies/elements/force_field.hpp"
#include "plush/world/world.hpp"

namespace plush {

/// A function of the user as a force field. It has no derivatives: implicit Euler takes it explicitly.
class UserForceField final : public ForceField {
public:
    explicit UserForceField(ForceFunction function) : function_(std::move(function)) {}

    ForceKind force_kind() const override { return ForceKind::outside; }
    std::span<const Vec3> last_forces() const override { return forces_; }
    /// What the world's clock shows when the body's shows 0, s.
    void set_clock(double start) { start_ = start; }
    void set_time(double t) override { time_ = start_ + t; }
    /// Throws an Error where a force is not finite, and whatever the function throws.
    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3>) const override { return 0; }
    void add_pattern(BlockPattern&) const override {}
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3>, std::span<const Vec3>, Linearisation&,
                         const Parallel&) override {}
    void add_stiffness(std::span<const Vec3>, StiffnessBounds) const override {}

private:
    ForceFunction function_;
    std::vector<Vec3> forces_;
    double start_ = 0, time_ = 0;
};

}  // namespace plush
