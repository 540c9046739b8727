#include <vector>

#include "geometry/mesh/expansion.hpp"
#include "geometry/mesh/predicates.hpp"

// e is inside the sphere through a, b, c, d where, lifted to the paraboloid w = x² + y² + z², it lies below
// the plane through the lifted four. With A = a − e and so on, and [X Y Z] = X·(Y × Z), the sign is that of
//
//     |A|² [B C D] − |B|² [A C D] + |C|² [A B D] − |D|² [A B C].
//
// First in doubles with Shewchuk's bound A on the error; where that cannot decide, in expansions. Those grow
// to thousands of parts in the worst case, so they are vectors here; exact decisions are rare.

namespace plush {
namespace {

constexpr double ulp = 0x1p-53;
constexpr double bound = (16 + 224 * ulp) * ulp;

using Parts = std::vector<double>;  // as Expansion<N>, of any length

Parts difference_parts(double a, double b) {
    const Expansion<2> d = difference(a, b);
    return {d.part.begin(), d.part.begin() + static_cast<std::ptrdiff_t>(d.size)};
}

Parts operator+(const Parts& e, const Parts& f) {
    Parts h;
    h.reserve(e.size() + f.size());
    const auto push = [&](double x) {
        if (x != 0) h.push_back(x);
    };
    std::size_t i = 0, j = 0;
    double carry = 0;
    while (i < e.size() || j < f.size()) {
        const bool from_e = j == f.size() || (i < e.size() && std::abs(e[i]) < std::abs(f[j]));
        const Exact2 s = two_sum(carry, from_e ? e[i++] : f[j++]);
        push(s.error);
        carry = s.value;
    }
    push(carry);
    return h;
}

Parts operator-(const Parts& e, Parts f) {
    for (double& x : f) x = -x;
    return e + f;
}

Parts operator*(const Parts& e, double b) {
    Parts h;
    h.reserve(2 * e.size());
    double carry = 0;
    for (const double part : e) {
        const Exact2 p = two_product(part, b), low = two_sum(carry, p.error);
        if (low.error != 0) h.push_back(low.error);
        const Exact2 high = fast_two_sum(p.value, low.value);
        if (high.error != 0) h.push_back(high.error);
        carry = high.value;
    }
    if (carry != 0) h.push_back(carry);
    return h;
}

Parts operator*(const Parts& e, const Parts& f) {
    Parts h;
    for (const double part : f) h = h + e * part;
    return h;
}

struct ExactVec {
    Parts x, y, z;
    ExactVec(const Vec3& a, const Vec3& e)
        : x(difference_parts(a.x, e.x)), y(difference_parts(a.y, e.y)), z(difference_parts(a.z, e.z)) {}
};

Parts exact_norm2(const ExactVec& a) {
    return a.x * a.x + a.y * a.y + a.z * a.z;
}
Parts exact_triple(const ExactVec& a, const ExactVec& b, const ExactVec& c) {
    return (b.y * c.z - b.z * c.y) * a.x + (b.z * c.x - b.x * c.z) * a.y + (b.x * c.y - b.y * c.x) * a.z;
}

[[gnu::noinline]] int exact_insphere(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d,
                                     const Vec3& e) {
    const ExactVec p(a, e), q(b, e), r(c, e), s(d, e);
    const Parts sum = exact_triple(q, r, s) * exact_norm2(p) - exact_triple(p, r, s) * exact_norm2(q) +
                      (exact_triple(p, q, s) * exact_norm2(r) - exact_triple(p, q, r) * exact_norm2(s));
    return sum.empty() ? 0 : sum.back() > 0 ? 1 : -1;
}

}  // namespace

int insphere(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e) {
    const Vec3 p = a - e, q = b - e, r = c - e, s = d - e;
    // The minors of the x and y columns: each is a product that two of the triple products share.
    const auto minor = [](const Vec3& u, const Vec3& v) { return u.x * v.y - v.x * u.y; };
    const auto size = [](const Vec3& u, const Vec3& v) { return std::abs(u.x * v.y) + std::abs(v.x * u.y); };
    const double pq = minor(p, q), qr = minor(q, r), rs = minor(r, s), sp = minor(s, p), pr = minor(p, r),
                 qs = minor(q, s);
    const double pqr = p.z * qr - q.z * pr + r.z * pq, qrs = q.z * rs - r.z * qs + s.z * qr,
                 rsp = r.z * sp + s.z * pr + p.z * rs, spq = s.z * pq + p.z * qs + q.z * sp;
    const double pp = norm2(p), qq = norm2(q), rr = norm2(r), ss = norm2(s);
    // [q r s]|p|² − [p r s]|q|² + [p q s]|r|² − [p q r]|s|², with [p r s] = rsp and [p q s] = spq.
    const double det = (pp * qrs - qq * rsp) + (rr * spq - ss * pqr);

    const double apq = size(p, q), aqr = size(q, r), ars = size(r, s), asp = size(s, p), apr = size(p, r),
                 aqs = size(q, s);
    const double pz = std::abs(p.z), qz = std::abs(q.z), rz = std::abs(r.z), sz = std::abs(s.z);
    const double magnitude = (ars * qz + aqs * rz + aqr * sz) * pp + (asp * rz + apr * sz + ars * pz) * qq +
                             (apq * sz + aqs * pz + asp * qz) * rr + (aqr * pz + apr * qz + apq * rz) * ss;
    if (std::abs(det) > bound * magnitude) return det > 0 ? 1 : -1;
    return exact_insphere(a, b, c, d, e);
}

}  // namespace plush
