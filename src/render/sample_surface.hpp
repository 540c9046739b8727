#pragma once

#include "render/smooth_normals.hpp"
#include "render/stage.hpp"

// What a ray sees of a stage, ready to be lit: meshes with smooth normals and edges, balls, tubes, and planes
// with a grid.

namespace plush::render {

/// A mesh with what Embree does not keep: its corners, and their normals. Positions and triangles are another's.
struct SampleMesh {
    std::span<const Vec3f> positions{};
    std::span<const std::int32_t> triangles{};
    std::span<const Vec3f> normals{};
    std::span<const std::uint32_t> normal_of{};  ///< of each corner; empty: they have one each
    bool open = false;                           ///< it has a back, which is seen and drawn a little darker

    Vec3 corner(std::size_t c) const { return to_double(positions[static_cast<std::size_t>(triangles[c])]); }
    Vec3 normal(std::size_t c) const { return to_double(normals[normal_of.empty() ? c : normal_of[c]]); }
};

/// What a mesh that changes its form keeps from frame to frame.
struct SoftMesh {
    SoftMesh(int mesh, const FrameMesh& rest);  ///< must outlive it
    /// It ends with the next call, and with the positions.
    SampleMesh at(std::span<const Vec3f> positions, const Parallel& parallel);
    /// The same with quick normals, which the caller keeps: bodies of one mesh may share this.
    SampleMesh quick_at(std::span<const Vec3f> positions, const Parallel& parallel, std::vector<Vec3f>& kept);

    int mesh;  ///< which of the tracer's
    const FrameMesh& rest;
    SmoothNormals smooth;
    std::vector<Vec3f> normals{};
    bool open;
};

/// What a tracer knows of its meshes, mesh by mesh.
struct MeshShelf {
    explicit MeshShelf(std::span<const FrameMesh> meshes) : given(meshes), normals(meshes.size()) {}
    std::span<const FrameMesh> given;
    std::vector<std::vector<Vec3f>> normals;  ///< at rest; made when they are first needed
    std::vector<std::unique_ptr<SoftMesh>>
        soft{};  ///< of the deformable bodies of a stage, in their order; the same
    std::vector<std::unique_ptr<SoftMesh>> drafts{};  ///< mesh by mesh, for drafts; the same
    std::vector<std::vector<Vec3f>> draft_normals{};  ///< of the deformable bodies of a stage

    SampleMesh draft(std::size_t i, const StageSoft& body, const Parallel& parallel) {
        const auto k = static_cast<std::size_t>(body.mesh);
        drafts.resize(given.size());
        if (!drafts[k]) drafts[k] = std::make_unique<SoftMesh>(body.mesh, given[k]);
        return drafts[k]->quick_at(body.positions, parallel, draft_normals[i]);
    }

    SampleMesh stiff(std::size_t k) {
        if (normals[k].empty()) normals[k] = corner_normals(given[k]);
        return {.positions = given[k].positions, .triangles = given[k].triangles, .normals = normals[k]};
    }
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
    Finish finish = Finish::matt;
    bool from_behind = false;  ///< of a mesh
};

class SampledScene {
public:
    /// Puts the objects of the stage into `rays`; commit() is left to the caller. All must outlive this. Without `rays` there
    /// are no first() and blocked(), and normals of deformable bodies are the quick ones. Planes whose back the viewer would
    /// see are left out.
    SampledScene(RayScene* rays, MeshShelf& meshes, const Stage& stage, const Vec3& viewer,
                 const Parallel& parallel);

    const Stage& stage() const { return stage_; }
    /// `pixel`: the size of a pixel at distance 1, for lines of even width.
    std::optional<Surface> first(const Ray& ray, double pixel) const;
    bool blocked(const Ray& ray) const;
    /// Where the ray meets a body of the stage as `hit` says.
    Surface surface(const Ray& ray, const RayHit& hit, double pixel) const;
    struct PlaneHit {
        std::size_t plane;  ///< of the stage
        double distance;
    };
    std::optional<PlaneHit> first_plane(const Ray& ray) const;
    Surface on_plane(const Ray& ray, const PlaneHit& hit, double pixel) const;
    bool blocked_by_plane(const Ray& ray) const;
    // The meshes of the stage as they are drawn, in its order.
    const SampleMesh& body(std::size_t k) const { return bodies_[k]; }
    const SampleMesh& soft(std::size_t k) const { return softs_[k]; }

private:
    /// A mesh at its place.
    struct Placed {
        const SampleMesh& mesh;
        Transform pose;
        Vec3 colour;
        Finish finish;
    };
    Surface on_mesh(const Ray& ray, const RayHit& hit, const Placed& body, double pixel) const;
    template <class Round>
    Surface on_round(const Ray& ray, const RayHit& hit, const Round& body) const;

    const RayScene* rays_;
    std::vector<SampleMesh> bodies_, softs_;   // of the stage
    std::vector<std::vector<Vec3f>> normals_;  // of softs that were cut
    const Stage& stage_;
    std::vector<std::size_t> planes_;  // of the stage, that are drawn
};

}  // namespace plush::render
