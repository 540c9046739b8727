#include "world/volume_warm_starts.hpp"

#include <gtest/gtest.h>

namespace plush {
namespace {

VolumeContact contact(std::uint32_t a, std::uint32_t b, const Vec3& centre, double area = 0.01) {
    VolumeContact c{.a = a, .b = b, .area = area};
    c.overlap.centre = centre, c.overlap.area = area;
    return c;
}

TEST(VolumeWarmStarts, RecogniseAContactByItsPlaceAndGiveItsImpulseBack) {
    VolumeWarmStarts warm;
    std::vector<VolumeContact> first{contact(0, 1, {0, 0, 0}), contact(0, 1, {1, 0, 0})};
    EXPECT_EQ(warm.match(first), (std::vector<Vec3>{{}, {}}));
    EXPECT_NE(first[0].id, first[1].id);
    warm.record(first[1], {0, 2, 0}), warm.record(first[0], {0, 1, 0});
    warm.sort();
    // In another order, a little further, and with a third one far from both. Sides may be swapped.
    std::vector<VolumeContact> next{contact(0, 1, {0.5, 0.5, 0}), contact(1, 0, {1.05, 0, 0}),
                                    contact(0, 1, {0.02, 0, 0})};
    EXPECT_EQ(warm.match(next), (std::vector<Vec3>{{}, {0, 2, 0}, {0, 1, 0}}));
    EXPECT_EQ(next[1].id, first[1].id);
    EXPECT_EQ(next[2].id, first[0].id);
    EXPECT_NE(next[0].id, first[0].id);
    EXPECT_NE(next[0].id, first[1].id);
}

TEST(VolumeWarmStarts, GiveAnImpulseToOneContactOnly) {
    VolumeWarmStarts warm;
    std::vector<VolumeContact> one{contact(2, 3, {})};
    warm.match(one);
    warm.record(one[0], {1, 0, 0});
    warm.sort();
    std::vector<VolumeContact> two{contact(2, 3, {0.01, 0, 0}), contact(2, 3, {0.005, 0, 0})};
    const std::vector<Vec3> impulses = warm.match(two);
    EXPECT_EQ(impulses[0], (Vec3{1, 0, 0}));
    EXPECT_EQ(impulses[1], Vec3{});
}

TEST(VolumeWarmStarts, KnowPairsApartAndForgetBodies) {
    VolumeWarmStarts warm;
    std::vector<VolumeContact> first{contact(0, 1, {}), contact(1, 2, {})};
    warm.match(first);
    warm.record(first[0], {1, 0, 0}), warm.record(first[1], {2, 0, 0});
    warm.sort();
    std::vector<VolumeContact> other{contact(0, 2, {})};
    EXPECT_EQ(warm.match(other)[0], Vec3{});
    warm.forget_body(0);
    std::vector<VolumeContact> again{contact(0, 1, {}), contact(1, 2, {})};
    EXPECT_EQ(warm.match(again), (std::vector<Vec3>{{}, {2, 0, 0}}));
}

}  // namespace
}  // namespace plush
