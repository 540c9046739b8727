#pragma once

#include <array>
#include <optional>
#include <vector>

#include "contact/volume/volume_contact.hpp"
#include "detect/depth_images/kept_cut.hpp"
#include "world/volume_surfaces.hpp"

namespace plush {

/// When in a step contacts are wanted.
enum class QueryTime {
    start,       ///< where the step begins
    expected,    ///< where its end is expected
    refined,     ///< where a solve of the step takes the bodies
    end,         ///< where it has ended
    after_pass,  ///< after a pass of the position phase
};
inline BodyPlace place_at(QueryTime when) {
    return when == QueryTime::expected || when == QueryTime::refined ? BodyPlace::expected : BodyPlace::now;
}

/// Where one of two bodies was when their contacts were found.
struct QueryPose {
    Transform pose{};
    /// Of a soft surface: those of its sample points that were near the other body, rising, and where.
    std::vector<std::uint32_t> near{};
    std::vector<Vec3> points{};
};

/// Two bodies that are near and touch by volume, or by closest features where one of them deforms.
struct VolumePair {
    std::uint32_t i = 0, j = 0;
    bool by_features = false;
    bool outlines =
        false;             ///< patches have rows at their corners: of two rigid bodies that are not compliant
    bool parting = false;  ///< VolumeContact::parting
    double pixel = 0;      ///< of the images, m
    bool coarsened = false;  ///< larger than asked for
    Vec3 direction{};        ///< from a to b, as the last contacts had it: it speeds up culling
    // The contacts of now, and where the bodies were when they were found.
    std::uint32_t first = 0, count = 0;
    bool measured = false;
    bool extrapolated = false;  ///< from where they were queried
    Transform pose_i{}, pose_j{};
    std::uint64_t version_i = 0, version_j = 0;  ///< of deformable bodies
    // Of pairs with a deformable body: the contacts where the end of the step is expected, among the step's.
    bool speculative = false;
    std::uint32_t first_speculative = 0, count_speculative = 0;
    std::optional<std::array<QueryPose, 2>> queried{};  ///< where they were queried
    std::vector<KnownCell> cut{};                       ///< of the last query, and before it
};

}  // namespace plush
