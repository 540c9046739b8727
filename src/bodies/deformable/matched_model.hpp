#pragma once

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/elements/clusters.hpp"
#include "geometry/mesh/refined_skin.hpp"

namespace plush {

/// What a shape-matched body is made of.
struct MatchedModel {
    DeformableModel body{};
    ClusterList clusters{};
    std::vector<Vec3> rest{};              ///< the positions, in the frame of the mesh
    Embedding skin{};                      ///< empty where the mesh itself is drawn
    std::optional<RefinedSkin> refined{};  ///< where the skin is coarser than what it is embedded in
};

/// Or what is wrong with its settings.
[[nodiscard]] Result<MatchedModel> matched_model(const ShapeMatching& body);

}  // namespace plush
