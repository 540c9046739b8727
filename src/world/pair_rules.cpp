#include "world/pair_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contact/derived.hpp"
#include "contact/fields/surface_law.hpp"
#include "core/tuning.hpp"
#include "world/refusal.hpp"

namespace plush {

static void visit_state(StateVisitor& v, PairRule& rule) {
    v(rule.i, rule.j, rule.collide, rule.friction, rule.restitution, rule.method);
}

namespace {

constexpr bool masks_allow(const Filter& a, const Filter& b) {
    return (a.groups & b.collides_with) != 0 && (b.groups & a.collides_with) != 0;
}

}  // namespace

void require_material(const std::string& name, const Material& m) {
    require_ranges(name, m);
}

void require_look(const std::string& name, const Look& look) {
    if (look.colour.empty()) return;
    if (const auto colour = parse_colour(look.colour); !colour)
        refuse(name, "colour", colour.error().problem(), colour.error().cure());
}

// -- what the user says

void PairRules::set_filter(BodyId body, const Filter& filter) {
    BodyRecord& record = bodies_.at(body);
    record.filter = filter;
    bodies_.mark_changed(record);
}

void PairRules::set_collide(BodyId a, BodyId b, bool collide) {
    rule(a, b).collide = collide;
    for (const BodyId body : {a, b}) bodies_.mark_changed(bodies_.at(body));
}

void PairRules::set_material(BodyId a, BodyId b, const Material& material) {
    require_material(bodies_.at(a).name, material);
    PairRule& changed = rule(a, b);
    changed.friction = material.friction;
    changed.restitution = material.restitution;
    for (const BodyId body : {a, b}) bodies_.mark_changed(bodies_.at(body));
}

void PairRules::set_method(BodyId a, BodyId b, ContactMethod method) {
    const std::optional<ContactMethod> before = std::exchange(rule(a, b).method, method);
    if (const auto error = without_contact(bodies_.index_of(a), bodies_.index_of(b))) {
        rule(a, b).method = before;
        throw *error;
    }
    for (const BodyId body : {a, b}) bodies_.mark_changed(bodies_.at(body));
}

void PairRules::set_jointed(std::uint32_t i, std::uint32_t j, bool jointed) {
    PLUSH_ASSERT(i != j || bodies_[i].is_deformable());  // two vertices of one body
    const std::pair pair(std::min(i, j), std::max(i, j));
    const auto at = std::lower_bound(jointed_.begin(), jointed_.end(), pair);
    if (jointed) {
        jointed_.insert(at, pair);
    } else {
        PLUSH_ASSERT(at != jointed_.end() && *at == pair);
        jointed_.erase(at);
    }
}

const PairRule* PairRules::find(std::uint32_t i, std::uint32_t j) const {
    if (rules_.empty()) return nullptr;
    const auto key = std::minmax(i, j);
    const auto it = std::lower_bound(rules_.begin(), rules_.end(), key, [](const PairRule& r, const auto& k) {
        return std::pair(r.i, r.j) < std::pair<std::uint32_t, std::uint32_t>(k);
    });
    return it != rules_.end() && it->i == key.first && it->j == key.second ? &*it : nullptr;
}

PairRule& PairRules::rule(BodyId a, BodyId b) {
    const auto [i, j] = std::minmax({bodies_.index_of(a), bodies_.index_of(b)});
    if (i == j) throw Error({.problem = "a pair needs two different bodies", .cure = "name two bodies"});
    bodies_.mark_changed();
    if (const PairRule* known = find(i, j)) return rules_[static_cast<std::size_t>(known - rules_.data())];
    PairRule fresh;
    fresh.i = i, fresh.j = j;
    const auto at = std::lower_bound(
        rules_.begin(), rules_.end(), fresh,
        [](const PairRule& x, const PairRule& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
    return *rules_.insert(at, fresh);
}

void PairRules::forget_body(std::uint32_t body) {
    std::erase_if(rules_, [&](const PairRule& r) { return r.i == body || r.j == body; });
}

void PairRules::visit_state(StateVisitor& v) {
    v(rules_);
}

bool PairRules::is_consistent() const {
    const auto choices = contact_method_choices();
    const auto known = [&](ContactMethod m) {
        return std::any_of(choices.begin(), choices.end(),
                           [&](const Choice& c) { return c.value == static_cast<int>(m); });
    };
    for (std::size_t k = 0; k < rules_.size(); ++k) {
        const PairRule& r = rules_[k];
        if (!bodies_.is_body(r.i) || !bodies_.is_body(r.j) || (r.method && !known(*r.method))) return false;
        if (k > 0 && std::pair(rules_[k - 1].i, rules_[k - 1].j) >= std::pair(r.i, r.j)) return false;
        for (const auto& number : {r.friction, r.restitution})
            if (number && !(*number >= 0 && std::isfinite(*number))) return false;
    }
    return true;
}

void require_rows(const BodyRecord& record, ContactMethod method) {
    if (!record.is_deformable() || !record.parts.encloses_volume || record.deformable().takes_rows()) return;
    if (!is_volume_method(method) && method != ContactMethod::closest_feature) return;
    refuse(record.name, "integrator",
           "contact rows give a body the impulses of a whole step, which an explicit integrator cannot take: "
           "its substeps are stable, and so far a move of single vertices is not",
           "take implicit_euler or bdf2, or contact at points, which acts in every substep (contact.method "
           "automatic or points)");
}

// -- who may touch

bool PairRules::rules_allow(std::uint32_t i, std::uint32_t j) const {
    if (const PairRule* rule = find(i, j); rule && rule->collide) return *rule->collide != 0;
    if (!jointed_.empty() &&
        std::binary_search(jointed_.begin(), jointed_.end(), std::pair(std::min(i, j), std::max(i, j))))
        return false;
    return masks_allow(bodies_[i].filter, bodies_[j].filter);
}

bool PairRules::collision_allowed(std::uint32_t i, std::uint32_t j) const {
    return rules_allow(i, j) && !may_cut(i, j) && !may_cut(j, i);
}

bool PairRules::may_cut(std::uint32_t blade, std::uint32_t body) const {
    return bodies_[blade].blade && can_be_cut(body);
}

bool PairRules::can_be_cut(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    return record.source && !record.deformable().matcher() &&
           (settings_.contact.method != ContactMethod::automatic || prefers_volume(body));
}

// -- how they touch

/// What can overlap by volume: a solid, or a deformable body with a closed surface.
bool PairRules::has_inside(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    return record.kind == BodyKind::deformable ? record.parts.encloses_volume : !record.shape.empty();
}

/// Whether rows may act on a deformable body at all where `automatic` decides. Before a barrier nothing but
/// its guard may move vertices; explicit methods cannot take impulses of a whole step; and a sheet that has
/// collapsed encloses no volume by which it could be held.
bool PairRules::bears_volume(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    return record.kind == BodyKind::deformable && !record.parts.point_cloud && !record.parts.hollow &&
           record.deformable().takes_rows() && !is_barrier(record.parts.surface->settings().law);
}

/// Whether a deformable body, if its surface is closed, takes volume contact where its pairs have no setting.
/// It does not where something else was asked for: a law for its vertices, or contact by tets. Nor does one
/// with vertices attached to free rigid bodies: rows know no more of it than its masses (constraint_system.cpp),
/// while surface laws are solved with it and them.
bool PairRules::prefers_volume(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (!bears_volume(body) || record.tet_shape) return false;
    const SurfaceSettings& surface = record.parts.surface->as_given();
    if (surface.law != SurfaceLaw::buffered || surface != settings_.contact.surface) return false;
    return !attachments_.any_to_dynamic(body);
}

bool PairRules::any_prefers_volume() const {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body && prefers_volume(i)) return true;
    return false;
}

ContactMethod PairRules::automatic_method(std::uint32_t i, std::uint32_t j) const {
    const auto fits = [&](std::uint32_t k) {
        return has_inside(k) && (bodies_[k].kind != BodyKind::deformable || bears_volume(k));
    };
    const bool wanted = prefers_volume(i) || prefers_volume(j);
    return wanted && fits(i) && fits(j) ? ContactMethod::volume : ContactMethod::points;
}

PairBehaviour PairRules::behaviour(std::uint32_t i, std::uint32_t j) const {
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    PairBehaviour result;
    result.law.friction = std::sqrt(a.material.friction * b.material.friction);
    result.law.restitution = std::max(a.material.restitution, b.material.restitution);
    result.law.resting_speed = settings_.contact.resting_speed.value_or(
        tuning::resting_steps * norm(settings_.gravity) * settings_.step);
    result.method = settings_.contact.method;
    if (const PairRule* rule = find(i, j)) {
        result.law.friction = rule->friction.value_or(result.law.friction);
        result.law.restitution = rule->restitution.value_or(result.law.restitution);
        result.method = rule->method.value_or(result.method);
    }
    if (result.method == ContactMethod::automatic) result.method = automatic_method(i, j);
    if (a.sensor || b.sensor) result.method = ContactMethod::none;
    return result;
}

double PairRules::allowed_depth(std::uint32_t i, std::uint32_t j) const {
    if (settings_.contact.allowed_depth) return *settings_.contact.allowed_depth;
    return derived(tuning::derived_allowed_depth, std::min(bodies_[i].size, bodies_[j].size),
                   norm(settings_.gravity));
}

double PairRules::margin(std::uint32_t i, std::uint32_t j) const {
    if (settings_.contact.margin) return *settings_.contact.margin;
    return derived(tuning::derived_margin, std::min(bodies_[i].size, bodies_[j].size),
                   norm(settings_.gravity));
}

double PairRules::sleep_speed(std::uint32_t body) const {
    if (settings_.sleep.speed) return *settings_.sleep.speed;
    return derived(tuning::derived_sleep_speed, bodies_[body].size, norm(settings_.gravity));
}

VolumeLaw PairRules::volume_law(std::uint32_t i, std::uint32_t j, double area) const {
    const PairBehaviour pair = behaviour(i, j);
    const VolumeSettings& s = settings_.contact.volume;
    // Closest features are as hard and as dry as points.
    if (pair.method == ContactMethod::closest_feature) return {.pair = pair.law};
    VolumeLaw law{.pair = pair.law,
                  .friction_at_surfaces = s.friction_at_surfaces,
                  .friction = s.friction,
                  .viscosity = s.viscosity};
    if (pair.method == ContactMethod::volume_penalty) {
        law.flexibility = 1 / (s.stiffness * area);
        law.of_whole_pair = true;
        return law;
    }
    for (const std::uint32_t k : {i, j}) {  // a deformable body yields by itself
        const BodyRecord& record = bodies_[k];
        if (record.material.young && record.kind != BodyKind::deformable && record.shape.bounded())
            law.flexibility += record.shape.thickness() / *record.material.young;
    }
    return law;
}

bool PairRules::is_compliant(std::uint32_t i, std::uint32_t j) const {
    return behaviour(i, j).method == ContactMethod::volume_penalty || volume_law(i, j, 1).flexibility > 0;
}

bool PairRules::soft_by_rows(std::uint32_t i, std::uint32_t j) const {
    const ContactMethod method = behaviour(i, j).method;
    const bool by_rows = is_volume_method(method) || method == ContactMethod::closest_feature;
    return by_rows && has_inside(i) && has_inside(j);
}

// -- pairs that would have no contact

/// Nothing that could overlap another body: cloth, ropes, particles, and sheets that collapse.
bool PairRules::is_thin(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (record.kind == BodyKind::particles) return true;
    return record.is_deformable() && !is_soft_solid(body);
}

bool PairRules::is_soft_solid(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (!record.is_deformable() || record.parts.point_cloud || record.parts.hollow) return false;
    return record.parts.encloses_volume || !record.tets.tets().empty();
}

/// Before a barrier nothing but its guard may move vertices; explicit methods cannot take impulses of a whole step.
bool PairRules::takes_rows(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (!record.is_deformable()) return true;
    return record.deformable().takes_rows() && !is_barrier(record.parts.surface->settings().law) &&
           record.deformable().settings().integration.method != IntegrationMethod::quasi_static;
}

bool PairRules::vertices_by_rows(std::uint32_t vertices, std::uint32_t surface) const {
    return is_thin(vertices) && is_soft_solid(surface) && bodies_[surface].parts.encloses_volume &&
           takes_rows(vertices) && takes_rows(surface) &&
           behaviour(vertices, surface).method != ContactMethod::none;
}

/// Forces would have to guess what else holds the rigid body in the step; rows are in the solve that knows. A law that was asked
/// for acts as it says, and a body that is solved with rigid ones keeps to forces.
bool PairRules::vertices_on_free(std::uint32_t vertices, std::uint32_t rigid) const {
    const BodyRecord& record = bodies_[vertices];
    return bodies_[rigid].kind == BodyKind::rigid && record.is_deformable() && is_thin(vertices) &&
           takes_rows(vertices) && record.parts.surface->settings().law == SurfaceLaw::buffered &&
           record.parts.surface->settings().dissipation == 0 && !attachments_.any_to_dynamic(vertices) &&
           behaviour(vertices, rigid).method != ContactMethod::none;
}

bool PairRules::may_ever_touch(std::uint32_t i, std::uint32_t j) const {
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    return a.body && b.body && i != j && (a.dynamic() || b.dynamic()) && collision_allowed(i, j) &&
           behaviour(i, j).method != ContactMethod::none;
}

std::optional<Error> PairRules::without_contact(std::uint32_t i, std::uint32_t j) const {
    const bool soft_i = is_soft_solid(i), soft_j = is_soft_solid(j);
    if (!soft_i && !soft_j) return {};  // solids and vertices touch solids; thin on thin is not there yet
    if (!(soft_i || is_thin(i)) || !(soft_j || is_thin(j)) || !may_ever_touch(i, j)) return {};
    const bool distance = bodies_[i].body->distance() || bodies_[j].body->distance();
    const bool touch = soft_i && soft_j
                           ? soft_by_rows(i, j) || by_tets(i, j) || distance
                           : (soft_i ? vertices_by_rows(j, i) : vertices_by_rows(i, j)) || distance;
    if (touch) return {};
    const std::string pair = fmt::format("{} and {}", bodies_.label(i), bodies_.label(j));
    const std::string_view apart =
        "or say that they do not collide (pairs: \"collide\": false, or \"method\": \"none\")";
    for (const std::uint32_t k : {i, j})
        if (!takes_rows(k))
            return Error({.place = pair,
                          .problem = fmt::format(
                              "they would pass through each other: soft bodies, and what lies on them, "
                              "touch by impulses of a whole step, which {} cannot take (its integrator "
                              "is explicit, Verlet or quasi_static, or its law a barrier)",
                              bodies_.label(k)),
                          .cure = fmt::format("take implicit_euler or bdf2 and no barrier for {}, {}",
                                              bodies_.label(k), apart)});
    return Error({.place = pair,
                  .problem =
                      "they would pass through each other: soft bodies have no distance that points could be "
                      "tested against",
                  .cure = fmt::format(
                      "take contact.method automatic or volume, for the scene or for this pair, {}", apart)});
}

void PairRules::require_contact() const {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        for (std::uint32_t j = i + 1; j < bodies_.size(); ++j)
            if (bodies_[i].is_deformable() || bodies_[j].is_deformable())
                if (const auto error = without_contact(i, j)) throw *error;
}

bool PairRules::names_method(ContactMethod method) const {
    return settings_.contact.method == method ||
           std::any_of(rules_.begin(), rules_.end(),
                       [&](const PairRule& rule) { return rule.method == method; });
}

}  // namespace plush
