#pragma once

#include <memory>
#include <optional>
#include <span>

#include "plush/core/error.hpp"
#include "plush/record/frames.hpp"

// Rays against many triangles, balls and cones. Embree stands behind it, in one source file.

namespace plush::render {

inline Vec3 to_double(const Vec3f& v) {
    return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}

struct Ray {
    Vec3 origin{}, direction{};  ///< world; the direction of unit length
    double near = 0, far = HUGE_VAL;
};

struct RayHit {
    double distance = 0;
    int object = 0;       ///< in the order of adding
    int primitive = 0;    ///< the triangle, ball or cone in it
    double u = 0, v = 0;  ///< barycentric, of the triangle's second and third corner
    Vec3 normal{};        ///< geometric, of unit length, world
};

/// A ball that is pulled from one place to another while its radius changes; a ball where both are equal.
struct RoundCone {
    Vec3 from{}, to{};
    double from_radius = 0, to_radius = 0;
};

/// Objects are given anew for each frame; meshes stay, with their hierarchies, so that many bodies of one
/// mesh cost little.
class RayScene {
public:
    RayScene();
    ~RayScene();
    RayScene(RayScene&&) noexcept;
    RayScene& operator=(RayScene&&) noexcept;

    /// Returns its number. The spans are copied.
    int add_mesh(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles);

    /// Takes all objects away. What follows is near `origin`: single precision counts from there.
    void begin(const Vec3& origin);
    void add_body(int mesh, const Transform& pose);
    /// Triangles that are here for this frame only, with their vertices in the world.
    void add_surface(std::span<const Vec3f> positions, std::span<const std::int32_t> triangles);
    /// A mesh that keeps its triangles while its vertices, in the world, move from frame to frame. `slot` tells such meshes
    /// apart. Its hierarchy is made where the slot had other triangles (another span of them); else its boxes are fitted
    /// again.
    void add_moving(std::size_t slot, std::span<const Vec3f> positions,
                    std::span<const std::int32_t> triangles);
    void add_balls(std::span<const Vec3f> centres, double radius);
    void add_cones(std::span<const RoundCone> cones);
    /// Ready for rays. An Error where there is not enough memory.
    Result<void> commit();

    /// The first thing on the ray. May be called from many threads.
    std::optional<RayHit> first(const Ray& ray) const;
    /// Whether there is any.
    bool blocked(const Ray& ray) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace plush::render
