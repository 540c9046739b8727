#include "math/svd3.hpp"

#include <limits>
#include <utility>

#include "core/assert.hpp"

// One-sided Jacobi (Hestenes, "Inversion of matrices by biorthogonalization and related results", 1958): turn
// pairs of columns of B = A V until all three are at right angles. Their lengths are then the singular values
// and their directions the left vectors,
//
//     A V = B = W Σ.
//
// It never forms AᵀA, so small singular values keep their digits: the smallest of a matrix of condition 10¹⁰
// is good to 10⁻⁶ of itself, where the square root of an eigenvalue of AᵀA would be noise.

namespace plush {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

struct Columns {
    std::array<Vec3, 3> b, v;

    /// A quarter turn: what stood at p now stands at q, and the other way with its sign turned.
    void exchange(std::size_t p, std::size_t q) {
        std::swap(b[p], b[q]), std::swap(v[p], v[q]);
        b[q] = -b[q], v[q] = -v[q];
    }

    /// Turns columns p and q to a right angle. False where they already are at one.
    bool turn(std::size_t p, std::size_t q) {
        const double alpha = norm2(b[p]), beta = norm2(b[q]), gamma = dot(b[p], b[q]);
        const double larger = alpha > beta ? alpha : beta;
        // The second bound: what is left of the smaller column along the larger is less than rounding made.
        if (std::abs(gamma) <= eps * std::sqrt(alpha * beta) || std::abs(gamma) <= 0.01 * eps * larger)
            return false;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (std::array<Vec3, 3>* m : {&b, &v}) {
            const Vec3 x = (*m)[p], y = (*m)[q];
            (*m)[p] = c * x - s * y;
            (*m)[q] = s * x + c * y;
        }
        return true;
    }
};

/// c / |c| at a right angle to the unit vector n; any such vector where c is nothing beside `size`.
Vec3 unit_across(const Vec3& c, const Vec3& n, double size) {
    // Far below rounding, and far above where squares underflow.
    if (!(norm(c) > 1e-60 * size)) return perpendicular(n);
    const Vec3 u = normalised(c);
    return normalised(u - n * dot(n, u));  // again: the first time may have cancelled
}

}  // namespace

bool is_finite(const Mat3& a) {
    return is_finite(a.row[0]) && is_finite(a.row[1]) && is_finite(a.row[2]);
}

int scale_exponent(const Mat3& a) {
    const double largest = max_component(max(max(abs(a.row[0]), abs(a.row[1])), abs(a.row[2])));
    if (largest > 1e-40 && largest < 1e40) return 0;
    int exponent = 0;
    std::frexp(largest, &exponent);
    return exponent;
}

Mat3 scaled(const Mat3& a, int exponent) {
    if (exponent == 0) return a;
    Mat3 b = a;
    for (Vec3& r : b.row)
        r = {std::ldexp(r.x, exponent), std::ldexp(r.y, exponent), std::ldexp(r.z, exponent)};
    return b;
}

Svd3 svd3(const Mat3& matrix) {
    PLUSH_ASSERT(is_finite(matrix));
    const int exponent = scale_exponent(matrix);
    const Mat3 a = scaled(matrix, -exponent);
    Columns m{{a.column(0), a.column(1), a.column(2)}, {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}};
    // Four to six sweeps are usual, since convergence is quadratic; the limit only defines an end.
    constexpr int max_sweeps = 30;
    bool turned = true;
    for (int sweep = 0; turned && sweep < max_sweeps; ++sweep) {
        turned = m.turn(0, 1);
        turned |= m.turn(0, 2);
        turned |= m.turn(1, 2);
    }
    for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}})
        if (norm2(m.b[std::size_t(p)]) < norm2(m.b[std::size_t(q)]))
            m.exchange(std::size_t(p), std::size_t(q));

    Svd3 out;
    out.right = Mat3::columns(m.v[0], m.v[1], m.v[2]);
    const double first = norm(m.b[0]);
    if (!(first > 0)) return out;
    const Vec3 w0 = m.b[0] / first;
    const Vec3 w1 = unit_across(m.b[1] - w0 * dot(w0, m.b[1]), w0, first), w2 = cross(w0, w1);
    out.left = Mat3::columns(w0, w1, w2);
    out.sigma = {std::ldexp(first, exponent), std::ldexp(dot(w1, m.b[1]), exponent),
                 std::ldexp(dot(w2, m.b[2]), exponent)};
    return out;
}

}  // namespace plush
