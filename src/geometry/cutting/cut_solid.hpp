#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "geometry/cutting/blade_sheet.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/core/state.hpp"
#include "plush/geometry/mesh.hpp"

// Tets that a blade has gone through. Material and elements are kept apart, as in the virtual node algorithm
// (Molino, Bao & Fedkiw, "A virtual node algorithm for changing mesh topology during simulation", 2004): a
// cut divides the material of a tet, and each part keeps a whole copy of the tet to move with.
//
//         o-------o          o-------o   o.......o
//          \  +  /            \  +  /     \     /        o  real vertices
//        ---\---/---    →      \---/   +   \---/         .  of the copy: they carry no material of
//            \-/                \./         \-/             this part, and little mass
//             o                  .           o
//
// So no element is ever thinner than it was, however the blade goes.
//
// The material is a complex of convex *cells*, one in each tet at first. Cells have flat *faces*, which two
// cells share or which are the surface, and faces are polygons of *points*. A cell is divided where the blade
// has passed all of its edges that it has to cross; cut faces belong to one cell each, so the surface is
// closed by construction, at the front of an unfinished cut too, and the volumes of the parts add up to the
// whole. Points and corners of tets are doubled where the cells around them are no longer connected by faces.
//
// A point is a constant combination of the vertices of the uncut mesh, all of one tet, and in a cell of the
// same combination of that cell's corners.

namespace plush {

/// Σ w_j X_j over vertices of the uncut mesh; entries with weight 0 mean nothing.
struct CutPoint {
    std::array<std::uint32_t, 4> vertex{};
    std::array<double, 4> weight{};
};
template <>
inline constexpr bool is_plain_state<CutPoint> = true;

/// Counter-clockwise seen from outside of cells[0]. Without a second cell it is a part of the surface.
struct CutFace {
    static constexpr std::uint32_t none = 0xffffffffu;
    std::vector<std::uint32_t> points{};
    std::array<std::uint32_t, 2> cells{none, none};
};
void visit_state(StateVisitor& v, CutFace& f);

struct CutCell {
    std::uint32_t tet = 0;                   ///< of the uncut mesh
    std::array<std::uint32_t, 4> corners{};  ///< vertices, as they are now
    std::vector<std::uint32_t> faces{};
};
void visit_state(StateVisitor& v, CutCell& c);

/// What a blade has done since it entered a body. Sides are kept, so that a body that slides along a blade is
/// not cut into slices.
struct CutStroke {
    std::uint32_t blade = 0;           ///< the caller's name for it
    std::vector<std::int8_t> sides{};  ///< of points: ±1, 0 on the blade, `unknown`
    /// Edges that it has passed and that are not divided yet, sorted by their points a < b.
    struct Passed {
        std::uint32_t a = 0, b = 0;
        double at = 0;  ///< 0 at a, 1 at b
    };
    std::vector<Passed> passed{};
    /// Of points, at the last evaluation: whether the sheet was beside them, however far away. What comes to the
    /// sheet from there comes to its flat, and is not cut. Empty before the first evaluation.
    std::vector<std::uint8_t> beside{};
    Vec3 normal{};           ///< of the sheet, at the last evaluation
    std::uint32_t bent = 0;  ///< whether it has turned since the first
    static constexpr std::int8_t unknown = 2;
};
template <>
inline constexpr bool is_plain_state<CutStroke::Passed> = true;
void visit_state(StateVisitor& v, CutStroke& s);

/// What a cut has made of cells and vertices: of each the one that it was a part of. Old ones stay
/// themselves.
struct CutOutcome {
    std::size_t cuts = 0;  ///< cells divided and faces parted; 0: nothing has changed
    std::vector<std::uint32_t> cell_parents{}, vertex_parents{};
};

class CutRound;

class CutSolid {
public:
    CutSolid() = default;
    explicit CutSolid(TetMesh uncut);

