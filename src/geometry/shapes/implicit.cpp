#include "geometry/shapes/implicit.hpp"

#include <algorithm>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "geometry/sdf/sdf_base.hpp"
#include "plush/core/random.hpp"

// Soft shapes from melted parts.
//
// The blend of two distances a, b within a radius k is the parabola that leaves min(a, b) smoothly where |a −
// b| = k (I. Quilez, "smooth minimum", quadratic form):
//
//     m = min(a, b) − k h² / 4,     h = max(0, 1 − |a − b| / k)
//     ∇m = (1 − h/2) ∇(smaller) + h/2 ∇(larger)
//
// a convex mixture of the gradients, so a blend grows no faster than its parts do. Carving is the same upside
// down: max(a, −b) = −min(−a, b). A part whose box is farther than the value so far plus k (doubled, as the
// distances are approximate) changes nothing and is not asked.
//
// Ellipsoid: with q = p/r and g = p/r² (by axes), φ = |q| (|q| − 1) / |g|, first order exact at the surface.

namespace plush::implicit {
namespace {

DistanceSample mixed(const DistanceSample& a, const DistanceSample& b, double k) {
    const DistanceSample &low = a.value < b.value ? a : b, &high = a.value < b.value ? b : a;
    if (high.value - low.value >= k) return low;
    const double h = 1 - (high.value - low.value) / k;
    return {low.value - k * h * h / 4, low.gradient * (1 - h / 2) + high.gradient * (h / 2)};
}

DistanceSample negated(const DistanceSample& s) {
    return {-s.value, -s.gradient};
}

class Approximate : public SignedDistance {
public:
    Exactness exactness() const override { return Exactness::approximate; }
};

class Ellipsoid final : public Approximate {
public:
    Ellipsoid(const Vec3& centre, const Vec3& radii, const Quat& turn)
        : centre_(centre),
          radii_(radii),
          inverse_{1 / radii.x, 1 / radii.y, 1 / radii.z},
          axes_(to_matrix(turn)) {}
    DistanceSample sample(const Vec3& p) const override {
        const Vec3 q = times(transpose_times(axes_, p - centre_), inverse_), g = times(q, inverse_);
        const double k0 = norm(q), k1 = norm(g);
        // At the very centre the formula has no value; its limit lies between the radii.
        if (k1 < 1e-12) return {-std::min({radii_.x, radii_.y, radii_.z}), {0, 1, 0}};
        return {k0 * (k0 - 1) / k1, axes_ * (g / k1)};
    }
    Box3 bounds() const override {
        Vec3 half;
        for (std::size_t i = 0; i < 3; ++i) half[i] = norm(times(axes_.row[i], radii_));
        return {centre_ - half, centre_ + half};
    }

private:
    Vec3 centre_, radii_, inverse_;
    Mat3 axes_;
};

// The ball that is nearest to p, in the plane of p and the axis u: t along it, q away from it. The side of
// the cone has the normal (q, t) = (c, s), s = (ra − rb) / length; going back along it from p meets the axis
// at t − q s/c. That foot, held between the ends, is the centre of the ball that p sees.
//
//            p               The distance is |p − foot| less the radius of the ball there.
//           /
//     -----/--____
//     |   /       |
//     a--o--------b-- t
struct RollingBall {
    RollingBall(const Vec3& a_, double ra_, const Vec3& b, double rb)
        : a(a_),
          u(normalised(b - a_)),
          length(norm(b - a_)),
          ra(ra_),
          slope(length > 0 ? (rb - ra_) / length : 0) {
        // One end swallows the other where the slope is 1 or more: the larger ball alone is left.
        if (std::abs(slope) >= 1) {
            if (rb > ra) a = b, ra = rb;
            length = slope = 0;
        }
        lean = -slope / std::sqrt(1 - slope * slope);
    }
    Vec3 foot(const Vec3& p, double& radius) const {
        const Vec3 d = p - a;
        const double t = dot(d, u), q = std::sqrt(std::max(0.0, norm2(d) - t * t));
        const double along = std::clamp(t - q * lean, 0.0, length);
        radius = ra + slope * along;
        return a + u * along;
    }
    Box3 bounds() const {
        const double rb = ra + slope * length;
        const Vec3 b = a + u * length;
        Box3 box{a - Vec3{ra, ra, ra}, a + Vec3{ra, ra, ra}};
        box.add(Box3{b - Vec3{rb, rb, rb}, b + Vec3{rb, rb, rb}});
        return box;
    }
    Vec3 a, u;
    double length, ra, slope, lean;
};

/// Balls rolling one after another; the nearest counts. Exact outside.
class Tube final : public Approximate {
public:
    explicit Tube(std::vector<RollingBall> pieces) : pieces_(std::move(pieces)) {
        for (std::size_t first = 0; first < pieces_.size(); first += bunch) {
            Bunch b{{}, first, std::min(first + bunch, pieces_.size())};
            for (std::size_t i = b.first; i < b.last; ++i) b.box.add(pieces_[i].bounds());
            box_.add(b.box);
            bunches_.push_back(b);
        }
    }
    DistanceSample sample(const Vec3& p) const override {
        double best = HUGE_VAL, radius = 0;
        Vec3 centre;
        for (const Bunch& b : bunches_) {
            const double far2 = b.box.distance2(p);
            if (far2 > 0 && (best < 0 || far2 >= best * best)) continue;
            for (std::size_t i = b.first; i < b.last; ++i) {
                const Vec3 foot = pieces_[i].foot(p, radius);
                if (const double d = norm(p - foot) - radius; d < best) best = d, centre = foot;
            }
        }
        return {best, unit(p - centre, {0, 1, 0})};
    }
    Box3 bounds() const override { return box_; }

private:
    static constexpr std::size_t bunch = 6;  // pieces under one box
    struct Bunch {
        Box3 box;
        std::size_t first, last;
    };
    std::vector<RollingBall> pieces_;
    std::vector<Bunch> bunches_;
    Box3 box_;
};

class Displaced final : public Approximate {
public:
    Displaced(Sdf shape, Waves waves, double height, Sdf where, double fade)
        : shape_(std::move(shape)),
          waves_(std::move(waves)),
          height_(height),
          where_(std::move(where)),
          fade_(fade) {}
    // The change of the fading strength is left out of the gradient: it is gentle by design.
    DistanceSample sample(const Vec3& p) const override {
        DistanceSample s = shape_->sample(p);
        if (std::abs(s.value) > 4 * height_) return s;  // the waves reach about 2 heights
        const double t = std::clamp(-where_->value(p) / fade_, 0.0, 1.0),
                     strength = height_ * t * t * (3 - 2 * t);
        if (strength == 0) return s;
        const DistanceSample w = waves_.sample(p);
        return {s.value - strength * w.value, s.gradient - w.gradient * strength};
    }
    Box3 bounds() const override { return shape_->bounds().grown(2 * height_); }

private:
    Sdf shape_;
    Waves waves_;
    double height_;
    Sdf where_;
    double fade_;
};

class Melted final : public Approximate {
public:
    explicit Melted(std::vector<Blend::Part> parts) : parts_(std::move(parts)) {
        for (const Blend::Part& part : parts_)
            if (!part.carves) box_.add(part.box.grown(part.radius / 4));
    }
    DistanceSample sample(const Vec3& p) const override {
        DistanceSample s = parts_[0].shape->sample(p);
        for (std::size_t i = 1; i < parts_.size(); ++i) {
            const Blend::Part& part = parts_[i];
            const double reach = (part.carves ? -s.value : s.value) + part.radius;
            const double far2 = part.box.distance2(p);
            if (far2 > 0 && (reach < 0 || far2 > 4 * reach * reach)) continue;
            const DistanceSample other = part.shape->sample(p);
            s = part.carves ? negated(mixed(negated(s), other, part.radius)) : mixed(s, other, part.radius);
        }
        return s;
    }
    Box3 bounds() const override { return box_; }

private:
    std::vector<Blend::Part> parts_;
    Box3 box_;
};

Vec3 catmull_rom(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, double t) {
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * (t * t) +
                  (3 * b - a - 3 * c + d) * (t * t * t));
}

}  // namespace

