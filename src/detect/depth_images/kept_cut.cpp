#include "detect/depth_images/kept_cut.hpp"

#include <algorithm>
#include <map>

#include "core/assert.hpp"

namespace plush {
namespace {

const KnownCell* find_cell(std::span<const KnownCell> known, const GridCell& cell) {
    const auto at =
        std::lower_bound(known.begin(), known.end(), cell,
                         [](const KnownCell& k, const GridCell& wanted) { return k.cell < wanted; });
    return at != known.end() && at->cell == cell ? &*at : nullptr;
}

double distance2(const GridCell& a, const GridCell& b) {
    double sum = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const double way = static_cast<double>(a[d]) - static_cast<double>(b[d]);
        sum += way * way;
    }
    return sum;
}

struct Patch {
    std::vector<std::size_t> known, unknown;  ///< cells, by their places
    std::size_t size = 0;                     ///< when it was cut
    bool kept() const {
        const std::size_t gone = size > known.size() ? size - known.size() : 0;
        return !known.empty() && 2 * (unknown.size() + gone) <= size;
    }
};

}  // namespace

std::vector<std::uint32_t> kept_contacts(std::span<const GridCell> cells, std::span<const std::size_t> order,
                                         std::span<const std::size_t> patches,
                                         std::span<const KnownCell> known) {
    PLUSH_ASSERT(order.size() == cells.size() && patches.size() == cells.size());
    std::vector<std::uint32_t> contacts(cells.size(), fresh_cut);
    if (known.empty()) return contacts;
    std::vector<Patch> all(cells.size());
    for (const std::size_t c : order) {
        Patch& patch = all[patches[c]];
        if (const KnownCell* k = find_cell(known, cells[c])) {
            contacts[c] = k->contact;
            patch.known.push_back(c);
            patch.size = std::max<std::size_t>(patch.size, k->patch_size);
        } else {
            patch.unknown.push_back(c);
        }
    }
    for (const Patch& patch : all) {
        if (!patch.kept()) {
            for (const std::size_t c : patch.known) contacts[c] = fresh_cut;
            continue;
        }
        // What has come goes to the nearest cell that was there.
        for (const std::size_t c : patch.unknown)
            contacts[c] = contacts[*std::min_element(
                patch.known.begin(), patch.known.end(), [&](std::size_t p, std::size_t q) {
                    return distance2(cells[p], cells[c]) < distance2(cells[q], cells[c]);
                })];
    }
    return contacts;
}

std::vector<KnownCell> known_cells(std::span<const GridCell> cells, std::span<const std::size_t> order,
                                   std::span<const std::size_t> patches,
                                   std::span<const std::uint32_t> contacts,
                                   std::span<const std::uint32_t> old, std::span<const KnownCell> known) {
    PLUSH_ASSERT(contacts.size() == cells.size() && old.size() == cells.size());
    std::vector<std::uint32_t> sizes(cells.size());
    for (const std::size_t patch : patches) ++sizes[patch];
    std::map<std::uint32_t, std::uint32_t> numbers;  // of old contacts that are there
    std::vector<KnownCell> result;
    for (const std::size_t c : order)
        if (old[c] == fresh_cut)
            result.push_back({cells[c], contacts[c], sizes[patches[c]], 0});
        else
            numbers.emplace(old[c], contacts[c]);
    for (const KnownCell& k : known)
        if (const auto n = numbers.find(k.contact); n != numbers.end())
            result.push_back({k.cell, n->second, k.patch_size, k.area});
    std::sort(result.begin(), result.end(),
              [](const KnownCell& a, const KnownCell& b) { return a.cell < b.cell; });
    // A cell of a patch that was cut anew may have been another one's.
    result.erase(std::unique(result.begin(), result.end(),
                             [](const KnownCell& a, const KnownCell& b) { return a.cell == b.cell; }),
                 result.end());
    return result;
}

}  // namespace plush