    /// One evaluation of where the blade is, with the vertices at x.
    CutOutcome cut(const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke);
    /// Of cells with these parents, before the cut: which of them carry something, a byte each.
    using SkinCells = std::function<std::vector<std::uint8_t>(std::span<const std::uint32_t> cell_parents)>;
    /// Lays the whole sheet of the blade, its ends going on straight, through these cells (a byte each): a
    /// fresh stroke gets the sides of all their points and the places of all crossings. Nothing is divided.
    void lay(const BladeSheet& blade, std::span<const Vec3> x, std::span<const std::uint8_t> cells,
             CutStroke& stroke);
    /// Forgets what was laid through these cells (a byte each) at places ahead, but for what those that are
    /// divided hold on to.
    void forget_ahead(std::span<const Vec3> x, std::span<const std::uint8_t> cells,
                      std::span<const std::uint32_t> divided, const std::function<bool(const Vec3&)>& ahead,
                      CutStroke& laid) const;
    /// Divides these cells (a byte each) and no others along what was laid, wherever it is by now. What would
    /// come off without carrying anything stays where it was. `bent`: what was laid is not flat.
    CutOutcome cut_laid(std::span<const Vec3> x, std::span<const std::uint8_t> cells, bool bent,
                        const SkinCells& skin_cells, CutStroke& stroke);
    /// Of a cell: the side that it is on, 0 on both, `CutStroke::unknown` where nothing was laid.
    int side_of(std::uint32_t cell, const CutStroke& laid) const;
    /// Whether what was laid goes through a face, or along it.
    bool is_crossed(const CutFace& face, const CutStroke& laid) const;
    /// The cells that what was laid goes through, or along a face of, with a cell on its other side; rising.
    std::vector<std::uint32_t> crossed_cells(const CutStroke& laid) const;
    /// Where that is: on edges of the cell and in points of it, as weights of its corners.
    std::vector<std::array<double, 4>> crossings_of(std::uint32_t cell, const CutStroke& laid) const;

    // What a body is made of.
    std::size_t vertices() const { return origin_.size(); }
    std::size_t points() const { return points_.size(); }
    std::uint32_t origin(std::size_t vertex) const { return origin_[vertex]; }  ///< in the uncut mesh
    TetMesh tets() const;                                                       ///< one a cell, at rest
    const std::vector<CutCell>& cells() const { return cells_; }
    const std::vector<CutFace>& faces() const { return faces_; }
    /// How deep a place, as weights of a cell's corners, is in the material of the cell: its least weight, or
    /// the distance from a cut in the space of weights where that is nearer; below 0 outside.
    double depth_of(std::uint32_t cell, const std::array<double, 4>& weight) const;
    /// The part of its tet that a cell fills.
    std::vector<double> shares() const;
    /// The integral of each vertex's weight over the material, m³ at rest: its share of the mass.
    std::vector<double> vertex_volumes() const;
    /// The surface at rest, and how vertices carry it.
    Mesh surface(Embedding& weights) const;
    std::vector<std::uint8_t> real_vertices() const;  ///< 1 where the material is
    std::size_t pieces() const;                       ///< connected parts

    /// Whether what was restored can be used: no index leaves its list.
    bool sound() const;
    void visit_state(StateVisitor& v) { v(points_, faces_, cells_, origin_); }

private:
    using Index = std::uint32_t;
    friend class CutRound;
    std::vector<Vec3> point_positions(std::span<const Vec3> x) const;
    double weight_of(Index point, Index uncut_vertex) const;
    std::vector<Index> points_of(const CutCell& cell) const;  ///< rising
    bool has_vertex(const CutCell& cell, std::size_t corner) const;
    std::array<double, 4> integrals(const CutCell& cell, double& share) const;
    CutOutcome finish(CutRound& round, const SkinCells& skin_cells, CutStroke& stroke);
    void glue(std::span<const std::pair<Index, Index>> opened, std::span<const std::uint8_t> carries);
    void double_points(CutStroke& stroke);
    void double_corners(std::vector<Index>& vertex_parents);

    TetMesh uncut_;
    std::vector<CutPoint> points_;
    std::vector<CutFace> faces_;
    std::vector<CutCell> cells_;
    std::vector<Index> origin_;
};

}  // namespace plush
