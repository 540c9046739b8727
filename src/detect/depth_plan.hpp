#pragma once

#include <array>
#include <optional>
#include <vector>

#include "detect/image_frame.hpp"
#include "detect/surface_clusters.hpp"
#include "plush/geometry/sdf.hpp"

// Which parts of two surfaces can have anything to do with their overlap, exactly: what is left out changes
// no bit of the result.
//
//   - Only columns through both boxes count, and of them only those that meet kept parts of both.
//   - Along a column an object's winding number is counted from one side. Crossings beyond the region of
//     interest on the other side do not change it there and are dropped: all of a closed surface that lies
//     on the far side of the contact.
//   - The same along any direction n with a on the low side: the overlap lies in min_b ≤ n·x ≤ max_a.
//     Triangles of a below and of b above are dropped; a is counted from above, b from below, as n·x rises
//     or falls along the column.
//
// A surface that is not closed is not counted from one side: all of its crossings in a column are kept, and
// tell whether the column is sound.

namespace plush {

/// {x : normal·x ≤ offset}, world; the normal is of unit length and points out of it.
struct HalfSpace {
    Vec3 normal{0, 1, 0};
    double offset = 0;  ///< m
};

/// What a surface may meet.
struct OverlapPair {
    SurfaceView a;
    std::optional<SurfaceView> b{};         ///< another surface,
    std::optional<HalfSpace> half_space{};  ///< or a half-space,
    const SignedDistance* field = nullptr;  ///< or any other distance, in the world's frame;
    bool self = false;                      ///< or nothing but itself
};

struct KeptCluster {
    std::uint32_t cluster = 0;
    std::uint32_t axes = 0;  ///< a bit for each image that it matters to
    Box3 box{};              ///< image coordinates
};

/// The window of the image along one axis.
struct AxisWindow {
    std::int32_t u0 = 0, v0 = 0, u1 = -1, v1 = -1;  ///< columns, with both ends; empty where u1 < u0
    double low = 0, high = 0;                       ///< the depths of interest
    std::array<bool, 2> from_high{};                ///< from which side each object is counted

    bool empty() const { return u1 < u0 || v1 < v0; }
    std::size_t width() const { return static_cast<std::size_t>(u1 - u0 + 1); }
    std::size_t height() const { return static_cast<std::size_t>(v1 - v0 + 1); }
    std::size_t columns() const { return empty() ? 0 : width() * height(); }
};

/// s = direction·x in image coordinates: of a only s ≥ low matters, of b only s ≤ high.
struct Slab {
    Vec3 direction{};
    double low = -HUGE_VAL, high = HUGE_VAL;
};

class DepthPlan {
public:
    /// For pixels of this size, m. `cull` off keeps everything within the columns: a reference for tests.
    void make(const OverlapPair& pair, double pixel, const Mat3& axes, bool cull, const Vec3& direction);

    bool empty() const { return empty_; }
    /// In the images' axes, m: where both boxes are.
    static Box3 region(const OverlapPair& pair, const Mat3& axes);
    /// Metres from the window to the farthest vertex: what limits the pixel size from below.
    static double reach(const OverlapPair& pair, const Mat3& axes);

    ImageFrame frame;
    std::array<AxisWindow, 3> windows;
    std::array<std::vector<KeptCluster>, 2> kept;
    std::array<ImageMap, 2> maps;
    Slab slab;
    /// Whether crossings that do not matter were left out; else all of a column are there.
    std::array<bool, 2> culled{};

private:
    void choose_sides(const OverlapPair& pair, const std::array<Box3, 2>& boxes, const Vec3& direction);
    void keep(const OverlapPair& pair);
    void shrink();

    bool empty_ = true;
    std::array<std::vector<Box3>, 2> groups_;
};

}  // namespace plush
