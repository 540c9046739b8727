#include <gtest/gtest.h>

#include "fuzz/targets.hpp"

// What the fuzzer found worth keeping is read again, quickly and without harm. A promise that is broken ends the program.

namespace plush::fuzz {
namespace {

class Corpora : public testing::TestWithParam<std::string_view> {};

TEST_P(Corpora, AreReadWithoutHarm) {
    const Target& target = *find_target(GetParam());
    const auto seeds = target.seeds(), kept = kept_inputs(target.name);
    EXPECT_FALSE(seeds.empty());
    EXPECT_GT(kept.size(), 10u) << "is tests/fuzz/corpus there?";
    for (const auto& list : {seeds, kept})
        for (const std::string& input : list) {
            SCOPED_TRACE(escaped(input));
            target.run(input);
        }
}

std::vector<std::string_view> names() {
    std::vector<std::string_view> list;
    for (const Target& t : targets()) list.push_back(t.name);
    return list;
}
INSTANTIATE_TEST_SUITE_P(Targets, Corpora, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string(test.param); });

TEST(FuzzText, EscapesAreReadBack) {
    std::string all;
    for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
    EXPECT_EQ(unescaped(escaped(all)), all);
    EXPECT_EQ(escaped("a\n\\\x01\xff"), "a\\n\\\\\\x01\\xff");
    EXPECT_EQ(escaped(all).find('\n'), std::string::npos);
}

TEST(FuzzText, EditsStayWithinTheBytes) {
    std::string script;
    for (int k = 0; k < 4000; ++k) script += static_cast<char>(k * 37 + k / 256);
    for (std::size_t size = 0; size < 40; ++size)
        for (std::size_t from = 0; from + 300 < script.size(); from += 97) {
            std::vector<std::byte> bytes(size);
            edit(bytes, std::string_view(script).substr(from, 300));
            EXPECT_LE(bytes.size(), size + 32 * 64);
        }
}

}  // namespace
}  // namespace plush::fuzz
