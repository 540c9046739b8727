#include "geometry/mesh/edit_mesh.hpp"

#include "core/assert.hpp"
#include "geometry/mesh/topology.hpp"

// Collapse of h = (u → v), seen from outside; the triangles at h vanish, and what lay behind their other
// sides becomes neighbours. A flip turns the edge uv of the two triangles into ab.
//
//           a                       a                          a                    a
//         / | \                     |                        /   \                / | \.
//        /  h  \                    |                       / t0  \              /  |  \.
//       u ----- v        →          u                      u --h-- v     →      u t0|t1 v
//        \     /                    |                       \ t1  /              \  |  /
//         \   /                     |                        \   /                \ | /
//           b                       b                          b                    b

namespace plush {

EditMesh::EditMesh(std::vector<Vec3> positions, std::span<const Triangle> triangles)
    : positions_(std::move(positions)),
      twin_(3 * triangles.size(), -1),
      out_(positions_.size(), -1),
      live_(static_cast<int>(triangles.size())) {
    corner_.reserve(3 * triangles.size());
    for (const Triangle& t : triangles) corner_.insert(corner_.end(), t.begin(), t.end());
    for (std::size_t h = 0; h < corner_.size(); ++h) out_[index(corner_[h])] = static_cast<int>(h);
    const EdgeTable edges(positions_.size(), triangles);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto sides = edges[e];
        PLUSH_ASSERT(sides.size() == 2 && sides[0].forward != sides[1].forward);
        glue(3 * sides[0].triangle + sides[0].corner, 3 * sides[1].triangle + sides[1].corner);
    }
}

int EditMesh::valence(int v) const {
    int n = 0;
    around(v, [&](int) { ++n; });
    return n;
}

bool EditMesh::are_neighbours(int u, int v) const {
    bool found = false;
    around(u, [&](int h) { found = found || to(h) == v; });
    return found;
}

bool EditMesh::can_collapse(int h) const {
    const int u = from(h), v = to(h), a = to(next(h)), b = to(next(twin(h)));
    if (a == b || valence(a) <= 3 || valence(b) <= 3) return false;
    int common = 0;
    around(u, [&](int g) {
        const int w = to(g);
        around(v, [&](int f) { common += to(f) == w ? 1 : 0; });
    });
    return common == 2;
}

void EditMesh::collapse(int h, const Vec3& p) {
    const int g = twin(h), u = from(h), v = to(h);
    const int a = to(next(h)), b = to(next(g));
    const int va = twin(next(h)), ua = twin(previous(h));  // a → v and u → a, of the triangles behind
    const int ub = twin(next(g)), vb = twin(previous(g));  // b → u and v → b
    around(v, [&](int e) { corner_[index(e)] = u; });
    glue(va, ua), glue(ub, vb);
    for (const int t : {h / 3, g / 3})
        for (int k = 0; k < 3; ++k) corner_[index(3 * t + k)] = -1;
    out_[index(u)] = ua, out_[index(a)] = va, out_[index(b)] = ub, out_[index(v)] = -1;
    positions_[index(u)] = p;
    live_ -= 2;
}

bool EditMesh::can_flip(int h) const {
    const int a = to(next(h)), b = to(next(twin(h)));
    return a != b && valence(from(h)) > 3 && valence(to(h)) > 3 && !are_neighbours(a, b);
}

void EditMesh::flip(int h) {
    const int g = twin(h), u = from(h), v = to(h), a = to(next(h)), b = to(next(g));
    const int va = twin(next(h)), au = twin(previous(h)), ub = twin(next(g)), bv = twin(previous(g));
    const int s = 3 * (h / 3), t = 3 * (g / 3);
    const std::array<int, 3> left{u, b, a}, right{v, a, b};
    for (int k = 0; k < 3; ++k) {
        corner_[index(s + k)] = left[index(k)];
        corner_[index(t + k)] = right[index(k)];
    }
    glue(s, ub), glue(s + 1, t + 1), glue(s + 2, au), glue(t, va), glue(t + 2, bv);
    out_[index(u)] = s, out_[index(b)] = s + 1, out_[index(a)] = s + 2, out_[index(v)] = t;
}

void EditMesh::merge_groups(std::span<const int> group, std::vector<double> weight) {
    for (bool merged = true; merged;) {
        merged = false;
        for (int h = 0; h < 3 * triangle_slots(); ++h) {
            if (!is_triangle(h / 3)) continue;
            const int u = from(h), v = to(h);
            if (group[index(u)] < 0 || group[index(u)] != group[index(v)] || !can_collapse(h)) continue;
            const double a = weight[index(u)], b = weight[index(v)];
            collapse(h, (position(u) * a + position(v) * b) / (a + b));
            weight[index(u)] = a + b;
            merged = true;
        }
    }
}

Mesh EditMesh::mesh() const {
    std::vector<int> number(positions_.size(), -1);
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    for (int v = 0; v < vertex_slots(); ++v)
        if (is_vertex(v))
            number[index(v)] = static_cast<int>(positions.size()), positions.push_back(position(v));
    for (int t = 0; t < triangle_slots(); ++t)
        if (is_triangle(t)) {
            const auto [a, b, c] = triangle(t);
            triangles.push_back({number[index(a)], number[index(b)], number[index(c)]});
        }
    return Mesh(std::move(positions), std::move(triangles));
}

}  // namespace plush
