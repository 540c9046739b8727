#pragma once

#include <limits>
#include <span>

#include "core/assert.hpp"
#include "detect/depth_images/depth_plan.hpp"

// Triangles to crossings. Vertices are snapped to 1/1024 of a pixel; whether the line of a column passes
// through a triangle is then decided by three edge functions on whole numbers,
//
//     E_k(p) = (b − a) × (p − a) ≥ 0,   a, b the corners of the edge across from corner k,
//
// and where the line meets an edge exactly (E_k = 0) by one rule: as if the line were moved by an
// infinitesimal ε along the first coordinate and ε² along the second. Every line then meets a closed
// surface as often going in as coming out, whatever lies on pixel centres, and a triangle that is seen
// edge-on is met by none. Edge functions take 32 bits where a triangle has at most 22 pixels across, else 64.
// E_k / ΣE are the barycentric weights of the crossing: they give its depth, and later the gradient.

namespace plush {

/// A crossing of a column and a triangle, as one number that sorts: depth (32 bits), going in (1), object
/// (1, turned for those going out), triangle in the order of the clusters (30). Equal depths: out before in,
/// so that surfaces that only touch enclose nothing; a goes in first and out last, so that an overlap that
/// ends at faces of both, above and below, ends at the same object and pushes neither way.
using CrossingKey = std::uint64_t;
inline constexpr std::uint32_t max_triangles_of_image = 1u << 30;

inline CrossingKey crossing_key(std::int32_t depth, bool in, std::uint32_t object, std::uint32_t triangle) {
    PLUSH_ASSERT(object < 2 && triangle < max_triangles_of_image);
    const auto ordered = static_cast<std::uint32_t>(depth) ^ 0x80000000u;
    return CrossingKey{ordered} << 32 | CrossingKey{in} << 31 | CrossingKey{object ^ (in ? 0u : 1u)} << 30 |
           triangle;
}
inline std::int32_t depth_of(CrossingKey key) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(key >> 32) ^ 0x80000000u);
}
inline bool goes_in(CrossingKey key) {
    return key >> 31 & 1;
}
inline std::uint32_t object_of(CrossingKey key) {
    return static_cast<std::uint32_t>((key >> 30 ^ ~key >> 31) & 1);
}
/// Object and triangle.
inline std::uint32_t place_of(CrossingKey key) {
    return object_of(key) << 30 | static_cast<std::uint32_t>(key & 0x3fffffff);
}

/// A column of an image: u in the lower half, v in the upper, in the frame's window.
using ColumnPlace = std::uint32_t;
inline ColumnPlace column_place(std::int32_t u, std::int32_t v) {
    PLUSH_ASSERT(u >= 0 && u <= 0xffff && v >= 0 && v <= 0xffff);
    return static_cast<std::uint32_t>(v) << 16 | static_cast<std::uint32_t>(u);
}

/// Thrown where crossings would take more memory than images may.
struct TooManyCrossings {};

/// Crossings and their columns in the order in which they were found. Memory is kept from use to use.
class FragmentList {
public:
    struct Room {
        CrossingKey* keys;
        ColumnPlace* columns;
    };

    /// From here on no triangle may cover more than `most` columns, and no more crossings are taken than that. Both are
    /// the same however the triangles are shared out to lists: so is whether images fit.
    void clear(std::size_t most) { size_ = 0, most_ = most; }
    /// Room for so many more; what is written there counts after advance().
    Room room(std::size_t more) {
        if (size_ > most_ || more > most_) throw TooManyCrossings{};
        if (size_ + more > keys_.size()) {
            keys_.resize(2 * keys_.size() + more);
            columns_.resize(keys_.size());
        }
        return {keys_.data() + size_, columns_.data() + size_};
    }
    void advance(std::size_t count) {
        PLUSH_ASSERT(size_ + count <= keys_.size());
        size_ += count;
    }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return keys_.capacity() * bytes_a_crossing; }  ///< bytes
    std::span<const CrossingKey> keys() const { return {keys_.data(), size_}; }
    std::span<const ColumnPlace> columns() const { return {columns_.data(), size_}; }

    static constexpr std::size_t bytes_a_crossing = sizeof(CrossingKey) + sizeof(ColumnPlace);

private:
    std::vector<CrossingKey> keys_;
    std::vector<ColumnPlace> columns_;
    std::size_t size_ = 0, most_ = SIZE_MAX;
};

/// What the first object's crossings leave to the second, image by image: how deep it must reach in a column
/// to meet them, from above where it is counted from above and from below where not. No crossings of the
/// first: nothing of the second can matter, whatever its depth.
struct ColumnLimits {
    std::span<std::int32_t> columns;  ///< quanta; some more than there are columns, for reads in fours
    std::vector<std::int32_t> tiles;  ///< snapped and widened, as in the plan

    std::vector<std::int32_t> all;   ///< the columns, or
    std::vector<std::int32_t> none;  ///< where few of many have one: the others are `never(false)` for good

    static std::int32_t never(bool from_high) {
        return from_high ? std::numeric_limits<std::int32_t>::max()
                         : std::numeric_limits<std::int32_t>::min();
    }
};

/// Appends the crossings of some of the kept clusters of an object to the lists of the three images. Where
/// limits are given, only those that keep to them.
void find_crossings(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                    std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& lists,
                    const std::array<ColumnLimits, 3>* limits);

/// The barycentric weights of a triangle as seen along an axis, w_k = (E_k + (u − u₀) E_k,u + (v − v₀) E_k,v)
/// / ΣE in column (u, v) of the frame's window: they are linear, so that a sum over columns of one triangle
/// needs but the sums of 1, u − u₀ and v − v₀.
struct LinearWeights {
    std::array<double, 3> value, along_u, along_v;
};
LinearWeights linear_weights(const std::array<Vec3, 3>& corners, std::size_t axis, std::int32_t u0,
                             std::int32_t v0);

}  // namespace plush
