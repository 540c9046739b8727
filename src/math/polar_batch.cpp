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

/// What the steps of the kernel leave to the next one.
struct Between {
    polar_kernel::Invariants<Pack> invariants;
    Pack trace;
};

Mat3 lane(const Mat3Packs& a, std::size_t k) {
    Mat3 m;
    for (std::size_t e = 0; e < 9; ++e) m(e / 3, e % 3) = a.m[e].lanes[k];
    return m;
}

/// By the scalar route where the kernel's answer cannot be used.
void repair(const Mat3Packs& a, const Pack::Mask& inside, Mat3Packs& rotation) {
    for (std::size_t k = 0; k < Pack::width; ++k) {
        if (inside[k] != 0) continue;
        const Mat3 right = rotation_outside_closed_form(lane(a, k));
        for (std::size_t e = 0; e < 9; ++e) rotation.m[e].lanes[k] = right(e / 3, e % 3);
    }
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

// The trace of a stretch is a chain of roots and quotients that each wait for the one before. So all packs go
// through each step before the next: several chains are then under way at a time.
void polar_rotations(std::span<const Mat3Packs> a, std::span<Mat3Packs> rotations) {
    PLUSH_ASSERT(a.size() == rotations.size());
    constexpr std::size_t at_once = 8;
    Between between[at_once];
    for (std::size_t begin = 0; begin < a.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, a.size() - begin);
        for (std::size_t p = 0; p < count; ++p) between[p].invariants = invariants(columns(a[begin + p]));
        for (std::size_t p = 0; p < count; ++p) {
            const auto& [i, ii, d] = between[p].invariants;
            between[p].trace = polar_kernel::trace_of_stretch(i, ii, d);
        }
        for (std::size_t p = 0; p < count; ++p) {
            const Mat3Packs from = a[begin + p];
            const auto found = rotation_of_trace(columns(from), between[p].invariants, between[p].trace);
            const Column<Pack>&c0 = found.rotation.c0, &c1 = found.rotation.c1, &c2 = found.rotation.c2;
            rotations[begin + p] = {{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}};
            if (!all(found.inside)) [[unlikely]]
                repair(from, found.inside, rotations[begin + p]);
        }
    }
}

void polar_rotations(const Mat3x8& a, Mat3x8& rotations) {
    constexpr std::size_t width = Pack::width, count = Mat3x8::lanes / width;
    Mat3Packs packs[count];
    for (std::size_t p = 0; p < count; ++p) packs[p] = Mat3Packs::load(a, p * width);
    polar_rotations(packs, packs);
    for (std::size_t p = 0; p < count; ++p)
        for (std::size_t e = 0; e < 9; ++e) packs[p].m[e].store(&rotations.entry[e][p * width]);
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
