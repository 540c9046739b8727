#include <algorithm>

#include "contact/fields/surface_law.hpp"
#include "core/tuning.hpp"
#include "world/world_impl.hpp"

// How a pair of bodies touches: its materials, and its method. `automatic` ends here; all others see the
// method that it stands for.

namespace plush {
namespace {

bool has_inside(const Slot& slot) {
    return slot.kind == BodyKind::deformable ? slot.soft_surface != nullptr : !slot.shape.empty();
}

bool by_verlet(const Slot& slot) {
    const IntegrationMethod method = slot.deformable().settings().integration.method;
    return method == IntegrationMethod::verlet || method == IntegrationMethod::time_corrected_verlet;
}

}  // namespace

/// Whether rows may act on a deformable body at all where `automatic` decides. Before a barrier nothing but
/// its guard may move vertices; to Verlet, whose velocity is a difference of positions, the change that
/// rows make would count once for each substep; and a sheet that has collapsed encloses no volume by which it
/// could be held.
bool World::Impl::bears_volume(const Slot& slot) const {
    return slot.kind == BodyKind::deformable && !slot.points && !slot.hollow && !by_verlet(slot) &&
           !is_barrier(slot.surface->settings().law);
}

/// Whether a deformable body, if its surface is closed, touches by volume where nothing is said of its pairs.
/// It does not where something else was asked for: a law for its vertices, or contact by tets. Nor does one
/// that free rigid bodies carry: rows know no more of it than its masses (grips.cpp), while surface laws are
/// solved with it and them.
bool World::Impl::prefers_volume(const Slot& slot) const {
    if (!bears_volume(slot) || slot.tet_shape) return false;
    const SurfaceSettings& surface = slot.surface->settings();
    if (surface.law != SurfaceLaw::buffered || surface != settings.contact.surface) return false;
    return std::none_of(slot.attachments.begin(), slot.attachments.end(),
                        [&](const Attachment& a) { return slots[a.to].dynamic(); });
}

/// After make_soft_surfaces().
ContactMethod World::Impl::automatic_method(const Slot& a, const Slot& b) const {
    const auto fits = [&](const Slot& slot) {
        return has_inside(slot) && (slot.kind != BodyKind::deformable || bears_volume(slot));
    };
    const bool wanted = prefers_volume(a) || prefers_volume(b);
    return wanted && fits(a) && fits(b) ? ContactMethod::volume : ContactMethod::points;
}

PairLaw World::Impl::law(std::uint32_t i, std::uint32_t j, ContactMethod& method) const {
    const Slot &a = slots[i], &b = slots[j];
    PairLaw law;
    law.friction = std::sqrt(a.material.friction * b.material.friction);
    law.restitution = std::max(a.material.restitution, b.material.restitution);
    law.resting_speed = settings.contact.resting_speed.value_or(tuning::resting_steps *
                                                                norm(settings.gravity) * settings.step);
    method = settings.contact.method;
    if (const PairRule* rule = find_rule(i, j)) {
        law.friction = rule->friction.value_or(law.friction);
        law.restitution = rule->restitution.value_or(law.restitution);
        method = rule->method.value_or(method);
    }
    if (method == ContactMethod::automatic) method = automatic_method(a, b);
    if (a.sensor || b.sensor) method = ContactMethod::none;
    return law;
}

bool World::Impl::wants(ContactMethod method) const {
    return settings.contact.method == method ||
           std::any_of(rules.begin(), rules.end(),
                       [&](const PairRule& rule) { return rule.method == method; });
}

ContactMethod World::pair_method(BodyId a, BodyId b) const {
    const std::uint32_t i = impl_->slot_of(a), j = impl_->slot_of(b);
    impl_->make_soft_surfaces();
    ContactMethod method;
    impl_->law(i, j, method);
    return method;
}

}  // namespace plush
