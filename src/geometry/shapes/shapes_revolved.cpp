#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_build.hpp"

// Shapes that are a profile turned about the y axis: sphere of latitudes, torus, capsule, cylinder, cone,
// bowl. The material lies to the left of each profile: it runs up along the outside.

namespace plush::shapes {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int least_quarter = 3;  // below three pieces a quarter circle no longer looks round
constexpr int least_rim = 2;      // the rim of a thin wall: more would make slivers of its triangles

/// The surface of revolution whose profile(h) gives about the wanted number of triangles.
template <class MakeProfile>
Mesh revolved(double longest, int triangles, bool closed, const MakeProfile& profile) {
    const double h =
        fit_edge_length(longest, triangles, [&](double e) { return revolve_count(profile(e), closed, e); });
    return revolve(profile(h), closed, h);
}

}  // namespace

// Latitudes and meridians: m strips, each ring with 2m vertices, 4 m (m − 1) triangles. Its triangles grow
// thin towards the poles; icosphere() has no such places.
Mesh uv_sphere(double radius, int triangles) {
    require(positive(radius), "uv_sphere", "the radius is not above zero", "give a radius above 0 m");
    require_count("uv_sphere", triangles);
    const double root = std::round(0.5 + 0.5 * std::sqrt(1.0 + triangles));  // of 4 m (m − 1) = triangles
    const int m = std::max(3, static_cast<int>(root)), around = 2 * m;
    std::vector<Vec3> positions{{0, -radius, 0}};
    std::vector<Triangle> faces;
    for (int i = 1; i < m; ++i)
        for (int j = 0; j < around; ++j) {
            const double latitude = pi * i / m - pi / 2, longitude = 2 * pi * j / around;
            const double r = radius * pinned::cos(latitude);
            positions.push_back(
                {r * pinned::cos(longitude), radius * pinned::sin(latitude), r * pinned::sin(longitude)});
        }
    positions.push_back({0, radius, 0});
    const int top = static_cast<int>(positions.size()) - 1;
    const auto at = [&](int i, int j) { return 1 + (i - 1) * around + j % around; };
    for (int j = 0; j < around; ++j) {
        faces.push_back({0, at(1, j), at(1, j + 1)});
        for (int i = 1; i + 1 < m; ++i) {
            faces.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
            faces.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
        }
        faces.push_back({at(m - 1, j), top, at(m - 1, j + 1)});
    }
    return Mesh(std::move(positions), std::move(faces));
}

Mesh torus(double ring_radius, double tube_radius, int triangles) {
    require(positive(tube_radius) && positive(ring_radius) && tube_radius < ring_radius, "torus",
            "the tube does not fit the ring", "take 0 < tube radius < ring radius, in m");
    require_count("torus", triangles);
    return revolved(2 * (ring_radius + tube_radius), triangles, true, [&](double h) {
        Profile profile;
        add_arc(profile, {ring_radius, 0}, tube_radius, 0, 2 * pi, h, 4 * least_quarter);
        profile.pop_back();  // the first point again
        return profile;
    });
}

// half_height is half the straight part: the whole capsule is 2 (half_height + radius) tall.
Mesh capsule(double radius, double half_height, int triangles) {
    require(positive(radius), "capsule", "the radius is not above zero", "give a radius above 0 m");
    require(half_height >= 0 && half_height < HUGE_VAL, "capsule", "the half height is negative",
            "give a half height of at least 0 m");
    require_count("capsule", triangles);
    return revolved(2 * (half_height + radius), triangles, false, [&](double h) {
        Profile profile;
        add_arc(profile, {0, -half_height}, radius, -pi / 2, 0, h, least_quarter);
        add_line(profile, {radius, half_height}, h);
        add_arc(profile, {0, half_height}, radius, 0, pi / 2, h, least_quarter);
        return profile;
    });
}

Mesh cylinder(double radius, double half_height, int triangles) {
    require(positive(radius) && positive(half_height), "cylinder", "a size is not above zero",
            "give a radius and a half height above 0 m");
    require_count("cylinder", triangles);
    return revolved(2 * std::max(radius, half_height), triangles, false, [&](double h) {
        Profile profile{{0, -half_height}};
        add_line(profile, {radius, -half_height}, h);
        add_line(profile, {radius, half_height}, h);
        add_line(profile, {0, half_height}, h);
        return profile;
    });
}

Mesh cone(double radius, double height, int triangles) {
    require(positive(radius) && positive(height), "cone", "a size is not above zero",
            "give a radius and a height above 0 m");
    require_count("cone", triangles);
    return revolved(std::max(2 * radius, height), triangles, false, [&](double h) {
        Profile profile{{0, 0}};
        add_line(profile, {radius, 0}, h);
        add_line(profile, {0, height}, h);
        return profile;
    });
}

// The centre of the spheres is the origin, the rim's half circle stands on y = 0. The inner wall takes the
// latitudes of the outer one, and as many vertices on each: it is the outer wall shrunk about the origin, so
// that no thickness makes them cross.
Mesh bowl(double radius, double thickness, int triangles) {
    require(positive(radius) && positive(thickness) && thickness < radius, "bowl",
            "the wall does not fit the radius", "take 0 < thickness < radius, in m");
    require_count("bowl", triangles);
    const double inner = radius - thickness;
    const auto profile = [&](double h) {
        Profile walls;
        add_arc(walls, {0, 0}, radius, -pi / 2, 0, h, least_quarter);
        for (ProfilePoint& p : walls) p.vertices = ring_size(p, h);
        const std::size_t below = walls.size() - 1;  // the rings under the rim
        const int around = walls.back().vertices;
        add_arc(walls, {radius - thickness / 2, 0}, thickness / 2, 0, pi, h, least_rim);
        walls.back() = {inner, 0};
        for (std::size_t i = below; i < walls.size(); ++i) walls[i].vertices = around;
        for (std::size_t i = below; i-- > 0;)
            walls.push_back({walls[i].r / radius * inner, walls[i].y / radius * inner, walls[i].vertices});
        return walls;
    };
    return revolved(2 * radius, triangles, false, profile);
}

}  // namespace plush::shapes
