#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plush/geometry/mesh.hpp"

// Small meshes that tests damage on purpose, written out here so that a fault of the library's own generators
// cannot hide a fault of what is tested.

namespace plush::test {

struct Parts {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;

    Mesh mesh() const { return Mesh(positions, triangles); }
    int size() const { return static_cast<int>(triangles.size()); }
    const Vec3& corner(int triangle, std::size_t k) const {
        return positions[static_cast<std::size_t>(triangles[static_cast<std::size_t>(triangle)][k])];
    }
    void flip(std::size_t t) { std::swap(triangles[t][1], triangles[t][2]); }
    void flip_all() {
        for (std::size_t t = 0; t < triangles.size(); ++t) flip(t);
    }
    void add(const Parts& other) {
        const int offset = static_cast<int>(positions.size());
        positions.insert(positions.end(), other.positions.begin(), other.positions.end());
        for (const auto& [a, b, c] : other.triangles)
            triangles.push_back({a + offset, b + offset, c + offset});
    }
    Parts moved(const Vec3& by, double scale = 1) const {
        Parts result = *this;
        for (Vec3& p : result.positions) p = p * scale + by;
        return result;
    }
};

inline Parts tetrahedron() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
}

/// [0, 1]³.
inline Parts cube() {
    return {{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
            {{0, 2, 1},
             {0, 3, 2},
             {4, 5, 6},
             {4, 6, 7},
             {0, 1, 5},
             {0, 5, 4},
             {2, 3, 7},
             {2, 7, 6},
             {1, 2, 6},
             {1, 6, 5},
             {0, 4, 7},
             {0, 7, 3}}};
}

/// Each triangle becomes four.
inline Parts subdivided(const Parts& parts) {
    Parts result{parts.positions, {}};
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
        const auto [entry, is_new] =
            middles.insert({std::minmax(a, b), static_cast<int>(result.positions.size())});
        if (is_new)
            result.positions.push_back((parts.positions[static_cast<std::size_t>(a)] +
                                        parts.positions[static_cast<std::size_t>(b)]) *
                                       0.5);
        return entry->second;
    };
    for (const auto& [a, b, c] : parts.triangles) {
        const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
        result.triangles.insert(result.triangles.end(),
                                {{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}});
    }
    return result;
}

/// A unit sphere from the octahedron: 8·4ⁿ triangles.
inline Parts sphere(int levels) {
    Parts s{{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}},
            {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
    for (int level = 0; level < levels; ++level) {
        s = subdivided(s);
        for (Vec3& p : s.positions) p = normalised(p);
    }
    return s;
}

/// A ring of 4 × n quads, genus 1, about y.
inline Parts ring(int n) {
    Parts result;
    for (int i = 0; i < n; ++i) {
        const double angle = 2 * 3.141592653589793 * i / n;
        for (const auto& [r, y] : {std::pair{1.0, 0.0}, {2.0, 0.0}, {2.0, 1.0}, {1.0, 1.0}})
            result.positions.push_back({r * std::cos(angle), y, -r * std::sin(angle)});
        for (int k = 0; k < 4; ++k) {
            const int j = (i + 1) % n, l = (k + 1) % 4;
            const int a = 4 * i + k, b = 4 * i + l, c = 4 * j + l, d = 4 * j + k;
            result.triangles.insert(result.triangles.end(), {{a, d, c}, {a, c, b}});
        }
    }
    return result;
}

inline std::filesystem::path meshes() {
    return PLUSH_MESHES_DIR;
}

}  // namespace plush::test

#define PLUSH_NEED_MESHES()                                                  \
    if (!std::filesystem::exists(::plush::test::meshes()))                   \
    GTEST_SKIP() << "the real meshes are not at " << ::plush::test::meshes() \
                 << "; set PLUSH_TEST_MESHES when configuring"
