#include "geometry/mesh/skin_pieces.hpp"

#include <algorithm>

#include "geometry/mesh/embedding.hpp"
#include "geometry/tets/tet_parts.hpp"
#include "geometry/tets/tet_topology.hpp"

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

std::vector<Box3> boxes_of(const TetMesh& tets, std::span<const int> piece, int count) {
    std::vector<Box3> boxes(at(count));
    for (std::size_t t = 0; t < tets.tets().size(); ++t)
        for (const int v : tets.tets()[t]) boxes[at(piece[t])].add(tets.positions()[at(v)]);
    return boxes;
}

double box_volume(const Box3& box) {
    const Vec3 size = box.size();
    return size.x * size.y * size.z;
}

/// The piece that holds most of these vertices, and of several the smallest; −1 where none holds any.
int piece_of_body(const TetEmbedder& embedder, std::span<const Vec3> positions, std::span<const int> vertices,
                  std::span<const Box3> boxes) {
    std::vector<std::size_t> held(boxes.size());
    std::vector<int> last(boxes.size(), -1);  // a vertex on a common face is in two tets of one piece
    for (const int v : vertices)
        embedder.holding(positions[at(v)], [&](int, int piece) {
            if (std::exchange(last[at(piece)], v) != v) ++held[at(piece)];
        });
    int best = -1;
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        if (held[k] == 0) continue;
        if (best < 0 || held[k] > held[at(best)] ||
            (held[k] == held[at(best)] && box_volume(boxes[k]) < box_volume(boxes[at(best)])))
            best = static_cast<int>(k);
    }
    return best;
}

}  // namespace

SkinPieces skin_pieces(const Mesh& skin, const TetMesh& tets) {
    SkinPieces result;
    const std::vector<int> piece = tet_pieces(tets.tets());
    if (!piece.empty()) result.count = 1 + *std::max_element(piece.begin(), piece.end());
    if (result.count < 2) return result;
    const auto bodies = separate_bodies(skin.positions(), skin.triangles());
    if (!bodies) return result;  // an inside-out component: as if all were one
    const TetEmbedder embedder(tets);
    const std::vector<Box3> boxes = boxes_of(tets, piece, result.count);
    result.of_vertex.assign(skin.positions().size(), TetEmbedder::any);
    result.triangles.resize(at(result.count));
    for (const std::vector<Triangle>& triangles : bodies.value()) {
        std::vector<int> vertices;
        for (const Triangle& t : triangles) vertices.insert(vertices.end(), t.begin(), t.end());
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        const int own = piece_of_body(embedder, skin.positions(), vertices, boxes);
        if (own < 0) continue;
        for (const int v : vertices) result.of_vertex[at(v)] = own;
        auto& all = result.triangles[at(own)];
        all.insert(all.end(), triangles.begin(), triangles.end());
    }
    return result;
}

}  // namespace plush
