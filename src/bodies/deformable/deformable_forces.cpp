#include "bodies/deformable/deformable_body.hpp"
#include "core/assert.hpp"

// A deformable body as integrators see it: forces on its vertices and their derivatives, summed over its elements, with
// damping and wind.

namespace plush {
namespace {

const Parallel& one_thread() {
    static const Parallel parallel(1);
    return parallel;
}

const Vec3& at(std::span<const Vec3> x, int i) {
    PLUSH_ASSERT(i >= 0 && static_cast<std::size_t>(i) < x.size());
    return x[static_cast<std::size_t>(i)];
}

}  // namespace

/// f(vertex, drag A/3, n) for every corner of every triangle.
template <class F>
void DeformableBody::each_blown_corner(std::span<const Vec3> x, F&& f) const {
    for (const Triangle& t : triangles_) {
        const Vec3 n = cross(at(x, t[1]) - at(x, t[0]), at(x, t[2]) - at(x, t[0]));
        const double twice_area = norm(n);
        if (!(twice_area > 0)) continue;
        const double share = settings_.drag * twice_area / 6;
        for (int v : t) f(static_cast<std::size_t>(v), share, n / twice_area);
    }
}

void DeformableBody::forces(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f) {
    start_forces(v, f);
    for (const auto& element : elements_) {
        element->set_time(t);
        element->add_forces(x, v, f, parallel());
    }
    add_wind(x, v, f);
}

void DeformableBody::start_forces(std::span<const Vec3> v, std::span<Vec3> f) const {
    PLUSH_ASSERT(f.size() == masses_.size() && v.size() == f.size() && forces_.size() == f.size());
    for (std::size_t i = 0; i < f.size(); ++i)
        f[i] = forces_[i] + masses_[i] * (gravity_ - settings_.damping * v[i]);
}

void DeformableBody::add_wind(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f) const {
    if (settings_.drag > 0)
        each_blown_corner(x, [&](std::size_t i, double share, const Vec3& n) {
            f[i] += (share * dot(settings_.wind - v[i], n)) * n;
        });
}

void DeformableBody::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    PLUSH_ASSERT(bounds.k.size() == x.size() && bounds.d.size() == x.size());
    for (const auto& element : elements_) element->add_stiffness(x, bounds);
    for (std::size_t i = 0; i < x.size(); ++i) bounds.d[i] += settings_.damping * masses_[i];
    if (settings_.drag > 0)
        each_blown_corner(x, [&](std::size_t i, double share, const Vec3&) { bounds.d[i] += share; });
}

void DeformableBody::limit_friction(double part) {
    for (const auto& element : elements_) element->limit_friction(part, masses_);
}

void DeformableBody::keep_history(std::span<const Twist> change, double part) {
    if (state_.v_before.size() != change.size()) return;
    for (std::size_t i = 0; i < change.size(); ++i) state_.v_before[i] -= part * change[i].linear;
}

BlockMatrix& DeformableBody::matrix() {
    if (!has_matrix()) {
        BlockPattern pattern(state_.x.size());
        for (const auto& element : elements_) element->add_pattern(pattern);
        matrix_ = BlockMatrix(pattern);
        for (const auto& element : elements_) element->bind(matrix_);
    }
    return matrix_;
}

HalfMatrix* DeformableBody::half_matrix(double k, double b) {
    if (!half_) {
        half_.emplace();
        BlockPattern others(state_.x.size());
        for (std::size_t e = 1; e < elements_.size(); ++e) elements_[e]->add_pattern(others);
        if (!elements_.empty() && others.diagonal_alone())
            half_ = elements_.front()->half_pattern(state_.x.size(), ConjugateGradients::least_single_blocks);
    }
    return half_->rows() > 0 && elements_.front()->fits_half(k, b) ? &*half_ : nullptr;
}

void DeformableBody::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, double t,
                                     Linearisation& out) {
    for (const auto& element : elements_) {
        element->set_time(t);
        element->add_derivatives(x, v, out, parallel());
        out.empty = false;
    }
    add_outer_derivatives(x, out);
}

void DeformableBody::linearise(std::span<const Vec3> x, std::span<const Vec3> v, double t, std::span<Vec3> f,
                               Linearisation& out) {
    start_forces(v, f);
    for (const auto& element : elements_) {
        element->set_time(t);
        element->add_forces_and_derivatives(x, v, f, out, parallel());
        out.empty = false;
    }
    add_wind(x, v, f);
    add_outer_derivatives(x, out);
}

bool DeformableBody::agrees_at(const ExpectedEnd& end) {
    bool all = true;
    for (const auto& element : elements_) all = element->agrees_at(end, parallel()) && all;
    return all;
}

bool DeformableBody::lasting_matrix(std::span<const Vec3> x, BlockMatrix& out) {
    const auto lasts = [](const auto& element) { return element->lasting_derivatives(); };
    if (!responds_implicitly() || x.size() != state_.x.size() ||
        std::none_of(elements_.begin(), elements_.end(), lasts))
        return false;
    out = matrix();
    out.set_zero(parallel());
    const std::vector<Vec3> at_rest(x.size());
    std::vector<Mat3> external(x.size());
    std::vector<Vec3> product(x.size());
    std::vector<RankOneTerm> dense;
    std::vector<const EdgeMatrix*> edges;
    const auto [k, b] = integrator_.factors();
    Linearisation to{k, b, out, external, dense, edges, product, false, false};
    for (const auto& element : elements_)
        if (lasts(element)) element->add_derivatives(x, at_rest, to, parallel());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double m = masses_[i] * (1 - b * settings_.damping);
        out.add_symmetric(out.diagonal_slot(i), external[i] + Mat3::diagonal({m, m, m}));
    }
    return true;
}

/// Of damping and wind.
void DeformableBody::add_outer_derivatives(std::span<const Vec3> x, Linearisation& out) const {
    PLUSH_ASSERT(out.external.size() == x.size());
    if (settings_.damping > 0)
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double d = -out.b * settings_.damping * masses_[i];
            out.external[i] += Mat3::diagonal({d, d, d});
        }
    if (settings_.drag > 0)
        each_blown_corner(x, [&](std::size_t i, double share, const Vec3& n) {
            out.external[i] += outer((-out.b * share) * n, n);
        });
}

bool DeformableBody::constrain(std::span<Vec3> x, std::span<Vec3> before, double t, double h) {
    if (constraints_.empty() && !obstacles_) return false;
    PLUSH_ASSERT(h > 0 && before.size() == x.size() && inverse_masses_.size() == x.size());
    if (obstacles_) obstacles_->begin(x, before, inverse_masses_, t, h);
    constraints_.project(x, inverse_masses_, obstacles_.get());
    return true;
}

const Parallel& DeformableBody::parallel() const {
    return parallel_ ? *parallel_ : one_thread();
}

}  // namespace plush
