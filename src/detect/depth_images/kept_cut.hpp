#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

// How an overlap was cut into contacts, kept from query to query. What a fresh cut looks like depends on the extents of a
// patch: a column more or less, and four contacts become twelve, or two slivers change hands. Each cut has a place of rest of
// its own, where each of its contacts has its depth. A ball on a slab of foam went from one to the other and back, every third
// step, for ever. So a patch is cut anew where it reaches a cell that it had not reached when it was cut, or has lost half of
// its cells, and else it is cut as it was. A load that comes to rest has the cut of the farthest that it was pressed; what
// slides or rolls on is cut anew as it goes.

namespace plush {

using GridCell = std::array<std::int64_t, 3>;

/// A cell of a patch when that was last cut anew.
struct KnownCell {
    GridCell cell{};
    std::uint32_t contact = 0;     ///< which part of the cut it went to
    std::uint32_t patch_size = 0;  ///< how many cells its patch had
    double area = 0;               ///< the largest that the contact has had since, m²

    bool operator==(const KnownCell&) const = default;
};

/// The old contact of each cell; `fresh_cut` where its patch is to be cut anew. `order`: the cells by their places; `patches`: of
/// each cell; `known`: sorted by cell.
inline constexpr std::uint32_t fresh_cut = ~std::uint32_t{0};
std::vector<std::uint32_t> kept_contacts(std::span<const GridCell> cells, std::span<const std::size_t> order,
                                         std::span<const std::size_t> patches,
                                         std::span<const KnownCell> known);

/// What the next query shall know: of patches that were cut anew their cells; of others what was known of them.
/// `contacts`: the new ones of the cells; `old`: what kept_contacts() said.
std::vector<KnownCell> known_cells(std::span<const GridCell> cells, std::span<const std::size_t> order,
                                   std::span<const std::size_t> patches,
                                   std::span<const std::uint32_t> contacts,
                                   std::span<const std::uint32_t> old, std::span<const KnownCell> known);

}  // namespace plush
