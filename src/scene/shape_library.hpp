#pragma once

#include <map>
#include <mutex>

#include "plush/geometry/shape.hpp"
#include "scene/mesh_folder.hpp"
#include "scene/spec.hpp"

namespace plush {

/// The meshes and shapes of a scene. Each is loaded and built once, however many bodies are made of it: the
/// sampled distance of a mesh is dear, and bodies that share a shape share its memory.
class ShapeLibrary {
public:
    /// Before anything is prepared: where meshes are that stand in for generated ones.
    void take_from(MeshFolder folder) { folder_ = std::move(folder); }
    bool took_from_folder() const { return took_from_folder_; }

    /// Loads and checks what a body is made of; complaints go to `messages`, once for each mesh.
    void prepare(const ShapeSpec& spec, const Place& place, Messages& messages);

    void prepare(const TetsSpec& spec, const Place& place, Messages& messages);
    /// How many bodies a mesh is by the `components` of its spec: those with component = 0, 1, … are prepared. 0 where it cannot
    /// be split; complaints go to `messages`.
    int split(const ShapeSpec& spec, const Place& place, Messages& messages);

    /// The same object for equal specs. Throws an Error. Any thread may call it.
    Shape shape(const ShapeSpec& spec);
    /// Of a spec that was prepared and names a mesh or a generated one.
    const Mesh& mesh(const ShapeSpec& spec) const;
    /// The shape of a mesh that may be open: an open one has none.
    Shape touched(const ShapeSpec& spec);
    const TetMesh& tets(const TetsSpec& spec) const;  ///< of a spec that was prepared
    void prepare(const FramesSpec& spec, const Place& place, Messages& messages);
    std::vector<MeshFrame> frames(const FramesSpec& spec) const;  ///< of a spec that was prepared

private:
    std::string file_of(const ShapeSpec& spec) const;
    Result<Mesh> load(const ShapeSpec& spec) const;

    MeshFolder folder_{};
    bool took_from_folder_ = false;
    std::mutex mutex_;
    std::map<std::string, Mesh> meshes_;
    std::map<std::string, TetMesh> tets_;
    std::map<std::string, Shape> shapes_;
    std::map<std::string, std::vector<MeshFrame>> frames_;
};

}  // namespace plush
