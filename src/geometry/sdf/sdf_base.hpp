#pragma once

#include "geometry/sdf/sdf_form.hpp"

// What the signed distances of this room know of themselves beyond the public interface, so that combinators
// can say honestly what they are.

namespace plush {

class KnownDistance : public SignedDistance {
public:
    /// The solid {value ≤ 0} is convex.
    virtual bool is_convex() const = 0;
    /// A box that holds {value ≤ level}, for level ≥ 0.
    virtual Box3 level_bounds(double level) const = 0;

    Box3 bounds() const override { return level_bounds(0); }

    /// What it was made of; null where nobody said so (distances that only exist to be meshed).
    const SdfForm* form() const { return form_.get(); }
    void set_form(SdfForm form) { form_ = std::make_shared<const SdfForm>(std::move(form)); }

private:
    std::shared_ptr<const SdfForm> form_;
};

/// Made by a function of namespace sdf, which can make it again of its form.
template <class Distance, class... Arguments>
Sdf with_form(SdfForm form, Arguments&&... arguments) {
    auto made = std::make_shared<Distance>(std::forward<Arguments>(arguments)...);
    made->set_form(std::move(form));
    return made;
}

/// The same questions of any signed distance; where a foreign one cannot answer, the cautious answer.
bool is_convex(const SignedDistance& d);
Box3 level_bounds(const SignedDistance& d, double level);

Box3 whole_space();

/// v / |v|, or the fallback (a unit vector) where v is too short or too long for |v|² to be a number.
inline Vec3 unit(const Vec3& v, const Vec3& fallback) {
    const double length = norm(v);
    return length > 1e-140 && length < HUGE_VAL ? v / length : fallback;
}

/// Throws an Error that names the signed distance where `ok` is false.
void require_distance(bool ok, const char* kind, const char* problem, const char* cure);

}  // namespace plush
