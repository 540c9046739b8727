#pragma once

#include <tuple>

#include "geometry/cutting/skin_layer.hpp"

// A blade that turns in the body. Its way was laid along the sheet as it was; what is ahead of the blade is
// laid again along the sheet as it is now, as often as they come apart, and what is behind or beside it
// stays. So the way follows the surface that the edge sweeps:
//
//       ═══════════╤─ ─ ─ ─ ─ ─      the way as it was
//        opened    │╲                a seam across it, just ahead of the blade: edges of walls, from skin to skin
//                  │ ╲
//                  │  ╲              the way as it goes on
//
// Walls with all their points ahead are taken away, but for open ones. The triangles of the skin that the way
// divided there are made whole again, and all that is left of it is sides: + and −, of vertices of the skin
// and of points of tets. They stay behind the seam, and are those of the sheet ahead. Where a + meets a − the
// way goes through, and so it leads on from the seam wherever the sheet is: a little step in it is no gap.

namespace plush {

class SkinTurn {
public:
    SkinTurn(CutSkin& skin, CutSolid& solid, std::size_t way, const CutSheet& sheet, std::span<const Vec3> x)
        : skin_(skin), solid_(solid), sheet_(sheet), x_(x), number_(way), way_(skin.ways_[way]) {}
    /// False: no sound surface leads on; then the skin is to be thrown away.
    bool run(const SkinWay::Turned& turned);

private:
    struct Edge {
        int a, b;  ///< points, rising
        std::size_t wall;
        bool operator<(const Edge& o) const { return std::tie(a, b, wall) < std::tie(o.a, o.b, o.wall); }
    };
    template <class F>
    void each_edge(F&& f) const;
    bool ahead(const Vec3& p) const { return dot(p, way_.heading.along) > front_; }
    bool at_corner(const SkinWay::Line& line) const {
        return way_.points[static_cast<std::size_t>(line.points[0])].above == line.corners[1];
    }
    /// Ahead, and nearer to where the sheet goes on than to what stays.
    bool goes(const Vec3& p) const;
    void find_edges();
    void keep_without_line();
    bool close_pockets();
    void find_kept(std::size_t first);
    std::vector<std::uint8_t> walls_ahead(std::size_t first) const;
    void keep(std::size_t wall);
    bool find_seam();
    bool make_whole();
    bool make_whole(const SkinWay::Line& line, std::vector<Triangle>& triangles) const;
    void remove_triangles();
    void forget_points();
    void forget_vertices(std::span<const std::uint8_t> gone);
    int find_part(std::span<const int> groups) const;
    void find_sides(int part, std::span<const int> groups);

    CutSkin& skin_;
    CutSolid& solid_;
    const CutSheet& sheet_;
    std::span<const Vec3> x_;
    std::size_t number_;
    SkinWay way_;
    double front_ = 0;
    std::vector<Edge> edges_;
    std::vector<std::uint8_t> wall_stays_, point_stays_;
    std::vector<Vec3> kept_places_, gone_places_;  ///< of points of the way
    std::vector<std::size_t> whole_;               ///< lines whose triangles are made whole
    SkinSeam seam_;
};

}  // namespace plush
