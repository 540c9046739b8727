#include "detect/depth_images/soft_surface.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

/// The points in which vertices have their largest weights. A vertex that carries little of the surface
/// everywhere, as many of a cage that lie outside of it, has none: whatever it does moves nothing.
std::vector<std::uint32_t> surface_samples(const Embedding& skin, std::size_t vertices) {
    constexpr double little = 0.05;
    constexpr auto none = ~std::uint32_t{0};
    std::vector<double> most(vertices, little);
    std::vector<std::uint32_t> points(vertices, none);
    for (std::size_t p = 0; p < skin.size(); ++p)
        for (const Embedding::Entry& e : skin.row(p)) {
            PLUSH_ASSERT(e.vertex < vertices);
            if (std::abs(e.weight) > most[e.vertex])
                most[e.vertex] = std::abs(e.weight), points[e.vertex] = static_cast<std::uint32_t>(p);
        }
    std::erase(points, none);
    return points;
}

}  // namespace

SoftSurface::SoftSurface(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                         std::shared_ptr<const Embedding> skin)
    : skin_(std::move(skin)) {
    std::vector<Vec3> points(vertices.begin(), vertices.end());
    if (skin_) {
        points.resize(skin_->size());
        skin_->apply(vertices, points);
    }
    clusters_ = SurfaceClusters(points, triangles);
    if (skin_) cages_ = ClusterCages(clusters_, *skin_);
    Box3 box;
    double area = 0;
    for (const Triangle& t : triangles) {
        const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
        for (std::size_t k = 0; k < 3; ++k) box.add(corner(k));
        const Vec3 n = cross(corner(1) - corner(0), corner(2) - corner(0));
        area += 0.5 * norm(n);
        volume_ += dot(corner(0) - points.front(), n) / 6;
    }
    if (skin_)
        samples_ = surface_samples(*skin_, vertices.size());
    else
        samples_.assign(clusters_.vertices().begin(), clusters_.vertices().end());
    std::sort(samples_.begin(), samples_.end());
    samples_.erase(std::unique(samples_.begin(), samples_.end()), samples_.end());
    size_ = triangles.empty() ? 0 : max_component(box.size());
    thickness_ = area > 0 ? volume_ / area : 0;
}

void SoftSurface::samples(std::span<const Vec3> vertices, std::vector<Vec3>& points) const {
    PLUSH_ASSERT(samples_.empty() || samples_.back() < (skin_ ? skin_->size() : vertices.size()));
    points.resize(samples_.size());
    for (std::size_t k = 0; k < points.size(); ++k)
        points[k] = skin_ ? skin_->at(samples_[k], vertices) : vertices[samples_[k]];
}

void SoftSurface::refit(std::span<const Vec3> vertices, ClusterBounds& bounds) const {
    if (skin_)
        cages_.refit(vertices, bounds);
    else
        bounds.refit(clusters_, vertices);
}

}  // namespace plush
