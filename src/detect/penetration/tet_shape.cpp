#include "detect/penetration/tet_shape.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "geometry/tets/tet_topology.hpp"

namespace plush {
namespace {

using Edge = std::array<std::uint32_t, 2>;

std::vector<Edge> edges_of(std::span<const Tet> tets) {
    std::vector<Edge> edges;
    edges.reserve(6 * tets.size());
    for (const Tet& t : tets)
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) {
                const auto [a, b] = std::minmax(t[i], t[j]);
                edges.push_back({static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)});
            }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

// Faces that fold inward by no more than rounding are flat: a line through both crosses them at one place.
constexpr double flat = 1e-12;

/// An edge of a face, to be matched with the same edge of another.
struct Side {
    Edge edge;
    std::uint32_t face;
    int tip;  ///< the face's third vertex
};

std::vector<Side> sides_of(std::span<const Triangle> faces) {
    std::vector<Side> sides;
    for (std::size_t f = 0; f < faces.size(); ++f)
        for (std::size_t i = 0; i < 3; ++i) {
            const auto [a, b] = std::minmax(faces[f][i], faces[f][(i + 1) % 3]);
            sides.push_back({{static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(b)},
                             static_cast<std::uint32_t>(f),
                             faces[f][(i + 2) % 3]});
        }
    std::sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
        return a.edge != b.edge ? a.edge < b.edge : a.face < b.face;
    });
    return sides;
}

}  // namespace

TetShape::TetShape(std::span<const Vec3> rest, std::span<const Tet> tets)
    : tets_(tets.begin(), tets.end()),
      behind_(tet_neighbours(tets)),
      first_(rest.size() + 1, 0),
      on_surface_(rest.size(), 0) {
    for (std::size_t t = 0; t < tets_.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i) {
            if (behind_[t][i] >= 0) continue;
            behind_[t][i] = -1 - static_cast<int>(faces_.size());
            const auto& [a, b, c] = face_opposite[i];
            faces_.push_back({tets_[t][a], tets_[t][b], tets_[t][c]});
        }
    for (const Triangle& f : faces_)
        for (const int v : f) on_surface_[static_cast<std::size_t>(v)] = 1;

    const std::vector<Edge> edges = edges_of(tets);
    for (const auto& [a, b] : edges) {
        PLUSH_ASSERT(a < rest.size() && b < rest.size());
        ++first_[a + 1], ++first_[b + 1];
        mean_edge_ += norm(rest[a] - rest[b]) / static_cast<double>(edges.size());
    }
    for (std::size_t v = 0; v < rest.size(); ++v) first_[v + 1] += first_[v];
    around_.resize(2 * edges.size());
    PLUSH_ASSERT(first_.back() == around_.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    // Edges are sorted: a vertex gets its lower neighbours first, rising, and then its higher ones, rising.
    for (const auto& [a, b] : edges) around_[next[b]++] = a;
    for (const auto& [a, b] : edges) around_[next[a]++] = b;

    const std::vector<Side> sides = sides_of(faces_);
    bool manifold = sides.size() % 2 == 0;
    for (std::size_t s = 0; manifold && s < sides.size(); s += 2) {
        manifold = sides[s].edge == sides[s + 1].edge &&
                   (s + 2 == sides.size() || sides[s + 2].edge != sides[s].edge);
        hinges_.push_back({sides[s].face, sides[s + 1].tip});
    }
    // Euler's number of one closed surface without handles is 2; several pieces could only fake it with
    // handles, and those cannot be convex at every edge.
    const auto corners =
        static_cast<std::ptrdiff_t>(std::count(on_surface_.begin(), on_surface_.end(), std::uint8_t{1}));
    const auto euler =
        corners + static_cast<std::ptrdiff_t>(faces_.size()) - static_cast<std::ptrdiff_t>(sides.size() / 2);
    ball_ = manifold && euler == 2;
}

void TetShape::face_normals(std::span<const Vec3> x, std::vector<Vec3>& normals) const {
    PLUSH_ASSERT(x.size() == vertices());
    const auto at = [&](int v) -> const Vec3& { return x[static_cast<std::size_t>(v)]; };
    normals.resize(faces_.size());
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        const Vec3& a = at(faces_[f][0]);
        normals[f] = cross(at(faces_[f][1]) - a, at(faces_[f][2]) - a);
    }
}

bool TetShape::convex(std::span<const Vec3> x, std::span<const Vec3> face_normals) const {
    if (!ball_) return false;
    PLUSH_ASSERT(x.size() == vertices() && face_normals.size() == faces_.size());
    const auto at = [&](int v) -> const Vec3& { return x[static_cast<std::size_t>(v)]; };
    return std::all_of(hinges_.begin(), hinges_.end(), [&](const Hinge& hinge) {
        const Vec3& n = face_normals[hinge.face];
        const Vec3 arm = at(hinge.tip) - at(faces_[hinge.face][0]), size = times(abs(n), abs(arm));
        return dot(n, arm) <= flat * (size.x + size.y + size.z);
    });
}

void TetShape::vertex_normals(std::span<const Vec3> face_normals, std::span<Vec3> normals) const {
    PLUSH_ASSERT(face_normals.size() == faces_.size() && normals.size() == vertices());
    std::fill(normals.begin(), normals.end(), Vec3{});
    for (std::size_t f = 0; f < faces_.size(); ++f)
        for (const int v : faces_[f]) normals[static_cast<std::size_t>(v)] += face_normals[f];
    for (Vec3& n : normals) {
        const double length2 = norm2(n);
        if (length2 > 0) n *= 1 / std::sqrt(length2);
    }
}

}  // namespace plush
