#include "plush/geometry/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/sdf/sdf_sampled.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "plush/geometry/generate.hpp"

namespace plush {
namespace {

constexpr double pi = std::numbers::pi;

/// Of round shapes where volumes are measured: a ball's surface is then off by 0.02 % of its radius.
constexpr int fine_triangles = 20480;

void require_positive(double value, const char* what) {
    if (value > 0 && std::isfinite(value)) return;
    throw Error({.place = what,
                 .problem = fmt::format("{} is not a length", value),
                 .cure = "give a finite length above zero, in metres"});
}

// The corners and three points on each edge: faces are found by the other body's points, edges against edges
// only by these.
PointSet box_points(const Vec3& h) {
    std::vector<Vec3> positions, normals;
    const double along[] = {-1, -0.5, 0, 0.5, 1};
    for (double x : along) {
        for (double y : along) {
            for (double z : along) {
                const int faces = (std::abs(x) == 1) + (std::abs(y) == 1) + (std::abs(z) == 1);
                if (faces < 2) continue;
                positions.push_back({x * h.x, y * h.y, z * h.z});
                const auto side = [](double t) { return std::abs(t) == 1 ? t : 0.0; };
                normals.push_back(normalised(Vec3{side(x), side(y), side(z)}));
            }
        }
    }
    return PointSet::with_normals(std::move(positions), std::move(normals));
}

// The deepest point of a sampled box of 16³ points: a lower bound of the inscribed radius, good enough to say
// when a step is too large for a body.
double inscribed_radius(const SignedDistance& distance, const Box3& box) {
    constexpr int n = 16;
    double deepest = 0;
    const Vec3 size = box.size();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) {
                const Vec3 t{(i + 0.5) / n, (j + 0.5) / n, (k + 0.5) / n};
                deepest = std::min(deepest, distance.sample(box.low + times(size, t)).value);
            }
    return -deepest;
}

MassProperties solid(double volume, const Vec3& inertia_over_mass) {
    return {volume, {}, Mat3::diagonal(inertia_over_mass * volume)};
}

}  // namespace

Shape::Shape() = default;

Shape Shape::sphere(double radius) {
    require_positive(radius, "radius");
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::sphere, {radius, 0, 0}};
    data->distance = sdf::sphere({}, radius);
    data->points = PointSet::balls({Vec3{}}, radius);
    data->points.complete = true;
    data->drawn = shapes::icosphere(radius);
    data->fine = [=] {
        // As large as the ball, and not inside it: half the error.
        const Mesh ball = shapes::icosphere(radius, fine_triangles);
        const double volume = mass_properties(ball, 1).value().mass;
        return shapes::icosphere(radius * pinned::cbrt(4.0 / 3 * pi * radius * radius * radius / volume),
                                 fine_triangles);
    };
    data->bounds = {{-radius, -radius, -radius}, {radius, radius, radius}};
    data->thickness = radius;
    const double i = 0.4 * radius * radius;
    data->unit_mass = solid(4.0 / 3 * pi * radius * radius * radius, {i, i, i});
    data->name = fmt::format("sphere of radius {} m", radius);
    return Shape(std::move(data));
}

Shape Shape::box(const Vec3& half_size) {
    for (std::size_t d = 0; d < 3; ++d) require_positive(half_size[d], "half_size");
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::box, half_size};
    data->distance = sdf::box(half_size);
    data->exact = {ExactShape::Kind::box, half_size};
    data->points = box_points(half_size);
    data->drawn = shapes::box(half_size);
    data->bounds = {-half_size, half_size};
    data->thickness = std::min({half_size.x, half_size.y, half_size.z});
    const Vec3 s = times(half_size, half_size) / 3.0;
    data->unit_mass = solid(8 * half_size.x * half_size.y * half_size.z, {s.y + s.z, s.x + s.z, s.x + s.y});
    data->name = fmt::format("box of {} × {} × {} m", 2 * half_size.x, 2 * half_size.y, 2 * half_size.z);
    return Shape(std::move(data));
}

