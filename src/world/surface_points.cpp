#include "world/surface_points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "world/queries.hpp"
#include "world/refusal.hpp"

namespace plush {
namespace {

/// Of the coordinates: two places that are nearer are one. Places at rest are combinations of the same corners, and differ by
/// rounding alone.
constexpr double same_place = 1e-9;

struct Corners {
    Vec3 a, b, c;
    Vec3 at(const Vec3& w) const { return a * w.x + b * w.y + c * w.z; }
    Vec3 normal() const {
        const Vec3 n = cross(b - a, c - a);
        return norm2(n) > 0 ? normalised(n) : Vec3{};
    }
};

Corners corners_of(std::span<const Vec3> x, const Triangle& t) {
    const auto at = [&](int i) { return x[static_cast<std::size_t>(i)]; };
    return {at(t[0]), at(t[1]), at(t[2])};
}

[[noreturn]] void throw_removed(const BodyRecord& record) {
    refuse(record.name, "surface point", "a cut has removed the surface at this place",
           "take a new one with World::ray() or World::closest()");
}

bool is_at(const SurfacePoint& at, const Corners& corners) {
    const double size = std::max({norm(corners.a), norm(corners.b), norm(corners.c), norm(at.local)});
    return norm(corners.at(at.weights) - at.local) <= same_place * size &&
           dot(corners.normal(), at.local_normal) >= 0;
}

/// After a cut, by the place at rest.
SurfacePoint search(const BodyRecord& record, SurfacePoint at) {
    const auto x = local_corners(record);
    const auto triangles = queried_triangles(record);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Corners corners = corners_of(x, triangles[t]);
        at.weights = closest_weights(at.local, corners.a, corners.b, corners.c);
        at.triangle = static_cast<std::uint32_t>(t);
        if (is_at(at, corners)) return at;
    }
    throw_removed(record);
}

/// Of the corners of a triangle, in the vertices of the body.
void add_corner(std::vector<VertexWeight>& to, const BodyRecord& record, std::size_t corner, double weight) {
    if (weight == 0) return;
    if (record.parts.skin.empty()) {
        to.push_back({static_cast<std::uint32_t>(corner), weight});
        return;
    }
    for (const Embedding::Entry& e : record.parts.skin_weights->row(corner))
        to.push_back({e.vertex, weight * e.weight});
}

std::vector<VertexWeight> merged(std::vector<VertexWeight> weights) {
    std::stable_sort(weights.begin(), weights.end(),
                     [](const VertexWeight& a, const VertexWeight& b) { return a.vertex < b.vertex; });
    std::vector<VertexWeight> out;
    for (const VertexWeight& w : weights) {
        if (out.empty() || out.back().vertex != w.vertex)
            out.push_back(w);
        else
            out.back().weight += w.weight;
    }
    return out;
}

void require_weights(const BodyRecord& record, const Vec3& w) {
    require(record.name, is_finite(w) && std::abs(w.x + w.y + w.z - 1) <= 1e-6, "weights",
            "they do not sum to 1", "give barycentric weights of a triangle's corners");
}

bool has_vertices(const BodyRecord& record) {
    return record.is_deformable() || record.kind == BodyKind::particles;
}

std::span<const Vec3> vertices_of(const BodyRecord& record) {
    return record.is_deformable() ? record.deformable().positions() : record.particles().positions();
}

}  // namespace

SurfacePoint make_surface_point(const BodyStore& bodies, BodyId body, std::uint32_t triangle,
                                const Vec3& weights) {
    const BodyRecord& record = bodies.at(body);
    require_weights(record, weights);
    const std::size_t count = is_beads(record) ? beads_of(record).size() : queried_triangles(record).size();
    if (triangle >= count)
        refuse(record.name, "triangle", fmt::format("there is no triangle {}", triangle),
               count > 0 ? fmt::format("it has {}, counted from 0", count)
                         : "the body has none: take a point with World::ray() or World::closest()");
    SurfacePoint at{body, triangle, weights, {}, {}};
    if (is_beads(record)) return at;
    const Corners corners = corners_of(local_corners(record), queried_triangles(record)[triangle]);
    at.local = corners.at(weights), at.local_normal = corners.normal();
    return at;
}

