#include "geometry/mesh/predicates.hpp"

#include <algorithm>

#include "geometry/mesh/expansion.hpp"

namespace plush {
namespace {

constexpr double ulp = 0x1p-53;  // the relative error of one rounding

// Shewchuk's bounds A: the factor times the determinant's sum of absolute products exceeds its rounding
// error.
constexpr double bound2 = (3 + 16 * ulp) * ulp;
constexpr double bound3 = (7 + 56 * ulp) * ulp;

int sign(double x) {
    return (x > 0) - (x < 0);
}

// a·d − b·c of exact differences.
Expansion<16> determinant2(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c,
                           const Expansion<2>& d) {
    return sum(product(a, d), negative(product(b, c)));
}

[[gnu::noinline]] int exact_orient2d(double ax, double ay, double bx, double by, double cx, double cy) {
    return determinant2(difference(bx, ax), difference(by, ay), difference(cx, ax), difference(cy, ay))
        .sign();
}

[[gnu::noinline]] int exact_orient3d_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1,
                                           const Vec3& p) {
    const auto ux = difference(a1.x, a0.x), uy = difference(a1.y, a0.y), uz = difference(a1.z, a0.z);
    const auto vx = difference(b1.x, b0.x), vy = difference(b1.y, b0.y), vz = difference(b1.z, b0.z);
    const auto wx = difference(p.x, a0.x), wy = difference(p.y, a0.y), wz = difference(p.z, a0.z);
    const auto x = product(determinant2(vy, vz, wy, wz), ux);
    const auto y = product(determinant2(vz, vx, wz, wx), uy);
    const auto z = product(determinant2(vx, vy, wx, wy), uz);
    return sum(sum(x, y), z).sign();
}

}  // namespace

int orient3d_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1, const Vec3& p) {
    const Vec3 u = a1 - a0, v = b1 - b0, w = p - a0;
    const double vywz = v.y * w.z, vzwy = v.z * w.y, vzwx = v.z * w.x, vxwz = v.x * w.z, vxwy = v.x * w.y,
                 vywx = v.y * w.x;
    const double det = u.x * (vywz - vzwy) + u.y * (vzwx - vxwz) + u.z * (vxwy - vywx);
    const double size = (std::abs(vywz) + std::abs(vzwy)) * std::abs(u.x) +
                        (std::abs(vzwx) + std::abs(vxwz)) * std::abs(u.y) +
                        (std::abs(vxwy) + std::abs(vywx)) * std::abs(u.z);
    if (std::abs(det) > bound3 * size) return sign(det);
    return exact_orient3d_edges(a0, a1, b0, b1, p);
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    return orient3d_edges(a, b, a, c, d);
}

int orient2d(const Vec3& a, const Vec3& b, const Vec3& c, std::size_t axis) {
    const std::size_t x = (axis + 1) % 3, y = (axis + 2) % 3;
    const double left = (b[x] - a[x]) * (c[y] - a[y]), right = (b[y] - a[y]) * (c[x] - a[x]);
    const double det = left - right;
    if (std::abs(det) > bound2 * (std::abs(left) + std::abs(right))) return sign(det);
    return exact_orient2d(a[x], a[y], b[x], b[y], c[x], c[y]);
}

bool collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
    return orient2d(a, b, c, 0) == 0 && orient2d(a, b, c, 1) == 0 && orient2d(a, b, c, 2) == 0;
}

std::vector<Vec3> in_predicate_range(std::span<const Vec3> positions) {
    constexpr double lowest = 0x1p-280, highest = 0x1p330;
    double largest = 0, smallest = HUGE_VAL;
    for (const Vec3& p : positions)
        for (std::size_t k = 0; k < 3; ++k) {
            const double x = std::abs(p[k]);
            largest = std::max(largest, x);
            if (x > 0) smallest = std::min(smallest, x);
        }
    std::vector<Vec3> result(positions.begin(), positions.end());
    if (!(largest > highest || smallest < lowest)) return result;
    int exponent = 0;
    std::frexp(largest, &exponent);
    const auto scaled = [&](double x) {
        const double y = std::ldexp(x, -exponent);
        return std::abs(y) < lowest ? 0 : y;
    };
    for (Vec3& p : result) p = {scaled(p.x), scaled(p.y), scaled(p.z)};
    return result;
}

}  // namespace plush
