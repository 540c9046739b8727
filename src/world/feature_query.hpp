#pragma once

#include "world/volume_pair.hpp"

// Closest features of pairs with a deformable body: a baseline. Each vertex near the other surface is written as a
// volume contact, with the area a that it stands for and its depth d = −n·(p − q) towards the nearest point q of the
// other surface,
//
//     V = a d,      ∂V/∂p = −a n,      ∂V/∂q = a n,
//
// passed on to the vertices of the bodies by the weights of skins and triangles. So rows, friction, the body's own
// matrix, the position phase, warm starts and reports are those of volume contact.

namespace plush {

class FeatureQuery {
public:
    FeatureQuery(const BodyStore& bodies, const PairRules& rules, VolumeSurfaces& surfaces)
        : bodies_(bodies), rules_(rules), surfaces_(surfaces) {}

    /// Makes what a pair with a deformable body needs; false where it cannot touch by features.
    bool prepare(std::uint32_t i, std::uint32_t j);
    /// Appends the contacts of a pair at the poses that stand in it; the features must be placed.
    void find(const VolumePair& pair, const Parallel* inner, std::vector<VolumeContact>& found) const;
    /// Throws, with the world as it was before the step, where a body has more contacts than it can take.
    void require_few(const StepContext& step, std::span<const VolumeContact> contacts) const;

private:
    PosedFeatures posed(std::uint32_t body, const Transform& pose) const;
    VolumeContact contact_of(const NearVertex& near, std::uint32_t a, std::uint32_t b) const;

    const BodyStore& bodies_;
    const PairRules& rules_;
    VolumeSurfaces& surfaces_;
};

/// Throws where the contact settings ask for features of a body that is about to be added and has none.
void require_features(const ContactSettings& contact, const Deformable& body, std::size_t vertices,
                      std::span<const Triangle> surface);
/// Throws where a body has no features to touch with.
void require_features(const BodyRecord& record);

}  // namespace plush
