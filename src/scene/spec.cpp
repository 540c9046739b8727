#include "scene/spec.hpp"

#include <limits>
#include <numeric>

// The one description of scene files. The reader, the schema and the reference page are visitors of it.

namespace plush {

// Sizes beyond these are mistakes of units, and would end in overflow far from their cause.
constexpr double largest_length = 1e6;   // m
constexpr double largest_speed = 1e6;    // m/s, rad/s
constexpr double largest_density = 1e9;  // kg/m³
constexpr double largest_int = std::numeric_limits<int>::max();

SurfaceSpec::SurfaceSpec() : collides_with(32) {
    std::iota(collides_with.begin(), collides_with.end(), 0);
}

long long RepeatSpec::copies() const {
    if (count > 0 || !grid) return count;
    return static_cast<long long>((*grid)[0]) * (*grid)[1] * (*grid)[2];
}

namespace {

FieldInfo length(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = 0,
            .max = largest_length,
            .min_excluded = true,
            .required = required};
}
FieldInfo position(std::string_view key, std::string_view text, bool required = false) {
    return {.key = key,
            .unit = "m",
            .text = text,
            .min = -largest_length,
            .max = largest_length,
            .required = required};
}

}  // namespace

void describe(SceneVisitor& v, RotateSpec& s) {
    v.place(s.place);
    v.vector({.key = "axis", .text = "to turn about, of any length but zero"}, s.axis);
    v.field({.key = "degrees",
             .unit = "°",
             .text = "counter-clockwise, seen against the axis",
             .min = -1e6,
             .max = 1e6,
             .required = true},
            s.degrees);
}

void describe(SceneVisitor& v, SphereSpec& s) {
    v.field(length("radius", "about the origin", true), s.radius);
}
void describe(SceneVisitor& v, BoxSpec& s) {
    v.vector(length("half_size", "half of each side", true), s.half_size);
}
void describe(SceneVisitor& v, CapsuleSpec& s) {
    v.field(length("radius", "of the round bar", true), s.radius);
    v.field(length("half_height", "from the origin to the centre of a cap, along y", true), s.half_height);
}
void describe(SceneVisitor& v, CylinderSpec& s) {
    v.field(length("radius", "about the y axis", true), s.radius);
    v.field(length("half_height", "from the origin to an end, along y", true), s.half_height);
}
void describe(SceneVisitor& v, TorusSpec& s) {
    v.field(length("ring_radius", "from the y axis to the middle of the tube", true), s.ring_radius);
    v.field(length("tube_radius", "of the tube; below the ring radius", true), s.tube_radius);
}
void describe(SceneVisitor& v, HalfSpaceSpec& s) {
    v.vector({.key = "normal", .text = "points out of the solid, of any length but zero"}, s.normal);
}

namespace {

/// The shape's name is a choice here, and not required: it is one of several ways to say what a body is made
/// of. The other fields of GenerateSettings pass through.
class AllButTheName final : public FieldVisitor {
public:
    explicit AllButTheName(SceneVisitor& v) : v_(v) {}
    void field(const FieldInfo& info, int& value) override { v_.field(info, value); }
    void field(const FieldInfo& info, double& value) override { v_.field(info, value); }
    void field(const FieldInfo& info, bool& value) override { v_.field(info, value); }
    void field(const FieldInfo& info, std::optional<double>& value) override { v_.field(info, value); }
    void field(const FieldInfo&, std::string&) override {}
    void numbers(const FieldInfo& info, std::span<double> values) override { v_.numbers(info, values); }
    void words(const FieldInfo& info, std::vector<std::string>& values) override { v_.words(info, values); }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        v_.choice(info, value, choices);
    }

protected:
    bool begin_group(const FieldInfo&) override { return false; }
    void end_group() override {}
    std::size_t begin_list(const FieldInfo&, std::size_t size) override { return size; }
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override {}

private:
    SceneVisitor& v_;
};

void describe_generated(SceneVisitor& v, GenerateSettings& s) {
    std::vector<Choice> names;
    for (const ShapeName& shape : shape_names())
        names.push_back({shape.name, static_cast<int>(names.size()), shape.text});
    std::optional<int> chosen;
    v.optional_choice({.key = "shape", .text = "a generated mesh, by name"}, chosen, names);
    if (chosen) s.shape = std::string(names[static_cast<std::size_t>(*chosen)].word);
    AllButTheName rest(v);
    describe(rest, s);
}

