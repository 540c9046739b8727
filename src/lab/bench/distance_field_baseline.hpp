#pragma once

#include <array>
#include <vector>

#include "bodies/rigid/rigid_body.hpp"
#include "contact/points/point_contact.hpp"
#include "core/parallel.hpp"
#include "geometry/sdf/sdf_grid.hpp"
#include "plush/contact/settings.hpp"

// The baseline of Allard et al. 2010, Figure 8: a rigid body against a precomputed distance field of another, in which
// every vertex that touches, to half a cell of the field, is a contact of its own with three rows. It is no method of the engine, which keeps a
// handful of well spread points or takes the shared volume; it is here to be timed beside them, by the same solver.

namespace plush::lab {

/// Distances of a closed mesh at the corners of so many cells, the most along its longest side; interpolated.
class DistanceField {
public:
    DistanceField(const Mesh& mesh, std::array<int, 3> cells);
    const std::array<int, 3>& cells() const { return cells_; }  ///< along x, y and z
    double cell() const { return grid_.cell; }
    double value(const Vec3& p) const;  ///< infinite beyond the grid
    /// Distance and its gradient; false beyond the grid.
    bool sample(const Vec3& p, double& value, Vec3& gradient) const;

private:
    std::array<int, 3> cells_{};
    Grid grid_{};
    std::vector<float> values_{};
};

/// ms of a step of the baseline, as Table 1 takes it apart.
struct BaselineTimes {
    double detect = 0, model = 0, motion = 0, solve = 0;
};

struct BaselineSettings {
    double step = 0.01;  ///< s
    Vec3 gravity{};
    double friction = 0;
    ContactSettings contact{};
    SolverSettings solver{};
    int threads = 1;
};

/// A rigid body that falls onto a fixed one and level ground at y = 0.
class DistanceFieldBaseline {
public:
    DistanceFieldBaseline(const Shape& moving, const MassProperties& mass, const Placement& placement,
                          const Shape& fixed, const Transform& fixed_pose, std::array<int, 3> cells,
                          const BaselineSettings& settings);
    /// Returns the number of contacts of the velocity solve.
    std::size_t step(BaselineTimes& times);

    const DistanceField& field() const { return field_; }
    double deepest() const { return deepest_; }  ///< after the last step, m
    double kinetic_energy() const { return body_.kinetic_energy(); }
    int sweeps() const { return sweeps_; }  ///< of the last velocity solve

private:
    struct Touch {
        std::uint32_t vertex;
        PointHit hit;
    };
    void measure(std::uint32_t vertex, std::vector<Touch>& found) const;
    std::vector<Touch> search() const;
    void solve_positions(std::span<const Touch> near, BaselineTimes& times);

    BaselineSettings settings_;
    Parallel parallel_;
    DistanceField field_;
    Transform fixed_pose_;
    std::unique_ptr<Body> fixed_;
    RigidBody body_;
    std::vector<Vec3> vertices_;
    std::vector<Vec3> impulses_;  ///< of the last step, by vertex: world vectors, N s
    double deepest_ = 0;
    int sweeps_ = 0;
};

}  // namespace plush::lab
