#include "render/camera.hpp"

#include <algorithm>
#include <array>
#include <numbers>

// Fitting a pyramid of view around points is four half-space conditions. With right r, forward f and
// horizontal half angle a, the left wall's inward normal is n = cos a · r + sin a · f, and all points p are
// inside it when n·c ≤ min n·p for the camera's place c. Left and right together give c's place along r and
// its largest place along f in closed form, and so do top and bottom: the camera is as near as it can be.

namespace plush::render {

namespace {

constexpr double degree = std::numbers::pi / 180;
/// Of the half angle: what stays free at the borders.
constexpr double margin = 0.88;

/// Degrees; high enough to look into a bowl.
constexpr double usual_azimuth = 35, usual_elevation = 32;

struct Basis {
    Vec3 right, up, forward;
};

Basis basis_of(const Vec3& forward, const Vec3& up) {
    const Vec3 f = normalised(forward, {0, 0, -1});
    Vec3 right = cross(f, up);
    // Straight up or down: any right will do.
    right = norm(right) > 1e-9 ? normalised(right) : perpendicular(f);
    return {right, cross(right, f), f};
}

std::array<Vec3, 8> corners_of(const Extent& e) {
    std::array<Vec3, 8> out;
    for (std::size_t i = 0; i < 8; ++i) {
        out[i] = e.pose * Vec3{i & 1 ? e.box.high.x : e.box.low.x, i & 2 ? e.box.high.y : e.box.low.y,
                               i & 4 ? e.box.high.z : e.box.low.z};
    }
    return out;
}

Box3 bounds_of(const Extent& e) {
    Box3 box;
    for (const Vec3& corner : corners_of(e)) box.add(corner);
    return box;
}

double middle(std::vector<double> values, double part = 0.5) {
    const auto at = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + at, values.end());
    return values[static_cast<std::size_t>(at)];
}

/// Those moving extents that are not far from the rest: within eight times the distance that three quarters
/// keep.
std::vector<const Extent*> near_the_rest(std::span<const Extent> extents) {
    std::vector<const Extent*> moving;
    std::array<std::vector<double>, 3> places;
    for (const Extent& e : extents) {
        if (!e.moves || !is_finite(e.pose.position)) continue;
        moving.push_back(&e);
        const Vec3 c = bounds_of(e).centre();
        for (std::size_t i = 0; i < 3; ++i) places[i].push_back(c[i]);
    }
    if (moving.empty()) return moving;
    const Vec3 centre{middle(places[0]), middle(places[1]), middle(places[2])};
    std::vector<double> far;
    for (const Extent* e : moving) {
        const Box3 box = bounds_of(*e);
        far.push_back(norm(box.centre() - centre) + 0.5 * norm(box.size()));
    }
    const double limit = 8 * middle(far, 0.75);
    std::vector<const Extent*> kept;
    for (std::size_t i = 0; i < moving.size(); ++i)
        if (far[i] <= limit) kept.push_back(moving[i]);
    return kept;
}

/// The camera's place for a given direction of view: see the head of this file.
Vec3 fit(const Basis& b, std::span<const Vec3> points, double half_v, double aspect) {
    const double half_h = std::atan(std::tan(half_v) * aspect);
    const auto pair = [&](const Vec3& side, double half, double& across) {
        const Vec3 one = side * std::cos(half) + b.forward * std::sin(half);
        const Vec3 two = side * -std::cos(half) + b.forward * std::sin(half);
        double low_one = HUGE_VAL, low_two = HUGE_VAL;
        for (const Vec3& p : points) {
            low_one = std::min(low_one, dot(one, p));
            low_two = std::min(low_two, dot(two, p));
        }
        across = (low_one - low_two) / (2 * std::cos(half));
        return (low_one + low_two) / (2 * std::sin(half));
    };
    double x = 0, y = 0;
    const double z = std::min(pair(b.right, half_h * margin, x), pair(b.up, half_v * margin, y));
    return b.right * x + b.up * y + b.forward * z;
}

}  // namespace

Lens::Lens(const Camera& camera, int width, int height) : position_(camera.position) {
    const Basis b = basis_of(camera.target - camera.position, camera.up);
    right_ = b.right, up_ = b.up, forward_ = b.forward;
    pixel_ = 2 * std::tan(0.5 * camera.fov * degree) / height;
    centre_x_ = 0.5 * width, centre_y_ = 0.5 * height;
}

