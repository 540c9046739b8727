#pragma once

#include <numbers>

#include "render/small_runs.hpp"

namespace plush::test {

/// A square of cloth with n × n vertices in the plane y = 0, its front up; `side` m.
inline FrameMesh cloth_mesh(int n, double side) {
    FrameMesh mesh;
    const auto index = [n](int i, int k) { return static_cast<std::int32_t>(k * n + i); };
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i)
            mesh.positions.push_back({static_cast<float>(side * (i / (n - 1.0) - 0.5)), 0,
                                      static_cast<float>(side * (k / (n - 1.0) - 0.5))});
    for (int k = 0; k + 1 < n; ++k)
        for (int i = 0; i + 1 < n; ++i)
            mesh.triangles.insert(mesh.triangles.end(), {index(i, k), index(i, k + 1), index(i + 1, k + 1),
                                                         index(i, k), index(i + 1, k + 1), index(i + 1, k)});
    return mesh;
}

/// n vertices along x, `length` m, with a segment between each and the next.
inline FrameMesh rope_mesh(int n, double length) {
    FrameMesh mesh;
    for (int i = 0; i < n; ++i) {
        mesh.positions.push_back({static_cast<float>(length * (i / (n - 1.0) - 0.5)), 0, 0});
        if (i > 0) mesh.segments.insert(mesh.segments.end(), {i - 1, i});
    }
    return mesh;
}

/// The points of a mesh, each moved by `move`: Vec3 → Vec3.
template <class Move>
std::vector<Vec3f> moved(const FrameMesh& mesh, const Move& move) {
    std::vector<Vec3f> out;
    for (const Vec3f& p : mesh.positions) {
        const Vec3 q =
            move(Vec3{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)});
        out.push_back({static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z)});
    }
    return out;
}

/// A run of a ground and deformable bodies, given by hand.
struct SoftRun {
    FramesHeader header{.scene = "soft", .step = 0.01, .frame_rate = 30, .gravity = {0, -9.81, 0}};

    SoftRun() { header.bodies.push_back({.name = "ground", .kind = "fixed", .normal = {0, 1, 0}}); }
    void add(const std::string& name, FrameMesh mesh, double radius = 0) {
        header.bodies.push_back({.name = name,
                                 .kind = "soft",
                                 .mesh = static_cast<std::int32_t>(header.meshes.size()),
                                 .points = mesh.positions.size(),
                                 .radius = radius});
        header.meshes.push_back(std::move(mesh));
    }
    Frame frame(std::vector<Vec3f> points) const {
        Frame f{.points = std::move(points)};
        f.asleep.assign(header.bodies.size(), 0);
        for (const FrameBody& body : header.bodies)
            if (body.points == 0) f.poses.emplace_back();
        return f;
    }
    FrameWriter create(const std::filesystem::path& folder) const {
        std::filesystem::create_directories(folder);
        return FrameWriter::create(folder / "frames.plush", header).value();
    }
};

}  // namespace plush::test
