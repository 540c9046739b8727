#include "render/camera_path.hpp"

#include <algorithm>

// Between keyframes the camera goes along a cubic curve whose velocity at each keyframe is that from the one before to the
// one after (Catmull and Rom 1974, with unequal times), and zero at both ends: it never jerks and never overshoots far.

namespace plush::render {
namespace {

/// The curve from a to b in `span` seconds, with these velocities, after the part t of it.
template <class T>
T cubic(const T& a, const T& velocity_a, const T& b, const T& velocity_b, double span, double t) {
    const double s = 1 - t;
    return a * (s * s * (1 + 2 * t)) + velocity_a * (span * t * s * s) + b * (t * t * (3 - 2 * t)) -
           velocity_b * (span * t * t * s);
}

}  // namespace

Camera CameraPath::by_keyframes(double time) const {
    const auto& keys = settings_.keyframes;
    Camera camera = start_;
    const auto take = [&](const CameraKeyframe& key) {
        camera.position = key.position, camera.target = key.target, camera.fov = key.fov;
        return camera;
    };
    if (time <= keys.front().time) return take(keys.front());
    if (time >= keys.back().time) return take(keys.back());
    const auto after = std::upper_bound(keys.begin(), keys.end(), time,
                                        [](double t, const CameraKeyframe& k) { return t < k.time; });
    const auto k = static_cast<std::size_t>(after - keys.begin());
    const CameraKeyframe &a = keys[k - 1], &b = keys[k];
    const double span = b.time - a.time, t = (time - a.time) / span;
    const auto curve = [&](auto value) {
        using T = std::decay_t<decltype(value(a))>;
        const auto velocity = [&](std::size_t i) {
            if (i == 0 || i + 1 == keys.size()) return T{};
            return (value(keys[i + 1]) - value(keys[i - 1])) * (1 / (keys[i + 1].time - keys[i - 1].time));
        };
        return cubic<T>(value(a), velocity(k - 1), value(b), velocity(k), span, t);
    };
    camera.position = curve([](const CameraKeyframe& key) { return key.position; });
    camera.target = curve([](const CameraKeyframe& key) { return key.target; });
    camera.fov = std::clamp(curve([](const CameraKeyframe& key) { return key.fov; }), 1.0, 150.0);
    return camera;
}

Camera CameraPath::at(double time, const Vec3& moved) const {
    Camera camera = settings_.keyframes.empty() ? start_ : by_keyframes(time);
    camera.position += moved, camera.target += moved;
    if (settings_.orbit != 0)
        camera.position =
            camera.target + rotate(from_axis_angle(camera.up, settings_.orbit * (time - begin_)),
                                   camera.position - camera.target);
    return camera;
}

}  // namespace plush::render
