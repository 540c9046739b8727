#include "detect/depth_images/depth_fill.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "detect/depth_images/surfaces.hpp"

// Triangles to crossings: do the three ways of filling one agree, and do limits leave out exactly what does
// not reach them?

namespace plush {
namespace {

using Crossings = std::vector<std::pair<ColumnPlace, CrossingKey>>;

Crossings sorted(const FragmentList& list) {
    Crossings all;
    for (std::size_t f = 0; f < list.size(); ++f) all.push_back({list.columns()[f], list.keys()[f]});
    std::sort(all.begin(), all.end());
    return all;
}

/// Of a size in pixels, anywhere around the middle of the window, snapped; some corners on pixel centres.
Target random_triangle(Random& random, const AxisWindow& window, double size, std::uint32_t number) {
    Target t;
    const double u = random.uniform(10, 50), v = random.uniform(10, 50);
    std::array<std::int32_t, 4> box{1 << 30, -(1 << 30), 1 << 30, -(1 << 30)};
    for (std::size_t k = 0; k < 3; ++k) {
        double x = u + random.uniform(-size, size), y = v + random.uniform(-size, size);
        if (random.below(4) == 0) x = std::floor(x) + 0.5, y = std::floor(y) + 0.5;
        t.p[k] = {static_cast<std::int32_t>(x * snap_one), static_cast<std::int32_t>(y * snap_one)};
        t.z[k] = random.uniform(-5, 69);  // some beyond the depths of interest
        box = {std::min(box[0], t.p[k].u), std::max(box[1], t.p[k].u), std::min(box[2], t.p[k].v),
               std::max(box[3], t.p[k].v)};
    }
    const auto first = [](std::int32_t low) { return (low + snap_half - 1) >> snap_bits; };
    const auto last = [](std::int32_t high) { return (high - snap_half) >> snap_bits; };
    t.u0 = std::max(first(box[0]), window.u0), t.u1 = std::min(last(box[1]), window.u1);
    t.v0 = std::max(first(box[2]), window.v0), t.v1 = std::min(last(box[3]), window.v1);
    t.object = 1, t.triangle = number;
    return t;
}

AxisWindow window_of_60() {
    AxisWindow window;
    window.u0 = 2, window.v0 = 5, window.u1 = 57, window.v1 = 61;
    window.low = 0, window.high = 64;
    return window;
}

std::vector<std::int32_t> random_limits(Random& random, const AxisWindow& window, double quanta,
                                        bool from_high) {
    std::vector<std::int32_t> limits(window.columns() + 4);
    for (std::int32_t& limit : limits)
        limit = random.below(3) == 0 ? ColumnLimits::never(from_high)
                                     : static_cast<std::int32_t>(random.uniform(0, 64) * quanta);
    return limits;
}

TEST(DepthFill, ThreeWaysGiveTheSameCrossings) {
    constexpr double quanta = 1 << 20;
    Random random(3);
    std::size_t found = 0, left = 0;
    for (const double size : {0.3, 0.8, 2.0, 4.0, 9.0})
        for (const bool from_high : {false, true})
            for (const bool culled : {false, true})
                for (const bool limited : {false, true}) {
                    AxisWindow window = window_of_60();
                    window.from_high = {from_high, from_high};
                    const auto limits = random_limits(random, window, quanta, from_high);
                    const DepthRule rule(window, quanta, culled, 1, limited ? limits.data() : nullptr);
                    FragmentList narrow_list, wide_list;
                    TriangleFiller narrow(window, rule, 1, narrow_list), wide(window, rule, 1, wide_list);
                    for (std::uint32_t n = 0; n < 101; ++n) {
                        const Target t = random_triangle(random, window, size, n);
                        if (t.u0 > t.u1 || t.v0 > t.v1) continue;
                        narrow.draw(t, true);
                        wide.draw(t, false);
                    }
                    narrow.finish(), wide.finish();
                    EXPECT_EQ(sorted(narrow_list), sorted(wide_list)) << "size " << size;
                    (culled || limited ? left : found) += wide_list.size();
                }
    EXPECT_GT(found, 5000u);     // measured: 6,146
    EXPECT_LT(left, 2 * found);  // measured: 1.63; without rules and limits it would be 3
}

/// Two balls and the plan of their images; the crossings of the second one with and without limits.
struct TwoBalls {
    test::Surface a{shapes::icosphere(0.5, 1280), {}};
    test::Surface b{shapes::icosphere(0.5, 20480), {{0.5, 0.3, 0.2}, exp_rotation({1, 2, 3})}};
    DepthPlan plan;

