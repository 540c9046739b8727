#include "bodies/elements/torsion_springs.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/transcendental.hpp"

namespace plush {
namespace {

constexpr double pi = 3.14159265358979323846;

/// A triangle whose height is below this fraction of its base has no angle: the gradient would be that many
/// times larger than that of a well-shaped one.
constexpr double flattest = 1e-6;

struct HingeShape {
    Vec3 e, na, nb;
    double e2, na2, nb2;
    bool defined;
};

HingeShape hinge_shape(const std::array<Vec3, 4>& p) {
    HingeShape h{};
    h.e = p[1] - p[0];
    h.na = cross(h.e, p[2] - p[0]);
    h.nb = cross(p[3] - p[0], h.e);
    h.e2 = norm2(h.e), h.na2 = norm2(h.na), h.nb2 = norm2(h.nb);
    const double least = flattest * flattest * h.e2 * h.e2;  // |N| = base × height
    h.defined = h.e2 > 0 && h.na2 > least && h.nb2 > least;
    return h;
}

double hinge_angle(const HingeShape& h) {
    return pinned::atan2(dot(cross(h.na, h.nb), h.e) / std::sqrt(h.e2), dot(h.na, h.nb));
}

}  // namespace

void HingeSprings::add(const Hinge& h) {
    PLUSH_ASSERT(h.left != h.right);
    append({h.edge_from, h.edge_to, h.left, h.right}, h.stiffness, h.damping);
    rest_.push_back(h.rest_angle);
}

double HingeSprings::angle(const std::array<Vec3, 4>& p) {
    const HingeShape h = hinge_shape(p);
    return h.defined ? hinge_angle(h) : 0.0;
}

Measure<4> HingeSprings::measure(std::size_t element, const std::array<Vec3, 4>& p) const {
    const HingeShape h = hinge_shape(p);
    if (!h.defined) return {};
    Measure<4> m;
    m.value = hinge_angle(h) - rest_[element];
    if (m.value > pi) m.value -= 2 * pi;
    if (m.value < -pi) m.value += 2 * pi;
    const double length = std::sqrt(h.e2);
    const Vec3 g2 = (-length / h.na2) * h.na, g3 = (-length / h.nb2) * h.nb;
    const double s2 = dot(p[2] - p[0], h.e) / h.e2, s3 = dot(p[3] - p[0], h.e) / h.e2;  // feet on the edge
    m.gradient = {-(1 - s2) * g2 - (1 - s3) * g3, -s2 * g2 - s3 * g3, g2, g3};
    return m;
}

struct AngleSprings::Tangents {
    std::array<Mat3, 3> jacobian{};  ///< ∂s/∂x_a, symmetric
    Vec3 s{}, direction{};           ///< direction is ŝ, zero where s is
    double length = 0;               ///< |s|
};

void AngleSprings::add(const AngleSpring& spring) {
    PLUSH_ASSERT(spring.a != spring.b && spring.b != spring.c);
    PLUSH_ASSERT(spring.stiffness >= 0 && spring.damping >= 0);
    vertices_.insert(vertices_.end(), {spring.a, spring.b, spring.c});
    rest_.push_back(2 * pinned::sin(0.5 * spring.rest_angle));
    stiffness_.push_back(spring.stiffness);
    damping_.push_back(spring.damping);
    incidence_ = {};
}

AngleSprings::Tangents AngleSprings::tangents(std::size_t s, std::span<const Vec3> x) const {
    const Vec3 u = x[vertices_[3 * s + 1]] - x[vertices_[3 * s]];
    const Vec3 w = x[vertices_[3 * s + 2]] - x[vertices_[3 * s + 1]];
    const double lu = norm(u), lw = norm(w);
    // An edge that is next to nothing beside the other has no direction that means anything.
    if (!(lu > flattest * lw) || !(lw > flattest * lu)) return {};
    const Vec3 tu = u / lu, tw = w / lw;
    const Mat3 pu = (Mat3::identity() - outer(tu, tu)) * (1 / lu);
    const Mat3 pw = (Mat3::identity() - outer(tw, tw)) * (1 / lw);
    Tangents t;
    t.jacobian = {pu, (pu + pw) * -1.0, pw};
    t.s = tw - tu;
    t.length = norm(t.s);
    if (t.length > 0) t.direction = t.s / t.length;
    return t;
}

void AngleSprings::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                              const Parallel& parallel) {
    PLUSH_ASSERT(v.size() == x.size() && f.size() == x.size());
    if (incidence_.empty() || incidence_.vertex_count() != x.size()) incidence_.build(x.size(), vertices_);
    scratch_.resize(vertices_.size());
    parallel.each(size(), elements_per_task, [&](std::size_t s) {
        const Tangents t = tangents(s, x);
        Vec3 rate{};  // ds/dt
        for (std::size_t a = 0; a < 3; ++a) rate += t.jacobian[a] * v[vertices_[3 * s + a]];
        const Vec3 pull = stiffness_[s] * (t.s - rest_[s] * t.direction) +
                          (damping_[s] * dot(t.direction, rate)) * t.direction;
        const Vec3 fa = -(t.jacobian[0] * pull), fc = -(t.jacobian[2] * pull);
        scratch_[3 * s] = fa, scratch_[3 * s + 1] = -(fa + fc), scratch_[3 * s + 2] = fc;
    });
    gather(incidence_, scratch_, f, parallel);
}

