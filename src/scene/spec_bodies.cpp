#include <numeric>

#include "scene/spec_fields.hpp"

// Shapes, surfaces, and the bodies that keep their form.

namespace plush {

SurfaceSpec::SurfaceSpec() : collides_with(32) {
    std::iota(collides_with.begin(), collides_with.end(), 0);
}

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

void describe_combination(SceneVisitor& v, Combine& combine, double& round) {
    static constexpr Choice words[]{
        {"union", static_cast<int>(Combine::union_of), "what is in any of them"},
        {"intersection", static_cast<int>(Combine::intersection), "what is in all of them"},
        {"difference", static_cast<int>(Combine::difference),
         "what is in the first and in none of the others"}};
    v.choice({.key = "combine", .text = "how the parts are joined"}, combine, words);
    v.field({.key = "round",
             .unit = "m",
             .text = "grown by so much, with round edges",
             .min = 0,
             .max = largest_length},
            round);
}

}  // namespace

void describe(SceneVisitor& v, PartSpec& s) {
    v.place(s.place);
    s.kind = static_cast<PartSpec::Kind>(
        v.exactly_one_of({"sphere", "box", "capsule", "cylinder", "torus", "half_space", "parts"}));
    v.only_with("combine", "parts");
    v.group({.key = "sphere", .text = "an exact ball"}, s.sphere);
    v.group({.key = "box", .text = "an exact box"}, s.box);
    v.group({.key = "capsule", .text = "an exact capsule along y"}, s.capsule);
    v.group({.key = "cylinder", .text = "an exact cylinder along y"}, s.cylinder);
    v.group({.key = "torus", .text = "an exact ring about y"}, s.torus);
    v.group({.key = "half_space", .text = "everything behind a plane through the origin"}, s.half_space);
    v.nested_list({.key = "parts", .text = "parts of this part"}, s.parts, s.level);
    describe_combination(v, s.combine, s.round);
    v.vector(position("at", "of this part, in the frame of what it is a part of"), s.at);
    v.group({.key = "rotate", .text = "orientation of this part"}, s.rotate);
}

void describe(SceneVisitor& v, SolidSpec& s) {
    v.place(s.place);
    v.nested_list({.key = "parts", .text = "exact solids, each at its place", .required = true}, s.parts, 0);
    describe_combination(v, s.combine, s.round);
    v.field({.key = "triangles",
             .text = "of its mesh; sharp edges are cut by about half a triangle",
             .min = 200,
             .max = 1e6},
            s.triangles);
}

void describe(SceneVisitor& v, FramesSpec& s) {
    v.place(s.place);
    v.file({.key = "files",
            .text = "mesh files, with one * for what differs: \"walk/pose_*.obj\"; in the order of the "
                    "numbers, or else "
                    "of the letters, that stand for it",
            .required = true},
           s.files);
    v.field(
        {.key = "rate", .unit = "1/s", .text = "files a second", .min = 0, .max = 1e6, .min_excluded = true},
        s.rate);
    v.group({.key = "import", .text = "how to read them"}, s.import_as);
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
    void counts(const FieldInfo& info, std::span<int> values) override { v_.counts(info, values); }
    void points(const FieldInfo& info, std::vector<Vec3>& values) override { v_.points(info, values); }
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

}  // namespace

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

namespace {

void describe_look(SceneVisitor& v, std::string& colour, std::optional<int>& finish,
                   std::string_view of_colour) {
    v.field({.key = "colour", .text = of_colour}, colour);
    v.optional_choice({.key = "finish", .text = "how the surface takes light"}, finish, finish_choices());
}

}  // namespace

