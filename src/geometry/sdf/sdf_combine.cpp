#include <algorithm>
#include <numbers>

#include "geometry/sdf/sdf_base.hpp"

// Combinators, and what becomes of exactness. Write d for the true distance to the combined solid's surface.
//
// intersection, max φᵢ. Inside all parts the nearest surface of any part is a surface of the intersection:
// exact.
//     Outside, the nearest point of the intersection lies in every part, so d ≥ max φᵢ: a lower bound (too
//     low beside sharp edges and where the nearest surface of one part lies outside another).
// union, min φᵢ. The mirror image (the complement of a union is the intersection of complements): exact
// outside,
//     a lower bound inside, where it falls to zero along surfaces that lie within another part. Parts whose
//     bounds do not meet keep exactness inside too.
// difference, max(φ_a, −φ_b): the intersection with a complement, a lower bound.
// rounded, φ − r. The solid is {φ ≤ r} by definition. Lower bounds here never grow faster than 1 per metre,
// so
//     |φ − r| stays below the distance to that level: a lower bound. Exact where the part is exact and
//     convex; in a concave corner the offset surface has a crease that the distances inside do not know of.
//
// Anything approximate stays approximate.

namespace plush {
namespace {

using Kind = SdfForm::Kind;

Exactness weakest(const std::vector<Sdf>& parts) {
    Exactness worst = Exactness::exact;
    for (const Sdf& part : parts) worst = std::max(worst, part->exactness());
    return worst;
}

/// Max or min is at best a lower bound.
Exactness bound_at_best(Exactness e) {
    return std::max(e, Exactness::lower_bound);
}

double steepest(const std::vector<Sdf>& parts) {
    double steepest = 0;
    for (const Sdf& part : parts) steepest = std::max(steepest, part->steepness());
    return steepest;
}

class Intersection final : public KnownDistance {
public:
    explicit Intersection(std::vector<Sdf> parts)
        : parts_(std::move(parts)),
          exactness_(parts_.size() == 1 ? parts_[0]->exactness() : bound_at_best(weakest(parts_))) {}
    DistanceSample sample(const Vec3& p) const override {
        DistanceSample largest = parts_[0]->sample(p);
        for (std::size_t i = 1; i < parts_.size(); ++i)
            if (const DistanceSample s = parts_[i]->sample(p); s.value > largest.value) largest = s;
        return largest;
    }
    Exactness exactness() const override { return exactness_; }
    double steepness() const override { return steepest(parts_); }
    bool is_convex() const override {
        return std::all_of(parts_.begin(), parts_.end(), [](const Sdf& s) { return plush::is_convex(*s); });
    }
    Box3 level_bounds(double level) const override {
        Box3 box = whole_space();
        for (const Sdf& part : parts_) {
            const Box3 b = plush::level_bounds(*part, level);
            box = {max(box.low, b.low), min(box.high, b.high)};
        }
        return box;
    }

private:
    std::vector<Sdf> parts_;
    Exactness exactness_;
};

class Union final : public KnownDistance {
public:
    explicit Union(std::vector<Sdf> parts)
        : parts_(std::move(parts)), exactness_(apart() ? weakest(parts_) : bound_at_best(weakest(parts_))) {}
    DistanceSample sample(const Vec3& p) const override {
        DistanceSample smallest = parts_[0]->sample(p);
        for (std::size_t i = 1; i < parts_.size(); ++i)
            if (const DistanceSample s = parts_[i]->sample(p); s.value < smallest.value) smallest = s;
        return smallest;
    }
    Exactness exactness() const override { return exactness_; }
    double steepness() const override { return steepest(parts_); }
    bool is_convex() const override { return parts_.size() == 1 && plush::is_convex(*parts_[0]); }
    Box3 level_bounds(double level) const override {
        Box3 box;
        for (const Sdf& part : parts_) box.add(plush::level_bounds(*part, level));
        return box;
    }

private:
    bool apart() const {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                if (parts_[i]->bounds().overlaps(parts_[j]->bounds())) return false;
        return true;
    }
    std::vector<Sdf> parts_;
    Exactness exactness_;
};

class Difference final : public KnownDistance {
public:
    Difference(Sdf a, Sdf b) : a_(std::move(a)), b_(std::move(b)) {}
    DistanceSample sample(const Vec3& p) const override {
        const DistanceSample a = a_->sample(p), b = b_->sample(p);
        return a.value >= -b.value ? a : DistanceSample{-b.value, -b.gradient};
    }
    Exactness exactness() const override { return bound_at_best(std::max(a_->exactness(), b_->exactness())); }
    // What was inside b is outside now. Steepness speaks of the outside; the inside of a sampled distance
    // changes by at most a cell (and an eighth at the border) from node to node.
    double steepness() const override {
        const double inside = b_->exactness() == Exactness::approximate ? 1.125 * std::numbers::sqrt3 : 1;
        return std::max(a_->steepness(), inside);
    }
    bool is_convex() const override { return false; }
    Box3 level_bounds(double level) const override { return plush::level_bounds(*a_, level); }

private:
    Sdf a_, b_;
};

class Rounded final : public KnownDistance {
public:
    Rounded(Sdf a, double radius) : a_(std::move(a)), radius_(radius) {}
    DistanceSample sample(const Vec3& p) const override {
        const DistanceSample s = a_->sample(p);
        return {s.value - radius_, s.gradient};
    }
    double steepness() const override { return a_->steepness(); }
    Exactness exactness() const override {
        return plush::is_convex(*a_) || radius_ == 0 ? a_->exactness() : bound_at_best(a_->exactness());
    }
    // Only of an exact distance are all levels convex with the solid: a mitred corner is still convex,
    // though.
    bool is_convex() const override { return plush::is_convex(*a_); }
    Box3 level_bounds(double level) const override { return plush::level_bounds(*a_, level + radius_); }

private:
    Sdf a_;
    double radius_;
};

class Transformed final : public KnownDistance {
public:
    Transformed(Sdf a, const Transform& t) : a_(std::move(a)), to_world_(t), to_local_(inverse(t)) {}
    DistanceSample sample(const Vec3& p) const override {
        const DistanceSample s = a_->sample(to_local_ * p);
        return {s.value, rotate(to_world_.rotation, s.gradient)};
    }
    Exactness exactness() const override { return a_->exactness(); }
    double steepness() const override { return a_->steepness(); }
    bool is_convex() const override { return plush::is_convex(*a_); }
    // The turned box, axis by axis as intervals; 0 · ∞ counts as 0, for an axis that does not take part.
    Box3 level_bounds(double level) const override {
        const Box3 local = plush::level_bounds(*a_, level);
        if (local.empty()) return local;
        const Mat3 r = to_matrix(to_world_.rotation);
        Box3 box{to_world_.position, to_world_.position};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 3; ++j) {
                if (r(i, j) == 0) continue;
                const double a = r(i, j) * local.low[j], b = r(i, j) * local.high[j];
                box.low[i] += std::min(a, b), box.high[i] += std::max(a, b);
            }
        return box;
    }

private:
    Sdf a_;
    Transform to_world_, to_local_;
};

void require_parts(const std::vector<Sdf>& parts, const char* kind) {
    require_distance(!parts.empty(), kind, "it has no parts", "give at least one");
    for (const Sdf& part : parts)
        require_distance(part != nullptr, kind, "a part is null", "give every part");
}

}  // namespace

