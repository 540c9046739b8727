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

Mat3Packs polar_rotations(const Mat3Packs& a) {
    const auto found = polar_kernel::nearest_rotation(columns(a));
    const Column<Pack>&c0 = found.rotation.c0, &c1 = found.rotation.c1, &c2 = found.rotation.c2;
    Mat3Packs r{{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}};
    for (std::size_t k = 0; k < Pack::width; ++k)
        if (found.inside[k] == 0) {
            const Mat3 right = rotation_outside_closed_form(lane(a, k));
            for (std::size_t e = 0; e < 9; ++e) r.m[e].lanes[k] = right(e / 3, e % 3);
        }
    return r;
}

void polar_rotations(const Mat3x8& a, Mat3x8& rotations) {
    for (std::size_t at = 0; at < Mat3x8::lanes; at += Pack::width) {
        const Mat3Packs r = polar_rotations(Mat3Packs::load(a, at));
        for (std::size_t e = 0; e < 9; ++e) r.m[e].store(&rotations.entry[e][at]);
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
