#pragma once

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Mass, centre and inertia of a solid.
struct MassProperties {
    double mass = 0;  ///< kg
    Vec3 centre{};    ///< centre of mass, m
    Mat3 inertia{};   ///< about the centre of mass, kg m²
};

/// Exact volume integrals of a closed, outward mesh of uniform density (kg/m³). An Error where its volume is
/// not above zero or it is not closed, with the fix (flip the orientation; close these holes).
PLUSH_API Result<MassProperties> mass_properties(const Mesh& mesh, double density);

/// Of point masses.
PLUSH_API MassProperties mass_properties(std::span<const Vec3> positions, std::span<const double> masses);

PLUSH_API double volume(const Mesh& mesh);
PLUSH_API double area(const Mesh& mesh);

}  // namespace plush
