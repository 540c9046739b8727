#pragma once

#include <memory>
#include <optional>

#include "plush/geometry/mass.hpp"
#include "plush/geometry/sdf.hpp"

namespace plush {

/// What a rigid, fixed or scripted body is made of: a cheap copy of shared, immutable data. It holds a signed
/// distance, the points that are tested against other bodies' distances, and a mesh to draw.
/// All in the shape's own frame, in metres.
class PLUSH_API Shape {
public:
    Shape();  ///< nothing: a body cannot be made of it

    static Shape sphere(double radius);
    static Shape box(const Vec3& half_size);
    static Shape capsule(double radius, double half_height);     ///< along y
    static Shape cylinder(double radius, double half_height);    ///< along y
    static Shape torus(double ring_radius, double tube_radius);  ///< about y
    /// Everything below the plane through the origin with this outward normal. For fixed and scripted bodies.
    static Shape half_space(const Vec3& normal = {0, 1, 0});
    /// Any signed distance, tested at the vertices of `points`, which is also what is drawn.
    static Shape distance(Sdf sdf, const Mesh& points);
    /// A closed mesh at full detail: its vertices against others, and its distance sampled with
    /// `cells_across`.
    static Shape mesh(const Mesh& mesh, int cells_across = 32);
    static Result<Shape> try_mesh(const Mesh& mesh, int cells_across = 32);

    bool empty() const { return !data_; }
    /// Unbounded shapes (half-spaces) have no mass and cannot move freely.
    bool bounded() const;
    const SignedDistance& distance() const;
    const Mesh& drawn() const;
    Box3 bounds() const;
    /// The radius of the largest ball that is known to fit inside: how far a body may move in a step before
    /// it can pass through something thin.
    double thickness() const;
    /// Of the solid with this density (kg/m³): exact for analytic shapes and for meshes.
    Result<MassProperties> mass(double density) const;

    /// A line that says what the shape is, for messages: "sphere of radius 0.1 m", "mesh of 2,000 triangles".
    std::string name() const;

    struct Data;
    const Data& data() const { return *data_; }

private:
    explicit Shape(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
    std::shared_ptr<const Data> data_;
};

}  // namespace plush
