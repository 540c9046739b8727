#include "math/polar.hpp"

#include <array>

#include "math/polar_kernel.hpp"
#include "math/svd3.hpp"

// One function, four words. The engine's own, `automatic`, tries the kernel that the batch runs too
// (polar_kernel.hpp), which knows by itself whether its answer can be trusted, and leaves the rest to the
// SVD.

namespace plush {
namespace {

/// RᵀA, of which rounding left a skew part.
Mat3 stretch_of(const Mat3& rotation, const Mat3& a) {
    const Mat3 b = transpose(rotation) * a;
    return 0.5 * (b + transpose(b));
}

Mat3 raw_rotation(const Mat3& a, PolarMethod method) {
    switch (method) {
        case PolarMethod::newton:
            return rotation_by_newton(a);
        case PolarMethod::closed_form:
            return rotation_by_closed_form(a);
        default:
            return rotation_by_svd(a);
    }
}

Polar scaled_polar(const Mat3& matrix, PolarMethod method) {
    if (!is_finite(matrix)) return {};
    const int exponent = scale_exponent(matrix);
    const Mat3 a = scaled(matrix, -exponent);
    Mat3 rotation = raw_rotation(a, method);
    if (!is_finite(rotation)) rotation = Mat3::identity();
    // Scaled up last: an entry may become infinite, but never inf − inf.
    return {rotation, scaled(stretch_of(rotation, a), exponent)};
}

}  // namespace

Polar polar(const Mat3& a, PolarMethod method) {
    if (method != PolarMethod::automatic) return scaled_polar(a, method);
    const auto found = polar_kernel::nearest_rotation(polar_kernel::Columns<double>{
        {a(0, 0), a(1, 0), a(2, 0)}, {a(0, 1), a(1, 1), a(2, 1)}, {a(0, 2), a(1, 2), a(2, 2)}});
    if (!found.inside) return scaled_polar(a, PolarMethod::svd);
    const auto& [r0, r1, r2] = found.rotation;
    const Mat3 rotation{{Vec3{r0.x, r1.x, r2.x}, Vec3{r0.y, r1.y, r2.y}, Vec3{r0.z, r1.z, r2.z}}};
    return {rotation, stretch_of(rotation, a)};
}

Mat3 rotation_outside_closed_form(const Mat3& a) {
    return scaled_polar(a, PolarMethod::svd).rotation;
}

std::span<const PolarWord> polar_choices() {
    static constexpr std::array words{
        PolarWord{"automatic", "closed form with a Newton turn, else SVD", PolarMethod::automatic},
        PolarWord{"svd", "singular value decomposition", PolarMethod::svd},
        PolarWord{"newton", "Newton-Higham iteration", PolarMethod::newton},
        PolarWord{"closed_form", "closed form by the root of AᵀA", PolarMethod::closed_form},
    };
    return words;
}

}  // namespace plush