double AngleSprings::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t s = 0; s < size(); ++s) {
        const double c = tangents(s, x).length - rest_[s];
        sum += stiffness_[s] * c * c;
    }
    return 0.5 * sum;
}

void AngleSprings::add_pattern(BlockPattern& pattern) const {
    for (std::size_t s = 0; s < size(); ++s) pattern.add_all_pairs(std::span(vertices_).subspan(3 * s, 3));
}

void AngleSprings::bind(const BlockMatrix& matrix) {
    slots_.clear();
    for (std::size_t s = 0; s < size(); ++s)
        for (std::size_t a = 0; a < 3; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                slots_.push_back(matrix.slot(vertices_[3 * s + a], vertices_[3 * s + b]));
}

// K_ab = −J_a G J_b with the clamped stiffness G of a spring along s; leaves out how J turns, which is exact
// at rest, straight or bent.
void AngleSprings::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                   const Parallel&) {
    PLUSH_ASSERT(slots_.size() == 3 * vertices_.size());
    PLUSH_ASSERT(v.size() == x.size() && out.product.size() == x.size());
    for (std::size_t s = 0; s < size(); ++s) {
        const Tangents t = tangents(s, x);
        const double across =
            t.length > 0 ? std::max(0.0, 1 - rest_[s] / t.length) : (rest_[s] == 0 ? 1.0 : 0.0);
        const Mat3 along = outer(t.direction, t.direction);
        const Mat3 stiff = (Mat3::identity() * across + along * (1 - across)) * stiffness_[s];
        const Mat3 both = (stiff * out.k + along * (out.b * damping_[s])) * -1.0;
        Vec3 rate{};
        for (std::size_t a = 0; a < 3; ++a) rate += t.jacobian[a] * v[vertices_[3 * s + a]];
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t b = 0; b < 3; ++b)
                out.matrix.add(slots_[9 * s + 3 * a + b], t.jacobian[a] * (both * t.jacobian[b]));
            out.product[vertices_[3 * s + a]] -= t.jacobian[a] * (stiff * rate);
        }
    }
}

void AngleSprings::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    for (std::size_t s = 0; s < size(); ++s) {
        const double u = norm(x[vertices_[3 * s + 1]] - x[vertices_[3 * s]]);
        const double w = norm(x[vertices_[3 * s + 2]] - x[vertices_[3 * s + 1]]);
        if (!(u > flattest * w) || !(w > flattest * u)) continue;
        const std::array<double, 3> j{1 / u, 1 / u + 1 / w, 1 / w};  // bounds of |J_a|
        for (std::size_t a = 0; a < 3; ++a) {
            const double row = j[a] * (j[0] + j[1] + j[2]);
            bounds.k[vertices_[3 * s + a]] += stiffness_[s] * row;
            bounds.d[vertices_[3 * s + a]] += damping_[s] * row;
        }
    }
}

}  // namespace plush
