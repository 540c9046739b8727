#include "bodies/deformable/rest_compliance.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "math/polar.hpp"

namespace plush {
namespace {

constexpr std::uint32_t nowhere = 0xffffffffu;

}  // namespace

bool RestCompliance::fit(DeformableBody& body, std::span<const Vec3> rest) {
    const auto pinned = body.pinned_vertices();
    if (rows_ == rest.size() && rows_ > 0 && body.has_matrix() && factors_ == body.matrix_factors() &&
        std::equal(pinned.begin(), pinned.end(), pinned_.begin(), pinned_.end()))
        return true;
    rows_ = known_ = 0;
    BlockMatrix matrix;
    if (!body.lasting_matrix(rest, matrix)) return false;
    if (!factor_.fits(matrix)) factor_.analyse(matrix);
    if (!factor_.factorise(matrix, pinned)) return false;
    rows_ = rest.size();
    factors_ = body.matrix_factors();
    pinned_.assign(pinned.begin(), pinned.end());
    rest_.assign(rest.begin(), rest.end());
    keep(body.surface_vertices());
    return true;
}

void RestCompliance::keep(std::span<const std::uint32_t> rows) {
    kept_.assign(rows.begin(), rows.end());
    kept_place_.assign(rows_, nowhere);
    for (std::uint32_t k = 0; k < kept_.size(); ++k) kept_place_[kept_[k]] = k;
    columns_.assign(rows_, {});
    known_ = 0;
    gathered_.clear();
    place_.assign(rows_, nowhere);
}

bool RestCompliance::few_enough(const DeformableBody& body, std::span<const HalfSolves::Entry> touched) {
    const std::size_t vertices = body.positions().size();
    std::vector<std::uint8_t> met(vertices, 0), outside(vertices, 1);
    for (const std::uint32_t v : body.surface_vertices()) outside[v] = 0;
    std::size_t count = 0, rows = body.surface_vertices().size();
    for (const HalfSolves::Entry& e : touched) {
        PLUSH_ASSERT(e.row < vertices);
        if (outside[e.row]) rows = vertices;
        count += met[e.row] == 0, met[e.row] = 1;
    }
    return 2 * count * 3 * rows * sizeof(Vec3) <= tuning::rest_compliance_bytes;
}

/// The columns of C of these vertices.
void RestCompliance::know(std::span<const std::uint32_t> vertices, const Parallel& parallel) {
    std::vector<std::uint32_t> fresh;
    for (const std::uint32_t v : vertices)
        if (columns_[v].empty()) fresh.push_back(v);
    if (fresh.empty()) return;
    PLUSH_ASSERT(!kept_.empty());
    const std::size_t most = tuning::rest_compliance_bytes / (3 * kept_.size() * sizeof(Vec3));
    if (known_ + fresh.size() > most && known_ > 0) {  // what is not needed now is found again when it is
        columns_.assign(rows_, {});
        known_ = 0;
        return know(vertices, parallel);
    }
    known_ += fresh.size();
    constexpr std::size_t together = 8;  // vertices: three registers of right-hand sides
    parallel.each((fresh.size() + together - 1) / together, 1, [&](std::size_t chunk) {
        const std::size_t first = chunk * together, count = std::min(together, fresh.size() - first);
        // One more that is empty: a single side would be solved another way, with other bits.
        std::vector<Vec3> x((3 * count + 1) * rows_);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t a = 0; a < 3; ++a) x[(3 * k + a) * rows_ + fresh[first + k]][a] = 1;
        const bool single = 3 * count % 8 == 1;
        factor_.solve_many(std::span(x).first((3 * count + (single ? 1 : 0)) * rows_));
        for (std::size_t k = 0; k < count; ++k) {
            std::vector<Vec3>& column = columns_[fresh[first + k]];
            column.reserve(3 * kept_.size());
            for (std::size_t a = 0; a < 3; ++a)
                for (const std::uint32_t v : kept_) column.push_back(x[(3 * k + a) * rows_ + v]);
        }
    });
}

