#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "plush/geometry/generate.hpp"

namespace plush {

/// A folder of meshes that stand in for generated shapes: "meshes" of a scene. A file is taken for a shape
/// where it is called as the shape is, or so with a dash and more: bunny.off, octopus-low.mesh.
class MeshFolder {
public:
    MeshFolder() = default;
    /// An Error where it cannot be read.
    static Result<MeshFolder> open(const std::filesystem::path& folder);

    /// Empty where there is none; of several the first by name.
    std::string find(const std::string& shape) const;

private:
    std::map<std::string, std::string> files_{};  ///< by stem
};

/// The mesh of a file as a generated one would stand there: centred on its bounding box, with its longest
/// side so long, and cut in four as often as brings it nearest to the number of triangles.
Result<Mesh> fitted(const std::string& file, const GenerateSettings& wanted);

}  // namespace plush
