#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "geometry/cutting/cut_skin.hpp"
#include "geometry/mesh/topology.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// What tests of cuts ask of surfaces, tets and skins.

namespace plush::test {

inline double volume_of(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    double sum = 0;
    for (const Triangle& t : triangles) {
        const auto p = [&](std::size_t i) { return x[static_cast<std::size_t>(t[i])]; };
        sum += dot(cross(p(0), p(1)), p(2)) / 6;
    }
    return sum;
}

/// Edges that are not shared by two triangles, once in each direction.
inline int open_edges(std::span<const Triangle> triangles) {
    std::map<std::pair<int, int>, int> count;
    for (const Triangle& t : triangles)
        for (std::size_t c = 0; c < 3; ++c) ++count[{t[c], t[(c + 1) % 3]}];
    int open = 0;
    for (const auto& [edge, n] : count) {
        const auto back = count.find({edge.second, edge.first});
        open += n != 1 || back == count.end() || back->second != 1;
    }
    return open;
}

/// Edges that triangles have more often in one direction than in the other. Where two slits in bare tets meet
/// at an edge it has four triangles.
inline int unpaired_edges(std::span<const Triangle> triangles) {
    std::map<std::pair<int, int>, int> count;
    for (const Triangle& t : triangles)
        for (std::size_t c = 0; c < 3; ++c) ++count[{t[c], t[(c + 1) % 3]}], --count[{t[(c + 1) % 3], t[c]}];
    int unpaired = 0;
    for (const auto& [edge, n] : count) unpaired += n != 0;
    return unpaired;
}

/// The volumes of the closed parts of a surface, rising.
inline std::vector<double> part_volumes(const Mesh& mesh) {
    const EdgeTable edges(mesh.positions().size(), mesh.triangles());
    const Components parts = connected_components(mesh.triangles(), edges);
    std::vector<std::vector<Triangle>> of(static_cast<std::size_t>(parts.count()));
    for (std::size_t t = 0; t < mesh.triangles().size(); ++t)
        of[static_cast<std::size_t>(parts.of_triangle[t])].push_back(mesh.triangles()[t]);
    std::vector<double> volumes;
    for (const auto& triangles : of) volumes.push_back(volume_of(mesh.positions(), triangles));
    std::sort(volumes.begin(), volumes.end());
    return volumes;
}

/// A plate far larger than anything here, through `point` with this normal.
inline BladeSheet plane(const Vec3& point, const Vec3& normal) {
    const Vec3 n = normal / norm(normal);
    const Vec3 a = cross(n, std::abs(n.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), b = cross(n, a);
    return {{point - 50 * a - 50 * b, point + 50 * a - 50 * b}, 100 * b};
}

inline std::vector<Vec3> rest_of(const CutSolid& solid) {
    const TetMesh tets = solid.tets();
    return {tets.positions().begin(), tets.positions().end()};
}

inline Mesh surface_of(const CutSolid& solid) {
    Embedding weights;
    return solid.surface(weights);
}

inline CutOutcome cut(CutSolid& solid, const BladeSheet& blade) {
    CutStroke stroke;
    return solid.cut(blade, rest_of(solid), stroke);
}

inline void expect_sound(const CutSolid& solid, double volume) {
    EXPECT_TRUE(solid.sound());
    const Mesh surface = surface_of(solid);
    EXPECT_EQ(open_edges(surface.triangles()), 0);
    EXPECT_NEAR(volume_of(surface.positions(), surface.triangles()), volume, 1e-12 * volume);
    const auto parts = solid.vertex_volumes();
    EXPECT_NEAR(std::accumulate(parts.begin(), parts.end(), 0.0), volume, 1e-12 * volume);
    for (const double v : parts) EXPECT_GT(v, 0);
    for (const double s : solid.shares()) {
        EXPECT_GT(s, 0);
        EXPECT_LE(s, 1 + 1e-12);
    }
}

/// A shape with a detailed skin in a cage of tets.
struct Skinned {
    TetMesh tets;
    Mesh skin;
    CutSolid solid;
    CutSkin cut;
    std::vector<Vec3> x;

    explicit Skinned(const char* shape, int triangles = 2000)
        : Skinned(generate({.shape = shape, .triangles = triangles}).value()) {}
    explicit Skinned(Mesh surface, int cells = 8) : skin(std::move(surface)) {
        tets = tetrahedralise(skin, {.cells_across = cells});
        solid = CutSolid(tets);
        cut = CutSkin(skin, Embedding::in_tets(tets, skin.positions()).value(), tets);
        x.assign(tets.positions().begin(), tets.positions().end());
    }
    double volume() const { return volume_of(skin.positions(), skin.triangles()); }
    std::size_t through(const BladeSheet& blade) {
        CutStroke stroke;
        return through(blade, stroke);
    }
    std::size_t through(const BladeSheet& blade, CutStroke& stroke) {
        const CutOutcome outcome = cut.cut(solid, blade, x, stroke);
        std::vector<Vec3> after;
        for (const std::uint32_t v : outcome.vertex_parents) after.push_back(x[v]);
        if (outcome.cuts > 0) x = after;
        return outcome.cuts;
    }
    Mesh surface() const {
        Embedding weights;
        return cut.surface(solid, weights);
    }
    /// Where x is.
    Mesh placed() const {
        Embedding weights;
        const Mesh rest = cut.surface(solid, weights);
        std::vector<Vec3> y(weights.size());
        for (std::size_t p = 0; p < y.size(); ++p)
            for (const Embedding::Entry& e : weights.row(p)) y[p] += e.weight * x[e.vertex];
        return Mesh(std::move(y), {rest.triangles().begin(), rest.triangles().end()});
    }
    void expect_sound(double volume) const {
        EXPECT_EQ(solid.pieces(), cut.pieces(solid));  // nothing comes off without a skin
        EXPECT_TRUE(solid.sound());
        EXPECT_TRUE(cut.sound(solid));
        const Mesh mesh = surface();
        EXPECT_EQ(open_edges(mesh.triangles()), 0);
        EXPECT_NEAR(volume_of(mesh.positions(), mesh.triangles()), volume, 1e-9 * volume);
    }
};

}  // namespace plush::test
