#pragma once

#include <span>

#include "core/parallel.hpp"
#include "plush/record/frames.hpp"

namespace plush::render {

/// A normal for each corner of each triangle, in the order of `triangles`: smooth across edges that bend less
/// than the crease angle, flat across sharper ones. So a sphere is round and a box has faces.
std::vector<Vec3f> corner_normals(const FrameMesh& mesh);

/// The same for a mesh that changes its form. What is smooth is decided once, at rest: a jelly cube keeps its
/// edges and a cloth has none, however they bend, and nothing flickers when a fold passes the crease angle. Corners at a
/// vertex that are smooth with one another share one normal.
class SmoothNormals {
public:
    /// The mesh must outlive it.
    explicit SmoothNormals(const FrameMesh& rest);
    /// Of each corner, its place in what shared() gives.
    std::span<const std::uint32_t> normal_of() const { return group_of_; }
    /// With its vertices there. Places that are no numbers give normals of zero. The result does not depend on the threads.
    void shared(std::span<const Vec3f> positions, const Parallel& parallel, std::vector<Vec3f>& normals);
    /// Like shared() with triangles weighted by their areas, in single precision: for drafts.
    void quick(std::span<const Vec3f> positions, const Parallel& parallel, std::vector<Vec3f>& normals);
    /// As shared(), one for each corner.
    std::vector<Vec3f> at(std::span<const Vec3f> positions);

private:
    /// The group with these corners among those from `first` on, or a new one.
    std::size_t group_of(std::span<const std::uint32_t> counts, std::size_t first);

    const FrameMesh& rest_;
    std::vector<std::uint32_t> group_of_;  // of each corner
    // The corners whose triangles count for a group's normal, one group after the other: those of g are
    // [start_[g], start_[g + 1]).
    std::vector<std::size_t> start_{0};
    std::vector<std::uint32_t> counted_;
    // Of the frame: unit normals of the triangles, and the angle of each corner, radians.
    std::vector<Vec3f> face_normals_;
    std::vector<float> angles_;
};

}  // namespace plush::render
