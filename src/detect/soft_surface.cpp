#include "detect/soft_surface.hpp"

namespace plush {

SoftSurface::SoftSurface(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                         std::shared_ptr<const Embedding> skin)
    : skin_(std::move(skin)) {
    std::vector<Vec3> points(vertices.begin(), vertices.end());
    if (skin_) {
        points.resize(skin_->size());
        skin_->apply(vertices, points);
    }
    clusters_ = SurfaceClusters(points, triangles);
    if (skin_) carriers_ = ClusterCarriers(clusters_, *skin_);
    Box3 box;
    double area = 0;
    for (const Triangle& t : triangles) {
        const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
        for (std::size_t k = 0; k < 3; ++k) box.add(corner(k));
        const Vec3 n = cross(corner(1) - corner(0), corner(2) - corner(0));
        area += 0.5 * norm(n);
        volume_ += dot(corner(0) - points.front(), n) / 6;
    }
    size_ = triangles.empty() ? 0 : max_component(box.size());
    thickness_ = area > 0 ? volume_ / area : 0;
}

void SoftSurface::refit(std::span<const Vec3> vertices, ClusterBounds& bounds) const {
    if (skin_)
        carriers_.refit(vertices, bounds);
    else
        bounds.refit(clusters_, vertices);
}

}  // namespace plush
