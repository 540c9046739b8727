#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "geometry/mesh/test_shapes.hpp"
#include "geometry/tets/solid_query.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// What every tet mesh of a surface has to fulfil, and the surfaces.

namespace plush::test {

struct NamedMesh {
    std::string name;
    Mesh mesh;
};

inline std::vector<NamedMesh> generated_shapes() {
    std::vector<NamedMesh> result;
    for (const ShapeName& shape : shape_names())
        result.push_back({std::string(shape.name), generate({.shape = std::string(shape.name)}).value()});
    return result;
}

inline std::vector<NamedMesh> real_meshes(const std::vector<std::string>& names) {
    std::vector<NamedMesh> result;
    for (const std::string& name : names) result.push_back({name, Mesh::load(meshes() / name)});
    return result;
}

inline SolidQuery solid_of(const Mesh& mesh) {
    return SolidQuery({mesh.positions().begin(), mesh.positions().end()},
                      {mesh.triangles().begin(), mesh.triangles().end()});
}

/// The cage holds the surface: no outer face of it meets a triangle of the surface, by exact signs, and all
/// vertices are inside it. Together: no point of the surface is outside.
inline void expect_encloses(const TetMesh& cage, const Mesh& surface) {
    const SolidQuery solid = solid_of(surface);
    const Mesh outer = cage.surface();
    int met = 0;
    for (const auto& [a, b, c] : outer.triangles()) {
        const auto at = [&](int v) { return outer.positions()[static_cast<std::size_t>(v)]; };
        met += solid.meets_triangle(at(a), at(b), at(c));
    }
    EXPECT_EQ(met, 0) << "outer faces of the cage that meet the surface";
    const SolidQuery inside = solid_of(outer);
    int missing = 0;
    for (const Triangle& t : surface.triangles())
        for (const int v : t) missing += !inside.inside(surface.positions()[static_cast<std::size_t>(v)]);
    EXPECT_EQ(missing, 0) << "corners of the surface that are outside the cage";
}

}  // namespace plush::test
