#pragma once

#include "detect/depth_images/overlap_finder.hpp"
#include "detect/depth_images/soft_surface.hpp"
#include "detect/features/closest_features.hpp"
#include "detect/features/soft_features.hpp"
#include "world/expected_motion.hpp"
#include "world/pair_rules.hpp"

// The surfaces that volume contact sees, by body, with their bounds: rigid ones once for all bodies of a mesh,
// deformable ones where their vertices are now, or are expected at the end of the step. Also the features of the
// same surfaces, for the baseline of closest features.

namespace plush {

/// Where a body is taken to be.
enum class BodyPlace { now, expected };

/// Two bodies whose surfaces are about to be compared.
struct SurfacePair {
    std::uint32_t i = 0, j = 0;
    Transform pose_i{}, pose_j{};
};

class VolumeSurfaces {
public:
    VolumeSurfaces(BodyStore& bodies, const PairRules& rules, const ExpectedMotion& expected)
        : bodies_(bodies), rules_(rules), expected_(expected) {}

    // -- making them
    /// Of deformable bodies, where any pair may touch by volume or features.
    void make_soft();
    /// Of a body with a shape, where it has a closed one.
    void make_rigid(std::uint32_t body);
    /// Of a body with a mesh, where any pair may ask for them.
    void make_features(std::uint32_t body);

    // -- reading them
    const SoftSurface* soft(std::uint32_t body) const { return of_body_[body].soft.get(); }
    bool any_soft(std::uint32_t i, std::uint32_t j) const { return soft(i) || soft(j); }
    const std::vector<std::uint32_t>& soft_bodies() const { return soft_bodies_; }
    const PosedSurface* rigid(std::uint32_t body) const { return of_body_[body].rigid.get(); }
    bool has(std::uint32_t body) const { return soft(body) || rigid(body); }
    /// Null where the body is not near any other, or has no mesh.
    const FeatureSurface* features(std::uint32_t body) const { return of_body_[body].features.get(); }
    const SoftFeatures* soft_features(std::uint32_t body) const { return of_body_[body].soft_features.get(); }
    /// The pose counts for rigid bodies, the place for deformable ones.
    SurfaceView view(std::uint32_t body, const Transform& pose, BodyPlace place) const;
    const ClusterBounds& bounds(std::uint32_t body, BodyPlace place) const;
    double size(
        std::uint32_t body) const;  ///< the longest side of its box at rest, m; HUGE_VAL without bounds
    double thickness(std::uint32_t body) const;  ///< m; HUGE_VAL without bounds
    double volume(std::uint32_t body) const;     ///< m³; HUGE_VAL without bounds

    // -- moving them
    /// Bounds of deformable surfaces, to where the bodies are.
    void refit(const Parallel& parallel, BodyPlace place);
    /// Skins are deformed, and their bounds fitted to them, where they may meet those that they are compared with:
    /// a body in a pile is compared with many, and a patch of it would be deformed for each of them.
    void tighten(const Parallel& parallel, std::span<const SurfacePair> pairs, BodyPlace place);
    /// Moves the features of these deformable bodies.
    void place_features(const Parallel& parallel, std::span<const std::uint32_t> bodies, BodyPlace place);

    void forget_body(std::uint32_t body);

private:
    struct BodySurface {
        bool made = false;  ///< whether making one was tried
        std::shared_ptr<const PosedSurface> rigid{};
        std::unique_ptr<SoftSurface> soft{};
        ClusterBounds now{}, expected{};  ///< of the soft one
        std::uint64_t version = 0;        ///< of the body, when `now` was fitted
        std::shared_ptr<const FeatureSurface> features{};
        std::unique_ptr<SoftFeatures> soft_features{};
    };
    void add_near_bounds(std::vector<Box3>& near, std::uint32_t body, std::uint32_t other,
                         const Transform& pose, BodyPlace place) const;
    std::shared_ptr<const PosedSurface> shared_surface(const Shape& shape);
    std::shared_ptr<const FeatureSurface> shared_features(const Mesh& mesh);

    BodyStore& bodies_;
    const PairRules& rules_;
    const ExpectedMotion& expected_;
    ByBody<BodySurface> of_body_;
    std::vector<std::uint32_t> soft_bodies_;  ///< rising
    struct KnownSurface {
        const void* mesh;
        std::weak_ptr<const PosedSurface> surface;
    };
    std::vector<KnownSurface> known_surfaces_;
    struct KnownFeatures {
        const void* mesh;
        std::weak_ptr<const FeatureSurface> features;
    };
    std::vector<KnownFeatures> known_features_;
};

/// Whether the surface of a deformable body is closed, has a volume, and may be held apart by rows.
bool encloses_volume(const BodyRecord& record);

}  // namespace plush
