#include "bodies/elastic_tets.hpp"
#include "core/assert.hpp"

// What vertices, edges and rows collect. Each vertex sums up its force. Each edge sums up its block from its
// tets; with a = √(V μ s) ĝ_a of a tet, and b likewise, the warped part is b aᵀ + (a·b) 1 + (λ/μ) a bᵀ, so
// that P = Σ b aᵀ is all to be summed up: the block is P + tr(P) 1 + (λ/μ) Pᵀ. Then each row of the matrix
// takes the blocks of its edges, those of edges from lower vertices transposed. Rows sum to zero: the
// diagonal block is minus the sum of the others, and
//
//     (K v)_i = Σ_j K_ij (v_j − v_i).

namespace plush {
namespace {

using Four [[gnu::vector_size(32)]] = double;

Four load(const double* from) {
    Four f;
    __builtin_memcpy(&f, from, sizeof f);
    return f;
}

void store(const Four& f, double* to) {
    __builtin_memcpy(to, &f, sizeof f);
}

Four four(const Vec3& v) {
    return Four{v.x, v.y, v.z, 0};
}

void add_to(Vec3& sum, const Four& f) {
    sum += Vec3{f[0], f[1], f[2]};
}

/// The nine numbers of a block by columns.
struct Nine {
    Four first{}, second{};
    double last = 0;

    static Nine load(const double* from) { return {plush::load(from), plush::load(from + 4), from[8]}; }
    static Nine columns(const Four& a, const Four& b, const Four& c) {
        return {__builtin_shufflevector(a, b, 0, 1, 2, 4), __builtin_shufflevector(b, c, 1, 2, 4, 5), c[2]};
    }
    void store(double* to) const { plush::store(first, to), plush::store(second, to + 4), to[8] = last; }
    void add(const Nine& n) { first += n.first, second += n.second, last += n.last; }
    void subtract(const Nine& n) { first -= n.first, second -= n.second, last -= n.last; }
};

void transpose_columns(Four& a, Four& b, Four& c) {
    const Four x{a[0], b[0], c[0], 0}, y{a[1], b[1], c[1], 0}, z{a[2], b[2], c[2], 0};
    a = x, b = y, c = z;
}

constexpr std::size_t edges_per_task = 1024;
constexpr std::size_t none = 6;
/// The place of block (a, b), a < b, among the six.
constexpr std::size_t pair_of[4][4] = {{none, 0, 1, 2}, {0, none, 3, 4}, {1, 3, none, 5}, {2, 4, 5, none}};

}  // namespace

void ElasticTets::add_pattern(BlockPattern& pattern) const {
    for (std::size_t t = 0; t < count_; ++t) pattern.add_all_pairs(vertices(t));
}

void ElasticTets::bind(const BlockMatrix& matrix) {
    // Edges are the slots above the diagonal that a tet uses; a counting sort of the pairs of corners by
    // slot.
    std::vector<std::uint32_t> first(matrix.blocks() + 1);
    const auto each_pair = [&](auto&& f) {
        for (std::size_t t = 0; t < count_; ++t) {
            const auto v = vertices(t);
            for (std::uint32_t a = 0; a < 4; ++a)
                for (std::uint32_t b = 0; b < 4; ++b)
                    if (v[a] < v[b]) f(t, a, b, matrix.slot(v[a], v[b]));
        }
    };
    each_pair([&](std::size_t, std::uint32_t, std::uint32_t, std::uint32_t slot) { ++first[slot + 1]; });
    for (std::size_t s = 0; s < matrix.blocks(); ++s) first[s + 1] += first[s];
    parts_.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    each_pair([&](std::size_t t, std::uint32_t a, std::uint32_t b, std::uint32_t slot) {
        PLUSH_ASSERT(t < (1u << 28));
        parts_[next[slot]++] = static_cast<std::uint32_t>(16 * t + 4 * a + b);
    });
    first_part_.clear(), first_place_.assign(1, 0), places_.clear();
    std::vector<std::uint32_t> edge_of(matrix.blocks(), BlockMatrix::none);
    for (std::uint32_t slot = 0; slot < matrix.blocks(); ++slot) {
        if (first[slot] == first[slot + 1]) continue;
        edge_of[slot] = static_cast<std::uint32_t>(first_part_.size());
        first_part_.push_back(first[slot]);
    }
    edges_.assign(9 * first_part_.size() + 1, 0.0);
    first_part_.push_back(first.back());
    for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
        std::uint32_t slot = matrix.first_slot(i);
        for (const std::uint32_t j : matrix.columns(i)) {
            const std::uint32_t edge = edge_of[i < j ? slot : matrix.slot(j, i)];
            if (i != j && edge != BlockMatrix::none) places_.push_back({slot, 2 * edge + (j < i)});
            ++slot;
        }
        first_place_.push_back(static_cast<std::uint32_t>(places_.size()));
    }
}

