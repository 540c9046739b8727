#include "geometry/mesh/crossing_guard.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/triangle_intersection.hpp"

// Each cell of a grid lists the triangles whose boxes reach into it. A triangle asks those of the cells that
// its own box reaches; most are ruled out by the exact test's first signs.

namespace plush {

CrossingGuard::CrossingGuard(const EditMesh& mesh, double cell, std::span<const Box3> watched)
    : mesh_(mesh), cell_(cell) {
    for (const Box3& box : watched)
        keys_of(box, [&](std::uint64_t key) {
            if (numbers_.insert(key, static_cast<int>(cells_.size())).second) cells_.emplace_back();
            return true;
        });
    for (int t = 0; t < mesh.triangle_slots(); ++t)
        if (mesh.is_triangle(t)) put_in(t);
}

template <class Visit>
void CrossingGuard::keys_of(const Box3& box, Visit&& visit) const {
    const auto cell = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_)); };
    const auto bits = [](std::int64_t i) { return static_cast<std::uint64_t>(i) & 0x1fffff; };
    const std::int64_t x1 = cell(box.high.x), y1 = cell(box.high.y), z1 = cell(box.high.z);
    for (std::int64_t x = cell(box.low.x); x <= x1; ++x)
        for (std::int64_t y = cell(box.low.y); y <= y1; ++y)
            for (std::int64_t z = cell(box.low.z); z <= z1; ++z)
                if (!visit((bits(x) << 42) | (bits(y) << 21) | bits(z))) return;
}

template <class Visit>
void CrossingGuard::cells_of(const Triangle& t, Visit&& visit) const {
    Box3 box;
    for (const int v : t) box.add(mesh_.position(v));
    keys_of(box, [&](std::uint64_t key) {
        const int number = numbers_.find(key);
        return number < 0 || visit(cells_[static_cast<std::size_t>(number)]);
    });
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
