#include "bodies/deformable/topologies.hpp"

#include <algorithm>

#include "bodies/deformable/topology_maker.hpp"
#include "bodies/elements/torsion_springs.hpp"
#include "core/assert.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/shapes/point_set.hpp"

namespace plush {
namespace {

using namespace topology;

/// The corner of a triangle that is opposite to a side of it.
std::uint32_t opposite(std::span<const Triangle> triangles, const EdgeUse& use) {
    return index(triangles[index(use.triangle)][index(use.corner + 2) % 3]);
}

bool is_inner(std::span<const EdgeUse> uses) {
    return uses.size() == 2 && uses[0].forward != uses[1].forward;
}

void add_hinges(DeformableModel& model, const EdgeTable& edges, const SpringMaterial& material) {
    auto hinges = std::make_unique<HingeSprings>();
    for (std::size_t e = 0; e < edges.size(); ++e) {
        if (!is_inner(edges[e])) continue;
        const EdgeUse& with = edges[e][0].forward ? edges[e][0] : edges[e][1];
        const EdgeUse& against = edges[e][0].forward ? edges[e][1] : edges[e][0];
        Hinge h{index(with.a),
                index(with.b),
                opposite(model.triangles, with),
                opposite(model.triangles, against),
                0,
                material.bend,
                0};
        if (h.left == h.right) continue;
        const auto& x = model.positions;
        h.rest_angle = HingeSprings::angle({x[h.edge_from], x[h.edge_to], x[h.left], x[h.right]});
        hinges->add(h);
    }
    if (hinges->size() > 0) model.elements.push_back(std::move(hinges));
}

std::optional<Error> not_closed(std::span<const Triangle> triangles, const EdgeTable& edges) {
    for (std::size_t e = 0; e < edges.size(); ++e)
        if (!is_inner(edges[e]))
            return Error({.place = fmt::format("edge {}-{}", edges[e][0].a, edges[e][0].b),
                          .problem = "the surface is not closed there, or its triangles disagree on what is "
                                     "outside",
                          .cure = "repair the mesh (plush mesh repair)"});
    if (triangles.empty())
        return Error({.problem = "the surface has no triangles", .cure = "give a closed mesh"});
    return std::nullopt;
}

}  // namespace

Result<DeformableModel> rope(const Vec3& from, const Vec3& to, int segments, const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    if (auto e = bad_count("segments", {segments}, 1)) return *e;
    const double length = norm(to - from);
    if (!(length > 0) || !std::isfinite(length))
        return Error({.problem = "the ends of the rope are in one place", .cure = "part them"});
    DeformableModel model;
    const std::uint32_t n = index(segments);
    std::vector<double> shares;
    for (std::uint32_t i = 0; i <= n; ++i) {
        model.positions.push_back(from + (static_cast<double>(i) / n) * (to - from));
        shares.push_back((i == 0 || i == n ? 0.5 : 1.0) * length / n);
    }
    Maker maker(model, material);
    for (std::uint32_t i = 0; i < n; ++i) {
        maker.edge(i, i + 1);
        model.edges.push_back({static_cast<int>(i), static_cast<int>(i) + 1});
    }
    if (material.bending == Bending::springs)
        for (std::uint32_t i = 0; i + 2 <= n; ++i) maker.spring(i, i + 2, material.bend);
    maker.add_springs();
    if (material.bending == Bending::angles && material.bend > 0 && n > 1) {
        auto angles = std::make_unique<AngleSprings>();
        for (std::uint32_t i = 0; i + 2 <= n; ++i) angles->add({i, i + 1, i + 2, 0, material.bend, 0});
        model.elements.push_back(std::move(angles));
    }
    if (auto e = maker.weigh(std::move(shares))) return *e;
    return model;
}

Result<DeformableModel> cloth(const Vec3& corner, const Vec3& side_x, const Vec3& side_y, int nx, int ny,
                              const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    if (auto e = bad_count("vertices along a side", {nx, ny}, 2)) return *e;
    DeformableModel model;
    const auto at = [&](int i, int j) { return index(j * nx + i); };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i)
            model.positions.push_back(corner + (i / (nx - 1.0)) * side_x + (j / (ny - 1.0)) * side_y);
    Maker maker(model, material);
    const auto inside = [&](int i, int j) { return i >= 0 && i < nx && j < ny; };
    const auto edge = [&](int i, int j, int di, int dj) {
        if (inside(i + di, j + dj)) maker.edge(at(i, j), at(i + di, j + dj));
    };
    const auto join = [&](int i, int j, int di, int dj, double stiffness) {
        if (inside(i + di, j + dj)) maker.spring(at(i, j), at(i + di, j + dj), stiffness);
    };
    for (int j = 0; j < ny; ++j)
        for (int i = 0; i < nx; ++i) {
            edge(i, j, 1, 0);
            edge(i, j, 0, 1);
            join(i, j, 1, 1, material.shear);
            join(i, j, -1, 1, material.shear);
            if (material.bending != Bending::springs) continue;
            join(i, j, 2, 0, material.bend);
            join(i, j, 0, 2, material.bend);
        }
    maker.add_springs();
    // Diagonals alternate, so that no direction is favoured.
    for (int j = 0; j + 1 < ny; ++j)
        for (int i = 0; i + 1 < nx; ++i) {
            const int a = j * nx + i, b = a + 1, c = b + nx, d = a + nx;
            if ((i + j) % 2 == 0)
                model.triangles.insert(model.triangles.end(), {{a, b, c}, {a, c, d}});
            else
                model.triangles.insert(model.triangles.end(), {{a, b, d}, {b, c, d}});
        }
    if (material.bending == Bending::angles && material.bend > 0)
        add_hinges(model, EdgeTable(model.positions.size(), model.triangles), material);
    if (auto e = maker.weigh(area_shares(model.positions, model.triangles))) return *e;
    return model;
}

