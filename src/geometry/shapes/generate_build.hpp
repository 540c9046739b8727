#pragma once

#include <functional>
#include <vector>

#include "plush/geometry/generate.hpp"

// What the shape generators share: the search for a tessellation of about the wanted size, surfaces of
// revolution, and boxes of quadrilaterals that are bent into other shapes.

namespace plush::shapes {

/// More triangles than any machine of today simulates; beyond it a count is a slip of the keyboard.
inline constexpr int max_triangles = 50'000'000;

/// Throws an Error that names the shape where `ok` is false.
void require(bool ok, const char* shape, const char* problem, const char* cure);
void require_count(const char* shape, int triangles);
inline bool positive(double x) {
    return x > 0 && x < HUGE_VAL;
}

/// The edge length h (m) for which count(h) comes closest to `wanted`. count falls with h, but in steps.
/// `longest` (m) is the size of the shape: the search starts there, with the coarsest tessellation.
double fit_edge_length(double longest, int wanted, const std::function<double(double h)>& count);

/// How many pieces of about h make up `length`, at least `least`.
int pieces(double length, double h, int least);

/// A point of a profile in the half-plane (r ≥ 0, y) that is turned about the y axis.
struct ProfilePoint {
    double r, y;
    int vertices = 0;  ///< of its ring; 0: as many as its circumference needs
};
using Profile = std::vector<ProfilePoint>;

/// How many vertices the ring of a profile point gets: 1 on the axis.
int ring_size(const ProfilePoint& point, double h);

/// Appends points that cut the arc about (r, y) from angle a to b, both from the r axis, into about pieces of
/// h, at least `least`; the first point is left out where the profile already ends there.
void add_arc(Profile& profile, ProfilePoint centre, double radius, double a, double b, double h, int least);
void add_line(Profile& profile, ProfilePoint to, double h);

/// The surface that a profile sweeps out when it turns about the y axis. The material lies to the left of the
/// profile. An open profile starts and ends on the axis (r exactly 0); a closed one has no axis points and
/// does not repeat its first point. Each ring gets as many vertices as its circumference needs at spacing h,
/// so triangles keep their shape from the rim to the pole.
Mesh revolve(const Profile& profile, bool closed, double h);
double revolve_count(const Profile& profile, bool closed, double h);

/// The surface of a block of nx × ny × nz quadrilaterals, each point of it placed by map(i, j, k). The map
/// must keep handedness. 4 (nx ny + ny nz + nz nx) triangles.
Mesh block(int nx, int ny, int nz, const std::function<Vec3(int i, int j, int k)>& map);

}  // namespace plush::shapes
