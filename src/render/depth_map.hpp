#pragma once

#include <atomic>
#include <bit>

#include "core/parallel.hpp"
#include "render/camera.hpp"
#include "render/rays.hpp"

// What is nearest in each pixel, of triangles and round cones: a z-buffer.

namespace plush::render {

/// Points of the world in a grid of pixels, seen from a point or along parallel rays. `near` grows towards the eye and is
/// linear across the picture of a plane: 1 / depth of a central view, `reach` − depth of a parallel one.
struct Projection {
    Vec3 origin{}, right{}, up{}, forward{};
    double pixel = 1;  ///< its size; at depth 1 of a central view
    double centre_x = 0, centre_y = 0;
    double reach = 0;  ///< 0: a central view
    double least = 0;  ///< of a central view: depths below are cut off, m

    static Projection central(const Lens& lens, int width, int height, double least);
    bool parallel() const { return reach > 0; }

    struct Place {
        float x = 0, y = 0, near = 0;  ///< near < 0: below the least depth
    };
    Place place(const Vec3& p) const;
    Place place_at(const Vec3& from_origin, double depth) const;  ///< whatever the least depth
    double depth(double near) const { return parallel() ? reach - near : 1 / near; }
    /// The ray of a pixel's middle. Its direction has length 1 along the view: distances on it are depths.
    Ray ray(int x, int y) const;
};

/// How far along the ray it meets the cone first, and its normal there. The direction may have any length.
struct RoundHit {
    double distance = 0;
    Vec3 normal{};
};
std::optional<RoundHit> hit_cone(const Ray& ray, const RoundCone& cone);

/// Triangles to draw, with numbers for each. All spans are another's.
struct DepthMesh {
    std::span<const Vec3f> positions{};
    std::span<const std::int32_t> triangles{};
    std::optional<Transform> pose{};  ///< none: positions are in the world
    std::uint32_t first = 0;          ///< the number of its first triangle
    bool closed = false;              ///< sure to have no border
};
struct DepthCones {
    std::span<const RoundCone> cones{};
    std::uint32_t first = 0;
};

class DepthMap {
public:
    /// The vertices of the meshes as this view sees them, one mesh after the other.
    static void project(std::span<const DepthMesh> meshes, const Projection& view, const Parallel& parallel,
                        std::vector<Projection::Place>& places);
    /// Draws all. Of equally near ones the lower number wins, so the order of drawing says nothing.
    void draw(const Projection& view, int width, int height, std::span<const DepthMesh> meshes,
              std::span<const Projection::Place> places, std::span<const DepthCones> cones,
              const Parallel& parallel);

    int width() const { return width_; }
    int height() const { return height_; }
    /// 0: there is nothing.
    float near(int x, int y) const {
        return std::bit_cast<float>(static_cast<std::uint32_t>(key(x, y) >> 32));
    }
    std::uint32_t number(int x, int y) const { return ~static_cast<std::uint32_t>(key(x, y)); }

private:
    std::uint64_t key(int x, int y) const {
        return keys_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(x)];
    }
    void put(int x, int y, double near, std::uint32_t number);
    struct Pixels {
        int left = 0, right = -1, top = 0, bottom = -1;
        bool empty() const { return left > right || top > bottom; }
    };
    Pixels pixels(const Projection::Place& a, const Projection::Place& b, const Projection::Place& c) const;
    void triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Pixels& box, std::uint32_t number);
    void cut_triangle(const DepthMesh& mesh, const Projection& view, std::size_t t);
    void cone(const Projection& view, const RoundCone& cone, std::uint32_t number);

    int width_ = 0, height_ = 0;
    std::vector<std::uint64_t>
        keys_;  // nearness in the upper half, of bits; the inverted number in the lower
};

}  // namespace plush::render
