#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "fuzz/targets.hpp"
#include "plush/core/random.hpp"
#include "support/files.hpp"

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

/// Seeds and kept inputs, changed at random: for machines without clang, and for what its instruments make too slow.
class MutatedFull : public testing::TestWithParam<std::string_view> {};

std::string mutated(std::string bytes, Random& random) {
    for (std::uint64_t edits = 1 + random.below(6); edits > 0 && !bytes.empty(); --edits) {
        const std::size_t at = random.below(bytes.size());
        switch (random.below(5)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
                break;
            case 1:
                bytes[at] = static_cast<char>(random.bits());
                break;
            case 2:
                bytes.erase(at, 1 + random.below(16));
                break;
            case 3: {
                const std::size_t from = random.below(bytes.size());
                bytes.insert(at, bytes.substr(from, random.below(64)));
                break;
            }
            default:
                for (std::uint64_t k = 8 * random.below(3); k > 0; --k)
                    bytes += static_cast<char>(random.bits());
        }
    }
    return bytes;
}

TEST_P(MutatedFull, AreReadWithoutHarm) {
    const Target& target = *find_target(GetParam());
    std::vector<std::string> inputs = target.seeds();
    for (std::string& input : kept_inputs(target.name)) inputs.push_back(std::move(input));
    const char* asked = std::getenv("PLUSH_FUZZ_SECONDS");
    const double seconds = asked ? std::strtod(asked, nullptr) : 60;
    const auto begin = std::chrono::steady_clock::now();
    Random random(2026);
    std::int64_t runs = 0;
    while (std::chrono::steady_clock::now() - begin < std::chrono::duration<double>(seconds)) {
        const std::string input = mutated(inputs[random.below(inputs.size())], random);
        // What ends the program leaves its input.
        test::write_text(std::string("fuzz_") + std::string(target.name) + ".last", escaped(input));
        target.run(input);
        ++runs;
    }
    std::filesystem::remove(std::string("fuzz_") + std::string(target.name) + ".last");
    std::printf("%s: %lld inputs\n", std::string(target.name).c_str(), static_cast<long long>(runs));
    EXPECT_GT(runs, 0);
}

std::vector<std::string_view> names() {
    std::vector<std::string_view> list;
    for (const Target& t : targets()) list.push_back(t.name);
    return list;
}
INSTANTIATE_TEST_SUITE_P(Targets, Corpora, testing::ValuesIn(names()),
                         [](const auto& test) { return std::string(test.param); });

INSTANTIATE_TEST_SUITE_P(Targets, MutatedFull, testing::ValuesIn(names()),
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
