#include "bodies/elements/shape_matcher.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "math/polar.hpp"
#include "math/polar_batch.hpp"
#include "math/svd3.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {
namespace {

/// Directions whose spread is less than this part of the largest are not spanned: a plane that is thinner
/// than 1e-5 of its width has no inside.
constexpr double spanned = 1e-10;
/// The same for quadratic modes, whose sums hold fourth powers of coordinates.
constexpr double spanned_mode = 1e-9;
/// Rounding leaves 1e-12 of a linear mode in what is left out; few or unlucky points leave 1e-2 and more.
constexpr double aliased = 1e-6;
/// Below this determinant a linear goal would blow noise up (Müller et al. 2005 say nothing of it).
constexpr double least_determinant = 0.1;

double distance_from_one(const Mat3& s) {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const double off = s(i, j) - (i == j ? 1 : 0);
            sum += off * off;
        }
    return std::sqrt(sum);
}

}  // namespace

void ShapeMatcher::add(std::span<const std::uint32_t> vertices, std::span<const Vec3> rest,
                       const MatchSettings& settings) {
    PLUSH_ASSERT(!vertices.empty() && vertices.back() < masses_.size() && rest.size() == vertices.size());
    PLUSH_ASSERT(std::is_sorted(vertices.begin(), vertices.end()));
    Cluster cluster;
    cluster.settings = settings;
    cluster.first = vertex_.size(), cluster.count = vertices.size();
    if (settings.mode == MatchMode::quadratic) {
        cluster.first_mode = modes_.size();
        modes_.resize(modes_.size() + cluster.count);
    }
    vertex_.insert(vertex_.end(), vertices.begin(), vertices.end());
    rest_.insert(rest_.end(), rest.begin(), rest.end());
    clusters_.push_back(cluster);
    weight_.clear();  // made anew when it is needed
}

std::span<const std::uint32_t> ShapeMatcher::vertices(std::size_t cluster) const {
    PLUSH_ASSERT(cluster < clusters_.size());
    return std::span(vertex_).subspan(clusters_[cluster].first, clusters_[cluster].count);
}

bool ShapeMatcher::holds_all() const {
    return clusters_.size() == 1 && clusters_[0].count == masses_.size();
}

bool ShapeMatcher::holds(std::uint32_t vertex) const {
    return std::find(vertex_.begin(), vertex_.end(), vertex) != vertex_.end();
}

void ShapeMatcher::set_pinned(std::span<const std::uint8_t> pinned) {
    PLUSH_ASSERT(pinned.empty() || pinned.size() == masses_.size());
    if (std::equal(pinned.begin(), pinned.end(), pinned_.begin(), pinned_.end())) return;
    pinned_.assign(pinned.begin(), pinned.end());
    weight_.clear();
    prepare();
}

// -- rest shapes --------------------------------------------------------------------------------------

void ShapeMatcher::prepare() {
    if (!weight_.empty()) return;
    std::vector<std::uint32_t> shared(masses_.size(), 0);
    for (const std::uint32_t v : vertex_) ++shared[v];
    weight_.resize(vertex_.size()), share_.resize(vertex_.size()), q_.resize(vertex_.size());
    overlapping_ = false;
    for (std::size_t k = 0; k < vertex_.size(); ++k) {
        share_[k] = 1.0 / shared[vertex_[k]];
        weight_[k] = masses_[vertex_[k]] * share_[k];
        overlapping_ = overlapping_ || shared[vertex_[k]] > 1;
    }
    for (const Cluster& c : clusters_) {
        if (pinned_.empty()) break;
        double free = 0;
        for (std::size_t k = c.first; k < c.first + c.count; ++k)
            if (!pinned_[vertex_[k]]) free += weight_[k];
        for (std::size_t k = c.first; k < c.first + c.count; ++k)
            if (pinned_[vertex_[k]] && free > 0) weight_[k] = pinned_weight * free;
    }
    if (overlapping_) incidence_.build(masses_.size(), vertex_);
    for (Cluster& c : clusters_) shape(c);
}

