#include "bodies/elements/elastic_tets.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "bodies/elements/root_unit.hpp"
#include "core/assert.hpp"
#include "math/block_columns.hpp"

// What vertices, edges and rows collect. Each vertex sums up its force. Each edge sums up its block from its
// tets; with a = √(V μ s) ĝ_a of a tet, and b likewise, the warped part is b aᵀ + (a·b) 1 + (λ/μ) a bᵀ, so
// that P = Σ b aᵀ is all to be summed up: the block and its mirror image are
//
//     K_ij = P + tr(P) 1 + (λ/μ) Pᵀ,     K_ji = Pᵀ + tr(P) 1 + (λ/μ) P.
//
// An edge writes both where they belong in the matrix if that is still empty, else in numbers of the same
// order beside it, which rows then add. Each row reads its blocks one after another: they sum to zero, so the
// diagonal block is minus the sum of the others, and
//
//     (K v)_i = Σ_j K_ij (v_j − v_i).

namespace plush {
namespace {

void add_to(Vec3& sum, const Four& f) {
    sum += Vec3{f[0], f[1], f[2]};
}

using Columns = BlockColumns;

constexpr std::size_t edges_per_task = 1024;
/// Tets of a window: of one thread, and of several; and how many make it worth to have several.
constexpr std::size_t small_window = 512, large_window = 16384, small_body = 4096;
/// Blocks of the matrix are asked for so many edges before they are written: mirror images lie in rows far
/// from each other, and stores that wait for memory would fill the queue.
constexpr std::size_t edges_ahead = 12;
constexpr std::size_t none = 6;
/// The place of block (a, b), a < b, among the six.
constexpr std::size_t pair_of[4][4] = {{none, 0, 1, 2}, {0, none, 3, 4}, {1, 3, none, 5}, {2, 4, 5, none}};

void fetch_block(const double* block) {
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + 8, 1);
}

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
        PLUSH_ASSERT(t < (1u << 30));
        const auto corner = static_cast<std::uint32_t>(4 * t);
        parts_[next[slot]++] = {corner + a, corner + b};
    });
    edges_.clear();
    std::uint32_t slot = 0;
    for (std::uint32_t i = 0; i < matrix.rows(); ++i)
        for (const std::uint32_t j : matrix.columns(i)) {
            const std::uint32_t parts = first[slot + 1] - first[slot];
            if (parts > 0) edges_.push_back({slot, matrix.slot(j, i), first[slot], parts});
            ++slot;
        }
    covers_matrix_ = 2 * edges_.size() + matrix.rows() == matrix.blocks();
    beside_.clear();
    windows_.clear();
}

void ElasticTets::prepare_incidence(std::size_t vertices) {
    if (!incidence_.empty() && incidence_.vertex_count() == vertices) return;
    std::vector<std::uint32_t> corners;
    corners.reserve(4 * count_);
    for (std::size_t t = 0; t < count_; ++t)
        for (const std::uint32_t v : this->vertices(t)) corners.push_back(v);
    incidence_.build(vertices, corners);
    windows_.clear(), half_windows_.clear();
}

/// Whether windows are those for so many threads; else they have to be planned again. A window of few tets is
/// enough work for one thread; several need more, or they would only wait.
bool ElasticTets::is_planned(const Parallel& parallel) {
    const bool alone = parallel.threads() == 1;
    const std::size_t window = !alone && count_ > small_body ? large_window : small_window;
    const bool same = window == window_ && alone == alone_;
    window_ = window, alone_ = alone;
    return same;
}

void ElasticTets::prepare(std::size_t vertices, const Parallel& parallel) {
    prepare_incidence(vertices);
    if (!is_planned(parallel) || windows_.empty()) plan_windows();
}