/// C of these vertices into one piece, unless it is there.
void RestCompliance::gather(const std::vector<std::uint32_t>& vertices, const Parallel& parallel) {
    PLUSH_ASSERT(std::is_sorted(vertices.begin(), vertices.end()));
    const bool there =
        std::all_of(vertices.begin(), vertices.end(), [&](std::uint32_t v) { return place_[v] != nowhere; });
    if (there && gathered_.size() <= 2 * vertices.size()) return;
    if (std::any_of(vertices.begin(), vertices.end(),
                    [&](std::uint32_t v) { return kept_place_[v] == nowhere; })) {
        std::vector<std::uint32_t> all(rows_);
        std::iota(all.begin(), all.end(), 0u);
        keep(all);
    }
    for (const std::uint32_t v : gathered_) place_[v] = nowhere;
    // Those of before stay as long as they are few: contact comes and goes.
    std::vector<std::uint32_t> both;
    std::set_union(gathered_.begin(), gathered_.end(), vertices.begin(), vertices.end(),
                   std::back_inserter(both));
    if (both.size() > 2 * vertices.size()) both.assign(vertices.begin(), vertices.end());
    gathered_ = std::move(both);
    know(gathered_, parallel);
    for (std::uint32_t k = 0; k < gathered_.size(); ++k) place_[gathered_[k]] = k;
    const std::size_t size = 3 * gathered_.size();
    c_.resize(size * size);
    for (std::size_t p = 0; p < gathered_.size(); ++p) {
        const std::vector<Vec3>& column = columns_[gathered_[p]];
        for (std::size_t q = p; q < gathered_.size(); ++q)
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t r = 0; r < 3; ++r)
                    c_[(3 * p + a) * size + 3 * q + r] = c_[(3 * q + r) * size + 3 * p + a] =
                        column[a * kept_.size() + kept_place_[gathered_[q]]][r];
    }
}

Mat3 RestCompliance::turn(const DeformableBody& body, std::uint32_t vertex) const {
    const auto x = body.positions();
    PLUSH_ASSERT(x.size() == rest_.size() && vertex < rest_.size());
    Mat3 sum;
    for (const std::uint32_t j : body.neighbours(vertex))
        sum += outer(x[j] - x[vertex], rest_[j] - rest_[vertex]);
    return polar(sum).rotation;
}

void RestCompliance::measure(const DeformableBody& body, std::span<const HalfSolves::Entry> entries,
                             std::span<const std::uint32_t> first, std::vector<double>& out) {
    PLUSH_ASSERT(rows_ > 0 && !first.empty() && first.back() == entries.size());
    const std::size_t n = first.size() - 1;
    const auto inverse_masses = body.inverse_masses();
    std::vector<std::uint32_t> touched;
    for (const HalfSolves::Entry& e : entries)
        if (inverse_masses[e.row] > 0) touched.push_back(e.row);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    out.assign(n * n, 0.0);
    if (touched.empty()) return;
    gather(touched, body.threads());

    // Rᵀ Gᵀ of the rows.
    std::vector<Mat3> turns(gathered_.size());
    for (const std::uint32_t v : touched) turns[place_[v]] = turn(body, v);
    std::vector<HalfSolves::Entry> turned(entries.size());
    for (std::size_t e = 0; e < entries.size(); ++e) {
        if (!(inverse_masses[entries[e].row] > 0)) continue;  // it is pinned, and adds nothing
        const std::uint32_t place = place_[entries[e].row];
        PLUSH_ASSERT(place < gathered_.size());
        turned[e] = {place, transpose_times(turns[place], entries[e].value)};
    }

    const std::size_t size = 3 * gathered_.size();
    std::vector<double> x(size);
    for (std::size_t i = 0; i < n; ++i) {
        std::fill(x.begin(), x.end(), 0.0);
        for (std::uint32_t e = first[i]; e < first[i + 1]; ++e) {
            if (turned[e].value == Vec3{}) continue;
            const double* const c = c_.data() + 3 * turned[e].row * size;
            const Vec3& g = turned[e].value;
            for (std::size_t k = 0; k < size; ++k)
                x[k] += g.x * c[k] + g.y * c[size + k] + g.z * c[2 * size + k];
        }
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0;
            for (std::uint32_t e = first[j]; e < first[j + 1]; ++e) {
                const double* const at = x.data() + 3 * turned[e].row;
                const Vec3& g = turned[e].value;
                sum += g.x * at[0] + g.y * at[1] + g.z * at[2];
            }
            out[i * n + j] = out[j * n + i] = sum;
        }
    }
}

}  // namespace plush
