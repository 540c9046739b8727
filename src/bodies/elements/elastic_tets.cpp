#include "bodies/elements/elastic_tets.hpp"

#include <algorithm>

#include "bodies/elements/root_unit.hpp"
#include "core/assert.hpp"
#include "math/four.hpp"
#include "math/pack.hpp"
#include "math/polar.hpp"
#include "math/svd3.hpp"

namespace plush {
namespace {

double norm2(const Mat3& m) {
    return plush::norm2(m.row[0]) + plush::norm2(m.row[1]) + plush::norm2(m.row[2]);
}

/// Not below the largest singular value: √(|F|₁ |F|∞).
double largest_stretch(const Mat3& f) {
    const auto sum = [](const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); };
    const double rows = std::max({sum(f.row[0]), sum(f.row[1]), sum(f.row[2])});
    const double columns = std::max({sum(f.column(0)), sum(f.column(1)), sum(f.column(2))});
    return std::sqrt(rows * columns);
}

constexpr std::size_t batches_per_task = elements_per_task / Mat3x8::lanes;

using Packs = Mat3Packs;

// a b
Packs times(const Packs& a, const Packs& b) {
    Packs c;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            c.m[3 * i + j] = a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
    return c;
}

// aᵀ b
Packs transposed_times(const Packs& a, const Packs& b) {
    Packs c;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            c.m[3 * i + j] = a.m[i] * b.m[j] + a.m[3 + i] * b.m[3 + j] + a.m[6 + i] * b.m[6 + j];
    return c;
}

// a bᵀ
Packs times_transposed(const Packs& a, const Packs& b) {
    Packs c;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            c.m[3 * i + j] =
                a.m[3 * i] * b.m[3 * j] + a.m[3 * i + 1] * b.m[3 * j + 1] + a.m[3 * i + 2] * b.m[3 * j + 2];
    return c;
}

// Vectors of as many tets as a pack has lanes, one vector after the other, to packs of their components and
// back: the transpose of a matrix of 4×4 where a register holds four.

/// The vectors (x, y, z), and a fourth number that means nothing, to to[0], to[4], …
void scatter(const Pack& x, const Pack& y, const Pack& z, std::array<double, 4>* to) {
#ifdef __AVX__
    const Four low = __builtin_shufflevector(x.lanes, y.lanes, 0, 4, 2, 6),
               high = __builtin_shufflevector(x.lanes, y.lanes, 1, 5, 3, 7),
               swapped = __builtin_shufflevector(z.lanes, z.lanes, 1, 0, 3, 2);
    store_four(__builtin_shufflevector(low, z.lanes, 0, 1, 4, 5), to[0].data());
    store_four(__builtin_shufflevector(high, swapped, 0, 1, 4, 5), to[4].data());
    store_four(__builtin_shufflevector(low, z.lanes, 2, 3, 6, 7), to[8].data());
    store_four(__builtin_shufflevector(high, swapped, 2, 3, 6, 7), to[12].data());
#else
    for (std::size_t k = 0; k < Pack::width; ++k) to[4 * k] = {x.lanes[k], y.lanes[k], z.lanes[k], 0};
#endif
}

/// Column a of each is the vector of corner a + 1; corner 0 has minus their sum. `to` is of the first tet.
[[gnu::always_inline]] inline void scatter_corners(const Packs& m, std::array<double, 4>* to) {
    const auto minus_sum = [&](std::size_t row) {
        return Pack(-(m.m[3 * row].lanes + m.m[3 * row + 1].lanes + m.m[3 * row + 2].lanes));
    };
    scatter(minus_sum(0), minus_sum(1), minus_sum(2), to);
    for (std::size_t a = 0; a < 3; ++a) scatter(m.m[a], m.m[3 + a], m.m[6 + a], to + a + 1);
}

/// The components of `vectors`, one for each lane.
void gather(const Four (&vectors)[Pack::width], Pack& x, Pack& y, Pack& z) {
#ifdef __AVX__
    const Four a = __builtin_shufflevector(vectors[0], vectors[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(vectors[2], vectors[3], 0, 4, 2, 6),
               c = __builtin_shufflevector(vectors[0], vectors[1], 1, 5, 3, 7),
               d = __builtin_shufflevector(vectors[2], vectors[3], 1, 5, 3, 7);
    x.lanes = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    y.lanes = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    z.lanes = __builtin_shufflevector(a, b, 2, 3, 6, 7);
#else
    for (std::size_t k = 0; k < Pack::width; ++k)
        x.lanes[k] = vectors[k][0], y.lanes[k] = vectors[k][1], z.lanes[k] = vectors[k][2];
#endif
}

Pack inner(const Packs& a, const Packs& b) {
    Pack s = a.m[0] * b.m[0];
    for (std::size_t e = 1; e < 9; ++e) s = s + a.m[e] * b.m[e];
    return s;
}

}  // namespace

bool ElasticTets::takes(const ElasticMaterial& material) const {
    if (material.model != model_) return false;
    return count_ == 0 || (material.poisson == poisson_ && material.stiffness_damping == damping_);
}

void ElasticTets::add(const std::array<std::uint32_t, 4>& vertices, const std::array<Vec3, 4>& rest,
                      const ElasticMaterial& material) {
    const Mat3 edges = Mat3::columns(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]);
    const double volume = determinant(edges) / 6;
    PLUSH_ASSERT(volume > 0 && takes(material));
    poisson_ = material.poisson, damping_ = material.stiffness_damping;
    const std::size_t lane = count_ % lanes;
    if (lane == 0) batches_.emplace_back();
    Batch& batch = batches_.back();
    const Lame c = model_constants(model_, material.young, material.poisson);
    // Lanes that no tet has taken yet repeat the last one without volume.
    for (std::size_t l = lane; l < lanes; ++l) {
        batch.gradient.set_lane(l, inverse(edges));
        batch.volume[l] = l == lane ? volume : 0;
        batch.mu[l] = c.mu, batch.lambda[l] = c.lambda;
        for (std::size_t a = 0; a < 4; ++a) batch.vertex[a][l] = vertices[a];
    }
    if (material.yield && plastic_.empty()) {
        plastic_.resize(count_);
        flow_.resize(count_);
    }
    ++count_;
    if (!material.yield && plastic_.empty()) return;
    plastic_.resize(count_);
    flow_.resize(count_);
    if (material.yield) flow_.back() = {*material.yield, material.creep, material.max_plastic};
}

std::array<std::uint32_t, 4> ElasticTets::vertices(std::size_t tet) const {
    PLUSH_ASSERT(tet < count_);
    const Batch& b = batches_[tet / lanes];
    const std::size_t l = tet % lanes;
    return {b.vertex[0][l], b.vertex[1][l], b.vertex[2][l], b.vertex[3][l]};
}

Mat3 ElasticTets::deformation(std::size_t tet, std::span<const Vec3> x) const {
    const auto i = vertices(tet);
    PLUSH_ASSERT(std::max({i[0], i[1], i[2], i[3]}) < x.size());
    const Vec3& o = x[i[0]];
    return Mat3::columns(x[i[1]] - o, x[i[2]] - o, x[i[3]] - o) * gradients(tet);
}

Mat3 ElasticTets::plastic_stress(std::size_t tet) const {
    PLUSH_ASSERT(tet < plastic_.size());
    const Lame c = constants(tet);
    const Mat3& e = plastic_[tet];
    return 2 * c.mu * e + c.lambda * trace(e) * Mat3::identity();
}

Mat3 ElasticTets::stress(std::size_t tet, std::span<const Vec3> x) const {
    const Mat3 f = deformation(tet, x);
    const double volume = determinant(f);
    if (!(std::abs(volume) > 1e-12)) return {};
    Mat3 p = first_stress(model_, constants(tet), f);
    if (!plastic_.empty()) p = p - polar(f).rotation * plastic_stress(tet);
    return p * transpose(f) * (1 / volume);
}

void ElasticTets::evaluate_warped(std::size_t begin, std::size_t end, std::span<const Vec3> x,
                                  std::span<const Vec3> v, const Linearisation* out) {
    PLUSH_ASSERT(begin <= end && end <= batches_.size() && (end - begin) * lanes <= tets_at_once);
    constexpr std::size_t width = Pack::width, a_batch = lanes / width;
    const auto each = [&](auto&& f) {
        for (std::size_t p = 0; p < (end - begin) * a_batch; ++p)
            f(p, begin + p / a_batch, p % a_batch * width);
    };
    // Edges from corner 0, as columns.
    const auto edges = [&](std::span<const Vec3> p, const Batch& batch, std::size_t at) {
        Packs to;
        Four origin[width], edge[width];
        for (std::size_t k = 0; k < width; ++k) origin[k] = four(p[batch.vertex[0][at + k]]);
        for (std::size_t a = 0; a < 3; ++a) {
            for (std::size_t k = 0; k < width; ++k)
                edge[k] = four(p[batch.vertex[a + 1][at + k]]) - origin[k];
            gather(edge, to.m[a], to.m[3 + a], to.m[6 + a]);
        }
        return to;
    };
    Packs deformations[tets_at_once / width], rotations[tets_at_once / width];
    each([&](std::size_t p, std::size_t index, std::size_t at) {
        const Batch& batch = batches_[index];
        deformations[p] = times(edges(x, batch, at), Packs::load(batch.gradient, at));
    });
    const std::size_t packs = (end - begin) * a_batch;
    polar_rotations(std::span(deformations).first(packs), std::span(rotations).first(packs));
    each([&](std::size_t p, std::size_t index, std::size_t at) {
        const Batch& batch = batches_[index];
        const Packs g = Packs::load(batch.gradient, at);
        const Packs &now = deformations[p], &rotation = rotations[p];
        // −V P = −V (2 μ (F − R) + λ tr(RᵀF − 1) R)
        const Pack zero(0.0), volume = Pack::load(&batch.volume[at]),
                              m = zero - volume * Pack::load(&batch.mu[at]),
                              l = zero - volume * Pack::load(&batch.lambda[at]), two = m + m;
        const Pack mean = l * (inner(rotation, now) - Pack(3.0));
        Packs stress;
        for (std::size_t e = 0; e < 9; ++e)
            stress.m[e] = two * (now.m[e] - rotation.m[e]) + mean * rotation.m[e];
        if (!out && damping_ > 0) {  // −V δP = −V (μ (Ḟ + R Ḟᵀ R) + λ tr(RᵀḞ) R); with `out`, rows have it
            const Packs speed = times(edges(v, batch, at), g),
                        back = times(rotation, transposed_times(speed, rotation));
            const Pack mean_rate = l * inner(rotation, speed), beta(damping_);
            for (std::size_t e = 0; e < 9; ++e)
                stress.m[e] = stress.m[e] + beta * (m * (speed.m[e] + back.m[e]) + mean_rate * rotation.m[e]);
        }
        // Row a of g is g_a: column a of −V P gᵀ is the force on corner a.
        const std::size_t first = index * lanes + at;
        scatter_corners(times_transposed(stress, g), &forces_[force_at(4 * first)]);
        if (!plastic_.empty()) add_plastic_forces(index, at, rotation);
        if (!out) return;
        Packs turned = times_transposed(rotation, g);
        const double s = out->k + out->b * damping_;
        const Pack size =
            square_root(m * Pack(s / root_unit(-s * batches_[0].volume[0] * batches_[0].mu[0])));
        for (Pack& entry : turned.m) entry = size * entry;
        scatter_corners(turned, &turned_[corner_at(4 * first)]);
    });
}

void ElasticTets::add_plastic_forces(std::size_t index, std::size_t at, const Mat3Packs& rotation) {
    const Batch& batch = batches_[index];
    for (std::size_t k = 0; k < Pack::width && index * lanes + at + k < count_; ++k) {
        const std::size_t t = index * lanes + at + k;
        Mat3 r;
        for (std::size_t e = 0; e < 9; ++e) r(e / 3, e % 3) = rotation.m[e].lanes[k];
        const Mat3 extra = batch.volume[at + k] * r * plastic_stress(t), g = gradients(t);
        for (std::size_t a = 0; a < 3; ++a) {
            const Vec3 force = extra * g.row[a];
            for (std::size_t c = 0; c < 3; ++c)
                forces_[force_at(4 * t) + a + 1][c] += force[c], forces_[force_at(4 * t)][c] -= force[c];
        }
    }
}

void ElasticTets::evaluate_principal(std::size_t tet, std::span<const Vec3> x, std::span<const Vec3> v,
                                     const Linearisation* out) {
    const Mat3 g = gradients(tet), f = deformation(tet, x), speed = deformation(tet, v);
    const Batch& batch = batches_[tet / lanes];
    const double volume = batch.volume[tet % lanes], beta = damping_;
    Mat3 p = first_stress(model_, constants(tet), f);
    if (!plastic_.empty()) p = p - polar(f).rotation * plastic_stress(tet);
    const auto put_forces = [&] {
        Vec3 sum;
        OfCorner* const to = &forces_[force_at(4 * tet)];
        for (std::size_t a = 0; a < 3; ++a) {
            const Vec3 force = -volume * (p * g.row[a]);
            for (std::size_t c = 0; c < 3; ++c) to[a + 1][c] = force[c];
            sum += force;
        }
        for (std::size_t c = 0; c < 3; ++c) to[0][c] = -sum[c];
    };
    if (!out && beta == 0) return put_forces();
    const Svd3 frame = svd3(f);
    const PrincipalResponse r = principal_response(model_, constants(tet), frame.sigma, true);
    const PrincipalResponse d =
        model_ == ElasticModel::corotational ? warped_response(constants(tet)) : r;  // of damping
    const Mat3 turned = transpose(frame.left) * speed * frame.right;
    if (beta > 0) p = p + beta * (frame.left * apply(d, turned) * transpose(frame.right));
    put_forces();
    if (!out) return;
    const PrincipalResponse e = combined(-volume * out->k, r, -volume * beta * out->b, d);
    // In the frame: M_ii = axial_ii a_i b_i + Σ_j straight_ij a_j b_j, M_ij = axial_ij a_i b_j + crossed_ij
    // a_j b_i.
    std::array<Vec3, 4> corner;
    for (std::size_t a = 0; a < 3; ++a) corner[a + 1] = transpose_times(frame.right, g.row[a]);
    corner[0] = -(corner[1] + corner[2] + corner[3]);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = a + 1; b < 4; ++b) {
            Mat3 m;
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j) {
                    if (i != j)
                        m(i, j) = e.axial(i, j) * corner[a][i] * corner[b][j] +
                                  e.crossed[3 - i - j] * corner[a][j] * corner[b][i];
                    else
                        for (std::size_t k = 0; k < 3; ++k)
                            m(i, i) += (k == i ? e.axial(i, i) : e.straight[3 - i - k]) * corner[a][k] *
                                       corner[b][k];
                }
            blocks_[tet_at(tet)][pair++] = frame.left * m * transpose(frame.left);
        }
}

