#include "detect/depth_images/overlap_rows.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

namespace {

std::uint64_t key_of(std::uint32_t contact, std::uint32_t place) {
    return std::uint64_t{contact} << 32 | place;
}

}  // namespace

void TriangleSums::clear() {
    // The last one first: each then stands where it was put, with nothing missing before it.
    for (std::size_t e = entries_.size(); e-- > 0;) {
        Slot& at = table_[slot(key_of(entries_[e].contact, entries_[e].place))];
        PLUSH_ASSERT(at.number == e);
        at = {};
    }
    entries_.clear();
}

/// Where a key stands in the table, or would.
std::size_t TriangleSums::slot(std::uint64_t key) const {
    PLUSH_ASSERT(table_.size() == std::size_t{1} << (64 - shift_));
    PLUSH_ASSERT(2 * entries_.size() <= table_.size());  // some slot is free
    const std::size_t mask = table_.size() - 1;
    // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): neighbours are spread.
    std::size_t i = (key * 0x9e3779b97f4a7c15u) >> shift_;
    while (table_[i].number != none && table_[i].key != key) i = (i + 1) & mask;
    return i;
}

void TriangleSums::grow() {
    constexpr int least_bits = 8;
    shift_ = table_.empty() ? 64 - least_bits : shift_ - 1;
    table_.assign(std::size_t{1} << (64 - shift_), {});
    for (std::size_t e = 0; e < entries_.size(); ++e) {
        const std::uint64_t key = key_of(entries_[e].contact, entries_[e].place);
        table_[slot(key)] = {key, static_cast<std::uint32_t>(e)};
    }
}

std::uint32_t TriangleSums::number_of(std::uint32_t contact, std::uint32_t place) {
    if (2 * (entries_.size() + 1) > table_.size()) grow();
    const std::uint64_t key = key_of(contact, place);
    Slot& at = table_[slot(key)];
    if (at.number == none) {
        at = {key, static_cast<std::uint32_t>(entries_.size())};
        entries_.push_back({contact, place, {}});
    }
    return at.number;
}

void TriangleSums::group(std::size_t contacts, std::vector<std::uint32_t>& first,
                         std::vector<std::uint32_t>& numbers) const {
    first.assign(contacts + 1, 0);
    for (const Entry& entry : entries_) {
        PLUSH_ASSERT(entry.contact < contacts);
        ++first[entry.contact + 1];
    }
    for (std::size_t c = 0; c < contacts; ++c) first[c + 1] += first[c];
    PLUSH_ASSERT(first[contacts] == entries_.size());
    numbers.resize(entries_.size());
    for (std::size_t e = 0; e < entries_.size(); ++e)
        numbers[first[entries_[e].contact]++] = static_cast<std::uint32_t>(e);
    // Each stands where the next one starts now.
    for (std::size_t c = contacts; c > 0; --c) first[c] = first[c - 1];
    first[0] = 0;
}

void VertexSums::take(const ImageFrame& frame, std::vector<VertexGradient>& rows) {
    for (const VertexGradient& g : gathered_) slots_[g.vertex] = none;
    std::sort(gathered_.begin(), gathered_.end(),
              [](const VertexGradient& x, const VertexGradient& y) { return x.vertex < y.vertex; });
    for (const VertexGradient& g : gathered_) rows.push_back({g.vertex, frame.turned_to_world(g.gradient)});
    gathered_.clear();
}

std::array<Vec3, 3> corner_gradients(const DepthPlan& plan, const SurfaceView& view,
                                     const TriangleSums::Entry& entry) {
    const ImageMap& map = plan.maps[object_at(entry.place)];
    const auto [a, b, c] = view.triangle(triangle_at(entry.place));
    const std::array<Vec3, 3> corners{map(a), map(b), map(c)};
    std::array<Vec3, 3> out{};
    for (std::size_t d = 0; d < 3; ++d) {
        const TriangleSums::AxisSum& s = entry.axes[d];
        if (!s.met) continue;
        const LinearWeights w = linear_weights(corners, d, s.u0, s.v0);
        for (std::size_t k = 0; k < 3; ++k)
            out[k][d] = s.all * w.value[k] + s.u * w.along_u[k] + s.v * w.along_v[k];
    }
    return out;
}

}  // namespace plush
