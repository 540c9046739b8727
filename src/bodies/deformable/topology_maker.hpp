#pragma once

#include <cmath>

#include <fmt/format.h>

#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/volume_springs.hpp"
#include "core/assert.hpp"
#include "core/range_check.hpp"

// What the builders of topologies.cpp and topologies_solid.cpp share: checks, springs at their present
// length, and masses.

namespace plush::topology {

/// Above this a mistake is likelier than a wish: some gigabytes of springs.
inline constexpr std::size_t max_vertices = 10'000'000;

inline std::optional<Error> bad_material(const SpringMaterial& m) {
    const auto in_range = check_ranges(m);
    return in_range ? std::nullopt : std::optional(in_range.error());
}

inline std::optional<Error> bad_count(std::string_view what, std::initializer_list<int> counts, int least) {
    double product = 1;
    for (int c : counts) {
        if (c < least)
            return Error({.place = std::string(what),
                          .problem = fmt::format("{} is too few", c),
                          .cure = fmt::format("take at least {}", least)});
        product *= c + 1.0;
    }
    if (product > static_cast<double>(max_vertices))
        return Error({.place = std::string(what),
                      .problem = fmt::format("{:.0f} vertices are too many", product),
                      .cure = fmt::format("take fewer: {} at most", max_vertices)});
    return std::nullopt;
}

/// Collects the springs of one model.
class Maker {
public:
    Maker(DeformableModel& model, const SpringMaterial& material)
        : model_(model), material_(material), springs_(std::make_unique<Springs>(material.law)) {}

    /// At its present length. Two vertices in one place are not joined where the law divides by the length.
    void spring(std::uint32_t i, std::uint32_t j, double stiffness) {
        PLUSH_ASSERT(i < model_.positions.size() && j < model_.positions.size());
        const double length = norm(model_.positions[j] - model_.positions[i]);
        if (stiffness == 0 || i == j || (material_.law == SpringLaw::relative && length == 0)) return;
        springs_->add({i, j, length, stiffness, material_.damping});
    }
    /// A spring of `stretch`, on an edge that constraints may hold too.
    void edge(std::uint32_t i, std::uint32_t j) {
        if (i != j) model_.structure.push_back({i, j});
        spring(i, j, material_.stretch);
    }
    void add_springs() {
        if (springs_->size() > 0) model_.elements.push_back(std::move(springs_));
    }
    /// Shares of the mass in proportion to `shares` (which sum to the length, area or volume).
    std::optional<Error> weigh(std::vector<double> shares) {
        PLUSH_ASSERT(shares.size() == model_.positions.size());
        double sum = 0;
        for (double s : shares) sum += s;
        const double scale = material_.mass ? *material_.mass / sum : material_.density;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            shares[i] *= scale;
            if (!(shares[i] > 0) || !std::isfinite(shares[i]))
                return Error({.place = fmt::format("vertex {}", i),
                              .problem = "it has no mass",
                              .cure = "remove vertices that nothing uses, and triangles without area"});
        }
        model_.masses = std::move(shares);
        return std::nullopt;
    }

private:
    DeformableModel& model_;
    const SpringMaterial& material_;
    std::unique_ptr<Springs> springs_;
};

/// Faces of one tet only, outward, on the tets' own vertices.
std::vector<Triangle> boundary_faces(std::span<const Tet> tets);

inline std::uint32_t index(int i) {
    return static_cast<std::uint32_t>(i);
}

inline std::vector<double> area_shares(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    std::vector<double> shares(x.size(), 0.0);
    for (const Triangle& t : triangles) {
        const double area =
            0.5 * norm(cross(x[index(t[1])] - x[index(t[0])], x[index(t[2])] - x[index(t[0])]));
        for (int v : t) shares[index(v)] += area / 3;
    }
    return shares;
}

/// The volume inside the model's triangles as one spring; an error where they have none.
inline std::optional<Error> add_closed_volume(DeformableModel& model, double stiffness) {
    if (stiffness == 0) return std::nullopt;
    const double volume = ClosedVolume(model.triangles, 1, 0).volume(model.positions);
    if (!(volume > 0))
        return Error({.problem = fmt::format("the volume inside the surface is {} m³", volume),
                      .cure = "flip the triangles, so that they are counter-clockwise seen from outside"});
    model.elements.push_back(std::make_unique<ClosedVolume>(model.triangles, volume, stiffness));
    return std::nullopt;
}

}  // namespace plush::topology
