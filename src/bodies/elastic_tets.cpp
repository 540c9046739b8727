#include "bodies/elastic_tets.hpp"

#include <algorithm>

#include "core/assert.hpp"
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

Pack inner(const Packs& a, const Packs& b) {
    Pack s = a.m[0] * b.m[0];
    for (std::size_t e = 1; e < 9; ++e) s = s + a.m[e] * b.m[e];
    return s;
}

}  // namespace

void ElasticTets::add(const std::array<std::uint32_t, 4>& vertices, const std::array<Vec3, 4>& rest,
                      const ElasticMaterial& material) {
    const Mat3 edges = Mat3::columns(rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]);
    const double volume = determinant(edges) / 6;
    PLUSH_ASSERT(volume > 0 && material.model == model_);
    const std::size_t lane = count_ % lanes;
    if (lane == 0) batches_.emplace_back();
    Batch& batch = batches_.back();
    const Lame c = model_constants(model_, material.young, material.poisson);
    // Lanes that no tet has taken yet repeat the last one without volume.
    for (std::size_t l = lane; l < lanes; ++l) {
        batch.gradient.set_lane(l, inverse(edges));
        batch.volume[l] = l == lane ? volume : 0;
        batch.mu[l] = c.mu, batch.lambda[l] = c.lambda, batch.damping[l] = material.stiffness_damping;
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
    if (material.yield) flow_.back() = {*material.yield, material.creep, material.most_plastic};
}

std::array<std::uint32_t, 4> ElasticTets::vertices(std::size_t tet) const {
    const Batch& b = batches_[tet / lanes];
    const std::size_t l = tet % lanes;
    return {b.vertex[0][l], b.vertex[1][l], b.vertex[2][l], b.vertex[3][l]};
}

Mat3 ElasticTets::deformation(std::size_t tet, std::span<const Vec3> x) const {
    const auto i = vertices(tet);
    const Vec3& o = x[i[0]];
    return Mat3::columns(x[i[1]] - o, x[i[2]] - o, x[i[3]] - o) * gradients(tet);
}

