#include <fmt/format.h>

#include <algorithm>

#include "bodies/deformable/soft_data.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/pressure.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Blades and the bodies they cut. At the start of every step each blade is looked at where it is, and what it
// has passed is divided (geometry/cutting/cut_solid.hpp); then the body is made again of what is left of it: tets,
// masses, elements, surface. The body stays one, with its name, its pins and its joints, whatever the number
// of its pieces: they touch one another as a body touches itself.
//
// What of a body has become of blades is state, as its cells and not as the way there. A snapshot of before a
// cut and one of after it can both be restored, into this world and into one that is built anew.

namespace plush {

// Beside its type, where visitors look for it.
static void visit_state(StateVisitor& v, CutBody& cut) {
    cut.solid.visit_state(v);
    cut.skin.visit_state(v);
    v(cut.masses, cut.strokes, cut.cuts);
}

namespace {

/// As it is at this pose.
BladeSheet sheet_of(const Blade& blade, const Transform& pose) {
    BladeSheet sheet;
    if (blade.edge.empty())
        sheet.edge = {pose * blade.from, pose * blade.to};
    else
        for (const Vec3& p : blade.edge) sheet.edge.push_back(pose * p);
    const Vec3& first = blade.edge.empty() ? blade.from : blade.edge[0];
    sheet.back = pose * (first + blade.back) - sheet.edge[0];
    return sheet;
}

/// Vertices that go on from one share its mass by the material that they carry.
std::vector<double> shared_masses(std::span<const double> before, const CutSolid& solid,
                                  std::span<const std::uint32_t> parents) {
    const std::vector<double> volumes = solid.vertex_volumes();
    std::vector<double> sums(before.size(), 0.0);
    // Slivers between two bent cuts may have a little less than no volume.
    for (std::size_t v = 0; v < parents.size(); ++v) sums[parents[v]] += std::max(volumes[v], 0.0);
    // Never nothing: rounding must not leave a vertex without mass.
    constexpr double least = 1e-12;
    std::vector<double> shares(parents.size()), totals(before.size(), 0.0);
    for (std::size_t v = 0; v < parents.size(); ++v) {
        shares[v] = sums[parents[v]] > 0 ? std::max(volumes[v], least * sums[parents[v]]) : 1;
        totals[parents[v]] += shares[v];
    }
    std::vector<double> masses(parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v)
        masses[v] = before[parents[v]] * (shares[v] / totals[parents[v]]);
    return masses;
}

/// What holds an old vertex holds those that go on from it with its material, too.
template <class Hold>
void follow(std::vector<Hold>& holds, std::span<const std::uint32_t> parents, std::size_t old_vertices,
            std::span<const std::uint8_t> real) {
    const std::size_t count = holds.size();
    for (std::size_t v = old_vertices; v < parents.size(); ++v)
        for (std::size_t k = 0; k < count && real[v]; ++k)
            if (holds[k].vertex == parents[v]) {
                Hold copy = holds[k];
                copy.vertex = static_cast<std::uint32_t>(v);
                holds.push_back(copy);
            }
}

/// What a blade that enters it finds.
std::unique_ptr<CutBody> uncut(const Soft& soft) {
    auto cut = std::make_unique<CutBody>();
    const SoftSolid::Data& data = soft.solid.data();
    cut->solid = CutSolid(data.tets);
    if (!data.skin.empty()) cut->skin = CutSkin(data.skin, data.weights, data.tets);
    return cut;
}

std::size_t pieces_of(const CutBody& cut) {
    return cut.skin.empty() ? cut.solid.pieces() : cut.skin.pieces(cut.solid);
}

/// The part of each tet that has a say: what is left of it, and of that what is inside the skin.
std::vector<double> shares_of(const Soft& soft, const CutBody* cut) {
    const bool by_skin = soft.by_skin && !soft.solid.shares().empty();
    if (!cut)
        return by_skin ? std::vector<double>(soft.solid.shares().begin(), soft.solid.shares().end())
                       : std::vector<double>{};
    std::vector<double> shares = cut->solid.shares();
    for (std::size_t c = 0; c < shares.size() && by_skin; ++c)
        shares[c] *= soft.solid.shares()[cut->solid.cells()[c].tet];
    return shares;
}

bool sound(const CutBody& cut) {
    const auto usable_mass = [](double m) { return m > 0 && std::isfinite(m); };
    return cut.solid.sound() && cut.skin.sound(cut.solid) &&
           cut.masses.size() == (cut.cuts > 0 ? cut.solid.vertices() : 0) &&
           std::all_of(cut.masses.begin(), cut.masses.end(), usable_mass);
}

}  // namespace

bool World::Impl::may_cut(std::uint32_t blade, std::uint32_t body) const {
    return slots[blade].blade && can_be_cut(slots[body]);
}

/// What is cut touches by volume: where something else is said of a body, blades are bodies to it.
bool World::Impl::can_be_cut(const Slot& slot) const {
    return slot.made_of && !slot.deformable().matcher() &&
           (settings.contact.method != ContactMethod::automatic || prefers_volume(slot));
}

void World::Impl::require_cutting(const std::string& name, const Blade& blade) const {
    require(name,
            usable(blade.from) && usable(blade.to) && usable(blade.back) &&
                std::all_of(blade.edge.begin(), blade.edge.end(), usable),
            "blade", "it is not usable", "give finite numbers below 1e12 m");
    require(name, blade.edge.empty() || (blade.from == Vec3{} && blade.to == Vec3{}), "blade",
            "it has two edges: from one point to another, and a list of points", "give one of them");
    if (const auto fault = fault_of(sheet_of(blade, {}))) refuse(name, "blade", fault->problem, fault->cure);
    require(name, soft_bodies_touch_by_volume(settings.contact), "blade",
            "what is cut touches by the surface of its material, and that is contact by volume",
            "take contact.method automatic or volume, and leave out contact.surface.law");
    require(name, settings.contact.tets.method == TetContactMethod::none, "blade",
            "contact by tets does not know which part of a tet a cut has left", "leave out contact.tets");
}

void World::Impl::apply_blades() {
    for (std::uint32_t b = 0; b < slots.size(); ++b) {
        if (!slots[b].body || !slots[b].blade) continue;
        const BladeSheet sheet = sheet_of(*slots[b].blade, slots[b].body->pose());
        const Box3 box = CutSheet(sheet).bounds();
        for (std::uint32_t i = 0; i < slots.size(); ++i) {
            Slot& slot = slots[i];
            if (!slot.body || !slot.made_of || !may_cut(b, i) || !rules_allow(b, i)) continue;
            if (slot.body->bounds().overlaps(box)) {
                cut(i, sheet, b);
            } else if (slot.cut) {  // the blade has left it
                std::erase_if(slot.cut->strokes, [&](const CutStroke& s) { return s.blade == b; });
                slot.cut->skin.leave(b);
                if (slot.cut->cuts == 0 && slot.cut->strokes.empty()) slot.cut.reset();
            }
        }
    }
}

void World::Impl::cut(std::uint32_t index, const BladeSheet& sheet, std::uint32_t blade) {
    Slot& slot = slots[index];
    if (!slot.cut) slot.cut = uncut(*slot.made_of);
    auto& strokes = slot.cut->strokes;
    auto stroke = std::lower_bound(strokes.begin(), strokes.end(), blade,
                                   [](const CutStroke& s, std::uint32_t b) { return s.blade < b; });
    if (stroke == strokes.end() || stroke->blade != blade) {
        stroke = strokes.insert(stroke, CutStroke{});
        stroke->blade = blade;
    }
    const auto x = slot.deformable().positions();
    const CutOutcome outcome = slot.cut->skin.empty()
                                   ? slot.cut->solid.cut(sheet, x, *stroke)
                                   : slot.cut->skin.cut(slot.cut->solid, sheet, x, *stroke);
    if (outcome.cuts == 0) return;
    ++slot.cut->cuts;
    slot.cut->masses = shared_masses(slot.deformable().masses(), slot.cut->solid, outcome.vertex_parents);
    remake(slot, outcome);
    touched(slot);
    wake_around(index);
    // What was found of it was found of another surface.
    volume_pairs.clear();
    volume_contacts.clear();
}

void World::Impl::remake(Slot& slot, const CutOutcome& from) {
    const Soft& soft = *slot.made_of;
    const bool whole = !slot.cut || slot.cut->cuts == 0;
    const std::size_t old_vertices = slot.deformable().positions().size();
    slot.tets = whole ? soft.solid.tets() : slot.cut->solid.tets();
    DeformableModel model = elastic_solid(slot.tets, soft.elastic, soft.regions,
                                          shares_of(soft, whole ? nullptr : slot.cut.get()))
                                .value();
    model.masses = whole ? slot.whole_masses : slot.cut->masses;
    const std::shared_ptr<const Embedding> old_weights = slot.skin_weights;  // until their users are gone
    const SoftSolid::Data& data = soft.solid.data();
    const bool skinned = !data.skin.empty();
    if (whole) {
        slot.skin = data.skin;
        slot.skin_weights = skinned ? std::make_shared<const Embedding>(data.weights) : nullptr;
    } else {
        Embedding weights;
        slot.skin =
            skinned ? slot.cut->skin.surface(slot.cut->solid, weights) : slot.cut->solid.surface(weights);
        slot.skin_weights = std::make_shared<const Embedding>(std::move(weights));
    }
    if (soft.pressure != 0)
        model.elements.push_back(std::make_unique<Pressure>(
            soft.pressure,
            slot.skin.empty() ? std::span<const Triangle>(model.triangles) : slot.skin.triangles(),
            slot.skin_weights.get()));
    const double radius = slot.deformable().settings().radius;
    if (skinned) {  // the points of another skin
        auto surface = std::make_unique<SurfaceField>(slot.surface->settings());
        surface->set_radii(std::vector<double>(slot.skin_weights->size(), radius));
        slot.surface = surface.get();
        auto carried = std::make_unique<CarriedSurface>(std::move(surface), slot.skin_weights, model.masses,
                                                        model.positions);
        slot.carried_surface = carried.get();
        model.elements.push_back(std::move(carried));
    }
    const std::size_t elements = model.elements.size(), vertices = model.masses.size();
    std::vector<std::uint8_t> held(vertices, 1);  // what is held by a pin: old vertices, and their material
    if (!from.vertex_parents.empty()) {
        const std::vector<std::uint8_t> real = slot.cut->solid.real_vertices();
        std::copy(real.begin() + static_cast<std::ptrdiff_t>(old_vertices), real.end(),
                  held.begin() + static_cast<std::ptrdiff_t>(old_vertices));
        follow(slot.attachments, from.vertex_parents, old_vertices, held);
        follow(slot.releases, from.vertex_parents, old_vertices, held);
    }
    slot.deformable().remake(std::move(model), slot.made_elements,
                             {from.vertex_parents, from.cell_parents, held});
    // Conjugate gradients stop when all of the body is right on the whole, and pieces that weigh nothing
    // beside the others would be left to chance; a factorisation is exact for each.
    IntegrationSettings integration = soft.motion.integration;
    if (!whole) integration.solver = LinearSolver::cholesky;
    slot.deformable().set_integration(integration);
    slot.made_elements = elements;
    if (!skinned) slot.surface->set_radii(std::vector<double>(vertices, radius));
    const std::size_t whole_vertices = slot.whole_masses.size();
    slot.rest.resize(whole_vertices);
    for (std::size_t v = whole_vertices; v < vertices; ++v)
        slot.rest.push_back(slot.rest[slot.cut->solid.origin(v)]);
    slot.soft_surface.reset();
    slot.soft_features.reset();
    if (slot.answer) slot.answer->forget_rest();
    slot.volume_looked_at = false;
    slot.bounds_now = {}, slot.bounds_ahead = {};
    slot.pressed.clear();
    slot.steadiness = 0;
    slot.self_contact = !whole || soft.self_contact;
    slot.in_pieces = !whole && pieces_of(*slot.cut) > 1;
    rest_holds = groups_hold = false;
    forget_seen(static_cast<std::uint32_t>(&slot - slots.data()));
}

void World::Impl::visit_cut(StateVisitor& v, Slot& slot) {
    const bool restores = dynamic_cast<StateReader*>(&v) != nullptr;
    const bool was_cut = slot.cut && slot.cut->cuts > 0;
    std::uint8_t present = slot.cut != nullptr;
    v(present);
    if (present && !slot.cut) slot.cut = uncut(*slot.made_of);
    if (!present) slot.cut.reset();
    if (present) v(*slot.cut);
    if (!restores) return;
    if (slot.cut && !sound(*slot.cut)) {
        broken_cut = true;
        slot.cut.reset();
    }
    if (was_cut || (slot.cut && slot.cut->cuts > 0)) remake(slot, {});
}

std::size_t World::cut(BodyId body, const Blade& blade) {
    const std::uint32_t index = impl_->slot_of(body);
    const Slot& slot = impl_->slots[index];
    require(slot.name, slot.made_of != nullptr, "cut",
            "only soft bodies can be cut, and not those whose every step ends in equilibrium",
            "add it as Soft, and not with the integrator quasi_static");
    require(slot.name, !slot.deformable().matcher(), "cut", "clusters keep its shape",
            "cut it before they are added, or leave them out");
    impl_->require_cutting(slot.name, blade);
    require(slot.name, impl_->can_be_cut(slot), "cut",
            "a law for its vertices, or a free body that carries them, keeps it from contact by volume",
            "take contact.method volume");
    // A stroke of its own: no slot has this number.
    constexpr std::uint32_t by_hand = CutFace::none;
    impl_->cut(index, sheet_of(blade, {}), by_hand);
    CutBody& cut = *impl_->slots[index].cut;
    std::erase_if(cut.strokes, [](const CutStroke& s) { return s.blade == by_hand; });
    cut.skin.leave(by_hand);
    if (cut.cuts == 0 && cut.strokes.empty()) impl_->slots[index].cut.reset();
    return pieces(body);
}

std::size_t World::pieces(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    return slot.cut ? pieces_of(*slot.cut) : 1;
}

std::uint64_t World::cuts(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    return slot.cut ? slot.cut->cuts : 0;
}

}  // namespace plush
