#include "scene/spec.hpp"

#include "scene/spec_fields.hpp"

// The one description of scene files. The reader, the schema and the reference page are visitors of it.

namespace plush {

long long RepeatSpec::copies() const {
    if (count > 0 || !grid) return count;
    return static_cast<long long>((*grid)[0]) * (*grid)[1] * (*grid)[2];
}

const SpringBodySpec* BodySpec::spring_body() const {
    if (rope) return &*rope;
    if (cloth) return &*cloth;
    if (jelly) return &*jelly;
    if (tet_springs) return &*tet_springs;
    return shells ? &*shells : nullptr;
}

const SoftSpec* BodySpec::soft_body(long long copy) const {
    const auto& of_copy = one_of.empty() ? soft : one_of[static_cast<std::size_t>(copy) % one_of.size()].soft;
    return of_copy ? &*of_copy : nullptr;
}

const DeformableSpec* BodySpec::deformable(long long copy) const {
    if (const SoftSpec* s = soft_body(copy)) return s;
    if (shape_matching) return &*shape_matching;
    return spring_body();
}

void describe(SceneVisitor& v, VariantSpec& s) {
    v.exactly_one_of({"rigid", "fixed", "soft"});
    v.group({.key = "rigid", .text = "a body that moves freely"}, s.rigid);
    v.group({.key = "fixed", .text = "a body that never moves"}, s.fixed);
    v.group({.key = "soft", .text = "an elastic body of tets"}, s.soft);
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
    v.vector(velocity("velocity", "at the start"), s.velocity);
    v.vector(velocity("angular_velocity", "at the start, of rigid bodies", "rad/s"), s.angular_velocity);
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
    v.field(friction("between these two"), s.friction);
    v.field(restitution("between these two"), s.restitution);
    v.optional_choice({.key = "method", .text = "the contact method between these two"}, s.method,
                      contact_method_choices());
    v.field({.key = "collide", .text = "false: they pass through each other"}, s.collide);
}

void describe(SceneVisitor& v, OverridesSpec& s) {
    v.field({.key = "label", .text = "what pictures and reports call it; default: its name"}, s.label);
    v.any_other_key(
        "any path of --set, such as `step` or `bodies[2].rigid.density`, with its value in this variant");
}

namespace {

FieldInfo field_of_view() {
    return {.key = "fov", .unit = "°", .text = "vertical field of view", .min = 1, .max = 150};
}

}  // namespace

void describe(SceneVisitor& v, CameraKeyframeSpec& s) {
    v.place(s.place);
    v.field({.key = "time",
             .unit = "s",
             .text = "later than the keyframe before",
             .min = 0,
             .max = 1e9,
             .required = true},
            s.time);
    v.vector(position("position", "of the eye", true), s.position);
    v.vector(position("target", "the point in the middle of the picture", true), s.target);
    v.field(field_of_view(), s.fov);
}

void describe(SceneVisitor& v, CameraSpec& s) {
    v.place(s.place);
    v.only_with("position", "target");
    v.only_with("target", "position");
    v.not_with("keyframes", {"position", "fov"});
    v.vector(position("position", "of the eye; default: where it sees what moves"), s.position);
    v.vector(position("target", "the point in the middle of the picture"), s.target);
    v.field(field_of_view(), s.fov);
    v.field({.key = "follow", .text = "the name of a body: the camera goes with it, and does not turn"},
            s.follow);
    v.field({.key = "orbit",
             .unit = "°/s",
             .text = "it goes round its target, about the upward axis",
             .min = -3600,
             .max = 3600},
            s.orbit);
    v.list({.key = "keyframes", .text = "where it is when, with a smooth way between"}, s.keyframes);
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
    v.words({.key = "record",
             .text = "more columns of metrics.csv, such as \"position:ball\", \"normal_force:ball/floor\", "
                     "\"joint_force:0\" (docs/formats.md)"},
            s.record);
    v.field({.key = "record_every",
             .unit = "s",
             .text = "simulated time between values of these columns; 0: at every step",
             .min = 0,
             .max = 1e9},
            s.record_every);
    v.file(
        {.key = "meshes",
         .text = "a folder of closed meshes to take instead of generated ones of the same name (bunny.off, "
                 "octopus-low.mesh), of the same size and about as many triangles"},
        s.meshes);
    v.not_with("state", {"gravity", "step", "rotation", "contact", "solver", "sleep", "ledger"});
    v.file({.key = "state",
            .text = "a world that was saved (World::save, `plush run --save-world`): it goes on from there, "
                    "with its "
                    "settings and bodies; those of this scene are added to it. `plush run FILE` is short for "
                    "a scene "
                    "with nothing else"},
           s.state);
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
