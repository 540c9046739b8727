#include "render/depth_map.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

// Threads draw into one map. A pixel holds nearness and number in one word, and keeps the largest word that it is
// given: the bits of a positive float grow with its value. A maximum does not depend on the order of what it is of, so
// any number of threads gives the same map, without tiles and without sorting.

namespace plush::render {

namespace {

constexpr std::size_t chunk = 8192;  // vertices or triangles of a task

/// Calls work(mesh, begin, end) for ranges of at most `chunk` of size(mesh) items.
template <class Size, class Work>
void each_range(std::size_t meshes, const Parallel& parallel, const Size& size, const Work& work) {
    struct Range {
        std::size_t mesh, begin, end;
    };
    std::vector<Range> ranges;
    for (std::size_t m = 0; m < meshes; ++m)
        for (std::size_t begin = 0; begin < size(m); begin += chunk)
            ranges.push_back({m, begin, std::min(begin + chunk, size(m))});
    parallel.each(ranges.size(), 1,
                  [&](std::size_t r) { work(ranges[r].mesh, ranges[r].begin, ranges[r].end); });
}

Vec3 world(const DepthMesh& mesh, std::size_t v) {
    const Vec3 p = to_double(mesh.positions[v]);
    return mesh.pose ? *mesh.pose * p : p;
}

/// Where places of the mesh begin.
std::vector<std::size_t> starts(std::span<const DepthMesh> meshes) {
    std::vector<std::size_t> out{0};
    for (const DepthMesh& mesh : meshes) out.push_back(out.back() + mesh.positions.size());
    return out;
}

Vec3 to_vec(const Projection::Place& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.near)};
}

/// The pixels whose middles lie in [low, high], of n.
struct Span {
    int first, last;
};
Span span_of(double low, double high, int n) {
    const double first = std::max(std::ceil(low - 0.5), 0.0),
                 last = std::min(std::floor(high - 0.5), n - 1.0);
    if (!(first <= last)) return {0, -1};
    return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace

Projection Projection::central(const Lens& lens, int width, int height, double least) {
    return {.origin = lens.position(),
            .right = lens.right(),
            .up = lens.up(),
            .forward = lens.forward(),
            .pixel = lens.pixel(),
            .centre_x = 0.5 * width,
            .centre_y = 0.5 * height,
            .least = least};
}

Projection::Place Projection::place(const Vec3& p) const {
    const Vec3 d = p - origin;
    const double depth = dot(d, forward);
    if (!parallel() && !(depth >= least)) return {0, 0, -1};
    return place_at(d, depth);
}

Projection::Place Projection::place_at(const Vec3& d, double depth) const {
    const double scale = parallel() ? 1 / pixel : 1 / (pixel * depth);
    return {static_cast<float>(centre_x + dot(d, right) * scale),
            static_cast<float>(centre_y - dot(d, up) * scale),
            static_cast<float>(parallel() ? std::max(reach - depth, 0.0) : 1 / depth)};
}

Ray Projection::ray(int x, int y) const {
    const Vec3 beside = right * ((x + 0.5 - centre_x) * pixel) + up * ((centre_y - y - 0.5) * pixel);
    if (parallel()) return {.origin = origin + beside, .direction = forward};
    return {.origin = origin, .direction = forward + beside};
}

// A ball that goes from one end to the other while its radius changes by k for each metre has the envelope
//     c ρ = r + k y,   c = √(1 − k²),
// with the distance ρ from the axis and y along it; the ball that touches it there stands at (y + k r) / c².
std::optional<RoundHit> hit_cone(const Ray& ray, const RoundCone& cone) {
    const Vec3 o = ray.origin - cone.from, axis = cone.to - cone.from;
    const double aa = norm2(ray.direction);
    std::optional<RoundHit> best;
    const auto ball = [&](const Vec3& centre, double radius) {
        const Vec3 m = o - centre;
        const double b = dot(m, ray.direction), c = norm2(m) - radius * radius, root = b * b - aa * c;
        if (!(root >= 0)) return;
        const double distance = (-b - std::sqrt(root)) / aa;
        if (distance <= ray.near || (best && best->distance <= distance)) return;
        best = {distance, normalised(m + ray.direction * distance)};
    };
    ball({}, cone.from_radius);
    const double length = norm(axis);
    if (length == 0) return best;
    ball(axis, cone.to_radius);
    const Vec3 w = axis / length;
    const double k = (cone.to_radius - cone.from_radius) / length, cc = 1 - k * k, r = cone.from_radius;
    if (cc <= 0) return best;  // one ball is inside the other
    const double oy = dot(o, w), dy = dot(ray.direction, w), ry = r + k * oy;
    const double a = cc * (aa - dy * dy) - k * k * dy * dy;
    const double b = cc * (dot(o, ray.direction) - oy * dy) - k * dy * ry;
    const double c = cc * (norm2(o) - oy * oy) - ry * ry;
    const double root = b * b - a * c;
    if (!(root >= 0) || a == 0) return best;
    for (const double sign : {-1.0, 1.0}) {
        const double distance = (-b + sign * std::sqrt(root)) / a, y = oy + dy * distance;
        const double stands = (y + k * r) / cc;
        if (!(distance > ray.near) || r + k * y < 0 || stands < 0 || stands > length) continue;
        if (best && best->distance <= distance) continue;
        best = {distance, normalised(o + ray.direction * distance - w * stands)};
    }
    return best;
}

void DepthMap::project(std::span<const DepthMesh> meshes, const Projection& view, const Parallel& parallel,
                       std::vector<Projection::Place>& places) {
    const std::vector<std::size_t> start = starts(meshes);
    places.resize(start.back());
    each_range(
        meshes.size(), parallel, [&](std::size_t m) { return meshes[m].positions.size(); },
        [&](std::size_t m, std::size_t begin, std::size_t end) {
            for (std::size_t v = begin; v < end; ++v) places[start[m] + v] = view.place(world(meshes[m], v));
        });
}

void DepthMap::put(int x, int y, double near, std::uint32_t number) {
    const auto nearness = static_cast<float>(near);
    if (!(nearness > 0)) return;
    const std::uint64_t mine = static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(nearness)) << 32 |
                               static_cast<std::uint32_t>(~number);
    std::atomic_ref<std::uint64_t> pixel(
        keys_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)]);
    std::uint64_t old = pixel.load(std::memory_order_relaxed);
    while (old < mine && !pixel.compare_exchange_weak(old, mine, std::memory_order_relaxed)) {
    }
}

