#include "render/sun_map.hpp"

#include <algorithm>
#include <array>

// Percentage-closer soft shadows (Fernando 2005): what stands between a point and the sun is found in a disc of the map, its
// mean height gives the width of the half shadow there, and a second disc of that width is asked how much is in the light.

namespace plush::render {

namespace {

constexpr int map_side = 768;
constexpr int cell = 24;                 // texels of a coarse cell; no disc is wider to one side
constexpr double map_reach = 3;          // of the subject's radius: what is farther away throws no shadow
constexpr std::size_t taps = 16;         // of a disc
constexpr double least_disc = 1.2;       // texels
constexpr double least_facing = 0.15;    // a surface that the sun grazes more would need bias without end
constexpr double disc_tangent = 0.0787;  // of half the sun's disc, 4.5°

struct Tap {
    double x, y;
};

/// The taps of the 16 parts: golden spirals, each turned.
const std::array<std::array<Tap, taps>, 16>& discs() {
    static const auto made = [] {
        std::array<std::array<Tap, taps>, 16> out{};
        for (std::size_t part = 0; part < 16; ++part) {
            for (std::size_t k = 0; k < taps; ++k) {
                const auto n = static_cast<double>(16 * k + part);
                const double r = std::sqrt((n + 0.5) / (16.0 * taps)), angle = 2.399963229728653 * n;
                out[part][k] = {r * std::cos(angle), r * std::sin(angle)};
            }
        }
        return out;
    }();
    return made;
}

}  // namespace

void SunMap::draw(const Studio& studio, const Stage& stage, std::span<const DepthMesh> meshes,
                  std::span<const DepthCones> cones, const Parallel& parallel) {
    const double reach = map_reach * stage.radius;
    const Vec3 right = perpendicular(studio.sun());
    view_ = {.origin = stage.centre + studio.sun() * (10 * reach),
             .right = right,
             .up = cross(studio.sun(), right),
             .forward = -studio.sun(),
             .pixel = 1,
             .reach = 20 * reach};
    DepthMap::project(meshes, view_, parallel, places_);
    // The map is as large as what it shows.
    const auto limit = static_cast<float>(reach);
    std::array<float, 4> box{limit, -limit, limit, -limit};
    const auto add = [&](float x, float y, float r) {
        if (!(std::abs(x) < 1e30f) || !(std::abs(y) < 1e30f)) return;
        box[0] = std::min(box[0], std::clamp(x - r, -limit, limit));
        box[1] = std::max(box[1], std::clamp(x + r, -limit, limit));
        box[2] = std::min(box[2], std::clamp(y - r, -limit, limit));
        box[3] = std::max(box[3], std::clamp(y + r, -limit, limit));
    };
    for (const Projection::Place& p : places_) add(p.x, p.y, 0);
    for (const DepthCones& group : cones) {
        for (const RoundCone& c : group.cones) {
            const auto a = view_.place(c.from), b = view_.place(c.to);
            add(a.x, a.y, static_cast<float>(c.from_radius)), add(b.x, b.y, static_cast<float>(c.to_radius));
        }
    }
    side_ = box[0] < box[1] ? map_side : 0;
    if (side_ == 0) return;
    const double size = static_cast<double>(std::max(box[1] - box[0], box[3] - box[2]));
    view_.pixel = std::max(size, 1e-6 * reach) / (map_side - 4);
    view_.centre_x = 2 - static_cast<double>(box[0]) / view_.pixel;
    view_.centre_y = 2 - static_cast<double>(box[2]) / view_.pixel;
    const auto scale = static_cast<float>(1 / view_.pixel);
    const auto shift_x = static_cast<float>(view_.centre_x), shift_y = static_cast<float>(view_.centre_y);
    for (Projection::Place& p : places_) p.x = p.x * scale + shift_x, p.y = p.y * scale + shift_y;
    map_.draw(view_, side_, side_, meshes, places_, cones, parallel);
    depths_.resize(static_cast<std::size_t>(side_ * side_));
    constexpr int cells = map_side / cell;
    std::array<float, static_cast<std::size_t>(cells * cells)> most{};
    parallel.each(static_cast<std::size_t>(cells), 1, [&](std::size_t row) {
        const int top = static_cast<int>(row) * cell;
        for (int y = top; y < top + cell; ++y) {
            for (int x = 0; x < side_; ++x) {
                const float near = map_.near(x, y);
                depths_[static_cast<std::size_t>(y * side_ + x)] = near;
                float& m = most[row * static_cast<std::size_t>(cells) + static_cast<std::size_t>(x / cell)];
                m = std::max(m, near);
            }
        }
    });
    coarse_.assign(most.size(), 0);
    for (int y = 0; y < cells; ++y)
        for (int x = 0; x < cells; ++x)
            for (int j = std::max(y - 1, 0); j <= std::min(y + 1, cells - 1); ++j)
                for (int i = std::max(x - 1, 0); i <= std::min(x + 1, cells - 1); ++i) {
                    float& m = coarse_[static_cast<std::size_t>(y * cells + x)];
                    m = std::max(m, most[static_cast<std::size_t>(j * cells + i)]);
                }
}

double SunMap::seen(const Vec3& place, const Vec3& normal, std::size_t part) const {
    if (side_ == 0) return 1;
    const Vec3 d = place - view_.origin;
    const double x = view_.centre_x + dot(d, view_.right) / view_.pixel;
    const double y = view_.centre_y - dot(d, view_.up) / view_.pixel;
    if (!(x > -cell && y > -cell && x < side_ + cell && y < side_ + cell)) return 1;
    constexpr int cells = map_side / cell;
    const auto cell_of = [](double at) { return std::clamp(static_cast<int>(at) / cell, 0, cells - 1); };
    // How nearness changes along the surface, for each texel to the right and downwards.
    const double facing = std::max(-dot(normal, view_.forward), least_facing);
    const double slope_x = -dot(normal, view_.right) / facing * view_.pixel;
    const double slope_y = dot(normal, view_.up) / facing * view_.pixel;
    const double bias = view_.pixel * (1 + 0.7 * (std::abs(slope_x) + std::abs(slope_y)) / view_.pixel);
    const double here = view_.reach - dot(d, view_.forward);
    const auto top = static_cast<double>(coarse_[static_cast<std::size_t>(cell_of(y) * cells + cell_of(x))]);
    const double above = top - here;
    if (above < bias) return 1;
    const auto& disc = discs()[part];
    const auto ask = [&](double radius, double& height) {
        int blocked = 0;
        for (std::size_t k = 0; k < taps; ++k) {
            const Tap& tap = disc[k];
            const double px = x + radius * tap.x, py = y + radius * tap.y;
            const int i = static_cast<int>(std::floor(px)), j = static_cast<int>(std::floor(py));
            if (i < 0 || j < 0 || i >= side_ || j >= side_) continue;
            const double mine = here + slope_x * (i + 0.5 - x) + slope_y * (j + 0.5 - y);
            const double over = static_cast<double>(nearest(i, j)) - mine;
            if (over > bias) ++blocked, height += over;
        }
        if (blocked > 0) height /= blocked;
        return blocked;
    };
    const double texels = disc_tangent / view_.pixel;
    double height = 0, ignored = 0;
    const int around = ask(std::clamp(above * texels, least_disc, cell - 1.0), height);
    if (around == 0) return 1;
    if (around == static_cast<int>(taps)) return 0;
    const int blocked = ask(std::clamp(height * texels, least_disc, cell - 1.0), ignored);
    return 1 - static_cast<double>(blocked) / static_cast<double>(taps);
}

}  // namespace plush::render
