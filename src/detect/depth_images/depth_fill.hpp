#pragma once

#include "detect/depth_images/depth_lanes.hpp"
#include "detect/depth_images/depth_raster.hpp"

// The columns inside a triangle, by its edge functions (depth_raster.hpp). Three ways that give the same
// numbers: column by column where a triangle is very large; eight columns of one triangle at a time; and, for
// the many that are a few pixels wide, one column each of eight triangles at a time, so that setting up and
// guessing how often a loop runs is paid once for eight.

namespace plush {

struct Point2 {
    std::int32_t u, v;
};

/// One edge function on a grid of columns: its value at the first, and its steps along both.
template <class Int>
struct Edge {
    Int value, along_u, along_v, tie;

    Edge(const Point2& a, const Point2& b, std::int32_t u, std::int32_t v) {
        const Int du = Int{b.u} - a.u, dv = Int{b.v} - a.v;
        const Int pu = Int{u} * snap_one + snap_half - a.u, pv = Int{v} * snap_one + snap_half - a.v;
        value = du * pv - dv * pu;
        along_u = -dv * snap_one;
        along_v = du * snap_one;
        // On the edge the line is inside where ε or, if the edge is level, ε² moves it in.
        tie = (dv < 0 || (dv == 0 && du > 0)) ? 0 : 1;
    }
};

/// A triangle that may have crossings in an image.
struct Target {
    std::array<Point2, 3> p;
    std::array<double, 3> z;
    std::int32_t u0, v0, u1, v1;
    std::uint32_t object, triangle;
};

/// What the image does with depths.
struct DepthRule {
    double quanta, low, high;       ///< of interest
    double below, above;            ///< in quanta: where crossings beyond it are put
    bool drops_below, drops_above;  ///< or left out, on the side that nothing is counted from
    bool from_high;                 ///< for the limits of columns
    const std::int32_t* limits;     ///< of columns, or none
    Double4 quantas, lows, highs, belows, aboves;

    DepthRule() = default;
    /// `sided`: crossings beyond the depths of interest are left out on the side that nothing is counted
    /// from.
    DepthRule(const AxisWindow& w, double q, bool sided, std::uint32_t object, const std::int32_t* columns)
        : quanta(q),
          low(w.low),
          high(w.high),
          below(std::floor(w.low * q) - 1),
          above(std::ceil(w.high * q) + 1),
          drops_below(sided && w.from_high[object]),
          drops_above(sided && !w.from_high[object]),
          from_high(w.from_high[object]),
          limits(columns) {
        const Double4 none{};
        quantas = none + quanta, lows = none + low, highs = none + high, belows = none + below,
        aboves = none + above;
    }

    /// Whether a crossing between these depths may count; a little more than that.
    bool reaches(double least, double most, std::size_t column) const {
        if (drops_below && most < low - cull_margin) return false;
        if (drops_above && least > high + cull_margin) return false;
        if (!limits) return true;
        return from_high ? (most + cull_margin) * quanta >= limits[column]
                         : (least - cull_margin) * quanta <= limits[column];
    }
    /// Whether the crossing counts, and at which depth.
    bool quantised(double z, std::uint32_t column, std::int32_t& depth) const {
        if (z < low ? drops_below : z > high && drops_above) return false;
        depth = z < low    ? static_cast<std::int32_t>(below)
                : z > high ? static_cast<std::int32_t>(above)
                           : rounded(z * quanta);
        return !limits || (from_high ? depth >= limits[column] : depth <= limits[column]);
    }
};

/// Eight triangles of a few columns each.
class TriangleBatch {
public:
    static constexpr std::size_t lanes = 8;

    bool full() const { return count_ == lanes; }
    void add(const Target& t);
    /// Writes their crossings and forgets them.
    void fill(const AxisWindow& window, const DepthRule& rule, std::uint32_t object, FragmentList& list);

private:
    struct Lanes;
    template <class T>
    using Row = std::array<T, lanes>;
    alignas(32) std::array<Row<std::int32_t>, 6> corners_{};
    std::array<Row<double>, 3> depths_{};
    Row<std::int32_t> u_{}, v_{}, across_{}, up_{}, triangle_{};
    std::size_t count_ = 0;
};

/// Draws the triangles of one object in one image.
class TriangleFiller {
public:
    TriangleFiller(const AxisWindow& window, const DepthRule& rule, std::uint32_t object, FragmentList& list)
        : window_(window), rule_(rule), object_(object), list_(list) {}

    /// `narrow`: the triangle has at most 22 pixels across. Some are kept until there are eight.
    void draw(const Target& t, bool narrow);
    /// What was kept. To be called at the end.
    void finish();

private:
    const AxisWindow& window_;
    const DepthRule& rule_;
    std::uint32_t object_;
    FragmentList& list_;
    std::array<TriangleBatch, 3> batches_;  ///< by the columns that their boxes have along a side
};

}  // namespace plush
