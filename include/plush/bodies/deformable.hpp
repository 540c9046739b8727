#pragma once

#include <array>
#include <vector>

#include "plush/bodies/integration.hpp"
#include "plush/bodies/settings.hpp"
#include "plush/bodies/shape_matching.hpp"

// Deformable bodies: vertices with masses, joined by springs or kept in shape. The same names stand in scene
// files.

namespace plush {

enum class SpringLaw {
    absolute,  ///< k (|d| − l₀), k in N/m
    relative,  ///< k (|d| − l₀)/l₀, k in N: the same material whatever the length
};
PLUSH_API std::span<const Choice> spring_law_choices();

/// How bending is resisted.
enum class Bending {
    none,
    springs,  ///< over the next vertex, or across the edge between two triangles
    angles,   ///< torsion springs: on the angle at a vertex (rope) or at an edge (cloth)
};
PLUSH_API std::span<const Choice> bending_choices();

/// Stiffnesses by the law that is chosen: N for the relative one, N/m for the absolute one.
struct SpringMaterial {
    SpringLaw law = SpringLaw::relative;
    double stretch = 100;  ///< along edges
    double shear = 50;     ///< along diagonals
    double bend = 1;       ///< N m for Bending::angles, as above for Bending::springs
    Bending bending = Bending::springs;
    double damping = 0;  ///< k_d of every spring, kg/s
    double volume = 0;   ///< resistance of the volume, of each tet or of the whole closed surface, Pa
    /// kg/m for ropes, kg/m² for cloth, kg/m³ for solids.
    double density = 1;
    std::optional<double> mass{};  ///< kg in all, instead of the density
};
PLUSH_API void describe(FieldVisitor& v, SpringMaterial& s);

/// What deformable bodies of every kind have.
struct DeformableSettings {
    IntegrationSettings integration{};
    double damping = 0;  ///< in proportion to mass: f = −damping m v, 1/s
    double radius = 0;   ///< contact sees each vertex as a ball of this radius, m
    /// The air: its velocity (m/s) and density × drag coefficient (kg/m³). Each triangle of area A and normal
    /// n feels the force drag A ((wind − v)·n) s n with the speed scale s = 1 m/s, shared by its corners,
    /// each with its own v.
    Vec3 wind{};
    double drag = 0;
};
PLUSH_API void describe(FieldVisitor& v, DeformableSettings& s);

/// Conditions on positions, set right after each step or substep: of `verlet` and `time_corrected_verlet`,
/// which carry no velocity. Other integrators are refused.
struct ConstraintSettings {
    bool inextensible = false;  ///< the edges that `stretch` is of keep their length
    /// Or they grow to at most this many times their length, 1 or more; shorter they may be.
    std::optional<double> max_stretch{};
    /// Vertices that are inside another body's surface are put on it, with friction and without a bounce,
    /// instead of being held off by forces.
    bool obstacles = false;
    int iterations = 20;  ///< passes over all conditions: more is stiffer

    bool any() const { return inextensible || max_stretch || obstacles; }
};
PLUSH_API void describe(FieldVisitor& v, ConstraintSettings& s);

/// What every deformable body has besides its form.
struct Deformable {
    DeformableSettings motion{};
    Material material{};
    Filter filter{};
    Look look = Look();  // not {}: g++ 12 at -O3 then warns of a string that is not initialised
    std::string name{};
    bool self_contact = false;  ///< it touches itself too, where contact is by volume
    /// kg of each vertex, instead of densities and masses, where it is not empty. Vertices are counted along
    /// a rope; along side_x first; along x first, then y, then z; or as in the mesh, shells one after the
    /// other.
    std::vector<double> masses{};
};
PLUSH_API void describe(FieldVisitor& v, Deformable& s);

/// What deformable bodies that are made of springs have.
struct SpringBody : Deformable {
    SpringMaterial springs{};
    ConstraintSettings constraints{};
};
PLUSH_API void describe(FieldVisitor& v, SpringBody& s);

/// `segments` springs in a row.
struct Rope : SpringBody {
    Vec3 from{0, 0, 0}, to{1, 0, 0};  ///< m
    int segments = 20;
};
PLUSH_API void describe(FieldVisitor& v, Rope& s);

/// A rectangle of nx × ny vertices, or any triangle mesh.
struct Cloth : SpringBody {
    Vec3 corner{-0.5, 0, -0.5}, side_x{1, 0, 0}, side_y{0, 0, 1};  ///< m
    std::array<int, 2> vertices{21, 21};
    Mesh mesh{};  ///< instead of the rectangle, where it is not empty
};
PLUSH_API void describe(FieldVisitor& v, Cloth& s);

/// A box of cells with springs on all edges and diagonals.
struct Jelly : SpringBody {
    Vec3 low{-0.5, 0, -0.5}, high{0.5, 1, 0.5};  ///< m
    std::array<int, 3> cells{6, 6, 6};
};
PLUSH_API void describe(FieldVisitor& v, Jelly& s);

/// A closed surface that shells of springs inside it (or outside) keep in shape.
struct Shells : SpringBody {
    Mesh mesh{};
    int shells = 1;         ///< 0: the surface alone
    double offset = -0.05;  ///< from each shell to the next along the normals, m; negative is inwards
};
PLUSH_API void describe(FieldVisitor& v, Shells& s);

/// Springs on the edges of a tet mesh.
struct TetSprings : SpringBody {
    TetMesh mesh{};
};

/// Vertices that keep a shape instead of being joined by springs, of a cloud of points, a triangle mesh or a
/// tet mesh: one of the three.
struct ShapeMatching : Deformable {
    std::vector<Vec3> points{};
    Mesh mesh{};
    TetMesh tets{};
    double density = 1000;         ///< kg/m³
    std::optional<double> mass{};  ///< kg in all, instead of the density; a cloud and an open mesh need it
    MatchSettings match{};
    ClusterSettings clusters{};
    Mesh skin{};  ///< a detailed surface, embedded in the vertices and drawn in their place
    /// What others touch, where the body is a single cluster: it has the place and the turn of the rest shape
    /// and does not deform. Empty: made of the skin or the mesh, where that is closed; give one to share it.
    Shape shape{};
    bool touched = true;  ///< false: there is no such shape; its own vertices touch others all the same
};
PLUSH_API void describe(FieldVisitor& v, ShapeMatching& s);

}  // namespace plush
