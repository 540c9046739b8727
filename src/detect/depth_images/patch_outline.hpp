#pragma once

#include "detect/depth_images/axis_sums.hpp"
#include "detect/depth_images/depth_columns.hpp"
#include "detect/depth_images/overlap_split.hpp"

// The outline of a patch of contact. Cells of a patch have a row each, at their middle. Of two rigid bodies these rows alone
// would bring the centre of pressure no nearer to the border than half a cell, and resist spin by Σ p A_k |x_k| where the patch
// has p ∫|x| dA. Both would depend on the choice of cells. So the corners of the patch's convex hull have rows as well:
//
//     ●───────────────●       cells   × with p A_k (1 − α)
//     │   ×   │   ×   │       corners ● with p A α / n each, where one pressure p is all that the load asks for, and
//     │───────┼───────│
//     │   ×   │   ×   │       (1 − α) Σ A_k |x_k| / A + α Σ |x_●| / n = 1/A ∫|x| dA,   x from the middle of the patch:
//     ●───────────────●
//
// the friction of the rows against spin is that of the patch, and the wrenches that they can pass on are those of all
// pressures on the hull. (1/A ∫|x| dA is not less than the sum over cells, by convexity; so 0 ≤ α.)
//
// A patch is a face only along directions in which its depth is linear. A ball or a roller has its depth in the middle and none
// at the border, and it rolls: its border holds nothing. The second moments of area and of volume about the middle of the
// area,
//
//     S_A = ∫ x xᵀ dA / A,      S_V = ∫ x xᵀ d dA / V,
//
// are equal for a depth that is linear in x, tilted or not. A parabola that ends at the border has 3/5 along x (a roller) or
// 2/3 (a ball), a ridge 1/2. So along an eigenvector of S_V a = r S_A a with r near 1 the outline counts, and along the others the
// points stay with the middle of their cells.

namespace plush {

/// A corner of a patch's hull.
struct OutlinePoint {
    std::uint32_t contact = 0;  ///< the cell that it belongs to
    Vec3 position{};            ///< m
    double depth = 0;           ///< there, along the normal, m
    double rest = 0;            ///< of the patch on average, m
    double area = 0;            ///< A α/((1 − α) n): its weight beside the areas of the cells, m²
};

class PatchOutlines {
public:
    /// Patches of one cell that are no wider than this are points and no faces, m; negative: no outlines are wanted.
    static constexpr double none = -1;

    /// Of the contacts with these normals (images' axes; zero: left out) and sums in the three images.
    void build(const ImageFrame& frame, const DepthImages& images, const OverlapSplitter& splitter,
               std::span<const Vec3> normals, std::span<const ContactSums> sums, double point_width);

    std::vector<OutlinePoint> points;

private:
    struct Patch;
    void group(std::span<const Vec3> normals);
    void add(const ImageFrame& frame, const DepthImages& images, const OverlapSplitter& splitter,
             std::span<const ContactSums> sums, std::uint32_t patch, const Vec3& normal);

    std::vector<std::uint32_t> patch_of_;  ///< of each contact
    std::vector<Vec3> normals_;            ///< of each patch
};

}  // namespace plush