Shape Shape::capsule(double radius, double half_height) {
    require_positive(radius, "radius");
    require_positive(half_height, "half_height");
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::capsule, {radius, half_height, 0}};
    const Vec3 end{0, half_height, 0};
    data->distance = sdf::capsule(-end, end, radius);
    data->exact = {ExactShape::Kind::capsule, {radius, half_height, 0}};
    // Balls along the axis, at most a radius apart.
    const int n = std::clamp(static_cast<int>(std::ceil(2 * half_height / radius)), 2, 64);
    std::vector<Vec3> centres;
    for (int i = 0; i <= n; ++i) centres.push_back({0, half_height * (2.0 * i / n - 1), 0});
    data->points = PointSet::balls(std::move(centres), radius);
    data->drawn = shapes::capsule(radius, half_height);
    data->fine = [=] { return shapes::capsule(radius, half_height, fine_triangles); };
    data->bounds = Box3{-end, end}.grown(radius);
    data->thickness = radius;
    // A cylinder and two half balls, the balls' inertia moved to the middle.
    const double r2 = radius * radius, l = 2 * half_height;
    const double m_cylinder = pi * r2 * l, m_ball = 4.0 / 3 * pi * r2 * radius;
    const double across =
        m_cylinder * (l * l / 12 + r2 / 4) + m_ball * (0.4 * r2 + l * l / 4 + 3.0 / 8 * l * radius);
    const double along = m_cylinder * r2 / 2 + m_ball * 0.4 * r2;
    data->unit_mass = {m_cylinder + m_ball, {}, Mat3::diagonal({across, along, across})};
    data->name = fmt::format("capsule of radius {} m and half height {} m", radius, half_height);
    return Shape(std::move(data));
}

Shape Shape::cylinder(double radius, double half_height) {
    require_positive(radius, "radius");
    require_positive(half_height, "half_height");
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::cylinder, {radius, half_height, 0}};
    data->distance = sdf::capped_cylinder(radius, half_height);
    data->exact = {ExactShape::Kind::cylinder, {radius, half_height, 0}};
    data->drawn = shapes::cylinder(radius, half_height);
    data->fine = [=] { return shapes::cylinder(radius, half_height, fine_triangles); };
    // Two rims of 64 points: what touches a flat partner. Curved partners find the side with their own
    // points.
    std::vector<Vec3> positions, normals;
    constexpr int n = 64;
    for (int i = 0; i < n; ++i) {
        const double angle = 2 * pi * i / n;
        const Vec3 out{pinned::cos(angle), 0, pinned::sin(angle)};
        for (double side : {-1.0, 1.0}) {
            positions.push_back(out * radius + Vec3{0, side * half_height, 0});
            normals.push_back(normalised(out + Vec3{0, side, 0}));
        }
    }
    data->points = PointSet::with_normals(std::move(positions), std::move(normals));
    data->bounds = {{-radius, -half_height, -radius}, {radius, half_height, radius}};
    data->thickness = std::min(radius, half_height);
    const double r2 = radius * radius, across = r2 / 4 + half_height * half_height / 3;
    data->unit_mass = solid(2 * pi * r2 * half_height, {across, r2 / 2, across});
    data->name = fmt::format("cylinder of radius {} m and half height {} m", radius, half_height);
    return Shape(std::move(data));
}

Shape Shape::torus(double ring_radius, double tube_radius) {
    require_positive(ring_radius, "ring_radius");
    require_positive(tube_radius, "tube_radius");
    if (tube_radius >= ring_radius)
        throw Error({.place = "tube_radius",
                     .problem = fmt::format("a tube of {} m fills the hole of a ring of {} m", tube_radius,
                                            ring_radius),
                     .cure = "make tube_radius smaller than ring_radius"});
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::torus, {ring_radius, tube_radius, 0}};
    data->distance = sdf::torus(ring_radius, tube_radius);
    data->exact = {ExactShape::Kind::torus, {ring_radius, tube_radius, 0}};
    // Balls around the ring, at most half a tube radius apart.
    const int n = std::clamp(static_cast<int>(std::ceil(4 * pi * ring_radius / tube_radius)), 24, 512);
    std::vector<Vec3> centres;
    for (int i = 0; i < n; ++i) {
        const double angle = 2 * pi * i / n;
        centres.push_back({ring_radius * pinned::cos(angle), 0, ring_radius * pinned::sin(angle)});
    }
    data->points = PointSet::balls(std::move(centres), tube_radius);
    data->drawn = shapes::torus(ring_radius, tube_radius);
    data->fine = [=] { return shapes::torus(ring_radius, tube_radius, fine_triangles); };
    const double out = ring_radius + tube_radius;
    data->bounds = {{-out, -tube_radius, -out}, {out, tube_radius, out}};
    data->thickness = tube_radius;
    const double c2 = ring_radius * ring_radius, a2 = tube_radius * tube_radius;
    const double across = c2 / 2 + 5 * a2 / 8;
    data->unit_mass = solid(2 * pi * pi * ring_radius * a2, {across, c2 + 3 * a2 / 4, across});
    data->name = fmt::format("torus of radii {} m and {} m", ring_radius, tube_radius);
    return Shape(std::move(data));
}