Vec3 Lens::direction(double x, double y) const {
    return normalised(forward_ + right_ * ((x - centre_x_) * pixel_) + up_ * ((centre_y_ - y) * pixel_));
}

Lens::Seen Lens::project(const Vec3& p) const {
    const Vec3 d = p - position_;
    const double depth = dot(d, forward_);
    return {centre_x_ + dot(d, right_) / (depth * pixel_), centre_y_ - dot(d, up_) / (depth * pixel_), depth};
}

Subject find_subject(std::span<const Extent> extents) {
    std::vector<const Extent*> kept = near_the_rest(extents);
    Box3 box;
    for (const Extent* e : kept) box.add(bounds_of(*e));
    const Box3 moving = box;
    for (const Extent& e : extents) {
        if (e.moves) continue;
        const Box3 b = bounds_of(e);
        // A bowl belongs to the picture, a landscape does not.
        const double size = norm(moving.size());
        if (!moving.empty() && (norm(b.size()) > 4 * size || !b.overlaps(moving.grown(size)))) continue;
        kept.push_back(&e);
        box.add(b);
    }
    Subject subject;
    for (const Extent* e : kept)
        for (const Vec3& corner : corners_of(*e)) subject.corners.push_back(corner);
    if (subject.corners.empty()) {  // nothing at all: a metre around the origin
        for (std::size_t i = 0; i < 8; ++i)
            subject.corners.push_back({i & 1 ? 0.5 : -0.5, i & 2 ? 1.0 : 0.0, i & 4 ? 0.5 : -0.5});
        for (const Vec3& corner : subject.corners) box.add(corner);
    }
    subject.centre = box.centre();
    subject.radius = std::max(0.5 * norm(box.size()), 1e-6);
    return subject;
}

Camera place_camera(const CameraSettings& settings, const Subject& subject, const Vec3& up, double aspect) {
    Camera camera{.up = up, .fov = settings.fov};
    camera.target = settings.target.value_or(subject.centre);
    if (settings.position) {
        camera.position = *settings.position;
        return camera;
    }
    // Azimuth 0 is the z axis as far as it is level; with y up: from z towards x.
    const Vec3 z = std::abs(up.z) < 0.9 ? Vec3{0, 0, 1} : Vec3{0, -1, 0};
    const Vec3 level_z = normalised(z - up * dot(z, up)), level_x = cross(up, level_z);
    double azimuth = usual_azimuth, elevation = usual_elevation;
    if (subject.downhill) {
        // From its side, with the slope going down to the right.
        azimuth = std::atan2(dot(*subject.downhill, level_x), dot(*subject.downhill, level_z)) / degree - 68;
        elevation = 12;
    }
    azimuth = settings.azimuth.value_or(azimuth) * degree;
    elevation = settings.elevation.value_or(elevation) * degree;
    const Vec3 back = (level_z * std::cos(azimuth) + level_x * std::sin(azimuth)) * std::cos(elevation) +
                      up * std::sin(elevation);
    const Basis basis = basis_of(-back, up);
    const double half = 0.5 * settings.fov * degree;
    const Vec3 place = fit(basis, subject.corners, half, aspect);
    if (settings.target) {
        // As far away as the fit, but looking at what the user named.
        camera.position =
            camera.target + back * std::max(dot(place - camera.target, back), 1e-3 * subject.radius);
        return camera;
    }
    camera.position = place;
    const double distance = std::max(dot(place - subject.centre, back), 1e-3 * subject.radius);
    camera.target = place - back * distance;
    return camera;
}

Camera orbit(const Camera& camera, const Subject& subject, double degrees, double aspect) {
    const double half_v = 0.5 * camera.fov * degree;
    const double half = margin * std::min(half_v, std::atan(std::tan(half_v) * aspect));
    const Vec3 back = normalised(camera.position - camera.target);
    Camera out = camera;
    out.target = subject.centre;
    // The ball around the subject touches the pyramid of view.
    const Vec3 arm = back * (subject.radius / std::sin(half));
    out.position = subject.centre + rotate(from_axis_angle(camera.up, degrees), arm);
    return out;
}

}  // namespace plush::render
