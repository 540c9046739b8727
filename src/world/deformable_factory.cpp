#include <fmt/format.h>

#include "bodies/deformable/matched_model.hpp"
#include "bodies/deformable/soft_data.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/pressure.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "plush/geometry/mass.hpp"
#include "world/body_factory.hpp"
#include "world/feature_query.hpp"
#include "world/refusal.hpp"

// Deformable bodies.

namespace plush {

void require_skin_law(const std::string& name, const SurfaceSettings& surface) {
    require(name, surface.law == SurfaceLaw::quadratic || surface.law == SurfaceLaw::buffered, "surface",
            "a body with a skin is held off surfaces by the laws quadratic and buffered",
            "take one of these two");
}

namespace {

void require_constraints(const SpringBody& body) {
    const ConstraintSettings& c = body.constraints;
    if (!c.any()) return;
    const IntegrationMethod method = body.motion.integration.method;
    require(body.name,
            method == IntegrationMethod::verlet || method == IntegrationMethod::time_corrected_verlet,
            "constraints", "only verlet and time_corrected_verlet have position constraints",
            "take one of those two integrators, or no constraints");
    require(body.name, !(c.inextensible && c.max_stretch), "constraints",
            "inextensible and max_stretch exclude each other", "keep one");
}

std::vector<double> checked_masses(const Deformable& body, std::size_t vertices) {
    if (body.masses.size() != vertices)
        refuse(body.name,
               Error({.place = "masses",
                      .problem = fmt::format("{} masses for {} vertices", body.masses.size(), vertices),
                      .cure = "give one for each vertex, or none"}));
    for (std::size_t i = 0; i < vertices; ++i)
        if (!(body.masses[i] > 0 && body.masses[i] <= 1e12))
            refuse(body.name, Error({.place = fmt::format("masses[{}]", i),
                                     .problem = fmt::format("{} cannot be used", body.masses[i]),
                                     .cure = "give a number above 0 and up to 1e12 kg"}));
    return body.masses;
}

/// A model that was made, where it is placed.
DeformableModel placed(const Deformable& body, Result<DeformableModel> model, const Placement& placement) {
    require_material(body.name, body.material);
    require_look(body.name, body.look);
    require(body.name, usable(placement.position), "position", "it is not usable",
            "give finite numbers below 1e12");
    require(body.name, usable(placement.velocity), "velocity", "it is not usable",
            "give finite numbers below 1e12");
    if (!model.ok()) refuse(body.name, model.error());
    DeformableModel result = std::move(model).value();
    if (!body.masses.empty()) result.masses = checked_masses(body, result.positions.size());
    const Transform pose{placement.position, normalised(placement.rotation)};
    for (Vec3& p : result.positions) {
        require(body.name, usable(p), "vertices", "one is not finite", "look at the form of the body");
        p = pose * p;
    }
    return result;
}

/// What others touch: given, or made of a closed surface.
Shape touched_shape(const ShapeMatching& b) {
    if (!b.shape.empty()) return b.shape;
    const Mesh surface = !b.skin.empty() ? b.skin : !b.tets.tets().empty() ? b.tets.surface() : b.mesh;
    if (surface.empty()) return {};
    auto made = Shape::try_mesh(surface);
    return made.ok() ? std::move(made).value() : Shape{};  // an open one has no inside
}

}  // namespace

BodyRecord BodyFactory::deformable(const Deformable& body, DeformableModel model, const Vec3& velocity,
                                   std::shared_ptr<const Embedding> contact_points) {
    if (!contact_points) require_features(settings_.contact, body, model.positions.size(), model.triangles);
    BodyRecord record;
    record.kind = BodyKind::deformable;
    record.parts.rest = model.positions;
    record.parts.self_contact = body.self_contact;
    auto made = std::make_unique<DeformableBody>(std::move(model), body.motion);
    made->set_parallel(&parallel_);
    if (velocity != Vec3{}) made->set_velocity(velocity);
    auto surface = std::make_unique<SurfaceField>(settings_.contact.surface);
    const std::size_t points = contact_points ? contact_points->size() : made->positions().size();
    surface->set_radii(std::vector<double>(points, body.motion.radius));
    record.parts.surface = surface.get();
    if (contact_points) {
        auto embedded = std::make_unique<EmbeddedContactSurface>(
            std::move(surface), std::move(contact_points), made->masses(), made->positions());
        record.parts.embedded_surface = embedded.get();
        made->add_element(std::move(embedded));
    } else {
        made->add_element(std::move(surface));
    }
    record.body = std::move(made);
    record.name = body.name, record.material = body.material, record.filter = body.filter;
    record.look = body.look;
    return record;
}

// -- mass-spring systems

BodyRecord BodyFactory::spring_body(const SpringBody& body, Result<DeformableModel> made,
                                    const Placement& placement) {
    DeformableModel model = placed(body, std::move(made), placement);
    require_constraints(body);
    PositionConstraints constraints = edge_constraints(model, body.constraints);
    BodyRecord record = deformable(body, std::move(model), placement.velocity);
    record.deformable().set_constraints(std::move(constraints));
    if (body.constraints.obstacles) {
        SurfaceSettings without_forces = record.parts.surface->as_given();
        without_forces.law = SurfaceLaw::impulse;
        record.parts.surface->set_settings(without_forces);
        auto projection = std::make_unique<SurfaceProjection>(*record.parts.surface);
        record.parts.projection = projection.get();
        record.deformable().set_obstacles(std::move(projection));
    }
    return record;
}

namespace {

/// Frames that a body can be deformed by: closed meshes of the same triangles at rising times.
void require_frames(const Scripted& body) {
    require(body.name, body.mesh.empty() && body.shape.empty(), "frames",
            "the body has a mesh or a shape beside its frames", "give one of them");
    require(body.name, !body.blade, "blade", "a body that is deformed by frames does not cut",
            "give the blade to another scripted body");
    const Mesh& first = body.frames.front().mesh;
    const auto where = [](std::size_t k) { return fmt::format("frames[{}]", k); };
    for (std::size_t k = 0; k < body.frames.size(); ++k) {
        const MeshFrame& frame = body.frames[k];
        require_range(body.name, "frames", frame.time, -1e9, 1e9);
        if (k > 0 && !(frame.time > body.frames[k - 1].time))
            refuse(body.name, where(k), "its time does not come after that of the frame before",
                   "give rising times");
        const auto same = frame.mesh.triangles();
        if (frame.mesh.positions().size() != first.positions().size() ||
            !std::equal(same.begin(), same.end(), first.triangles().begin(), first.triangles().end()))
            refuse(body.name, where(k),
                   fmt::format(
                       "it has {} vertices and {} triangles, and not the {} and {} of the first frame, or in "
                       "another order",
                       frame.mesh.positions().size(), same.size(), first.positions().size(),
                       first.triangles().size()),
                   "export all frames of one mesh, with its vertices in their order");
        for (const Vec3& p : frame.mesh.positions()) require_usable(body.name, "frames", p);
        if (const auto mass = mass_properties(frame.mesh, 1.0); !mass)
            refuse(body.name, where(k), mass.error().problem(), mass.error().cure());
    }
}

}  // namespace

/// A deformable body without elements, all of whose vertices are given.
BodyRecord BodyFactory::deformed_by_frames(const Scripted& body) {
    require_ranges(body.name, body);
    require_material(body.name, body.material);
    require_look(body.name, body.look);
    require_frames(body);
    const auto keyframes =
        body.keyframes.empty() ? body.keyframes : checked_keyframes(body.name, body.keyframes);
    const auto script = std::make_shared<const VertexScript>(body.frames, keyframes, body.loop);
    Deformable like;
    like.material = body.material, like.filter = body.filter, like.name = body.name, like.look = body.look;
    DeformableModel model;
    model.positions = script->at(0);
    model.masses.assign(model.positions.size(), 1);  // never counts
    const auto triangles = body.frames.front().mesh.triangles();
    model.triangles.assign(triangles.begin(), triangles.end());
    BodyRecord record = deformable(like, std::move(model), {});
    record.sensor = body.sensor;
    record.parts.scripted = true;
    record.deformable().follow_script(script);
    return record;
}

BodyRecord BodyFactory::point_cloud(const Particles& body) {
    require_ranges(body.name, *body.integration);
    Deformable like;
    like.motion = {.integration = *body.integration, .damping = body.drag / body.mass, .radius = body.radius};
    like.material = body.material, like.filter = body.filter, like.name = body.name;
    like.look = body.look;
    DeformableModel model;
    model.positions = body.positions;
    model.masses.assign(body.positions.size(), body.mass);
    BodyRecord record = deformable(like, std::move(model), {});
    record.parts.point_cloud = true;
    for (std::uint32_t i = 0; i < body.velocities.size(); ++i)
        record.deformable().set_vertex(i, body.positions[i], body.velocities[i]);
    return record;
}

BodyRecord BodyFactory::make(const Rope& b, const Placement& placement) {
    require_ranges(b.name, b);
    return spring_body(b, rope(b.from, b.to, b.segments, b.springs), placement);
}

BodyRecord BodyFactory::make(const Cloth& b, const Placement& placement) {
    require_ranges(b.name, b);
    auto model = b.mesh.empty() ? cloth(b.corner, b.side_x, b.side_y, b.vertices[0], b.vertices[1], b.springs)
                                : cloth(b.mesh, b.springs);
    BodyRecord record = spring_body(b, std::move(model), placement);
    record.parts.hollow = b.springs.volume == 0;
    return record;
}

BodyRecord BodyFactory::make(const Jelly& b, const Placement& placement) {
    require_ranges(b.name, b);
    return spring_body(b, jelly({b.low, b.high}, b.cells[0], b.cells[1], b.cells[2], b.springs), placement);
}

BodyRecord BodyFactory::make(const Shells& b, const Placement& placement) {
    require_ranges(b.name, b);
    // Without shells the surface is a cloth of the same mass.
    SpringMaterial skin = b.springs;
    if (const auto solid = mass_properties(b.mesh, skin.density); b.shells == 0 && !skin.mass && solid.ok())
        skin.mass = solid.value().mass;
    auto model = b.shells == 0 ? cloth(b.mesh, skin) : virtual_shells(b.mesh, b.shells, b.offset, b.springs);
    BodyRecord record = spring_body(b, std::move(model), placement);
    record.parts.hollow = b.shells == 0 && b.springs.volume == 0;
    return record;
}

BodyRecord BodyFactory::make(const TetSprings& b, const Placement& placement) {
    require_ranges(b.name, b);
    BodyRecord record = spring_body(b, tet_springs(b.mesh, b.springs), placement);
    record.tets = b.mesh;
    record.tet_shape = tets_.shape_of(b.mesh);
    return record;
}

// -- shape matching

BodyRecord BodyFactory::make(const ShapeMatching& b, const Placement& placement) {
    require_ranges(b.name, b);
    auto model = matched_model(b);
    if (!model.ok()) refuse(b.name, model.error());
    require(b.name, b.shape.empty() || b.shape.bounded(), "shape", "it has no end", "give a bounded one");
    MatchedModel m = std::move(model).value();
    require_features(settings_.contact, b, b.skin.positions().size(), b.skin.triangles());
    BodyRecord record = deformable(b, placed(b, std::move(m.body), placement), placement.velocity);
    record.deformable().add_clusters(m.clusters, m.rest, b.match);
    record.parts.skin = b.skin;
    record.parts.skin_weights = std::make_shared<const Embedding>(std::move(m.skin));
    record.parts.contact_surface = m.refined ? m.refined->surface : b.skin;
    record.parts.contact_weights = m.refined
                                       ? std::make_shared<const Embedding>(std::move(m.refined->weights))
                                       : record.parts.skin_weights;
    record.tets = b.tets;
    record.tet_shape = tets_.shape_of(b.tets);
    if (b.touched && record.deformable().matcher()->holds_all()) {
        const Shape shape = touched_shape(b);
        if (!shape.empty()) record.deformable().set_distance(shape.data().distance);
    }
    return record;
}

// -- elastic solids

SoftSolid BodyFactory::solid_of(const std::string& name, const Mesh& mesh) {
    for (const KnownSolid& known : known_solids_)
        if (known.mesh.identity() == mesh.identity()) return known.solid;
    auto made = SoftSolid::try_fill(mesh);
    if (!made) refuse(name, "mesh", made.error().problem(), made.error().cure());
    known_solids_.push_back({mesh, made.value()});
    return made.value();
}

BodyRecord BodyFactory::make(const Soft& b, const Placement& placement) {
    if (!b.mesh.empty()) {
        require(b.name, b.solid.empty(), "mesh", "the body has both a mesh and a solid", "give one of them");
        Soft filled = b;
        filled.mesh = {}, filled.solid = solid_of(b.name, b.mesh);
        return make(filled, placement);
    }
    require_ranges(b.name, b);
    const SoftSolid::Data& solid = b.solid.data();
    const bool skinned = !solid.skin.empty();
    if (skinned) require_skin_law(b.name, settings_.contact.surface);
    require_features(settings_.contact, b, solid.skin.positions().size(), solid.skin.triangles());
    auto model = elastic_solid(solid.tets, b.elastic, b.regions,
                               b.by_skin ? b.solid.shares() : std::span<const double>{});
    if (model.ok() && b.mass) {
        double sum = 0;
        for (const double m : model.value().masses) sum += m;
        for (double& m : model.value().masses) m *= *b.mass / sum;
    }
    // The weights are part of the solid, which the body keeps alive.
    const auto owner = skinned ? std::make_shared<const SoftSolid>(b.solid) : nullptr;
    const std::shared_ptr<const Embedding> weights(owner, skinned ? &solid.weights : nullptr);
    const std::shared_ptr<const Embedding> contact_weights(owner,
                                                           skinned ? &solid.contact_weights() : nullptr);
    DeformableModel at = placed(b, std::move(model), placement);
    if (b.pressure != 0)
        at.elements.push_back(std::make_unique<Pressure>(
            b.pressure,
            skinned ? solid.contact_surface().triangles() : std::span<const Triangle>(at.triangles),
            contact_weights.get()));
    BodyRecord record = deformable(b, std::move(at), placement.velocity, contact_weights);
    if (b.motion.integration.method != IntegrationMethod::quasi_static)  // such have no volume contact
        record.source = std::make_shared<const Soft>(b);
    record.parts.skin = solid.skin, record.parts.skin_weights = weights;
    record.parts.contact_surface = solid.contact_surface(), record.parts.contact_weights = contact_weights;
    record.tets = solid.tets;
    record.tet_shape = tets_.shape_of(solid.tets);
    return record;
}

}  // namespace plush
