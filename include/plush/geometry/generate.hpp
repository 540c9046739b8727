#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// A generated shape: its name and its parameters with units and defaults.
struct GenerateSettings {
    std::string shape = "icosphere";
    /// About how many; 0 means the shape's own default. The figures (bear … armadillo) get exactly as many,
    /// rounded up to an even number, from 200 to 5 million.
    int triangles = 0;
    double size = 1;  ///< the longest side of the bounding box, m
    int seed = 1;     ///< for shapes with something random in them
};
PLUSH_API void describe(FieldVisitor& v, GenerateSettings& s);

/// The names that generate() knows, each with a line that says what it is.
struct ShapeName {
    std::string_view name, text;
};
PLUSH_API std::span<const ShapeName> shape_names();

/// A closed, outward mesh without self-intersections, centred on its bounding box. An Error names the closest
/// known shape.
PLUSH_API Result<Mesh> generate(const GenerateSettings& settings);

/// A box about the origin, of cells that are cut into five tets each. Vertices are counted along x first,
/// then y, then z. An Error where it has no volume, or more than ten million vertices.
PLUSH_API Result<TetMesh> tet_box(const Vec3& half_size, const std::array<int, 3>& cells);

/// The coarsest ball: an icosahedron about the origin, of 20 tets that meet in its middle, the last of 13
/// vertices. An Error where it has no volume.
PLUSH_API Result<TetMesh> tet_ball(double radius);

// The primitives, by their own parameters (m, radians). `triangles` is about the number wanted.
namespace shapes {
PLUSH_API Mesh box(const Vec3& half_size, int triangles = 12);
PLUSH_API Mesh icosphere(double radius, int triangles = 1280);
PLUSH_API Mesh uv_sphere(double radius, int triangles = 1280);
PLUSH_API Mesh torus(double ring_radius, double tube_radius, int triangles = 2048);  ///< about y
PLUSH_API Mesh capsule(double radius, double half_height, int triangles = 1024);     ///< along y
PLUSH_API Mesh cylinder(double radius, double half_height, int triangles = 512);     ///< along y
PLUSH_API Mesh cone(double radius, double height, int triangles = 512);  ///< tip up, base at y = 0
PLUSH_API Mesh rounded_box(const Vec3& half_size, double radius, int triangles = 1200);
/// A hemispherical shell that opens upward: outer radius, wall thickness with a rounded rim.
PLUSH_API Mesh bowl(double radius, double thickness, int triangles = 8192);
/// One stone of a semicircular arch between two angles from the x axis (radians), in the xy plane.
PLUSH_API Mesh arch_stone(double inner_radius, double outer_radius, double from, double to, double depth,
                          int triangles = 64);
/// A link of a chain: a stadium-shaped ring of round bar, long side along y.
PLUSH_API Mesh chain_link(double length, double width, double bar_radius, int triangles = 2048);
}  // namespace shapes

}  // namespace plush
