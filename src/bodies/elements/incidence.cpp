#include "bodies/elements/incidence.hpp"

#include "core/assert.hpp"

namespace plush {

void Incidence::build(std::size_t vertex_count, std::span<const std::uint32_t> vertices) {
    first_.assign(vertex_count + 1, 0);
    for (std::uint32_t v : vertices) {
        PLUSH_ASSERT(v < vertex_count);
        ++first_[v + 1];
    }
    for (std::size_t v = 0; v < vertex_count; ++v) first_[v + 1] += first_[v];
    corner_.resize(vertices.size());
    std::vector<std::uint32_t> fill(first_.begin(), first_.end() - 1);
    for (std::uint32_t c = 0; c < vertices.size(); ++c) corner_[fill[vertices[c]]++] = c;
}

void gather(const Incidence& incidence, std::span<const Vec3> values, std::span<Vec3> sums,
            const Parallel& parallel) {
    PLUSH_ASSERT(!incidence.empty() && sums.size() >= incidence.vertex_count());
    parallel.each(incidence.vertex_count(), vertices_per_task, [&](std::size_t v) {
        Vec3 sum = sums[v];
        for (std::uint32_t c : incidence.corners(v)) sum += values[c];
        sums[v] = sum;
    });
}

}  // namespace plush