SurfacePoint resolve(const BodyStore& bodies, const SurfacePoint& at) {
    const BodyRecord& record = bodies.at(at.body);
    if (!record.is_deformable() || is_beads(record)) return at;
    const auto x = local_corners(record);
    const auto triangles = queried_triangles(record);
    if (!record.source) {  // never cut
        if (at.triangle >= triangles.size()) throw_removed(record);
        return at;
    }
    if (at.triangle < triangles.size() && is_at(at, corners_of(x, triangles[at.triangle]))) return at;
    return search(record, at);
}

std::vector<VertexWeight> weights_of(const BodyStore& bodies, const SurfacePoint& given) {
    const SurfacePoint at = resolve(bodies, given);
    const BodyRecord& record = bodies.at(at.body);
    if (!has_vertices(record)) throw_wrong_kind(record, "a body with vertices");
    std::vector<VertexWeight> weights;
    if (is_beads(record)) {
        const BeadSurface beads = beads_of(record);
        if (at.triangle >= beads.size()) throw_removed(record);
        const auto [a, b] = beads.ends(at.triangle);
        if (at.weights.x != 0) weights.push_back({static_cast<std::uint32_t>(a), at.weights.x});
        if (at.weights.y != 0) weights.push_back({static_cast<std::uint32_t>(b), at.weights.y});
    } else {
        const Triangle& t = queried_triangles(record)[at.triangle];
        for (std::size_t k = 0; k < 3; ++k)
            add_corner(weights, record, static_cast<std::size_t>(t[k]), at.weights[k]);
    }
    return merged(std::move(weights));
}

Vec3 position_of(const BodyStore& bodies, const SurfacePoint& at) {
    const BodyRecord& record = bodies.at(at.body);
    if (!has_vertices(record)) return record.body->pose() * at.local;
    const auto x = vertices_of(record);
    Vec3 sum{};
    for (const VertexWeight& w : weights_of(bodies, at)) sum += w.weight * x[w.vertex];
    return sum;
}

Vec3 velocity_of(const BodyStore& bodies, const SurfacePoint& at) {
    const BodyRecord& record = bodies.at(at.body);
    if (!has_vertices(record)) return record.body->velocity_at(record.body->pose() * at.local);
    const auto v =
        record.is_deformable() ? record.deformable().velocities() : record.particles().velocities();
    Vec3 sum{};
    for (const VertexWeight& w : weights_of(bodies, at)) sum += w.weight * v[w.vertex];
    return sum;
}

SkinWeights skin_weights_of(const BodyRecord& record) {
    static_cast<void>(require_deformable(record));
    SkinWeights out;
    out.first.push_back(0);
    const std::size_t points = record.parts.skin.empty() ? record.deformable().positions().size()
                                                         : record.parts.skin_weights->size();
    for (std::size_t i = 0; i < points; ++i) {
        add_corner(out.entries, record, i, 1);
        out.first.push_back(out.entries.size());
    }
    return out;
}

std::vector<VertexWeight> weights_at(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                     std::uint32_t body, const Vec3& point) {
    const BodyRecord& record = bodies[body];
    const auto x = record.deformable().positions();
    // Of a body that was cut, tets overlap where a part of each is empty; its surface is right for all of them.
    const bool cut = record.source && record.tets.tets().size() != record.source->solid.tets().tets().size();
    if (!cut)
        for (const Tet& t : record.tets.tets()) {
            const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
            const Mat3 edges = Mat3::columns(at(1) - at(0), at(2) - at(0), at(3) - at(0));
            if (!(determinant(edges) > 0)) continue;
            const Vec3 w = inverse(edges) * (point - at(0));
            if (!(w.x >= 0 && w.y >= 0 && w.z >= 0 && w.x + w.y + w.z <= 1)) continue;
            std::vector<VertexWeight> weights;
            const double all[4] = {1 - w.x - w.y - w.z, w.x, w.y, w.z};
            for (std::size_t k = 0; k < 4; ++k)
                if (all[k] > 0) weights.push_back({static_cast<std::uint32_t>(t[k]), all[k]});
            return merged(std::move(weights));
        }
    const auto near = closest_on_body(bodies, surfaces, body, point, HUGE_VAL);
    PLUSH_ASSERT(near);
    return weights_of(bodies, near->surface);
}

}  // namespace plush
