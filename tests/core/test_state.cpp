#include <gtest/gtest.h>

#include "plush/core/state.hpp"

namespace plush {
namespace {

struct Nested {
    std::vector<double> values;
    std::optional<int> maybe;
    std::string name;
};
void visit_state(StateVisitor& v, Nested& n) {
    v(n.values, n.maybe, n.name);
}

std::uint64_t hash(Nested& n) {
    StateHasher hasher;
    visit_state(hasher, n);
    return hasher.digest();
}

TEST(State, SnapshotAndRestoreGiveTheSameHash) {
    Nested a{{1.5, -2, 3}, 7, "bear"}, b;
    StateWriter writer;
    visit_state(writer, a);
    const auto bytes = writer.take();
    EXPECT_NE(hash(a), hash(b));
    StateReader reader(bytes);
    visit_state(reader, b);
    ASSERT_TRUE(reader.finish().ok());
    EXPECT_EQ(b.values, a.values);
    EXPECT_EQ(b.maybe, a.maybe);
    EXPECT_EQ(b.name, a.name);
    EXPECT_EQ(hash(a), hash(b));
}

TEST(State, AShortOrLyingSnapshotIsAnErrorAndAllocatesNothing) {
    Nested a{{1.5, -2, 3}, 7, "bear"};
    StateWriter writer;
    visit_state(writer, a);
    auto bytes = writer.take();
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        Nested b;
        StateReader reader(std::span<const std::byte>(bytes.data(), n));
        visit_state(reader, b);
        EXPECT_FALSE(reader.finish().ok()) << n;
    }
    bytes[5] = std::byte{0x7f};  // the vector claims 2⁴⁷ numbers
    Nested b;
    StateReader reader(bytes);
    visit_state(reader, b);
    EXPECT_FALSE(reader.finish().ok());
    EXPECT_TRUE(b.values.empty());
}

}  // namespace
}  // namespace plush