/// q, A_qq and the modes of a cluster, for its weights and its plastic stretch.
void ShapeMatcher::shape(Cluster& c) {
    c.mass = 0, c.rest_centre = {};
    const Vec3 near = rest_[c.first];
    for (std::size_t k = c.first; k < c.first + c.count; ++k) {
        c.mass += weight_[k];
        c.rest_centre += weight_[k] * (rest_[k] - near);
    }
    PLUSH_ASSERT(c.mass > 0);
    c.rest_centre = near + c.rest_centre / c.mass;
    Mat3 spread{};
    double farthest = 0;
    for (std::size_t k = c.first; k < c.first + c.count; ++k) {
        q_[k] = c.plastic * (rest_[k] - c.rest_centre);
        spread += outer(weight_[k] * q_[k], q_[k]);
        farthest = std::max(farthest, norm2(q_[k]));
    }
    c.scale = farthest > 0 ? std::sqrt(farthest) : 1;
    c.inverse = c.unspanned = {};
    const Svd3 d = svd3(spread);  // symmetric and positive: left = right
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 axis = d.right.column(i);
        if (d.sigma[i] > spanned * d.sigma.x)
            c.inverse += outer(axis / d.sigma[i], axis);
        else
            c.unspanned += outer(axis, axis);
    }
    if (c.settings.mode == MatchMode::quadratic) span_modes(c);
}

void ShapeMatcher::span_modes(Cluster& c) {
    Modes mean{};
    const auto mode = [&](std::size_t k) -> Modes& { return modes_[c.first_mode + k - c.first]; };
    for (std::size_t k = c.first; k < c.first + c.count; ++k) {
        const Vec3 q = q_[k] / c.scale;
        mode(k) = {q.x, q.y, q.z, q.x * q.x, q.y * q.y, q.z * q.z, q.x * q.y, q.y * q.z, q.z * q.x};
        for (std::size_t a = 3; a < modes; ++a) mean[a] += weight_[k] * mode(k)[a] / c.mass;
    }
    std::array<double, modes * modes> sums{};
    for (std::size_t k = c.first; k < c.first + c.count; ++k) {
        for (std::size_t a = 0; a < modes; ++a) mode(k)[a] -= mean[a];
        for (std::size_t a = 0; a < modes; ++a)
            for (std::size_t b = 0; b < modes; ++b)
                sums[a * modes + b] += weight_[k] * mode(k)[a] * mode(k)[b];
    }
    const Pseudoinverse<modes> found = pseudoinverse<modes>(sums, spanned_mode);
    c.mode_inverse = found.inverse;
    // Where a linear motion and a bend look the same at these points, A could not be told from them.
    c.bends = true;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            c.bends = c.bends && std::abs(found.null[i * modes + j] - c.unspanned(i, j)) < aliased;
}

// -- a step -------------------------------------------------------------------------------------------

ShapeMatcher::Fit ShapeMatcher::measure(const Cluster& c, std::span<const Vec3> x) const {
    // About the first vertex: far from the origin nothing is lost, and Σ m q = 0 spares a second pass.
    const Vec3 near = x[vertex_[c.first]];
    Fit fit;
    fit.near = near;
    Vec3 sum{};
    for (std::size_t k = c.first; k < c.first + c.count; ++k) {
        const Vec3 p = weight_[k] * (x[vertex_[k]] - near);
        sum += p;
        fit.moments.row[0] += p.x * q_[k];
        fit.moments.row[1] += p.y * q_[k];
        fit.moments.row[2] += p.z * q_[k];
    }
    fit.offset = sum / c.mass;
    return fit;
}

Mat3 ShapeMatcher::to_rotate(const Cluster& c, const Mat3& moments) const {
    return c.settings.fit == MatchFit::torque_free ? moments : moments * c.inverse;
}

/// A, which turns with the body what the rest shape does not span.
Mat3 ShapeMatcher::gradient(const Cluster& c, const Fit& fit) const {
    return fit.moments * c.inverse + fit.rotation * c.unspanned;
}

void ShapeMatcher::goals(const Cluster& c, const Fit& fit, std::span<const Vec3> x,
                         std::span<Vec3> ways) const {
    PLUSH_ASSERT(ways.size() == c.count);
    Mat3 t = fit.rotation;
    if (c.bends && c.settings.softness > 0) return quadratic_goals(c, fit, x, ways);
    if (c.settings.mode != MatchMode::rigid && c.settings.softness > 0) {
        const Mat3 a = gradient(c, fit);
        const double det = determinant(a), b = c.settings.softness;
        if (det > least_determinant)
            t = (c.settings.keep_volume ? b / pinned::cbrt(det) : b) * a + (1 - b) * fit.rotation;
    }
    for (std::size_t k = 0; k < c.count; ++k)
        ways[k] = (c.settings.stiffness * share_[c.first + k]) *
                  ((fit.offset - (x[vertex_[c.first + k]] - fit.near)) + t * q_[c.first + k]);
}