void describe_shape(SceneVisitor& v, ShapeSpec& s, bool can_be_unbounded) {
    const int kind =
        can_be_unbounded
            ? v.exactly_one_of(
                  {"mesh", "shape", "sphere", "box", "capsule", "cylinder", "torus", "half_space"})
            : v.exactly_one_of({"mesh", "shape", "sphere", "box", "capsule", "cylinder", "torus"});
    s.kind = static_cast<ShapeSpec::Kind>(kind);
    v.only_with("import", "mesh");
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    v.file({.key = "mesh", .text = "a mesh file (OBJ, OFF, PLY, STL, MSH, MESH), relative to this file"},
           s.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.import_as);
    describe_generated(v, s.generated);
    v.group({.key = "sphere", .text = "an exact ball"}, s.sphere);
    v.group({.key = "box", .text = "an exact box"}, s.box);
    v.group({.key = "capsule", .text = "an exact capsule along y"}, s.capsule);
    v.group({.key = "cylinder", .text = "an exact cylinder along y"}, s.cylinder);
    v.group({.key = "torus", .text = "an exact ring about y"}, s.torus);
    if (can_be_unbounded)
        v.group({.key = "half_space", .text = "everything behind a plane through the origin"}, s.half_space);
    v.field({.key = "distance_cells",
             .text = "cells of a mesh's sampled distance, along its longest side",
             .min = 4,
             .max = 256},
            s.distance_cells);
}

void describe_surface(SceneVisitor& v, SurfaceSpec& s) {
    v.field({.key = "material", .text = "the name of one of the materials"}, s.material);
    v.field({.key = "friction", .text = "instead of the material's", .min = 0, .max = 1e6}, s.friction);
    v.field({.key = "restitution", .text = "instead of the material's", .min = 0, .max = 1}, s.restitution);
    v.indices({.key = "groups", .text = "groups that the body belongs to", .min = 0, .max = 31}, s.groups);
    v.indices({.key = "collides_with", .text = "groups that it touches", .min = 0, .max = 31},
              s.collides_with);
}

void describe_sensor(SceneVisitor& v, bool& sensor) {
    v.field({.key = "sensor", .text = "reports touches and pushes nothing"}, sensor);
}

}  // namespace

void describe(SceneVisitor& v, GroundSpec& s) {
    v.place(s.place);
    v.field(position("height", "of the level surface"), s.height);
    describe_surface(v, s.surface);
}

void describe(SceneVisitor& v, RigidSpec& s) {
    v.place(s.place);
    describe_shape(v, s.shape, false);
    v.at_most_one_of({"density", "mass"});
    v.field({.key = "density",
             .unit = "kg/m³",
             .text = "of the whole solid",
             .min = 0,
             .max = largest_density,
             .min_excluded = true},
            s.density);
    v.field({.key = "mass",
             .unit = "kg",
             .text = "instead of the density",
             .min = 0,
             .max = 1e12,
             .min_excluded = true},
            s.mass);
    describe_surface(v, s.surface);
    describe_sensor(v, s.sensor);
    v.field({.key = "damping",
             .unit = "1/s",
             .text = "rate at which velocity and spin die away",
             .min = 0,
             .max = 1e6},
            s.damping);
}

void describe(SceneVisitor& v, FixedSpec& s) {
    v.place(s.place);
    describe_shape(v, s.shape, true);
    describe_surface(v, s.surface);
    describe_sensor(v, s.sensor);
}

void describe(SceneVisitor& v, KeyframeSpec& s) {
    v.place(s.place);
    v.field({.key = "time",
             .unit = "s",
             .text = "later than the keyframe before",
             .min = 0,
             .max = 1e9,
             .required = true},
            s.time);
    v.vector(position("position", "of the shape's origin, from the body's `at`"), s.position);
    v.group({.key = "rotate", .text = "orientation, on top of the body's `rotate`"}, s.rotate);
}

