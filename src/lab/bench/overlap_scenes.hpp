#pragma once

#include <memory>

#include "core/parallel.hpp"
#include "detect/broad_phase.hpp"
#include "detect/depth_images/overlap_finder.hpp"

// Bodies to be timed: where their vertices are, and what is done with them in a step.

namespace plush::lab {

struct OverlapBody {
    Mesh mesh{};
    std::shared_ptr<const SurfaceClusters> clusters{};
    std::vector<Vec3> positions{};  ///< world; or at rest, where it is rigid
    bool rigid = false;
    Transform pose{};
    ClusterBounds bounds{};

    SurfaceView view() const {
        return {.surface = clusters.get(), .positions = positions, .bounds = &bounds, .pose = pose};
    }
    Box3 box() const;
    void refit();  ///< nothing to do where it is rigid
};

struct OverlapScene {
    std::string name{};
    std::vector<OverlapBody> bodies{};
    double pixel = 0;
    double cell = 0;  ///< 0: one contact a pair
    double paper_ms = 0;
    bool self = false;  ///< bodies may meet themselves too

    Box3 box() const;
    long long triangles() const;
};

/// Two creatures of 345,944 triangles, the second moved along a direction until they touch lightly; 280
/// pixels along the longest side of both. By default one stands on the other.
OverlapScene two_creatures(bool rigid, const Vec3& direction = {0.1, 1, 0.05});
/// 40 toys of 18,000 triangles, pressed flat against each other by half a pixel: 1,232 pixels long.
OverlapScene forty_toys();
/// Three octopuses of 15,000 triangles with their arms between each other and against their own: 390 pixels
/// long, deformable, with self-contact.
OverlapScene three_octopuses();
/// Two balls of so many triangles each, the same overlap for all.
OverlapScene two_balls(int triangles);

/// One step's work: refit, pairs, images, contacts.
class OverlapStep {
public:
    explicit OverlapStep(int threads) : parallel_(threads) {}
    void run(OverlapScene& scene);

    /// Of the last run: what was queried, and how.
    OverlapPair pair(const OverlapScene& scene, std::size_t i) const {
        const auto [a, b] = pairs_[i];
        if (a == b) return {.a = scene.bodies[a].view(), .self = true};
        return {.a = scene.bodies[a].view(), .b = scene.bodies[b].view()};
    }
    ModelSettings model(const OverlapScene& scene) const;
    /// The normal of a pair's largest contact in the run before, from a to b: where to look first.
    Vec3 direction(std::size_t i) const { return directions_[i]; }

    double volume() const;
    long long columns() const, contacts() const;
    int pairs() const { return static_cast<int>(pairs_.size()); }
    int touching() const;

private:
    Parallel parallel_;
    BroadPhase broad_;
    std::vector<IndexPair> pairs_;
    std::vector<Vec3> directions_;
    std::vector<std::unique_ptr<OverlapFinder>> finders_;
};

}  // namespace plush::lab
