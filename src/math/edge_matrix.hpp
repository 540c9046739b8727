#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "plush/math/vec.hpp"

// The sum over edges (i, j) of s 1 + w wᵀ between two vertices, as springs have it:
//
//     y_i = Σ_j s (x_i − x_j) + w (w·(x_i − x_j))
//
// It is symmetric, semidefinite for s ≥ 0, and gives exactly zero for a common x, so that it can push nothing
// as a whole. An edge is four numbers where the blocks of a matrix are nine, and they need not be added up
// first: an implicit step of springs costs the memory that it walks. Each edge is stored at both its
// vertices, so that rows are independent and any number of threads gives the same bits; four edges of a row
// go through the arithmetic at once.

namespace plush {

class EdgeMatrix {
public:
    using Lanes = double __attribute__((vector_size(32)));
    static constexpr std::size_t width = 4;

    /// Four edges at a vertex. Lanes without an edge lead from the vertex to itself.
    struct Group {
        Lanes x, y, z;  ///< w
        Lanes s;
    };

    /// `ends` holds i, j of each edge.
    void build(std::size_t vertices, std::span<const std::uint32_t> ends);
    bool empty() const { return first_.empty(); }
    std::size_t rows() const { return first_.empty() ? 0 : first_.size() - 1; }

    /// The groups of a vertex are [first_group(i), first_group(i + 1)).
    std::size_t first_group(std::size_t vertex) const { return first_[vertex]; }
    std::size_t group_count() const { return groups_.size(); }
    Group& group(std::size_t g) { return groups_[g]; }
    std::span<const std::uint32_t, width> others(std::size_t g) const {
        return std::span<const std::uint32_t, width>(&others_[width * g], width);
    }
    /// The edge of each lane; `none` where there is none.
    static constexpr std::uint32_t none = 0xffffffffu;
    std::span<const std::uint32_t> edges() const { return edges_; }

    /// The block (i, i).
    Mat3 diagonal(std::size_t i) const;
    /// y += A x for rows [begin, end); returns what that adds to x·y.
    double multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                         std::size_t end) const;

    /// What a product must read and write: the edges once, both vectors once.
    std::size_t product_bytes() const {
        return groups_.size() * (sizeof(Group) + width * sizeof(std::uint32_t)) + rows() * 2 * sizeof(Vec3);
    }
    /// Numbers that are stored.
    std::size_t numbers() const { return groups_.size() * width * 4; }

    /// x_i − x_j for the four edges of a group.
    static void differences(const Vec3& xi, std::span<const Vec3> x, std::span<const std::uint32_t, width> j,
                            Lanes& dx, Lanes& dy, Lanes& dz) {
        const Vec3 &a = x[j[0]], &b = x[j[1]], &c = x[j[2]], &d = x[j[3]];
        dx = xi.x - Lanes{a.x, b.x, c.x, d.x};
        dy = xi.y - Lanes{a.y, b.y, c.y, d.y};
        dz = xi.z - Lanes{a.z, b.z, c.z, d.z};
    }
    static double sum(const Lanes& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

private:
    std::vector<std::uint32_t> first_, others_, edges_;
    std::vector<Group> groups_;
};

}  // namespace plush