/// The pixels whose middles lie in the box around three corners: none, for half of all small triangles.
inline DepthMap::Pixels DepthMap::pixels(const Projection::Place& a, const Projection::Place& b,
                                         const Projection::Place& c) const {
    const float left = std::ceil(std::min(std::min(a.x, b.x), c.x) - 0.5f);
    const float right = std::floor(std::max(std::max(a.x, b.x), c.x) - 0.5f);
    if (!(left <= right)) return {};
    const float top = std::ceil(std::min(std::min(a.y, b.y), c.y) - 0.5f);
    const float bottom = std::floor(std::max(std::max(a.y, b.y), c.y) - 0.5f);
    if (!(top <= bottom)) return {};
    const auto last_x = static_cast<float>(width_ - 1), last_y = static_cast<float>(height_ - 1);
    if (left > last_x || right < 0 || top > last_y || bottom < 0) return {};
    return {static_cast<int>(std::max(left, 0.0f)), static_cast<int>(std::min(right, last_x)),
            static_cast<int>(std::max(top, 0.0f)), static_cast<int>(std::min(bottom, last_y))};
}

/// Corners are x and y in pixels, and nearness.
inline void DepthMap::triangle(const Vec3& a, const Vec3& b, const Vec3& c, const Pixels& box,
                               std::uint32_t number) {
    const double ux = b.x - a.x, uy = b.y - a.y, vx = c.x - a.x, vy = c.y - a.y;
    double area = ux * vy - uy * vx;
    const double sign = area < 0 ? -1 : 1;
    area *= sign;
    if (!(area > 0) || area > DBL_MAX) return;
    for (int y = box.top; y <= box.bottom; ++y) {
        for (int x = box.left; x <= box.right; ++x) {
            const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            // The shares of b and c, times the area; pixels on an edge belong to both of its triangles.
            const double s = (px * vy - py * vx) * sign, t = (ux * py - uy * px) * sign;
            if (s < 0 || t < 0 || s + t > area) continue;
            const double near = a.z + (s * (b.z - a.z) + t * (c.z - a.z)) / area;
            put(x, y, std::clamp(near, std::min({a.z, b.z, c.z}), std::max({a.z, b.z, c.z})), number);
        }
    }
}

