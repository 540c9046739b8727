#include "render/sample_surface.hpp"

#include <algorithm>
#include <array>

#include "render/palette.hpp"

namespace plush::render {

namespace {

/// Rays to the light start this far from the surface, as a part of the ray's length so far: some rounding
/// errors of single precision.
constexpr double start_gap = 3e-5;
constexpr double line_pixels = 1.1;  // the width of drawn edges and grid lines
/// Planes fade between these multiples of the subject's radius.
constexpr double fade_from = 2.2, fade_to = 7;
constexpr double grid_darkness = 0.16;
/// The back of a cloth.
constexpr double back_brightness = 0.72;
/// Of a tube's or ball's radius: single precision finds the surface of a thin tube that is far away no
/// better.
constexpr double round_gap = 0.02;

/// How much of a pixel of size `footprint` a line of this width covers when its middle is at this distance.
double line_cover(double distance, double width, double footprint) {
    const double cover = std::clamp((0.5 * (width + footprint) - distance) / footprint, 0.0, 1.0);
    return cover * std::min(1.0, width / footprint);
}

double grid_cover(double x, double cell, double footprint) {
    const double distance = std::abs(x - cell * std::round(x / cell));
    // Where lines crowd they would only flicker.
    const double far = std::clamp(1.4 - 4 * footprint / cell, 0.0, 1.0);
    return far * line_cover(distance, line_pixels * footprint, footprint);
}

/// The point on the smooth surface for a point p of a flat triangle, after Hanika (2021, "Hacking the shadow
/// terminator"): the mean of p's projections onto the tangent planes of the three corners, where it lies
/// above them.
Vec3 raised(const Vec3& p, const std::array<Vec3, 3>& corner, const std::array<Vec3, 3>& normal,
            const std::array<double, 3>& weight) {
    Vec3 lift{};
    for (std::size_t c = 0; c < 3; ++c)
        lift += normal[c] * (-weight[c] * std::min(dot(p - corner[c], normal[c]), 0.0));
    return p + lift;
}

/// Whether some edge belongs to one triangle alone.
bool has_border(const FrameMesh& mesh) {
    // The edges by their lower vertex, one vertex after the other: each has a few.
    const auto each_edge = [&](const auto& use) {
        for (std::size_t c = 0; c < mesh.triangles.size(); ++c) {
            const std::int32_t a = mesh.triangles[c], b = mesh.triangles[c % 3 == 2 ? c - 2 : c + 1];
            use(static_cast<std::size_t>(std::min(a, b)), std::max(a, b));
        }
    };
    std::vector<std::size_t> start(mesh.positions.size() + 1, 0);
    each_edge([&](std::size_t low, std::int32_t) { ++start[low + 1]; });
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) start[v + 1] += start[v];
    std::vector<std::int32_t> upper(mesh.triangles.size());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    each_edge([&](std::size_t low, std::int32_t high) { upper[next[low]++] = high; });
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const auto first = upper.begin() + static_cast<std::ptrdiff_t>(start[v]);
        const auto last = upper.begin() + static_cast<std::ptrdiff_t>(start[v + 1]);
        std::sort(first, last);
        for (auto i = first; i != last;) {
            const auto end = std::upper_bound(i, last, *i);
            if (end - i == 1) return true;
            i = end;
        }
    }
    return false;
}

/// How much of the pixel the edges of the triangle cover.
double edge_cover(const SampleMesh& mesh, const RayHit& hit, double footprint) {
    const auto first = 3 * static_cast<std::size_t>(hit.primitive);
    const Vec3 a = mesh.corner(first), b = mesh.corner(first + 1), c = mesh.corner(first + 2);
    const double area = norm(cross(b - a, c - a));
    const std::array<double, 3> sides{norm(c - b), norm(a - c), norm(b - a)};
    const std::array<double, 3> weights{1 - hit.u - hit.v, hit.u, hit.v};
    double cover = 0, smallest = HUGE_VAL;
    for (std::size_t i = 0; i < 3; ++i) {
        const double height = sides[i] > 0 ? area / sides[i] : 0;
        smallest = std::min(smallest, height);
        // Each of the two triangles at an edge draws its half of the line.
        cover = std::max(cover, line_cover(weights[i] * height, line_pixels * footprint, footprint));
    }
    // Triangles of a pixel's size would be all lines.
    return cover * std::clamp(smallest / (4 * footprint), 0.0, 1.0);
}

}  // namespace

SoftMesh::SoftMesh(int number, const FrameMesh& given)
    : mesh(number), rest(given), smooth(given), open(has_border(given)) {}

