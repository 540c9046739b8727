#pragma once

#include "detect/depth_images/depth_columns.hpp"
#include "plush/detect/overlap.hpp"

// An overlap cut into contacts: all of it, what hangs together, or what lies in each cell of a grid.
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

class OverlapSplitter {
public:
    /// `join`, where it is not 0: of cells that hang together there are at most so many, by doubling their
    /// side as often as needed; and neighbours whose parts together would fit into one and a half are one.
    void split(const ImageFrame& frame, const DepthImages& images, OverlapSplit how, double cell,
               std::size_t join = 0);

    std::array<std::vector<ContactPart>, 3> parts;  ///< of each image, in the order of its intervals
    std::size_t contacts = 0;
    std::vector<std::array<std::int64_t, 3>> cells;  ///< of the contacts, where there are cells

private:
    void whole(const ImageFrame& frame, const DepthImages& images);
    void connected(const ImageFrame& frame, const DepthImages& images);
    void by_cells(const ImageFrame& frame, const DepthImages& images, double cell);
    void join_cells(const DepthImages& images, double side, std::size_t most);
};

}  // namespace plush
