#pragma once

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Tets from a file, used as they are after checks: no tet without volume, none twice, no more than two at a
/// face. Tets that the file lists with negative orientation are turned and counted; nodes that no tet uses
/// are dropped. Pieces that are not connected are allowed: several bodies may share a file.
struct TetFile {
    TetMesh mesh{};  ///< empty where the file has none
    int turned = 0;
};
Result<TetFile> load_tet_file(const std::filesystem::path& file, const ImportSettings& settings = {});

}  // namespace plush