void ElasticTets::plan_windows() {
    PLUSH_ASSERT(window_ > 0 && window_ % lanes == 0);
    const std::size_t count = std::max<std::size_t>(1, (count_ + window_ - 1) / window_);
    // By the window of the last tet, and within it in the order of before. What has no tet is complete.
    const auto sort = [&](auto& list, auto&& last_tet) {
        std::vector<std::size_t> end(count + 1, 0);
        for (const auto& item : list) ++end[last_tet(item) / window_ + 1];
        for (std::size_t w = 0; w < count; ++w) end[w + 1] += end[w];
        auto sorted = list;
        std::vector<std::size_t> next = end;
        for (const auto& item : list) sorted[next[last_tet(item) / window_]++] = item;
        list.swap(sorted);
        return end;
    };
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) { return a.slot < b.slot; });
    const auto edges = sort(
        edges_, [&](const Edge& e) -> std::size_t { return parts_[e.first_part + e.parts - 1].from / 4; });
    rows_.resize(incidence_.vertex_count());
    std::iota(rows_.begin(), rows_.end(), 0u);
    const auto rows = sort(rows_, [&](std::uint32_t v) -> std::size_t {
        const auto corners = incidence_.corners(v);
        return corners.empty() ? 0 : corners.back() / 4;
    });
    windows_.clear(), half_windows_.clear();
    std::size_t longest = lanes;
    for (std::size_t w = 0; w < count; ++w) {
        windows_.push_back({edges[w + 1], rows[w + 1]});
        for (std::size_t r = rows[w]; r < rows[w + 1]; ++r)
            if (const auto corners = incidence_.corners(rows_[r]); !corners.empty())
                longest = std::max(longest, (w + 1) * window_ - corners.front() / 4);
    }
    make_ring(longest);
}

void ElasticTets::make_ring(std::size_t tets) {
    ring_ = std::bit_ceil(std::min(tets, lanes * batches_.size()));
    // One thread adds the forces of tets up as they come, in the order in which vertices would collect them.
    force_ring_ = alone_ ? std::min(ring_, tets_at_once) : ring_;
    forces_.assign(4 * force_ring_, {});
    force_sums_.assign(alone_ ? incidence_.vertex_count() : 0, {});
    turned_.clear(), blocks_.clear();
    if (model_ == ElasticModel::corotational) turned_.resize(4 * ring_);
}

void ElasticTets::collect_force(std::uint32_t vertex, Vec3& f) {
    Four force{};
    if (force_sums_.empty()) {
        for (const std::uint32_t corner : incidence_.corners(vertex))
            force += load_four(forces_[force_at(corner)].data());
    } else {
        force = load_four(force_sums_[vertex].data());
        force_sums_[vertex] = {};
    }
    add_to(f, force);
}

void ElasticTets::collect_forces(Range rows, std::span<Vec3> f, const Parallel& parallel) {
    parallel.each(rows.end - rows.begin, vertices_per_task, [&](std::size_t k) {
        const std::uint32_t i = rows_[rows.begin + k];
        collect_force(i, f[i]);
    });
}

void ElasticTets::collect_edges(Range edges, const Linearisation& out, double* numbers,
                                const Parallel& parallel) const {
    PLUSH_ASSERT(edges.begin <= edges.end && edges.end <= edges_.size());
    const double ratio = 2 * poisson_ / (1 - 2 * poisson_);  // λ/μ
    const auto each = [&](auto&& blocks_of) {
        parallel.each(edges.end - edges.begin, edges_per_task, [&](std::size_t e) {
            const Edge edge = edges_[edges.begin + e];
            const Edge& soon = edges_[std::min(edges.begin + e + edges_ahead, edges_.size() - 1)];
            fetch_block(numbers + 9 * std::size_t{soon.slot});
            fetch_block(numbers + 9 * std::size_t{soon.mirrored_slot});
            const auto [block, mirrored] = blocks_of(std::span(parts_).subspan(edge.first_part, edge.parts));
            block.store(numbers + 9 * std::size_t{edge.slot});
            mirrored.store(numbers + 9 * std::size_t{edge.mirrored_slot});
        });
    };
    if (!warped(&out))
        return each([&](std::span<const Part> parts) {
            Columns sum;
            for (const auto [from, to] : parts) {
                const std::size_t a = from % 4, b = to % 4;
                const Mat3& m = blocks_[tet_at(from / 4)][pair_of[a][b]];
                const Mat3 block = a < b ? m : transpose(m);
                sum.add({four(block.column(0)), four(block.column(1)), four(block.column(2))});
            }
            return std::pair{sum, sum.transposed()};
        });
    const double unit = root_unit(-(out.k + out.b * damping_) * batches_[0].volume[0] * batches_[0].mu[0]);
    each([&, turned = turned_.data(), mask = 4 * ring_ - 1](std::span<const Part> parts) {
        Columns p;
        for (const auto [from, to] : parts) {
            const auto& a = turned[from & mask];
            const Four b = load_four(turned[to & mask].data());
            p.c0 += b * a[0], p.c1 += b * a[1], p.c2 += b * a[2];
        }
        p.c0 *= unit, p.c1 *= unit, p.c2 *= unit;
        const Columns t = p.transposed();
        const double trace = p.c0[0] + p.c1[1] + p.c2[2];
        const Four d0{trace, 0, 0, 0}, d1{0, trace, 0, 0}, d2{0, 0, trace, 0};
        return std::pair{
            Columns{p.c0 + (ratio * t.c0 + d0), p.c1 + (ratio * t.c1 + d1), p.c2 + (ratio * t.c2 + d2)},
            Columns{t.c0 + (ratio * p.c0 + d0), t.c1 + (ratio * p.c1 + d1), t.c2 + (ratio * p.c2 + d2)}};
    });
}

