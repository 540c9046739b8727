#include "world/cutting.hpp"

#include <algorithm>

#include "bodies/deformable/soft_data.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/elements/pressure.hpp"
#include "core/range_check.hpp"
#include "world/posed_sheet.hpp"
#include "world/refusal.hpp"

namespace plush {

// Beside its type, where visitors look for it.
static void visit_state(StateVisitor& v, CutBody& cut) {
    cut.solid.visit_state(v);
    cut.skin.visit_state(v);
    v(cut.masses, cut.strokes, cut.cuts);
    const std::size_t owed = v.length(cut.owed.size(), sizeof(std::uint32_t) + sizeof(double));
    cut.owed.resize(owed);
    for (CutBody::Owed& o : cut.owed) v(o.blade, o.energy);
}

namespace {

/// Vertices that go on from one share its mass by the material that they have.
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
    PLUSH_ASSERT(volumes.size() == parents.size());
    std::vector<double> masses(parents.size());
    for (std::size_t v = 0; v < parents.size(); ++v)
        masses[v] = before[parents[v]] * (shares[v] / totals[parents[v]]);
    return masses;
}

/// What a blade that enters it finds.
std::unique_ptr<CutBody> uncut(const Soft& soft) {
    auto cut = std::make_unique<CutBody>();
    const SoftSolid::Data& data = soft.solid.data();
    cut->solid = CutSolid(data.tets);
    // What touches, and not a skin that is coarser: the pieces touch by what the cut makes of it.
    if (!data.skin.empty()) cut->skin = CutSkin(data.contact_surface(), data.contact_weights(), data.tets);
    return cut;
}

std::size_t pieces_of(const CutBody& cut) {
    return cut.skin.empty() ? cut.solid.pieces() : cut.skin.pieces(cut.solid);
}

/// The part of each tet that counts: what is left of it, and of that what is inside the skin.
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

/// Of the surface of the material, m².
double area_at_rest(const BodyRecord& record) {
    const auto triangles = record.parts.contact_triangles(record.deformable());
    const auto x = record.parts.contact_surface.empty() ? record.source->solid.tets().positions()
                                                        : record.parts.contact_surface.positions();
    double sum = 0;
    for (const Triangle& t : triangles) {
        const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
        sum += 0.5 * norm(cross(at(1) - at(0), at(2) - at(0)));
    }
    return sum;
}

bool sound(const CutBody& cut) {
    const auto usable_mass = [](double m) { return m > 0 && std::isfinite(m); };
    return cut.solid.sound() && cut.skin.sound(cut.solid) &&
           cut.masses.size() == (cut.cuts > 0 ? cut.solid.vertices() : 0) &&
           std::all_of(cut.masses.begin(), cut.masses.end(), usable_mass);
}

}  // namespace

void Cutting::add_body(std::uint32_t body) {
    Cuttable& own = of_body_.at(body);
    const DeformableBody& made = bodies_[body].deformable();
    own.whole_masses.assign(made.masses().begin(), made.masses().end());
    // A surface field of the body's own vertices outlives a cut; that of a skin is made anew with it.
    own.elements = made.element_count() - (bodies_[body].parts.embedded_surface ? 0 : 1);
}

void Cutting::require_blade(const std::string& name, const Blade& blade) const {
    require(name,
            usable(blade.from) && usable(blade.to) && usable(blade.back) &&
                std::all_of(blade.edge.begin(), blade.edge.end(), usable),
            "blade", "it is not usable", "give finite numbers below 1e12 m");
    require(name, blade.edge.empty() || (blade.from == Vec3{} && blade.to == Vec3{}), "blade",
            "it has two edges: from one point to another, and a list of points", "give one of them");
    if (const auto fault = fault_of(sheet_of(blade, {}))) refuse(name, "blade", fault->problem, fault->cure);
    require(name, soft_bodies_touch_by_volume(settings_.contact), "blade",
            "what is cut touches by the surface of its material, and that is volume contact",
            "take contact.method automatic or volume, and leave out contact.surface.law");
    require(name, settings_.contact.tets.method == TetContactMethod::none, "blade",
            "contact by tets does not know which part of a tet a cut has left", "leave out contact.tets");
}

