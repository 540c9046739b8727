#include "contact/fields/embedded_contact_surface.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

/// Points a task: few are worth no task of their own.
constexpr std::size_t points_per_task = 1024;

/// Calls f(point, its touches) for each point that has any; they stand one after another.
template <class F>
void each_point(std::span<const SurfaceTouch> touches, F&& f) {
    PLUSH_ASSERT(
        std::is_sorted(touches.begin(), touches.end(),
                       [](const SurfaceTouch& a, const SurfaceTouch& b) { return a.vertex < b.vertex; }));
    for (std::size_t begin = 0, end = 0; begin < touches.size(); begin = end) {
        while (end < touches.size() && touches[end].vertex == touches[begin].vertex) ++end;
        f(touches[begin].vertex, touches.subspan(begin, end - begin));
    }
}

/// Patches of points: each is a triangle of its own, without a side.
SurfaceClusters patches_of(const Embedding& weights, std::span<const Vec3> x) {
    std::vector<Vec3> points(weights.size());
    weights.apply(x, points);
    std::vector<Triangle> single(points.size());
    for (std::size_t p = 0; p < points.size(); ++p) single[p].fill(static_cast<int>(p));
    return SurfaceClusters(points, single);
}

}  // namespace

EmbeddedContactSurface::EmbeddedContactSurface(std::unique_ptr<SurfaceField> field,
                                               std::shared_ptr<const Embedding> weights,
                                               std::span<const double> masses, std::span<const Vec3> x)
    : field_(std::move(field)),
      weights_(std::move(weights)),
      masses_(weights_->size(), 0.0),
      patches_(patches_of(*weights_, x)),
      cages_(patches_, *weights_),
      points_(weights_->size()),
      speeds_(weights_->size()),
      end_points_(weights_->size()),
      end_speeds_(weights_->size()) {
    PLUSH_ASSERT(masses.size() == x.size());
    std::vector<double> carried(masses.size(), 0.0);
    for (std::size_t p = 0; p < weights_->size(); ++p)
        for (const auto& [vertex, weight] : weights_->row(p)) {
            PLUSH_ASSERT(vertex < masses.size());
            carried[vertex] += std::abs(weight);
        }
    for (std::size_t p = 0; p < weights_->size(); ++p)
        for (const auto& [vertex, weight] : weights_->row(p))
            if (weight != 0) masses_[p] += masses[vertex] * std::abs(weight) / carried[vertex];
}

std::vector<std::uint8_t> EmbeddedContactSurface::points_of(std::span<const std::uint8_t> vertices) const {
    std::vector<std::uint8_t> points(weights_->size());
    for (std::size_t p = 0; p < points.size(); ++p) {
        const auto row = weights_->row(p);
        points[p] =
            std::all_of(row.begin(), row.end(), [&](const auto& e) { return vertices[e.vertex] != 0; });
    }
    return points;
}

std::vector<std::uint32_t> EmbeddedContactSurface::near_points(std::span<const Vec3> x) const {
    std::vector<std::uint32_t> near;
    if (field_->obstacles().empty()) return near;
    const auto may_reach = [&](const Box3& box) {
        return !is_finite(box.low) || !is_finite(box.high) || field_->may_reach(box);
    };
    ClusterBounds bounds;
    cages_.refit(x, bounds);
    const auto patches = patches_.clusters();
    for (std::size_t g = 0; g < bounds.groups.size(); ++g) {
        if (!may_reach(bounds.groups[g])) continue;
        const std::size_t begin = g * ClusterBounds::group, end = begin + ClusterBounds::group;
        for (std::size_t k = begin; k < std::min(end, patches.size()); ++k) {
            if (!may_reach(bounds.boxes[k])) continue;
            const auto points = patches_.vertices().subspan(patches[k].first_vertex, patches[k].vertices);
            near.insert(near.end(), points.begin(), points.end());
        }
    }
    return near;
}

std::span<const SurfaceTouch> EmbeddedContactSurface::find_touches(std::span<const Vec3> x,
                                                                   std::span<const Vec3> v,
                                                                   const Linearisation* out,
                                                                   const Parallel& parallel) {
    const ExpectedEnd* const end = out && field_->looks_ahead() ? out->end : nullptr;
    const std::vector<std::uint32_t> near = near_points(end ? end->x : x);
    parallel.each(near.size(), points_per_task, [&](std::size_t k) {
        points_[near[k]] = weights_->at(near[k], x);
        speeds_[near[k]] = weights_->at(near[k], v);
        if (!end) return;
        end_points_[near[k]] = weights_->at(near[k], end->x);
        end_speeds_[near[k]] = weights_->at(near[k], end->v);
    });
    SurfaceQuery query = field_->query_of(points_, speeds_, out);
    if (end) query.x = end_points_, query.v = end_speeds_;
    return field_->find(near, query, parallel);
}

bool EmbeddedContactSurface::agrees_at(const ExpectedEnd& end, const Parallel& parallel) {
    const std::vector<std::uint32_t> near = near_points(end.x);
    for (const SurfaceTouch& t : field_->given()) end_speeds_[t.vertex] = weights_->at(t.vertex, end.v);
    parallel.each(near.size(), points_per_task, [&](std::size_t k) {
        end_points_[near[k]] = weights_->at(near[k], end.x);
        end_speeds_[near[k]] = weights_->at(near[k], end.v);
    });
    return field_->agrees(near, end_points_, end_speeds_, end);
}

