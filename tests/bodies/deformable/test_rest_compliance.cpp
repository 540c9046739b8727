#include <gtest/gtest.h>

#include "bodies/deformable/random_rows.hpp"

// The compliance of a rest shape, turned along, against that of the body's own matrix.

namespace plush {
namespace {

constexpr double h = 0.01;

struct Rows {
    std::uint64_t seed = 5;
    std::size_t count = 11;
};

void add_rows(ContactCompliance& compliance, std::size_t vertices, const Rows& rows) {
    compliance.clear();
    test::add_random_rows(compliance, vertices, rows.count, rows.seed);
}

/// A body whose vertices are where a linear map takes them from its rest shape, after a step's prediction.
struct Mapped {
    explicit Mapped(const Mat3& map, bool pinned = false) : body(test::elastic_box(), {}) {
        rest.assign(body.positions().begin(), body.positions().end());
        for (std::uint32_t k = 0; k < rest.size(); ++k) body.set_vertex(k, map * rest[k], {});
        if (pinned)
            for (const std::uint32_t v : {0u, 1u, 7u}) body.pin(v);
        body.predict(h, {}, RotationMethod::momentum);
    }
    DeformableBody body;
    std::vector<Vec3> rest;
};

Mat3 a_turn() {
    return to_matrix(from_axis_angle(normalised(Vec3{1, 2, -0.5}), 130));
}

/// The largest difference of W̃ from W, of the largest W.
double error_of(Mapped& mapped) {
    ContactCompliance exact, approximate;
    add_rows(exact, mapped.rest.size(), {}), add_rows(approximate, mapped.rest.size(), {});
    exact.measure(mapped.body, ComplianceAs::itself);
    EXPECT_TRUE(approximate.measure_approximately(mapped.body, mapped.rest));
    double worst = 0, largest = 0;
    for (std::size_t k = 0; k < exact.compliance().size(); ++k) {
        worst = std::max(worst, std::abs(exact.compliance()[k] - approximate.compliance()[k]));
        largest = std::max(largest, std::abs(exact.compliance()[k]));
    }
    return worst / largest;
}

TEST(RestCompliance, IsExactWhereABodyIsOnlyTurned) {
    Mapped turned(a_turn());
    EXPECT_LT(error_of(turned), 1e-11);  // measured: 1e-15
    Mapped held(a_turn(), true);
    EXPECT_LT(error_of(held), 1e-11);  // measured: 8e-16
}

TEST(RestCompliance, IsNearlyRightWhereABodyIsStretched) {
    Mapped stretched(a_turn() * Mat3::diagonal({1.2, 0.85, 1}));
    EXPECT_LT(error_of(stretched), 0.01);  // measured: 0.0034
}

TEST(RestCompliance, TheOrderInWhichVerticesAreTouchedLeavesNoTrace) {
    Mapped mapped(a_turn());
    const std::size_t n = mapped.rest.size();
    ContactCompliance fresh, used;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {  // other vertices before
        add_rows(used, n, {seed, 3});
        ASSERT_TRUE(used.measure_approximately(mapped.body, mapped.rest));
    }
    add_rows(used, n, {}), add_rows(fresh, n, {});
    ASSERT_TRUE(used.measure_approximately(mapped.body, mapped.rest));
    ASSERT_TRUE(fresh.measure_approximately(mapped.body, mapped.rest));
    for (std::size_t k = 0; k < fresh.compliance().size(); ++k)
        EXPECT_EQ(fresh.compliance()[k], used.compliance()[k]);
}

TEST(RestCompliance, FollowsWhatIsPinned) {
    Mapped mapped(a_turn());
    ContactCompliance compliance;
    add_rows(compliance, mapped.rest.size(), {});
    ASSERT_TRUE(compliance.measure_approximately(mapped.body, mapped.rest));
    const double before = compliance.compliance()[0];
    mapped.body.pin(0);
    mapped.body.predict(h, {}, RotationMethod::momentum);
    ASSERT_TRUE(compliance.measure_approximately(mapped.body, mapped.rest));
    EXPECT_NE(compliance.compliance()[0], before);
    ContactCompliance fresh;
    add_rows(fresh, mapped.rest.size(), {});
    ASSERT_TRUE(fresh.measure_approximately(mapped.body, mapped.rest));
    EXPECT_EQ(compliance.compliance()[0], fresh.compliance()[0]);
}

TEST(RestCompliance, ItsMotionIsTheTrueOne) {
    Mapped mapped(a_turn() * Mat3::diagonal({1.3, 0.7, 1}));
    ContactCompliance exact, approximate;
    add_rows(exact, mapped.rest.size(), {}), add_rows(approximate, mapped.rest.size(), {});
    exact.measure(mapped.body, ComplianceAs::itself);
    ASSERT_TRUE(approximate.measure_approximately(mapped.body, mapped.rest));
    std::vector<double> impulses;
    for (std::size_t i = 0; i < exact.rows(); ++i) impulses.push_back(1 - 0.2 * static_cast<double>(i));
    approximate.move(impulses, 1e-12);
    std::vector<Vec3> expected(mapped.rest.size()), found(mapped.rest.size());
    exact.change(impulses, expected), approximate.change(impulses, found);
    double worst = 0, largest = 0;
    for (std::size_t k = 0; k < found.size(); ++k)
        worst = std::max(worst, norm(found[k] - expected[k])), largest = std::max(largest, norm(expected[k]));
    EXPECT_LT(worst, 1e-9 * largest);  // measured: 2e-13
    for (std::size_t i = 0; i < exact.rows(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < exact.rows(); ++j)
            sum += exact.compliance()[i * exact.rows() + j] * impulses[j];
        EXPECT_NEAR(approximate.velocity(i), sum, 1e-9 * largest);
    }
}

TEST(RestCompliance, SpringsHaveNone) {
    DeformableBody body(jelly({{-0.1, 0, -0.1}, {0.1, 0.2, 0.1}}, 2, 2, 2, SpringMaterial{}).value(), {});
    const std::vector<Vec3> rest(body.positions().begin(), body.positions().end());
    body.predict(h, {}, RotationMethod::momentum);
    ContactCompliance compliance;
    add_rows(compliance, rest.size(), {});
    EXPECT_FALSE(compliance.measure_approximately(body, rest));
}

}  // namespace
}  // namespace plush
