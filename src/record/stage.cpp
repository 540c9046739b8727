#include "record/stage.hpp"

#include <algorithm>

namespace plush {

namespace {

/// Of the subject's radius: particles without a radius are drawn with this one.
constexpr double dust = 0.006;
/// About so many lines of the grid across the subject.
constexpr double grid_lines = 6;

StagePlane plane_of(const FrameBody& body, const Transform& pose, const Vec3& colour) {
    const Vec3 n = to_double(body.normal);
    const Vec3 across = perpendicular(normalised(n));
    return {.point = pose.position,
            .normal = rotate(pose.rotation, normalised(n)),
            .across = rotate(pose.rotation, across),
            .along = rotate(pose.rotation, cross(normalised(n), across)),
            .colour = colour};
}

}  // namespace

double round_number_below(double value) {
    if (!(value > 0) || !std::isfinite(value)) return 1;
    const double ten = std::pow(10, std::floor(std::log10(value)));
    // A little play, so that 0.2 stays 0.2 after rounding.
    const double lead = value / ten * (1 + 1e-12);
    return ten * (lead >= 5 ? 5 : lead >= 2 ? 2 : 1);
}

Vec3 up_of(const FramesHeader& header) {
    return is_finite(header.gravity) ? normalised(-header.gravity) : Vec3{0, 1, 0};
}

Stage stage_of(const FramesHeader& header, const Frame& frame, std::span<const Vec3> colours,
               const Subject& subject) {
    Stage stage{.up = up_of(header), .centre = subject.centre, .radius = subject.radius};
    stage.grid = round_number_below(2 * subject.radius / grid_lines);
    std::size_t pose = 0, point = 0;
    for (std::size_t i = 0; i < header.bodies.size(); ++i) {
        const FrameBody& body = header.bodies[i];
        if (body.points > 0) {
            const auto first = frame.points.begin() + static_cast<std::ptrdiff_t>(point);
            point += body.points;
            stage.balls.push_back({{first, first + static_cast<std::ptrdiff_t>(body.points)},
                                   std::max(body.radius, dust * subject.radius),
                                   colours[i]});
            continue;
        }
        const Transform& at = frame.poses[pose++];
        if (body.mesh >= 0) {
            stage.bodies.push_back({body.mesh, at, colours[i]});
        } else if (body.normal != Vec3f{}) {
            stage.planes.push_back(plane_of(body, at, colours[i]));
        }
    }
    return stage;
}

}  // namespace plush
