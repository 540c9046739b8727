#pragma once

#include "geometry/cutting/cut_skin.hpp"
#include "geometry/cutting/plane_triangles.hpp"

// How a way is laid (skin_way.hpp): the section of one part of a body with the sheet of a blade. And how it
// is laid again ahead of a blade that has turned (skin_turn.hpp): from a *seam*, edges of the walls that
// stay, on along the sheet.

namespace plush {

/// What a way goes on from.
struct SkinSeam {
    std::vector<std::array<int, 2>> edges{};  ///< points of the way
    std::vector<int> ends{};                  ///< those on the skin
    std::vector<int> sides{};                 ///< of vertices of the skin; 0: a point of the way
    /// Where the sheet is followed, and what was laid does not stay.
    std::function<bool(const Vec3&)> ahead{};
};

class SkinLayer {
public:
    SkinLayer(CutSkin& skin, CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x);
    /// Parts that the sheet crosses near the blade, by their first cells, but for those with a cell that is
    /// refused (a byte each).
    std::vector<int> parts(std::span<const std::uint8_t> refused) const;
    std::span<const int> groups() const { return group_; }  ///< of each cell its part
    /// Through one of them. Edges along the outline are then edges of the skin. Nothing, and no change, where
    /// the blade has passed no cell yet, or where lines cross, since the skin crosses itself.
    std::optional<SkinWay> lay(int part);
    /// The rest of a way, through the same part. Nothing, and no change, where no sound surface leads on.
    std::optional<SkinWay> lay_on(SkinWay way, const SkinSeam& seam, int part);

private:
    using Index = std::uint32_t;
    struct OnEdge {
        int a, b;  ///< vertices, rising
        double at;
        int point;
    };
    struct Chain {
        std::size_t triangle;
        SkinWay::Line line;
    };
    bool crosses(const Triangle& t) const;
    std::optional<double> crossing(int a, int b) const;
    Triangle turned(const Triangle& t) const;
    bool near_blade(const Triangle& t) const;
    double cell_size() const;
    void start(SkinWay way);
    std::vector<Index> lay_through_cells(int part);
    bool leaves_seam(const SkinSeam& seam) const;
    bool same_side_up(std::size_t old_walls) const;
    void part_twins();
    std::vector<Vec3> normals() const;
    const OnEdge* find(int a, int b) const;
    void join_twins();
    void find_outline(int part);
    void add_samples(std::span<const Index> cells, const std::function<bool(const Vec3&)>& ahead);
    void divide_edges(double spacing);
    bool make_walls(double spacing);
    bool reached();
    void place_points(std::span<const Index> cells);
    void take_sides(int part);
    void add_vertices();
    void divide_triangles();

    CutSkin& skin_;
    CutSolid& solid_;
    const CutSheet& sheet_;
    std::span<const Vec3> x_;
    std::vector<Vec3> y_;
    /// As y_, but for slits that are closed: there sides are kept a little apart, since lines that touch
    /// enclose nothing. All that is asked of the section is asked of these.
    std::vector<Vec3> parted_;
    std::vector<int> side_;   ///< of vertices
    std::vector<int> group_;  ///< of cells
    SkinWay way_;
    std::vector<OnEdge> on_edges_;
    std::vector<Chain> chains_;
    std::vector<Vec3> places_;  ///< of the way's points
    std::vector<Vec3> drawn_;   ///< the same, of `parted_`
    std::vector<Vec3> inward_;  ///< from those on the skin a little into the material
    std::vector<std::array<int, 2>> seam_, outline_;
    std::size_t old_points_ = 0;  ///< of the way
    std::size_t on_skin_ = 0;     ///< points from there up to here are on the skin
};

}  // namespace plush