Shape Shape::half_space(const Vec3& normal) {
    if (!(norm(normal) > 0) || !is_finite(normal))
        throw Error({.place = "normal",
                     .problem = "it has no direction",
                     .cure = "give a vector of any length but zero"});
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::half_space, normal};
    data->distance = sdf::plane({}, normalised(normal));
    data->plane_normal = normalised(normal);
    data->exact = {ExactShape::Kind::half_space, normalised(normal)};
    data->bounds = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    data->thickness = HUGE_VAL;
    data->bounded = false;
    data->name = "half-space";
    return Shape(std::move(data));
}

Shape Shape::distance(Sdf sdf, const Mesh& points) {
    if (!sdf) throw Error({.problem = "no signed distance was given", .cure = "make one with plush::sdf"});
    auto data = std::make_shared<Data>();
    data->distance = std::move(sdf);
    data->points = PointSet::vertices(points);
    data->drawn = points;
    data->bounds = data->distance->bounds();
    if (!points.empty()) data->bounds.add(points.bounds());
    data->bounded = std::isfinite(norm(data->bounds.size()));
    data->thickness = data->bounded ? inscribed_radius(*data->distance, data->bounds) : HUGE_VAL;
    if (data->bounded && !points.empty()) {
        auto mass = mass_properties(points, 1.0);
        if (mass.ok()) data->unit_mass = mass.value();
    }
    data->name = "signed distance";
    return Shape(std::move(data));
}

Result<Shape> Shape::try_mesh(const Mesh& mesh, int cells_across) {
    if (cells_across < SampledSdf::fewest_cells || cells_across > SampledSdf::max_cells)
        return Error({.place = "distance_cells",
                      .problem = fmt::format("{} is out of range", cells_across),
                      .cure = fmt::format("take from {} to {} cells along the longest side",
                                          SampledSdf::fewest_cells, SampledSdf::max_cells)});
    auto mass = mass_properties(mesh, 1.0);
    if (!mass.ok()) return mass.error();
    auto data = std::make_shared<Data>();
    data->source = {ShapeSource::Kind::mesh, {}, cells_across};
    data->distance = sdf::sampled(mesh, cells_across);
    data->points = PointSet::vertices(mesh);
    data->drawn = mesh;
    data->bounds = mesh.bounds();
    data->thickness = inscribed_radius(*data->distance, data->bounds);
    data->unit_mass = mass.value();
    data->name = fmt::format("mesh of {} triangles", mesh.triangles().size());
    return Shape(std::move(data));
}

Shape Shape::mesh(const Mesh& mesh, int cells_across) {
    return try_mesh(mesh, cells_across).value();
}

bool Shape::bounded() const {
    return data_->bounded;
}
const SignedDistance& Shape::distance() const {
    return *data_->distance;
}
const Mesh& Shape::drawn() const {
    return data_->drawn;
}
Box3 Shape::bounds() const {
    return data_->bounds;
}
double Shape::thickness() const {
    return data_->thickness;
}
std::string Shape::name() const {
    return data_ ? data_->name : "nothing";
}

Result<MassProperties> Shape::mass(double density) const {
    const MassProperties& unit = data_->unit_mass;
    if (!(unit.mass > 0))
        return Error({.problem = "a " + data_->name + " has no mass",
                      .cure = "use it for a fixed or scripted body, or give a closed mesh"});
    return MassProperties{unit.mass * density, unit.centre, unit.inertia * density};
}

}  // namespace plush
