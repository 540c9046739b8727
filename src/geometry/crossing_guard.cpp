#include "geometry/crossing_guard.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/predicates.hpp"
#include "geometry/triangle_intersection.hpp"

// Each cell of a grid lists the triangles whose boxes reach into it. A triangle asks those of the cells that
// its own box reaches; most are ruled out by the exact test's first signs.

namespace plush {

CrossingGuard::CrossingGuard(const EditMesh& mesh, double cell) : mesh_(mesh), cell_(cell) {
    for (int t = 0; t < mesh.triangle_slots(); ++t)
        if (mesh.is_triangle(t)) put_in(t);
}

template <class Visit>
void CrossingGuard::cells_of(const Triangle& t, Visit&& visit) const {
    Box3 box;
    for (const int v : t) box.add(mesh_.position(v));
    const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
    for (std::int64_t x = cell(box.low.x); x <= cell(box.high.x); ++x)
        for (std::int64_t y = cell(box.low.y); y <= cell(box.high.y); ++y)
            for (std::int64_t z = cell(box.low.z); z <= cell(box.high.z); ++z) {
                const auto bits = [](std::int64_t i) { return static_cast<std::uint64_t>(i) & 0x1fffff; };
                const std::uint64_t key = (bits(x) << 42) | (bits(y) << 21) | bits(z);
                const auto [number, is_new] = numbers_.insert(key, static_cast<int>(cells_.size()));
                if (is_new) cells_.emplace_back();
                if (!visit(cells_[static_cast<std::size_t>(number)])) return;
            }
}

void CrossingGuard::update(int triangle, bool in) {
    cells_of(mesh_.triangle(triangle), [&](std::vector<int>& list) {
        if (in)
            list.push_back(triangle);
        else
            list.erase(std::find(list.begin(), list.end(), triangle));
        return true;
    });
}

bool CrossingGuard::crosses_any(const Triangle& t) const {
    bool crosses = false;
    cells_of(t, [&](const std::vector<int>& list) {
        for (const int other : list)
            if (triangles_intersect(mesh_.positions(), t, mesh_.triangle(other))) {
                crosses = true;
                return false;
            }
        return true;
    });
    return crosses;
}

bool CrossingGuard::fits(std::span<const Triangle> triangles) const {
    for (const Triangle& t : triangles)
        if (collinear(mesh_.position(t[0]), mesh_.position(t[1]), mesh_.position(t[2]))) return false;
    for (std::size_t i = 0; i < triangles.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (triangles_intersect(mesh_.positions(), triangles[i], triangles[j])) return false;
    return std::none_of(triangles.begin(), triangles.end(),
                        [&](const Triangle& t) { return crosses_any(t); });
}

}  // namespace plush
