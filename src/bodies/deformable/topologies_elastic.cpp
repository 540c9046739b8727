#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "bodies/deformable/topologies.hpp"
#include "bodies/deformable/topology_maker.hpp"
#include "bodies/elements/elastic_tets.hpp"
#include "core/assert.hpp"
#include "core/range_check.hpp"

namespace plush {

using namespace topology;

namespace {

std::optional<Error> bad_elastic(const ElasticMaterial& m) {
    if (const auto in_range = check_ranges(m); !in_range) return in_range.error();
    if (m.yield && m.model != ElasticModel::corotational)
        return Error({.place = "yield",
                      .problem = "only corotational bodies flow",
                      .cure = "take the model corotational, or no yield"});
    return std::nullopt;
}

const ElasticMaterial& material_at(const Vec3& p, const ElasticMaterial& material,
                                   std::span<const ElasticRegion> regions) {
    for (auto r = regions.rbegin(); r != regions.rend(); ++r)
        if (r->box.contains(p)) return r->material;
    return material;
}

}  // namespace

Result<DeformableModel> elastic_solid(const TetMesh& mesh, const ElasticMaterial& material,
                                      std::span<const ElasticRegion> regions,
                                      std::span<const double> shares) {
    if (mesh.tets().empty())
        return Error({.place = "mesh", .problem = "it has no tets", .cure = "give a mesh of tets"});
    if (auto e = bad_elastic(material)) return *e;
    for (std::size_t i = 0; i < regions.size(); ++i)
        if (auto e = bad_elastic(regions[i].material))
            return Error({.place = fmt::format("regions[{}].{}", i, e->place()),
                          .problem = e->problem(),
                          .cure = e->cure()});
    PLUSH_ASSERT(shares.empty() || shares.size() == mesh.tets().size());
    DeformableModel model;
    model.positions.assign(mesh.positions().begin(), mesh.positions().end());
    model.triangles = boundary_faces(mesh.tets());
    model.masses.assign(model.positions.size(), 0.0);
    std::vector<std::unique_ptr<ElasticTets>> fields;
    const auto field_of = [&](const ElasticMaterial& m) {
        for (std::size_t k = 0; k < fields.size(); ++k)
            if (fields[k]->takes(m)) return k;
        fields.push_back(std::make_unique<ElasticTets>(m.model));
        return fields.size() - 1;
    };
    for (const Tet& t : mesh.tets()) {
        std::array<std::uint32_t, 4> v{};
        std::array<Vec3, 4> rest{};
        Vec3 centre{};
        for (std::size_t a = 0; a < 4; ++a) {
            v[a] = index(t[a]), rest[a] = model.positions[v[a]];
            centre += rest[a] / 4;
        }
        const double volume = dot(cross(rest[1] - rest[0], rest[2] - rest[0]), rest[3] - rest[0]) / 6;
        if (!(volume > 0))
            return Error({.place = fmt::format("tet {}", &t - mesh.tets().data()),
                          .problem = fmt::format("its volume is {}", volume),
                          .cure = "remove it, or look at the mesh with plush mesh info"});
        ElasticMaterial here = material_at(centre, material, regions);
        // A tet with nothing of the body in it would be in nobody's hands.
        constexpr double least_share = 0.1;
        const double share =
            shares.empty() ? 1
                           : std::max(least_share, shares[static_cast<std::size_t>(&t - mesh.tets().data())]);
        here.young *= share;
        const std::size_t field = field_of(here);
        model.tets.push_back(
            {static_cast<std::uint32_t>(field), static_cast<std::uint32_t>(fields[field]->size())});
        fields[field]->add(v, rest, here);
        for (const std::uint32_t i : v) model.masses[i] += share * here.density * volume / 4;
    }
    for (auto& field : fields) model.elements.push_back(std::move(field));
    for (std::size_t i = 0; i < model.masses.size(); ++i)
        if (!(model.masses[i] > 0) || !std::isfinite(model.masses[i]))
            return Error({.place = fmt::format("vertex {}", i),
                          .problem = "it has no mass",
                          .cure = "remove vertices that no tet uses"});
    return model;
}

}  // namespace plush