Result<DeformableModel> cloth(const Mesh& mesh, const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    DeformableModel model;
    model.positions.assign(mesh.positions().begin(), mesh.positions().end());
    model.triangles.assign(mesh.triangles().begin(), mesh.triangles().end());
    const EdgeTable edges(model.positions.size(), model.triangles);
    Maker maker(model, material);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        maker.edge(index(edges[e][0].a), index(edges[e][0].b));
        if (material.bending == Bending::springs && is_inner(edges[e]))
            maker.spring(opposite(model.triangles, edges[e][0]), opposite(model.triangles, edges[e][1]),
                         material.bend);
    }
    maker.add_springs();
    if (material.bending == Bending::angles && material.bend > 0) add_hinges(model, edges, material);
    if (material.volume > 0) {
        if (auto e = not_closed(model.triangles, edges)) return *e;
        if (auto e = add_closed_volume(model, material.volume)) return *e;
    }
    if (auto e = maker.weigh(area_shares(model.positions, model.triangles))) return *e;
    return model;
}

Result<DeformableModel> virtual_shells(const Mesh& mesh, int shells, double offset,
                                       const SpringMaterial& material) {
    if (auto e = bad_material(material)) return *e;
    if (shells < 1 || shells > 100)
        return Error({.place = "shells",
                      .problem = fmt::format("{} shells cannot be made", shells),
                      .cure = "take 1 to 100"});
    if (!std::isfinite(offset) || offset == 0)
        return Error({.place = "offset",
                      .problem = "the shells would lie on the surface",
                      .cure = "give a distance in metres, negative for inwards"});
    DeformableModel model;
    model.triangles.assign(mesh.triangles().begin(), mesh.triangles().end());
    const std::size_t n = mesh.positions().size();
    if (auto e = bad_count("shells", {static_cast<int>(std::min(n, max_vertices)), shells}, 1)) return *e;
    const EdgeTable edges(n, model.triangles);
    if (auto e = not_closed(model.triangles, edges)) return *e;
    const std::vector<Vec3> normals = vertex_normals(mesh);
    for (int s = 0; s <= shells; ++s)
        for (std::size_t i = 0; i < n; ++i)
            model.positions.push_back(mesh.positions()[i] + (s * offset) * normals[i]);

    Maker maker(model, material);
    const std::uint32_t count = static_cast<std::uint32_t>(n);
    for (std::uint32_t s = 0; s <= index(shells); ++s) {
        const std::uint32_t here = s * count, next = here + count;
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const std::uint32_t a = index(edges[e][0].a), b = index(edges[e][0].b);
            maker.edge(here + a, here + b);
            if (s == index(shells)) continue;
            maker.spring(here + a, next + b, material.shear);
            maker.spring(here + b, next + a, material.shear);
        }
        if (s < index(shells))
            for (std::uint32_t i = 0; i < count; ++i) maker.edge(here + i, next + i);
    }
    maker.add_springs();
    if (auto e = add_closed_volume(model, material.volume)) return *e;

    // The mass of the solid, over all shells alike.
    const double volume = ClosedVolume(model.triangles, 1, 0).volume(model.positions);
    std::vector<double> area = area_shares(mesh.positions(), model.triangles), shares;
    double total = 0;
    for (double a : area) total += a;
    for (int s = 0; s <= shells; ++s)
        for (double a : area) shares.push_back(a / total * volume / (shells + 1));
    if (auto e = maker.weigh(std::move(shares))) return *e;
    return model;
}

PositionConstraints edge_constraints(const DeformableModel& model, const ConstraintSettings& settings) {
    PositionConstraints constraints;
    constraints.set_iterations(settings.iterations);
    for (const auto& [i, j] : model.structure) {
        PLUSH_ASSERT(i < model.positions.size() && j < model.positions.size());
        const double length = norm(model.positions[j] - model.positions[i]);
        if (settings.inextensible)
            constraints.keep_distance(i, j, length);
        else if (settings.max_stretch)
            constraints.limit_distance(i, j, *settings.max_stretch * length);
    }
    return constraints;
}

}  // namespace plush
