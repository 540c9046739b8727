#pragma once

#include <map>

#include "plush/bodies/soft.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/scene/scene.hpp"
#include "plush/world/settings.hpp"
#include "scene/boxed.hpp"
#include "scene/visitor.hpp"

// A scene file as structs, key for key. Nothing here is resolved yet: materials and bodies are names, copies
// are not made, meshes not loaded.

namespace plush {

struct RotateSpec {
    Vec3 axis{0, 1, 0};
    double degrees = 0;
    Place place{};

    Quat rotation() const { return from_axis_angle(axis, degrees); }
};

struct SphereSpec {
    double radius = 0.5;
};
struct BoxSpec {
    Vec3 half_size{0.5, 0.5, 0.5};
};
struct CapsuleSpec {
    double radius = 0.5, half_height = 0.5;
};
struct CylinderSpec {
    double radius = 0.5, half_height = 0.5;
};
struct TorusSpec {
    double ring_radius = 0.5, tube_radius = 0.2;
};
struct HalfSpaceSpec {
    Vec3 normal{0, 1, 0};
};

/// How the parts of a solid are joined.
enum class Combine { union_of, intersection, difference };
/// An exact solid, or several that are joined, where it stands in the solid that it is a part of.
struct PartSpec {
    enum class Kind { none = -1, sphere, box, capsule, cylinder, torus, half_space, parts };
    Kind kind = Kind::none;
    SphereSpec sphere{};
    BoxSpec box{};
    CapsuleSpec capsule{};
    CylinderSpec cylinder{};
    TorusSpec torus{};
    HalfSpaceSpec half_space{};
    std::vector<PartSpec> parts{};
    Combine combine = Combine::union_of;
    double round = 0;
    Vec3 at{};
    RotateSpec rotate{};
    int level = 0;  ///< of nesting; no key of a file
    Place place{};
};
/// Parts that are one solid.
struct SolidSpec {
    std::vector<PartSpec> parts{};
    Combine combine = Combine::union_of;
    double round = 0;
    int triangles = 4000;
    Place place{};
};

/// What becomes of a mesh of several closed components.
enum class SplitMesh {
    one_body,     ///< all of them are one body
    overlapping,  ///< those that overlap are one body, the others are bodies of their own
    each          ///< each is a body of its own
};

/// What a body is made of: exactly one of these.
struct ShapeSpec {
    enum class Kind {
        none = -1,
        mesh,
        shape,
        sphere,
        box,
        capsule,
        cylinder,
        torus,
        solid,
        half_space,
        frames
    };
    Kind kind = Kind::none;
    std::string mesh{};
    ImportSettings import_as{};
    int subdivide = 0;
    SplitMesh components = SplitMesh::one_body;
    int component = -1;  ///< the one that this body is; no key of a file (components.hpp)
    GenerateSettings generated{};
    SphereSpec sphere{};
    BoxSpec box{};
    CapsuleSpec capsule{};
    CylinderSpec cylinder{};
    TorusSpec torus{};
    HalfSpaceSpec half_space{};
    SolidSpec solid{};
    int distance_cells = 32;
    bool may_be_open = false;  ///< of a cloth; no key of a file
};

/// A surface by name.
struct MaterialSpec {
    Material surface{};
    std::optional<double> poisson{}, density{};  ///< of bodies made of it that do not say it themselves
    std::string colour{};
    std::optional<int> finish{};
    Place place{};
};

/// How a body's surface behaves and whom it touches.
struct SurfaceSpec {
    std::string material{};
    std::optional<double> friction{}, restitution{};
    std::string colour{};         ///< empty: the material's
    std::optional<int> finish{};  ///< the same
    std::vector<int> groups{0};
    std::vector<int> collides_with{};  ///< all 32 by default, see surface defaults in spec_bodies.cpp
    SurfaceSpec();
};

struct GroundSpec {
    double height = 0;
    SurfaceSpec surface{};
    Place place{};
};
struct RigidSpec {
    Rigid body{};
    ShapeSpec shape{};
    SurfaceSpec surface{};
    std::optional<TetSettings> filling{};  ///< tets, by which it may touch others that have some
    Place place{};
};
struct FixedSpec {
    Fixed body{};
    ShapeSpec shape{};
    SurfaceSpec surface{};
    Place place{};
};
struct KeyframeSpec {
    Keyframe key{};
    RotateSpec rotate{};
    Place place{};
};
struct BladeSpec {
    Blade blade{};
    Place place{};
};
/// Mesh files of one surface, one after the other.
struct FramesSpec {
    std::string files{};
    double rate = 24;
    ImportSettings import_as{};
    Place place{};
};
struct ScriptedSpec {
    Scripted body{};
    ShapeSpec shape{};
    std::optional<FramesSpec> frames{};
    std::vector<KeyframeSpec> keyframes{};
    bool in_body_frame = false;  ///< keyframes move along the body's axes, not along the world's
    std::optional<BladeSpec> blade{};
    SurfaceSpec surface{};
    Place place{};
};
struct FillSpec {
    int count = 1;
    Vec3 low{}, high{};
    int seed = 1;
    Place place{};
};
struct ParticlesSpec {
    Particles body{};
    std::optional<FillSpec> fill{};
    std::optional<SurfaceSettings> law{};
    IntegrationSettings integration{};
    SurfaceSpec surface{};
    Place place{};
};
/// Vertices of a deformable body that are held.
struct PinSpec {
    Vec3 low{}, high{};
    std::string to{};
    std::optional<double> until{};
    Place place{};
};
/// Vertices of a body of springs that keep their shape, by where they are in the body's own frame.
struct ClusterBoxSpec {
    Vec3 low{}, high{};
};
struct ClusterBallSpec {
    Vec3 centre{};
    double radius = 0;
};
struct ClusterSpec {
    std::optional<ClusterBoxSpec> box{};
    std::optional<ClusterBallSpec> ball{};
    MatchSettings match{};
    Place place{};

