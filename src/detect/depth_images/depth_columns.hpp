#pragma once

#include "core/parallel.hpp"
#include "detect/depth_images/depth_raster.hpp"

// The images of a pair, and what they say: along every column the sorted crossings, the winding number of
// each object, and from them the stretches that lie in both (or, of one object with itself, where it winds
// twice).
//
//     object a      ──┤ +1 ├─────────────┤ −1 ├──        in where its winding number is 1 or more
//     object b             ──┤ +1 ├──────────────┤ −1 ├──
//     overlap                ╞═══════════╡               one lower and one upper crossing
//
// So every shape of closed surface has an answer. Parts that wind twice count once. A surface that is inside
// out winds −1: nothing is in it. A surface that is not closed has columns whose crossings do not add up to
// zero: they are open, the surface has no inside in them, and they are counted.

namespace plush {

/// A stretch of a column that belongs to the overlap.
struct OverlapInterval {
    std::uint16_t u = 0, v = 0;          ///< the column, in the frame's window
    std::int32_t low = 0, high = 0;      ///< depths, in quanta
    std::uint32_t lower = 0, upper = 0;  ///< whose crossings: see place_of()
};
inline constexpr std::uint32_t second_object = 1u << 30;  ///< in a place: the partner's crossing
inline std::uint32_t object_at(std::uint32_t place) {
    return place >> 30 & 1;
}
inline std::uint32_t triangle_at(std::uint32_t place) {
    return place & (second_object - 1);
}

/// What was seen in the three images together.
struct ImageCounts {
    std::size_t columns = 0;                ///< that meet both
    std::size_t crossings = 0;              ///< in them
    std::array<std::size_t, 2> open{};      ///< columns in which an object's crossings do not add up to zero
    std::array<std::size_t, 2> inverted{};  ///< columns in which an object winds less than zero times
    ImageCounts& operator+=(const ImageCounts& b);
};

/// Images of one pair after another; the memory is kept.
class DepthImages {
public:
    /// With a parallel, one large pair is spread over the threads. False where more than so many bytes would
    /// be needed: the images are empty then.
    bool find(const OverlapPair& pair, const DepthPlan& plan, std::size_t max_bytes,
              const Parallel* parallel = nullptr);

    /// Of the image along each axis, by row and column.
    std::array<std::vector<OverlapInterval>, 3> intervals;
    ImageCounts counts;
    std::size_t capacity() const;  ///< what is kept, bytes

private:
    /// A column that meets both, and where its keys begin.
    struct Column {
        std::uint16_t u, v;
        std::uint32_t begin;
    };
    /// What the crossings of a column add up to, before they are sorted.
    struct Tally {
        std::uint32_t depth = 0;  ///< of those that go in, less that of those that go out, quanta, mod 2³²
        std::uint16_t in = 0, out = 0;
    };
    struct Image {
        std::vector<Tally> tallies;  ///< of all columns of the window, where a surface may meet itself
        /// Columns that meet both, a bit each, and how many of them stand before each word: where few of many
        /// columns count, that is all of the window that is walked through.
        std::vector<std::uint64_t> bits;
        std::vector<std::uint32_t> before;
        std::vector<CrossingKey> found;     ///< crossings in these columns
        std::vector<std::uint32_t> number;  ///< and of which
        std::vector<std::uint32_t> next;    ///< where a column's next key goes
        std::vector<Column> columns;
        std::vector<CrossingKey> keys;
        std::size_t total = 0;  ///< keys of all columns
        ImageCounts counts;
    };
    /// False where there are too many crossings.
    bool raster(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object, bool limited,
                const Parallel* parallel);
    std::size_t found(std::uint32_t object, std::size_t axis) const;
    void limit(const DepthPlan& plan, std::size_t axis, std::uint32_t first);
    void forget_limits(const DepthPlan& plan, std::size_t axis, std::uint32_t first);
    void mark_columns(const DepthPlan& plan, std::size_t axis, std::uint32_t object);
    void mark_folded_columns(const DepthPlan& plan, std::size_t axis);
    void number_columns(std::size_t axis);
    void choose(const AxisWindow& window, std::size_t axis, std::uint32_t object);
    void sort(const DepthPlan& plan, std::size_t axis, bool paired, std::uint32_t first);
    void sweep(const OverlapPair& pair, const DepthPlan& plan, std::size_t axis);

    std::size_t max_crossings_ = 0;
    std::array<std::vector<std::array<FragmentList, 3>>, 2> lists_;
    std::array<std::size_t, 2> used_{};  ///< of the lists
    std::array<ColumnLimits, 3> limits_;
    std::array<Image, 3> images_;
};

}  // namespace plush
