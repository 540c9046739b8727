#include <algorithm>

#include <fmt/format.h>

#include "plush/geometry/generate.hpp"

// A box of cells, each cut into five tets: one in the middle on four corners that share no edge of the cell,
// and one at each of the other four corners.
//
//        7-------6        even cells: the middle on 0 2 5 7
//       /|      /|        odd cells (i + j + k odd): the mirror image, on 1 3 4 6
//      4-------5 |
//      | 3-----|-2        A face's diagonal joins two corners of the middle tet. Across a face the other
//      |/      |/         kind of cell names the same two vertices, so that neighbours fit.
//      0-------1
//
// Five rather than six (Kuhn's) for the diagonals: they alternate, and no direction of space is favoured.

namespace plush {
namespace {

/// Above this a mistake is likelier than a wish: some gigabytes of tets.
constexpr double max_vertices = 10'000'000;

/// Corners by their offsets along x, y and z, in the picture's order.
constexpr std::array<std::array<int, 3>, 8> offsets{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
constexpr std::array<std::array<std::size_t, 4>, 5> even{
    {{0, 2, 7, 5}, {1, 0, 2, 5}, {3, 2, 0, 7}, {4, 5, 7, 0}, {6, 7, 5, 2}}};
constexpr std::array<std::array<std::size_t, 4>, 5> odd{
    {{1, 3, 6, 4}, {0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3}}};

}  // namespace

Result<TetMesh> tet_box(const Vec3& half_size, const std::array<int, 3>& cells) {
    if (!is_finite(half_size) || !(std::min({half_size.x, half_size.y, half_size.z}) > 0))
        return Error({.place = "half_size",
                      .problem = "the box has no volume",
                      .cure = "give three finite numbers above 0"});
    double count = 1;
    for (const int c : cells) {
        if (c < 1)
            return Error({.place = "cells",
                          .problem = fmt::format("{} cells cannot be made", c),
                          .cure = "take at least 1 along each axis"});
        count *= c + 1.0;
    }
    if (count > max_vertices)
        return Error({.place = "cells",
                      .problem = fmt::format("{:.0f} vertices are too many", count),
                      .cure = fmt::format("take fewer cells: {:.0f} vertices at most", max_vertices)});

    const int nx = cells[0], ny = cells[1],
              nz = cells[2];  // no structured binding: clang 14 cannot capture it
    const auto at = [&](int i, int j, int k) { return (k * (ny + 1) + j) * (nx + 1) + i; };
    std::vector<Vec3> positions;
    positions.reserve(static_cast<std::size_t>(count));
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                positions.push_back(times(half_size, {2.0 * i / nx - 1, 2.0 * j / ny - 1, 2.0 * k / nz - 1}));
    std::vector<Tet> tets;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i)
                for (const auto& corners : (i + j + k) % 2 == 0 ? even : odd) {
                    Tet tet{};
                    for (std::size_t c = 0; c < 4; ++c) {
                        const auto& o = offsets[corners[c]];
                        tet[c] = at(i + o[0], j + o[1], k + o[2]);
                    }
                    tets.push_back(tet);
                }
    // Which turns each to positive volume.
    return TetMesh::try_make(std::move(positions), std::move(tets));
}

}  // namespace plush
