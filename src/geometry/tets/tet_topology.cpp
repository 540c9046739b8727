#include "geometry/tets/tet_topology.hpp"

#include <algorithm>

#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

struct Face {
    std::array<int, 3> key;  ///< its vertices, sorted
    int tet, corner;         ///< the corner that it is opposite to
};

/// All faces of all tets, equal ones together, in the order of the tets.
std::vector<Face> sorted_faces(std::span<const Tet> tets) {
    std::vector<Face> faces;
    faces.reserve(4 * tets.size());
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i) {
            const auto& [a, b, c] = face_opposite[i];
            Face face{{tets[t][a], tets[t][b], tets[t][c]}, static_cast<int>(t), static_cast<int>(i)};
            std::sort(face.key.begin(), face.key.end());
            faces.push_back(face);
        }
    std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
        if (a.key != b.key) return a.key < b.key;
        return a.tet != b.tet ? a.tet < b.tet : a.corner < b.corner;
    });
    return faces;
}

std::optional<TetClash> first_of(std::optional<TetClash> a, const TetClash& b) {
    return !a || b.second < a->second ? b : a;
}

}  // namespace

std::vector<std::array<int, 4>> tet_neighbours(std::span<const Tet> tets) {
    std::vector<std::array<int, 4>> result(tets.size(), {-1, -1, -1, -1});
    const std::vector<Face> faces = sorted_faces(tets);
    const auto link = [&](const Face& from, const Face& to) {
        result[static_cast<std::size_t>(from.tet)][static_cast<std::size_t>(from.corner)] = to.tet;
    };
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t end = i + 1;
        while (end < faces.size() && faces[end].key == faces[i].key) ++end;
        if (end > i + 1)
            for (std::size_t k = i; k < end; ++k) link(faces[k], faces[k + 1 < end ? k + 1 : i]);
        i = end;
    }
    return result;
}

std::vector<int> tet_pieces(std::span<const Tet> tets) {
    DisjointSets sets(tets.size());
    const auto neighbours = tet_neighbours(tets);
    for (std::size_t t = 0; t < tets.size(); ++t)
        for (const int other : neighbours[t])
            if (other >= 0) sets.merge(static_cast<int>(t), other);
    std::vector<int> piece(tets.size(), -1);
    int count = 0;
    for (std::size_t t = 0; t < tets.size(); ++t) {
        const auto root = static_cast<std::size_t>(sets.root(static_cast<int>(t)));  // the lowest
        piece[t] = root == t ? count++ : piece[root];
    }
    return piece;
}

std::optional<TetClash> find_clash(std::span<const Tet> tets) {
    std::optional<TetClash> first;
    std::vector<std::pair<Tet, int>> keys;
    for (std::size_t t = 0; t < tets.size(); ++t) {
        keys.emplace_back(tets[t], static_cast<int>(t));
        std::sort(keys.back().first.begin(), keys.back().first.end());
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 1; i < keys.size(); ++i)
        if (keys[i].first == keys[i - 1].first)
            first = first_of(first, {TetClash::Kind::duplicate, keys[i - 1].second, keys[i].second});
    const std::vector<Face> faces = sorted_faces(tets);
    for (std::size_t i = 2; i < faces.size(); ++i)
        if (faces[i].key == faces[i - 2].key)
            first = first_of(first, {TetClash::Kind::third_at_face, faces[i - 1].tet, faces[i].tet});
    return first;
}

}  // namespace plush