void ElasticTets::collect_forces(std::span<Vec3> f, const Parallel& parallel) const {
    parallel.each(incidence_.vertex_count(), vertices_per_task, [&](std::size_t i) {
        Four force{};
        for (const std::uint32_t corner : incidence_.corners(i)) {
            const auto& of = given_[corner / 4].force;
            const std::size_t a = corner % 4;
            force += a > 0 ? load(of[a - 1]) : -(load(of[0]) + load(of[1]) + load(of[2]));
        }
        add_to(f[i], force);
    });
}

void ElasticTets::collect_edges(const Linearisation& out, const Parallel& parallel) {
    const double ratio = 2 * poisson_ / (1 - 2 * poisson_);  // λ/μ
    const bool by_turned = warped(&out);
    parallel.each(first_part_.size() - 1, edges_per_task, [&](std::size_t e) {
        const auto parts = std::span(parts_).subspan(first_part_[e], first_part_[e + 1] - first_part_[e]);
        Four c0{}, c1{}, c2{};
        if (!by_turned) {
            for (const std::uint32_t part : parts) {
                const std::size_t a = part / 4 % 4, b = part % 4;
                const Mat3& m = blocks_[part / 16][pair_of[a][b]];
                const Mat3 block = a < b ? m : transpose(m);
                c0 += four(block.column(0)), c1 += four(block.column(1)), c2 += four(block.column(2));
            }
            return Nine::columns(c0, c1, c2).store(&edges_[9 * e]);
        }
        for (const std::uint32_t part : parts) {
            const Turned& t = turned_[part / 16];
            const double* const a = t.gradient[part / 4 % 4];
            const Four b = load(t.gradient[part % 4]);
            c0 += b * a[0], c1 += b * a[1], c2 += b * a[2];
        }
        const double trace = c0[0] + c1[1] + c2[2];
        Four r0 = c0, r1 = c1, r2 = c2;
        transpose_columns(r0, r1, r2);
        c0 += ratio * r0 + Four{trace, 0, 0, 0}, c1 += ratio * r1 + Four{0, trace, 0, 0},
            c2 += ratio * r2 + Four{0, 0, trace, 0};
        Nine::columns(c0, c1, c2).store(&edges_[9 * e]);
    });
}

void ElasticTets::collect_rows(std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                               const Parallel& parallel) const {
    const double unscaled = 1 / (out.k + out.b * damping_);
    const bool with_damping = !f.empty() && warped(&out) && damping_ > 0;
    parallel.each(first_place_.size() - 1, vertices_per_task, [&](std::size_t i) {
        const auto columns = out.matrix.columns(i);
        const std::uint32_t first_slot = out.matrix.first_slot(i);
        const Four own = four(v[i]);
        Nine sum;
        Four product{};
        for (std::uint32_t k = first_place_[i]; k < first_place_[i + 1]; ++k) {
            const Place& place = places_[k];
            const double* const block = &edges_[9 * std::size_t{place.edge / 2}];
            Four c0 = load(block), c1 = load(block + 3), c2 = load(block + 6);
            Nine nine = Nine::load(block);
            if (place.edge % 2 == 1) {
                transpose_columns(c0, c1, c2);
                nine = Nine::columns(c0, c1, c2);
            }
            const Four dv = four(v[columns[place.slot - first_slot]]) - own;
            product += c0 * dv[0] + c1 * dv[1] + c2 * dv[2];
            double* const to = out.matrix.numbers(place.slot);
            Nine there = Nine::load(to);
            there.add(nine);
            there.store(to);
            sum.subtract(nine);
        }
        double* const diagonal = out.matrix.numbers(out.matrix.diagonal_slot(i));
        Nine there = Nine::load(diagonal);
        there.add(sum);
        there.store(diagonal);
        product *= unscaled;
        add_to(out.product[i], product);
        if (with_damping) add_to(f[i], damping_ * product);
    });
}

void ElasticTets::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                             const Parallel& parallel) {
    evaluate(x, v, nullptr, parallel);
    collect_forces(f, parallel);
}

void ElasticTets::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                  const Parallel& parallel) {
    evaluate(x, v, &out, parallel);
    collect_edges(out, parallel);
    collect_rows(v, {}, out, parallel);
}

void ElasticTets::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                             std::span<Vec3> f, Linearisation& out,
                                             const Parallel& parallel) {
    evaluate(x, v, &out, parallel);
    collect_edges(out, parallel);
    collect_rows(v, f, out, parallel);
    collect_forces(f, parallel);
}

}  // namespace plush
