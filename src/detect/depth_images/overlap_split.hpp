#pragma once

#include "detect/depth_images/depth_columns.hpp"
#include "detect/depth_images/kept_cut.hpp"
#include "plush/detect/overlap.hpp"

// An overlap cut into contacts: all of it, each connected part, or what lies in each cell of a grid.
//
// Connected: stretches of neighbouring columns of one image belong together where they come within a pixel
// and a half of each other (a sheet seen at 45° moves by a pixel from column to column), and so do stretches
// of two images that pass as near. What is closer than that to something else is one with it.
//
// Cells: a grid along the images' axes, fixed in the world. A cell that covers the fraction t of a stretch
// gets t of its volume and t of its gradient: then the walls need no bookkeeping (Allard et al. 2010, Eq.
// 22-24 collapse to this), and every cell obeys action = reaction by itself.

namespace plush {

/// A stretch, or a piece of one, and the contact it belongs to.
struct ContactPart {
    std::uint32_t interval = 0, contact = 0;
    double low = 0, high = 0;  ///< depths, pixels
    double share = 1;          ///< t, of the whole stretch
};

/// How many cells a connected patch may have. Where there are more, the side of its cells is doubled as often as needed.
struct CellLimit {
    std::size_t count = 0;  ///< 0: cells are left as they are
    /// The edges of what deforms under the patch, m; 0 where nothing does. A patch that spans many of them may have one cell
    /// for each vertex that moves by itself: (1 + L₁/edge)(1 + L₂/edge), L₁ and L₂ the two longest sides of its box. With
    /// fewer cells the surface bulges within a cell, whose mean depth is all that its row holds; with more the rows
    /// contradict each other.
    double edge = 0;
    std::size_t most = 0;  ///< of a patch that spans many edges, at most
    /// How the pair was cut before, where something deforms.
    std::span<const KnownCell> known{};
};

class OverlapSplitter {
public:
    /// With a limit neighbours whose parts together would fit into one and a half cells are one.
    void split(const ImageFrame& frame, const DepthImages& images, OverlapSplit how, double cell,
               const CellLimit& limit = {});

    /// About what a split into cells takes, and what is made of it. One body deep inside another has as many small cells as its
    /// volume holds, however few columns see them.
    static std::size_t bytes_of_cells(const ImageFrame& frame, const DepthImages& images, double cell);

    std::array<std::vector<ContactPart>, 3> parts;  ///< of each image, in the order of its intervals
    std::size_t contacts = 0;
    std::vector<GridCell> cells;  ///< of the contacts, where there are cells
    std::vector<KnownCell> cut;   ///< for the next query, where something deforms

private:
    void whole(const ImageFrame& frame, const DepthImages& images);
    void connected(const ImageFrame& frame, const DepthImages& images);
    void by_cells(const ImageFrame& frame, const DepthImages& images, double cell);
    void join_cells(const ImageFrame& frame, const DepthImages& images, double side, const CellLimit& limit);
};

}  // namespace plush