void ElasticTets::evaluate(Range batches, std::span<const Vec3> x, std::span<const Vec3> v,
                           const Linearisation* out, bool with_forces, const Parallel& parallel) {
    const bool sum = with_forces && !force_sums_.empty();
    parallel.chunks(batches.end - batches.begin, batches_per_task, [&](std::size_t from, std::size_t to) {
        for (std::size_t b = batches.begin + from; b < batches.begin + to; b += tets_at_once / lanes) {
            const std::size_t end = std::min(batches.begin + to, b + tets_at_once / lanes);
            if (warped(out))
                evaluate_warped(b, end, x, v, out);
            else
                for (std::size_t t = b * lanes; t < std::min(count_, end * lanes); ++t)
                    evaluate_principal(t, x, v, out);
            if (sum) sum_forces(b, end);
        }
    });
}

void ElasticTets::sum_forces(std::size_t begin, std::size_t end) {
    for (std::size_t t = begin * lanes; t < std::min(count_, end * lanes); ++t) {
        const Batch& batch = batches_[t / lanes];
        const OfCorner* const from = &forces_[force_at(4 * t)];
        for (std::size_t a = 0; a < 4; ++a) {
            OfCorner& to = force_sums_[batch.vertex[a][t % lanes]];
            store_four(load_four(to.data()) + load_four(from[a].data()), to.data());
        }
    }
}

