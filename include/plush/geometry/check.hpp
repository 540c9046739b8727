#pragma once

#include <string>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Everything that `plush check` and `plush mesh info` say of a triangle mesh.
struct MeshReport {
    int vertices = 0, triangles = 0;
    int components = 0;         ///< connected by shared edges
    int boundary_edges = 0;     ///< edges of one triangle
    int nonmanifold_edges = 0;  ///< edges of more than two triangles, vertices at one position taken as one
    int nonmanifold_vertices = 0;  ///< vertices whose triangles do not form one fan
    int misoriented_edges = 0;     ///< edges whose two triangles run along them the same way
    int degenerate_triangles = 0;  ///< of zero area (exactly collinear), or with a repeated vertex
    int duplicate_triangles = 0;   ///< the same three vertices again
    int unused_vertices = 0;       ///< in no triangle
    int coincident_vertices = 0;   ///< used, and at the position of a lower one
    int self_intersections = 0;    ///< pairs of triangles that meet where they should not (exact predicates)
    bool closed = false;           ///< no boundary edge, no non-manifold edge
    bool oriented = false;         ///< no misoriented edge
    bool outward = false;          ///< and the volume is positive
    double volume = 0, area = 0;   ///< m³, m²
    Box3 bounds{};
    /// Handles and tunnels of all components together (0 for a sphere, 1 for a torus); −1 where the mesh is
    /// not closed or not oriented and the word has no meaning.
    int genus = -1;

    /// What is wrong, the fatal things first. Vertices and triangles are counted from 0 in the order of the
    /// file.
    struct Problem {
        std::string where{}, what{}, cure{};
        bool fatal = false;  ///< the mesh cannot be used for a body as it is
    };
    std::vector<Problem> problems{};
    PLUSH_API bool usable() const;  ///< no fatal problem
};

PLUSH_API MeshReport check(const Mesh& mesh);

/// How far repair() may go.
struct RepairSettings {
    double weld_distance = 0;  ///< vertices on open edges this close become one (m); 0: equal positions only
    int largest_hole = 64;     ///< holes of up to this many edges are filled (at most 500)
};
PLUSH_API void describe(FieldVisitor& v, RepairSettings& s);

/// A repaired mesh, and what was done to it.
struct Repair {
    Mesh mesh{};
    std::vector<std::string> actions{};  ///< each thing that was done or had to be left, in words
};

/// Weld, drop degenerate and duplicate faces and unused vertices, orient consistently and outward, fill small
/// holes. What it cannot repair stays, and check() of the result still says so.
PLUSH_API Repair repair(const Mesh& mesh, const RepairSettings& settings = {});

}  // namespace plush
