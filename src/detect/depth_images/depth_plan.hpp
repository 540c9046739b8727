#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "detect/depth_images/overlap_gate.hpp"
#include "plush/geometry/sdf.hpp"

// Which parts of two surfaces can have anything to do with their overlap, exactly: what is left out changes
// no bit of the result.
//
//   - Only columns through both boxes count, and of them only those that meet kept parts of both.
//   - Along a column an object's winding number is counted from one side. Crossings beyond the region of
//     interest on the other side do not change it there and are dropped: all of a closed surface that lies
//     on the far side of the contact.
//   - The same tile by tile of the image, with the depths that each object has there: only where the two
//     meet is there anything to do, and far surfaces in the same columns are dropped too.
//   - The same along any direction n with a on the low side: the overlap lies in min_b ≤ n·x ≤ max_a.
//     Triangles of a below and of b above are dropped; a is counted from above, b from below, as n·x rises
//     or falls along the column. That again tile by tile.
//   - What has no line of an image in it. Parts that are smaller than a pixel are not asked one by one here
//     but where they are drawn.
//
// A surface that is not closed is not counted from one side: all of its crossings in a column are kept, and
// tell whether the column is sound.
//
// Where both have patches these tell more (overlap_gate.hpp): what is drawn are the columns through tiles
// in which an overlap can begin and end, from the side that is counted from to the end of what is marked
// there.

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

/// Where a part of a surface is: image coordinates, and the places along the slab's direction.
struct PartExtent {
    Box3 box;
    double low, high;
};

struct KeptCluster {
    std::uint32_t cluster = 0;  ///< or group, or block
    std::array<bool, 3> in{};   ///< the images that it matters to; they may be worked on at the same time
    std::uint8_t before = 0;    ///< those that it mattered to when it was kept
    PartExtent extent{};

    KeptCluster(std::uint32_t c, std::uint32_t images, const PartExtent& e)
        : cluster(c),
          in{(images & 1) != 0, (images & 2) != 0, (images & 4) != 0},
          before(static_cast<std::uint8_t>(images)),
          extent(e) {
        PLUSH_ASSERT(images > 0 && images < 8);
    }
    /// A bit for each of them.
    std::uint32_t images() const { return (in[0] ? 1u : 0u) | (in[1] ? 2u : 0u) | (in[2] ? 4u : 0u); }
};

/// The window of the image along one axis.
struct AxisWindow {
    std::int32_t u0 = 0, v0 = 0, u1 = -1, v1 = -1;  ///< columns, with both ends; empty where u1 < u0
    double low = 0, high = 0;                       ///< the depths of interest
    std::array<bool, 2> from_high{};                ///< from which side each object is counted
    /// Places along the slab rise or fall along the columns: there the first object is counted from high ones
    /// and the second from low ones.
    bool by_slab = false;

    bool empty() const { return u1 < u0 || v1 < v0; }
    std::size_t width() const { return static_cast<std::size_t>(u1 - u0 + 1); }
    std::size_t height() const { return static_cast<std::size_t>(v1 - v0 + 1); }
    /// The number of a column in the window.
    std::size_t column(std::int32_t u, std::int32_t v) const {
        PLUSH_ASSERT(u >= u0 && u <= u1 && v >= v0 && v <= v1);
        return static_cast<std::size_t>(v - v0) * width() + static_cast<std::size_t>(u - u0);
    }
    std::size_t columns() const { return empty() ? 0 : width() * height(); }
};

/// s = direction·x in image coordinates: of a only s ≥ low matters, of b only s ≤ high.
struct Slab {
    Vec3 direction{};
    double low = -HUGE_VAL, high = HUGE_VAL;
};