void describe(SceneVisitor& v, ScriptedSpec& s) {
    v.place(s.place);
    describe_shape(v, s.shape, true);
    v.list({.key = "keyframes",
            .text = "where the body is when; straight lines and shortest turns between",
            .required = true},
           s.keyframes);
    v.field({.key = "loop", .text = "start again after the last keyframe"}, s.loop);
    describe_surface(v, s.surface);
    describe_sensor(v, s.sensor);
}

void describe(SceneVisitor& v, FillSpec& s) {
    v.place(s.place);
    v.field({.key = "count", .text = "how many", .min = 1, .max = 10'000'000, .required = true}, s.count);
    v.vector(position("low", "corner of the box that they are scattered in", true), s.low);
    v.vector(position("high", "the opposite corner", true), s.high);
    v.field({.key = "seed", .text = "another seed scatters them differently", .min = 0, .max = largest_int},
            s.seed);
}

void describe(SceneVisitor& v, ParticlesSpec& s) {
    v.place(s.place);
    v.exactly_one_of({"positions", "fill"});
    v.points(position("positions", "one each"), s.positions);
    v.group({.key = "fill", .text = "scatter them at random in a box"}, s.fill);
    v.field({.key = "mass", .unit = "kg", .text = "of each", .min = 0, .max = 1e12, .min_excluded = true},
            s.mass);
    v.field({.key = "radius", .unit = "m", .text = "of each", .min = 0, .max = largest_length}, s.radius);
    v.field(
        {.key = "drag", .unit = "kg/s", .text = "force against the motion, by speed", .min = 0, .max = 1e12},
        s.drag);
    for (const std::string_view key :
         {"integrator", "step_policy", "most_substeps", "solve_tolerance", "solve_iterations"})
        v.only_with(key, "surface");
    v.group({.key = "surface", .text = "forces hold them off surfaces, by one of these laws"}, s.law);
    describe(v, s.integration);
    describe_surface(v, s.surface);
}

void describe(SceneVisitor& v, PinSpec& s) {
    v.place(s.place);
    v.vector(position("low", "a corner of a box; vertices in it are held", true), s.low);
    v.vector(position("high", "the opposite corner", true), s.high);
    v.field(
        {.key = "to",
         .text =
             "the name of the body that they are part of: a rigid one feels their pull; default: they stay"},
        s.to);
    v.field({.key = "until",
             .unit = "s",
             .text = "when they are let go; default: never",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.until);
}

void describe(SceneVisitor& v, ConstraintsSpec& s) {
    v.place(s.place);
    v.at_most_one_of({"inextensible", "most_stretch"});
    describe(v, s.settings);
}

void describe(SceneVisitor& v, ClusterBoxSpec& s) {
    v.vector(position("low", "a corner", true), s.low);
    v.vector(position("high", "the opposite corner", true), s.high);
}

void describe(SceneVisitor& v, ClusterBallSpec& s) {
    v.vector(position("centre", "of the ball", true), s.centre);
    v.field({.key = "radius",
             .unit = "m",
             .text = "of the ball",
             .min = 0,
             .max = largest_length,
             .required = true},
            s.radius);
}

void describe(SceneVisitor& v, ClusterSpec& s) {
    v.place(s.place);
    v.exactly_one_of({"box", "ball"});
    v.group({.key = "box", .text = "vertices in it, in the body's own frame"}, s.box);
    v.group({.key = "ball", .text = "the same, in a ball"}, s.ball);
    describe(v, s.match);
}

bool ClusterSpec::holds(const Vec3& p) const {
    if (box) return Box3{box->low, box->high}.contains(p);
    return ball && norm(p - ball->centre) <= ball->radius;
}

namespace {

void describe_deformable(SceneVisitor& v, DeformableSpec& s) {
    describe(v, s.motion);
    v.group({.key = "constraints",
             .text = "conditions on positions, for the integrators verlet and time_corrected_verlet"},
            s.constraints);
    describe_surface(v, s.surface);
    v.group({.key = "surface", .text = "what holds its vertices off surfaces, instead of `contact.surface`"},
            s.law);
    v.list({.key = "pins", .text = "vertices that are held, by where they are in the world at the start"},
           s.pins);
}

void describe_springs_body(SceneVisitor& v, DeformableSpec& s) {
    describe(v, s.springs);
    describe_deformable(v, s);
    v.list({.key = "clusters", .text = "vertices that keep the shape they have at the start"}, s.clusters);
}

/// A mesh file or a generated mesh. The rule of how many of "mesh" and "shape" there must be is the caller's.
void describe_surface_mesh(SceneVisitor& v, ShapeSpec& s, std::string_view file_text) {
    v.only_with("import", "mesh");
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    v.file({.key = "mesh", .text = file_text}, s.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.import_as);
    describe_generated(v, s.generated);
}

}  // namespace

void describe(SceneVisitor& v, RopeSpec& s) {
    v.place(s.place);
    v.vector(position("from", "one end"), s.from);
    v.vector(position("to", "the other end"), s.to);
    v.field({.key = "segments", .text = "springs in a row", .min = 1, .max = 1e6}, s.segments);
    describe_springs_body(v, s);
}

void describe(SceneVisitor& v, ClothSpec& s) {
    v.place(s.place);
    s.shape.may_be_open = true;
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.at_most_one_of({"mesh", "shape"}));
    for (const std::string_view key : {"mesh", "shape"})
        v.not_with(key, {"corner", "side_x", "side_y", "vertices_x", "vertices_y"});
    describe_surface_mesh(v, s.shape,
                          "instead of the rectangle: a mesh file, open or closed, relative to this file");
    v.vector(position("corner", "of the rectangle"), s.corner);
    v.vector(position("side_x", "one side, from that corner"), s.side_x);
    v.vector(position("side_y", "the other side"), s.side_y);
    v.field({.key = "vertices_x", .text = "along side_x", .min = 2, .max = 10000}, s.vertices_x);
    v.field({.key = "vertices_y", .text = "along side_y", .min = 2, .max = 10000}, s.vertices_y);
    describe_springs_body(v, s);
}

