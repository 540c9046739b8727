#pragma once

#include "geometry/cutting/cut_skin.hpp"

// How a way is opened (skin_way.hpp): cells are divided, walls get two sides, and everything is carried by
// the cells of its own side.

namespace plush {

class SkinSlit {
public:
    SkinSlit(CutSkin& skin, CutSolid& solid, SkinWay& way, std::span<const Vec3> x)
        : skin_(skin), solid_(solid), way_(way), x_(x) {}
    /// Of the way's cells those that the blade has passed, a byte each. No cuts: it cannot be done yet; then
    /// the solid is what it was, and skin and way are to be thrown away.
    CutOutcome open(std::span<const std::uint8_t> passed);

private:
    using Index = std::uint32_t;
    struct Edge {
        int a, b;  ///< points, rising
        int walls, open;
    };
    std::vector<std::uint8_t> find_skin_cells(std::span<const Index> parents, std::size_t cells);
    void find_sides(const CutOutcome& outcome, std::size_t cells);
    void find_usable();
    Index part(Index cell, int side) const;
    SkinVertex carried(const Vec3& p, int side);
    void find_free_points(std::span<const std::uint8_t> passed);
    void find_edges();
    bool free_more();
    void open_walls();
    void double_points(std::span<const std::uint8_t> full);
    void carry_vertices();
    void carry_together();
    int add(const SkinVertex& vertex, int side);

    CutSkin& skin_;
    CutSolid& solid_;
    SkinWay& way_;
    std::span<const Vec3> x_;
    std::vector<Vec3> x_after_;
    std::vector<Index> lower_;                         ///< of cells that are divided now; else none
    std::vector<int> cell_side_;                       ///< of cells
    std::array<std::vector<std::uint8_t>, 2> usable_;  ///< cells below, above
    std::vector<std::uint8_t> free_, open_, full_;     ///< points, walls, points
    std::vector<Edge> edges_;
    std::vector<int> edge_of_;              ///< three a wall
    std::vector<std::uint8_t> on_outline_;  ///< points of the way that are on the skin
    bool all_attached_ = true;
};

}  // namespace plush
