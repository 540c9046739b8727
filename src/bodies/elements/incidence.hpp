#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/parallel.hpp"
#include "plush/math/vec.hpp"

// Sums over the elements at a vertex, in parallel and with the same bits as a loop over the elements: what
// the corners of all elements contribute is written down first, then each vertex gathers its own in the order
// of the elements.

namespace plush {

/// The corners of elements at each vertex. Corner c of element e has the number e · corners + c.
class Incidence {
public:
    /// `vertices[e · corners + c]` is the vertex of a corner.
    void build(std::size_t vertex_count, std::span<const std::uint32_t> vertices);
    bool empty() const { return first_.empty(); }
    std::size_t vertex_count() const { return first_.size() - 1; }
    std::span<const std::uint32_t> corners(std::size_t vertex) const {
        return std::span(corner_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }

private:
    std::vector<std::uint32_t> first_, corner_;
};

/// Elements and vertices that a task takes at once.
inline constexpr std::size_t elements_per_task = 2048;
inline constexpr std::size_t vertices_per_task = 1024;

/// sum[vertex of corner] += value[corner], in the order of the corners.
void gather(const Incidence& incidence, std::span<const Vec3> values, std::span<Vec3> sums,
            const Parallel& parallel);

}  // namespace plush
