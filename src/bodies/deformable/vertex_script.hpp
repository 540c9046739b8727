#pragma once

#include "plush/bodies/settings.hpp"

// Where all vertices of a scripted body are at each time: meshes of the same triangles at given times, straight lines of each vertex
// between them, and keyframes that move the whole on top. It is given once and shared; a body that follows it has its time as
// state and nothing else.

namespace plush {

class VertexScript {
public:
    /// Times rise, and all meshes have as many vertices. Without keyframes the body stays where its meshes are.
    VertexScript(std::vector<MeshFrame> frames, std::vector<Keyframe> keyframes, bool loop);
    std::vector<Vec3> at(double time) const;
    /// It does not move any more.
    bool ended(double time) const;

private:
    std::vector<MeshFrame> frames_;
    std::vector<Keyframe> keyframes_;
    bool loop_;
};

}  // namespace plush
