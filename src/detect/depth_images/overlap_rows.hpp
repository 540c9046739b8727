#pragma once

#include "core/assert.hpp"
#include "detect/depth_images/depth_columns.hpp"
#include "plush/detect/overlap.hpp"

// ∂V/∂p of a contact over vertices, from its crossings. A crossing of weight g in column (u, v) gives g w_k
// to corner k of its triangle, and w_k is linear in u and v. So what is summed crossing by crossing is
//
//     Σ g,  Σ g (u − u₀),  Σ g (v − v₀)      of each triangle and image,
//
// (u₀, v₀) the first column, which keeps the numbers small; weights are computed once a triangle and image.

namespace plush {

/// Triangles of contacts in the order in which they were first met, with their sums. Memory is kept from use
/// to use.
class TriangleSums {
public:
    struct AxisSum {
        double all = 0, u = 0, v = 0;
        std::uint16_t u0 = 0, v0 = 0;
        bool met = false;
    };
    struct Entry {
        std::uint32_t contact, place;
        std::array<AxisSum, 3> axes;
    };
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    void clear();
    /// `last` is the entry that was met before, or none, and becomes this one: neighbouring columns mostly
    /// meet the same triangle.
    void add(std::uint32_t contact, std::uint32_t place, std::size_t axis, std::uint16_t u, std::uint16_t v,
             double g, std::uint32_t& last) {
        PLUSH_ASSERT(last == none || last < entries_.size());
        if (last == none || entries_[last].place != place || entries_[last].contact != contact)
            last = number_of(contact, place);
        AxisSum& sum = entries_[last].axes[axis];
        if (!sum.met) sum.u0 = u, sum.v0 = v, sum.met = true;
        sum.all += g, sum.u += g * (u - sum.u0), sum.v += g * (v - sum.v0);
    }
    std::span<const Entry> entries() const { return entries_; }
    /// Numbers of the entries, contact by contact, each as it was met: those of contact c start at first[c].
    void group(std::size_t contacts, std::vector<std::uint32_t>& first,
               std::vector<std::uint32_t>& numbers) const;

private:
    std::uint32_t number_of(std::uint32_t contact, std::uint32_t place);
    std::size_t slot(std::uint64_t key) const;
    void grow();

    std::vector<Entry> entries_;
    struct Slot {
        std::uint64_t key = 0;
        std::uint32_t number = none;
    };
    std::vector<Slot> table_;  ///< numbers of entries, found by a hash of contact and place
    int shift_ = 64;
};

/// The gradient of one side of a contact, vertex by vertex.
class VertexSums {
public:
    void add(std::uint32_t vertex, const Vec3& gradient) {
        if (slots_.size() <= vertex) slots_.resize(vertex + 1, none);
        if (slots_[vertex] == none) {
            slots_[vertex] = static_cast<std::uint32_t>(gathered_.size());
            gathered_.push_back({vertex, {}});
        }
        gathered_[slots_[vertex]].gradient += gradient;
    }
    /// Appends them in the order of the vertices, turned to the world, and forgets them.
    void take(const ImageFrame& frame, std::vector<VertexGradient>& rows);

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    std::vector<VertexGradient> gathered_;
    std::vector<std::uint32_t> slots_;
};

/// What a triangle's sums give to each of its corners, images' axes.
std::array<Vec3, 3> corner_gradients(const DepthPlan& plan, const SurfaceView& view,
                                     const TriangleSums::Entry& entry);

}  // namespace plush
