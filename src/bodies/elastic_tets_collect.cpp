#include "bodies/elastic_tets.hpp"
#include "core/assert.hpp"

// The second pass: each vertex collects from its tets. A block of nine numbers by columns,
//
//     (0,0) (1,0) (2,0) (0,1)   (1,1) (2,1) (0,2) (1,2)   (2,2),
//
// is two registers of four and one number. Entry (r, c) of a warped block is
// λ a_r b_c + μ b_r a_c + μ (a·b) [r = c], so each vector is needed as rows {x y z x}, {y z x y} and as
// columns {x x x y}, {y y z z} of these two registers. The rows are what stands in memory from the first and
// from the second number of x y z x y on. Rows of a matrix sum to zero: the diagonal block is minus the
// others' sum.

namespace plush {
namespace {

using Four [[gnu::vector_size(32)]] = double;

struct Spread {
    Four rows0, rows1, columns0, columns1;
    double z;

    explicit Spread(const double* five) : z(five[2]) {
        __builtin_memcpy(&rows0, five, sizeof rows0);
        __builtin_memcpy(&rows1, five + 1, sizeof rows1);
        columns0 = __builtin_shufflevector(rows0, rows0, 0, 0, 0, 1);
        columns1 = __builtin_shufflevector(rows0, rows0, 1, 1, 2, 2);
    }
};

/// The nine numbers of a block.
struct Nine {
    Four first, second;
    double last;

    static Nine load(const double* from) {
        Nine n;
        __builtin_memcpy(&n.first, from, sizeof n.first);
        __builtin_memcpy(&n.second, from + 4, sizeof n.second);
        n.last = from[8];
        return n;
    }
    void store(double* to) const {
        __builtin_memcpy(to, &first, sizeof first);
        __builtin_memcpy(to + 4, &second, sizeof second);
        to[8] = last;
    }
};

constexpr std::size_t none = 6;
/// The place of block (a, b), a < b, among the six.
constexpr std::size_t pair_of[4][4] = {{none, 0, 1, 2}, {0, none, 3, 4}, {1, 3, none, 5}, {2, 4, 5, none}};

}  // namespace

void ElasticTets::add_pattern(BlockPattern& pattern) const {
    for (std::size_t t = 0; t < count_; ++t) pattern.add_all_pairs(vertices(t));
}

void ElasticTets::bind(const BlockMatrix& matrix) {
    places_.resize(16 * count_);
    for (std::size_t t = 0; t < count_; ++t) {
        const auto v = vertices(t);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b) {
                const std::uint32_t place = matrix.slot(v[a], v[b]) - matrix.first_slot(v[a]);
                PLUSH_ASSERT(place < 0x10000u);
                places_[16 * t + 4 * a + b] = static_cast<std::uint16_t>(place);
            }
    }
}

void ElasticTets::collect_row_warped(std::size_t vertex, double* row) const {
    const auto corners = incidence_.corners(vertex);
    double* const own = row + 9 * std::size_t{places_[4 * std::size_t{corners[0]} + corners[0] % 4]};
    Nine sum = Nine::load(own);
    for (const std::uint32_t corner : corners) {
        const Turned& t = turned_[corner / 4];
        const std::size_t mine = corner % 4;
        const Spread a(t.gradient[mine]);
        const Four l0 = t.lambda * a.rows0, l1 = t.lambda * a.rows1, m0 = t.mu * a.columns0,
                   m1 = t.mu * a.columns1;
        const double both = (t.lambda + t.mu) * a.z;
        const double mx = t.mu * t.gradient[mine][0], my = t.mu * t.gradient[mine][1], mz = t.mu * a.z;
        const std::uint16_t* const places = &places_[4 * std::size_t{corner}];
        for (std::size_t step = 1; step < 4; ++step) {
            const std::size_t other = (mine + step) % 4;
            const Spread b(t.gradient[other]);
            const double* const g = t.gradient[other];
            const double diagonal = mx * g[0] + my * g[1] + mz * g[2];
            const Four on_diagonal{diagonal, 0, 0, 0};
            const Four first = l0 * b.columns0 + m0 * b.rows0 + on_diagonal,
                       second = l1 * b.columns1 + m1 * b.rows1 + on_diagonal;
            const double last = both * b.z + diagonal;
            double* const to = row + 9 * std::size_t{places[other]};
            Nine block = Nine::load(to);
            block.first += first, block.second += second, block.last += last;
            block.store(to);
            sum.first -= first, sum.second -= second, sum.last -= last;
        }
    }
    sum.store(own);
}

void ElasticTets::collect_row_blocks(std::size_t vertex, double* row) const {
    for (const std::uint32_t corner : incidence_.corners(vertex)) {
        const Blocks& blocks = blocks_[corner / 4];
        const std::size_t a = corner % 4;
        const std::uint16_t* const places = &places_[4 * std::size_t{corner}];
        double* const own = row + 9 * std::size_t{places[a]};
        for (std::size_t b = 0; b < 4; ++b) {
            if (a == b) continue;
            const Mat3& m = blocks[pair_of[a][b]];
            double* const to = row + 9 * std::size_t{places[b]};
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t r = 0; r < 3; ++r) {
                    const double value = a < b ? m(r, c) : m(c, r);
                    to[3 * c + r] += value;
                    own[3 * c + r] -= value;
                }
        }
    }
}

// Rows of K sum to zero, and so do the forces of a tet.
void ElasticTets::collect(std::span<Vec3> f, Linearisation* out, const Parallel& parallel) {
    parallel.each(incidence_.vertex_count(), vertices_per_task, [&](std::size_t i) {
        if (incidence_.corners(i).empty()) return;
        Vec3 force{}, product{};
        for (const std::uint32_t corner : incidence_.corners(i)) {
            const Given& given = given_[corner / 4];
            const std::size_t a = corner % 4;
            force += a > 0 ? given.force[a - 1] : -(given.force[0] + given.force[1] + given.force[2]);
            if (!out) continue;
            product +=
                a > 0 ? given.product[a - 1] : -(given.product[0] + given.product[1] + given.product[2]);
        }
        if (!f.empty()) f[i] += force;
        if (!out) return;
        out->product[i] += product;
        double* const row = out->matrix.numbers(out->matrix.first_slot(i));
        warped(out) ? collect_row_warped(i, row) : collect_row_blocks(i, row);
    });
}

void ElasticTets::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                             const Parallel& parallel) {
    evaluate(x, v, nullptr, parallel);
    collect(f, nullptr, parallel);
}

void ElasticTets::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                  const Parallel& parallel) {
    evaluate(x, v, &out, parallel);
    collect({}, &out, parallel);
}

void ElasticTets::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                             std::span<Vec3> f, Linearisation& out,
                                             const Parallel& parallel) {
    evaluate(x, v, &out, parallel);
    collect(f, &out, parallel);
}

}  // namespace plush
