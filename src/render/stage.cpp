#include "render/stage.hpp"

#include <algorithm>

namespace plush::render {

namespace {

/// Of the subject's radius: particles without a radius are drawn with this one.
constexpr double dust = 0.006;
/// The same for segments without a radius.
constexpr double thread = 0.003;
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

/// The tubes along the segments of a mesh. `place` gives a vertex's place in the world.
template <class Place>
StageTubes tubes_of(const FrameMesh& mesh, double radius, const Vec3& colour, Finish finish,
                    const Place& place) {
    StageTubes out{.radius = radius, .colour = colour, .finish = finish};
    out.tubes.reserve(mesh.segments.size() / 2);
    for (std::size_t i = 0; i < mesh.segments.size(); i += 2) {
        const Vec3 from = place(static_cast<std::size_t>(mesh.segments[i]));
        Vec3 to = place(static_cast<std::size_t>(mesh.segments[i + 1]));
        // A tube needs an axis; without a length it is a ball.
        if (norm(to - from) < 0.01 * radius) to = from + Vec3{0, 0.01 * radius, 0};
        out.tubes.push_back({from, to, radius, radius});
    }
    return out;
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
        const FrameMesh* mesh =
            body.mesh >= 0 ? &header.meshes[static_cast<std::size_t>(body.mesh)] : nullptr;
        const double tube = std::max(body.radius, thread * subject.radius);
        if (body.points > 0) {
            const std::span<const Vec3f> points =
                std::span(frame.points).subspan(point, static_cast<std::size_t>(frame.points_of(header, i)));
            const FrameSurface* cut = frame.surface_of(i);
            point += points.size();
            if (!mesh) {
                stage.balls.push_back({{points.begin(), points.end()},
                                       std::max(body.radius, dust * subject.radius),
                                       colours[i],
                                       body.finish});
                continue;
            }
            if (!mesh->triangles.empty())
                stage.softs.push_back({body.mesh,
                                       {points.begin(), points.end()},
                                       colours[i],
                                       cut ? cut->triangles : std::vector<std::int32_t>{},
                                       body.finish,
                                       i});
            if (!mesh->segments.empty() && !cut)
                stage.tubes.push_back(tubes_of(*mesh, tube, colours[i], body.finish,
                                               [&](std::size_t v) { return to_double(points[v]); }));
            continue;
        }
        const Transform& at = frame.poses[pose++];
        if (mesh) {
            stage.bodies.push_back({body.mesh, at, colours[i], body.finish});
            if (!mesh->segments.empty())
                stage.tubes.push_back(tubes_of(*mesh, tube, colours[i], body.finish, [&](std::size_t v) {
                    return at * to_double(mesh->positions[v]);
                }));
        } else if (body.normal != Vec3f{}) {
            stage.planes.push_back(plane_of(body, at, colours[i]));
        }
    }
    return stage;
}

}  // namespace plush::render