Sdf ellipsoid(const Vec3& centre, const Vec3& radii, const Quat& turn) {
    return std::make_shared<Ellipsoid>(centre, radii, turn);
}

Sdf round_cone(const Vec3& a, double radius_a, const Vec3& b, double radius_b) {
    return std::make_shared<Tube>(std::vector{RollingBall(a, radius_a, b, radius_b)});
}

Sdf tube(const std::vector<Station>& s) {
    PLUSH_ASSERT(s.size() >= 2);
    constexpr int cuts =
        6;  // pieces between two stations: the bends of the shapes here show no corners with six
    const auto at = [&](std::size_t i, int step) {
        const std::size_t last = s.size() - 1;
        const Station &a = s[i == 0 ? 0 : i - 1], &b = s[i], &c = s[std::min(i + 1, last)],
                      &d = s[std::min(i + 2, last)];
        const double t = static_cast<double>(step) / cuts;
        // Radii go straight: an overshooting curve could make one negative.
        return Station{catmull_rom(a.at, b.at, c.at, d.at, t), b.radius + (c.radius - b.radius) * t};
    };
    std::vector<RollingBall> pieces;
    for (std::size_t i = 0; i + 1 < s.size(); ++i)
        for (int step = 0; step < cuts; ++step) {
            const Station from = at(i, step), to = at(i, step + 1);
            pieces.emplace_back(from.at, from.radius, to.at, to.radius);
        }
    return std::make_shared<Tube>(std::move(pieces));
}

Waves::Waves(double wavelength, std::uint64_t seed) {
    Random random(seed);
    constexpr double turn = 2 * std::numbers::pi;
    for (int i = 0; i < 12; ++i) {  // with a dozen no pattern of straight crests is left
        const double z = random.uniform(-1, 1), a = random.uniform(0, turn), r = std::sqrt(1 - z * z);
        waves_.push_back(
            {Vec3{r * pinned::cos(a), r * pinned::sin(a), z} * (turn / wavelength), random.uniform(0, turn)});
    }
}

DistanceSample Waves::sample(const Vec3& p) const {
    DistanceSample sum{0, {}};
    for (const Wave& wave : waves_) {
        const double a = dot(wave.w, p) + wave.phase;
        sum.value += pinned::sin(a);
        sum.gradient += wave.w * pinned::cos(a);
    }
    // n waves of random phase have the variance n/2; twice the standard deviation becomes about 1.
    const double scale = 1 / std::sqrt(2.0 * static_cast<double>(waves_.size()));
    return {sum.value * scale, sum.gradient * scale};
}

Sdf displaced(Sdf shape, Waves waves, double height, Sdf where, double fade) {
    return std::make_shared<Displaced>(std::move(shape), std::move(waves), height, std::move(where), fade);
}

Sdf Blend::done() && {
    PLUSH_ASSERT(!parts_.empty() && !parts_[0].carves);
    return std::make_shared<Melted>(std::move(parts_));
}

}  // namespace plush::implicit
