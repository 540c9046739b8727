#include "core/did_you_mean.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

// The closest word by edit distance with swaps of neighbours (optimal string alignment; Damerau 1964):
//
//     d(i, j) = min( d(i−1, j) + 1,  d(i, j−1) + 1,  d(i−1, j−1) + [a_i ≠ b_j],
//                    d(i−2, j−2) + 1 where a_i a_{i−1} = b_{j−1} b_j )
//
// A word is near when at most a third of its letters are wrong: one slip in a short word, more in a long one.

namespace plush {
namespace {

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) now[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::swap(before, last), std::swap(last, now);
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
                now[j] = std::min(now[j], before[j - 2] + 1);
        }
    }
    return now[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, std::span<const std::string_view> known) {
    std::string_view best;
    std::size_t best_distance = 0;
    for (const std::string_view candidate : known) {
        const std::size_t longer = std::max(word.size(), candidate.size());
        const std::size_t shorter = std::min(word.size(), candidate.size());
        const std::size_t allowed = std::max<std::size_t>(1, longer / 3);
        if (longer - shorter > allowed) continue;  // also keeps a word of a megabyte from costing anything
        const std::size_t distance = edit_distance(word, candidate);
        if (distance > allowed || distance >= longer) continue;
        if (best.empty() || distance < best_distance) best = candidate, best_distance = distance;
    }
    return best.empty() ? std::string{} : "did you mean \"" + std::string(best) + "\"?";
}

}  // namespace plush
