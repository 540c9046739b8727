#pragma once

#include "geometry/cutting/skin_way.hpp"

// A detailed surface embedded in tets, and that a blade cuts with them. It is cut along the sheet of the
// blade, triangle by triangle, and what the cut lays open is closed from both sides by the same triangles; so
// both parts are closed, and their volumes add up to the whole. Each vertex is carried by a cell of its own
// side.
//
// A bent blade may pass a triangle in a bent line, or go in and out of it between its corners. Such triangles
// are divided first, so that corners on either side tell all.
//
// The triangles that close a cut need its whole outline. They are made when the blade has passed a first
// cell, and opened as it goes on (skin_way.hpp): a slit opens before the knife is through, and stays where it
// leaves.

namespace plush {

class CutSkin {
public:
    CutSkin() = default;
    /// A surface in the tets that it was embedded in.
    CutSkin(const Mesh& skin, const Embedding& weights, const TetMesh& tets);

    bool empty() const { return triangles_.empty(); }
    /// Opens what the blade has passed. A stroke cuts one path through what is connected.
    CutOutcome cut(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke);

    /// The blade is out of the body: its slits stay, and who comes along them goes on with them.
    void leave(std::uint32_t blade);

    /// The surface at rest, and how vertices carry it.
    Mesh surface(const CutSolid& solid, Embedding& weights) const;
    std::size_t pieces(const CutSolid& solid) const;  ///< connected parts
    bool sound(const CutSolid& solid) const;
    void visit_state(StateVisitor& v) { v(vertices_, triangles_, ways_, twins_); }

private:
    friend class SkinRound;
    friend class SkinLayer;
    friend class SkinTurn;
    friend class SkinSlit;
    friend class SkinRefiner;
    /// With more triangles where a bent sheet passes one in more than a straight line; nothing where it does
    /// not (cut_refine.cpp).
    std::optional<CutSkin> refined(const CutSolid& solid, const CutSheet& sheet,
                                   std::span<const Vec3> x) const;
    std::vector<Vec3> positions(const CutSolid& solid, std::span<const Vec3> x) const;
    /// Of each cell the first cell of its connected part, by cells and by skin.
    std::vector<int> groups(const CutSolid& solid) const;

    std::vector<SkinVertex> vertices_;
    std::vector<Triangle> triangles_;
    std::vector<SkinWay> ways_;  ///< that are not open to their end
    /// Of vertices: the one on the other side of a slit, or −1; those beyond the end have none.
    std::vector<int> twins_;
};

}  // namespace plush
