#include "plush/bodies/deformable.hpp"

#include "core/quantities.hpp"

namespace plush {

std::span<const Choice> spring_law_words() {
    static constexpr std::array words{
        Choice{"absolute", static_cast<int>(SpringLaw::absolute), "k (|d| - l0), k in N/m"},
        Choice{"relative", static_cast<int>(SpringLaw::relative),
               "k (|d| - l0)/l0, k in N: the same material whatever the length"},
    };
    return words;
}

std::span<const Choice> bending_words() {
    static constexpr std::array words{
        Choice{"none", static_cast<int>(Bending::none), "nothing resists bending"},
        Choice{"springs", static_cast<int>(Bending::springs),
               "springs over the next vertex, or across the edge between two triangles"},
        Choice{"angles", static_cast<int>(Bending::angles),
               "torsion springs on the angle at a vertex (rope) or at an edge (cloth)"},
    };
    return words;
}

void describe(FieldVisitor& v, SpringMaterial& s) {
    v.choice({.key = "law", .text = "what a stiffness means"}, s.law, spring_law_words());
    v.field({.key = "stretch",
             .unit = "N",
             .text = "stiffness along edges (N/m for the absolute law)",
             .min = 0,
             .max = 1e15},
            s.stretch);
    v.field({.key = "shear", .unit = "N", .text = "along diagonals", .min = 0, .max = 1e15}, s.shear);
    v.field({.key = "bend", .unit = "N", .text = "against bending (N m for angles)", .min = 0, .max = 1e15},
            s.bend);
    v.choice({.key = "bending", .text = "how bending is resisted"}, s.bending, bending_words());
    v.field(
        {.key = "spring_damping", .unit = "kg/s", .text = "of every spring, along it", .min = 0, .max = 1e12},
        s.damping);
    v.field({.key = "volume",
             .unit = "Pa",
             .text = "resistance against a change of volume",
             .min = 0,
             .max = 1e15},
            s.volume);
    v.field(quantity::density("of a rope, a cloth, a solid", "kg/m, kg/m², kg/m³"), s.density);
    v.field(quantity::mass("in all, instead of the density"), s.mass);
}

void describe(FieldVisitor& v, ConstraintSettings& s) {
    v.at_most_one_of({"inextensible", "most_stretch"});
    v.field({.key = "inextensible", .text = "edges keep their length exactly"}, s.inextensible);
    v.field({.key = "most_stretch",
             .text = "edges grow to at most this many times their length",
             .min = 1,
             .max = 1e3},
            s.most_stretch);
    v.field(
        {.key = "obstacles",
         .text = "vertices are put on the surfaces that they entered, with friction and without a bounce, "
                 "instead of being held off by forces"},
        s.obstacles);
    v.field({.key = "iterations",
             .text = "turns through all conditions, each step: more is stiffer",
             .min = 1,
             .max = 1e5},
            s.iterations);
}

void describe(FieldVisitor& v, DeformableSettings& s) {
    describe(v, s.integration);
    v.field({.key = "damping",
             .unit = "1/s",
             .text = "of all motion, in proportion to mass",
             .min = 0,
             .max = 1e9},
            s.damping);
    v.field({.key = "radius",
             .unit = "m",
             .text = "contact sees each vertex as a ball of this size",
             .min = 0,
             .max = 1e3},
            s.radius);
    v.numbers({.key = "wind", .unit = "m/s", .text = "velocity of the air", .min = -1e4, .max = 1e4},
              std::span(&s.wind.x, 3));
    v.field({.key = "drag",
             .unit = "kg/m³",
             .text = "density of the air times the drag coefficient, for triangles",
             .min = 0,
             .max = 1e6},
            s.drag);
}

void describe(FieldVisitor& v, Deformable& s) {
    describe(v, s.motion);
    v.field({.key = "self_contact", .text = "it touches itself too, where contact is by volume"},
            s.self_contact);
}

void describe(FieldVisitor& v, SpringBody& s) {
    describe(v, s.springs);
    v.group({.key = "constraints",
             .text = "conditions on positions, for the integrators verlet and time_corrected_verlet"},
            s.constraints);
    describe(v, static_cast<Deformable&>(s));
}

void describe(FieldVisitor& v, Rope& s) {
    v.vector(quantity::position("from", "one end"), s.from);
    v.vector(quantity::position("to", "the other end"), s.to);
    v.field({.key = "segments", .text = "springs in a row", .min = 1, .max = 1e6}, s.segments);
    describe(v, static_cast<SpringBody&>(s));
}

void describe(FieldVisitor& v, Cloth& s) {
    v.vector(quantity::position("corner", "of the rectangle"), s.corner);
    v.vector(quantity::position("side_x", "one side, from that corner"), s.side_x);
    v.vector(quantity::position("side_y", "the other side"), s.side_y);
    v.field({.key = "vertices_x", .text = "along side_x", .min = 2, .max = 10000}, s.vertices[0]);
    v.field({.key = "vertices_y", .text = "along side_y", .min = 2, .max = 10000}, s.vertices[1]);
    describe(v, static_cast<SpringBody&>(s));
}

void describe(FieldVisitor& v, Jelly& s) {
    v.vector(quantity::position("low", "a corner of the box"), s.low);
    v.vector(quantity::position("high", "the opposite corner"), s.high);
    v.counts({.key = "cells", .text = "along x, y and z", .min = 1, .max = 200}, s.cells);
    describe(v, static_cast<SpringBody&>(s));
}

void describe(FieldVisitor& v, Shells& s) {
    v.field({.key = "shells", .text = "copies of the surface that keep it in shape", .min = 0, .max = 100},
            s.shells);
    v.field(
        quantity::position("offset", "from each shell to the next along the normals; negative is inwards"),
        s.offset);
    describe(v, static_cast<SpringBody&>(s));
}

void describe(FieldVisitor& v, ShapeMatching& s) {
    v.points(quantity::position("points", "a cloud of vertices"), s.points);
    v.field(quantity::density("of the volume inside"), s.density);
    v.field(quantity::mass("in all, instead of the density; clouds and open meshes need it"), s.mass);
    describe(v, s.match);
    describe(v, s.clusters);
    v.field({.key = "touched",
             .text = "others feel its rest shape, where it is one cluster and closed; false: only its own "
                     "vertices touch others"},
            s.touched);
    describe(v, static_cast<Deformable&>(s));
}

}  // namespace plush
