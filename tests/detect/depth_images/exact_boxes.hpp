#pragma once

#include <array>
#include <vector>

#include "plush/math/rotation.hpp"

// The exact overlap of two boxes in any pose, by clipping the faces of each by the planes of the other:
//
//     V = ⅓ ∮ p·n dA,   ∂V/∂x_a = ∫ n dA over the faces of a inside b,   and ∫ (p − c) × n dA.
//
// (Moving a by dx sweeps n·dx dA over every patch of its boundary that lies in b: Reynolds' theorem.)

namespace plush::test {

struct ExactOverlap {
    double volume = 0;
    Vec3 gradient{}, moment{};  ///< of a; the moment about the world's origin
};

struct PosedBox {
    Vec3 half{};
    Transform pose{};
};

using Polygon = std::vector<Vec3>;

inline Polygon clip(const Polygon& in, const Vec3& normal, double offset) {
    Polygon out;
    for (std::size_t i = 0; i < in.size(); ++i) {
        const Vec3 &p = in[i], &q = in[(i + 1) % in.size()];
        const double a = dot(normal, p) - offset, b = dot(normal, q) - offset;
        if (a <= 0) out.push_back(p);
        if ((a < 0 && b > 0) || (a > 0 && b < 0)) out.push_back(p + (q - p) * (a / (a - b)));
    }
    return out;
}

inline ExactOverlap exact_overlap(const PosedBox& a, const PosedBox& b) {
    ExactOverlap result;
    for (const bool of_a : {true, false}) {
        const PosedBox &mine = of_a ? a : b, &other = of_a ? b : a;
        for (std::size_t d = 0; d < 3; ++d)
            for (const double side : {-1.0, 1.0}) {
                const std::size_t u = (d + 1) % 3, v = (d + 2) % 3;
                Polygon face;
                for (const auto& [su, sv] :
                     std::array<std::array<double, 2>, 4>{{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}}) {
                    Vec3 p;
                    p[d] = side * mine.half[d], p[u] = side * su * mine.half[u], p[v] = sv * mine.half[v];
                    face.push_back(mine.pose * p);
                }
                for (std::size_t e = 0; e < 3; ++e)
                    for (const double s : {-1.0, 1.0}) {
                        Vec3 n;
                        n[e] = s;
                        const Vec3 normal = rotate(other.pose.rotation, n);
                        face = clip(face, normal, dot(normal, other.pose.position) + other.half[e]);
                    }
                for (std::size_t i = 1; i + 1 < face.size(); ++i) {
                    const Vec3 area = 0.5 * cross(face[i] - face[0], face[i + 1] - face[0]);
                    const Vec3 middle = (face[0] + face[i] + face[i + 1]) / 3;
                    result.volume += dot(middle, area) / 3;
                    if (of_a) result.gradient += area, result.moment += cross(middle, area);
                }
            }
    }
    return result;
}

}  // namespace plush::test
