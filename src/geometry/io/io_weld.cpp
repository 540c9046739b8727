#include <algorithm>
#include <cstdint>
#include <utility>

#include "geometry/io/io_formats.hpp"

// Welding of vertices that a file split. Where texture coordinates or normals differ on the two sides of an
// edge, many exporters write the vertices of that edge twice:
//
//      \ | /  \ | /         the seam is a pair of open edges with equal positions,
//     ---a a' b b'---       and each vertex of it lies on such an open edge
//
// So vertices are welded where their positions are equal (exactly: an exporter copies numbers) and they lie
// on an open edge. Two closed pieces that merely touch in a vertex keep their own, as their file has it. In a
// soup (STL) every edge is open and all equal positions are welded. Vertices that no triangle uses lie on
// no edge and so stay as they are, for a check to count. Equal positions are found by sorting: no input makes
// that slow, as it could a hash table.

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// For each vertex the first one at the same position (perhaps itself).
std::vector<int> first_twins(const RawMesh& mesh) {
    struct Entry {
        Vec3 p;
        int vertex;
    };
    std::vector<Entry> order;
    order.reserve(mesh.positions.size());
    for (const Vec3& p : mesh.positions) order.push_back({p, static_cast<int>(order.size())});
    std::sort(order.begin(), order.end(), [](const Entry& a, const Entry& b) {
        if (a.p.x != b.p.x) return a.p.x < b.p.x;
        if (a.p.y != b.p.y) return a.p.y < b.p.y;
        if (a.p.z != b.p.z) return a.p.z < b.p.z;
        return a.vertex < b.vertex;
    });
    std::vector<int> first(mesh.positions.size());
    for (std::size_t v = 0; v < first.size(); ++v) first[v] = static_cast<int>(v);
    for (std::size_t i = 1; i < order.size(); ++i)
        if (order[i].p == order[i - 1].p) first[at(order[i].vertex)] = first[at(order[i - 1].vertex)];
    return first;
}

/// Which vertices lie on an edge of one triangle only, looking at the edges of `candidates` alone.
std::vector<char> on_open_edge(const RawMesh& mesh, const std::vector<char>& candidates) {
    std::vector<std::pair<int, int>> edges;
    for (const Triangle& t : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = t[i], b = t[(i + 1) % 3];
            if (candidates[at(a)] || candidates[at(b)]) edges.push_back(std::minmax({a, b}));
        }
    std::sort(edges.begin(), edges.end());
    std::vector<char> open(mesh.positions.size(), 0);
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i + 1;
        while (end < edges.size() && edges[end] == edges[i]) ++end;
        if (end == i + 1) open[at(edges[i].first)] = open[at(edges[i].second)] = 1;
        i = end;
    }
    return open;
}

/// Lets each vertex that may be welded stand for the first such vertex of its twins.
std::vector<int> targets(const std::vector<int>& first, const std::vector<char>& may_weld) {
    std::vector<int> chosen(first.size(), -1), target(first.size());
    for (std::size_t v = 0; v < first.size(); ++v) {
        target[v] = static_cast<int>(v);
        if (!may_weld[v]) continue;
        int& leader = chosen[at(first[v])];
        if (leader < 0) leader = static_cast<int>(v);
        target[v] = leader;
    }
    return target;
}

}  // namespace

void weld_split_vertices(RawMesh& mesh) {
    if (mesh.split == Split::none) return;
    const std::vector<int> first = first_twins(mesh);
    std::vector<char> has_twin(first.size(), 0);
    bool any = false;
    for (std::size_t v = 0; v < first.size(); ++v)
        if (at(first[v]) != v) has_twin[v] = has_twin[at(first[v])] = 1, any = true;
    if (!any) return;

    const std::vector<int> target =
        targets(first, mesh.split == Split::soup ? has_twin : on_open_edge(mesh, has_twin));
    std::vector<int> new_index(first.size());
    int count = 0;
    for (std::size_t v = 0; v < first.size(); ++v) {
        if (at(target[v]) != v) continue;
        mesh.positions[at(count)] = mesh.positions[v];
        new_index[v] = count++;
    }
    mesh.positions.resize(at(count));
    for (Triangle& t : mesh.triangles)
        for (int& v : t) v = new_index[at(target[at(v)])];
}

}  // namespace plush
