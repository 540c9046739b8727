#pragma once

#include "geometry/cutting/cut_solid.hpp"

// One evaluation of a blade: which edges it passes, which cells it has to divide for that, and dividing them.
//
// A point has a side of the whole sheet (blade_sheet.hpp). An edge is *passed* when its two points lie on
// different sides and it goes through the sheet. A cell is
// divided once all its edges that have points on both sides are passed, and so whole cells at a time: the
// blade of a knife that has gone half through a cell has not cut it yet. Sides stay as they were when an edge
// was first passed, whatever the body does, until the blade has left it. A point so near to the sheet that
// the rest of an edge would be thinner than a fiftieth of it is taken to be on the blade.
//
// A blade cuts with its outline and not with its flat: after the first evaluation an edge that was *beside* the
// sheet with both its points, above or below it, and goes through it now has been reached from the side.
// So what is cut is what the outline sweeps, and a blade that turns on its way does not mince what it has
// left behind.

namespace plush {

class CutRound {
public:
    CutRound(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke);
    /// These cells only, a byte each, and there the whole sheet, its ends going on.
    void only(std::span<const std::uint8_t> cells) { only_ = cells; }
    /// Finds sides and crossings, of all points of these cells, and divides nothing.
    void lay();
    /// What was laid goes through these cells: `run` divides them along it.
    void along_laid(bool bent) { laid_ = true, bent_ = bent; }
    /// Divides what is to be divided; returns how many cells and faces.
    std::size_t run(std::vector<std::uint32_t>& cell_parents);
    /// Afterwards: the pairs of faces that were one place before.
    std::span<const std::pair<std::uint32_t, std::uint32_t>> opened() const { return opened_; }

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
    std::optional<double> crossing(const Edge& e) const;
    bool swept(const Edge& e) const;
    void store_sides();
    void keep_sides_near();
    bool in_sheet(const Vec3& p) const { return !only_.empty() || sheet_.holds(p); }
    /// Cells with higher numbers are parts of these.
    bool concerned(Index cell) const { return only_.empty() || cell >= only_.size() || only_[cell]; }
    void find_candidates();
    bool begun(const CutFace& face) const;
    void find_points_on_blade();
    void keep_sides(std::vector<Index>& on);
    void find_passed();
    const CutStroke::Passed* passed(const Edge& e) const;
    bool divisible(const CutCell& cell) const;
    bool divisible(const CutFace& face) const;
    void choose_cells();
    void split_edges();
    void split_face(Index face);
    bool split_cell(Index cell, std::vector<Index>& cell_parents);
    std::vector<Index> cut_polygon(Index cell) const;
    std::vector<std::vector<Index>> cut_faces(const std::vector<Index>& polygon) const;
    int side_of(const CutCell& cell) const;
    int side_of(const CutFace& face) const;
    std::size_t part_faces();
    Index add_point(const CutStroke::Passed& at);

    CutSolid& solid_;
    CutSheet sheet_;
    std::span<const std::uint8_t> only_{};
    bool laid_ = false, bent_ = false;
    CutStroke& stroke_;
    std::vector<std::uint8_t> beside_;  ///< of points, at the evaluation before
    std::vector<Vec3> y_;               ///< of points
    std::vector<double> height_;        ///< of points, above the sheet
    std::vector<Index> faces_, cells_;  ///< that may be concerned, rising
    std::vector<Index> chosen_;         ///< cells
    std::vector<std::pair<Index, Index>> opened_;
};

}  // namespace plush