    bool holds(const Vec3& p) const;
};
/// What deformable bodies have in common.
struct DeformableSpec {
    SurfaceSpec surface{};
    std::optional<SurfaceSettings> law{};
    std::vector<PinSpec> pins{};
    Place place{};

    virtual ~DeformableSpec() = default;
    virtual const Deformable& common() const = 0;
};
/// What the specs of bodies that are made of springs share.
struct SpringBodySpec : DeformableSpec {
    std::vector<ClusterSpec> clusters{};

    virtual const SpringBody& springs() const = 0;
    const Deformable& common() const override { return springs(); }
};
/// Of one kind.
template <class Body>
struct SpringBodyOf : SpringBodySpec {
    Body body{};

    const SpringBody& springs() const override { return body; }
};
using RopeSpec = SpringBodyOf<Rope>;
using JellySpec = SpringBodyOf<Jelly>;
struct ClothSpec : SpringBodyOf<Cloth> {
    ShapeSpec shape{};  ///< none: the rectangle
};
struct ShellsSpec : SpringBodyOf<Shells> {
    ShapeSpec shape{};
};
struct TetBoxSpec {
    Vec3 half_size{0.5, 0.5, 0.5};
    std::array<int, 3> cells{6, 6, 6};
};
struct TetBallSpec {
    double radius = 0.5;
};
/// Where tets come from: exactly one of these.
struct TetsSpec {
    enum class Kind { none = -1, mesh, box, ball };
    Kind kind = Kind::none;
    std::string mesh{};
    std::string_view file_key = "mesh";  ///< what the file's key is called
    ImportSettings import_as{};
    TetBoxSpec box{};
    TetBallSpec ball{};
};
struct TetSpringsSpec : SpringBodyOf<TetSprings> {
    TetsSpec tets{};
};
struct SkinSpec {
    ShapeSpec shape{};
    Place place{};
};
struct ShapeMatchingSpec : DeformableSpec {
    ShapeMatchingSpec() { tets.file_key = "tets"; }
    ShapeMatching body{};
    ShapeSpec shape{};
    TetsSpec tets{};
    std::optional<SkinSpec> skin{};

    const Deformable& common() const override { return body; }
};
struct ElasticRegionSpec {
    ElasticRegion region{};
    Place place{};
};
struct SoftSpec : DeformableSpec {
    SoftSpec() { tets.file_key = "tets"; }
    Soft body{};
    ShapeSpec shape{};               ///< the surface that is filled
    std::optional<SkinSpec> skin{};  ///< a surface in tets that are given
    TetsSpec tets{};
    TetSettings filling{};
    std::vector<ElasticRegionSpec> regions{};

    const Deformable& common() const override { return body; }
};
/// One of the bodies that copies take in turn.
struct VariantSpec {
    Boxed<RigidSpec> rigid{};
    Boxed<FixedSpec> fixed{};
    Boxed<SoftSpec> soft{};
};

enum class Orientation { same, random };

struct RepeatSpec {
    int count = 0;  ///< 0: as many as the grid has places
    Vec3 step{};
    std::optional<std::array<int, 3>> grid{};
    Vec3 spacing{1, 1, 1};
    RotateSpec rotate{};
    double jitter = 0;
    Orientation orientation = Orientation::same;
    int seed = 1;
    Place place{};