    TwoBalls() { plan.make({.a = a.view, .b = b.view}, 1.0 / 64, Mat3::identity(), true, {}); }

    std::array<FragmentList, 3> crossings(const std::array<ColumnLimits, 3>* limits) const {
        std::array<FragmentList, 3> lists;
        find_crossings(plan, b.view, 1, plan.kept[1], lists, limits);
        return lists;
    }
    /// The same limit for all of an image.
    std::array<ColumnLimits, 3> limits(bool reached) const {
        std::array<ColumnLimits, 3> all;
        for (std::size_t d = 0; d < 3; ++d) {
            const AxisWindow& w = plan.windows[d];
            const std::int32_t value = ColumnLimits::never(w.from_high[1] == reached ? false : true);
            all[d].all.assign(w.columns() + 4, value);
            all[d].columns = all[d].all;
            all[d].tiles.assign(plan.tiles_across(d) * ((w.height() >> plan.tile_bits) + 1), value);
        }
        return all;
    }
    std::size_t column(std::size_t d, ColumnPlace place) const {
        const AxisWindow& w = plan.windows[d];
        return ((place >> 16) - static_cast<std::uint32_t>(w.v0)) * w.width() + (place & 0xffff) -
               static_cast<std::uint32_t>(w.u0);
    }
};

TEST(ColumnLimits, LeaveOutWhatDoesNotReachThem) {
    const TwoBalls balls;
    auto limits = balls.limits(true);
    const auto all = balls.crossings(&limits);
    Random random(4);
    std::array<Crossings, 3> expected;
    std::size_t kept = 0, whole = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const bool from_high = balls.plan.windows[d].from_high[1];
        // Around the depths that are there, so that about half goes; in every seventh column all of it.
        for (std::size_t f = 0; f < all[d].size(); ++f) {
            std::int32_t& limit = limits[d].columns[balls.column(d, all[d].columns()[f])];
            limit = depth_of(all[d].keys()[f]) + static_cast<std::int32_t>(random.below(3)) - 1;
            if (all[d].columns()[f] % 7 == 0) limit = ColumnLimits::never(from_high);
        }
        for (const auto& [place, key] : sorted(all[d])) {
            const std::int32_t limit = limits[d].columns[balls.column(d, place)];
            if (from_high ? depth_of(key) >= limit : depth_of(key) <= limit)
                expected[d].push_back({place, key});
        }
        kept += expected[d].size(), whole += all[d].size();
    }
    const auto limited = balls.crossings(&limits);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(sorted(limited[d]), expected[d]) << "axis " << d;
    EXPECT_GT(10 * kept, 3 * whole);  // measured: 0.60
    EXPECT_LT(10 * kept, 8 * whole);
}

TEST(ColumnLimits, TilesThatAreNeverReachedAreNotDrawn) {
    const TwoBalls balls;
    auto limits = balls.limits(true);
    const auto all = balls.crossings(&limits);
    const int bits = balls.plan.tile_bits;
    const auto tile_of = [&](std::size_t d, ColumnPlace place) {
        const AxisWindow& w = balls.plan.windows[d];
        return (((place >> 16) - static_cast<std::uint32_t>(w.v0)) >> bits) * balls.plan.tiles_across(d) +
               (((place & 0xffff) - static_cast<std::uint32_t>(w.u0)) >> bits);
    };
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t t = 0; t < limits[d].tiles.size(); t += 2)
            limits[d].tiles[t] = ColumnLimits::never(balls.plan.windows[d].from_high[1]);
    const auto limited = balls.crossings(&limits);
    std::size_t left = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        // A triangle on a border lies in two tiles: what is left may be more than the tile allows, never
        // less.
        const Crossings got = sorted(limited[d]);
        for (const auto& crossing : sorted(all[d]))
            if (tile_of(d, crossing.first) % 2 == 1) {
                EXPECT_TRUE(std::binary_search(got.begin(), got.end(), crossing));
            }
        left += got.size();
    }
    const std::size_t whole = all[0].size() + all[1].size() + all[2].size();
    EXPECT_GT(whole, 3000u);          // measured: 5,143
    EXPECT_LT(10 * left, 7 * whole);  // measured: 0.51
    for (const FragmentList& list : [&] {
             const auto never = balls.limits(false);
             return balls.crossings(&never);
         }())
        EXPECT_EQ(list.size(), 0u);
}

}  // namespace
}  // namespace plush
