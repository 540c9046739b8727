#include <algorithm>
#include <cstdint>

#include "geometry/tets/delaunay.hpp"
#include "plush/core/random.hpp"

// Biased randomised insertion: each point is in the last round with probability 1/2, in the one before with
// 1/4, and so on. The randomness keeps the expected work of incremental insertion at O(n log n) for any
// input; the curve keeps the walk to each point short. The seed is fixed.
//
// Hilbert's curve in three dimensions by J. Skilling, "Programming the Hilbert curve", AIP Conf. Proc. 707
// (2004): the coordinates' bits are turned, level by level, into the curve's "transpose", whose bits are then
// interleaved.

namespace plush {
namespace {

constexpr int bits = 16;  // a coordinate

std::uint64_t hilbert_key(std::array<std::uint32_t, 3> x) {
    for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1) {
        const std::uint32_t lower = q - 1;
        for (std::size_t i = 0; i < 3; ++i) {
            if ((x[i] & q) != 0) {
                x[0] ^= lower;  // invert
            } else {
                const std::uint32_t t = (x[0] ^ x[i]) & lower;  // exchange
                x[0] ^= t;
                x[i] ^= t;
            }
        }
    }
    for (std::size_t i = 1; i < 3; ++i) x[i] ^= x[i - 1];  // Gray code
    std::uint32_t t = 0;
    for (std::uint32_t q = 1u << (bits - 1); q > 1; q >>= 1)
        if ((x[2] & q) != 0) t ^= q - 1;
    std::uint64_t key = 0;
    for (int b = bits - 1; b >= 0; --b)
        for (std::size_t i = 0; i < 3; ++i) key = (key << 1) | (((x[i] ^ t) >> b) & 1u);
    return key;
}

}  // namespace

std::vector<int> insertion_order(std::span<const Vec3> points) {
    Box3 box;
    for (const Vec3& p : points) box.add(p);
    const double side = max_component(box.size());
    const double scale = side > 0 ? ((1 << bits) - 1) / side : 0;
    struct Item {
        int round;
        std::uint64_t key;
        int point;
    };
    std::vector<Item> items;
    Random random(0x5eed);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec3 at = (points[i] - box.low) * scale;
        const auto cell = [](double x) { return static_cast<std::uint32_t>(x); };
        // Trailing ones of a random word: 0 with probability 1/2, 1 with 1/4, …
        int round = 0;
        for (std::uint64_t word = random.bits(); (word & 1) != 0; word >>= 1) --round;
        items.push_back({round, hilbert_key({cell(at.x), cell(at.y), cell(at.z)}), static_cast<int>(i)});
    }
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
        if (a.round != b.round) return a.round < b.round;
        return a.key != b.key ? a.key < b.key : a.point < b.point;
    });
    std::vector<int> order;
    order.reserve(items.size());
    for (const Item& item : items) order.push_back(item.point);
    return order;
}

}  // namespace plush
