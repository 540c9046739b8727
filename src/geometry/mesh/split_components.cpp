#include "geometry/io/io_formats.hpp"
#include "geometry/tets/tet_parts.hpp"
#include "plush/geometry/components.hpp"

namespace plush {

Result<std::vector<Mesh>> try_split_components(const Mesh& mesh, bool join_overlapping) {
    auto bodies = separate_bodies(mesh.positions(), mesh.triangles(), join_overlapping);
    if (!bodies) return bodies.error();
    if (bodies.value().size() == 1) return std::vector<Mesh>{mesh};
    std::vector<Mesh> parts;
    for (std::vector<Triangle>& triangles : bodies.value()) {
        std::vector<Vec3> positions(mesh.positions().begin(), mesh.positions().end());
        drop_unused_vertices(positions, triangles);
        parts.emplace_back(std::move(positions), std::move(triangles));
    }
    return parts;
}

std::vector<Mesh> split_components(const Mesh& mesh, bool join_overlapping) {
    return try_split_components(mesh, join_overlapping).value();
}

}  // namespace plush
