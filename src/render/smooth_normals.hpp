#pragma once

#include <span>

#include "plush/record/frames.hpp"

namespace plush::render {

/// A normal for each corner of each triangle, in the order of `triangles`: smooth across edges that bend less
/// than the crease angle, flat across sharper ones. So a sphere is round and a box has faces.
std::vector<Vec3f> corner_normals(const FrameMesh& mesh);

/// The same for a mesh that changes its form. What is smooth is decided once, at rest: a jelly cube keeps its
/// edges and a cloth has none, however they bend, and nothing flickers when a fold passes the crease angle.
class SmoothNormals {
public:
    /// The mesh must outlive it.
    explicit SmoothNormals(const FrameMesh& rest);
    /// With its vertices there. Places that are no numbers give normals of zero.
    std::vector<Vec3f> at(std::span<const Vec3f> positions) const;

private:
    const FrameMesh& rest_;
    // The corners whose triangles count for a corner's normal, one corner after the other: those of c are
    // [start_[c], start_[c + 1]).
    std::vector<std::size_t> start_;
    std::vector<std::uint32_t> counted_;
};

}  // namespace plush::render
