#pragma once

#ifdef __AVX__
#include <immintrin.h>
#endif

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "plush/math/vec.hpp"

// The sum over edges (i, j) of s 1 + w wᵀ between two vertices, as springs have it:
//
//     y_i = Σ_j s (x_i − x_j) + w (w·(x_i − x_j))
//
// It is symmetric, semidefinite for s ≥ 0, and gives exactly zero for a common x, so that it can push nothing
// as a whole. An edge is four numbers where the blocks of a matrix are nine, and they need not be added up
// first.
//
// Each edge is stored at both its vertices, so that rows are independent and any number of threads gives the
// same bits. Four rows, a *slice*, go through the arithmetic at once: lane l of a *group* is an edge of row
// 4 · slice + l. (Monakov, Lokhmotov and Avetisyan, "Automatically tuning sparse matrix-vector multiplication
// for GPU architectures", 2010: sliced ELLPACK.) Edges that lead equally far, j − i, share a group where they
// can: in grids the four other ends then lie side by side in memory.

namespace plush {

class EdgeMatrix {
public:
    using Lanes = double __attribute__((vector_size(32)));
    static constexpr std::size_t width = 4;
    static constexpr std::uint32_t none = 0xffffffffu;

    /// Four edges of four rows; zero where a row has none.
    struct Group {
        Lanes x, y, z;  ///< w
        Lanes s;
    };

    /// `ends` holds i, j of each edge.
    void build(std::size_t vertices, std::span<const std::uint32_t> ends);
    std::size_t rows() const { return rows_; }
    std::size_t slices() const { return first_.empty() ? 0 : first_.size() - 1; }

    /// The groups of a slice are [first_group(slice), first_group(slice + 1)).
    std::size_t first_group(std::size_t slice) const { return first_[slice]; }
    std::size_t group_count() const { return groups_.size(); }
    Group& group(std::size_t g) { return groups_[g]; }
    /// The edge of each lane of each group, or `none`.
    std::span<const std::uint32_t> edges() const { return edges_; }

    /// f(i, j, w, s) for both ends i of each edge, row by row.
    template <class F>
    void each_end(F&& f) const {
        for (std::size_t slice = 0; slice < slices(); ++slice)
            for (std::size_t g = first_[slice]; g < first_[slice + 1]; ++g)
                for (std::size_t l = 0; l < width; ++l)
                    if (edges_[width * g + l] != none)
                        f(width * slice + l, std::size_t{others_[width * g + l]},
                          Vec3{groups_[g].x[l], groups_[g].y[l], groups_[g].z[l]}, groups_[g].s[l]);
    }

    /// Adds the blocks (i, i) of rows [begin, end) to sums[0], …; whole slices, or the end of all.
    void add_diagonal(std::size_t begin, std::size_t end, std::span<Mat3> sums) const;
    /// y += A x for rows [begin, end); returns what that adds to x·y. Both are whole slices, or the end of
    /// all.
    double multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                         std::size_t end) const;

    /// What a product must read and write: the edges once, both vectors once.
    std::size_t product_bytes() const {
        return groups_.size() * (sizeof(Group) + sizeof(std::uint32_t)) + rows_ * 2 * sizeof(Vec3);
    }

    /// Of each lane, correctly rounded, as std::sqrt is; without its look at errno.
    static void square_roots(const Lanes& a, Lanes& roots) {
#ifdef __AVX__
        roots = _mm256_sqrt_pd(a);
#else
        for (std::size_t l = 0; l < width; ++l) roots[l] = std::sqrt(a[l]);
#endif
    }

    /// The vectors of the rows of a slice, by components.
    void own(std::size_t slice, std::span<const Vec3> v, Lanes& x, Lanes& y, Lanes& z) const {
        if (width * (slice + 1) <= rows_)
            load(&v[width * slice], x, y, z);
        else
            gather(v, last_, x, y, z);
    }
    /// Those of the other ends of a group.
    void other(std::size_t g, std::span<const Vec3> v, Lanes& x, Lanes& y, Lanes& z) const {
        if (start_[g] != none)
            load(&v[start_[g]], x, y, z);
        else
            gather(v, &others_[width * g], x, y, z);
    }

private:
    static void load(const Vec3* v, Lanes& x, Lanes& y, Lanes& z) {
        static_assert(sizeof(Vec3) == 3 * sizeof(double));
        Lanes a, b, c;  // x y z x, y z x y, z x y z
        std::memcpy(&a, v, sizeof a);
        std::memcpy(&b, reinterpret_cast<const char*>(v) + sizeof a, sizeof b);
        std::memcpy(&c, reinterpret_cast<const char*>(v) + 2 * sizeof a, sizeof c);
        x = Lanes{a[0], a[3], b[2], c[1]};
        y = Lanes{a[1], b[0], b[3], c[2]};
        z = Lanes{a[2], b[1], c[0], c[3]};
    }
    static void gather(std::span<const Vec3> v, const std::uint32_t* j, Lanes& x, Lanes& y, Lanes& z) {
        const Vec3 &a = v[j[0]], &b = v[j[1]], &c = v[j[2]], &d = v[j[3]];
        x = Lanes{a.x, b.x, c.x, d.x};
        y = Lanes{a.y, b.y, c.y, d.y};
        z = Lanes{a.z, b.z, c.z, d.z};
    }

    std::size_t rows_ = 0;
    std::uint32_t last_[width]{};  ///< the rows of the last slice, the last one again where it is not full
    std::vector<std::uint32_t> first_, others_, edges_;
    std::vector<std::uint32_t> start_;  ///< of each group: the first of four others side by side, or none
    std::vector<Group> groups_;
};

}  // namespace plush