void describe(SceneVisitor& v, JellySpec& s) {
    v.place(s.place);
    v.vector(position("low", "a corner of the box"), s.low);
    v.vector(position("high", "the opposite corner"), s.high);
    v.counts({.key = "cells", .text = "along x, y and z; default: 6 each", .min = 1, .max = 200}, s.cells);
    describe_springs_body(v, s);
}

void describe(SceneVisitor& v, ShellsSpec& s) {
    v.place(s.place);
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.exactly_one_of({"mesh", "shape"}));
    describe_surface_mesh(v, s.shape, "a closed mesh file, relative to this file");
    v.field({.key = "shells", .text = "copies of the surface that keep it in shape", .min = 0, .max = 100},
            s.shells);
    v.field({.key = "offset",
             .unit = "m",
             .text = "from each shell to the next along the normals; negative is inwards",
             .min = -1e6,
             .max = 1e6},
            s.offset);
    describe_springs_body(v, s);
}

void describe(SceneVisitor& v, TetBoxSpec& s) {
    v.vector(length("half_size", "half of each side", true), s.half_size);
    v.counts({.key = "cells",
              .text = "along x, y and z, of five tets each; default: 6 each",
              .min = 1,
              .max = 200},
             s.cells);
}

void describe(SceneVisitor& v, TetSpringsSpec& s) {
    v.place(s.place);
    s.tets.kind = static_cast<TetsSpec::Kind>(v.exactly_one_of({"mesh", "box"}));
    v.only_with("import", "mesh");
    v.file({.key = "mesh", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.tets.import_as);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    describe_springs_body(v, s);
}

void describe(SceneVisitor& v, SkinSpec& s) {
    v.place(s.place);
    s.shape.may_be_open = true;
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.exactly_one_of({"mesh", "shape"}));
    describe_surface_mesh(v, s.shape, "a mesh file, relative to this file");
}

