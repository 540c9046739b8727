#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plush/bodies/integration.hpp"
#include "plush/bodies/look.hpp"
#include "plush/core/describe.hpp"
#include "plush/geometry/shape.hpp"

// What a body may be, as plain structs with defaults. The same names stand in scene files: beside each struct is the
// one description of those of its fields that are numbers, words and switches.

namespace plush {

/// How a surface rubs and bounces. Of two touching bodies, friction is the geometric mean of both and
/// restitution the larger of both, unless the pair has a material of its own.
struct Material {
    double friction = 0.5;
    double restitution = 0;
    /// Of volume contact: how stiff the body is against an overlap, Pa. Absent: hard.
    std::optional<double> young{};
};
PLUSH_API void describe(FieldVisitor& v, Material& s);

/// Which bodies may touch: a and b do when a.groups & b.collides_with and b.groups & a.collides_with. 32
/// groups.
struct Filter {
    unsigned groups = 1;
    unsigned collides_with = 0xffffffffu;
};

/// How the orientation of a rigid body is advanced.
enum class RotationMethod {
    momentum,     ///< carries the angular momentum, midpoint exponential map (the default)
    implicit,     ///< implicit gyroscopic step: stable, but damps spin
    first_order,  ///< the lecture's first-order quaternion update without gyroscopic term: for teaching
};

/// Where a body starts.
struct Placement {
    Vec3 position{};  ///< of the shape's origin, m
    Quat rotation{};
    Vec3 velocity{};          ///< of the centre of mass, m/s
    Vec3 angular_velocity{};  ///< world frame, rad/s
};

/// A rigid body that moves freely. Give `mesh` or `shape`.
struct Rigid {
    Mesh mesh{};
    Shape shape{};
    double density = 1000;         ///< kg/m³
    std::optional<double> mass{};  ///< kg, instead of the density
    Material material{};
    Filter filter{};
    bool sensor = false;  ///< touches are reported, nothing is pushed
    double damping = 0;   ///< of velocity and spin, 1/s
    Look look = Look();   // not {}: g++ 12 at -O3 then warns of a string that is not initialised
    std::string name{};
    int distance_cells = 32;  ///< of the sampled distance of a mesh, along its longest side
    /// The same solid as tets, in the same frame: where contact.tets is on, it touches others that have tets
    /// by them. Empty: it has none.
    TetMesh tets{};
};
PLUSH_API void describe(FieldVisitor& v, Rigid& s);

/// A body that never moves.
struct Fixed {
    Mesh mesh{};
    Shape shape{};
    Material material{};
    Filter filter{};
    bool sensor = false;
    Look look = Look();  // not {}: g++ 12 at -O3 then warns of a string that is not initialised
    std::string name{};
    int distance_cells = 32;
};
PLUSH_API void describe(FieldVisitor& v, Fixed& s);

/// How fast a body goes on its way from one keyframe to the next: s(t) of t in 0 … 1.
enum class Easing {
    linear,    ///< t: evenly; the velocity jumps at keyframes
    ease_in,   ///< t²: from rest
    ease_out,  ///< 1 − (1 − t)²: to rest
    smooth,    ///< 3 t² − 2 t³: from rest to rest
};
PLUSH_API std::span<const Choice> easing_choices();

/// Where a scripted body is at a time.
struct Keyframe {
    double time = 0;  ///< since the body was added, s
    Vec3 position{};
    Quat rotation{};
    Easing easing = Easing::linear;  ///< of the way here from the keyframe before
};
/// All but the rotation, which scenes give in degrees.
PLUSH_API void describe(FieldVisitor& v, Keyframe& s);

/// What a scripted body cuts soft ones with, in the body's frame: the plane segment behind a straight edge,
/// or the curved sheet behind an edge of several points. It goes where the body goes, and cuts in every step
/// what it is in.
struct Blade {
    Vec3 from{}, to{};  ///< a straight edge, m
    Vec3 back{};        ///< from the edge to the other end of the sheet, m
    /// Instead of `from` and `to`: a line of straight pieces, m, of two to 1000 points. Where the last point
    /// is the first it is a ring, which punches a plug. Seen along `back` it must not meet itself.
    std::vector<Vec3> edge{};
};
PLUSH_API void describe(FieldVisitor& v, Blade& s);

/// The form of a scripted body at a time.
struct MeshFrame {
    double time = 0;  ///< since the body was added, s
    Mesh mesh{};
};

/// A body whose motion is given by keyframes: positions along straight lines, rotations along the shorter arc, as fast as
/// each keyframe's easing says.
struct Scripted {
    Mesh mesh{};
    Shape shape{};
    std::vector<Keyframe> keyframes{};
    /// Instead of a mesh or a shape: closed meshes of the same triangles at rising times, through which the body is deformed
    /// along straight lines; keyframes, if any, move it on top. To a world it is then deformable (BodyKind), with vertices that
    /// nothing moves but this.
    std::vector<MeshFrame> frames{};
    bool loop = false;  ///< start again after the last keyframe
    Material material{};
    Filter filter{};
    bool sensor = false;
    Look look = Look();  // not {}: g++ 12 at -O3 then warns of a string that is not initialised
    std::string name{};
    int distance_cells = 32;
    /// It cuts the soft bodies that it would touch, instead of touching them. Contact must be by volume.
    std::optional<Blade> blade{};
};
/// All but the keyframes and the blade.
PLUSH_API void describe(FieldVisitor& v, Scripted& s);

/// Small balls that do not rotate: dust, beads, sparks. They touch bodies that have a distance, not one
/// another.
struct Particles {
    std::vector<Vec3> positions{};
    std::vector<Vec3> velocities{};  ///< empty, or one each; m/s
    double mass = 0.001;             ///< of each, kg
    double radius = 0;               ///< m
    double drag = 0;                 ///< force per speed, kg/s
    /// Where given, contact is the force of a surface law (World::set_surface) and this is how they are
    /// advanced; the world then counts them as a deformable body without elements. Before a barrier each
    /// particle takes Verlet steps of its own instead.
    std::optional<IntegrationSettings> integration{};
    Material material{};
    Filter filter{};
    Look look = Look();  // not {}: g++ 12 at -O3 then warns of a string that is not initialised
    std::string name{};
};
/// All but the positions and the integrator.
PLUSH_API void describe(FieldVisitor& v, Particles& s);

}  // namespace plush
