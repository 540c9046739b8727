#include <algorithm>
#include <numeric>

#include "bodies/elements/elastic_tets.hpp"
#include "bodies/elements/root_unit.hpp"
#include "core/assert.hpp"

// Assembly into a matrix in halves (math/half_matrix.hpp). Rows are in the order of their last tets, so that
// a window of tets completes the next ones, and with them all their edges to rows that are complete later:
// an edge belongs to that end which is complete first. A row works its blocks out (elastic_tets_collect.cpp
// has the formula), writes them behind those of the row before, and gives them to the diagonal and to K v of
// both ends. Nothing of the matrix is read again, and nothing far away is written.

namespace plush {
namespace {

/// What an edge's block is made of: corner a of tet t at this row's vertex, corner b at the other one, as
/// 16 t + 4 a + b, and whether it is the last part of its edge.
constexpr std::uint32_t last_part = 1u << 31;
constexpr std::size_t max_tets = std::size_t{1} << 27;

/// A ring of so many tets, of 128 bytes each, is far beyond the second cache: then what is needed is asked
/// for so many blocks, and parts of blocks, before. With half of it asking costs more than waiting.
constexpr std::size_t far_ring = 16384, columns_ahead = 12, parts_ahead = 32;

/// Blocks of this size, and no others, leave enough of the range of floats to whoever iterates.
constexpr double least_size = 1e-24, max_size = 1e24;

void add_to(Vec3& sum, const Four& f) {
    sum += Vec3{f[0], f[1], f[2]};
}

}  // namespace

HalfMatrix ElasticTets::half_pattern(std::size_t vertices, std::size_t least_blocks) {
    if (model_ != ElasticModel::corotational || count_ == 0 || count_ > max_tets) return {};
    // Euler: a solid ball of tets has at least as many edges as vertices and tets together, less one.
    if (vertices + 2 * (vertices + count_) < least_blocks) return {};
    prepare_incidence(vertices);
    const auto last_tet = [&](std::uint32_t v) -> std::size_t {
        const auto corners = incidence_.corners(v);
        return corners.empty() ? 0 : corners.back() / 4;
    };
    std::vector<std::uint32_t> order(vertices), place(vertices), first{0}, columns;
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return last_tet(a) < last_tet(b); });
    for (std::uint32_t k = 0; k < vertices; ++k) place[order[k]] = k;
    half_parts_.clear();
    first_half_part_.assign(1, 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> parts;  // the place of the other end, and the part
    for (std::uint32_t k = 0; k < vertices; ++k) {
        parts.clear();
        for (const std::uint32_t corner : incidence_.corners(order[k])) {
            const auto v = this->vertices(corner / 4);
            for (std::uint32_t b = 0; b < 4; ++b)
                if (place[v[b]] > k) parts.emplace_back(place[v[b]], 4 * corner + b);
        }
        std::sort(parts.begin(), parts.end());
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const bool last = p + 1 == parts.size() || parts[p + 1].first != parts[p].first;
            half_parts_.push_back(parts[p].second | (last ? last_part : 0));
            if (last) columns.push_back(order[parts[p].first]);
        }
        first.push_back(static_cast<std::uint32_t>(columns.size()));
        first_half_part_.push_back(static_cast<std::uint32_t>(half_parts_.size()));
    }
    half_parts_.shrink_to_fit(), columns.shrink_to_fit();
    measure_blocks();
    half_windows_.clear();
    return HalfMatrix(std::move(order), std::move(first), std::move(columns));
}

/// Of the largest and the smallest V μ |g|² at rest: rotations leave them as they are.
void ElasticTets::measure_blocks() {
    smallest_block_ = HUGE_VAL, largest_block_ = 0;
    for (std::size_t t = 0; t < count_; ++t) {
        const Mat3 g = gradients(t);
        for (const Vec3& row : g.row) {
            const double size = rest_volume(t) * constants(t).mu * norm2(row);
            smallest_block_ = std::min(smallest_block_, size),
            largest_block_ = std::max(largest_block_, size);
        }
    }
}

bool ElasticTets::fits_half(double k, double b) const {
    const double s = -k - b * damping_;
    return smallest_block_ * s > least_size && largest_block_ * s < max_size;
}

/// Where the windows end, and the ring that they need.
void ElasticTets::plan_half(const HalfMatrix& half, const Parallel& parallel) {
    PLUSH_ASSERT(half.order().size() == incidence_.vertex_count());
    if (is_planned(parallel) && !half_windows_.empty()) return;
    windows_.clear();
    half_windows_.assign(std::max<std::size_t>(1, (count_ + window_ - 1) / window_), 0);
    std::size_t longest = lanes;
    for (const std::uint32_t v : half.order()) {
        const auto corners = incidence_.corners(v);
        const std::size_t w = corners.empty() ? 0 : corners.back() / 4 / window_;
        ++half_windows_[w];
        if (!corners.empty()) longest = std::max(longest, (w + 1) * window_ - corners.front() / 4);
    }
    for (std::size_t w = 1; w < half_windows_.size(); ++w) half_windows_[w] += half_windows_[w - 1];
    make_ring(longest);
}

void ElasticTets::visit_half(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                             Linearisation& out, const Parallel& parallel) {
    PLUSH_ASSERT(warped(&out) && out.empty && out.half->rows() == x.size() &&
                 half_parts_.size() == 6 * count_);
    plan_half(*out.half, parallel);
    out.half->clear_diagonal(parallel);
    const std::size_t batches = window_ / lanes;
    Range rows;
    for (std::size_t w = 0; w < half_windows_.size(); ++w) {
        rows.end = half_windows_[w];
        evaluate({w * batches, std::min(batches_.size(), (w + 1) * batches)}, x, v, &out, !f.empty(),
                 parallel);
        if (!alone_)
            collect_half<false, true>(rows, v, f, out, parallel);
        else if (ring_ < far_ring)
            collect_half<true, false>(rows, v, f, out, parallel);
        else
            collect_half<true, true>(rows, v, f, out, parallel);
        rows.begin = rows.end;
    }
    if (!alone_) collect_mirrored(v, f, out, parallel);
}

