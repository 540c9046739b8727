#pragma once

#include "plush/detect/depth.hpp"

namespace plush {

/// How bodies that have tets touch one another: springs on tets, clusters of tets, elastic bodies, and rigid
/// bodies that are filled.
enum class TetContactMethod {
    none,             ///< not by their tets (the default)
    consistent,       ///< consistent penetration depth
    closest_feature,  ///< baselines: see DepthMethod
    vertex_normal,
};
PLUSH_API std::span<const Choice> tet_contact_choices();

/// A vertex at the depth d in a tet of another body feels k d − c w along its penetration vector, w its speed that way,
/// never less than 0, and Coulomb's friction. The tet's corners feel the opposite. How rough a pair is comes
/// from its materials; nothing bounces but by k.
struct TetContactSettings {
    TetContactMethod method = TetContactMethod::none;
    double stiffness = 1e4;  ///< k of a vertex, N/m
    double damping = 0;      ///< c of a vertex, kg/s
    /// At the depths and speeds of the end of the step, as far as the bodies' own motion allows: any
    /// stiffness is stable. Else at those of its start: that asks for k h² below the mass of a vertex.
    bool implicit = true;
    bool self = false;  ///< soft bodies touch themselves, too
    DepthNormals normals = DepthNormals::interpolated;
    DepthCells cells = DepthCells::dense;
    int iterations = 40;      ///< of the implicit forces, at most
    double tolerance = 1e-4;  ///< relative, to which those are found
};
PLUSH_API void describe(FieldVisitor& v, TetContactSettings& s);

}  // namespace plush
