#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

// Which triangles meet at which edges and vertices, by sorting: no hash table, so that the order of
// everything follows from the indices alone. Triangles with a repeated vertex bound nothing and are left out
// throughout.

namespace plush {

inline bool has_repeated_vertex(const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

/// One triangle's side of an edge.
struct EdgeUse {
    int a, b;  ///< the edge's vertices, a < b
    int triangle;
    int corner;    ///< the side runs from this corner of the triangle to the next
    bool forward;  ///< from a to b
};

/// All sides of all triangles, grouped by edge; edges in the order of (a, b), the sides of each in the order
/// of the triangles.
class EdgeTable {
public:
    EdgeTable(std::size_t vertex_count, std::span<const Triangle> triangles);

    std::size_t size() const { return first_.size() - 1; }
    std::span<const EdgeUse> operator[](std::size_t edge) const {
        return std::span(uses_).subspan(first_[edge], first_[edge + 1] - first_[edge]);
    }
    /// The sides of the edge between two vertices, none where there is no such edge.
    std::span<const EdgeUse> find(int a, int b) const;
    std::span<const EdgeUse> uses() const { return uses_; }

private:
    std::vector<EdgeUse> uses_;
    std::vector<std::size_t> first_;  ///< one more than there are edges
};

/// Sets of items that are merged; the lowest item stands for its set.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t count);
    int root(int item);
    void merge(int a, int b);

private:
    std::vector<int> parent_;
};

struct Components {
    std::vector<int> of_triangle;  ///< −1 for triangles with a repeated vertex
    std::vector<int> first;        ///< the lowest triangle of each; components are in the order of it
    int count() const { return static_cast<int>(first.size()); }
};

/// Parts of the mesh that are connected by shared edges.
Components connected_components(std::span<const Triangle> triangles, const EdgeTable& edges);

/// The number of fans of triangles at each vertex, where a fan is connected by edges at the vertex: 0 for an
/// unused vertex, 1 where the surface is one piece, more where pieces touch in the vertex only.
std::vector<int> fan_counts(std::size_t vertex_count, std::span<const Triangle> triangles,
                            const EdgeTable& edges);

}  // namespace plush
