#include <gtest/gtest.h>

#include "bodies/deformable/random_rows.hpp"

// The compliance of a body along rows, against the response to each impulse by conjugate gradients.

namespace plush {
namespace {

constexpr double h = 0.01;

DeformableModel springs() {
    SpringMaterial material;
    return jelly({{-0.1, 0, -0.1}, {0.1, 0.2, 0.1}}, 2, 2, 2, material).value();
}

/// The largest differences of W and of Δv, relative to the largest of each.
struct Difference {
    double compliance = 0, change = 0;
};

Difference against_respond(DeformableBody& body) {
    body.predict(h, {0, -9.81, 0}, RotationMethod::momentum);
    const std::size_t vertices = body.positions().size(), n = 11;
    ContactCompliance compliance;
    test::add_random_rows(compliance, vertices, n);
    compliance.measure(body, ComplianceAs::itself);
    std::vector<double> impulses;
    std::vector<Vec3> sum(vertices), change(vertices), out(vertices);
    double worst_w = 0, largest_w = 0, worst = 0, largest = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<Vec3> row(vertices);
        for (const HalfSolves::Entry& e : compliance.row(i)) row[e.row] = e.value;
        body.respond(row, change, 1e-13);
        impulses.push_back(1 + 0.1 * static_cast<double>(i));
        for (std::size_t k = 0; k < vertices; ++k) sum[k] += impulses.back() * change[k];
        for (std::size_t j = 0; j < n; ++j) {
            double expected = 0;
            for (const HalfSolves::Entry& e : compliance.row(j)) expected += dot(e.value, change[e.row]);
            worst_w = std::max(worst_w, std::abs(compliance.compliance()[j * n + i] - expected));
            largest_w = std::max(largest_w, std::abs(expected));
        }
    }
    compliance.change(impulses, out);
    for (std::size_t k = 0; k < vertices; ++k)
        worst = std::max(worst, norm(out[k] - sum[k])), largest = std::max(largest, norm(sum[k]));
    return {worst_w / largest_w, worst / largest};
}

void expect_same(DeformableBody& body) {
    const Difference d = against_respond(body);
    EXPECT_LT(d.compliance, 1e-9);  // measured: up to 1e-12, the tolerance of conjugate gradients
    EXPECT_LT(d.change, 1e-9);
}

TEST(ContactCompliance, IsThatOfAnElasticBody) {
    DeformableBody body(test::elastic_box(), {});
    expect_same(body);
}

TEST(ContactCompliance, IsThatOfABodyWithPinnedVertices) {
    DeformableBody body(test::elastic_box(), {});
    for (const std::uint32_t vertex : {0u, 1u, 7u}) body.pin(vertex);
    expect_same(body);
    ContactCompliance compliance;
    compliance.add(7, {1, 0, 0});
    compliance.end_row();
    compliance.measure(body, ComplianceAs::itself);
    EXPECT_EQ(compliance.compliance()[0], 0);
}

TEST(ContactCompliance, IsThatOfSprings) {
    DeformableBody body(springs(), {});
    expect_same(body);
}

TEST(ContactCompliance, IsThatOfABodyThatKeepsItsVolume) {
    SpringMaterial material;
    material.volume = 1e5;
    DeformableBody body(virtual_shells(shapes::icosphere(0.2, 80), 1, -0.05, material).value(), {});
    expect_same(body);
    EXPECT_EQ(body.coupled_terms().size(), 1u);  // else nothing was put to the test
}

TEST(ContactCompliance, IsThatOfMassesForExplicitBodies) {
    DeformableSettings settings;
    settings.integration.method = IntegrationMethod::semi_implicit_euler;
    DeformableBody body(springs(), settings);
    expect_same(body);
    ContactCompliance compliance;
    compliance.add(3, {0, 2, 0});
    compliance.end_row();
    compliance.measure(body, ComplianceAs::itself);
    EXPECT_DOUBLE_EQ(compliance.compliance()[0], 4 / body.masses()[3]);
}

TEST(ContactCompliance, OfClustersIsThatOfRigidBodies) {
    // One cluster of all is a rigid body: unit impulses at a point off its centre.
    DeformableModel model;
    for (const double x : {-1.0, 1.0})
        for (const double y : {-1.0, 1.0})
            for (const double z : {-1.0, 1.0}) model.positions.push_back({x, y, z});
    model.masses.assign(8, 0.5);
    const std::vector<Vec3> rest = model.positions;
    DeformableBody body(std::move(model), {});
    const std::vector<std::uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7};
    const std::vector<std::vector<std::uint32_t>> clusters{all};
    body.add_clusters(clusters, rest, {});
    ContactCompliance compliance;
    compliance.add(7, {0, 1, 0});  // at (1, 1, 1)
    compliance.end_row();
    compliance.measure(body, ComplianceAs::itself);
    // 1/m + |r × y|²/I with m = 4 and I = 8.
    EXPECT_NEAR(compliance.compliance()[0], 1 / 4.0 + 2 / 8.0, 1e-8);
}

TEST(ContactCompliance, OfOverlappingClustersIsSymmetricAndKeepsMomentum) {
    DeformableModel model;
    for (int i = 0; i < 6; ++i)
        for (const double y : {0.0, 0.1, 0.25})
            for (const double z : {0.0, 0.12}) model.positions.push_back({0.1 * i, y, z});
    for (std::size_t k = 0; k < model.positions.size(); ++k)
        model.masses.push_back(0.1 + 0.01 * static_cast<double>(k));
    const std::vector<Vec3> rest = model.positions;
    DeformableBody body(std::move(model), {});
    std::vector<std::vector<std::uint32_t>> clusters(2);
    for (std::uint32_t k = 0; k < 36; ++k) {
        if (k < 24) clusters[0].push_back(k);
        if (k >= 12) clusters[1].push_back(k);
    }
    body.add_clusters(clusters, rest, {.stiffness = 0.7});
    ContactCompliance compliance;
    test::add_random_rows(compliance, 36, 5);
    compliance.measure(body, ComplianceAs::itself);
    std::vector<double> impulses{1, -2, 0.5, 3, 0.1};
    std::vector<Vec3> change(36);
    compliance.change(impulses, change);
    Vec3 given{}, gained{};
    for (std::size_t i = 0; i < 5; ++i) {
        for (const HalfSolves::Entry& e : compliance.row(i)) given += impulses[i] * e.value;
        double w = 0;  // along the row, by the change and by W
        for (const HalfSolves::Entry& e : compliance.row(i)) w += dot(e.value, change[e.row]);
        double expected = 0;
        for (std::size_t j = 0; j < 5; ++j) expected += compliance.compliance()[5 * i + j] * impulses[j];
        EXPECT_NEAR(w, expected, 1e-12 * std::abs(expected));  // W is averaged with its transpose
    }
    for (std::size_t k = 0; k < 36; ++k) gained += body.masses()[k] * change[k];
    EXPECT_LT(norm(gained - given), 1e-12 * norm(given));
}

}  // namespace
}  // namespace plush