/// A square of columns: of each object only triangles that reach this depth matter (a snapped coordinate),
/// from below where it is counted from above and the other way round; and, of the first, only those that
/// reach up to this place along the slab, of the second only those that reach down to it. Surfaces that touch
/// lie across the slab's direction, however the columns stand to them: along it fine parts are thin.
struct TileLimits {
    std::array<std::int32_t, 2> depth, along;
    bool met;  ///< the two objects' depths overlap here at all
    /// From which side each is counted here; where there is a gate it is told tile by tile.
    std::array<bool, 2> from_high;
};

class DepthPlan {
public:
    /// For pixels of this size, m. `cull` off keeps everything within the columns: a reference for tests.
    /// With a parallel objects and images are worked on at the same time.
    void make(const OverlapPair& pair, double pixel, const Mat3& axes, bool cull, const Vec3& direction,
              const Parallel* parallel = nullptr);

    /// Whether a gate has told what is to be drawn.
    bool gated() const { return gated_; }

    bool empty() const { return empty_; }
    /// In the images' axes, m: where both boxes are.
    static Box3 region(const OverlapPair& pair, const Mat3& axes);
    /// Metres from the window to the farthest vertex: what limits the pixel size from below.
    static double reach(const OverlapPair& pair, const Mat3& axes);

    ImageFrame frame;
    std::array<AxisWindow, 3> windows;
    std::array<std::vector<KeptCluster>, 2> kept;
    /// What is kept of each object: clusters (0), groups of them (1), and so on.
    std::array<std::size_t, 2> levels{};
    std::array<ImageMap, 2> maps;
    Slab slab;
    /// Of each image, row by row from its window's corner; none where nothing is known.
    std::array<std::vector<TileLimits>, 3> tiles;
    /// Of each tile of a gated plan: no overlap goes beyond these depths, quanta.
    struct TileRange {
        std::int32_t low, high;
    };
    std::array<std::vector<TileRange>, 3> ranges;
    int tile_bits = 3;  ///< columns a side: 2 to this power
    std::size_t tiles_across(std::size_t axis) const { return (windows[axis].width() >> tile_bits) + 1; }
    /// The part of an image that something covers: columns, depths and places along the slab (snapped).
    struct Footprint {
        std::int32_t u0, u1, v0, v1, low, high, along_low, along_high;
    };
    /// Of a part that meets the window, widened.
    Footprint footprint(std::size_t axis, const PartExtent& part) const;
    /// Whether any of the tiles in which an object's part lies has limits that it keeps to. The depth's are
    /// given; those along the slab are the plan's own.
    template <class LimitOf>
    bool reaches(std::size_t object, std::size_t axis, const Footprint& part, const LimitOf& limit_of) const {
        const AxisWindow& w = windows[axis];
        const std::size_t across = tiles_across(axis);
        const TileLimits* const limits = tiles[axis].empty() || gated_ ? nullptr : tiles[axis].data();
        const auto within = [&](std::int32_t u, std::int32_t v) {
            const std::size_t t = static_cast<std::size_t>(v) * across + static_cast<std::size_t>(u);
            PLUSH_ASSERT(t < tiles[axis].size() || (tiles[axis].empty() && !gated_));
            const std::int32_t limit = limit_of(t);
            const bool from_high = gated_ ? tiles[axis][t].from_high[object] : w.from_high[object];
            const unsigned deep = (from_high ? part.high >= limit : part.low <= limit) ? 1u : 0u;
            if (!limits) return deep;
            const std::int32_t along = limits[t].along[object];
            return deep & ((object == 0 ? part.along_high >= along : part.along_low <= along) ? 1u : 0u);
        };
        PLUSH_ASSERT(w.u0 <= part.u0 && part.u0 <= part.u1 && part.u1 <= w.u1);
        PLUSH_ASSERT(w.v0 <= part.v0 && part.v0 <= part.v1 && part.v1 <= w.v1);
        const std::int32_t u0 = (part.u0 - w.u0) >> tile_bits, u1 = (part.u1 - w.u0) >> tile_bits;
        const std::int32_t v0 = (part.v0 - w.v0) >> tile_bits, v1 = (part.v1 - w.v0) >> tile_bits;
        // What is small lies in four tiles at most, some of them the same: no branches to guess.
        if (u1 - u0 <= 1 && v1 - v0 <= 1)
            return (within(u0, v0) | within(u1, v0) | within(u0, v1) | within(u1, v1)) != 0;
        for (std::int32_t v = v0; v <= v1; ++v)
            for (std::int32_t u = u0; u <= u1; ++u)
                if (within(u, v) != 0) return true;
        return false;
    }
    /// Whether an object's part can matter.
    bool reaches(std::size_t object, std::size_t axis, const Footprint& part) const {
        return reaches(object, axis, part, [&](std::size_t t) { return tiles[axis][t].depth[object]; });
    }
    /// Whether crossings that do not matter were left out; else all of a column are there.
    std::array<bool, 2> culled{};
    /// Of a surface with itself: columns in which it cannot wind twice are left out before they are sorted.
    bool folded_only = false;

private:
    void choose_sides(const OverlapPair& pair, const std::array<Box3, 2>& boxes, const Vec3& direction,
                      const Parallel* parallel);
    void keep_outline(const ClusterBounds& bounds, std::size_t object);
    void open(const ClusterBounds& bounds, std::size_t level, std::size_t object);
    void shrink(std::size_t axis);
    void tile(std::size_t axis);
    bool worth_asking(bool self) const;
    void ask_gate(const OverlapPair& pair, const Parallel* parallel);
    void find_marked(std::size_t axis);
    void choose_tile_sides(std::size_t axis);
    void limit_tiles(std::size_t axis);
    /// Bits of the images whose columns a box meets, and of those in which it is on the side of what counts.
    struct Matters {
        std::uint32_t met = 0, needed = 0;
    };
    Matters matters(std::size_t object, const PartExtent& part) const;

