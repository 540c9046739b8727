#pragma once

#include "geometry/mesh/embedding.hpp"
#include "plush/bodies/soft.hpp"

namespace plush {

struct SoftSolid::Data {
    TetMesh tets{};
    Mesh skin{};
    Embedding weights{};           ///< of the skin
    std::vector<double> shares{};  ///< of the tets
};

}  // namespace plush
