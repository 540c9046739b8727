#pragma once

#include <span>
#include <vector>

#include "geometry/mesh/edit_mesh.hpp"
#include "geometry/mesh/key_map.hpp"

namespace plush {

/// Knows where the triangles of a mesh are while it is edited, and tells exactly whether new ones would cross
/// them. Who edits takes the triangles out that change, asks, and puts back what is there then. A mesh that
/// starts without self-intersections stays so.
class CrossingGuard {
public:
    /// `cell` is the side of the cells of its hash grid (m): about the edges of the triangles to come. Only
    /// what happens in cells that one of the boxes reaches is seen.
    CrossingGuard(const EditMesh& mesh, double cell, std::span<const Box3> watched);

    void put_in(int triangle) { update(triangle, true); }
    void take_out(int triangle) { update(triangle, false); }

    /// Whether these triangles, on the mesh's vertices where these now are, cross neither those that are in
    /// nor one another.
    bool fits(std::span<const Triangle> triangles) const;

private:
    void update(int triangle, bool in);
    template <class Visit>
    void keys_of(const Box3& box, Visit&& visit) const;
    template <class Visit>
    void cells_of(const Triangle& t, Visit&& visit) const;
    bool crosses_any(const Triangle& t) const;

    const EditMesh& mesh_;
    double cell_;
    KeyMap numbers_;
    mutable std::vector<std::vector<int>> cells_;  // mutable: cells_of() serves readers and writers alike
};

}  // namespace plush
