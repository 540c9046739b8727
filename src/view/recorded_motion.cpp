#include "view/recorded_motion.hpp"

#include <algorithm>
#include <cmath>

#include "plush/math/rotation.hpp"

namespace plush::view {

namespace {

std::size_t first_point(const FramesHeader& header, const Frame& frame, std::size_t body) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < body; ++i) first += frame.points_of(header, i);
    return first;
}

/// The turn from one orientation to another as a vector, rad.
Vec3 turn_between(const Quat& from, const Quat& to) {
    Quat q = to * conjugate(from);
    if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
    const Vec3 axis{q.x, q.y, q.z};
    const double sine = norm(axis);
    return sine < 1e-12 ? 2 * axis : axis * (2 * std::atan2(sine, q.w) / sine);
}

}  // namespace

RecordedMotion::RecordedMotion(const FramesHeader& header, const Frame& before, const Frame& after)
    : header_(header), before_(before), after_(after) {
    if (after.time != before.time) per_second_ = 1 / (after.time - before.time);
}

std::vector<float> RecordedMotion::of_points(std::size_t body) const {
    const std::size_t count = after_.points_of(header_, body);
    const std::size_t a = first_point(header_, before_, body), b = first_point(header_, after_, body);
    if (before_.points_of(header_, body) != count || a + count > before_.points.size() ||
        b + count > after_.points.size())
        return {};
    std::vector<float> out;
    out.reserve(3 * count);
    const auto speed = [&](float from, float to) {
        out.push_back(
            static_cast<float>((static_cast<double>(to) - static_cast<double>(from)) * per_second_));
    };
    for (std::size_t k = 0; k < count; ++k) {
        const Vec3f &p = before_.points[a + k], &q = after_.points[b + k];
        speed(p.x, q.x), speed(p.y, q.y), speed(p.z, q.z);
    }
    return out;
}

ListPicture RecordedMotion::of_bodies() const {
    Words out;
    std::size_t count = 0, pose = 0;
    for (std::uint32_t i = 0; i < header_.bodies.size(); ++i) {
        if (header_.bodies[i].points > 0) continue;
        const std::size_t at = pose++;
        if (header_.bodies[i].kind == "fixed" || at >= before_.poses.size() || at >= after_.poses.size())
            continue;
        const auto &from = before_.poses[at], &to = after_.poses[at];
        out << i << (to.position - from.position) * per_second_
            << turn_between(from.rotation, to.rotation) * per_second_;
        ++count;
    }
    return {SectionKind::body_velocities, bit(Layer::velocity), count, std::move(out.bytes())};
}

}  // namespace plush::view