SampleMesh SoftMesh::at(std::span<const Vec3f> positions, const Parallel& parallel) {
    smooth.shared(positions, parallel, normals);
    return {positions, rest.triangles, normals, smooth.normal_of(), open};
}

SampleMesh SoftMesh::quick_at(std::span<const Vec3f> positions, const Parallel& parallel,
                              std::vector<Vec3f>& kept) {
    smooth.quick(positions, parallel, kept);
    return {positions, rest.triangles, kept, smooth.normal_of(), open};
}

SampledScene::SampledScene(RayScene* rays, MeshShelf& meshes, const Stage& stage, const Vec3& viewer,
                           const Parallel& parallel)
    : rays_(rays), stage_(stage) {
    if (rays) rays->begin(stage.centre);
    for (const StageBody& body : stage.bodies) {
        if (rays) rays->add_body(body.mesh, body.pose);
        bodies_.push_back(meshes.stiff(static_cast<std::size_t>(body.mesh)));
    }
    normals_.reserve(stage.softs.size());  // spans of them are kept
    meshes.soft.resize(std::max(meshes.soft.size(), stage.softs.size()));
    meshes.draft_normals.resize(std::max(meshes.draft_normals.size(), stage.softs.size()));
    for (std::size_t i = 0; i < stage.softs.size(); ++i) {
        const StageSoft& body = stage.softs[i];
        const FrameMesh& rest = meshes.given[static_cast<std::size_t>(body.mesh)];
        if (!body.triangles.empty()) {  // another mesh than at rest: creases are those of now
            normals_.push_back(corner_normals({body.positions, body.triangles}));
            softs_.push_back(
                {.positions = body.positions, .triangles = body.triangles, .normals = normals_.back()});
            if (rays) rays->add_surface(body.positions, body.triangles);
            continue;
        }
        if (!rays) {
            softs_.push_back(meshes.draft(i, body, parallel));
            continue;
        }
        auto& kept = meshes.soft[i];
        if (!kept || kept->mesh != body.mesh) kept = std::make_unique<SoftMesh>(body.mesh, rest);
        softs_.push_back(kept->at(body.positions, parallel));
        rays->add_moving(i, body.positions, rest.triangles);
    }
    if (rays) {
        for (const StageBalls& balls : stage.balls) rays->add_balls(balls.centres, balls.radius);
        for (const StageTubes& tubes : stage.tubes) rays->add_cones(tubes.tubes);
    }
    for (std::size_t i = 0; i < stage.planes.size(); ++i) {
        if (dot(viewer - stage.planes[i].point, stage.planes[i].normal) > 0) planes_.push_back(i);
    }
}

std::optional<SampledScene::PlaneHit> SampledScene::first_plane(const Ray& ray) const {
    std::optional<PlaneHit> nearest;
    for (const std::size_t i : planes_) {
        const StagePlane& plane = stage_.planes[i];
        const double towards = dot(ray.direction, plane.normal);
        if (towards >= 0) continue;
        const double distance = dot(plane.point - ray.origin, plane.normal) / towards;
        if (distance > ray.near && distance < (nearest ? nearest->distance : ray.far))
            nearest = {i, distance};
    }
    return nearest;
}

std::optional<Surface> SampledScene::first(const Ray& ray, double pixel) const {
    Ray rest = ray;
    const auto plane = first_plane(ray);
    if (plane) rest.far = plane->distance;
    if (const auto hit = rays_->first(rest)) return surface(ray, *hit, pixel);
    if (plane) return on_plane(ray, *plane, pixel);
    return std::nullopt;
}

Surface SampledScene::surface(const Ray& ray, const RayHit& hit, double pixel) const {
    auto k = static_cast<std::size_t>(hit.object);
    // The objects lie one kind after the other, as they were added.
    const auto is_of = [&k](const auto& kind) { return k < kind.size() || (k -= kind.size(), false); };
    if (is_of(stage_.bodies)) {
        const StageBody& body = stage_.bodies[k];
        return on_mesh(ray, hit, {bodies_[k], body.pose, body.colour, body.finish}, pixel);
    }
    if (is_of(stage_.softs)) {
        const StageSoft& body = stage_.softs[k];
        return on_mesh(ray, hit, {softs_[k], Transform{}, body.colour, body.finish}, pixel);
    }
    if (is_of(stage_.balls)) return on_round(ray, hit, stage_.balls[k]);
    return on_round(ray, hit, stage_.tubes[k]);
}

