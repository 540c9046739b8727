#include "detect/depth_images/kept_cut.hpp"

#include <gtest/gtest.h>

#include <numeric>

// Patches are cut into contacts as they were before, as long as most of their cells are still there.

namespace plush {
namespace {

/// A row of cells along x, from here to there, and all in one patch.
struct Row {
    std::vector<GridCell> cells;
    std::vector<std::size_t> order, patches;
    Row(int from, int to) {
        for (int x = from; x < to; ++x) cells.push_back({x, 0, 0});
        order.resize(cells.size()), patches.resize(cells.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
    }
    /// Contacts of three cells, if nothing is known, and what is known afterwards.
    std::vector<std::uint32_t> cut(std::vector<KnownCell>& known) const {
        const std::vector<std::uint32_t> old = kept_contacts(cells, order, patches, known);
        std::vector<std::uint32_t> contacts(cells.size());
        for (std::size_t c = 0; c < cells.size(); ++c)
            contacts[c] = old[c] == fresh_cut ? static_cast<std::uint32_t>(c / 3) : old[c];
        known = known_cells(cells, order, patches, contacts, old, known);
        return contacts;
    }
};

TEST(KeptCut, APatchThatLosesAndRegainsCellsKeepsItsContacts) {
    std::vector<KnownCell> known;
    EXPECT_EQ(Row(0, 9).cut(known), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(Row(1, 9).cut(known), (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(Row(2, 8).cut(known), (std::vector<std::uint32_t>{0, 1, 1, 1, 2, 2}));
    EXPECT_EQ(Row(0, 9).cut(known), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(KeptCut, APatchThatGrowsOrHasLostHalfIsCutAnew) {
    std::vector<KnownCell> known;
    Row(0, 9).cut(known);
    EXPECT_EQ(Row(1, 10).cut(known), (std::vector<std::uint32_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
    EXPECT_EQ(Row(6, 10).cut(known), (std::vector<std::uint32_t>{0, 0, 0, 1}));
    EXPECT_EQ(known.size(), 4u);
}

TEST(KeptCut, TheLargestAreaGoesWithTheContact) {
    std::vector<KnownCell> known;
    Row(0, 9).cut(known);
    for (KnownCell& k : known) k.area = 1 + k.contact;
    Row(1, 9).cut(known);
    ASSERT_EQ(known.size(), 9u);
    for (const KnownCell& k : known) EXPECT_EQ(k.area, 1 + k.contact);
    Row(1, 10).cut(known);
    for (const KnownCell& k : known) EXPECT_EQ(k.area, 0);
}

}  // namespace
}  // namespace plush
