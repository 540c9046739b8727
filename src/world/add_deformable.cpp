#include <algorithm>

#include "bodies/deformable/matched_model.hpp"
#include "bodies/deformable/soft_data.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/pressure.hpp"
#include "core/range_check.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "plush/geometry/mass.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Adding deformable bodies; what is wrong with one is said here, before it can do harm.

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
    require(body.name, !(c.inextensible && c.most_stretch), "constraints",
            "inextensible and most_stretch exclude each other", "keep one");
    require(body.name, !c.most_stretch || (*c.most_stretch >= 1 && *c.most_stretch <= 1e3), "most_stretch",
            "it is out of range", "take from 1 to 1000");
    require(body.name, c.iterations >= 1 && c.iterations <= 100'000, "iterations", "it is out of range",
            "take from 1 to 100000");
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

DeformableModel made(const Deformable& body, Result<DeformableModel> model, const Placement& placement) {
    require_material(body.name, body.material);
    if (const auto in_range = check_ranges(body.motion); !in_range) refuse(body.name, in_range.error());
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

BodyId World::Impl::add_deformable(const Deformable& body, DeformableModel model, const Vec3& velocity,
                                   std::shared_ptr<const Embedding> contact_points) {
    if (!contact_points) require_features(body, model.positions.size(), model.triangles);
    Slot slot;
    slot.kind = BodyKind::deformable;
    slot.rest = model.positions;
    slot.self_contact = body.self_contact;
    auto made_body = std::make_unique<DeformableBody>(std::move(model), body.motion);
    made_body->set_parallel(&parallel);
    if (velocity != Vec3{}) made_body->set_velocity(velocity);
    auto surface = std::make_unique<SurfaceField>(settings.contact.surface);
    const std::size_t points = contact_points ? contact_points->size() : made_body->positions().size();
    surface->set_radii(std::vector<double>(points, body.motion.radius));
    slot.surface = surface.get();
    if (contact_points) {
        auto carried = std::make_unique<CarriedSurface>(std::move(surface), std::move(contact_points),
                                                        made_body->masses(), made_body->positions());
        slot.carried_surface = carried.get();
        made_body->add_element(std::move(carried));
    } else {
        made_body->add_element(std::move(surface));
    }
    slot.body = std::move(made_body);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter;
    return add(std::move(slot));
}

BodyId World::Impl::add_spring_body(const SpringBody& body, DeformableModel model, const Vec3& velocity) {
    require_constraints(body);
    PositionConstraints constraints = edge_constraints(model, body.constraints);
    const BodyId id = add_deformable(body, std::move(model), velocity);
    Slot& slot = this->slot(id);
    slot.deformable().set_constraints(std::move(constraints));
    if (body.constraints.obstacles) {
        SurfaceSettings without_forces = slot.surface->settings();
        without_forces.law = SurfaceLaw::impulse;
        slot.surface->set_settings(without_forces);
        auto projection = std::make_unique<SurfaceProjection>(*slot.surface);
        slot.projection = projection.get();
        slot.deformable().set_obstacles(std::move(projection));
    }
    return id;
}

BodyId World::Impl::add_points(const Particles& body) {
    if (const auto in_range = check_ranges(*body.integration); !in_range) refuse(body.name, in_range.error());
    Deformable like;
    like.motion = {.integration = *body.integration, .damping = body.drag / body.mass, .radius = body.radius};
    like.material = body.material, like.filter = body.filter, like.name = body.name;
    DeformableModel model;
    model.positions = body.positions;
    model.masses.assign(body.positions.size(), body.mass);
    const BodyId id = add_deformable(like, std::move(model), {});
    slot(id).points = true;
    for (std::uint32_t i = 0; i < body.velocities.size(); ++i)
        slot(id).deformable().set_vertex(i, body.positions[i], body.velocities[i]);
    return id;
}

BodyId World::add(const Rope& b, const Placement& placement) {
    return impl_->add_spring_body(b, made(b, rope(b.from, b.to, b.segments, b.springs), placement),
                                  placement.velocity);
}

BodyId World::add(const Cloth& b, const Placement& placement) {
    auto model = b.mesh.empty() ? cloth(b.corner, b.side_x, b.side_y, b.vertices[0], b.vertices[1], b.springs)
                                : cloth(b.mesh, b.springs);
    const BodyId id = impl_->add_spring_body(b, made(b, std::move(model), placement), placement.velocity);
    impl_->slot(id).hollow = b.springs.volume == 0;
    return id;
}

BodyId World::add(const Jelly& b, const Placement& placement) {
    auto model = jelly({b.low, b.high}, b.cells[0], b.cells[1], b.cells[2], b.springs);
    return impl_->add_spring_body(b, made(b, std::move(model), placement), placement.velocity);
}

BodyId World::add(const Shells& b, const Placement& placement) {
    // Without shells the surface is a cloth of the same mass.
    SpringMaterial skin = b.springs;
    if (const auto solid = mass_properties(b.mesh, skin.density); b.shells == 0 && !skin.mass && solid.ok())
        skin.mass = solid.value().mass;
    auto model = b.shells == 0 ? cloth(b.mesh, skin) : virtual_shells(b.mesh, b.shells, b.offset, b.springs);
    const BodyId id = impl_->add_spring_body(b, made(b, std::move(model), placement), placement.velocity);
    impl_->slot(id).hollow = b.shells == 0 && b.springs.volume == 0;
    return id;
}

BodyId World::add(const TetSprings& b, const Placement& placement) {
    const BodyId id =
        impl_->add_spring_body(b, made(b, tet_springs(b.mesh, b.springs), placement), placement.velocity);
    impl_->slot(id).tets = b.mesh;
    impl_->slot(id).tet_shape = impl_->tet_shape_of(b.mesh);
    return id;
}

BodyId World::add(const ShapeMatching& b, const Placement& placement) {
    auto model = matched_model(b);
    if (!model.ok()) refuse(b.name, model.error());
    require(b.name, b.shape.empty() || b.shape.bounded(), "shape", "it has no end", "give a bounded one");
    MatchedModel m = std::move(model).value();
    impl_->require_features(b, b.skin.positions().size(), b.skin.triangles());
    const BodyId id = impl_->add_deformable(b, made(b, std::move(m.body), placement), placement.velocity);
    Slot& slot = impl_->slot(id);
    slot.deformable().add_clusters(m.clusters, m.rest, b.match);
    slot.skin = b.skin, slot.skin_weights = std::make_shared<const Embedding>(std::move(m.skin));
    slot.tets = b.tets;
    slot.tet_shape = impl_->tet_shape_of(b.tets);
    if (b.touched && slot.deformable().matcher()->holds_all()) {
        const Shape shape = touched_shape(b);
        if (!shape.empty()) slot.deformable().set_distance(shape.data().distance);
    }
    return id;
}

/// Filling and embedding are dear: once for all bodies of a mesh.
SoftSolid World::Impl::solid_of(const std::string& name, const Mesh& mesh) {
    for (const KnownSolid& known : known_solids)
        if (known.mesh.identity() == mesh.identity()) return known.solid;
    auto made = SoftSolid::try_fill(mesh);
    if (!made) refuse(name, "mesh", made.error().problem(), made.error().cure());
    known_solids.push_back({mesh, made.value()});
    return made.value();
}

BodyId World::add(const Soft& b, const Placement& placement) {
    if (!b.mesh.empty()) {
        require(b.name, b.solid.empty(), "mesh", "the body has both a mesh and a solid", "give one of them");
        Soft filled = b;
        filled.mesh = {}, filled.solid = impl_->solid_of(b.name, b.mesh);
        return add(filled, placement);
    }
    require(b.name, std::isfinite(b.pressure) && std::abs(b.pressure) <= 1e12, "pressure", "it is not usable",
            "give a finite number below 1e12 Pa");
    require(b.name, !b.mass || (*b.mass > 0 && *b.mass <= 1e15), "mass", "it is out of range",
            "give a number above 0 and up to 1e15 kg");
    const SoftSolid::Data& solid = b.solid.data();
    const bool skinned = !solid.skin.empty();
    if (skinned) require_skin_law(b.name, impl_->settings.contact.surface);
    impl_->require_features(b, solid.skin.positions().size(), solid.skin.triangles());
    auto model = elastic_solid(solid.tets, b.elastic, b.regions,
                               b.by_skin ? b.solid.shares() : std::span<const double>{});
    if (model.ok() && b.mass) {
        double sum = 0;
        for (const double m : model.value().masses) sum += m;
        for (double& m : model.value().masses) m *= *b.mass / sum;
    }
    // The skin's weights are part of the solid, which the body keeps alive.
    const std::shared_ptr<const Embedding> weights(
        skinned ? std::make_shared<const SoftSolid>(b.solid) : nullptr, skinned ? &solid.weights : nullptr);
    DeformableModel placed = made(b, std::move(model), placement);
    if (b.pressure != 0)
        placed.elements.push_back(std::make_unique<Pressure>(
            b.pressure, skinned ? solid.skin.triangles() : std::span<const Triangle>(placed.triangles),
            weights.get()));
    const std::size_t elements = placed.elements.size();
    const BodyId id = impl_->add_deformable(b, std::move(placed), placement.velocity, weights);
    Slot& slot = impl_->slot(id);
    if (b.motion.integration.method != IntegrationMethod::quasi_static)  // such have no contact by volume
        slot.made_of = std::make_shared<const Soft>(b);
    const auto masses = slot.deformable().masses();
    slot.whole_masses.assign(masses.begin(), masses.end());
    slot.made_elements = elements + (skinned ? 1 : 0);  // the surface that the skin carries is the next one
    slot.skin = solid.skin, slot.skin_weights = weights;
    slot.tets = solid.tets;
    slot.tet_shape = impl_->tet_shape_of(solid.tets);
    return id;
}

}  // namespace plush
