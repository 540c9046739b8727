#include "math/polar_batch.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "math/polar.hpp"
#include "math/polar_kernel.hpp"

namespace plush {
namespace {

using polar_kernel::Column;
using polar_kernel::Columns;

Columns<Pack> columns(const Mat3Packs& a) {
    return {{a.m[0], a.m[3], a.m[6]}, {a.m[1], a.m[4], a.m[7]}, {a.m[2], a.m[5], a.m[8]}};
}

/// Two packs. The trace of a stretch is a chain of roots and quotients that each wait for the one before: two
/// chains side by side take little longer than one.
struct Two {
    Pack a, b;

    Two(const Pack& first, const Pack& second) : a(first), b(second) {}
    explicit Two(double value) : a(value), b(value) {}
    friend Two operator+(const Two& x, const Two& y) { return {x.a + y.a, x.b + y.b}; }
    friend Two operator-(const Two& x, const Two& y) { return {x.a - y.a, x.b - y.b}; }
    friend Two operator*(const Two& x, const Two& y) { return {x.a * y.a, x.b * y.b}; }
    friend Two operator/(const Two& x, const Two& y) { return {x.a / y.a, x.b / y.b}; }
};
Two square_root(const Two& x) {
    return {square_root(x.a), square_root(x.b)};
}
Two larger(const Two& x, const Two& y) {
    return {polar_kernel::larger(x.a, y.a), polar_kernel::larger(x.b, y.b)};
}
Two smaller(const Two& x, const Two& y) {
    return {polar_kernel::smaller(x.a, y.a), polar_kernel::smaller(x.b, y.b)};
}

Mat3 lane(const Mat3Packs& a, std::size_t k) {
    Mat3 m;
    for (std::size_t e = 0; e < 9; ++e) m(e / 3, e % 3) = a.m[e].lanes[k];
    return m;
}

}  // namespace

Mat3 Mat3x8::lane(std::size_t k) const {
    return {{Vec3{entry[0][k], entry[1][k], entry[2][k]}, Vec3{entry[3][k], entry[4][k], entry[5][k]},
             Vec3{entry[6][k], entry[7][k], entry[8][k]}}};
}

void Mat3x8::set_lane(std::size_t k, const Mat3& m) {
    for (std::size_t i = 0; i < 3; ++i) {
        entry[3 * i][k] = m.row[i].x;
        entry[3 * i + 1][k] = m.row[i].y;
        entry[3 * i + 2][k] = m.row[i].z;
    }
}

void polar_rotations(const Mat3Packs (&a)[2], Mat3Packs (&rotations)[2]) {
    const Columns<Pack> at[2] = {columns(a[0]), columns(a[1])};
    const polar_kernel::Invariants<Pack> of[2] = {invariants(at[0]), invariants(at[1])};
    const Two trace =
        polar_kernel::trace_of_stretch(Two(of[0].i, of[1].i), Two(of[0].ii, of[1].ii), Two(of[0].d, of[1].d));
    for (std::size_t p = 0; p < 2; ++p) {
        const auto found = rotation_of_trace(at[p], of[p], p == 0 ? trace.a : trace.b);
        const Column<Pack>&c0 = found.rotation.c0, &c1 = found.rotation.c1, &c2 = found.rotation.c2;
        rotations[p] = {{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}};
        for (std::size_t k = 0; k < Pack::width; ++k)
            if (found.inside[k] == 0) {
                const Mat3 right = rotation_outside_closed_form(lane(a[p], k));
                for (std::size_t e = 0; e < 9; ++e) rotations[p].m[e].lanes[k] = right(e / 3, e % 3);
            }
    }
}

void polar_rotations(const Mat3x8& a, Mat3x8& rotations) {
    constexpr std::size_t width = Pack::width;
    for (std::size_t at = 0; at < Mat3x8::lanes; at += 2 * width) {
        const Mat3Packs two[2] = {Mat3Packs::load(a, at), Mat3Packs::load(a, at + width)};
        Mat3Packs r[2];
        polar_rotations(two, r);
        for (std::size_t e = 0; e < 9; ++e)
            r[0].m[e].store(&rotations.entry[e][at]), r[1].m[e].store(&rotations.entry[e][at + width]);
    }
}

void polar_rotations(std::span<const Mat3> a, std::span<Mat3> rotations) {
    PLUSH_ASSERT(a.size() == rotations.size());
    constexpr std::size_t lanes = Mat3x8::lanes;
    for (std::size_t begin = 0; begin < a.size(); begin += lanes) {
        const std::size_t count = std::min(lanes, a.size() - begin);
        Mat3x8 batch;
        for (std::size_t k = 0; k < lanes; ++k)
            batch.set_lane(k, k < count ? a[begin + k] : Mat3::identity());
        polar_rotations(batch, batch);
        for (std::size_t k = 0; k < count; ++k) rotations[begin + k] = batch.lane(k);
    }
}

}  // namespace plush