void ShapeMatcher::quadratic_goals(const Cluster& c, const Fit& fit, std::span<const Vec3> x,
                                   std::span<Vec3> ways) const {
    std::array<Modes, 3> sums{}, t{};  // Σ m (y − c) q̃ᵀ and T̃, by rows
    for (std::size_t k = 0; k < c.count; ++k) {
        const Vec3 p = weight_[c.first + k] * ((x[vertex_[c.first + k]] - fit.near) - fit.offset);
        const Modes& mode = modes_[c.first_mode + k];
        for (std::size_t a = 0; a < modes; ++a)
            for (std::size_t i = 0; i < 3; ++i) sums[i][a] += p[i] * mode[a];
    }
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t a = 0; a < modes; ++a)
            for (std::size_t b = 0; b < modes; ++b) t[i][b] += sums[i][a] * c.mode_inverse[a * modes + b];
    Mat3 linear;
    for (std::size_t i = 0; i < 3; ++i) linear.row[i] = Vec3{t[i][0], t[i][1], t[i][2]} / c.scale;
    const double det = determinant(linear + fit.rotation * c.unspanned), b = c.settings.softness;
    const double factor = det > least_determinant ? (c.settings.keep_volume ? b / pinned::cbrt(det) : b) : 0;
    const Mat3 rigid = (det > least_determinant ? 1 - b : 1) * fit.rotation;
    for (std::size_t k = 0; k < c.count; ++k) {
        const Modes& mode = modes_[c.first_mode + k];
        Vec3 bent{};
        for (std::size_t a = 0; a < modes; ++a) bent += Vec3{t[0][a], t[1][a], t[2][a]} * mode[a];
        ways[k] =
            (c.settings.stiffness * share_[c.first + k]) *
            ((fit.offset - (x[vertex_[c.first + k]] - fit.near)) + factor * bent + rigid * q_[c.first + k]);
    }
}

void ShapeMatcher::apply(std::span<const Vec3> x0, std::span<Vec3> x, std::span<Vec3> v, double h,
                         const Parallel& parallel) {
    if (clusters_.empty()) return;
    PLUSH_ASSERT(h > 0 && x0.size() == masses_.size() && x.size() == masses_.size() &&
                 v.size() == masses_.size());
    prepare();
    ways_.resize(vertex_.size());
    const std::span<Vec3> ways(ways_);
    // Eight at a time, whose rotations are found side by side.
    parallel.chunks(clusters_.size(), Mat3x8::lanes, [&](std::size_t begin, std::size_t end) {
        std::array<Fit, Mat3x8::lanes> fits;
        std::array<Mat3, Mat3x8::lanes> matrices, rotations;
        const auto from = [&](const Cluster& c) {
            return c.settings.rule == MatchRule::kick ? x0 : std::span<const Vec3>(x);
        };
        for (std::size_t k = begin; k < end; ++k) {
            fits[k - begin] = measure(clusters_[k], from(clusters_[k]));
            matrices[k - begin] = to_rotate(clusters_[k], fits[k - begin].moments);
        }
        polar_rotations(std::span(matrices).first(end - begin), std::span(rotations).first(end - begin));
        for (std::size_t k = begin; k < end; ++k) {
            Cluster& c = clusters_[k];
            fits[k - begin].rotation = rotations[k - begin];
            goals(c, fits[k - begin], from(c), ways.subspan(c.first, c.count));
            if (c.settings.creep > 0) flow(c, fits[k - begin], h);
        }
    });
    moved_.assign(masses_.size(), {});
    if (overlapping_)
        gather(incidence_, ways_, moved_, parallel);
    else
        for (std::size_t k = 0; k < vertex_.size(); ++k) moved_[vertex_[k]] = ways_[k];
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!pinned_.empty() && pinned_[i]) moved_[i] = {};
        x[i] += moved_[i];
        v[i] += moved_[i] / h;
    }
}