    bool empty_ = true, gated_ = false;
    std::array<std::vector<Box3>, 2> groups_;  ///< the outlines, image coordinates
    /// Clusters and groups that meet columns but lie on the side that does not count.
    std::array<std::vector<KeptCluster>, 2> dropped_;
    std::array<std::vector<KeptCluster>, 2> kept_groups_;
    OverlapGate gate_;
    /// Of what the gate has marked in a tile: the lowest place where lines go in, and the highest where they
    /// go out.
    struct MarkedDepths {
        float low = HUGE_VALF, high = -HUGE_VALF;
        bool met() const { return low <= high; }
    };
    /// In the windows before, and in those after.
    std::array<std::vector<MarkedDepths>, 3> marked_all_, marked_depths_;
    /// Of a square of tiles: how many clusters of each object lie before what is marked, from below and from
    /// above.
    struct TileCounts {
        float low, high;
        std::array<std::array<std::uint32_t, 2>, 2> before;
    };
    std::array<std::vector<TileCounts>, 3> tile_counts_;
    /// The depths of both objects in a tile, then their places along the slab: low and −high of the first,
    /// low and −high of the second. Growing it is eight minima at once.
    struct TileExtents {
        std::array<float, 8> least{HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF,
                                   HUGE_VALF, HUGE_VALF, HUGE_VALF, HUGE_VALF};

        /// `along`: 0 for depths, 1 for places along the slab.
        float low(std::size_t along, std::size_t object) const { return least[4 * along + 2 * object]; }
        float high(std::size_t along, std::size_t object) const { return -least[4 * along + 2 * object + 1]; }
        bool met(std::size_t along) const {
            return low(along, 0) <= high(along, 1) && low(along, 1) <= high(along, 0);
        }
        void add(const TileExtents& other) {
            for (std::size_t k = 0; k < least.size(); ++k)
                least[k] = other.least[k] < least[k] ? other.least[k] : least[k];
        }
    };
    std::array<std::vector<TileExtents>, 3> tile_extents_;
};

}  // namespace plush
