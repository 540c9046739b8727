#include "world/query_surfaces.hpp"

#include "bodies/deformable/soft_data.hpp"
#include "core/parallel.hpp"
#include "geometry/shapes/shape_data.hpp"

namespace plush {

bool is_beads(const BodyRecord& record) {
    if (record.kind == BodyKind::particles) return true;
    return record.is_deformable() && record.parts.triangles(record.deformable()).empty();
}

bool is_queried_by_triangles(const BodyRecord& record) {
    if (record.is_deformable()) return !is_beads(record);
    if (record.kind == BodyKind::particles) return false;
    const Shape::Data& shape = record.shape.data();
    // A sampled distance is an approximation of these triangles, and an analytic one is better than them.
    return !shape.drawn.empty() && shape.distance->exactness() == Exactness::approximate;
}

BeadSurface beads_of(const BodyRecord& record) {
    PLUSH_ASSERT(is_beads(record));
    if (record.kind == BodyKind::particles)
        return {record.particles().positions(), {}, record.particles().radius()};
    const DeformableBody& body = record.deformable();
    return {body.positions(), body.edges(), body.settings().radius};
}

std::span<const Triangle> queried_triangles(const BodyRecord& record) {
    if (record.is_deformable()) return record.parts.triangles(record.deformable());
    return record.kind == BodyKind::particles ? std::span<const Triangle>{}
                                              : record.shape.drawn().triangles();
}

std::span<const Vec3> local_corners(const BodyRecord& record) {
    if (!record.is_deformable()) return record.shape.drawn().positions();
    if (!record.parts.skin.empty()) return record.parts.skin.positions();
    // Only what is made of a solid can be cut, and is then compared with places in the solid's frame.
    return record.source ? record.source->solid.tets().positions() : std::span(record.parts.rest);
}

namespace {

const void* surface_identity(const BodyRecord& record) {
    return record.parts.skin.empty() ? static_cast<const void*>(record.deformable().triangles().data())
                                     : record.parts.skin.identity();
}

}  // namespace

bool QuerySurfaces::is_fitted(std::uint32_t body) const {
    const Hierarchy& own = of_body_[body];
    const BodyRecord& record = bodies_[body];
    if (!record.is_deformable()) return own.shared != nullptr;
    return own.surface && own.surface == surface_identity(record) &&
           own.version == record.deformable().version();
}

void QuerySurfaces::fit(std::uint32_t body, Hierarchy& to) const {
    const BodyRecord& record = bodies_[body];
    const auto triangles = queried_triangles(record);
    const bool same = to.surface == surface_identity(record) && !to.positions.empty();
    to.positions = drawn_positions_of(record);
    if (same)
        to.own.refit(to.positions, triangles);
    else
        to.own = Bvh(to.positions, triangles);
    to.surface = surface_identity(record);
    to.version = record.deformable().version();
}

void QuerySurfaces::update(const Parallel& parallel) {
    of_body_.fit(bodies_.size());
    struct Known {
        const void* mesh;
        std::shared_ptr<const Bvh> hierarchy;
    };
    std::vector<Known> known;  // one for all bodies of a mesh
    std::vector<std::uint32_t> stale;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.body || is_beads(record)) continue;
        if (record.is_deformable()) {
            if (!is_fitted(i)) stale.push_back(i);
            continue;
        }
        // Analytic shapes too: the triangle of a hit is looked up in them.
        const Mesh& mesh = record.shape.drawn();
        if (mesh.empty()) continue;
        std::shared_ptr<const Bvh>& own = of_body_[i].shared;
        for (const Known& k : known)
            if (k.mesh == mesh.identity() && !own) own = k.hierarchy;
        if (!own) own = std::make_shared<const Bvh>(mesh.positions(), mesh.triangles());
        known.push_back({mesh.identity(), own});
    }
    parallel.each(stale.size(), 1, [&](std::size_t k) { fit(stale[k], of_body_[stale[k]]); });
}

SurfaceTriangles QuerySurfaces::triangles(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    const Hierarchy& own = of_body_[body];
    const bool fitted = is_fitted(body);
    SurfaceTriangles out;
    out.triangles = queried_triangles(record);
    if (!record.is_deformable()) {
        out.positions = record.shape.drawn().positions();
        out.hierarchy = own.shared.get();
    } else if (fitted) {
        out.positions = own.positions, out.hierarchy = &own.own;
    } else if (record.parts.skin.empty()) {
        out.positions = record.deformable().positions();
    } else {
        out.deformed = drawn_positions_of(record);
        out.positions = out.deformed;
    }
    return out;
}

}  // namespace plush
