#pragma once

#include <algorithm>
#include <array>

#include "render/depth_map.hpp"
#include "render/sample_surface.hpp"

// A stage as a z-buffer takes it, and where on the picture it is.

namespace plush::render {

/// All bodies of a stage, numbered triangle by triangle and cone by cone.
class StageTriangles {
public:
    StageTriangles(const Stage& stage, const SampledScene& sampled) {
        cones_.reserve(stage.balls.size() + 1);
        for (std::size_t i = 0; i < stage.bodies.size(); ++i)
            add(sampled.body(i), stage.bodies[i].pose, false);
        for (std::size_t i = 0; i < stage.softs.size(); ++i)
            add(sampled.soft(i), std::nullopt, stage.softs[i].triangles.empty() && !sampled.soft(i).open);
        for (const StageBalls& balls : stage.balls) {
            auto& cones = cones_.emplace_back();
            for (const Vec3f& c : balls.centres)
                cones.push_back({to_double(c), to_double(c), balls.radius, balls.radius});
            add(cones);
        }
        for (const StageTubes& tubes : stage.tubes) add(tubes.tubes);
    }
    std::span<const DepthMesh> meshes() const { return meshes_; }
    std::span<const DepthCones> cones() const { return groups_; }

    /// What the ray meets of the triangle or cone with this number.
    RayHit hit(const Ray& ray, std::uint32_t number) const {
        const auto object = static_cast<std::size_t>(std::upper_bound(first_.begin(), first_.end(), number) -
                                                     first_.begin()) -
                            1;
        const std::uint32_t k = number - first_[object];
        RayHit out{.object = static_cast<int>(object), .primitive = static_cast<int>(k)};
        if (object >= meshes_.size()) {
            const auto round = hit_cone(ray, groups_[object - meshes_.size()].cones[k]);
            out.distance = round ? round->distance : 0, out.normal = round ? round->normal : -ray.direction;
            return out;
        }
        const DepthMesh& mesh = meshes_[object];
        std::array<Vec3, 3> p;
        for (std::size_t c = 0; c < 3; ++c) {
            p[c] = to_double(mesh.positions[static_cast<std::size_t>(mesh.triangles[3 * k + c])]);
            if (mesh.pose) p[c] = *mesh.pose * p[c];
        }
        const Vec3 u = p[1] - p[0], v = p[2] - p[0], normal = cross(u, v), o = ray.origin - p[0];
        const double slope = dot(ray.direction, normal);
        out.normal = normalised(normal, -ray.direction);
        if (slope == 0) return out;
        out.distance = -dot(o, normal) / slope;
        // Rounding may put the point just outside.
        const Vec3 q = cross(o, ray.direction);
        out.u = std::clamp(-dot(v, q) / slope, 0.0, 1.0);
        out.v = std::clamp(dot(u, q) / slope, 0.0, 1.0 - out.u);
        return out;
    }

private:
    void add(const SampleMesh& mesh, const std::optional<Transform>& pose, bool closed) {
        first_.push_back(next_);
        meshes_.push_back({mesh.positions, mesh.triangles, pose, next_, closed});
        next_ += static_cast<std::uint32_t>(mesh.triangles.size() / 3);
    }
    void add(std::span<const RoundCone> cones) {
        first_.push_back(next_);
        groups_.push_back({cones, next_});
        next_ += static_cast<std::uint32_t>(cones.size());
    }
    std::vector<DepthMesh> meshes_;
    std::vector<DepthCones> groups_;
    std::vector<std::vector<RoundCone>> cones_;  // of balls
    std::vector<std::uint32_t> first_;           // of each object
    std::uint32_t next_ = 0;
};

/// Sums over tiles up to each, to know at once whether a square of them holds anything.
class Occupied {
    static constexpr int tile = 16;  // pixels

public:
    Occupied(const DepthMap& bodies, const Parallel& parallel)
        : across_((bodies.width() + tile - 1) / tile), down_((bodies.height() + tile - 1) / tile) {
        const auto size = static_cast<std::size_t>((across_ + 1) * (down_ + 1));
        sums_.assign(size, 0);
        parallel.each(static_cast<std::size_t>(down_), 1, [&](std::size_t row) {
            const int top = static_cast<int>(row) * tile;
            for (int y = top; y < std::min(top + tile, bodies.height()); ++y)
                for (int x = 0; x < bodies.width(); ++x)
                    if (bodies.near(x, y) > 0) sums_[at(x / tile + 1, top / tile + 1)] = 1;
        });
        for (int y = 1; y <= down_; ++y)
            for (int x = 1; x <= across_; ++x)
                sums_[at(x, y)] += sums_[at(x - 1, y)] + sums_[at(x, y - 1)] - sums_[at(x - 1, y - 1)];
    }
    bool any(int x, int y, int around) const {
        const int left = std::max(x - around, 0) / tile, right = std::min((x + around) / tile + 1, across_);
        const int top = std::max(y - around, 0) / tile, bottom = std::min((y + around) / tile + 1, down_);
        return sums_[at(right, bottom)] - sums_[at(left, bottom)] - sums_[at(right, top)] +
                   sums_[at(left, top)] >
               0;
    }

private:
    std::size_t at(int x, int y) const { return static_cast<std::size_t>(y * (across_ + 1) + x); }
    int across_, down_;
    std::vector<int> sums_;
};

}  // namespace plush::render
