#include "scene/spec_fields.hpp"

// Bodies that deform.

namespace plush {

void describe(SceneVisitor& v, PinSpec& s) {
    v.place(s.place);
    v.vector(position("low", "a corner of a box; vertices in it are held", true), s.low);
    v.vector(position("high", "the opposite corner", true), s.high);
    v.field(
        {.key = "to",
         .text = "the name of the body that they are part of: a rigid one feels their pull; default: they "
                 "stay. With a "
                 "free rigid one the integrator is explicit or implicit_euler with newton 1: bdf2 would need "
                 "where that "
                 "body was a step ago without its contacts, quasi_static has no inertia to share with it"},
        s.to);
    v.field({.key = "until",
             .unit = "s",
             .text = "when they are let go; default: never",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.until);
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

/// What scenes say of a deformable body besides its own settings.
void describe_surroundings(SceneVisitor& v, DeformableSpec& s) {
    describe_surface(v, s.surface);
    v.group({.key = "surface", .text = "what holds its vertices off surfaces, instead of `contact.surface`"},
            s.law);
    v.list({.key = "pins", .text = "vertices that are held, by where they are in the world at the start"},
           s.pins);
}

template <class Body>
void describe_spring_body(SceneVisitor& v, SpringBodyOf<Body>& s) {
    describe(v, s.body);
    describe_surroundings(v, s);
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
    describe_spring_body(v, s);
}

void describe(SceneVisitor& v, ClothSpec& s) {
    v.place(s.place);
    s.shape.may_be_open = true;
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.at_most_one_of({"mesh", "shape"}));
    for (const std::string_view key : {"mesh", "shape"})
        v.not_with(key, {"corner", "side_x", "side_y", "vertices_x", "vertices_y"});
    describe_surface_mesh(v, s.shape,
                          "instead of the rectangle: a mesh file, open or closed, relative to this file");
    describe_spring_body(v, s);
}

void describe(SceneVisitor& v, JellySpec& s) {
    v.place(s.place);
    describe_spring_body(v, s);
}

void describe(SceneVisitor& v, ShellsSpec& s) {
    v.place(s.place);
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.exactly_one_of({"mesh", "shape"}));
    describe_surface_mesh(v, s.shape, "a closed mesh file, relative to this file");
    describe_spring_body(v, s);
}

void describe(SceneVisitor& v, TetBoxSpec& s) {
    v.vector(length("half_size", "half of each side", true), s.half_size);
    v.counts({.key = "cells", .text = "along x, y and z, of five tets each", .min = 1, .max = 200}, s.cells);
}

void describe(SceneVisitor& v, TetBallSpec& s) {
    v.field(length("radius", "of its vertices", true), s.radius);
}

void describe(SceneVisitor& v, TetSpringsSpec& s) {
    v.place(s.place);
    s.tets.kind = static_cast<TetsSpec::Kind>(v.exactly_one_of({"mesh", "box", "ball"}));
    v.only_with("import", "mesh");
    v.file({.key = "mesh", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.tets.import_as);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    v.group({.key = "ball", .text = "a ball about the origin: an icosahedron of 20 tets"}, s.tets.ball);
    describe_spring_body(v, s);
}

void describe(SceneVisitor& v, SkinSpec& s) {
    v.place(s.place);
    s.shape.may_be_open = true;
    s.shape.kind = static_cast<ShapeSpec::Kind>(v.exactly_one_of({"mesh", "shape"}));
    describe_surface_mesh(v, s.shape, "a mesh file, relative to this file");
}

void describe(SceneVisitor& v, ShapeMatchingSpec& s) {
    v.place(s.place);
    const int kind = v.exactly_one_of({"mesh", "shape", "points", "box", "tets", "ball"});
    s.shape.may_be_open = true;
    if (kind == 0 || kind == 1) s.shape.kind = static_cast<ShapeSpec::Kind>(kind);
    if (kind == 3) s.tets.kind = TetsSpec::Kind::box;
    if (kind == 4) s.tets.kind = TetsSpec::Kind::mesh;
    if (kind == 5) s.tets.kind = TetsSpec::Kind::ball;
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    v.not_with("import", {"shape", "points", "box", "ball"});
    v.file({.key = "mesh", .text = "a triangle mesh, open or closed, relative to this file"}, s.shape.mesh);
    v.file({.key = "tets", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the mesh file"}, s.shape.import_as);
    s.tets.import_as = s.shape.import_as;
    describe_generated(v, s.shape.generated);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    v.group({.key = "ball", .text = "a ball about the origin: an icosahedron of 20 tets"}, s.tets.ball);
    v.group({.key = "skin", .text = "a detailed surface embedded in the vertices, drawn in their place"},
            s.skin);
    describe(v, s.body);
    describe_surroundings(v, s);
}

void describe(SceneVisitor& v, ElasticRegionSpec& s) {
    v.place(s.place);
    describe(v, s.region);
}

void describe(SceneVisitor& v, SoftSpec& s) {
    v.place(s.place);
    const int kind = v.exactly_one_of({"mesh", "shape", "tets", "box", "ball"});
    if (kind == 0 || kind == 1) s.shape.kind = static_cast<ShapeSpec::Kind>(kind);
    if (kind >= 2) s.tets.kind = static_cast<TetsSpec::Kind>(kind - 2);
    for (const std::string_view key : {"triangles", "size", "seed"}) v.only_with(key, "shape");
    for (const std::string_view key : {"method", "conforming", "nodes", "edge", "cells_across"})
        v.not_with(key, {"tets", "box", "ball"});
    v.not_with("skin", {"mesh", "shape"});
    v.not_with("import", {"shape", "box", "ball"});
    v.file({.key = "mesh", .text = "a closed surface, relative to this file: it is filled with tets"},
           s.shape.mesh);
    v.file({.key = "tets", .text = "a file of tets (MSH, MESH), relative to this file"}, s.tets.mesh);
    v.group({.key = "import", .text = "how to read the files"}, s.shape.import_as);
    s.tets.import_as = s.shape.import_as;
    describe_components(v, s.shape);
    describe_generated(v, s.shape.generated);
    v.group({.key = "box", .text = "a box about the origin, of cells that are cut into tets"}, s.tets.box);
    v.group({.key = "ball", .text = "a ball about the origin: an icosahedron of 20 tets"}, s.tets.ball);
    v.group({.key = "skin",
             .text = "a detailed closed surface embedded in the tets: drawn and touched in their place"},
            s.skin);
    describe(v, s.filling);
    describe(v, s.body);
    v.list({.key = "regions", .text = "parts of another material; where they overlap the last holds"},
           s.regions);
    describe_surroundings(v, s);
}

}  // namespace plush
