#include "geometry/shapes/generate_build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"

// Surfaces of revolution. A profile point (r, y) becomes the ring (r cos θ, y, r sin θ). Neighbouring rings
// may have different numbers of vertices; they are joined like a zip: the ring whose next edge has the
// smaller mid-angle moves on. With n vertices on a ring, edge i ends at mid-angle (2i + 1) π / n, so the
// comparison is one of integers and the zip closes exactly.
//
//     upper  b0----b1----b2----b0
//            | \   / \   / \   |        each step makes one triangle,
//            |  \ /   \ /   \  |        n_lower + n_upper in all
//     lower  a0--a1---a2--a3---a0

namespace plush::shapes {
namespace {

constexpr double tau = 2 * std::numbers::pi;
constexpr int least_ring = 6;  // a hexagon: the coarsest ring around a pole with near-equilateral triangles

struct Ring {
    int first, n;  // vertices first … first + n − 1
    double r;
    int at(int i) const { return first + (i == n ? 0 : i); }
};

void zip(const Ring& a, const Ring& b, std::vector<Triangle>& triangles) {
    if (a.n == 1 && b.n == 1) return;  // two points of the axis
    if (a.n == 1) {
        for (int j = 0; j < b.n; ++j) triangles.push_back({a.first, b.at(j), b.at(j + 1)});
        return;
    }
    if (b.n == 1) {
        for (int i = 0; i < a.n; ++i) triangles.push_back({a.at(i), b.first, a.at(i + 1)});
        return;
    }
    for (int i = 0, j = 0; i < a.n || j < b.n;) {
        // On a tie the wider ring moves on first: so a pair of rings is joined by the same edges in either
        // order, which bowl() relies on.
        const long long mid_a = (2LL * i + 1) * b.n, mid_b = (2LL * j + 1) * a.n;
        const bool a_is_next = mid_a != mid_b ? mid_a < mid_b : a.r >= b.r;
        const bool along_a = j == b.n || (i < a.n && a_is_next);
        if (along_a) {
            triangles.push_back({a.at(i), b.at(j), a.at(i + 1)}), ++i;
        } else {
            triangles.push_back({a.at(i), b.at(j), b.at(j + 1)}), ++j;
        }
    }
}

// The number of a surface point (i, j, k) of a block: the whole layer k = 0, the rims of the layers between,
// the whole layer k = nz.
struct BlockIndex {
    int nx, ny, nz;
    int layer() const { return (nx + 1) * (ny + 1); }
    int rim() const { return 2 * (nx + ny); }
    int operator()(int i, int j, int k) const {
        if (k == 0) return j * (nx + 1) + i;
        const int before = layer() + (k - 1) * rim();
        if (k == nz) return before + j * (nx + 1) + i;
        if (j == 0) return before + i;
        if (i == nx) return before + nx + j;
        if (j == ny) return before + nx + ny + (nx - i);
        return before + 2 * nx + ny + (ny - j);
    }
};

}  // namespace

int ring_size(const ProfilePoint& point, double h) {
    if (point.vertices > 0) return point.vertices;
    return point.r > 0 ? pieces(tau * point.r, h, least_ring) : 1;
}

void require(bool ok, const char* shape, const char* problem, const char* cure) {
    if (!ok) throw Error({.place = fmt::format("shape \"{}\"", shape), .problem = problem, .cure = cure});
}

void require_count(const char* shape, int triangles) {
    if (triangles >= 1 && triangles <= max_triangles) return;
    throw Error({.place = fmt::format("shape \"{}\"", shape),
                 .problem = fmt::format("{} triangles cannot be made", triangles),
                 .cure = fmt::format("ask for 1 to {}", max_triangles)});
}

double fit_edge_length(double longest, int wanted, const std::function<double(double)>& count) {
    // From coarse to fine, so that no trial costs much more than the answer: each halving of h makes at most
    // about four times as many triangles. 60 halvings reach the rounding error of `longest`.
    double high = 4 * longest, best = high, best_miss = HUGE_VAL;
    const auto too_many = [&](double h) {
        const double n = count(h), miss = std::abs(pinned::log(n / wanted));
        if (miss < best_miss) best = h, best_miss = miss;
        return n > wanted;
    };
    for (int i = 0; i < 60 && !too_many(high / 2); ++i) high /= 2;
    double low = high / 2;
    for (int i = 0; i < 30; ++i) {
        const double h = std::sqrt(low * high);
        (too_many(h) ? low : high) = h;
    }
    return best;
}

int pieces(double length, double h, int least) {
    const double n = std::round(length / h);
    return n < least ? least : n > 1e9 ? 1'000'000'000 : static_cast<int>(n);
}

void add_arc(Profile& profile, ProfilePoint centre, double radius, double a, double b, double h, int least) {
    const int n = pieces(std::abs(b - a) * radius, h, least);
    for (int i = profile.empty() ? 0 : 1; i <= n; ++i) {
        const double t = a + (b - a) * i / n;
        const double r = centre.r + radius * pinned::cos(t);
        profile.push_back({std::abs(r) < 1e-12 * radius ? 0.0 : r, centre.y + radius * pinned::sin(t)});
    }
}

void add_line(Profile& profile, ProfilePoint to, double h) {
    PLUSH_ASSERT(!profile.empty());
    const ProfilePoint from = profile.back();
    const double length = pinned::hypot(to.r - from.r, to.y - from.y);
    if (!(length > 0)) return;
    const int n = pieces(length, h, 1);
    for (int i = 1; i < n; ++i) {
        const double t = static_cast<double>(i) / n;
        profile.push_back({from.r + (to.r - from.r) * t, from.y + (to.y - from.y) * t});
    }
    profile.push_back(to);
}

double revolve_count(const Profile& profile, bool closed, double h) {
    double n = 0;
    const std::size_t strips = profile.size() - (closed ? 0 : 1);
    for (std::size_t i = 0; i < strips; ++i) {
        for (const ProfilePoint& p : {profile[i], profile[(i + 1) % profile.size()]})
            n += p.r > 0 ? ring_size(p, h) : 0;
    }
    return n;
}

Mesh revolve(const Profile& profile, bool closed, double h) {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    triangles.reserve(static_cast<std::size_t>(revolve_count(profile, closed, h)));
    std::vector<Ring> rings;
    for (const ProfilePoint& point : profile) {
        const int n = ring_size(point, h);
        rings.push_back({static_cast<int>(positions.size()), n, point.r});
        for (int i = 0; i < n; ++i) {
            const double angle = tau * i / n;
            positions.push_back({point.r * pinned::cos(angle), point.y, point.r * pinned::sin(angle)});
        }
    }
    for (std::size_t i = 0; i + 1 < rings.size(); ++i) zip(rings[i], rings[i + 1], triangles);
    if (closed) zip(rings.back(), rings.front(), triangles);
    return Mesh(std::move(positions), std::move(triangles));
}

Mesh block(int nx, int ny, int nz, const std::function<Vec3(int, int, int)>& map) {
    const BlockIndex index{nx, ny, nz};
    std::vector<Vec3> positions(static_cast<std::size_t>(2 * index.layer() + (nz - 1) * index.rim()));
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j) {
            const bool full = k == 0 || k == nz || j == 0 || j == ny;
            for (int i = 0; i <= nx; i += full ? 1 : nx)
                positions[static_cast<std::size_t>(index(i, j, k))] = map(i, j, k);
        }

    std::vector<Triangle> triangles;
    const auto quad = [&](int a, int b, int c, int d) {  // counter-clockwise seen from outside
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
    };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            quad(index(i, j, 0), index(i, j + 1, 0), index(i + 1, j + 1, 0), index(i + 1, j, 0));
            quad(index(i, j, nz), index(i + 1, j, nz), index(i + 1, j + 1, nz), index(i, j + 1, nz));
        }
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i) {
            quad(index(i, 0, k), index(i + 1, 0, k), index(i + 1, 0, k + 1), index(i, 0, k + 1));
            quad(index(i, ny, k), index(i, ny, k + 1), index(i + 1, ny, k + 1), index(i + 1, ny, k));
        }
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j) {
            quad(index(0, j, k), index(0, j, k + 1), index(0, j + 1, k + 1), index(0, j + 1, k));
            quad(index(nx, j, k), index(nx, j + 1, k), index(nx, j + 1, k + 1), index(nx, j, k + 1));
        }
    return Mesh(std::move(positions), std::move(triangles));
}

}  // namespace plush::shapes