void describe(SceneVisitor& v, ShapeMatchingSpec& s) {
    v.place(s.place);
    const int kind = v.exactly_one_of({"mesh", "shape", "points", "box", "tets"});
    s.shape.may_be_open = true;
    if (kind == 0 || kind == 1) s.shape.kind = static_cast<ShapeSpec::Kind>(kind);
    if (kind == 3) s.tets.kind = TetsSpec::Kind::box;
    if (kind == 4) s.tets.kind = TetsSpec::Kind::mesh;
    v.points(position("points", "a cloud of vertices"), s.points);
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    v.not_with("import", {"shape", "points", "box"});
    v.file({.key = "mesh", .text = "a triangle mesh, open or closed, relative to this file"}, s.shape.mesh);
    v.file({.key = "tets", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.shape.import_as);
    s.tets.import_as = s.shape.import_as;
    describe_generated(v, s.shape.generated);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    v.field({.key = "density",
             .unit = "kg/m³",
             .text = "of the volume inside",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.springs.density);
    v.field({.key = "mass",
             .unit = "kg",
             .text = "in all, instead of the density; clouds and open meshes need it",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.springs.mass);
    describe(v, s.match);
    describe(v, s.clustering);
    v.group({.key = "skin", .text = "a detailed surface that the vertices carry, drawn in their place"},
            s.skin);
    v.field({.key = "touched",
             .text = "others feel its rest shape, where it is one cluster and closed; false: only its own "
                     "vertices touch others"},
            s.touched);
    describe_deformable(v, s);
}

void describe(SceneVisitor& v, ElasticRegionSpec& s) {
    v.place(s.place);
    v.vector(position("low", "a corner of the region, of the body at rest"), s.region.box.low);
    v.vector(position("high", "the opposite corner"), s.region.box.high);
    describe(v, s.region.material);
}

void describe(SceneVisitor& v, SoftSpec& s) {
    v.place(s.place);
    const int kind = v.exactly_one_of({"mesh", "shape", "tets", "box"});
    if (kind == 0 || kind == 1) s.shape.kind = static_cast<ShapeSpec::Kind>(kind);
    if (kind == 2 || kind == 3) s.tets.kind = static_cast<TetsSpec::Kind>(kind - 2);
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    for (const std::string_view key : {"method", "conforming", "nodes", "edge", "cells_across"})
        v.not_with(key, {"tets", "box"});
    v.not_with("skin", {"mesh", "shape"});
    v.not_with("import", {"shape", "box"});
    v.file({.key = "mesh", .text = "a closed surface, relative to this file: it is filled with tets"},
           s.shape.mesh);
    v.file({.key = "tets", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the files"}, s.shape.import_as);
    s.tets.import_as = s.shape.import_as;
    describe_generated(v, s.shape.generated);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    v.group({.key = "skin",
             .text = "a detailed closed surface that the tets carry: drawn and touched in their place"},
            s.skin);
    describe(v, s.filling);
    describe(v, s.elastic);
    v.field({.key = "mass",
             .unit = "kg",
             .text = "in all, instead of the density",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.mass);
    v.field({.key = "by_skin",
             .text = "tets that are partly outside of the surface have the mass and the stiffness of the "
                     "part inside"},
            s.by_skin);
    v.field({.key = "pressure", .unit = "Pa", .text = "from inside", .min = -1e12, .max = 1e12}, s.pressure);
    v.list({.key = "regions", .text = "parts of another material; where they overlap the last holds"},
           s.regions);
    v.field(
        {.key = "static", .text = "no inertia: every step ends in equilibrium (the integrator quasi_static)"},
        s.at_rest);
    describe_deformable(v, s);
    if (s.at_rest) s.motion.integration.method = IntegrationMethod::quasi_static;
}

const DeformableSpec* BodySpec::deformable() const {
    if (soft) return &*soft;
    if (shape_matching) return &*shape_matching;
    if (rope) return &*rope;
    if (cloth) return &*cloth;
    if (jelly) return &*jelly;
    if (tet_springs) return &*tet_springs;
    return shells ? &*shells : nullptr;
}

void describe(SceneVisitor& v, VariantSpec& s) {
    v.exactly_one_of({"rigid", "fixed"});
    v.group({.key = "rigid", .text = "a body that moves freely"}, s.rigid);
    v.group({.key = "fixed", .text = "a body that never moves"}, s.fixed);
}

void describe(SceneVisitor& v, RepeatSpec& s) {
    static constexpr std::array orientations{
        Choice{"same", static_cast<int>(Orientation::same), "all alike, or turned step by step by `rotate`"},
        Choice{"random", static_cast<int>(Orientation::random), "each turned at random"},
    };
    v.place(s.place);
    v.at_most_one_of({"step", "grid"});
    v.only_with("spacing", "grid");
    v.field({.key = "count",
             .text = "how many in all; default: as many as the grid has places",
             .min = 1,
             .max = 1e6},
            s.count);
    v.vector(position("step", "from each copy to the next"), s.step);
    v.counts({.key = "grid",
              .text = "places along x, y and z; layer by layer upward, centred on `at` in x and z",
              .min = 1,
              .max = 1e6},
             s.grid);
    v.vector(position("spacing", "between places of the grid"), s.spacing);
    v.group({.key = "rotate", .text = "each copy is turned by this much more than the one before"}, s.rotate);
    v.field({.key = "jitter",
             .unit = "m",
             .text = "each is moved at random by up to this along each axis",
             .min = 0,
             .max = largest_length},
            s.jitter);
    v.choice({.key = "orientation", .text = "how the copies are turned"}, s.orientation, orientations);
    v.field({.key = "seed", .text = "of jitter and random orientations", .min = 0, .max = largest_int},
            s.seed);
}

void describe(SceneVisitor& v, BodySpec& s) {
    v.place(s.place);
    v.exactly_one_of({"ground", "rigid", "fixed", "scripted", "particles", "rope", "cloth", "jelly", "shells",
                      "tet_springs", "shape_matching", "soft", "one_of"});
    v.only_with("one_of", "repeat");
    v.group({.key = "ground", .text = "a level floor without end"}, s.ground);
    v.group({.key = "rigid", .text = "a body that moves freely"}, s.rigid);
    v.group({.key = "fixed", .text = "a body that never moves"}, s.fixed);
    v.group({.key = "scripted", .text = "a body that moves as its keyframes say"}, s.scripted);
    v.group({.key = "particles", .text = "small balls that do not rotate and do not touch one another"},
            s.particles);
    v.group({.key = "rope", .text = "springs in a row"}, s.rope);
    v.group({.key = "cloth", .text = "a rectangle of springs, or springs on any triangle mesh"}, s.cloth);
    v.group({.key = "jelly", .text = "a box of cells with springs on all edges and diagonals"}, s.jelly);
    v.group({.key = "shells", .text = "a closed surface of springs, kept in shape by shells of springs"},
            s.shells);
    v.group({.key = "tet_springs", .text = "springs on the edges of a tet mesh"}, s.tet_springs);
    v.group({.key = "shape_matching", .text = "vertices that keep their shape in clusters, without springs"},
            s.shape_matching);
    v.group({.key = "soft", .text = "an elastic body of tets, in which a detailed surface may be embedded"},
            s.soft);
    v.list({.key = "one_of", .text = "bodies that the copies of `repeat` take in turn"}, s.one_of);
    v.field({.key = "name",
             .text = "for joints, pairs and messages; copies are called \"name 1\", \"name 2\", …"},
            s.name);
    v.vector(position("at", "position of the shape's origin"), s.at);
    v.group({.key = "rotate", .text = "orientation"}, s.rotate);
    v.vector({.key = "velocity",
              .unit = "m/s",
              .text = "at the start",
              .min = -largest_speed,
              .max = largest_speed},
             s.velocity);
    v.vector({.key = "angular_velocity",
              .unit = "rad/s",
              .text = "at the start, of rigid bodies",
              .min = -largest_speed,
              .max = largest_speed},
             s.angular_velocity);
    v.group({.key = "repeat", .text = "makes many of it"}, s.repeat);
}

void describe(SceneVisitor& v, JointRepeatSpec& s) {
    v.field({.key = "count", .text = "how many in all", .min = 1, .max = 1e6, .required = true}, s.count);
    v.vector(position("step", "by which the anchors move from each joint to the next"), s.step);
}

template <class Joint>
void describe(SceneVisitor& v, JointOf<Joint>& s) {
    v.place(s.place);
    v.field({.key = "a", .text = "the name of a body", .required = true}, s.a);
    v.field({.key = "b", .text = "the name of another; without it, the joint holds on to the world"}, s.b);
    if constexpr (takes_vertices<Joint>) {
        const auto vertex = [](std::string_view key) {
            return FieldInfo{.key = key,
                             .text = "of a deformable body: the vertex that is held; −1 for other bodies",
                             .min = -1,
                             .max = largest_int};
        };
        v.field(vertex("vertex_a"), s.vertex_a);
        v.field(vertex("vertex_b"), s.vertex_b);
    }
    describe(v, s.joint);
    v.group({.key = "repeat",
             .text = "more of them, each between the next copies of repeated bodies: \"link 1\" and "
                     "\"link 2\", then \"link 2\" and \"link 3\", …"},
            s.repeat);
}

void describe(SceneVisitor& v, JointSpec& s) {
    v.exactly_one_of({"ball", "hinge", "slider", "fixed", "distance", "rope"});
    v.group({.key = "ball", .text = "holds a point of a on a point of b; both may turn"}, s.ball);
    v.group({.key = "hinge", .text = "turns about one axis"}, s.hinge);
    v.group({.key = "slider", .text = "slides along one axis and does not turn"}, s.slider);
    v.group({.key = "fixed", .text = "holds both as they are"}, s.fixed);
    v.group({.key = "distance", .text = "keeps two points at a distance, or drives it"}, s.distance);
    v.group({.key = "rope", .text = "keeps two points from being farther apart than its length"}, s.rope);
}

void describe(SceneVisitor& v, PairSpec& s) {
    v.place(s.place);
    v.field({.key = "a", .text = "the name of a body; of a repeated one, all its copies", .required = true},
            s.a);
    v.field({.key = "b", .text = "the name of another", .required = true}, s.b);
    v.field({.key = "friction", .text = "between these two", .min = 0, .max = 1e6}, s.friction);
    v.field({.key = "restitution", .text = "between these two", .min = 0, .max = 1}, s.restitution);
    v.optional_choice({.key = "method", .text = "the contact method between these two"}, s.method,
                      contact_method_words());
    v.field({.key = "collide", .text = "false: they pass through each other"}, s.collide);
}

void describe(SceneVisitor& v, OverridesSpec& s) {
    v.field({.key = "label", .text = "what pictures and reports call it; default: its name"}, s.label);
    v.any_other_key(
        "any path of --set, such as `step` or `bodies[2].rigid.density`, with its value in this variant");
}

void describe(SceneVisitor& v, CameraSpec& s) {
    v.place(s.place);
    v.vector(position("position", "of the eye", true), s.position);
    v.vector(position("target", "the point in the middle of the picture", true), s.target);
    v.field({.key = "fov", .unit = "°", .text = "vertical field of view", .min = 1, .max = 150}, s.fov);
}

void describe(SceneVisitor& v, PictureSpec& s) {
    v.group({.key = "camera", .text = "default: one that holds everything that moves"}, s.camera);
    v.field({.key = "time", .unit = "s", .text = "the moment; default: the end", .min = 0, .max = 1e9},
            s.time);
}

void describe(SceneVisitor& v, SceneSpec& s) {
    v.place(s.place);
    std::string schema;
    std::vector<std::string> include;
    v.field({.key = "plush", .text = "version of the format: 1", .min = 1, .max = 1, .required = true},
            s.plush);
    v.field({.key = "$schema", .text = "for editors; not read"}, schema);
    v.field({.key = "name", .text = "default: the file's name"}, s.name);
    v.field({.key = "description", .text = "one line"}, s.description);
    v.field({.key = "duration",
             .unit = "s",
             .text = "how long a run lasts",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.duration);
    v.field({.key = "frame_rate",
             .unit = "1/s",
             .text = "recorded frames a second of simulated time",
             .min = 0,
             .max = 1e6,
             .min_excluded = true},
            s.frame_rate);
    v.group({.key = "picture", .text = "how `plush render` and the gallery show it, unless told otherwise"},
            s.picture);
    describe(v, s.settings);
    v.words({.key = "include",
             .text = "scene files whose bodies, materials, joints and pairs are added; settings here win "
                     "over theirs"},
            include);
    v.map({.key = "materials", .text = "surfaces by name"}, s.materials);
    v.list({.key = "bodies", .text = "everything there is"}, s.bodies);
    v.list({.key = "joints", .text = "what holds bodies together"}, s.joints);
    v.list({.key = "pairs", .text = "what is special between two bodies"}, s.pairs);
    std::map<std::string, OverridesSpec> variants;
    v.map({.key = "variants",
           .text = "the same scene with changes, run side by side; names of a-z, 0-9, _ and -"},
          variants);
}

}  // namespace plush
