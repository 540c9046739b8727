#include "plush/bodies/deformable.hpp"

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
    v.field({.key = "density",
             .text = "kg/m for ropes, kg/m² for cloth, kg/m³ for solids",
             .min = 0,
             .max = 1e9,
             .min_excluded = true},
            s.density);
    v.field({.key = "mass",
             .unit = "kg",
             .text = "in all, instead of the density",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.mass);
}

void describe(FieldVisitor& v, ConstraintSettings& s) {
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

}  // namespace plush
