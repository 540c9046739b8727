#include "scene/mesh_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string_view>

#include "core/transcendental.hpp"
#include "geometry/mesh/subdivide.hpp"

namespace plush {
namespace {

bool is_mesh(const std::filesystem::path& file) {
    static constexpr std::array<std::string_view, 6> endings{".obj", ".off", ".ply", ".stl", ".msh", ".mesh"};
    return std::find(endings.begin(), endings.end(), file.extension().string()) != endings.end();
}

}  // namespace

Result<MeshFolder> MeshFolder::open(const std::filesystem::path& folder) {
    std::error_code error;
    std::filesystem::directory_iterator it(folder, error);
    if (error)
        return Error({.problem = fmt::format("{} cannot be read as a folder", folder.string()),
                      .cure = "name a folder with mesh files"});
    MeshFolder out;
    for (const std::filesystem::directory_iterator end; it != end; it.increment(error)) {
        const std::filesystem::path& file = it->path();
        if (!is_mesh(file)) continue;
        std::string& known = out.files_[file.stem().string()];  // of equal stems the first by ending
        if (known.empty() || file.string() < known) known = file.string();
    }
    return out;
}

std::string MeshFolder::find(const std::string& shape) const {
    if (const auto it = files_.find(shape); it != files_.end()) return it->second;
    const auto it = files_.lower_bound(shape + "-");
    return it != files_.end() && it->first.starts_with(shape + "-") ? it->second : std::string();
}

Result<Mesh> fitted(const std::string& file, const GenerateSettings& wanted) {
    const Result<Mesh> mesh = Mesh::try_load(file);
    if (!mesh) return mesh;
    const Box3 box = mesh.value().bounds();
    const double longest = max_component(box.size());
    if (!(longest > 0))
        return Error({.file = file, .problem = "the mesh has no size", .cure = "take another file"});
    const double scale = wanted.size / longest;
    const double finer = wanted.triangles / static_cast<double>(mesh.value().triangles().size());
    const int cuts =
        finer > 1 ? static_cast<int>(std::lround(0.5 * pinned::log(finer) / std::numbers::ln2)) : 0;
    return subdivided(mesh.value().transformed({.position = -scale * box.centre()}, scale), cuts);
}

}  // namespace plush
