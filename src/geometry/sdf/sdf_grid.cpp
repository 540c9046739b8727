#include "geometry/sdf/sdf_grid.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mesh/bvh.hpp"
#include "geometry/sdf/sdf_pseudonormals.hpp"

// Sampling a mesh's distance on a grid, fast.
//
// 1. Band. Every triangle visits the nodes within two cells of its own plane and box; they keep the nearest
//    triangle. A node whose distance is at most the band's width now has its true distance.
// 2. Sign. Within one cell of the surface by the pseudonormal of the (true) closest point. A node farther
// than
//    a cell from the surface has the sign of the node before it in its row: the surface cannot pass between.
//    Rows start in the padding, outside.
// 3. Sweeps. Beyond the band nearest triangles are handed from node to node in eight directions (the fast
//    sweeping order of Zhao, "A fast sweeping method for Eikonal equations", Math. Comp. 74, 2005, with
//    closest triangles instead of distances, as Tsai, J. Comput. Phys. 178, 2002). The true nearest triangle
//    of a node is nearly always the nearest of a neighbour as well.
// 4. Border. The grid's outermost nodes get their true distance by the bounding hierarchy: the lower bound
// that
//    holds beyond the grid rests on them.

namespace plush {
namespace {

constexpr int padding = 2;        // cells around the mesh
constexpr double band_cells = 2;  // ≥ √3: all corners of a cell that the surface crosses are exact

/// A triangle prepared for many distance queries.
struct Face {
    Vec3 a, ab, ac, normal;
    double bb, bc, cc;  // ab·ab, ab·ac, ac·ac
    bool sliver;        // so thin (a sine below 1e-8) that its normal and its regions are mostly rounding

    Face(const Vec3& p, const Vec3& q, const Vec3& r)
        : a(p),
          ab(q - p),
          ac(r - p),
          normal(normalised(cross(ab, ac), {})),
          bb(dot(ab, ab)),
          bc(dot(ab, ac)),
          cc(dot(ac, ac)),
          sliver(norm2(cross(ab, ac)) <= 1e-16 * bb * cc) {}

    /// The squared distance to p: the regions of closest_weights() (Ericson 2005, 5.1.5), with their dot
    /// products shared by differences.
    double distance2(const Vec3& p) const {
        if (sliver) return careful_distance2(p);
        const Vec3 ap = p - a;
        const double d1 = dot(ab, ap), d2 = dot(ac, ap);
        if (d1 <= 0 && d2 <= 0) return norm2(ap);
        const double d3 = d1 - bb, d4 = d2 - bc;
        if (d3 >= 0 && d4 <= d3) return norm2(ap - ab);
        const double d5 = d1 - bc, d6 = d2 - cc;
        if (d6 >= 0 && d5 <= d6) return norm2(ap - ac);
        if (d1 * d4 - d3 * d2 <= 0 && d1 >= 0 && d3 <= 0) return norm2(ap - ab * (d1 / bb));
        if (d5 * d2 - d1 * d6 <= 0 && d2 >= 0 && d6 <= 0) return norm2(ap - ac * (d2 / cc));
        const double u = d4 - d3, v = d5 - d6;
        if (d3 * d6 - d5 * d4 <= 0 && u >= 0 && v >= 0) return norm2(ap - ab - (ac - ab) * (u / (u + v)));
        const double h = dot(normal, ap);
        return h * h;
    }

    double careful_distance2(const Vec3& p) const {
        const Vec3 w = closest_weights(p, a, a + ab, a + ac);
        return norm2(p - a - w.y * ab - w.z * ac);
    }
};

class Sampling {
public:
    Sampling(const Mesh& mesh, const Grid& grid)
        : mesh_(mesh),
          grid_(grid),
          band_(band_cells * grid.cell),
          distance2_(grid.size(), HUGE_VAL),
          nearest_(grid.size(), -1) {
        const auto at = [&](int i) { return mesh_.positions()[static_cast<std::size_t>(i)]; };
        faces_.reserve(mesh.triangles().size());
        for (const Triangle& t : mesh.triangles()) faces_.emplace_back(at(t[0]), at(t[1]), at(t[2]));
    }

    std::vector<double> run() {
        const int n = static_cast<int>(mesh_.triangles().size());
        for (int t = 0; t < n; ++t) splat(t);
        const std::vector<signed char> signs = find_signs();
        for (int direction = 0; direction < 8; ++direction) sweep(direction);
        measure_border();
        std::vector<double> distances(grid_.size());
        for (std::size_t i = 0; i < distances.size(); ++i) distances[i] = signs[i] * std::sqrt(distance2_[i]);
        return distances;
    }

private:
    const Face& face(int t) const { return faces_[static_cast<std::size_t>(t)]; }

    /// The nodes from low to high along an axis, clamped to the grid.
    std::pair<int, int> range(double low, double high, std::size_t axis) const {
        const double first = std::ceil((low - grid_.origin[axis]) / grid_.cell);
        const double last = std::floor((high - grid_.origin[axis]) / grid_.cell);
        const double end = grid_.nodes[axis] - 1;
        return {static_cast<int>(std::clamp(first, 0.0, end)), static_cast<int>(std::clamp(last, 0.0, end))};
    }

