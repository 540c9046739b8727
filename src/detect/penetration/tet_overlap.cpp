#include "detect/penetration/tet_overlap.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "detect/penetration/cell_index.hpp"
#include "geometry/mesh/predicates.hpp"
#include "geometry/tets/tet_topology.hpp"

namespace plush {
namespace {

/// Whether all of b is on the outer side of one of a's faces. `turned` for a tet of negative volume.
bool face_parts(const TetCorners& a, int turned, const TetCorners& b) {
    for (const auto& [i, j, k] : face_opposite) {
        bool apart = true;
        for (const Vec3& p : b) apart = apart && turned * orient3d(a[i], a[j], a[k], p) >= 0;
        if (apart) return true;
    }
    return false;
}

constexpr std::array<std::array<std::size_t, 2>, 6> tet_edges{
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

bool edges_part(const TetCorners& a, const TetCorners& b) {
    for (const auto& of_a : tet_edges)
        for (const auto& of_b : tet_edges) {
            // No structured bindings: clang 14 cannot capture them.
            const std::size_t i = of_a[0], j = of_a[1], k = of_b[0], l = of_b[1];
            // The edge of a lies in the plane; a's other corners tell its side. b must be on the other.
            const auto of = [&](const Vec3& p) { return orient3d_edges(a[i], a[j], b[k], b[l], p); };
            int low = 0, high = 0;
            for (std::size_t n = 0; n < 4; ++n)
                if (n != i && n != j) low = std::min(low, of(a[n])), high = std::max(high, of(a[n]));
            if (low * high < 0 || low == high) continue;  // a on both sides, or the edges are parallel
            const int outer = high > 0 ? -1 : 1;
            bool apart = true;
            for (const Vec3& p : b) apart = apart && outer * of(p) >= 0;
            if (apart) return true;
        }
    return false;
}

TetCorners corners(std::span<const Vec3> x, const Tet& t) {
    PLUSH_ASSERT(std::all_of(t.begin(), t.end(),
                             [&](int v) { return v >= 0 && static_cast<std::size_t>(v) < x.size(); }));
    return {x[static_cast<std::size_t>(t[0])], x[static_cast<std::size_t>(t[1])],
            x[static_cast<std::size_t>(t[2])], x[static_cast<std::size_t>(t[3])]};
}

Box3 box_of(const TetCorners& t) {
    return {min(min(t[0], t[1]), min(t[2], t[3])), max(max(t[0], t[1]), max(t[2], t[3]))};
}

}  // namespace

bool tets_overlap(const TetCorners& a, const TetCorners& b) {
    if (!box_of(a).overlaps(box_of(b))) return false;
    const int va = orient3d(a[0], a[1], a[2], a[3]), vb = orient3d(b[0], b[1], b[2], b[3]);
    if (va == 0 || vb == 0) return false;
    return !face_parts(a, va, b) && !face_parts(b, vb, a) && !edges_part(a, b);
}

std::optional<TetOverlap> find_tet_overlap(std::span<const Vec3> xa, std::span<const Tet> a,
                                           std::span<const Vec3> xb, std::span<const Tet> b) {
    Box3 all_a, all_b;
    for (const Vec3& p : xa) all_a.add(p);
    for (const Vec3& p : xb) all_b.add(p);
    const Box3 common{max(all_a.low, all_b.low), min(all_a.high, all_b.high)};
    if (common.empty()) return {};

    std::vector<int> near;
    double size = 0;
    for (std::size_t t = 0; t < b.size(); ++t) {
        const Box3 box = box_of(corners(xb, b[t]));
        if (!box.overlaps(common)) continue;
        near.push_back(static_cast<int>(t));
        size += max_component(box.size());
    }
    if (near.empty()) return {};
    CellIndex cells;
    const double mean = size / static_cast<double>(near.size());
    cells.begin(DepthCells::dense, common, mean > 0 ? mean : 1, near.size());
    const auto each_cell = [&](const Box3& box, auto&& act) {
        const Cell low = cells.cell_of(box.low), high = cells.cell_of(box.high);
        for (Cell c = low; c.z <= high.z; ++c.z)
            for (c.y = low.y; c.y <= high.y; ++c.y)
                for (c.x = low.x; c.x <= high.x; ++c.x) act(cells.place_of(c));
    };
    for (const int t : near)
        each_cell(box_of(corners(xb, b[static_cast<std::size_t>(t)])),
                  [&](std::uint32_t p) { cells.count(p); });
    cells.finish_count();
    for (const int t : near)
        each_cell(box_of(corners(xb, b[static_cast<std::size_t>(t)])),
                  [&](std::uint32_t p) { cells.put(p, static_cast<std::uint32_t>(t)); });

    std::optional<TetOverlap> found;
    std::vector<std::uint32_t> candidates;
    for (std::size_t t = 0; t < a.size(); ++t) {
        const TetCorners mine = corners(xa, a[t]);
        const Box3 box = box_of(mine);
        if (!box.overlaps(common)) continue;
        candidates.clear();
        each_cell(box, [&](std::uint32_t p) {
            const auto here = cells.items(p);
            candidates.insert(candidates.end(), here.begin(), here.end());
        });
        std::sort(candidates.begin(), candidates.end());
        candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
        for (const std::uint32_t c : candidates) {
            if (!tets_overlap(mine, corners(xb, b[c]))) continue;
            if (!found) found = TetOverlap{static_cast<int>(t), static_cast<int>(c), 0};
            ++found->pairs;
        }
    }
    return found;
}

}  // namespace plush
