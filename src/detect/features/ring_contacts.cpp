#include "detect/features/ring_contacts.hpp"

#include <algorithm>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "core/tuning.hpp"

// A torus is a ball swept along a ring: with the other's distance φ the gap at an angle θ of the ring is φ(c(θ)) less the
// radius of the tube. It touches where that gap has a minimum, found from samples and by halving where the slope
// ∇φ·c′(θ) changes its sign. A ring that stands touches at one such point, which is fixed to the pose and not to the
// body, so that it rolls. A ring that lies needs support all round: samples that are far from every minimum are contacts
// too, and where the gap is the same all round within what counts as touching the samples alone are.

namespace plush {
namespace {

using Kind = ExactShape::Kind;

constexpr std::uint32_t first_minimum = 4096;  ///< names of minima; samples have smaller ones

class Ring {
public:
    Ring(const Body& torus, const Vec3& size, const Body& other, const Reach& reach, bool of_b,
         std::vector<PointHit>& hits)
        : other_(*other.distance()),
          to_other_(inverse(other.pose()) * torus.pose()),
          to_world_(other.pose()),
          ring_(size.x),
          tube_(size.y),
          reach_(reach),
          torus_motion_(torus.motion()),
          other_motion_(other.motion()),
          of_b_(of_b),
          hits_(hits) {}

    void find(double farthest) {
        const double spacing = 4 * std::numbers::pi * ring_ / tube_;  // half a radius of the tube
        const int n = std::clamp(static_cast<int>(std::ceil(spacing)), 24, 512);
        const double step = 2 * std::numbers::pi / n;
        std::vector<double> gaps(static_cast<std::size_t>(n));
        for (int i = 0; i < n; ++i) gaps[static_cast<std::size_t>(i)] = gap(step * i);
        const auto [low, high] = std::minmax_element(gaps.begin(), gaps.end());
        if (*low - step * ring_ > farthest) return;
        std::vector<double> minima;
        if (*high - *low > reach_.inset) find_minima(gaps, step, minima);
        for (std::size_t k = 0; k < minima.size(); ++k)
            add(first_minimum + static_cast<std::uint32_t>(k), minima[k]);
        for (int i = 0; i < n; ++i) {
            const bool far = std::all_of(minima.begin(), minima.end(), [&](double angle) {
                return pinned::cos(step * i - angle) < tuning::rim_arc;
            });
            if (far) add(static_cast<std::uint32_t>(i), step * i);
        }
    }

private:
    Vec3 centre(double angle) const {
        return to_other_ * Vec3{ring_ * pinned::cos(angle), 0, ring_ * pinned::sin(angle)};
    }
    double gap(double angle) const { return other_.value(centre(angle)) - tube_; }
    double slope(double angle) const {
        const Vec3 along{-pinned::sin(angle), 0, pinned::cos(angle)};
        return dot(other_.sample(centre(angle)).gradient, rotate(to_other_.rotation, along));
    }

    void find_minima(const std::vector<double>& gaps, double step, std::vector<double>& minima) const {
        const std::size_t n = gaps.size();
        for (std::size_t i = 0; i < n; ++i) {
            if (gaps[i] > gaps[(i + n - 1) % n] || gaps[i] >= gaps[(i + 1) % n]) continue;
            const double angle = step * static_cast<double>(i);
            double low = angle - step, high = angle + step;
            for (int k = 0; k < tuning::halvings; ++k) {
                const double middle = 0.5 * (low + high);
                (slope(middle) < 0 ? low : high) = middle;
            }
            minima.push_back(high);
        }
    }

    void add(std::uint32_t name, double angle) {
        const Vec3 p = centre(angle);
        const DistanceSample s = other_.sample(p);
        const double gap = s.value - tube_;
        const Vec3 outward = rotate(to_world_.rotation, s.gradient);
        const Vec3 position = to_world_ * (p - s.gradient * (tube_ + 0.5 * gap));
        if (gap > reach_.margin) {
            const double approach = dot(other_motion_.at(position) - torus_motion_.at(position), outward);
            if (gap > reach_.margin + reach_.step * std::max(approach, 0.0)) return;
        }
        hits_.push_back({name, of_b_, position, of_b_ ? -outward : outward, -gap});
    }

    const SignedDistance& other_;
    const Transform to_other_, to_world_;
    const double ring_, tube_;
    const Reach& reach_;
    const Motion torus_motion_, other_motion_;
    const bool of_b_;
    std::vector<PointHit>& hits_;
};

}  // namespace

void find_ring_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits) {
    const double farthest = reach.margin + reach.step * (norm(a.common_velocity() - b.common_velocity()) +
                                                         a.speed_spread() + b.speed_spread());
    // Balls against a distance find everything from one side, of two tori too.
    const ExactShape *sa = a.exact_shape(), *sb = b.exact_shape();
    if (sa && sa->kind == Kind::torus)
        Ring(a, sa->size, b, reach, false, hits).find(farthest);
    else if (sb && sb->kind == Kind::torus)
        Ring(b, sb->size, a, reach, true, hits).find(farthest);
}

}  // namespace plush
