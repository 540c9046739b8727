#pragma once

#include "bodies/elements/force_field.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/geometry/mesh.hpp"

// A pressure p from inside on a closed surface: E = −p V, so each triangle pushes each of its corners with
// p N/6, N = (b − a) × (c − a) the doubled area. The surface is that of the vertices, or one that they carry.
// Its derivative is left out: it is small beside the stiffness of a body that a pressure does not burst.

namespace plush {

class Pressure final : public ForceField {
public:
    /// `weights` null: triangles of the vertices. It must outlive the field.
    Pressure(double pressure, std::span<const Triangle> triangles, const Embedding* weights)
        : pressure_(pressure), triangles_(triangles.begin(), triangles.end()), weights_(weights) {}

    void add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                    const Parallel& parallel) override;
    double energy(std::span<const Vec3> x) const override;
    void add_pattern(BlockPattern&) const override {}
    void bind(const BlockMatrix&) override {}
    void add_derivatives(std::span<const Vec3>, std::span<const Vec3>, Linearisation&,
                         const Parallel&) override {}
    void add_stiffness(std::span<const Vec3>, StiffnessBounds) const override {}

private:
    std::vector<Vec3> points(std::span<const Vec3> x) const;

    double pressure_;
    std::vector<Triangle> triangles_;
    const Embedding* weights_;
};

}  // namespace plush