/// The rest shape of the next step.
void ShapeMatcher::flow(Cluster& c, const Fit& fit, double h) {
    const Mat3 one = Mat3::identity();
    const Mat3 s = transpose(fit.rotation) * gradient(c, fit);
    if (!(distance_from_one(s) > c.settings.yield) || !is_finite(s)) return;
    const double rate = std::min(1.0, h * c.settings.creep);
    Mat3 p = (one + rate * (s - one)) * c.plastic;
    double det = determinant(p);
    if (!(det > least_determinant)) return;  // crushed or turned inside out: that is no shape to keep
    p = p * (1 / pinned::cbrt(det));
    if (const double far = distance_from_one(p); far > c.settings.max_flow)
        p = one + (c.settings.max_flow / far) * (p - one);
    det = determinant(p);
    if (!(det > least_determinant)) return;
    c.plastic = p;
    shape(c);
}

bool ShapeMatcher::holds_every_vertex() const {
    std::vector<std::uint8_t> held(masses_.size(), 0);
    for (const std::uint32_t v : vertex_) held[v] = 1;
    return std::find(held.begin(), held.end(), 0) == held.end();
}

void ShapeMatcher::respond(std::span<const Vec3> x, std::span<const Vec3> impulses,
                           std::span<Vec3> change) const {
    PLUSH_ASSERT(!weight_.empty());
    PLUSH_ASSERT(x.size() == masses_.size() && impulses.size() == x.size() && change.size() == x.size());
    std::vector<std::uint8_t> held(masses_.size(), 0);
    std::fill(change.begin(), change.end(), Vec3{});
    for (const Cluster& c : clusters_) {
        Vec3 centre{};
        double mass = 0;
        for (std::size_t k = c.first; k < c.first + c.count; ++k)
            centre += weight_[k] * x[vertex_[k]], mass += weight_[k];
        centre = centre / mass;
        Mat3 inertia{};
        Vec3 linear{}, angular{};
        for (std::size_t k = c.first; k < c.first + c.count; ++k) {
            const Vec3 r = x[vertex_[k]] - centre, p = share_[k] * impulses[vertex_[k]];
            inertia += weight_[k] * (Mat3::identity() * norm2(r) - outer(r, r));
            linear += p, angular += cross(r, p);
        }
        // A straight cluster has no inertia about itself: a little of the largest keeps the inverse finite.
        const double least = 1e-9 * trace(inertia);
        inertia += Mat3::diagonal({least, least, least});
        const Vec3 v = linear / mass, w = least > 0 ? inverse(inertia) * angular : Vec3{};
        const double alpha = c.settings.stiffness;
        for (std::size_t k = c.first; k < c.first + c.count; ++k) {
            const std::uint32_t i = vertex_[k];
            held[i] = 1;
            change[i] += (alpha * share_[k]) * (v + cross(w, x[i] - centre)) +
                         ((1 - alpha) * share_[k] / masses_[i]) * impulses[i];
        }
    }
    for (std::size_t i = 0; i < masses_.size(); ++i) {
        if (!held[i]) change[i] = impulses[i] / masses_[i];
        if (!pinned_.empty() && pinned_[i]) change[i] = {};
    }
}

Transform ShapeMatcher::pose(std::size_t cluster, std::span<const Vec3> x) const {
    PLUSH_ASSERT(!weight_.empty());
    PLUSH_ASSERT(cluster < clusters_.size() && x.size() == masses_.size());
    const Cluster& c = clusters_[cluster];
    const Fit fit = measure(c, x);
    const Mat3 r = polar(to_rotate(c, fit.moments)).rotation;
    return {fit.near + fit.offset - r * c.rest_centre, to_quaternion(r)};
}

void ShapeMatcher::visit_state(StateVisitor& v) {
    for (Cluster& c : clusters_) {
        if (!(c.settings.creep > 0)) continue;
        const Mat3 before = c.plastic;
        v(c.plastic);
        if (c.plastic == before) continue;
        if (!is_finite(c.plastic) || !(determinant(c.plastic) > 0)) c.plastic = Mat3::identity();  // damaged
        if (!weight_.empty()) shape(c);
    }
}

}  // namespace plush