void ElasticTets::collect_rows(Range rows, std::span<const Vec3> v, std::span<Vec3> f, Linearisation& out,
                               const double* numbers, const Parallel& parallel) const {
    PLUSH_ASSERT(rows.end <= rows_.size() && out.product.size() == v.size());
    const double unscaled = 1 / (out.k + out.b * damping_);
    const bool with_damping = !f.empty() && warped(&out) && damping_ > 0, add = !out.empty;
    parallel.each(rows.end - rows.begin, vertices_per_task, [&](std::size_t r) {
        const std::uint32_t i = rows_[rows.begin + r];
        const auto columns = out.matrix.columns(i);
        const std::uint32_t first = out.matrix.first_slot(i), diagonal = out.matrix.diagonal_slot(i) - first;
        const Four own = four(v[i]);
        Columns sum;
        Four product{};
        for (std::uint32_t k = 0; k < columns.size(); ++k) {
            if (k == diagonal) continue;
            const Columns block = Columns::load(numbers + 9 * std::size_t{first + k});
            sum.add(block);
            product += block.times(four(v[columns[k]]) - own);
            if (add) block.add_to(out.matrix.numbers(first + k));
        }
        const Columns minus{-sum.c0, -sum.c1, -sum.c2};
        double* const to = out.matrix.numbers(first + diagonal);
        add ? minus.add_to(to) : minus.store(to);
        product *= unscaled;
        add_to(out.product[i], product);
        if (with_damping) add_to(f[i], damping_ * product);
    });
}

void ElasticTets::visit(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                        Linearisation* out, const Parallel& parallel) {
    PLUSH_ASSERT(!out || (out->k <= 0 && out->b <= 0));
    PLUSH_ASSERT(v.size() == x.size() && (f.empty() || f.size() == x.size()));
    if (out && out->half) return visit_half(x, v, f, *out, parallel);
    PLUSH_ASSERT(!out || out->matrix.rows() == x.size());
    prepare(x.size(), parallel);
    if (!warped(out)) blocks_.resize(ring_);
    if (out && !out->empty) beside_.resize(9 * out->matrix.blocks() + 1);
    double* const numbers = !out ? nullptr : out->empty ? out->matrix.numbers(0) : beside_.data();
    const std::size_t batches = window_ / lanes;
    Window done;
    for (std::size_t w = 0; w < windows_.size(); ++w) {
        const Window& now = windows_[w];
        evaluate({w * batches, std::min(batches_.size(), (w + 1) * batches)}, x, v, out, !f.empty(),
                 parallel);
        if (out) {
            collect_edges({done.edges, now.edges}, *out, numbers, parallel);
            collect_rows({done.rows, now.rows}, v, f, *out, numbers, parallel);
        }
        if (!f.empty()) collect_forces({done.rows, now.rows}, f, parallel);
        done = now;
    }
}

void ElasticTets::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                             const Parallel& parallel) {
    visit(x, v, f, nullptr, parallel);
}

void ElasticTets::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                  const Parallel& parallel) {
    visit(x, v, {}, &out, parallel);
}

void ElasticTets::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v,
                                             std::span<Vec3> f, Linearisation& out,
                                             const Parallel& parallel) {
    visit(x, v, f, &out, parallel);
}

}  // namespace plush