Mat3 ElasticTets::plastic_stress(std::size_t tet) const {
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

void ElasticTets::prepare(std::size_t vertices) {
    if (!incidence_.empty() && incidence_.vertex_count() == vertices) return;
    std::vector<std::uint32_t> corners;
    corners.reserve(4 * count_);
    for (std::size_t t = 0; t < count_; ++t)
        for (const std::uint32_t v : this->vertices(t)) corners.push_back(v);
    incidence_.build(vertices, corners);
    given_.resize(lanes * batches_.size());
    if (model_ == ElasticModel::corotational) turned_.resize(lanes * batches_.size());
}

void ElasticTets::evaluate_warped(std::size_t index, std::span<const Vec3> x, std::span<const Vec3> v,
                                  const Linearisation* out) {
    constexpr std::size_t width = Pack::width;
    const Batch& batch = batches_[index];
    for (std::size_t at = 0; at < lanes; at += width) {
        // Edges from corner 0, as columns.
        const auto edges = [&](std::span<const Vec3> p) {
            Packs to;
            for (std::size_t l = 0; l < width; ++l) {
                const Vec3& o = p[batch.vertex[0][at + l]];
                for (std::size_t a = 0; a < 3; ++a) {
                    const Vec3& d = p[batch.vertex[a + 1][at + l]];
                    to.m[a].lanes[l] = d.x - o.x, to.m[3 + a].lanes[l] = d.y - o.y,
                    to.m[6 + a].lanes[l] = d.z - o.z;
                }
            }
            return to;
        };
        const Packs g = Packs::load(batch.gradient, at), now = times(edges(x), g);
        const Packs rotation = polar_rotations(now);
        const Pack volume = Pack::load(&batch.volume[at]), m = Pack::load(&batch.mu[at]),
                   l = Pack::load(&batch.lambda[at]), beta = Pack::load(&batch.damping[at]);
        // V P = V (2 μ (F − R) + λ tr(RᵀF − 1) R),  V δP = V (μ (Ḟ + R Ḟᵀ R) + λ tr(RᵀḞ) R)
        const Pack vm = volume * m, vl = volume * l, two = vm + vm;
        const Packs speed = times(edges(v), g);
        const Pack mean = vl * (inner(rotation, now) - Pack(3.0)), mean_rate = vl * inner(rotation, speed);
        const Packs back = times(rotation, transposed_times(speed, rotation));
        Packs stress, stress_rate;
        for (std::size_t e = 0; e < 9; ++e) {
            stress_rate.m[e] = vm * (speed.m[e] + back.m[e]) + mean_rate * rotation.m[e];
            stress.m[e] = two * (now.m[e] - rotation.m[e]) + mean * rotation.m[e] + beta * stress_rate.m[e];
        }
        // Row a of g is g_a: column a of P gᵀ is P g_a.
        const Packs force = times_transposed(stress, g);
        for (std::size_t k = 0; k < width; ++k)
            for (std::size_t a = 0; a < 3; ++a)
                given_[index * lanes + at + k].force[a] = {-force.m[a].lanes[k], -force.m[3 + a].lanes[k],
                                                           -force.m[6 + a].lanes[k]};
        if (!plastic_.empty()) add_plastic_forces(index, at, rotation);
        if (!out) continue;
        const Packs product = times_transposed(stress_rate, g), turned = times_transposed(rotation, g);
        const Pack factor = Pack(-out->k) + Pack(-out->b) * beta, lambda = vl * factor, mu = vm * factor;
        for (std::size_t k = 0; k < width; ++k) {
            const std::size_t t = index * lanes + at + k;
            for (std::size_t a = 0; a < 3; ++a)
                given_[t].product[a] = {-product.m[a].lanes[k], -product.m[3 + a].lanes[k],
                                        -product.m[6 + a].lanes[k]};
            Turned& to = turned_[t];
            const auto put = [](double* five, double px, double py, double pz) {
                five[0] = px, five[1] = py, five[2] = pz, five[3] = px, five[4] = py;
            };
            double sum[3] = {};
            for (std::size_t a = 0; a < 3; ++a) {
                const double px = turned.m[a].lanes[k], py = turned.m[3 + a].lanes[k],
                             pz = turned.m[6 + a].lanes[k];
                put(to.gradient[a + 1], px, py, pz);
                sum[0] -= px, sum[1] -= py, sum[2] -= pz;
            }
            put(to.gradient[0], sum[0], sum[1], sum[2]);
            to.lambda = lambda.lanes[k], to.mu = mu.lanes[k];
        }
    }
}

void ElasticTets::add_plastic_forces(std::size_t index, std::size_t at, const Mat3Packs& rotation) {
    const Batch& batch = batches_[index];
    for (std::size_t k = 0; k < Pack::width && index * lanes + at + k < count_; ++k) {
        const std::size_t t = index * lanes + at + k;
        Mat3 r;
        for (std::size_t e = 0; e < 9; ++e) r(e / 3, e % 3) = rotation.m[e].lanes[k];
        const Mat3 extra = batch.volume[at + k] * r * plastic_stress(t), g = gradients(t);
        for (std::size_t a = 0; a < 3; ++a) given_[t].force[a] += extra * g.row[a];
    }
}

void ElasticTets::evaluate_principal(std::size_t tet, std::span<const Vec3> x, std::span<const Vec3> v,
                                     const Linearisation* out) {
    const Mat3 g = gradients(tet), f = deformation(tet, x), speed = deformation(tet, v);
    const Batch& batch = batches_[tet / lanes];
    const double volume = batch.volume[tet % lanes], beta = batch.damping[tet % lanes];
    Given& given = given_[tet];
    Mat3 p = first_stress(model_, constants(tet), f);
    if (!plastic_.empty()) p = p - polar(f).rotation * plastic_stress(tet);
    if (!out && beta == 0) {
        for (std::size_t a = 0; a < 3; ++a) given.force[a] = -volume * (p * g.row[a]);
        return;
    }
    const Svd3 frame = svd3(f);
    const PrincipalResponse r = principal_response(model_, constants(tet), frame.sigma, true);
    const PrincipalResponse d =
        model_ == ElasticModel::corotational ? warped_response(constants(tet)) : r;  // of damping
    const Mat3 turned = transpose(frame.left) * speed * frame.right;
    const auto stress_rate = [&](const PrincipalResponse& by) {
        return frame.left * apply(by, turned) * transpose(frame.right);
    };
    const Mat3 elastic = stress_rate(r), damping = stress_rate(d);
    for (std::size_t a = 0; a < 3; ++a) {
        given.product[a] = -volume * (elastic * g.row[a]);
        given.force[a] = -volume * ((p + beta * damping) * g.row[a]);
    }
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
            blocks_[tet][pair++] = frame.left * m * transpose(frame.left);
        }
}

void ElasticTets::evaluate(std::span<const Vec3> x, std::span<const Vec3> v, const Linearisation* out,
                           const Parallel& parallel) {
    PLUSH_ASSERT(!out || (out->k <= 0 && out->b <= 0));
    prepare(x.size());
    if (!warped(out)) blocks_.resize(count_);
    parallel.each(batches_.size(), batches_per_task, [&](std::size_t b) {
        if (warped(out)) return evaluate_warped(b, x, v, out);
        for (std::size_t t = b * lanes; t < std::min(count_, (b + 1) * lanes); ++t)
            evaluate_principal(t, x, v, out);
    });
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
        const double beta = batches_[t / lanes].damping[t % lanes];
        for (std::size_t a = 0; a < 4; ++a) {
            bounds.k[v[a]] += rest_volume(t) * slope * length[a] * all;
            bounds.d[v[a]] += beta * rest_volume(t) * slope * length[a] * all;
        }
    }
}

// The elastic strain S − 1 − ε_p beyond `yield` flows away at the rate `creep`, implicitly, so that no step
// is too long (after O'Brien, Bargteil & Hodgins 2002, and Müller & Gross 2004).
void ElasticTets::end_step(std::span<const Vec3> x, double h) {
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
    return batches_.capacity() * sizeof(Batch) + flow_.capacity() * sizeof(Flow) +
           plastic_.capacity() * sizeof(Mat3) + places_.capacity() * sizeof(std::uint16_t) +
           given_.capacity() * sizeof(Given) + turned_.capacity() * sizeof(Turned) +
           blocks_.capacity() * sizeof(Blocks) + 4 * count_ * sizeof(std::uint32_t);
}

}  // namespace plush