// -- cutting

void Cutting::apply_blades(double h) {
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) {
        if (!bodies_[b].body || !bodies_[b].blade) continue;
        const BladeSheet sheet = sheet_of(*bodies_[b].blade, bodies_[b].body->pose());
        const Box3 box = CutSheet(sheet).bounds();
        for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
            if (!bodies_[i].body || !bodies_[i].source) continue;
            if (!rules_.may_cut(b, i) || !rules_.rules_allow(b, i)) continue;
            if (bodies_[i].body->bounds().overlaps(box))
                cut(i, sheet, b);
            else
                leave(i, b);
        }
    }
    resist(h);
    rub(h);
}

/// The blade is not in the body any more.
void Cutting::leave(std::uint32_t body, std::uint32_t blade) {
    std::unique_ptr<CutBody>& cut = of_body_.at(body).cut;
    if (!cut) return;
    std::erase_if(cut->strokes, [&](const CutStroke& s) { return s.blade == blade; });
    std::erase_if(cut->owed, [&](const CutBody::Owed& o) { return o.blade == blade; });
    cut->skin.leave(blade);
    if (cut->cuts == 0 && cut->strokes.empty()) cut.reset();
}

void Cutting::cut(std::uint32_t body, const BladeSheet& sheet, std::uint32_t blade) {
    PLUSH_ASSERT(bodies_[body].source);
    Cuttable& own = of_body_.at(body);
    BodyRecord& record = bodies_[body];
    if (!own.cut) own.cut = uncut(*record.source);
    auto& strokes = own.cut->strokes;
    auto stroke = std::lower_bound(strokes.begin(), strokes.end(), blade,
                                   [](const CutStroke& s, std::uint32_t b) { return s.blade < b; });
    if (stroke == strokes.end() || stroke->blade != blade) {
        stroke = strokes.insert(stroke, CutStroke{});
        stroke->blade = blade;
    }
    const auto x = record.deformable().positions();
    const CutOutcome outcome = own.cut->skin.empty() ? own.cut->solid.cut(sheet, x, *stroke)
                                                     : own.cut->skin.cut(own.cut->solid, sheet, x, *stroke);
    if (outcome.cuts == 0) return;
    const double fracture = blade == CutFace::none ? 0 : record.source->elastic.fracture_energy;
    const double area = fracture > 0 ? area_at_rest(record) : 0;
    ++own.cut->cuts;
    own.cut->masses = shared_masses(record.deformable().masses(), own.cut->solid, outcome.vertex_parents);
    remake(body, outcome);
    // A cut has two faces, and divides the old surface without a change of its area.
    if (fracture > 0) owe(body, blade, fracture * std::max(0.0, 0.5 * (area_at_rest(record) - area)));
    bodies_.mark_changed(record);
    sleep_.wake_neighbours(body);
    contacts_.forget_contacts();
}

std::size_t Cutting::cut(BodyId body, const Blade& blade) {
    const std::uint32_t index = bodies_.index_of(body);
    const BodyRecord& record = bodies_[index];
    require(record.name, record.source != nullptr, "cut",
            "only soft bodies can be cut, and not those whose every step ends in equilibrium",
            "add it as Soft, and not with the integrator quasi_static");
    require(record.name, !record.deformable().matcher(), "cut", "clusters keep its shape",
            "cut it before they are added, or leave them out");
    require_blade(record.name, blade);
    require(record.name, rules_.can_be_cut(index), "cut",
            "its integrator, a law for its vertices, or a free body that they are attached to keeps it from "
            "volume contact",
            "take contact.method volume and an implicit integrator");
    // A stroke of its own: no body has this index.
    constexpr std::uint32_t by_hand = CutFace::none;
    cut(index, sheet_of(blade, {}), by_hand);
    leave(index, by_hand);
    return pieces(index);
}

std::size_t Cutting::pieces(std::uint32_t body) const {
    return of_body_[body].cut ? pieces_of(*of_body_[body].cut) : 1;
}

