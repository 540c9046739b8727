#pragma once

#include <memory>

#include "contact/fields/surface_field.hpp"
#include "detect/depth_images/surface_clusters.hpp"
#include "geometry/mesh/embedding.hpp"

// Contact at the points of a detailed surface embedded in coarse vertices, p = W x. What the surface field
// says of points is pulled back to vertices: f = Wᵀ f_p, and with the blocks E_p of its derivative
//
//     Wᵀ E W:   block (j, k) = Σ_p w_pj w_pk E_p.
//
// Its rows sum to Σ_p w_pj E_p: that part stands for the force from outside (Linearisation::external), and
// the rest, whose rows sum to zero, goes into the matrix. So balances of momentum hold as they do elsewhere.
//
// Most of a surface touches nothing, and is never deformed. Its points are sorted once into patches of
// neighbours (surface_clusters.hpp); the vertices that carry a patch tell a box that holds it, and where no
// obstacle reaches into it none of its points can feel any. What is left is worked out
// point by point, in the order of the points, so that forces have the bits that they would have with all of
// them.

namespace plush {

class EmbeddedContactSurface final : public ForceField {
public:
    /// `masses` are those of the vertices, which are at x now: neighbours there share a patch.
    EmbeddedContactSurface(std::unique_ptr<SurfaceField> field, std::shared_ptr<const Embedding> weights,
                           std::span<const double> masses, std::span<const Vec3> x);

    ForceKind force_kind() const override { return ForceKind::contact; }
    const Embedding& weights() const { return *weights_; }
    SurfaceField& field() { return *field_; }
    /// A byte a point: set where all vertices that it is embedded in have theirs set.
    std::vector<std::uint8_t> points_of(std::span<const std::uint8_t> vertices) const;
    /// Shares of the vertices' masses: they sum to the mass of all vertices that carry anything.
    std::span<const double> point_masses() const { return masses_; }
    void begin_step(const IntegrationSettings& integration, double h) {
        field_->begin_step(integration, h, masses_);
    }
    /// With the velocities of the vertices.
    void finish_step(std::span<const Vec3> v_before, std::span<const Vec3> v_after);

    void set_time(double t) override { field_->set_time(t); }
    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    void add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                    Linearisation& out, const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    /// Points that are in patches near obstacles with the vertices at x: all that may touch, patch by patch.
    std::vector<std::uint32_t> near_points(std::span<const Vec3> x) const;
    void add_pattern(BlockPattern& pattern) const override;
    void bind(const BlockMatrix& matrix) override;
    void add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                         const Parallel& parallel) override;
    bool agrees_at(const ExpectedEnd& end, const Parallel& parallel) override;
    void add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const override;
    void limit_friction(double part, std::span<const double> masses) override;
    void visit_state(StateVisitor& v) override { field_->visit_state(v); }

private:
    std::span<const SurfaceTouch> find_touches(std::span<const Vec3> x, std::span<const Vec3> v,
                                               const Linearisation* out, const Parallel& parallel);
    void add_forces(std::span<const SurfaceTouch> touches, std::span<Vec3> f);
    void add_derivatives(std::span<const SurfaceTouch> touches, Linearisation& out) const;

    std::unique_ptr<SurfaceField> field_;
    std::shared_ptr<const Embedding> weights_;
    std::vector<double> masses_;
    SurfaceClusters patches_;
    ClusterCages cages_;
    std::vector<std::size_t> first_slot_;
    std::vector<std::uint32_t> slots_;           ///< of each point: all pairs of its vertices
    std::vector<Vec3> points_, speeds_;          ///< of those points that were asked for last
    std::vector<Vec3> end_points_, end_speeds_;  ///< the same where the step is expected to end
};

}  // namespace plush
