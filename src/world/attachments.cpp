#include "world/attachments.hpp"

#include <algorithm>

#include "bodies/deformable/assembly.hpp"
#include "world/refusal.hpp"

namespace plush {
namespace {

std::vector<std::uint32_t> vertices_in(const DeformableBody& body, const Box3& box) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i)
        if (box.contains(body.positions()[i])) found.push_back(i);
    return found;
}

/// Copies what holds an old vertex to the new ones that go on from it.
template <class Hold>
void follow(std::vector<Hold>& holds, std::span<const std::uint32_t> parents, std::size_t old_vertices,
            std::span<const std::uint8_t> real) {
    const std::size_t count = holds.size();
    for (std::size_t v = old_vertices; v < parents.size(); ++v)
        for (std::size_t k = 0; k < count && real[v]; ++k) {
            PLUSH_ASSERT(holds[k].vertex < old_vertices);
            if (holds[k].vertex == parents[v]) {
                Hold copy = holds[k];
                copy.vertex = static_cast<std::uint32_t>(v);
                holds.push_back(copy);
            }
        }
}

}  // namespace

bool Attachments::any_to_dynamic(std::uint32_t body) const {
    const auto attached = of(body);
    return std::any_of(attached.begin(), attached.end(),
                       [&](const Attachment& a) { return bodies_[a.to].dynamic(); });
}

void Attachments::pin(BodyId body, std::uint32_t vertex) {
    BodyRecord& record = bodies_.at(body);
    require_vertex(record, vertex);
    require(record.name, !record.parts.scripted, "pin", "its vertices follow frames",
            "pin vertices of a body that moves freely");
    record.deformable().pin(vertex);
    bodies_.mark_changed(record);
}

std::size_t Attachments::pin(BodyId body, const Box3& box, double until) {
    const auto found = vertices_in(bodies_.deformable(body), box);
    for (const std::uint32_t vertex : found) pin(body, vertex);
    release_at(bodies_.index_of(body), found, until);
    return found.size();
}

std::size_t Attachments::attach(BodyId body, const Box3& box, BodyId to, double until) {
    BodyRecord& record = bodies_.at(body);
    const std::uint32_t index = bodies_.index_of(body), other = bodies_.index_of(to);
    const BodyKind kind = bodies_[other].kind;
    if (kind == BodyKind::particles || kind == BodyKind::deformable)
        throw Error({.place = place_of(record.name, "attach"),
                     .problem = "vertices can be attached to rigid, fixed and scripted bodies only",
                     .cure = "attach them to one of those, or pin them"});
    require(record.name, !record.parts.scripted, "attach", "its vertices follow frames",
            "attach vertices of a body that moves freely");
    const auto found = vertices_in(require_deformable(record), box);
    // Said here and not in the first step, so that a scene is refused when it is checked.
    if (const auto refusal = why_not_attached(record.deformable().settings().integration);
        refusal && kind == BodyKind::rigid && !found.empty())
        throw Error({.place = place_of(record.name, "attach"),
                     .problem = refusal->problem(),
                     .cure = refusal->cure()});
    const ShapeMatcher* matcher = record.deformable().matcher();
    const auto clustered = [&](std::uint32_t v) { return matcher && matcher->holds(v); };
    require(record.name, kind != BodyKind::rigid || std::none_of(found.begin(), found.end(), clustered),
            "attach",
            "a vertex that keeps a shape cannot be part of a free body: that would not feel its pull",
            "attach it to a fixed or scripted body, or leave it out of the box");
    const Transform to_local = inverse(bodies_[other].body->pose());
    for (const std::uint32_t vertex : found) {
        unpin(body, vertex);
        if (kind != BodyKind::rigid) record.deformable().pin(vertex);
        held_.at(index).attachments.push_back(
            {vertex, other, to_local * record.deformable().positions()[vertex]});
    }
    bodies_.mark_changed(record);
    bodies_.mark_changed(bodies_[other]);
    mark_changed();
    release_at(index, found, until);
    return found.size();
}

void Attachments::unpin(BodyId body, std::uint32_t vertex) {
    BodyRecord& record = bodies_.at(body);
    require_vertex(record, vertex);
    record.deformable().unpin(vertex);
    Held& held = held_.at(bodies_.index_of(body));
    std::erase_if(held.attachments, [&](const Attachment& a) { return a.vertex == vertex; });
    std::erase_if(held.releases, [&](const Release& r) { return r.vertex == vertex; });
    mark_changed();
    bodies_.mark_changed(record);
}

void Attachments::release_at(std::uint32_t body, std::span<const std::uint32_t> vertices, double until) {
    require(bodies_[body].name, until > 0, "until", "it is not a time to come", "give a time above 0, in s");
    if (!(until < HUGE_VAL)) return;
    for (const std::uint32_t v : vertices) held_.at(body).releases.push_back({v, until});
}

void Attachments::release_due(double time, double h) {
    held_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        Held& held = held_[i];
        if (held.releases.empty()) continue;
        // A step that starts within rounding of the time is the first one free.
        const auto due = [&](const Release& r) { return r.time <= time + 1e-9 * h; };
        for (const Release& r : held.releases) {
            if (!due(r)) continue;
            PLUSH_ASSERT(r.vertex < bodies_[i].deformable().positions().size());
            bodies_[i].deformable().unpin(r.vertex);
            std::erase_if(held.attachments, [&](const Attachment& a) { return a.vertex == r.vertex; });
            mark_changed();
        }
        std::erase_if(held.releases, due);
    }
}

void Attachments::follow_cut(std::uint32_t body, std::span<const std::uint32_t> parents,
                             std::size_t old_vertices, std::span<const std::uint8_t> real) {
    PLUSH_ASSERT(real.size() >= parents.size() && old_vertices <= parents.size());
    follow(held_.at(body).attachments, parents, old_vertices, real);
    follow(held_.at(body).releases, parents, old_vertices, real);
    mark_changed();
}

void Attachments::forget_body(std::uint32_t body) {
    held_.fit(bodies_.size());
    held_.reset(body);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (i == body) continue;
        auto& attachments = held_[i].attachments;
        for (const Attachment& a : attachments)
            if (a.to == body) bodies_[i].deformable().unpin(a.vertex), bodies_.mark_changed(bodies_[i]);
        std::erase_if(attachments, [&](const Attachment& a) { return a.to == body; });
    }
    mark_changed();
}

void Attachments::visit_state(StateVisitor& v) {
    held_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body) v(held_[i].attachments, held_[i].releases);
}

bool Attachments::is_consistent() const {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        const Held& held = held_[i];
        if (held.attachments.empty() && held.releases.empty()) continue;
        if (!bodies_[i].is_deformable()) return false;
        const std::size_t count = bodies_[i].deformable().positions().size();
        for (const Attachment& a : held.attachments) {
            if (a.vertex >= count || !bodies_.is_body(a.to) || a.to == i) return false;
            const BodyKind kind = bodies_[a.to].kind;
            if (kind == BodyKind::deformable || kind == BodyKind::particles) return false;
        }
        for (const Release& r : held.releases)
            if (r.vertex >= count) return false;
    }
    return true;
}

}  // namespace plush