std::uint64_t Cutting::cuts(std::uint32_t body) const {
    return of_body_[body].cut ? of_body_[body].cut->cuts : 0;
}

// -- making the body of what is left of it

void Cutting::remake_skin(std::uint32_t body) {
    const CutBody* cut = of_body_[body].cut.get();
    DeformableParts& parts = bodies_[body].parts;
    const SoftSolid::Data& data = bodies_[body].source->solid.data();
    const bool skinned = !data.skin.empty();
    if (!cut || cut->cuts == 0) {
        parts.skin = data.skin;
        parts.skin_weights = skinned ? std::make_shared<const Embedding>(data.weights) : nullptr;
        parts.contact_surface = data.contact_surface();
        parts.contact_weights = skinned ? std::make_shared<const Embedding>(data.contact_weights()) : nullptr;
        return;
    }
    Embedding weights;
    parts.skin = skinned ? cut->skin.surface(cut->solid, weights) : cut->solid.surface(weights);
    parts.skin_weights = std::make_shared<const Embedding>(std::move(weights));
    parts.contact_surface = parts.skin, parts.contact_weights = parts.skin_weights;
}

/// The points of another skin.
void Cutting::add_embedded_surface(std::uint32_t body, DeformableModel& model) {
    DeformableParts& parts = bodies_[body].parts;
    const double radius = bodies_[body].deformable().settings().radius;
    auto surface = std::make_unique<SurfaceField>(parts.surface->as_given());
    surface->set_radii(std::vector<double>(parts.contact_weights->size(), radius));
    parts.surface = surface.get();
    auto embedded = std::make_unique<EmbeddedContactSurface>(std::move(surface), parts.contact_weights,
                                                             model.masses, model.positions);
    parts.embedded_surface = embedded.get();
    model.elements.push_back(std::move(embedded));
}

void Cutting::remake(std::uint32_t body, const CutOutcome& from) {
    Cuttable& own = of_body_[body];
    BodyRecord& record = bodies_[body];
    DeformableParts& parts = record.parts;
    const Soft& soft = *record.source;
    const bool whole = !own.cut || own.cut->cuts == 0;
    const std::size_t old_vertices = record.deformable().positions().size();
    record.tets = whole ? soft.solid.tets() : own.cut->solid.tets();
    DeformableModel model = elastic_solid(record.tets, soft.elastic, soft.regions,
                                          shares_of(soft, whole ? nullptr : own.cut.get()))
                                .value();
    model.masses = whole ? own.whole_masses : own.cut->masses;
    const std::shared_ptr<const Embedding> old_weights = parts.contact_weights;  // until their users are gone
    remake_skin(body);
    if (soft.pressure != 0)
        model.elements.push_back(std::make_unique<Pressure>(soft.pressure,
                                                            parts.contact_surface.empty()
                                                                ? std::span<const Triangle>(model.triangles)
                                                                : parts.contact_surface.triangles(),
                                                            parts.contact_weights.get()));
    const bool skinned = !soft.solid.data().skin.empty();
    if (skinned) add_embedded_surface(body, model);
    const std::size_t elements = model.elements.size(), vertices = model.masses.size();
    std::vector<std::uint8_t> pinned(vertices, 1);  // what a pin holds: old vertices, and their material
    if (!from.vertex_parents.empty() && !whole) {
        const std::vector<std::uint8_t> real = own.cut->solid.real_vertices();
        PLUSH_ASSERT(real.size() == vertices && old_vertices <= vertices);
        std::copy(real.begin() + static_cast<std::ptrdiff_t>(old_vertices), real.end(),
                  pinned.begin() + static_cast<std::ptrdiff_t>(old_vertices));
        attachments_.follow_cut(body, from.vertex_parents, old_vertices, pinned);
    }
    record.deformable().remake(std::move(model), own.elements,
                               {from.vertex_parents, from.cell_parents, pinned});
    // Conjugate gradients stop when all of the body is right on the whole, and pieces that weigh nothing beside the
    // others would be left to chance; a factorisation is exact for each.
    IntegrationSettings integration = soft.motion.integration;
    if (!whole) integration.solver = LinearSolver::cholesky;
    record.deformable().set_integration(integration);
    own.elements = elements;
    if (!skinned)
        parts.surface->set_radii(std::vector<double>(vertices, record.deformable().settings().radius));
    const std::size_t whole_vertices = own.whole_masses.size();
    PLUSH_ASSERT(whole_vertices <= vertices && whole_vertices <= parts.rest.size());
    parts.rest.resize(whole_vertices);
    for (std::size_t v = whole_vertices; v < vertices; ++v)
        parts.rest.push_back(parts.rest[own.cut->solid.origin(v)]);
    parts.self_contact = !whole || soft.self_contact;
    parts.in_pieces = !whole && pieces_of(*own.cut) > 1;
    parts.encloses_volume = encloses_volume(record);
    forget_old_surface(body);
}

