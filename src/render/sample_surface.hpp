#pragma once

#include "render/smooth_normals.hpp"
#include "render/stage.hpp"

// What a ray sees of a stage, ready to be lit: meshes with smooth normals and edges, balls, tubes, and planes
// with a grid.

namespace plush::render {

/// A mesh with what Embree does not keep: its corners, and their normals.
struct SampleMesh {
    std::vector<Vec3f> corners{}, normals{};  ///< three a triangle
    bool open = false;                        ///< it has a back, which is seen and drawn a little darker
};
SampleMesh sample_mesh(const FrameMesh& mesh);

/// What a mesh that changes its form keeps from frame to frame.
struct SoftMesh {
    explicit SoftMesh(const FrameMesh& rest);  ///< must outlive it
    SampleMesh at(std::span<const Vec3f> positions) const;

    const FrameMesh& rest;
    SmoothNormals normals;
    bool open;
};

/// What a tracer knows of its meshes, mesh by mesh.
struct MeshShelf {
    std::span<const FrameMesh> given{};
    std::vector<SampleMesh> stiff{};
    std::vector<std::unique_ptr<SoftMesh>> soft{};  ///< made when it is first needed
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
    SampledScene(RayScene& rays, MeshShelf& meshes, const Stage& stage, const Vec3& viewer);

    const Stage& stage() const { return stage_; }
    /// `pixel`: the size of a pixel at distance 1, for lines of even width.
    std::optional<Surface> first(const Ray& ray, double pixel) const;
    bool blocked(const Ray& ray) const;

private:
    /// A mesh at its place.
    struct Placed {
        const SampleMesh& mesh;
        Transform pose;
        Vec3 colour;
    };
    Surface on_mesh(const Ray& ray, const RayHit& hit, const Placed& body, double pixel) const;
    Surface on_round(const Ray& ray, const RayHit& hit, const Vec3& colour, double radius) const;
    Surface on_plane(const Ray& ray, std::size_t plane, double distance, double pixel) const;

    const RayScene& rays_;
    const MeshShelf& meshes_;
    std::vector<SampleMesh> softs_;  // of the stage
    const Stage& stage_;
    std::vector<std::size_t> planes_;  // of the stage, that are drawn
};

}  // namespace plush::render
