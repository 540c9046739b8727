#pragma once

#include "render/depth_map.hpp"
#include "render/lighting.hpp"

namespace plush::render {

/// Shadows by a map of depths that the sun sees, soft as those of its disc: the wider, the farther a shadow falls.
class SunMap {
public:
    /// A map of what lies around the subject.
    void draw(const Studio& studio, const Stage& stage, std::span<const DepthMesh> meshes,
              std::span<const DepthCones> cones, const Parallel& parallel);
    /// The part of the sun that this point of a surface sees, `normal` of unit length. `part`, 0 to 15, chooses among patterns
    /// that together cover the disc evenly: neighbours take different ones.
    double seen(const Vec3& place, const Vec3& normal, std::size_t part) const;

private:
    float nearest(int x, int y) const { return depths_[static_cast<std::size_t>(y * side_ + x)]; }
    Projection view_;
    int side_ = 0;
    DepthMap map_;
    std::vector<Projection::Place> places_;
    std::vector<float> depths_, coarse_;  // nearness; the greatest of a cell and its neighbours
};

}  // namespace plush::render