double ElasticTets::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t t = 0; t < count_; ++t) {
        const Mat3 f = deformation(t, x);
        if (plastic_.empty()) {
            sum += rest_volume(t) * energy_density(model_, constants(t), f);
            continue;
        }
        const Lame c = constants(t);
        const Mat3 strain = polar(f).stretch - Mat3::identity() - plastic_[t];
        sum += rest_volume(t) * (c.mu * norm2(strain) + 0.5 * c.lambda * trace(strain) * trace(strain));
    }
    return sum;
}

// |K_ab| ≤ V |∂P/∂F| |g_a| |g_b|. Corotational: 2 μ + 3 λ, whatever the strain. Neo-Hookean: by the terms of
// ∂P/∂F as they are now.
void ElasticTets::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    PLUSH_ASSERT(bounds.k.size() == x.size() && bounds.d.size() == x.size());
    for (std::size_t t = 0; t < count_; ++t) {
        const Lame c = constants(t);
        double slope = 2 * c.mu + 3 * c.lambda;
        if (model_ == ElasticModel::neo_hookean) {
            const Mat3 f = deformation(t, x);
            const Mat3 sides{
                {cross(f.row[1], f.row[2]), cross(f.row[2], f.row[0]), cross(f.row[0], f.row[1])}};
            const double square = norm2(f), pressure = c.lambda * (determinant(f) - 1) - 0.75 * c.mu;
            slope = c.mu * (1 - 1 / (square + 1)) + 2 * c.mu * square / ((square + 1) * (square + 1)) +
                    c.lambda * norm2(sides) + std::abs(pressure) * largest_stretch(f);
        }
        const Mat3 g = gradients(t);
        const std::array<double, 4> length{norm(g.row[0] + g.row[1] + g.row[2]), norm(g.row[0]),
                                           norm(g.row[1]), norm(g.row[2])};
        const double all = length[0] + length[1] + length[2] + length[3];
        const auto v = vertices(t);
        for (std::size_t a = 0; a < 4; ++a) {
            bounds.k[v[a]] += rest_volume(t) * slope * length[a] * all;
            bounds.d[v[a]] += damping_ * rest_volume(t) * slope * length[a] * all;
        }
    }
}

