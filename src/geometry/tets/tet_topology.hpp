#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

// Which tets meet at which faces, by sorting: no hash table, so that the order of everything follows from the
// indices alone.

namespace plush {

/// The corners of the face opposite corner i, seen counter-clockwise from outside a tet of positive volume.
inline constexpr std::array<std::array<std::size_t, 3>, 4> face_opposite{
    {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};

/// Of each tet the one behind each face: [t][i] behind the face opposite corner i, −1 where there is none.
/// Where more than two tets meet in one face, each sees the next of them in the order of the tets.
std::vector<std::array<int, 4>> tet_neighbours(std::span<const Tet> tets);

/// Of each tet the number of the piece it belongs to, pieces being connected by shared faces and counted in
/// the order of their first tets.
std::vector<int> tet_pieces(std::span<const Tet> tets);

/// The first pair of tets, in the order of the second of them, that cannot both be part of one mesh: the same
/// four vertices again, or a third tet at one face.
struct TetClash {
    enum class Kind { duplicate, third_at_face } kind;
    int first, second;
};
std::optional<TetClash> find_clash(std::span<const Tet> tets);

}  // namespace plush
