#include "core/range_check.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plush {
namespace {

struct Inner {
    double depth = 1;
    std::optional<double> rate{};
};
void describe(FieldVisitor& v, Inner& s) {
    v.field({.key = "depth", .min = 0, .max = 2, .min_excluded = true}, s.depth);
    v.field({.key = "rate", .min = 0}, s.rate);
}
struct Outer {
    int count = 3;
    Inner inner{};
    std::vector<Inner> many{};
};
void describe(FieldVisitor& v, Outer& s) {
    v.field({.key = "count", .min = 1}, s.count);
    v.group({.key = "inner"}, s.inner);
    v.list({.key = "many"}, s.many);
}

std::string place_of_problem(const Outer& outer) {
    const Result<void> result = check_ranges(outer);
    return result.ok() ? "" : result.error().place();
}

TEST(RangeCheck, FindsTheFirstValueThatIsNoValue) {
    EXPECT_EQ(place_of_problem({}), "");
    EXPECT_EQ(place_of_problem({.count = 0}), "count");
    EXPECT_EQ(place_of_problem({.inner = {.depth = 0}}), "inner.depth");
    EXPECT_EQ(place_of_problem({.inner = {.depth = 2.5}}), "inner.depth");
    EXPECT_EQ(place_of_problem({.inner = {.depth = std::nan("")}}), "inner.depth");
    EXPECT_EQ(place_of_problem({.inner = {.rate = HUGE_VAL}}), "inner.rate");
    EXPECT_EQ(place_of_problem({.count = 0, .inner = {.depth = 0}}), "count");
    EXPECT_EQ(place_of_problem({.many = {{}, {.rate = -1}}}), "many.rate");
}

}  // namespace
}  // namespace plush
