#include <algorithm>

#include "bodies/deformable/topology_maker.hpp"

// Springs in solids: the regular grid with its diagonals, and the edges of any tet mesh.

namespace plush {

std::vector<Triangle> topology::boundary_faces(std::span<const Tet> tets) {
    struct Face {
        Triangle sorted, face;
    };
    std::vector<Face> faces;
    faces.reserve(4 * tets.size());
    for (const Tet& t : tets)
        for (const Triangle& f : {Triangle{t[0], t[2], t[1]}, Triangle{t[0], t[1], t[3]},
                                  Triangle{t[0], t[3], t[2]}, Triangle{t[1], t[2], t[3]}}) {
            Triangle sorted = f;
            std::sort(sorted.begin(), sorted.end());
            faces.push_back({sorted, f});
        }
    std::stable_sort(faces.begin(), faces.end(),
                     [](const Face& a, const Face& b) { return a.sorted < b.sorted; });
    std::vector<Triangle> boundary;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t j = i + 1;
        while (j < faces.size() && faces[j].sorted == faces[i].sorted) ++j;
        if (j == i + 1) boundary.push_back(faces[i].face);
        i = j;
    }
    return boundary;
}

namespace {

using namespace topology;

/// Vertices that no triangle uses may stay: they are inside. Triangles are those of the six sides, outward.
void add_grid_surface(DeformableModel& model, const std::array<int, 3>& cells) {
    const auto at = [&](const std::array<int, 3>& p) {
        return (p[2] * (cells[1] + 1) + p[1]) * (cells[0] + 1) + p[0];
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int side : {0, cells[axis]})
            for (int i = 0; i < cells[u]; ++i)
                for (int j = 0; j < cells[v]; ++j) {
                    const auto corner = [&](int di, int dj) {
                        std::array<int, 3> p{};
                        p[axis] = side, p[u] = i + di, p[v] = j + dj;
                        return at(p);
                    };
                    const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
                    if (side == 0)
                        model.triangles.insert(model.triangles.end(), {{a, c, b}, {a, d, c}});
                    else
                        model.triangles.insert(model.triangles.end(), {{a, b, c}, {a, c, d}});
                }
    }
}

}  // namespace

Result<DeformableModel> jelly(const Box3& box, int nx, int ny, int nz, const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    if (auto e = bad_count("cells along a side", {nx, ny, nz}, 1)) return *e;
    const Vec3 size = box.size();
    if (!(std::min({size.x, size.y, size.z}) > 0))
        return Error({.problem = "the box has no volume", .cure = "give its lower and its upper corner"});
    DeformableModel model;
    const std::array<int, 3> cells{nx, ny, nz};
    const auto at = [&](int i, int j, int k) { return index((k * (ny + 1) + j) * (nx + 1) + i); };
    std::vector<double> shares;
    const double cell = size.x * size.y * size.z / nx / ny / nz;
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i) {
                const double s = static_cast<double>(i) / nx, t = static_cast<double>(j) / ny,
                             r = static_cast<double>(k) / nz;
                model.positions.push_back(box.low + times(size, {s, t, r}));
                const auto inner = [](int p, int n) { return p > 0 && p < n ? 2 : 1; };
                shares.push_back(cell / 8 * inner(i, nx) * inner(j, ny) * inner(k, nz));
            }
    // Half of the 26 directions to neighbours: each pair once.
    Maker maker(model, material);
    for (int k = 0; k <= nz; ++k)
        for (int j = 0; j <= ny; ++j)
            for (int i = 0; i <= nx; ++i)
                for (int d = 14; d < 27; ++d) {
                    const int di = d % 3 - 1, dj = d / 3 % 3 - 1, dk = d / 9 - 1;
                    const int ni = i + di, nj = j + dj, nk = k + dk;
                    if (ni < 0 || ni > nx || nj < 0 || nj > ny || nk > nz) continue;
                    const bool edge = std::abs(di) + std::abs(dj) + std::abs(dk) == 1;
                    if (edge)
                        maker.edge(at(i, j, k), at(ni, nj, nk));
                    else
                        maker.spring(at(i, j, k), at(ni, nj, nk), material.shear);
                }
    maker.add_springs();
    add_grid_surface(model, cells);
    if (auto e = add_closed_volume(model, material.volume)) return *e;
    if (auto e = maker.weigh(std::move(shares))) return *e;
    return model;
}

Result<DeformableModel> tet_springs(const TetMesh& mesh, const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    if (mesh.tets().empty())
        return Error({.place = "mesh", .problem = "it has no tets", .cure = "give a mesh of tets"});
    DeformableModel model;
    model.positions.assign(mesh.positions().begin(), mesh.positions().end());
    model.triangles = boundary_faces(mesh.tets());
    std::vector<std::array<int, 2>> edges;
    std::vector<double> shares(model.positions.size(), 0.0);
    auto volumes = std::make_unique<TetVolumes>();
    for (const Tet& t : mesh.tets()) {
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = a + 1; b < 4; ++b)
                edges.push_back({std::min(t[a], t[b]), std::max(t[a], t[b])});
        const auto& x = model.positions;
        const std::array<std::uint32_t, 4> v{index(t[0]), index(t[1]), index(t[2]), index(t[3])};
        const double volume = dot(cross(x[v[1]] - x[v[0]], x[v[2]] - x[v[0]]), x[v[3]] - x[v[0]]) / 6;
        for (std::uint32_t i : v) shares[i] += volume / 4;
        if (material.volume > 0) volumes->add({v, volume, material.volume, 0});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    Maker maker(model, material);
    for (const auto& [a, b] : edges) maker.edge(index(a), index(b));
    maker.add_springs();
    if (material.volume > 0) model.elements.push_back(std::move(volumes));
    if (auto e = maker.weigh(std::move(shares))) return *e;
    return model;
}

}  // namespace plush
