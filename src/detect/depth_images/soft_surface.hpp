#pragma once

#include <memory>

#include "detect/depth_images/surface_patches.hpp"

namespace plush {

/// The closed surface of a body that deforms, as the images need it: its own vertices, or a skin that they
/// carry. What can be told of it at rest is told once; boxes are refitted to where the vertices are.
class SoftSurface {
public:
    /// At rest, or as it is now: which patches there are depends on it, and no result does.
    SoftSurface(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                std::shared_ptr<const Embedding> skin);

    bool closed() const { return clusters_.closed() && volume_ > 0; }
    double size() const { return size_; }            ///< the longest side of its box, m
    double volume() const { return volume_; }        ///< m³
    double thickness() const { return thickness_; }  ///< volume / area: no more than the inscribed radius, m

    /// Boxes for vertices at these places; the view points to both.
    void refit(std::span<const Vec3> vertices, ClusterBounds& bounds) const;
    /// Boxes that fit, of what meets one of these; only skins have others.
    void tighten(std::span<const Vec3> vertices, std::span<const Box3> near, ClusterBounds& bounds) const {
        if (skin_) cages_.tighten(clusters_, vertices, near, bounds);
    }
    /// A few points of the surface that tell how it moves: of what each vertex carries of it the point that
    /// it carries most of.
    void samples(std::span<const Vec3> vertices, std::vector<Vec3>& points) const;

    SurfaceView view(std::span<const Vec3> vertices, const ClusterBounds& bounds) const {
        return {.surface = &clusters_,
                .positions = vertices,
                .bounds = &bounds,
                .embedding = skin_.get(),
                .patches = &patches_};
    }

private:
    SurfaceClusters clusters_;
    LazyPatches patches_{4};
    ClusterCages cages_;
    std::shared_ptr<const Embedding> skin_;
    std::vector<std::uint32_t> samples_;
    double size_ = 0, volume_ = 0, thickness_ = 0;
};

}  // namespace plush