    long long copies() const;
};

struct BodySpec {
    Boxed<GroundSpec> ground{};
    Boxed<RigidSpec> rigid{};
    Boxed<FixedSpec> fixed{};
    Boxed<ScriptedSpec> scripted{};
    Boxed<ParticlesSpec> particles{};
    Boxed<RopeSpec> rope{};
    Boxed<ClothSpec> cloth{};
    Boxed<JellySpec> jelly{};
    Boxed<ShellsSpec> shells{};
    Boxed<TetSpringsSpec> tet_springs{};
    Boxed<ShapeMatchingSpec> shape_matching{};
    Boxed<SoftSpec> soft{};
    std::vector<VariantSpec> one_of{};
    std::string name{};
    Vec3 at{};
    RotateSpec rotate{};
    Vec3 velocity{}, angular_velocity{};
    std::optional<RepeatSpec> repeat{};
    Place place{};

    long long copies() const { return repeat ? repeat->copies() : 1; }
    const SoftSpec* soft_body(long long copy) const;             ///< null where that copy is none
    const DeformableSpec* deformable(long long copy = 0) const;  ///< the same
    const SpringBodySpec* spring_body() const;                   ///< the same
};

struct JointRepeatSpec {
    int count = 1;
    Vec3 step{};
};
template <class Joint>
inline constexpr bool takes_vertices =
    std::is_same_v<Joint, BallJoint> || std::is_same_v<Joint, DistanceJoint> ||
    std::is_same_v<Joint, RopeJoint>;
template <class Joint>
concept has_axis = requires(Joint j) {
    j.axis;
};
template <class Joint>
concept has_limits = requires(Joint j) {
    j.limits;
};

/// A joint of one kind, with what it holds on to.
template <class Joint>
struct JointOf {
    std::string a{}, b{};
    int vertex_a = -1, vertex_b = -1;
    Joint joint{};
    std::optional<JointRepeatSpec> repeat{};
    Place place{};

    int copies() const { return repeat ? repeat->count : 1; }
};
struct JointSpec {
    std::optional<JointOf<BallJoint>> ball{};
    std::optional<JointOf<HingeJoint>> hinge{};
    std::optional<JointOf<SliderJoint>> slider{};
    std::optional<JointOf<FixedJoint>> fixed{};
    std::optional<JointOf<DistanceJoint>> distance{};
    std::optional<JointOf<RopeJoint>> rope{};

    /// f(joint) for the one that is there.
    template <class F>
    void visit(F&& f) const {
        if (ball) f(*ball);
        if (hinge) f(*hinge);
        if (slider) f(*slider);
        if (fixed) f(*fixed);
        if (distance) f(*distance);
        if (rope) f(*rope);
    }
};

struct PairSpec {
    std::string a{}, b{};
    std::optional<double> friction{}, restitution{};
    std::optional<int> method{};
    std::optional<bool> collide{};
    Place place{};
};

/// What a variant changes stands under paths that only the user knows; they are applied before the scene is
/// read (variants.cpp), and this is their description alone.
struct OverridesSpec {
    std::string label{};
};

struct CameraKeyframeSpec {
    double time = 0;
    Vec3 position{}, target{};
    double fov = 30;
    Place place{};
};
struct CameraSpec {
    Vec3 position{}, target{};
    double fov = 30;
    std::string follow{};
    double orbit = 0;
    std::vector<CameraKeyframeSpec> keyframes{};
    Place place{};
};
struct PictureSpec {
    std::optional<CameraSpec> camera{};
    std::optional<double> time{};
};

struct SceneSpec {
    int plush = 1;
    std::string name{}, description{};
    double duration = 5;
    double frame_rate = 30;
    std::vector<std::string> record{};
    double record_every = 0;
    std::string meshes{};  ///< a folder; empty: none
    std::string state{};   ///< a file of World::save(); empty: none
    std::optional<PictureSpec> picture{};
    WorldSettings settings{};
    std::map<std::string, MaterialSpec> materials{};
    std::vector<BodySpec> bodies{};
    std::vector<JointSpec> joints{};
    std::vector<PairSpec> pairs{};
    Place place{};
};

void describe(SceneVisitor& v, SceneSpec& s);

}  // namespace plush
