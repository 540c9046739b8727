#include "plush/contact/tet_settings.hpp"

#include <array>

namespace plush {

std::span<const Choice> tet_contact_choices() {
    static constexpr std::array words{
        Choice{"none", static_cast<int>(TetContactMethod::none), "they do not touch by their tets"},
        Choice{"consistent", static_cast<int>(TetContactMethod::consistent),
               "depths from the edges that cross the other's surface, propagated inward"},
        Choice{"closest_feature", static_cast<int>(TetContactMethod::closest_feature),
               "depths to the closest point of the other's surface: a baseline, sticks when deep"},
        Choice{"vertex_normal", static_cast<int>(TetContactMethod::vertex_normal),
               "depths back along the vertex' own normal: a baseline"},
    };
    return words;
}

void describe(FieldVisitor& v, TetContactSettings& s) {
    v.choice({.key = "method", .text = "how deep a vertex is in another body's tets"}, s.method,
             tet_contact_choices());
    v.field({.key = "stiffness",
             .unit = "N/m",
             .text = "force on a vertex, by its depth",
             .min = 0,
             .max = 1e15,
             .min_excluded = true},
            s.stiffness);
    v.field({.key = "damping",
             .unit = "kg/s",
             .text = "force on a vertex that still goes in, by its speed",
             .min = 0,
             .max = 1e15},
            s.damping);
    v.field({.key = "implicit",
             .text = "forces of the end of the step, which allow any stiffness; false: of its start"},
            s.implicit);
    v.field({.key = "self", .text = "soft bodies touch themselves, too"}, s.self);
    v.choice({.key = "normals", .text = "where an edge crosses a surface"}, s.normals,
             depth_normals_choices());
    v.choice({.key = "cells", .text = "how space is cut up to find what is near"}, s.cells,
             depth_cells_choices());
    v.field({.key = "iterations", .text = "of the implicit forces, at most", .min = 1, .max = 1e5},
            s.iterations);
    v.field({.key = "tolerance", .text = "of the implicit forces, relative", .min = 0, .max = 1},
            s.tolerance);
}

}  // namespace plush
