#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "bodies/elements/clusters.hpp"
#include "plush/geometry/generate.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using test::says;

std::vector<VertexPair> edges_of(const Mesh& mesh) {
    std::set<VertexPair> edges;
    for (const Triangle& t : mesh.triangles())
        for (std::size_t c = 0; c < 3; ++c) {
            const auto a = static_cast<std::uint32_t>(t[c]), b = static_cast<std::uint32_t>(t[(c + 1) % 3]);
            edges.insert({std::min(a, b), std::max(a, b)});
        }
    return {edges.begin(), edges.end()};
}

bool connected(const std::vector<std::uint32_t>& cluster, const std::vector<VertexPair>& edges) {
    std::set<std::uint32_t> reached{cluster.front()};
    for (std::size_t before = 0; before != reached.size();) {
        before = reached.size();
        for (const auto& [a, b] : edges) {
            const auto in = [&](std::uint32_t v) {
                return std::binary_search(cluster.begin(), cluster.end(), v);
            };
            if (!in(a) || !in(b) || reached.count(a) == reached.count(b)) continue;
            reached.insert(a), reached.insert(b);
        }
    }
    return reached.size() == cluster.size();
}

Mesh torus() {
    return shapes::torus(0.4, 0.1, 600);
}

TEST(Clusters, cover_every_vertex_and_edge_and_are_connected) {
    const Mesh mesh = torus();
    const auto edges = edges_of(mesh);
    for (const double size : {0.1, 0.3, 0.8})
        for (const double overlap : {0.0, 0.5, 0.8}) {
            const ClusterList list = clusters_of_mesh(mesh.positions(), edges, {size, overlap}).value();
            EXPECT_GT(list.size(), 1u);
            std::vector<int> count(mesh.positions().size(), 0);
            for (const auto& cluster : list) {
                EXPECT_TRUE(std::is_sorted(cluster.begin(), cluster.end()));
                EXPECT_TRUE(connected(cluster, edges));
                for (const std::uint32_t v : cluster) ++count[v];
            }
            for (const int c : count) EXPECT_GE(c, 1);
            for (const auto& [a, b] : edges)
                EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&, a = a, b = b](const auto& c) {
                    return std::binary_search(c.begin(), c.end(), a) &&
                           std::binary_search(c.begin(), c.end(), b);
                }));
        }
}

TEST(Clusters, a_large_size_or_none_is_one_cluster_and_more_overlap_is_more_clusters) {
    const Mesh mesh = torus();
    const auto edges = edges_of(mesh);
    const auto count = [&](double size, double overlap) {
        return clusters_of_mesh(mesh.positions(), edges, {size, overlap}).value().size();
    };
    EXPECT_EQ(count(0, 0.5), 1u);
    EXPECT_EQ(count(10, 0.5), 1u);
    EXPECT_GT(count(0.3, 0.8), count(0.3, 0.2));
    EXPECT_GT(count(0.2, 0.5), count(0.6, 0.5));
}

TEST(Clusters, of_points_are_by_nearness_and_may_not_fall_apart) {
    std::vector<Vec3> cloud;
    for (int i = 0; i < 100; ++i) cloud.push_back({0.01 * i, 0, 0});
    const ClusterList list = clusters_of_points(cloud, {0.2, 0.5}).value();
    EXPECT_GT(list.size(), 5u);
    EXPECT_LT(list.size(), 30u);
    cloud.push_back({100, 0, 0});
    const auto refused = clusters_of_points(cloud, {0.2, 0.5});
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(says(refused.error().problem(), "100"));
    EXPECT_TRUE(clusters_of_points(cloud, {0, 0.5}).ok());
}

}  // namespace
}  // namespace plush
