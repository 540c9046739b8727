#include <algorithm>

#include "geometry/sdf/sdf_base.hpp"

// Signed distances in closed form. All are exact, inside and outside, and their gradient is a unit vector
// everywhere: where several surface points are equally near (a centre, an axis, the medial planes of a box)
// one of the directions to them is taken, always the same.

namespace plush {
namespace {

using Kind = SdfForm::Kind;

constexpr const char* radius_problem = "the radius is not above zero";
constexpr const char* radius_cure = "give a radius above 0 m";

bool positive(double x) {
    return x > 0 && x < HUGE_VAL;
}

/// Exact primitives: the level set at distance d lies within d of the solid.
class Primitive : public KnownDistance {
public:
    Primitive(const Box3& bounds, bool convex) : bounds_(bounds), convex_(convex) {}
    Exactness exactness() const final { return Exactness::exact; }
    bool is_convex() const final { return convex_; }
    Box3 level_bounds(double level) const final { return bounds_.grown(level); }

private:
    Box3 bounds_;
    bool convex_;
};

// φ = (x − p)·n
class Plane final : public Primitive {
public:
    Plane(const Vec3& point, const Vec3& normal)
        : Primitive(half_space(point, normal), true), p_(point), n_(normal) {}
    DistanceSample sample(const Vec3& x) const override { return {dot(x - p_, n_), n_}; }

private:
    /// Bounded only where the plane stands square to an axis.
    static Box3 half_space(const Vec3& p, const Vec3& n) {
        Box3 box = whole_space();
        for (std::size_t i = 0; i < 3; ++i) {
            if (n[i] == 1) box.high[i] = p[i];
            if (n[i] == -1) box.low[i] = p[i];
        }
        return box;
    }
    Vec3 p_, n_;
};

// φ = |x − c| − r
class Sphere final : public Primitive {
public:
    Sphere(const Vec3& c, double r) : Primitive(Box3{c, c}.grown(r), true), c_(c), r_(r) {}
    DistanceSample sample(const Vec3& x) const override {
        const Vec3 d = x - c_;
        return {norm(d) - r_, unit(d, {0, 1, 0})};
    }

private:
    Vec3 c_;
    double r_;
};

// φ = |(x − p) − ((x − p)·n) n| − r. The same as √(|x−p|² − ((x−p)·n)²) − r without rounding; subtracting the
// vectors keeps the digits far along the axis.
class Cylinder final : public Primitive {
public:
    Cylinder(const Vec3& p, const Vec3& axis, double r)
        : Primitive(reach(p, axis, r), true), p_(p), n_(axis), side_(perpendicular(axis)), r_(r) {}
    DistanceSample sample(const Vec3& x) const override {
        const Vec3 d = x - p_, away = d - dot(d, n_) * n_;
        return {norm(away) - r_, unit(away, side_)};
    }

private:
    /// Bounded across the axes that the cylinder's own axis is square to.
    static Box3 reach(const Vec3& p, const Vec3& n, double r) {
        Box3 box = whole_space();
        for (std::size_t i = 0; i < 3; ++i)
            if (n[i] == 0) box.low[i] = p[i] - r, box.high[i] = p[i] + r;
        return box;
    }
    Vec3 p_, n_, side_;
    double r_;
};

/// The exact distance to a box in any number of dimensions, from q = |x| − half: outside |max(q, 0)|, inside
/// the largest of q. In 3D it is the box; in (radius, height) the capped cylinder.
DistanceSample box_distance(const Vec3& q, const Vec3& sign) {
    const Vec3 beyond = max(q, Vec3{});
    const double outside = norm(beyond);
    if (outside > 1e-140) return {outside, times(unit(beyond, {1, 0, 0}), sign)};
    const std::size_t axis = q.x >= q.y && q.x >= q.z ? 0 : q.y >= q.z ? 1 : 2;
    Vec3 n{};
    n[axis] = sign[axis];
    return {q[axis], n};
}

class Box final : public Primitive {
public:
    explicit Box(const Vec3& half) : Primitive({-half, half}, true), half_(half) {}
    DistanceSample sample(const Vec3& x) const override {
        const auto sign = [](double v) { return v < 0 ? -1.0 : 1.0; };
        return box_distance(abs(x) - half_, {sign(x.x), sign(x.y), sign(x.z)});
    }

private:
    Vec3 half_;
};

class CappedCylinder final : public Primitive {
public:
    CappedCylinder(double r, double half)
        : Primitive({{-r, -half, -r}, {r, half, r}}, true), r_(r), half_(half) {}
    DistanceSample sample(const Vec3& x) const override {
        const Vec3 away{x.x, 0, x.z};
        const Vec3 out = unit(away, {1, 0, 0});
        const DistanceSample flat =
            box_distance({norm(away) - r_, std::abs(x.y) - half_, -HUGE_VAL}, {1, x.y < 0 ? -1.0 : 1.0, 1});
        return {flat.value, out * flat.gradient.x + Vec3{0, flat.gradient.y, 0}};
    }

private:
    double r_, half_;
};

// φ = |x − c| − r with c the point of the segment ab nearest to x.
class Capsule final : public Primitive {
public:
    Capsule(const Vec3& a, const Vec3& b, double r)
        : Primitive(Box3{min(a, b), max(a, b)}.grown(r), true),
          a_(a),
          ab_(b - a),
          length2_(norm2(b - a)),
          side_(perpendicular(unit(b - a, {0, 1, 0}))),
          r_(r) {}
    DistanceSample sample(const Vec3& x) const override {
        const double t = length2_ > 0 ? std::clamp(dot(x - a_, ab_) / length2_, 0.0, 1.0) : 0.0;
        const Vec3 d = x - (a_ + t * ab_);
        return {norm(d) - r_, unit(d, side_)};
    }

private:
    Vec3 a_, ab_;
    double length2_;
    Vec3 side_;
    double r_;
};

// φ = |x − c| − r with c the point of the ring nearest to x.
class Torus final : public Primitive {
public:
    Torus(double ring, double tube)
        : Primitive(Box3{{-ring, 0, -ring}, {ring, 0, ring}}.grown(tube), false), ring_(ring), tube_(tube) {}
    DistanceSample sample(const Vec3& x) const override {
        const Vec3 out = unit(Vec3{x.x, 0, x.z}, {1, 0, 0});
        const Vec3 d = x - ring_ * out;
        return {norm(d) - tube_, unit(d, {0, 1, 0})};
    }

private:
    double ring_, tube_;
};

}  // namespace

namespace sdf {

Sdf plane(const Vec3& point, const Vec3& normal) {
    require_distance(is_finite(point) && is_finite(normal) && norm(normal) > 0, "plane",
                     "the normal has no direction", "give a finite point and a normal that is not zero");
    return with_form<Plane>({Kind::plane, {point.x, point.y, point.z, normal.x, normal.y, normal.z}}, point,
                            normalised(normal));
}

Sdf sphere(const Vec3& centre, double radius) {
    require_distance(is_finite(centre) && positive(radius), "sphere", radius_problem, radius_cure);
    return with_form<Sphere>({Kind::sphere, {centre.x, centre.y, centre.z, radius}}, centre, radius);
}

Sdf cylinder(const Vec3& point, const Vec3& axis, double radius) {
    require_distance(is_finite(point) && is_finite(axis) && norm(axis) > 0, "cylinder",
                     "the axis has no direction", "give a finite point and an axis that is not zero");
    require_distance(positive(radius), "cylinder", radius_problem, radius_cure);
    return with_form<Cylinder>({Kind::cylinder, {point.x, point.y, point.z, axis.x, axis.y, axis.z, radius}},
                               point, normalised(axis), radius);
}

Sdf capped_cylinder(double radius, double half_height) {
    require_distance(positive(radius) && positive(half_height), "capped_cylinder", "a size is not above zero",
                     "give a radius and a half height above 0 m");
    return with_form<CappedCylinder>({Kind::capped_cylinder, {radius, half_height}}, radius, half_height);
}

Sdf box(const Vec3& half_size) {
    require_distance(positive(half_size.x) && positive(half_size.y) && positive(half_size.z), "box",
                     "a side is not above zero", "give three half sizes above 0 m");
    return with_form<Box>({Kind::box, {half_size.x, half_size.y, half_size.z}}, half_size);
}

Sdf capsule(const Vec3& a, const Vec3& b, double radius) {
    require_distance(is_finite(a) && is_finite(b) && positive(radius), "capsule", radius_problem,
                     radius_cure);
    return with_form<Capsule>({Kind::capsule, {a.x, a.y, a.z, b.x, b.y, b.z, radius}}, a, b, radius);
}

Sdf torus(double ring_radius, double tube_radius) {
    // A tube as thick as the ring would make the inside distance of the self-crossing part wrong.
    require_distance(positive(ring_radius) && positive(tube_radius) && tube_radius < ring_radius, "torus",
                     "the tube does not fit the ring", "take 0 < tube radius < ring radius, in m");
    return with_form<Torus>({Kind::torus, {ring_radius, tube_radius}}, ring_radius, tube_radius);
}

}  // namespace sdf
}  // namespace plush
