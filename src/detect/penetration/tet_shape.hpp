#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "plush/geometry/mesh.hpp"

// What penetration depth asks of a tet mesh beside the places of its vertices: made once, true for every
// pose.

namespace plush {

class TetShape {
public:
    TetShape(std::span<const Vec3> rest, std::span<const Tet> tets);
    explicit TetShape(const TetMesh& mesh) : TetShape(mesh.positions(), mesh.tets()) {}

    std::size_t vertices() const { return first_.size() - 1; }
    std::span<const Tet> tets() const { return tets_; }
    /// The outer faces, oriented outward for tets of positive volume, by vertices of the tet mesh.
    std::span<const Triangle> faces() const { return faces_; }
    /// What is behind the face opposite corner i of tet t: a tet, or −1 − f for the outer face f.
    int behind(std::size_t t, std::size_t i) const { return behind_[t][i]; }
    /// The vertices that share an edge with one, rising.
    std::span<const std::uint32_t> around(std::size_t vertex) const {
        PLUSH_ASSERT(vertex < vertices());
        return std::span(around_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }
    bool on_surface(std::size_t vertex) const { return on_surface_[vertex] != 0; }
    /// The mean length of the tets' edges at rest, m: the natural size of a cell.
    double mean_edge() const { return mean_edge_; }

    /// Twice the areas of its outer faces at x, along their outward normals.
    void face_normals(std::span<const Vec3> x, std::vector<Vec3>& normals) const;
    /// With those: whether its outer surface is locally convex, so that a straight line leaves it once. Flat
    /// edges are convex. Never true for surfaces of several pieces or with handles.
    bool convex(std::span<const Vec3> x, std::span<const Vec3> face_normals) const;
    /// With those: unit normals of the vertices of the outer surface, by area; zero elsewhere.
    void vertex_normals(std::span<const Vec3> face_normals, std::span<Vec3> normals) const;

private:
    std::vector<Tet> tets_;
    std::vector<std::array<int, 4>> behind_;
    std::vector<Triangle> faces_;
    std::vector<std::size_t> first_;
    std::vector<std::uint32_t> around_;
    std::vector<std::uint8_t> on_surface_;
    struct Hinge {
        std::uint32_t face;  ///< one of the two at an outer edge
        int tip;             ///< the other one's vertex that is not on the edge
    };
    std::vector<Hinge> hinges_;
    bool ball_ = false;  ///< one closed surface without handles
    double mean_edge_ = 0;
};

}  // namespace plush
