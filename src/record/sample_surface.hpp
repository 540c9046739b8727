#pragma once

#include "record/stage.hpp"

// What a ray sees of a stage, ready to be lit: meshes with smooth normals and edges, balls, and planes with a
// grid.

namespace plush {

/// A mesh with what Embree does not keep: its corners, and their normals.
struct SampleMesh {
    explicit SampleMesh(const FrameMesh& mesh);
    std::vector<Vec3f> corners{}, normals{};  ///< three a triangle
};

struct Surface {
    double distance = 0;  ///< along the ray
    int object = 0;       ///< planes count after everything else
    Vec3 place{};
    Vec3 raised{};   ///< where rays to the light start: on the smooth surface that the triangle stands for
    double gap = 0;  ///< and how far from there
    Vec3 normal{};   ///< smooth, towards the viewer
    Vec3 flat_normal{};  ///< of the triangle itself
    Vec3 colour{};
    double fade = 0;  ///< 1: all background
    bool cloth = true;
};

class SampledScene {
public:
    /// Puts the objects of the stage into `rays`; commit() is left to the caller. All must outlive this.
    /// Planes whose back the viewer would see are left out.
    SampledScene(RayScene& rays, std::span<const SampleMesh> meshes, const Stage& stage, const Vec3& viewer);

    const Stage& stage() const { return stage_; }
    /// `pixel`: the size of a pixel at distance 1, for lines of even width.
    std::optional<Surface> first(const Ray& ray, double pixel) const;
    bool blocked(const Ray& ray) const;

private:
    Surface on_body(const Ray& ray, const RayHit& hit, double pixel) const;
    Surface on_ball(const Ray& ray, const RayHit& hit) const;
    Surface on_plane(const Ray& ray, std::size_t plane, double distance, double pixel) const;
    double edge_cover(const StageBody& body, const RayHit& hit, double footprint) const;

    const RayScene& rays_;
    std::span<const SampleMesh> meshes_;
    const Stage& stage_;
    std::vector<std::size_t> planes_;  // of the stage, that are drawn
};

}  // namespace plush
