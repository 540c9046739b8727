#pragma once

#include <array>

#include "detect/penetration/crossing.hpp"
#include "math/pack.hpp"

// cross_face for as many edges at a time as a register holds, one in each lane, with the same operations in
// the same order: a lane has the bits of the scalar twin.

namespace plush {

struct PackVec3 {
    Pack x, y, z;

    static PackVec3 gather(const std::array<const Vec3*, Pack::width>& v) {
        PackVec3 r;
        for (std::size_t i = 0; i < Pack::width; ++i)
            r.x.lanes[i] = v[i]->x, r.y.lanes[i] = v[i]->y, r.z.lanes[i] = v[i]->z;
        return r;
    }
    friend PackVec3 operator+(const PackVec3& a, const PackVec3& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    friend PackVec3 operator-(const PackVec3& a, const PackVec3& b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    friend PackVec3 operator*(const PackVec3& a, const Pack& s) { return {a.x * s, a.y * s, a.z * s}; }
    friend Pack dot(const PackVec3& a, const PackVec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
    friend PackVec3 cross(const PackVec3& a, const PackVec3& b) {
        return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    }
};

struct PackCrossing {
    Pack::Mask hit;    ///< where cross_face would say so
    Pack t;            ///< at p + t (q − p); means nothing without a hit, as the weights
    PackVec3 weights;  ///< on the triangles' corners
};

inline PackCrossing cross_faces(const PackVec3& p, const PackVec3& q, const PackVec3& a, const PackVec3& b,
                                const PackVec3& c) {
    const PackVec3 d = q - p, ra = a - p, rb = b - p, rc = c - p;
    const Pack u = dot(d, cross(rb, rc)), v = dot(d, cross(rc, ra)), w = dot(d, cross(ra, rb));
    const Pack zero(0.0), one(1.0), sum = u + v + w;
    const Pack::Mask mixed = ((u < zero) | (v < zero) | (w < zero)) & ((u > zero) | (v > zero) | (w > zero));
    const PackVec3 n = cross(b - a, c - a);
    const Pack t = dot(n, ra) / dot(n, d), share = one / sum;
    const Pack::Mask within = (t.lanes >= zero.lanes) & (t.lanes <= one.lanes) & (sum.lanes != zero.lanes);
    return {within & ~mixed, t, {u * share, v * share, w * share}};
}

}  // namespace plush
