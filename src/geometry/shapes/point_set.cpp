#include "geometry/shapes/point_set.hpp"

#include <algorithm>
#include <numeric>

#include "core/transcendental.hpp"
#include "core/tuning.hpp"

namespace plush {
namespace {

// Spreads the low 21 bits of x so that two zero bits follow each: one coordinate of a Morton code.
std::uint64_t spread_bits(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

std::uint64_t morton_code(const Vec3& p, const Box3& box) {
    const Vec3 size = box.size();
    std::uint64_t code = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const double t = size[d] > 0 ? (p[d] - box.low[d]) / size[d] : 0;
        code |= spread_bits(static_cast<std::uint64_t>(t * 2097151.0)) << d;  // 2²¹ − 1 steps a side
    }
    return code;
}

template <class T>
void reorder(std::vector<T>& values, const std::vector<std::uint32_t>& order) {
    std::vector<T> sorted;
    sorted.reserve(values.size());
    for (std::uint32_t i : order) sorted.push_back(values[i]);
    values = std::move(sorted);
}

// The tree over points [first, first + count), halved in space order until few are left.
void grow_tree(PointSet& set, std::size_t first, std::size_t count) {
    const std::span<const Vec3> points = std::span<const Vec3>(set.positions).subspan(first, count);
    Box3 box;
    for (const Vec3& p : points) box.add(p);
    PointSet::Ball ball{
        box.centre(), 0, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count), 0, true};
    for (const Vec3& p : points) ball.radius = std::max(ball.radius, norm(p - ball.centre));
    ball.leaf = count <= tuning::leaf_points;
    const std::size_t index = set.tree.size();
    set.tree.push_back(ball);
    if (!ball.leaf) {
        grow_tree(set, first, count / 2);
        grow_tree(set, first + count / 2, count - count / 2);
    }
    set.tree[index].skip = static_cast<std::uint32_t>(set.tree.size());
}

void sort_and_grow(PointSet& set) {
    Box3 box;
    for (const Vec3& p : set.positions) box.add(p);
    const std::size_t n = set.positions.size();
    std::vector<std::uint64_t> codes(n);
    for (std::size_t i = 0; i < n; ++i) codes[i] = morton_code(set.positions[i], box);
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return codes[a] < codes[b]; });
    reorder(set.positions, order);
    if (!set.normals.empty()) reorder(set.normals, order);
    if (n > 0) grow_tree(set, 0, n);
}

}  // namespace

std::vector<Vec3> vertex_normals(const Mesh& mesh) {
    const auto positions = mesh.positions();
    std::vector<Vec3> normals(positions.size());
    for (const Triangle& t : mesh.triangles()) {
        const Vec3 p[3] = {positions[static_cast<std::size_t>(t[0])],
                           positions[static_cast<std::size_t>(t[1])],
                           positions[static_cast<std::size_t>(t[2])]};
        const Vec3 n = normalised(cross(p[1] - p[0], p[2] - p[0]), {});
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 u = normalised(p[(k + 1) % 3] - p[k], {}), v = normalised(p[(k + 2) % 3] - p[k], {});
            const double angle = pinned::acos(std::clamp(dot(u, v), -1.0, 1.0));
            normals[static_cast<std::size_t>(t[k])] += n * angle;
        }
    }
    for (Vec3& n : normals) n = normalised(n);
    return normals;
}

PointSet PointSet::balls(std::vector<Vec3> centres, double radius) {
    PointSet set;
    set.positions = std::move(centres);
    set.radius = radius;
    sort_and_grow(set);
    return set;
}

PointSet PointSet::with_normals(std::vector<Vec3> positions, std::vector<Vec3> normals) {
    PointSet set;
    set.positions = std::move(positions);
    set.normals = std::move(normals);
    sort_and_grow(set);
    return set;
}

PointSet PointSet::vertices(const Mesh& mesh) {
    // Vertices that no triangle uses are not part of the surface.
    std::vector<char> used(mesh.positions().size(), 0);
    for (const Triangle& t : mesh.triangles())
        for (int v : t) used[static_cast<std::size_t>(v)] = 1;
    const std::vector<Vec3> all = vertex_normals(mesh);
    std::vector<Vec3> positions, normals;
    for (std::size_t i = 0; i < used.size(); ++i) {
        if (!used[i]) continue;
        positions.push_back(mesh.positions()[i]);
        normals.push_back(all[i]);
    }
    return with_normals(std::move(positions), std::move(normals));
}

}  // namespace plush
