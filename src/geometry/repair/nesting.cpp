#include "geometry/repair/nesting.hpp"

#include <algorithm>
#include <optional>

#include "geometry/mesh/predicates.hpp"

// A point is inside a closed surface when a ray from it crosses the surface an odd number of times. The ray
// runs along +x, so that the tree's box query finds its triangles and the test is one of the point (y, z)
// against the triangle's projection. A ray through an edge or a vertex must count once: the point is thought
// moved by (ε, ε²) in (y, z), which decides every tie the same way for all triangles (the simulation of
// simplicity of Edelsbrunner & Mücke 1990, for one point only).

namespace plush {
namespace {

// Side of the moved p from ab, seen along x. Zero only where ab is parallel to x.
int moved_side(const Vec3& a, const Vec3& b, const Vec3& p) {
    if (const int side = orient2d(a, b, p, 0); side != 0) return side;
    // The determinant (b−a)_y (p−a)_z − (b−a)_z (p−a)_y grows by −(b−a)_z ε + (b−a)_y ε².
    if (a.z != b.z) return a.z > b.z ? 1 : -1;
    return (b.y > a.y) - (b.y < a.y);
}

enum class Crossing { no, yes, touches };

Crossing crossing(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
    const int side = moved_side(a, b, p);
    if (side == 0 || moved_side(b, c, p) != side || moved_side(c, a, p) != side) return Crossing::no;
    const int above = orient3d(a, b, c, p);
    if (above == 0) return Crossing::touches;
    return above == -side ? Crossing::yes : Crossing::no;
}

struct Tally {
    std::span<const Vec3> positions;
    std::span<const Triangle> triangles;
    const Components& components;
    const Bvh& bvh;
    std::vector<int> crossings{};  // of each component
    std::vector<int> touched{};    // components with a crossing: what to reset

    // The components, other than its own, with an odd number of crossings; nothing where p touches one.
    std::optional<std::vector<int>> around(const Vec3& p, int own) {
        bool touches = false;
        bvh.overlaps(Box3{p, {HUGE_VAL, p.y, p.z}}, [&](int t) {
            const int component = components.of_triangle[static_cast<std::size_t>(t)];
            if (component < 0 || component == own) return;
            const Triangle& v = triangles[static_cast<std::size_t>(t)];
            const auto at = [&](std::size_t k) { return positions[static_cast<std::size_t>(v[k])]; };
            const Crossing c = crossing(p, at(0), at(1), at(2));
            touches = touches || c == Crossing::touches;
            if (c != Crossing::yes) return;
            if (crossings[static_cast<std::size_t>(component)]++ == 0) touched.push_back(component);
        });
        std::vector<int> odd;
        for (const int component : touched) {
            if (crossings[static_cast<std::size_t>(component)] % 2 == 1) odd.push_back(component);
            crossings[static_cast<std::size_t>(component)] = 0;
        }
        touched.clear();
        if (touches) return {};
        return odd;
    }
};

}  // namespace

std::vector<int> nesting_depths(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                const Components& components, std::span<const char> closed,
                                std::span<const std::pair<int, int>> cuts, const Bvh& bvh) {
    std::vector<int> depth(components.first.size(), 0);
    // Each component asks one ray of the whole tree, which hostile input makes linear. Debris in more pieces
    // than this is taken to hold no cavities.
    constexpr int max_components = 1000;
    if (components.count() < 2 || components.count() > max_components) return depth;
    Tally tally{positions, triangles, components, bvh};
    tally.crossings.assign(components.first.size(), 0);
    // A vertex that touches another component tells nothing: try the next, up to this many.
    constexpr int max_tries = 16;
    std::vector<int> tries(components.first.size(), 0);
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const int own = components.of_triangle[t];
        if (own < 0 || tries[static_cast<std::size_t>(own)] >= max_tries) continue;
        const auto odd = tally.around(positions[static_cast<std::size_t>(triangles[t][0])], own);
        ++tries[static_cast<std::size_t>(own)];
        if (!odd) continue;
        tries[static_cast<std::size_t>(own)] = max_tries;
        for (const int outer : *odd) {
            const bool cut =
                std::binary_search(cuts.begin(), cuts.end(), std::pair<int, int>(std::minmax(own, outer)));
            if (closed[static_cast<std::size_t>(outer)] != 0 && !cut) ++depth[static_cast<std::size_t>(own)];
        }
    }
    return depth;
}

std::vector<double> component_volumes(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                      const Components& components) {
    const auto at = [&](int v) { return positions[static_cast<std::size_t>(v)]; };
    std::vector<Box3> bounds(components.first.size());
    std::vector<double> volumes(components.first.size(), 0);
    for (const bool measure : {false, true})
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            if (components.of_triangle[t] < 0) continue;
            const auto c = static_cast<std::size_t>(components.of_triangle[t]);
            const auto& [i, j, k] = triangles[t];
            if (measure) {
                const Vec3 o = bounds[c].centre();
                volumes[c] += dot(at(i) - o, cross(at(j) - o, at(k) - o)) / 6;
            } else {
                bounds[c].add(at(i)), bounds[c].add(at(j)), bounds[c].add(at(k));
            }
        }
    return volumes;
}

}  // namespace plush