void Cutting::forget_old_surface(std::uint32_t body) {
    surfaces_.forget_body(body);
    system_.forget_rest_shape(body);
    expected_.forget_contact_change(body);
    contacts_.surface_changed(body);
    attachments_.mark_changed();
    bodies_.mark_changed();
}

// -- state

void Cutting::forget_body(std::uint32_t body) {
    of_body_.fit(bodies_.size());
    of_body_.reset(body);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (CutBody* cut = of_body_[i].cut.get()) {
            std::erase_if(cut->strokes, [&](const CutStroke& s) { return s.blade == body; });
            std::erase_if(cut->owed, [&](const CutBody::Owed& o) { return o.blade == body; });
            cut->skin.leave(body);
        }
}

void Cutting::visit_state(StateVisitor& v) {
    of_body_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body && bodies_[i].source) visit_body(v, i);
}

void Cutting::set_elastic(std::uint32_t body, const ElasticMaterial& elastic) {
    BodyRecord& record = bodies_[body];
    auto soft = std::make_shared<Soft>(*record.source);
    const double factor = elastic.young / soft->elastic.young;
    for (ElasticRegion& region : soft->regions) region.material.young *= factor;
    soft->elastic = elastic;
    record.source = soft;
    CutOutcome same;
    const std::size_t vertices = record.deformable().positions().size(), tets = record.tets.tets().size();
    for (std::uint32_t v = 0; v < vertices; ++v) same.vertex_parents.push_back(v);
    for (std::uint32_t t = 0; t < tets; ++t) same.cell_parents.push_back(t);
    remake(body, same);
    bodies_.mark_changed(record);
    sleep_.wake_neighbours(body);
    contacts_.forget_contacts();
}

void Cutting::visit_body(StateVisitor& v, std::uint32_t body) {
    const bool restores = dynamic_cast<StateReader*>(&v) != nullptr;
    std::shared_ptr<const Soft>& source = bodies_[body].source;
    ElasticMaterial elastic = source->elastic;
    v(elastic.model, elastic.young, elastic.poisson, elastic.stiffness_damping, elastic.yield, elastic.creep,
      elastic.max_plastic, elastic.fracture_energy, elastic.blade_friction);
    const bool other = elastic != source->elastic;
    if (restores && other) {
        if (!check_ranges(elastic)) {
            consistent_ = false;
            elastic = source->elastic;
        }
        auto soft = std::make_shared<Soft>(*source);
        for (ElasticRegion& region : soft->regions)
            region.material.young *= elastic.young / soft->elastic.young;
        soft->elastic = elastic;
        source = soft;
    }
    std::unique_ptr<CutBody>& cut = of_body_[body].cut;
    const bool was_cut = cut && cut->cuts > 0;
    std::uint8_t present = cut != nullptr;
    v(present);
    if (present && !cut) cut = uncut(*bodies_[body].source);
    if (!present) cut.reset();
    if (present) v(*cut);
    if (!restores) return;
    if (cut && !sound(*cut)) {
        consistent_ = false;
        cut.reset();
    }
    if (other || was_cut || (cut && cut->cuts > 0)) remake(body, {});
}

}  // namespace plush