/// A triangle that lies partly below the least depth: what is left of it has three or four corners.
void DepthMap::cut_triangle(const DepthMesh& mesh, const Projection& view, std::size_t t) {
    std::array<Vec3, 3> p;
    std::array<double, 3> depth{};
    for (std::size_t c = 0; c < 3; ++c) {
        p[c] = world(mesh, static_cast<std::size_t>(mesh.triangles[3 * t + c]));
        depth[c] = dot(p[c] - view.origin, view.forward) - view.least;
        if (!std::isfinite(depth[c])) return;
    }
    std::array<Projection::Place, 4> left{};
    std::size_t count = 0;
    const auto add = [&](const Vec3& point) {
        const Vec3 d = point - view.origin;
        const double z = std::max(dot(d, view.forward), view.least);
        left[count++] = view.place_at(d, z);
    };
    for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t next = (c + 1) % 3;
        if (depth[c] >= 0) add(p[c]);
        if ((depth[c] >= 0) != (depth[next] >= 0))
            add(p[c] + (p[next] - p[c]) * (depth[c] / (depth[c] - depth[next])));
    }
    const auto number = mesh.first + static_cast<std::uint32_t>(t);
    for (std::size_t k = 2; k < count; ++k)
        triangle(to_vec(left[0]), to_vec(left[k - 1]), to_vec(left[k]), pixels(left[0], left[k - 1], left[k]),
                 number);
}

void DepthMap::cone(const Projection& view, const RoundCone& cone, std::uint32_t number) {
    double left = HUGE_VAL, right = -HUGE_VAL, top = HUGE_VAL, bottom = -HUGE_VAL;
    const auto bound = [&](const Vec3& centre, double r) {
        const Vec3 d = centre - view.origin;
        const double z = dot(d, view.forward), x = dot(d, view.right), y = -dot(d, view.up);
        // Around the ball stands a box, with its nearest and its farthest side.
        for (const double side : {z - r, z + r}) {
            const double scale = 1 / (view.pixel * (view.parallel() ? 1 : std::max(side, view.least)));
            left = std::min(left, view.centre_x + (x - r) * scale);
            right = std::max(right, view.centre_x + (x + r) * scale);
            top = std::min(top, view.centre_y + (y - r) * scale);
            bottom = std::max(bottom, view.centre_y + (y + r) * scale);
        }
    };
    bound(cone.from, cone.from_radius), bound(cone.to, cone.to_radius);
    const Span rows = span_of(top, bottom, height_), columns = span_of(left, right, width_);
    for (int y = rows.first; y <= rows.last; ++y) {
        for (int x = columns.first; x <= columns.last; ++x) {
            Ray ray = view.ray(x, y);
            ray.near = view.parallel() ? -HUGE_VAL : view.least;
            if (const auto hit = hit_cone(ray, cone))
                put(x, y, view.parallel() ? view.reach - hit->distance : 1 / hit->distance, number);
        }
    }
}

void DepthMap::draw(const Projection& view, int width, int height, std::span<const DepthMesh> meshes,
                    std::span<const Projection::Place> places, std::span<const DepthCones> cones,
                    const Parallel& parallel) {
    width_ = width, height_ = height;
    keys_.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 0);
    const std::vector<std::size_t> start = starts(meshes);
    each_range(
        meshes.size(), parallel, [&](std::size_t m) { return meshes[m].triangles.size() / 3; },
        [&](std::size_t m, std::size_t begin, std::size_t end) {
            const DepthMesh& mesh = meshes[m];
            const Projection::Place* own = places.data() + start[m];
            for (std::size_t t = begin; t < end; ++t) {
                const Projection::Place& a = own[mesh.triangles[3 * t]];
                const Projection::Place& b = own[mesh.triangles[3 * t + 1]];
                const Projection::Place& c = own[mesh.triangles[3 * t + 2]];
                const int cut = (a.near < 0) + (b.near < 0) + (c.near < 0);
                if (cut == 3) continue;
                const Pixels box = cut == 0 ? pixels(a, b, c) : Pixels{};
                if (cut == 0 && box.empty()) continue;
                // Behind what turns away from the sun there is always something that faces it. Pictures have both sides: a
                // deformable body may be turned inside out.
                if (view.parallel() && mesh.closed &&
                    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0)
                    continue;
                if (cut == 0)
                    triangle(to_vec(a), to_vec(b), to_vec(c), box,
                             mesh.first + static_cast<std::uint32_t>(t));
                else
                    cut_triangle(mesh, view, t);
            }
        });
    for (const DepthCones& group : cones) {
        parallel.each(group.cones.size(), 64, [&](std::size_t k) {
            cone(view, group.cones[k], group.first + static_cast<std::uint32_t>(k));
        });
    }
}

}  // namespace plush::render