namespace sdf {

Sdf intersection(std::vector<Sdf> parts) {
    require_parts(parts, "intersection");
    SdfForm form{Kind::intersection, {}, parts};
    return with_form<Intersection>(std::move(form), std::move(parts));
}

Sdf union_of(std::vector<Sdf> parts) {
    require_parts(parts, "union");
    SdfForm form{Kind::union_of, {}, parts};
    return with_form<Union>(std::move(form), std::move(parts));
}

Sdf difference(Sdf a, Sdf b) {
    require_parts({a, b}, "difference");
    SdfForm form{Kind::difference, {}, {a, b}};
    return with_form<Difference>(std::move(form), std::move(a), std::move(b));
}

Sdf rounded(Sdf a, double radius) {
    require_parts({a}, "rounded");
    require_distance(radius >= 0 && radius < HUGE_VAL, "rounded", "the radius is negative or not finite",
                     "give a radius of at least 0 m");
    SdfForm form{Kind::rounded, {radius}, {a}};
    return with_form<Rounded>(std::move(form), std::move(a), radius);
}

Sdf transformed(Sdf a, const Transform& t) {
    require_parts({a}, "transformed");
    const Quat& q = t.rotation;
    require_distance(is_finite(t.position) && std::isfinite(q.w + q.x + q.y + q.z), "transformed",
                     "the transform is not finite", "give a finite position and rotation");
    SdfForm form{Kind::transformed, {t.position.x, t.position.y, t.position.z, q.w, q.x, q.y, q.z}, {a}};
    return with_form<Transformed>(std::move(form), std::move(a), Transform{t.position, normalised(q)});
}

}  // namespace sdf
}  // namespace plush
