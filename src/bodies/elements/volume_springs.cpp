#include "bodies/elements/volume_springs.hpp"

#include "core/assert.hpp"

namespace plush {

void TetVolumes::add(const TetVolume& tet) {
    PLUSH_ASSERT(tet.rest_volume > 0);
    append(tet.vertices, tet.stiffness / tet.rest_volume, tet.damping / tet.rest_volume);
    rest_.push_back(tet.rest_volume);
}

Measure<4> TetVolumes::measure(std::size_t element, const std::array<Vec3, 4>& p) const {
    const Vec3 a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
    Measure<4> m;
    const Vec3 g1 = cross(b, c) / 6, g2 = cross(c, a) / 6, g3 = cross(a, b) / 6;
    m.value = dot(a, g1) - rest_[element];
    m.gradient = {-(g1 + g2 + g3), g1, g2, g3};
    return m;
}

ClosedVolume::ClosedVolume(std::vector<Triangle> triangles, double rest_volume, double stiffness,
                           double damping)
    : triangles_(std::move(triangles)), rest_(rest_volume), stiffness_(stiffness), damping_(damping) {
    PLUSH_ASSERT(!triangles_.empty() && rest_ > 0);
    PLUSH_ASSERT(stiffness_ >= 0 && damping_ >= 0);
}

double ClosedVolume::volume(std::span<const Vec3> x) const {
    const auto at = [&](int i) -> const Vec3& { return x[static_cast<std::size_t>(i)]; };
    const Vec3 origin = at(triangles_.front()[0]);  // near the surface: far from it digits are lost
    double sum = 0;
    for (const Triangle& t : triangles_)
        sum += dot(at(t[0]) - origin, cross(at(t[1]) - origin, at(t[2]) - origin));
    return sum / 6;
}

void ClosedVolume::find_gradient(std::span<const Vec3> x, std::vector<Vec3>& g) const {
    g.assign(x.size(), {});
    const auto at = [&](int i) -> const Vec3& { return x[static_cast<std::size_t>(i)]; };
    for (const Triangle& t : triangles_) {
        const Vec3 n = cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])) / 6;
        for (int v : t) {
            PLUSH_ASSERT(v >= 0 && static_cast<std::size_t>(v) < g.size());
            g[static_cast<std::size_t>(v)] += n;
        }
    }
}

void ClosedVolume::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                              const Parallel&) {
    PLUSH_ASSERT(v.size() == x.size() && f.size() == x.size());
    find_gradient(x, gradient_);
    double rate = 0;
    for (std::size_t i = 0; i < x.size(); ++i) rate += dot(gradient_[i], v[i]);
    const double push = -(stiffness_ * (volume(x) - rest_) + damping_ * rate) / rest_;
    for (std::size_t i = 0; i < x.size(); ++i) f[i] += push * gradient_[i];
}

double ClosedVolume::energy(std::span<const Vec3> x) const {
    const double c = volume(x) - rest_;
    return 0.5 * stiffness_ * c * c / rest_;
}

void ClosedVolume::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                   const Parallel&) {
    PLUSH_ASSERT(v.size() == x.size() && out.product.size() == x.size());
    find_gradient(x, gradient_);
    double rate = 0;
    for (std::size_t i = 0; i < x.size(); ++i) rate += dot(gradient_[i], v[i]);
    for (std::size_t i = 0; i < x.size(); ++i) out.product[i] -= (stiffness_ / rest_ * rate) * gradient_[i];
    out.dense.push_back({-(out.k * stiffness_ + out.b * damping_) / rest_, 0, gradient_});
}

void ClosedVolume::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    std::vector<Vec3> g;
    find_gradient(x, g);
    double all = 0;
    for (const Vec3& v : g) all += norm(v);
    for (std::size_t i = 0; i < x.size(); ++i) {
        bounds.k[i] += stiffness_ / rest_ * norm(g[i]) * all;
        bounds.d[i] += damping_ / rest_ * norm(g[i]) * all;
    }
}

}  // namespace plush
