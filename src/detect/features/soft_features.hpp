#pragma once

#include <algorithm>
#include <memory>

#include "core/parallel.hpp"
#include "detect/features/nearest_feature.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/detect/overlap.hpp"

// Proximity between two surfaces of which one deforms: each vertex of either that is nearer to the other than
// an alarm distance, or inside it, with the point of the other that is nearest. A baseline like that between
// rigid bodies (closest_features.hpp), by vertices alone: edges are not queried. A vertex touches only what
// its own normal faces.
//
// Two vertices that are nearest to each other are one contact and not two.

namespace plush {

/// The closed surface of a body that deforms, its own vertices or a skin embedded in them, as proximity asks
/// for it. What it looks like is told once, where it is again and again.
class SoftFeatures {
public:
    SoftFeatures(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                 std::shared_ptr<const Embedding> skin);

    /// Moves it to where the vertices of the body are.
    void put(std::span<const Vec3> vertices);
    /// Of the surface, with the vertices of the body at these places.
    std::vector<Vec3> points_at(std::span<const Vec3> vertices) const;
    FeatureView view() const { return {points_, triangles_, &bvh_, &fans_, nullptr}; }

    /// How the vertices of the body carry a vertex of the surface, and a point of one of its triangles: adds
    /// w_k g for each. finish() sorts them, each once.
    void add_vertex(std::size_t vertex, const Vec3& g, std::vector<VertexGradient>& to) const;
    void add_point(int triangle, const Vec3& weights, const Vec3& g, std::vector<VertexGradient>& to) const;
    /// Adds w_k A for each vertex, where a vertex of the surface counts by a matrix A.
    template <class Part>
    void add_part(std::size_t vertex, const Mat3& a, std::vector<Part>& to) const {
        if (!skin_) {
            to.push_back({static_cast<std::uint32_t>(vertex), a});
            return;
        }
        for (const Embedding::Entry& e : skin_->row(vertex)) {
            const auto known =
                std::find_if(to.begin(), to.end(), [&](const Part& p) { return p.vertex == e.vertex; });
            if (known == to.end())
                to.push_back({e.vertex, a * e.weight});
            else
                known->part += a * e.weight;
        }
    }
    static void finish(std::vector<VertexGradient>& gradients);

private:
    void move(std::span<const Vec3> vertices);

    std::vector<Triangle> triangles_;
    std::shared_ptr<const Embedding> skin_;
    std::vector<Vec3> points_;
    FeatureFans fans_;
    Bvh bvh_;
};

/// A surface, where it is, and how deep in it a point may be: by far less than its thickness what is nearest
/// is the way out, deeper it may be any side.
struct PosedFeatures {
    FeatureView view{};
    Transform pose{};
    double deepest = 0;  ///< m
};

/// A vertex near the other surface.
struct NearVertex {
    std::uint32_t vertex = 0;
    bool of_b = false;
    double area = 0;     ///< of the surface that it stands for, m²
    Vec3 position{};     ///< m
    NearFeature near{};  ///< of the other surface; in the world
};

/// Those of a against b, then those of b against a, each in rising order.
std::vector<NearVertex> find_near_vertices(const PosedFeatures& a, const PosedFeatures& b, double alarm,
                                           const Parallel* parallel);
/// Those of a against what is inside a signed distance (world), at any depth: it knows its inside.
std::vector<NearVertex> find_near_vertices(const PosedFeatures& a, const SignedDistance& b, double alarm,
                                           const Parallel* parallel);

}  // namespace plush
