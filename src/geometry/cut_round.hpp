#pragma once

#include "geometry/cut_solid.hpp"

// One look at a blade: which edges it passes, which cells it has to divide for that, and dividing them.
//
//     s(p) = n·(p − from)        the side of a point, n being the normal of the plate
//
// An edge is *passed* when its two points lie on different sides and it goes through the plate. A cell is
// divided once all its edges that have points on both sides are passed, and so whole cells at a time: the
// blade of a knife that has gone half through a cell has not cut it yet. Sides stay as they were when an edge
// was first passed, whatever the body does, until the blade has left it. A point so near to the plate that
// the rest of an edge would be thinner than a fiftieth of it is taken to be on the blade.

namespace plush {

class CutRound {
public:
    CutRound(CutSolid& solid, const BladePlate& blade, std::span<const Vec3> x, CutStroke& stroke);
    /// Divides what is to be divided; returns how many cells and faces.
    std::size_t run(std::vector<std::uint32_t>& cell_parents);

private:
    using Index = CutSolid::Index;
    using Edge = std::pair<Index, Index>;  ///< rising
    struct Split {
        Edge edge;
        Index point;
    };
    template <class F>
    void each_edge(const CutFace& face, F&& f) const;
    int side(Index point) const;
    bool crosses(const Edge& e) const { return side(e.first) * side(e.second) < 0; }
    double crossing(const Edge& e) const;
    bool in_plate(const Vec3& p) const;
    void find_candidates();
    void find_points_on_blade();
    void find_passed();
    const CutStroke::Passed* passed(const Edge& e) const;
    bool divisible(const CutCell& cell) const;
    bool divisible(const CutFace& face) const;
    void choose_cells();
    void split_edges();
    void split_face(Index face);
    bool split_cell(Index cell, std::vector<Index>& cell_parents);
    std::vector<Index> cut_polygon(Index cell) const;
    int side_of(const CutCell& cell) const;
    int side_of(const CutFace& face) const;
    std::size_t part_faces();
    Index add_point(const CutStroke::Passed& at);

    CutSolid& solid_;
    BladePlate blade_;
    Vec3 normal_{};
    CutStroke& stroke_;
    std::vector<Vec3> y_;               ///< of points
    std::vector<Index> faces_, cells_;  ///< that may be concerned, rising
    std::vector<Index> chosen_;         ///< cells
};

}  // namespace plush
