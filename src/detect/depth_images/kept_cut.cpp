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

struct Patch {
    std::vector<std::size_t> cells;  ///< by their places
    std::size_t size = 0;            ///< when it was cut
    bool grows = false;
    bool kept() const { return !grows && 2 * cells.size() >= size; }
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
        patch.cells.push_back(c);
        if (const KnownCell* k = find_cell(known, cells[c])) {
            contacts[c] = k->contact;
            patch.size = std::max<std::size_t>(patch.size, k->patch_size);
        } else {
            patch.grows = true;
        }
    }
    for (const Patch& patch : all) {
        if (patch.kept()) continue;
        for (const std::size_t c : patch.cells) contacts[c] = fresh_cut;
    }
    return contacts;
}

std::vector<KnownCell> known_cells(std::span<const GridCell> cells, std::span<const std::size_t> order,
                                   std::span<const std::size_t> patches,
                                   std::span<const std::uint32_t> contacts,
                                   std::span<const std::uint32_t> old, std::span<const KnownCell> known) {
    PLUSH_ASSERT(contacts.size() == cells.size() && old.size() == cells.size());
    // Of old contacts: the new one of their first cell, and its patch.
    struct Heir {
        std::uint32_t contact = 0;
        std::size_t patch = 0;
    };
    std::map<std::uint32_t, Heir> heirs;
    std::vector<std::uint32_t> sizes(cells.size()), before(cells.size());
    std::vector<KnownCell> result;
    std::vector<char> fresh(cells.size());
    for (const std::size_t c : order) {
        ++sizes[patches[c]];
        fresh[patches[c]] = old[c] == fresh_cut;
        if (const KnownCell* k = find_cell(known, cells[c])) {
            heirs.try_emplace(k->contact, Heir{contacts[c], patches[c]});
            before[patches[c]] = std::max(before[patches[c]], k->patch_size);
        }
        if (old[c] == fresh_cut) result.push_back({cells[c], contacts[c], 0, 0});
    }
    // Cells that are not there for now go with the contact that was theirs, unless half of the patch has gone.
    for (const KnownCell& k : known) {
        const auto heir = heirs.find(k.contact);
        if (heir == heirs.end()) continue;
        const std::size_t patch = heir->second.patch;
        if (!fresh[patch])
            result.push_back({k.cell, heir->second.contact, k.patch_size, k.area});
        else if (2 * sizes[patch] >= before[patch])
            result.push_back({k.cell, heir->second.contact, 0, 0});
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const KnownCell& a, const KnownCell& b) { return a.cell < b.cell; });
    // What is there has its own contact.
    result.erase(std::unique(result.begin(), result.end(),
                             [](const KnownCell& a, const KnownCell& b) { return a.cell == b.cell; }),
                 result.end());
    // How many cells patches have that were cut anew.
    std::map<std::uint32_t, std::size_t> patch_of_contact;
    for (const std::size_t c : order) patch_of_contact.emplace(contacts[c], patches[c]);
    std::vector<std::uint32_t> counts(cells.size());
    for (const KnownCell& k : result) ++counts[patch_of_contact.at(k.contact)];
    for (KnownCell& k : result)
        if (k.patch_size == 0) k.patch_size = counts[patch_of_contact.at(k.contact)];
    return result;
}

}  // namespace plush
