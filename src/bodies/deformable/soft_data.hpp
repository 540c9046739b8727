#pragma once

#include "geometry/mesh/refined_skin.hpp"
#include "plush/bodies/soft.hpp"

namespace plush {

struct SoftSolid::Data {
    TetMesh tets{};
    Mesh skin{};
    Embedding weights{};                   ///< of the skin
    std::vector<double> shares{};          ///< of the tets
    std::optional<RefinedSkin> refined{};  ///< where the skin is coarser than the tets

    /// What touches in place of the skin, and its weights: the skin itself where it is fine enough.
    const Mesh& contact_surface() const { return refined ? refined->surface : skin; }
    const Embedding& contact_weights() const { return refined ? refined->weights : weights; }
};

}  // namespace plush
