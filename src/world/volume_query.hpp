#pragma once

#include "world/volume_pair.hpp"

// The contacts of one pair, from its surfaces and poses alone: layered depth images (detect), one contact for each
// cell of the volume that the two share, or the shortest way out where one body is inside the other.

namespace plush {

class VolumeQuery {
public:
    VolumeQuery(const WorldSettings& settings, const BodyStore& bodies, const PairRules& rules,
                const VolumeSurfaces& surfaces)
        : settings_(settings), bodies_(bodies), rules_(rules), surfaces_(surfaces) {}

    /// Appends the contacts of a pair at the poses that stand in it; sets its pixel and direction. Finders keep the
    /// memory of their images: one for each thread. `inner` spreads the work of one pair, and may be null. Of the memory
    /// that images may take it gets one of so many shares. With all of it (1) pixels are made larger until they fit;
    /// with less it is false where they do not, and nothing was found.
    bool find(VolumePair& pair, BodyPlace place, OverlapFinder& finder, const Parallel* inner,
              std::vector<VolumeContact>& found, int shares) const;
    /// In which a pair is seen, as far as memory allows, m.
    double pixel_of(std::uint32_t a, std::uint32_t b) const;

private:
    struct Setup;
    /// One contact in the place of all, where the pair's volume does not tell a way out; `told`: some of its parts do.
    std::optional<VolumeContact> containment(const VolumePair& pair, std::uint32_t a, std::uint32_t b,
                                             const OverlapModel& model, BodyPlace place, bool told) const;
    struct WayOut;
    std::optional<WayOut> way_out_of(std::uint32_t outer, const VolumePair& pair, const Vec3& from,
                                     BodyPlace place) const;
    WayOut way_apart(const VolumePair& pair, std::uint32_t a, std::uint32_t b, const Vec3& centre,
                     BodyPlace place) const;
    double cell_of(std::uint32_t a, std::uint32_t b) const;
    double shortest_edge(std::uint32_t a, std::uint32_t b) const;

    const WorldSettings& settings_;
    const BodyStore& bodies_;
    const PairRules& rules_;
    const VolumeSurfaces& surfaces_;
};

/// How far a surface reaches along a direction, as its outline tells, m.
double reach_along(const SurfaceView& view, const Vec3& n);

}  // namespace plush
