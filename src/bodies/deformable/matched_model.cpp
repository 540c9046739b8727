#include "bodies/deformable/matched_model.hpp"

#include <algorithm>

#include "bodies/deformable/topology_maker.hpp"
#include "core/range_check.hpp"
#include "plush/geometry/mass.hpp"

// The vertices, masses, clusters and skin of a shape-matched body. Masses: of tets, a quarter of each to its
// corners; of a surface, by area, and all of them together what the volume inside weighs; of a cloud, equal.

namespace plush {
namespace {

using namespace topology;

/// A material of no springs at all: of the builders of springs, vertices, masses, edges and surface are left.
SpringMaterial weight_alone(const ShapeMatching& b) {
    SpringMaterial m;
    m.stretch = m.shear = m.bend = 0;
    m.bending = Bending::none;
    m.density = b.density, m.mass = b.mass;
    return m;
}

Error no_volume() {
    return Error({.place = "mass",
                  .problem = "a cloud and an open surface have no volume to weigh",
                  .cure = "give the mass of the whole body"});
}

Result<MatchedModel> of_edges(Result<DeformableModel> model, const ClusterSettings& settings) {
    if (!model) return model.error();
    MatchedModel m;
    m.body = std::move(model).value();
    auto clusters = clusters_of_mesh(m.body.positions, m.body.structure, settings);
    if (!clusters) return clusters.error();
    m.clusters = std::move(clusters).value();
    return m;
}

Result<MatchedModel> of_points(const ShapeMatching& b) {
    MatchedModel m;
    m.body.positions = b.points;
    if (b.points.empty())
        return Error({.problem = "it is made of nothing", .cure = "give points, a mesh or tets"});
    if (const auto bad =
            bad_count("points", {static_cast<int>(std::min<std::size_t>(b.points.size(), 1 << 30))}, 1))
        return *bad;
    if (!b.mass) return no_volume();
    m.body.masses.assign(b.points.size(), *b.mass / static_cast<double>(b.points.size()));
    auto clusters = clusters_of_points(b.points, b.clusters);
    if (!clusters) return clusters.error();
    m.clusters = std::move(clusters).value();
    return m;
}

Result<MatchedModel> of_mesh(const ShapeMatching& b) {
    SpringMaterial weight = weight_alone(b);
    if (!weight.mass) {
        const auto solid = mass_properties(b.mesh, weight.density);
        if (!solid.ok()) return no_volume();
        weight.mass = solid.value().mass;
    }
    return of_edges(cloth(b.mesh, weight), b.clusters);
}

}  // namespace

Result<MatchedModel> matched_model(const ShapeMatching& b) {
    if (const auto bad = bad_material(weight_alone(b))) return *bad;
    if (const auto in_range = check_ranges(b.match); !in_range) return in_range.error();
    if (const auto in_range = check_ranges(b.clusters); !in_range) return in_range.error();
    const int kinds = !b.points.empty() + !b.mesh.empty() + !b.tets.tets().empty();
    if (kinds > 1)
        return Error({.problem = "it is made of more than one of points, mesh and tets", .cure = "keep one"});
    for (const Vec3& p : b.points)
        if (!is_finite(p))
            return Error({.place = "points", .problem = "one is not finite", .cure = "give finite numbers"});
    auto made = !b.mesh.empty()          ? of_mesh(b)
                : !b.tets.tets().empty() ? of_edges(tet_springs(b.tets, weight_alone(b)), b.clusters)
                                         : of_points(b);
    if (!made) return made.error();
    MatchedModel m = std::move(made).value();
    m.rest = m.body.positions;
    if (!b.skin.empty()) {
        auto skin = b.tets.tets().empty() ? Embedding::in_points(m.rest, b.skin.positions())
                                          : Embedding::in_tets(b.tets, b.skin.positions());
        if (!skin)
            return Error({.place = "skin, " + skin.error().place(),
                          .problem = skin.error().problem(),
                          .cure = skin.error().cure()});
        m.skin = std::move(skin).value();
        m.refined = b.tets.tets().empty() ? refined_skin(b.skin, m.skin, m.rest)
                                          : refined_skin(b.skin, m.skin, b.tets);
    }
    return m;
}

}  // namespace plush
