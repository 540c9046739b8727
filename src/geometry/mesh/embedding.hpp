#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

// A detailed surface embedded in coarse vertices: each of its points is a constant combination of a few
// vertices,
//
//     p = Σ w_j x_j,   Σ w_j = 1,   Σ w_j x_j = p at rest,
//
// so that any affine motion of the vertices is one of the surface, and a force f on p is w_j f on the
// vertices: the transposed map, which does the same work. There are two ways to the weights.
//
// in_tets: the barycentric weights in the tet that holds the point; of several, that in which it is deepest.
// A point outside takes those of the tet behind the nearest face of the mesh's boundary, extrapolated. Tets that are not
// connected may lie in one place, as the cages of two bones beside each other do: there it is said which piece of the tets
// a point belongs to (skin_pieces.hpp).
//
// in_points: moving least squares (Lancaster & Salkauskas 1981). Of the weights that satisfy the two
// conditions on the nearest vertices, those with the least Σ w_j²/θ_j, θ_j = (1 − r_j²/ρ²)² + 0.01 with the
// distance r_j and that of the farthest ρ:
//
//     w_j = θ_j (1, d_j)·λ,   Σ θ_j (1, d_j)(1, d_j)ᵀ λ = (1, 0),   d_j = x_j − p

namespace plush {

class Embedding {
public:
    struct Entry {
        std::uint32_t vertex = 0;
        double weight = 0;
    };

    Embedding() = default;
    /// An Error where a tet mesh is empty. `piece`: the piece of tets (tet_pieces()) that each point belongs to; empty: any.
    [[nodiscard]] static Result<Embedding> in_tets(const TetMesh& mesh, std::span<const Vec3> points,
                                                   std::span<const int> piece = {});
    /// An Error names the first point that the vertices cannot carry: all near ones lie in a plane, and it
    /// does not.
    [[nodiscard]] static Result<Embedding> in_points(std::span<const Vec3> vertices,
                                                     std::span<const Vec3> points);

    /// Of weights that are known; entries without weight are left out.
    [[nodiscard]] static Embedding of_rows(std::span<const std::array<Entry, 4>> rows);

    bool empty() const { return first_.size() <= 1; }
    std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
    std::span<const Entry> row(std::size_t point) const {
        return std::span(entries_).subspan(first_[point], first_[point + 1] - first_[point]);
    }

    /// Σ w_j x_j of one point.
    Vec3 at(std::size_t point, std::span<const Vec3> x) const {
        Vec3 p{};
        for (const Entry& e : row(point)) p += e.weight * x[e.vertex];
        return p;
    }
    void add_row(std::span<const Entry> row);
    /// out_i = Σ w_ij x_j.
    void apply(std::span<const Vec3> x, std::span<Vec3> out) const;
    /// out_j += Σ w_ij f_i.
    void add_transposed(std::span<const Vec3> f, std::span<Vec3> out) const;

private:
    std::vector<std::size_t> first_{0};
    std::vector<Entry> entries_;
};

/// Embeds in the same tets again and again.
class TetEmbedder {
public:
    /// The mesh has tets, and outlives it.
    explicit TetEmbedder(const TetMesh& mesh);
    ~TetEmbedder();
    static constexpr int any = -1;
    /// `piece`: the piece of tets that each point belongs to, or `any`; empty: any.
    [[nodiscard]] Embedding embed(std::span<const Vec3> points, std::span<const int> piece = {}) const;
    /// The piece of tets that a vertex belongs to; `any` where it is in no tet.
    int piece_of_vertex(std::uint32_t vertex) const;
    /// found(tet, piece) for every tet that holds the point.
    void holding(const Vec3& point, const std::function<void(int, int)>& found) const;

private:
    class Finder;
    std::unique_ptr<const Finder> finder_;
};

}  // namespace plush