bool SampledScene::blocked_by_plane(const Ray& ray) const {
    return first_plane(ray).has_value();
}

bool SampledScene::blocked(const Ray& ray) const {
    return blocked_by_plane(ray) || rays_->blocked(ray);
}

Surface SampledScene::on_mesh(const Ray& ray, const RayHit& hit, const Placed& body, double pixel) const {
    const SampleMesh& mesh = body.mesh;
    const bool from_behind = dot(hit.normal, ray.direction) > 0;
    const double side = from_behind ? -1 : 1;
    const auto first = 3 * static_cast<std::size_t>(hit.primitive);
    const std::array<double, 3> weight{1 - hit.u - hit.v, hit.u, hit.v};
    std::array<Vec3, 3> corner, normal;
    Vec3 smooth{};
    for (std::size_t c = 0; c < 3; ++c) {
        corner[c] = body.pose * mesh.corner(first + c);
        normal[c] = rotate(body.pose.rotation, mesh.normal(first + c)) * side;
        smooth += normal[c] * weight[c];
    }
    Surface s{.distance = hit.distance,
              .object = hit.object,
              .gap = start_gap * hit.distance,
              .finish = body.finish,
              .from_behind = from_behind};
    s.place = ray.origin + ray.direction * hit.distance;
    s.flat_normal = hit.normal * side;
    s.normal = normalised(smooth, s.flat_normal);
    s.raised = raised(s.place, corner, normal, weight);
    // A smooth normal that looks away from the viewer would be lit from behind: bend it into view.
    const double away = dot(s.normal, ray.direction);
    if (away > 0) s.normal = normalised(s.normal - ray.direction * away, s.flat_normal);
    s.raised += s.flat_normal * s.gap;
    s.colour = mix(body.colour, {0.72, 0.71, 0.69}, 0.8 * stage_.pale);
    if (mesh.open && from_behind) s.colour = s.colour * back_brightness;
    if (stage_.wire) {
        const double facing = std::max(std::abs(dot(s.flat_normal, ray.direction)), 0.2);
        const double footprint = pixel * hit.distance / std::sqrt(facing);
        const Vec3 line = luminance(s.colour) > 0.12 ? s.colour * 0.12 : mix(s.colour, {1, 1, 1}, 0.6);
        s.colour = mix(s.colour, line, 0.9 * edge_cover(mesh, hit, footprint));
    }
    return s;
}

template <class Round>
Surface SampledScene::on_round(const Ray& ray, const RayHit& hit, const Round& body) const {
    Surface s{.distance = hit.distance, .object = hit.object, .finish = body.finish};
    s.gap = std::max(start_gap * hit.distance, round_gap * body.radius);
    s.place = ray.origin + ray.direction * hit.distance;
    s.normal = s.flat_normal = hit.normal;
    s.raised = s.place + s.normal * s.gap;
    s.colour = mix(body.colour, {0.72, 0.71, 0.69}, 0.8 * stage_.pale);
    return s;
}

Surface SampledScene::on_plane(const Ray& ray, const PlaneHit& hit, double pixel) const {
    const auto [index, distance] = hit;
    const StagePlane& plane = stage_.planes[index];
    Surface s{.distance = distance,
              .object = static_cast<int>(stage_.bodies.size() + stage_.softs.size() + stage_.balls.size() +
                                         stage_.tubes.size() + index),
              .gap = start_gap * distance,
              .cloth = false};
    s.place = ray.origin + ray.direction * distance;
    s.normal = s.flat_normal = plane.normal;
    s.raised = s.place + s.normal * s.gap;
    const Vec3 from_point = s.place - plane.point;
    const double footprint = pixel * distance;
    // Along the view a pixel reaches farther than across it.
    const double steep = std::max(-dot(ray.direction, plane.normal), 0.03);
    const Vec3 level = normalised(ray.direction + plane.normal * steep, plane.across);
    const auto cover = [&](const Vec3& axis) {
        const double c = dot(level, axis);
        const double size = footprint * std::sqrt(1 + c * c * (1 / (steep * steep) - 1));
        return grid_cover(dot(from_point, axis), stage_.grid, size);
    };
    const double line = std::max(cover(plane.across), cover(plane.along));
    s.colour = plane.colour * (1 - grid_darkness * line);
    const double r = norm(s.place - stage_.centre) / stage_.radius;
    const double t = std::clamp((r - fade_from) / (fade_to - fade_from), 0.0, 1.0);
    s.fade = t * t * (3 - 2 * t);
    return s;
}

}  // namespace plush::render
