#include "core/range_check.hpp"
#include "world/body_recipe.hpp"
#include "world/feature_query.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Changes of a world that runs, and its copy.

namespace plush {

// -- one body

void World::set_material(BodyId body, const Material& material) {
    BodyRecord& record = impl_->bodies.at(body);
    require_material(record.name, material);
    if (const auto in_range = check_ranges(material); !in_range) refuse(record.name, in_range.error());
    record.material = material;
    impl_->bodies.mark_changed(record);
    impl_->sleep.wake_neighbours(impl_->bodies.index_of(body));
}

const Look& World::look(BodyId body) const {
    return impl_->bodies.at(body).look;
}

void World::set_look(BodyId body, const Look& look) {
    BodyRecord& record = impl_->bodies.at(body);
    require_look(record.name, look);
    record.look = look;
}

void World::set_friction(BodyId body, double friction) {
    Material material = impl_->bodies.at(body).material;
    material.friction = friction;
    set_material(body, material);
}

void World::set_damping(BodyId body, double damping) {
    BodyRecord& record = impl_->bodies.at(body);
    require_range(record.name, "damping", damping, 0, 1e9);
    if (record.kind == BodyKind::rigid)
        record.rigid().set_damping(damping);
    else if (record.kind == BodyKind::deformable)
        record.deformable().set_damping(damping);
    else
        throw_wrong_kind(record, "rigid or deformable");
    impl_->bodies.mark_changed(record);
}

void World::set_elastic(BodyId body, const ElasticMaterial& elastic) {
    const BodyRecord& record = impl_->bodies.at(body);
    require(record.name, record.source != nullptr, "elastic",
            "only soft bodies have these constants, and not those whose every step ends in equilibrium",
            "add it as Soft, and not with the integrator quasi_static");
    require(record.name, !record.deformable().matcher(), "elastic", "clusters keep its shape",
            "change it before they are added");
    ElasticMaterial wanted = elastic;
    wanted.density = record.source->elastic.density;  // its masses stay
    if (const auto in_range = check_ranges(wanted); !in_range) refuse(record.name, in_range.error());
    impl_->cutting.set_elastic(impl_->bodies.index_of(body), wanted);
}

void World::set_young(BodyId body, double young) {
    const BodyRecord& record = impl_->bodies.at(body);
    ElasticMaterial elastic = record.source ? record.source->elastic : ElasticMaterial{};
    elastic.young = young;
    set_elastic(body, elastic);
}

// -- all of them

namespace {

/// And no contact of before is reused.
void wake_all(WorldParts& world) {
    for (std::uint32_t i = 0; i < world.bodies.size(); ++i)
        for (ContactModel* model : world.contact.all()) model->forget_body(i);
    for (BodyRecord& record : world.bodies)
        if (record.dynamic()) world.bodies.mark_changed(record);
    world.bodies.mark_changed();
}

}  // namespace

void World::set_gravity(const Vec3& gravity) {
    require_usable("", "gravity", gravity);
    impl_->settings.gravity = gravity;
    wake_all(*impl_);
}

void World::set_step(double step) {
    require_range("", "step", step, 1e-9, 1);
    if (step == impl_->settings.step) return;
    impl_->clock.start = impl_->clock.time, impl_->clock.first_step = impl_->clock.steps;
    impl_->settings.step = step;
    for (BodyRecord& record : impl_->bodies)
        if (record.is_deformable()) record.deformable().forget_history();
    wake_all(*impl_);
}

void World::set_contact(const ContactSettings& contact) {
    ContactSettings wanted = contact;
    check_ranges(wanted).value();
    const ContactSettings before = impl_->settings.contact;
    if (wanted.surface != before.surface || wanted.tets.method != before.tets.method)
        throw Error(
            {.place = "contact",
             .problem = "surface laws and contact by tets are parts of the bodies",
             .cure = "keep contact.surface and contact.tets as they are; set_surface() changes one body"});
    impl_->settings.contact = wanted;
    try {
        for (const BodyRecord& record : impl_->bodies) {
            if (!record.body) continue;
            require_rows(record, wanted.method);
            if (wanted.method == ContactMethod::closest_feature) require_features(record);
            if (record.blade) impl_->cutting.require_blade(record.name, *record.blade);
        }
        if (wanted.method != before.method) impl_->rules.require_contact();
    } catch (...) {
        impl_->settings.contact = before;
        throw;
    }
    wake_all(*impl_);
}

void World::set_contact_method(ContactMethod method) {
    ContactSettings contact = impl_->settings.contact;
    contact.method = method;
    set_contact(contact);
}

void World::set_cells(double cells_across) {
    ContactSettings contact = impl_->settings.contact;
    contact.volume.cells_across = cells_across;
    set_contact(contact);
}

// -- the copy

namespace {

/// The body of a recipe, as it was added.
BodyRecord make_again(WorldParts& world, const BodyRecipe& recipe) {
    return std::visit(
        [&](const auto& settings) {
            using T = std::decay_t<decltype(settings)>;
            if constexpr (std::is_same_v<T, Scripted> || std::is_same_v<T, Particles>)
                return world.factory.make(settings);
            else
                return world.factory.make(settings, recipe.placement);
        },
        recipe.settings);
}

/// What was added to it later.
void add_again(BodyRecord& record, const BodyRecipe& recipe) {
    for (const BodyRecipe::Cluster& c : recipe.clusters)
        record.deformable().add_clusters(std::array{c.vertices}, c.rest, c.settings);
    if (recipe.surface) record.parts.surface->set_settings(*recipe.surface);
    for (const ForceFunction& force : recipe.force_fields) {
        auto field = std::make_unique<UserForceField>(force);
        record.parts.force_fields.push_back(field.get());
        record.deformable().add_element(std::move(field));
    }
}

}  // namespace

void WorldParts::copy_from(WorldParts& other) {
    bodies.copy_places(other.bodies);
    for (std::uint32_t i = 0; i < other.bodies.size(); ++i) {
        const BodyRecord& old = other.bodies[i];
        if (!old.body) continue;
        PLUSH_ASSERT(old.recipe);
        BodyRecord record = make_again(*this, *old.recipe);
        record.recipe = old.recipe;
        record.order = old.order;
        record.look = old.look;
        record.warned_fast = old.warned_fast;
        record.warned_friction = old.warned_friction;
        if (record.is_deformable()) record.parts.encloses_volume = encloses_volume(record);
        bodies.put(i, std::move(record));
        if (bodies[i].source) cutting.add_body(i);
        add_again(bodies[i], *old.recipe);
    }
    attachments.mark_changed();
    rules.copy_from(other.rules);
    joints.copy_from(other.joints);
    logger = other.logger;
    queries.enable(other.queries.enabled());
    restore(other.snapshot()).value();
    contacts = other.contacts, report = other.report;
}

World World::copy() const {
    World world(impl_->settings);
    world.impl_->custom_forces = impl_->custom_forces;
    world.impl_->copy_from(*impl_);
    return world;
}

}  // namespace plush
