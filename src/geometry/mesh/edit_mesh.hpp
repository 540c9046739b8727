#pragma once

#include <array>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// A closed, oriented manifold of triangles whose edges can be collapsed and flipped. Half-edge h = 3t + k
/// runs from corner k of triangle t to the next corner; its twin runs back on the neighbour's side.
class EditMesh {
public:
    /// The mesh must be closed, oriented and a manifold.
    EditMesh(std::vector<Vec3> positions, std::span<const Triangle> triangles);

    int triangle_count() const { return live_; }  ///< those left
    int triangle_slots() const { return static_cast<int>(twin_.size()) / 3; }
    int vertex_slots() const { return static_cast<int>(positions_.size()); }
    bool is_triangle(int t) const { return corner_[index(3 * t)] >= 0; }
    bool is_vertex(int v) const { return out_[index(v)] >= 0; }

    int from(int h) const { return corner_[index(h)]; }
    int to(int h) const { return from(next(h)); }
    int twin(int h) const { return twin_[index(h)]; }
    int out(int v) const { return out_[index(v)]; }  ///< a half-edge that starts at v
    static int next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
    static int previous(int h) { return h % 3 == 0 ? h + 2 : h - 1; }
    Triangle triangle(int t) const { return {from(3 * t), from(3 * t + 1), from(3 * t + 2)}; }

    const Vec3& position(int v) const { return positions_[index(v)]; }
    void move(int v, const Vec3& p) { positions_[index(v)] = p; }
    std::span<const Vec3> positions() const { return positions_; }

    /// Calls visit(h) for each half-edge that starts at v, counter-clockwise seen from outside.
    template <class Visit>
    void around(int v, Visit&& visit) const {
        const int first = out(v);
        int h = first;
        do {
            visit(h);
            h = twin(previous(h));
        } while (h != first);
    }
    int valence(int v) const;

    /// Whether the surface stays a manifold of the same kind when the ends of h become one: they have no
    /// common neighbours but the two opposite vertices (the link condition of Dey et al. 1999).
    bool can_collapse(int h) const;
    /// Moves from(h) to p and lets to(h) and two triangles vanish.
    void collapse(int h, const Vec3& p);

    /// Whether the other diagonal of the two triangles at h is not an edge yet.
    bool can_flip(int h) const;
    /// The two triangles keep their numbers. Flipping 3 t + 1 of the first of them again gives the old edge.
    void flip(int h);

    /// Merges neighbours of the same group (≥ 0) into their weighted mean, where the topology allows it.
    void merge_groups(std::span<const int> group, std::vector<double> weight);

    /// What is left, numbered anew in the old order.
    Mesh mesh() const;

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    void glue(int h, int g) { twin_[index(h)] = g, twin_[index(g)] = h; }
    bool are_neighbours(int u, int v) const;

    std::vector<Vec3> positions_;
    std::vector<int> corner_, twin_, out_;
    int live_ = 0;
};

}  // namespace plush