void EmbeddedContactSurface::finish_step(std::span<const Vec3> v_before, std::span<const Vec3> v_after) {
    PLUSH_ASSERT(v_before.size() == v_after.size());
    std::vector<Vec3>&before = points_, &after = speeds_;  // of points that touched
    for (const SurfaceTouch& t : field_->recorded()) {
        before[t.vertex] = weights_->at(t.vertex, v_before);
        after[t.vertex] = weights_->at(t.vertex, v_after);
    }
    field_->finish_step(before, after);
}

void EmbeddedContactSurface::add_forces(std::span<const SurfaceTouch> touches, std::span<Vec3> f) {
    field_->record_found();
    each_point(touches, [&](std::size_t point, std::span<const SurfaceTouch> its) {
        Vec3 force{};
        for (const SurfaceTouch& t : its) force += t.force;
        for (const auto& [vertex, weight] : weights_->row(point)) f[vertex] += weight * force;
    });
}

void EmbeddedContactSurface::add_derivatives(std::span<const SurfaceTouch> touches,
                                             Linearisation& out) const {
    each_point(touches, [&](std::size_t point, std::span<const SurfaceTouch> its) {
        Mat3 e{};
        Vec3 product{};
        for (const SurfaceTouch& t : its) t.add_derivatives(out.k, out.b, speeds_[point], e, product);
        const auto row = weights_->row(point);
        for (const auto& [vertex, weight] : row) out.product[vertex] += weight * product;
        if (e == Mat3{}) return;
        PLUSH_ASSERT(first_slot_.size() == weights_->size());
        const std::uint32_t* slot = &slots_[first_slot_[point]];
        for (std::size_t a = 0; a < row.size(); ++a) {
            out.external[row[a].vertex] += row[a].weight * e;
            for (std::size_t b = 0; b < row.size(); ++b, ++slot)
                out.matrix.add(*slot, (row[a].weight * (row[b].weight - (a == b ? 1 : 0))) * e);
        }
    });
}

void EmbeddedContactSurface::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                        const Parallel& parallel) {
    add_forces(find_touches(x, v, nullptr, parallel), f);
}

void EmbeddedContactSurface::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                             Linearisation& out, const Parallel& parallel) {
    add_derivatives(find_touches(x, v, &out, parallel), out);
}

void EmbeddedContactSurface::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                                        std::span<Vec3> f, Linearisation& out,
                                                        const Parallel& parallel) {
    const auto touches = find_touches(x, v, &out, parallel);
    add_derivatives(touches, out);
    add_forces(touches, f);
}

double EmbeddedContactSurface::energy(std::span<const Vec3> x) const {
    std::vector<std::uint32_t> near = near_points(x);
    std::sort(near.begin(), near.end());
    double sum = 0;
    for (const std::uint32_t p : near) field_->add_energy(p, weights_->at(p, x), sum);
    return sum;
}

void EmbeddedContactSurface::add_pattern(BlockPattern& pattern) const {
    std::vector<std::uint32_t> vertices;
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        vertices.clear();
        for (const auto& entry : weights_->row(p)) vertices.push_back(entry.vertex);
        pattern.add_all_pairs(vertices);
    }
}

void EmbeddedContactSurface::bind(const BlockMatrix& matrix) {
    first_slot_.clear();
    slots_.clear();
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        first_slot_.push_back(slots_.size());
        for (const auto& a : weights_->row(p))
            for (const auto& b : weights_->row(p)) slots_.push_back(matrix.slot(a.vertex, b.vertex));
    }
}

// A vertex feels Σ_p |w_pj| Σ_k |w_pk| of what the points feel.
void EmbeddedContactSurface::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    std::vector<Vec3> points(weights_->size());
    weights_->apply(x, points);
    std::vector<double> k(points.size(), 0.0), d(points.size(), 0.0);
    field_->add_stiffness(points, {k, d});
    for (std::size_t p = 0; p < points.size(); ++p) {
        double sum = 0;
        for (const auto& entry : weights_->row(p)) sum += std::abs(entry.weight);
        for (const auto& [vertex, weight] : weights_->row(p)) {
            bounds.k[vertex] += std::abs(weight) * sum * k[p];
            bounds.d[vertex] += std::abs(weight) * sum * d[p];
        }
    }
}

// What the points take from a vertex is Σ_p |w_pj| m_p, and no more than its mass.
void EmbeddedContactSurface::limit_friction(double part, std::span<const double> masses) {
    if (!(part > 0)) return field_->limit_friction(0, {});
    std::vector<double> sums(masses.size(), 0.0), least(weights_->size());
    for (std::size_t p = 0; p < weights_->size(); ++p)
        for (const auto& [vertex, weight] : weights_->row(p)) {
            PLUSH_ASSERT(vertex < masses.size());
            sums[vertex] += std::abs(weight);
        }
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        least[p] = HUGE_VAL;
        for (const auto& [vertex, weight] : weights_->row(p))
            if (weight != 0) least[p] = std::min(least[p], masses[vertex] / sums[vertex]);
    }
    field_->limit_friction(part, least);
}

}  // namespace plush
