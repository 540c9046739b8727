#include "record/capture.hpp"

#include <algorithm>
#include <unordered_map>

namespace plush {

namespace {

Vec3f to_float(const Vec3& v) {
    return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}

FrameMesh to_frame_mesh(const Mesh& mesh) {
    FrameMesh out;
    out.positions.reserve(mesh.positions().size());
    for (const Vec3& p : mesh.positions()) out.positions.push_back(to_float(p));
    out.triangles.reserve(3 * mesh.triangles().size());
    for (const Triangle& t : mesh.triangles()) out.triangles.insert(out.triangles.end(), t.begin(), t.end());
    return out;
}

FrameMesh deformed_mesh(const World& world, BodyId body) {
    FrameMesh out;
    for (const Vec3& p : world.drawn_positions(body)) out.positions.push_back(to_float(p));
    for (const Triangle& t : world.drawn_surface(body))
        out.triangles.insert(out.triangles.end(), t.begin(), t.end());
    for (const std::array<int, 2>& e : world.edges(body))
        out.segments.insert(out.segments.end(), e.begin(), e.end());
    return out;
}

/// The points of a body that has no pose; empty where it has one.
std::vector<Vec3> points_of(const World& world, BodyId body) {
    if (world.kind(body) == BodyKind::deformable) return world.drawn_positions(body);
    if (world.kind(body) != BodyKind::particles) return {};
    const auto x = world.particle_positions(body);
    return {x.begin(), x.end()};
}

}  // namespace

FrameCapture::FrameCapture(const World& world) : bodies_(world.bodies()) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const std::size_t index = bodies_[i].index;
        if (index >= place_.size()) place_.resize(index + 1, 0);
        place_[index] = static_cast<std::uint32_t>(i);
    }
}

FramesHeader FrameCapture::header(const World& world, const std::string& scene, double frame_rate) const {
    FramesHeader header{.scene = scene,
                        .step = world.settings().step,
                        .frame_rate = frame_rate,
                        .gravity = world.settings().gravity};
    // Looked up by address, numbered by first appearance: the file does not depend on addresses.
    std::unordered_map<const void*, std::int32_t> known;
    for (const BodyId body : bodies_) {
        FrameBody out{.name = world.name(body), .kind = std::string(to_word(world.kind(body)))};
        const Look& look = world.look(body);
        if (!look.colour.empty()) out.colour = static_cast<std::int32_t>(parse_colour(look.colour).value());
        out.finish = look.finish;
        if (world.kind(body) == BodyKind::particles) {
            out.points = world.particle_positions(body).size();
            out.radius = world.particle_radius(body);
        } else if (world.kind(body) == BodyKind::deformable) {
            out.points = world.drawn_positions(body).size();
            out.radius = world.vertex_radius(body);
            if (world.drawn_surface(body).empty() && world.edges(body).empty()) {
                out.kind = to_word(BodyKind::particles);  // drawn as such: that surface laws act on them
            } else {                                      // or points is nothing to a picture
                out.mesh = static_cast<std::int32_t>(header.meshes.size());
                header.meshes.push_back(deformed_mesh(world, body));
            }
        } else if (const Mesh& mesh = world.drawn(body); !mesh.empty()) {
            const auto [entry, is_new] =
                known.try_emplace(mesh.identity(), static_cast<std::int32_t>(header.meshes.size()));
            if (is_new) header.meshes.push_back(to_frame_mesh(mesh));
            out.mesh = entry->second;
        } else if (const Shape& shape = world.shape(body); !shape.empty() && !shape.bounded()) {
            out.normal = to_float(shape.distance().sample({}).gradient);
        }
        header.bodies.push_back(std::move(out));
    }
    return header;
}

void FrameCapture::take(const World& world, Frame& frame) const {
    frame.step = world.steps();
    frame.time = world.time();
    frame.asleep.clear(), frame.poses.clear(), frame.points.clear(), frame.contacts.clear();
    frame.surfaces.clear();
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        const BodyId body = bodies_[i];
        frame.asleep.push_back(world.asleep(body));
        const std::vector<Vec3> points = points_of(world, body);
        if (world.kind(body) == BodyKind::deformable && world.cuts(body) > 0) {
            FrameSurface& surface = frame.surfaces.emplace_back();
            surface.body = static_cast<std::uint32_t>(i), surface.points = points.size();
            for (const Triangle& t : world.drawn_surface(body))
                surface.triangles.insert(surface.triangles.end(), t.begin(), t.end());
        }
        if (points.empty()) frame.poses.push_back(world.pose(body));
        for (const Vec3& p : points) frame.points.push_back(to_float(p));
    }
    for (const Contact& c : world.contacts()) {
        if (c.a.index >= place_.size() || c.b.index >= place_.size())
            continue;  // a body that was added later
        frame.contacts.push_back({.a = place_[c.a.index],
                                  .b = place_[c.b.index],
                                  .point = to_float(c.point),
                                  .normal = to_float(c.normal),
                                  .force = to_float(c.normal * c.normal_force + c.friction_force),
                                  .depth = static_cast<float>(c.depth),
                                  .sticking = c.sticking});
    }
}

}  // namespace plush
