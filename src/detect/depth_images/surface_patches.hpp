#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "core/assert.hpp"
#include "detect/depth_images/surface_clusters.hpp"

// The clusters of a surface, cut again into patches of a few connected triangles that face about the
// same way, with those that each touches. They tell where two surfaces can cross (overlap_gate.hpp).

namespace plush {

class SurfacePatches {
public:
    static constexpr std::size_t max_triangles = 8;
    /// Corners of its triangles, as places in surface.vertices(); the last one again where there are fewer.
    using Corners = std::array<std::array<std::uint32_t, max_triangles>, 3>;

    SurfacePatches() = default;
    /// Of a surface with its vertices at these places: which patches there are depends on it, and no result
    /// does.
    SurfacePatches(const SurfaceClusters& surface, std::span<const Vec3> points);

    std::size_t size() const { return corners_.size(); }
    const Corners& corners(std::size_t patch) const { return corners_[patch]; }
    /// Those of a cluster are [first(c), first(c + 1)).
    std::uint32_t first(std::size_t cluster) const {
        PLUSH_ASSERT(cluster < first_.size());
        return first_[cluster];
    }
    /// The triangles of a patch, in its order; they are numbered in the order of the clusters.
    std::span<const std::uint32_t> triangles(std::size_t patch) const {
        PLUSH_ASSERT(patch < counts_.size());
        return {triangles_[patch].data(), counts_[patch]};
    }
    /// Of the eight that its corners have room for, those that are triangles of their own, a bit each.
    unsigned lanes(std::size_t patch) const { return (1u << counts_[patch]) - 1; }
    std::uint32_t of(std::size_t triangle) const { return patch_of_[triangle]; }
    /// The triangles across the edges of one.
    const std::array<std::uint32_t, 3>& across(std::size_t triangle) const { return across_[triangle]; }
    /// Whether every edge has two triangles. Otherwise connected parts are not determined.
    bool manifold() const { return manifold_; }
    /// Patches with a common vertex, rising.
    std::span<const std::uint32_t> neighbours(std::size_t patch) const {
        return std::span(neighbours_)
            .subspan(first_neighbour_[patch], first_neighbour_[patch + 1] - first_neighbour_[patch]);
    }
    /// Vertices at which three patches or more meet, by the first of their patches.
    std::size_t meetings() const { return first_of_fan_.size() - 1; }
    std::uint32_t first_meeting(std::size_t patch) const { return first_meeting_[patch]; }
    /// The triangles around the vertex of a meeting, as patch * max_triangles + place in the patch.
    std::span<const std::uint32_t> fan(std::size_t meeting) const {
        return std::span(fans_).subspan(first_of_fan_[meeting],
                                        first_of_fan_[meeting + 1] - first_of_fan_[meeting]);
    }
    /// The meetings of a patch with the k-th of its neighbours.
    std::span<const std::uint32_t> meetings_with(std::size_t patch, std::size_t k) const {
        const std::size_t at = first_neighbour_[patch] + k;
        PLUSH_ASSERT(at < first_neighbour_[patch + 1]);
        return std::span(shared_).subspan(first_shared_[at], first_shared_[at + 1] - first_shared_[at]);
    }
    /// One patch of each connected part.
    std::span<const std::uint32_t> parts() const { return parts_; }

private:
    void pair_edges(std::size_t vertices, std::span<const Triangle> all);
    void cut(const SurfaceClusters& surface, std::span<const Triangle> all, std::span<const Vec3> points);
    std::vector<std::uint32_t> vertices_of(const SurfaceClusters& surface, std::size_t patch) const;
    void join(const SurfaceClusters& surface, std::size_t vertices);

    std::vector<Corners> corners_;
    std::vector<std::array<std::uint32_t, max_triangles>> triangles_;
    std::vector<std::uint8_t> counts_;
    std::vector<std::array<std::uint32_t, 3>> across_;
    bool manifold_ = true;
    std::vector<std::uint32_t> first_, patch_of_;
    std::vector<std::uint32_t> first_neighbour_, neighbours_, parts_;
    std::vector<std::uint32_t> first_meeting_, first_of_fan_, fans_, first_shared_, shared_;
};

/// The patches of a surface, made when somebody has asked for them often enough; several threads may. To make
/// them costs as much as some queries: a body that is cut has another surface in every step.
class LazyPatches {
public:
    explicit LazyPatches(int refusals) : refusals_(refusals) {}
    /// Null the first times.
    const SurfacePatches* of(const SurfaceView& view) const;

private:
    mutable std::atomic<int> refusals_;
    mutable std::once_flag made_;
    mutable std::unique_ptr<const SurfacePatches> patches_;
};

}  // namespace plush