void describe(SceneVisitor& v, MaterialSpec& s) {
    v.place(s.place);
    describe(v, s.surface);
    v.field({.key = "poisson",
             .text = "Poisson's ratio of soft bodies made of it that do not say their own",
             .min = 0,
             .max = 0.49},
            s.poisson);
    v.field({.key = "density",
             .unit = "kg/m³",
             .text = "of rigid, soft and shape-matched bodies made of it that say neither density nor mass",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.density);
    describe_look(v, s.colour, s.finish, "in pictures: \"#RRGGBB\" or a name such as \"orange\"");
}

void describe_surface(SceneVisitor& v, SurfaceSpec& s) {
    v.field({.key = "material",
             .text = "the name of one of the scene's materials, or of a known one: rubber, silicone, jelly, "
                     "foam, liver, "
                     "skin, wood, steel (docs/materials.md)"},
            s.material);
    v.field(friction("instead of the material's"), s.friction);
    v.field(restitution("instead of the material's"), s.restitution);
    describe_look(
        v, s.colour, s.finish,
        "in pictures, instead of the material's: \"#RRGGBB\" or a name such as \"orange\"; default: another "
        "one for each body");
    v.indices({.key = "groups", .text = "groups that the body belongs to", .min = 0, .max = 31}, s.groups);
    v.indices({.key = "collides_with", .text = "groups that it touches", .min = 0, .max = 31},
              s.collides_with);
}

void describe_components(SceneVisitor& v, ShapeSpec& s) {
    v.only_with("components", "mesh");
    static constexpr Choice splits[]{
        {"one_body", static_cast<int>(SplitMesh::one_body),
         "all are one body; a soft one is glued where components overlap, and components apart touch each "
         "other only with "
         "self_contact"},
        {"overlapping", static_cast<int>(SplitMesh::overlapping),
         "those that overlap are glued to one body; the others are bodies of their own, called \"NAME.1\", "
         "\"NAME.2\", ..."},
        {"each", static_cast<int>(SplitMesh::each), "each is a body of its own, also where they overlap"}};
    int split = static_cast<int>(s.components);
    v.choice({.key = "components", .text = "what becomes of a mesh file of several closed components"}, split,
             splits);
    s.components = static_cast<SplitMesh>(split);
}

namespace {

void describe_shape(SceneVisitor& v, ShapeSpec& s, bool can_be_unbounded, bool can_have_frames) {
    const int kind =
        can_have_frames ? v.exactly_one_of({"mesh", "shape", "sphere", "box", "capsule", "cylinder", "torus",
                                            "solid", "half_space", "frames"})
        : can_be_unbounded
            ? v.exactly_one_of(
                  {"mesh", "shape", "sphere", "box", "capsule", "cylinder", "torus", "solid", "half_space"})
            : v.exactly_one_of({"mesh", "shape", "sphere", "box", "capsule", "cylinder", "torus", "solid"});
    s.kind = static_cast<ShapeSpec::Kind>(kind);
    for (const std::string_view key : {"import", "subdivide"}) v.only_with(key, "mesh");
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    v.file({.key = "mesh", .text = "a mesh file (OBJ, OFF, PLY, STL, MSH, MESH), relative to this file"},
           s.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.import_as);
    v.field({.key = "subdivide",
             .text = "cut every triangle of the mesh into four, so many times: the same form, more finely",
             .min = 0,
             .max = 10},
            s.subdivide);
    describe_components(v, s);
    describe_generated(v, s.generated);
    v.group({.key = "sphere", .text = "an exact ball"}, s.sphere);
    v.group({.key = "box", .text = "an exact box"}, s.box);
    v.group({.key = "capsule", .text = "an exact capsule along y"}, s.capsule);
    v.group({.key = "cylinder", .text = "an exact cylinder along y"}, s.cylinder);
    v.group({.key = "torus", .text = "an exact ring about y"}, s.torus);
    v.group(
        {.key = "solid", .text = "solids joined to one: together, where all are, or one without the others"},
        s.solid);
    if (can_be_unbounded)
        v.group({.key = "half_space", .text = "everything behind a plane through the origin"}, s.half_space);
}

/// A solid body: its shape, its own settings, its surface.
template <class Spec>
void describe_solid(SceneVisitor& v, Spec& s, bool can_be_unbounded, bool can_have_frames = false) {
    v.place(s.place);
    describe_shape(v, s.shape, can_be_unbounded, can_have_frames);
    describe(v, s.body);
    s.shape.distance_cells = s.body.distance_cells;
    describe_surface(v, s.surface);
}

}  // namespace

void describe(SceneVisitor& v, GroundSpec& s) {
    v.place(s.place);
    v.field(position("height", "of the level surface"), s.height);
    describe_surface(v, s.surface);
}

void describe(SceneVisitor& v, RigidSpec& s) {
    describe_solid(v, s, false);
    v.group({.key = "filling",
             .text = "tets in its surface: with contact.tets it touches others that have tets by them"},
            s.filling);
}

void describe(SceneVisitor& v, FixedSpec& s) {
    describe_solid(v, s, true);
}

void describe(SceneVisitor& v, KeyframeSpec& s) {
    v.place(s.place);
    describe(v, s.key);
    v.group({.key = "rotate", .text = "orientation, on top of the body's `rotate`"}, s.rotate);
}

void describe(SceneVisitor& v, BladeSpec& s) {
    v.place(s.place);
    describe(v, s.blade);
}

void describe(SceneVisitor& v, ScriptedSpec& s) {
    describe_solid(v, s, true, true);
    v.group(
        {.key = "frames",
         .text =
             "the surface at times: mesh files with the same triangles, between which it is deformed along "
             "straight lines; `keyframes`, if any, move it on top"},
        s.frames);
    static constexpr Choice frames[]{
        {"world", 0,
         "along the world's axes: `position` is added to the body's `at`, and `rotate` comes after its own"},
        {"body", 1, "along the body's own axes, as `at` and `rotate` have set them"}};
    int frame = s.in_body_frame ? 1 : 0;
    v.choice({.key = "frame", .text = "in which frame keyframes move the body"}, frame, frames);
    s.in_body_frame = frame == 1;
    v.list({.key = "keyframes",
            .text = "where the body is when, from its `at` and `rotate`; straight lines and shortest turns "
                    "between, as fast as `easing` says; needed, but with `frames`"},
           s.keyframes);
    v.group({.key = "blade",
             .text = "a sheet behind a straight or bent edge that cuts the soft bodies which this one would "
                     "touch, instead of touching them; contact must be by volume, as it is by default"},
            s.blade);
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
    v.points(position("positions", "one each"), s.body.positions);
    v.group({.key = "fill", .text = "scatter them at random in a box"}, s.fill);
    describe(v, s.body);
    for (const std::string_view key :
         {"integrator", "step_policy", "max_substeps", "solve_tolerance", "solve_iterations"})
        v.only_with(key, "surface");
    v.group({.key = "surface", .text = "forces hold them off surfaces, by one of these laws"}, s.law);
    describe(v, s.integration);
    describe_surface(v, s.surface);
}

}  // namespace plush