/// The diagonal and K v of a row: `sum` of its own blocks and what stands there of the others.
void ElasticTets::finish_row(std::uint32_t i, const BlockColumns& others, const Four& others_product,
                             const BlockColumns& sum, const Four& product, std::span<Vec3> f,
                             Linearisation& out) const {
    BlockColumns all = others;
    all.add(sum);
    BlockColumns{-all.c0, -all.c1, -all.c2}.store(out.half->diagonal(i));
    const Four rate = (others_product + product) * (1 / (out.k + out.b * damping_));
    out.product[i] = {rate[0], rate[1], rate[2]};
    if (!f.empty() && damping_ > 0) add_to(f[i], damping_ * rate);
}

template <bool alone, bool far>
void ElasticTets::collect_half(Range rows, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                               const Parallel& parallel) {
    const double ratio = 2 * poisson_ / (1 - 2 * poisson_);  // λ/μ
    const double unit = root_unit(-(out.k + out.b * damping_) * batches_[0].volume[0] * batches_[0].mu[0]);
    HalfMatrix& half = *out.half;
    const auto order = half.order(), first = half.first(), columns = half.columns();
    PLUSH_ASSERT(rows.end <= order.size() && first_half_part_.size() == order.size() + 1);
    const std::size_t mask = 4 * ring_ - 1;
    [[maybe_unused]] const std::uint32_t* const last_column = columns.data() + columns.size() - 1;
    [[maybe_unused]] const std::uint32_t* const end_part = half_parts_.data() + half_parts_.size() - 1;
    parallel.each(rows.end - rows.begin, vertices_per_task, [&](std::size_t r) {
        const std::size_t k = rows.begin + r;
        const std::uint32_t i = order[k];
        const std::uint32_t* part = &half_parts_[first_half_part_[k]];
        const Four own = four(v[i]);
        BlockColumns sum;
        Four product{};
        for (std::uint32_t slot = first[k]; slot < first[k + 1]; ++slot) {
            if constexpr (far) {
                const std::uint32_t soon = *std::min(&columns[slot] + columns_ahead, last_column);
                __builtin_prefetch(&v[soon]);
                __builtin_prefetch(half.diagonal(soon), 1);
                __builtin_prefetch(half.diagonal(soon) + 8, 1);
                __builtin_prefetch(&out.product[soon], 1);
            }
            BlockColumns p;
            std::uint32_t code;
            do {
                if constexpr (far) {
                    const std::uint32_t later = *std::min(part + parts_ahead, end_part);
                    __builtin_prefetch(&turned_[later >> 2 & mask]);
                    __builtin_prefetch(&turned_[(later >> 4 << 2 | (later & 3)) & mask]);
                }
                code = *part++;
                const auto& a = turned_[code >> 2 & mask];
                const Four b = load_four(turned_[(code >> 4 << 2 | (code & 3)) & mask].data());
                p.c0 += b * a[0], p.c1 += b * a[1], p.c2 += b * a[2];
            } while (!(code & last_part));
            p.c0 *= unit, p.c1 *= unit, p.c2 *= unit;
            const BlockColumns t = p.transposed();
            const double trace = p.c0[0] + p.c1[1] + p.c2[2];
            const Four d0{trace, 0, 0, 0}, d1{0, trace, 0, 0}, d2{0, 0, trace, 0};
            const Floats c0 = __builtin_convertvector(p.c0 + (ratio * t.c0 + d0), Floats),
                         c1 = __builtin_convertvector(p.c1 + (ratio * t.c1 + d1), Floats),
                         c2 = __builtin_convertvector(p.c2 + (ratio * t.c2 + d2), Floats);
            store_block(c0, c1, c2, half.numbers(slot));
            const BlockColumns block{widened(c0), widened(c1), widened(c2)};
            const std::uint32_t j = columns[slot];
            const Four apart = four(v[j]) - own;
            sum.add(block);
            product += block.times(apart);
            if constexpr (alone) {
                const BlockColumns mirrored = block.transposed();
                mirrored.add_to(half.diagonal(j));
                add_to(out.product[j], mirrored.times(-apart));
            }
        }
        if (!f.empty()) collect_force(i, f[i]);
        if constexpr (alone) {
            finish_row(i, BlockColumns::load(half.diagonal(i)), four(out.product[i]), sum, product, f, out);
        } else {
            sum.store(half.diagonal(i));
            out.product[i] = {product[0], product[1], product[2]};
        }
    });
}

/// Where threads cannot write to each other's rows: the same sums in the same order, when all blocks are
/// there.
void ElasticTets::collect_mirrored(std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                                   const Parallel& parallel) const {
    HalfMatrix& half = *out.half;
    half.find_mirrored();
    parallel.each(half.rows(), vertices_per_task, [&](std::size_t row) {
        const auto i = static_cast<std::uint32_t>(row);
        const Four own = four(v[i]);
        BlockColumns others;
        Vec3 others_product{};
        for (const HalfMatrix::Mirrored& m : half.mirrored(i)) {
            const BlockColumns mirrored = widened_block(half.numbers(m.slot)).transposed();
            others.add(mirrored);
            add_to(others_product, mirrored.times(-(own - four(v[m.row]))));
        }
        finish_row(i, others, four(others_product), BlockColumns::load(half.diagonal(i)),
                   four(out.product[i]), f, out);
    });
}

}  // namespace plush