    void splat(int t) {
        const Face& f = face(t);
        Box3 box;
        box.add(f.a), box.add(f.a + f.ab), box.add(f.a + f.ac);
        box = box.grown(band_);
        const auto [i0, i1] = range(box.low.x, box.high.x, 0);
        const auto [j0, j1] = range(box.low.y, box.high.y, 1);
        const auto [k0, k1] = range(box.low.z, box.high.z, 2);
        const double band2 = band_ * band_;
        for (int k = k0; k <= k1; ++k)
            for (int j = j0; j <= j1; ++j)
                for (int i = i0; i <= i1; ++i) {
                    const Vec3 p = grid_.at(i, j, k);
                    double& d2 = distance2_[grid_.index(i, j, k)];
                    const double to_plane = dot(p - f.a, f.normal), plane2 = to_plane * to_plane;
                    if (plane2 > band2 || plane2 >= d2) continue;
                    if (const double new_d2 = f.distance2(p); new_d2 < d2)
                        d2 = new_d2, nearest_[grid_.index(i, j, k)] = t;
                }
    }

    std::vector<signed char> find_signs() const {
        const Pseudonormals normals(mesh_);
        const double near2 = grid_.cell * grid_.cell * (1 + 1e-9);
        std::vector<signed char> signs(grid_.size(), 1);
        for (int k = 0; k < grid_.nodes[2]; ++k)
            for (int j = 0; j < grid_.nodes[1]; ++j)
                for (int i = 1; i < grid_.nodes[0]; ++i) {
                    const std::size_t at = grid_.index(i, j, k);
                    const bool near = distance2_[at] <= near2;
                    signs[at] = near ? sign(normals, at, grid_.at(i, j, k)) : signs[at - 1];
                }
        return signs;
    }

    signed char sign(const Pseudonormals& normals, std::size_t at, const Vec3& p) const {
        const Face& f = face(nearest_[at]);
        const Vec3 w = closest_weights(p, f.a, f.a + f.ab, f.a + f.ac);
        const Vec3 away = p - (f.a + w.y * f.ab + w.z * f.ac);
        return dot(away, normals.at(nearest_[at], w)) < 0 ? -1 : 1;
    }

    /// Over all nodes, along each axis forward or backward by the bits of `direction`.
    void sweep(int direction) {
        std::array<int, 3> step, first, end;
        for (std::size_t a = 0; a < 3; ++a) {
            const bool forward = (direction >> a & 1) == 0;
            step[a] = forward ? 1 : -1;
            first[a] = forward ? 0 : grid_.nodes[a] - 1;
            end[a] = forward ? grid_.nodes[a] : -1;
        }
        const std::ptrdiff_t x = -step[0], y = -step[1] * grid_.nodes[0],
                             z = -step[2] * grid_.nodes[0] * grid_.nodes[1];
        const double band2 = band_ * band_;
        for (int k = first[2]; k != end[2]; k += step[2])
            for (int j = first[1]; j != end[1]; j += step[1])
                for (int i = first[0]; i != end[0]; i += step[0]) {
                    const std::size_t at = grid_.index(i, j, k);
                    if (distance2_[at] <= band2) continue;  // exact already
                    const Vec3 p = grid_.at(i, j, k);
                    const bool bx = i != first[0], by = j != first[1], bz = k != first[2];
                    if (bx) hand_over(at, x, p);
                    if (by) hand_over(at, y, p);
                    if (bz) hand_over(at, z, p);
                    if (bx && by) hand_over(at, x + y, p);
                    if (by && bz) hand_over(at, y + z, p);
                    if (bz && bx) hand_over(at, z + x, p);
                    if (bx && by && bz) hand_over(at, x + y + z, p);
                }
    }

    void hand_over(std::size_t at, std::ptrdiff_t offset, const Vec3& p) {
        const int t = nearest_[at + static_cast<std::size_t>(offset)];
        if (t < 0 || t == nearest_[at]) return;
        if (const double d2 = face(t).distance2(p); d2 < distance2_[at])
            distance2_[at] = d2, nearest_[at] = t;
    }

    void measure_border() {
        const Bvh bvh(mesh_.positions(), mesh_.triangles());
        for (int k = 0; k < grid_.nodes[2]; ++k)
            for (int j = 0; j < grid_.nodes[1]; ++j) {
                const bool whole_row = grid_.on_border(1, j, k);
                for (int i = 0; i < grid_.nodes[0]; i += whole_row ? 1 : grid_.nodes[0] - 1) {
                    double& d2 = distance2_[grid_.index(i, j, k)];
                    const auto c = bvh.closest(mesh_.positions(), mesh_.triangles(), grid_.at(i, j, k), d2);
                    if (c) d2 = std::min(d2, c->distance2);
                }
            }
    }

    const Mesh& mesh_;
    const Grid& grid_;
    double band_;
    std::vector<Face> faces_{};
    std::vector<double> distance2_;
    std::vector<int> nearest_;
};

}  // namespace

Grid grid_around(const Box3& bounds, int cells_across) {
    Grid grid;
    const Vec3 size = bounds.size();
    grid.cell = max_component(size) / cells_across;
    Vec3 half;
    for (std::size_t a = 0; a < 3; ++a) {
        // 1e-9: a side of exactly n cells shall not get one more from rounding.
        const int cells = static_cast<int>(std::ceil(size[a] / grid.cell - 1e-9)) + 2 * padding;
        grid.nodes[a] = cells + 1;
        half[a] = 0.5 * cells * grid.cell;
    }
    grid.origin = bounds.centre() - half;
    return grid;
}

std::vector<double> signed_distances(const Mesh& mesh, const Grid& grid) {
    return Sampling(mesh, grid).run();
}

}  // namespace plush
