#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/assert.hpp"
#include "detect/penetration/tet_shape.hpp"
#include "geometry/tets/tet_topology.hpp"

// A straight way from a point p in a tet out through the tets of its mesh, without a division.
//
// A face with corners a, b, c (seen from p, counter-clockwise from outside) is passed outward by the way d
// where all of d·(a × b), d·(b × c), d·(c × a) are positive: seen against d, the triangle goes round p. Of
// the first tet the six products of its corners are made once for all ways from p. Behind the face is a tet
// with one more corner e, and three signs say which of its other faces comes next:
//
//            b              d·(b × e) > 0 ≥ d·(a × e)    a b e: e takes the place of c
//          ╱ │ ╲            d·(c × e) > 0 ≥ d·(b × e)    b c e: that of a
//        ╱ p e   ╲          d·(a × e) > 0 ≥ d·(c × e)    c a e: that of b
//      a ───────── c
//
// Signs are kept from tet to tet, never made twice, so rounding cannot contradict itself: a, b, c go round
// p once, hence one of the three next triangles does, in tets turned inside out too.

namespace plush {

class TetWalk {
public:
    /// From p in tet t.
    TetWalk(const TetShape& shape, std::span<const Vec3> x, std::uint32_t t, const Vec3& p)
        : shape_(shape), x_(x), tet_(t), p_(p) {
        PLUSH_ASSERT(t < shape.tets().size() && x.size() == shape.vertices());
        for (std::size_t i = 0; i < 4; ++i) corner_[i] = at(shape.tets()[t][i]);
        for (std::size_t k = 0; k < pairs.size(); ++k) {
            const Vec3 n = cross(corner_[pairs[k][0]], corner_[pairs[k][1]]);
            nx_[k] = n.x, ny_[k] = n.y, nz_[k] = n.z;
        }
    }

    /// The outer face through which the way leaves. None where it goes through an edge or a corner, or for
    /// too long.
    std::optional<std::uint32_t> exit(const Vec3& way) const {
        constexpr int max_tets = 64;  // a longer walk goes in circles, or through a mesh far finer than it
        std::size_t i = first_face(way);
        if (i == 4) return {};
        std::array<Vec3, 3> corner;
        std::array<int, 3> vertex;
        for (std::size_t k = 0; k < 3; ++k) {
            corner[k] = corner_[face_opposite[i][k]];
            vertex[k] = shape_.tets()[tet_][face_opposite[i][k]];
        }
        std::size_t t = tet_;
        for (int step = 0; step < max_tets; ++step) {
            const int behind = shape_.behind(t, i);
            if (behind < 0) return static_cast<std::uint32_t>(-1 - behind);
            t = static_cast<std::size_t>(behind);
            const Tet& tet = shape_.tets()[t];
            // The corner that is not of the face, whatever its place.
            const int next = tet[0] ^ tet[1] ^ tet[2] ^ tet[3] ^ vertex[0] ^ vertex[1] ^ vertex[2];
            const Vec3 e = at(next), turned = cross(e, way);
            const std::size_t k = replaced[static_cast<std::size_t>((dot(corner[0], turned) > 0) +
                                                                    2 * (dot(corner[1], turned) > 0) +
                                                                    4 * (dot(corner[2], turned) > 0))];
            if (k == 3) return {};
            const int gone = vertex[k];
            i = static_cast<std::size_t>((tet[1] == gone) + 2 * (tet[2] == gone) + 3 * (tet[3] == gone));
            PLUSH_ASSERT(tet[i] == gone);
            corner[k] = e, vertex[k] = next;
        }
        return {};
    }

private:
    static constexpr std::array<std::array<std::size_t, 2>, 6> pairs{
        {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
    /// By the signs of a, b, c: the corner that e replaces; 3 where they say nothing.
    static constexpr std::array<std::uint8_t, 8> replaced{3, 1, 2, 1, 0, 0, 2, 3};
    /// By the signs of the six pairs: the face that is passed outward, or 4.
    static constexpr std::array<std::uint8_t, 64> first = [] {
        std::array<std::uint8_t, 64> faces{};
        for (unsigned bits = 0; bits < 64; ++bits) {
            const auto positive = [&](std::size_t a, std::size_t b) {
                for (std::size_t k = 0; k < pairs.size(); ++k) {
                    if (pairs[k][0] == a && pairs[k][1] == b) return (bits >> k & 1u) != 0;
                    if (pairs[k][0] == b && pairs[k][1] == a) return (bits >> k & 1u) == 0;
                }
                return false;
            };
            faces[bits] = 4;
            for (std::size_t i = 4; i-- > 0;) {
                const auto& [a, b, c] = face_opposite[i];
                if (positive(a, b) && positive(b, c) && positive(c, a))
                    faces[bits] = static_cast<std::uint8_t>(i);
            }
        }
        return faces;
    }();

    std::size_t first_face(const Vec3& way) const {
        std::size_t bits = 0;
        for (std::size_t k = 0; k < pairs.size(); ++k)
            bits |= static_cast<std::size_t>(nx_[k] * way.x + ny_[k] * way.y + nz_[k] * way.z > 0) << k;
        return first[bits];
    }
    Vec3 at(int vertex) const { return x_[static_cast<std::size_t>(vertex)] - p_; }

    const TetShape& shape_;
    std::span<const Vec3> x_;
    std::size_t tet_;
    Vec3 p_;
    std::array<Vec3, 4> corner_;
    std::array<double, 6> nx_, ny_, nz_;
};

}  // namespace plush
