#include "core/range_check.hpp"
#include "world/body_recipe.hpp"
#include "world/feature_query.hpp"
#include "world/fingerprint.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Changes of a world that runs, and its copy.

namespace plush {

// -- one body

void World::set_material(BodyId body, const Material& material) {
    BodyRecord& record = to_act(*this)->bodies.at(body);
    require_material(record.name, material);
    if (const auto in_range = check_ranges(material); !in_range) refuse(record.name, in_range.error());
    record.material = material;
    to_act(*this)->bodies.mark_changed(record);
    to_act(*this)->sleep.wake_neighbours(to_act(*this)->bodies.index_of(body));
}

const Look& World::look(BodyId body) const {
    return to_read(*this)->bodies.at(body).look;
}

void World::set_look(BodyId body, const Look& look) {
    BodyRecord& record = to_act(*this)->bodies.at(body);
    require_look(record.name, look);
    record.look = look;
}

void World::set_friction(BodyId body, double friction) {
    Material material = to_act(*this)->bodies.at(body).material;
    material.friction = friction;
    set_material(body, material);
}

void World::set_damping(BodyId body, double damping) {
    BodyRecord& record = to_act(*this)->bodies.at(body);
    require_range(record.name, "damping", damping, 0, 1e9);
    if (record.kind == BodyKind::rigid)
        record.rigid().set_damping(damping);
    else if (record.kind == BodyKind::deformable)
        record.deformable().set_damping(damping);
    else
        throw_wrong_kind(record, "rigid or deformable");
    to_act(*this)->bodies.mark_changed(record);
}

void World::set_elastic(BodyId body, const ElasticMaterial& elastic) {
    const BodyRecord& record = to_change(*this)->bodies.at(body);
    require(record.name, record.source != nullptr, "elastic",
            "only soft bodies have these constants, and not those whose every step ends in equilibrium",
            "add it as Soft, and not with the integrator quasi_static");
    require(record.name, !record.deformable().matcher(), "elastic", "clusters keep its shape",
            "change it before they are added");
    ElasticMaterial wanted = elastic;
    wanted.density = record.source->elastic.density;  // its masses stay
    if (const auto in_range = check_ranges(wanted); !in_range) refuse(record.name, in_range.error());
    to_change(*this)->cutting.set_elastic(to_change(*this)->bodies.index_of(body), wanted);
}

void World::set_young(BodyId body, double young) {
    const BodyRecord& record = to_act(*this)->bodies.at(body);
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
    to_act(*this)->settings.gravity = gravity;
    wake_all(*to_act(*this));
}

void World::set_step(double step) {
    require_range("", "step", step, 1e-9, 1);
    if (step == to_change(*this)->settings.step) return;
    to_change(*this)->clock.start = to_change(*this)->clock.time,
    to_change(*this)->clock.first_step = to_change(*this)->clock.steps;
    to_change(*this)->settings.step = step;
    for (BodyRecord& record : to_change(*this)->bodies)
        if (record.is_deformable()) record.deformable().forget_history();
    wake_all(*to_change(*this));
}

void World::set_contact(const ContactSettings& contact) {
    ContactSettings wanted = contact;
    check_ranges(wanted).value();
    const ContactSettings before = to_change(*this)->settings.contact;
    if (wanted.surface != before.surface || wanted.tets.method != before.tets.method)
        throw Error(
            {.place = "contact",
             .problem = "surface laws and contact by tets are parts of the bodies",
             .cure = "keep contact.surface and contact.tets as they are; set_surface() changes one body"});
    to_change(*this)->settings.contact = wanted;
    try {
        for (const BodyRecord& record : to_change(*this)->bodies) {
            if (!record.body) continue;
            require_rows(record, wanted.method);
            if (wanted.method == ContactMethod::closest_feature) require_features(record);
            if (record.blade) to_change(*this)->cutting.require_blade(record.name, *record.blade);
        }
        if (wanted.method != before.method) impl_->rules.require_contact();
    } catch (...) {
        to_change(*this)->settings.contact = before;
        throw;
    }
    wake_all(*to_change(*this));
}

void World::set_contact_method(ContactMethod method) {
    ContactSettings contact = to_change(*this)->settings.contact;
    contact.method = method;
    set_contact(contact);
}

void World::set_cells(double cells_across) {
    ContactSettings contact = to_change(*this)->settings.contact;
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
    const auto usable_cluster = [&](const BodyRecipe::Cluster& c) {
        const std::size_t n = record.deformable().positions().size();
        return !c.vertices.empty() && std::is_sorted(c.vertices.begin(), c.vertices.end()) &&
               c.vertices.back() < n && c.rest.size() == n && check_ranges(c.settings).ok() &&
               std::all_of(c.rest.begin(), c.rest.end(), usable);
    };
    // A file may say anything.
    require(
        record.name,
        (recipe.clusters.empty() && !recipe.surface && recipe.force_fields.empty()) || record.is_deformable(),
        "clusters", "only deformable bodies have them", "save the world again");
    require(record.name, std::all_of(recipe.clusters.begin(), recipe.clusters.end(), usable_cluster),
            "clusters", "they are not vertices of the body", "save the world again");
    if (recipe.surface) require_ranges(record.name, *recipe.surface);
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

void WorldParts::put_again(std::uint32_t index, std::shared_ptr<const BodyRecipe> recipe, std::uint64_t order,
                           const Look& look) {
    BodyRecord record = make_again(*this, *recipe);
    require_look(record.name, look);
    record.order = order;
    record.look = look;
    check_added(record);
    record.recipe = recipe;
    record.fingerprint = fingerprint_of(record);
    bodies.put(index, std::move(record));
    scale_surface(bodies[index]);
    if (bodies[index].source) cutting.add_body(index);
    add_again(bodies[index], *recipe);
}

void WorldParts::copy_from(WorldParts& other) {
    bodies.copy_places(other.bodies);
    for (std::uint32_t i = 0; i < other.bodies.size(); ++i) {
        const BodyRecord& old = other.bodies[i];
        if (!old.body) continue;
        PLUSH_ASSERT(old.recipe);
        put_again(i, old.recipe, old.order, old.look);
        bodies[i].warned_fast = old.warned_fast;
        bodies[i].warned_friction = old.warned_friction;
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
    const WorldAccess::Read from = to_read(*this);
    World world(from->settings);
    world.impl_->custom_forces = from->custom_forces;
    world.impl_->copy_from(*from);
    return world;
}

}  // namespace plush