// The elastic strain S − 1 − ε_p beyond `yield` flows away at the rate `creep`, implicitly, so that no step
// is too long (after O'Brien, Bargteil & Hodgins 2002, and Müller & Gross 2004).
void ElasticTets::end_step(std::span<const Vec3> x, double h) {
    PLUSH_ASSERT(h > 0 && flow_.size() == plastic_.size());
    for (std::size_t t = 0; t < plastic_.size(); ++t) {
        const Flow& flow = flow_[t];
        if (!(flow.yield < HUGE_VAL)) continue;
        Mat3& plastic = plastic_[t];
        const Mat3 elastic = polar(deformation(t, x)).stretch - Mat3::identity() - plastic;
        const double size = std::sqrt(norm2(elastic));
        if (!(size > flow.yield)) continue;
        const double share = flow.creep * h / (1 + flow.creep * h) * (size - flow.yield) / size;
        plastic += share * elastic;
        const double left = std::sqrt(norm2(plastic));
        if (left > flow.most) plastic = plastic * (flow.most / left);
    }
}

std::size_t ElasticTets::bytes() const {
    const auto of = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return of(batches_) + of(flow_) + of(plastic_) + of(parts_) + of(edges_) + of(rows_) + of(beside_) +
           of(half_parts_) + of(first_half_part_) + of(forces_) + of(force_sums_) + of(turned_) +
           of(blocks_) + (4 * count_ + incidence_.vertex_count()) * sizeof(std::uint32_t);
}

}  // namespace plush
