#pragma once

#include "geometry/cut_solid.hpp"

// A detailed surface that tets carry, and that a blade cuts with them. It is cut along the sheet of the
// blade, triangle by triangle, and what the cut lays open is closed from both sides by the same triangles; so
// both parts are closed, and their volumes add up to the whole. Each vertex is carried by a cell of its own
// side.
//
// A bent blade may pass a triangle in a bent line, or go in and out of it between its corners. Such triangles
// are divided first, so that corners on either side tell all.
//
// The triangles that close a cut need its whole outline. A body with a skin is therefore cut at once, where
// the blade is through all of it that its sheet meets if the ends go on, and not before.

namespace plush {

struct SkinVertex {
    std::uint32_t cell = 0;
    std::uint32_t spare = 0;         ///< no padding: the bytes are the state
    std::array<double, 4> weight{};  ///< of the corners of the cell's tet

    /// Takes a cell for the place p where p is deeper in it than `best`; returns how deep it is now.
    double look(const CutSolid& solid, std::span<const Vec3> x, std::uint32_t in, const Vec3& p, double best);
};
template <>
inline constexpr bool is_plain_state<SkinVertex> = true;
template <>
inline constexpr bool is_plain_state<Triangle> = true;

class CutSkin {
public:
    CutSkin() = default;
    /// A surface in the tets that it was embedded in.
    CutSkin(const Mesh& skin, const Embedding& weights, const TetMesh& tets);

    bool empty() const { return triangles_.empty(); }
    /// Cuts what the blade is through, but for cells that the stroke has parted before.
    CutOutcome cut(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke);

    /// The surface at rest, and how vertices carry it.
    Mesh surface(const CutSolid& solid, Embedding& weights) const;
    std::size_t pieces(const CutSolid& solid) const;  ///< that do not hang together
    bool sound(const CutSolid& solid) const;
    void visit_state(StateVisitor& v) { v(vertices_, triangles_); }

private:
    friend class SkinRound;
    friend class SkinRefiner;
    /// With more triangles where a bent sheet passes one in more than a straight line; nothing where it does
    /// not (cut_refine.cpp).
    std::optional<CutSkin> refined(const CutSolid& solid, const CutSheet& sheet,
                                   std::span<const Vec3> x) const;
    std::vector<Vec3> positions(const CutSolid& solid, std::span<const Vec3> x) const;
    /// Of each cell the first cell of what it hangs together with, by cells and by skin.
    std::vector<int> groups(const CutSolid& solid) const;

    std::vector<SkinVertex> vertices_;
    std::vector<Triangle> triangles_;
};

}  // namespace plush
