#include "math/polar_batch.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "math/pack.hpp"
#include "math/polar.hpp"
#include "math/polar_kernel.hpp"

namespace plush {
namespace {

using polar_kernel::Column;
using polar_kernel::Columns;

Column<Pack> load_column(const Mat3x8& m, std::size_t j, std::size_t at) {
    return {Pack::load(&m.entry[j][at]), Pack::load(&m.entry[3 + j][at]), Pack::load(&m.entry[6 + j][at])};
}

void store_column(const Column<Pack>& c, std::size_t j, std::size_t at, Mat3x8& m) {
    c.x.store(&m.entry[j][at]), c.y.store(&m.entry[3 + j][at]), c.z.store(&m.entry[6 + j][at]);
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

void polar_rotations(const Mat3x8& a, Mat3x8& rotations) {
    Mat3x8 found;  // `rotations` may be `a` itself
    std::array<bool, Mat3x8::lanes> inside{};
    bool all = true;
    for (std::size_t at = 0; at < Mat3x8::lanes; at += Pack::width) {
        const auto pack = polar_kernel::nearest_rotation(
            Columns<Pack>{load_column(a, 0, at), load_column(a, 1, at), load_column(a, 2, at)});
        store_column(pack.rotation.c0, 0, at, found);
        store_column(pack.rotation.c1, 1, at, found);
        store_column(pack.rotation.c2, 2, at, found);
        for (std::size_t k = 0; k < Pack::width; ++k) {
            inside[at + k] = pack.inside[k] != 0;
            all = all && inside[at + k];
        }
    }
    if (!all)
        for (std::size_t k = 0; k < Mat3x8::lanes; ++k)
            if (!inside[k]) found.set_lane(k, rotation_outside_closed_form(a.lane(k)));
    rotations = found;
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
