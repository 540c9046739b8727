#include "world/drags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "contact/solver/limited_impulse.hpp"
#include "core/range_check.hpp"
#include "core/tuning.hpp"
#include "world/refusal.hpp"

namespace plush {

void describe(FieldVisitor& v, Drag& s) {
    v.field({.key = "stiffness", .unit = "N/m", .text = "of the spring", .min = 0, .max = 1e15}, s.stiffness);
    v.field({.key = "damping", .unit = "N s/m", .text = "of the spring", .min = 0, .max = 1e15}, s.damping);
    v.field({.key = "max_force", .unit = "N", .text = "the spring never pulls more", .min = 0, .max = 1e15},
            s.max_force);
}

static void visit_state(StateVisitor& v, DragRecord& d) {
    v(d.alive, d.generation, d.at.body.index, d.at.body.generation, d.at.triangle, d.at.weights, d.at.local,
      d.at.local_normal, d.stiffness, d.damping, d.max_force, d.target, d.target_velocity, d.force,
      d.removed);
}

namespace {

/// γ and b of the rows, from where the point is predicted to be.
struct SpringRows {
    double softness = 0;
    Vec3 bias{};
};
SpringRows spring_rows(const DragRecord& d, double h, double follow, const Vec3& place,
                       const Vec3& velocity) {
    const double stiffness = d.damping + follow * d.stiffness;
    const Vec3 end = d.target + h * d.target_velocity;
    return {1 / (h * stiffness),
            -(d.stiffness * (end - place + follow * velocity) + d.damping * d.target_velocity) / stiffness};
}

bool pulls(const DragRecord& d) {
    return d.alive && !d.removed && d.stiffness + d.damping > 0 && d.max_force > 0;
}

}  // namespace

DragId Drags::add(const SurfacePoint& at, const Drag& drag, const Vec3& target) {
    const BodyRecord& record = bodies_.at(at.body);
    if (record.is_given()) throw_wrong_kind(record, "a body that moves freely");
    if (const auto in_range = check_ranges(drag); !in_range) refuse(record.name, in_range.error());
    require_usable(record.name, "target", target);
    require(record.name,
            !record.is_deformable() ||
                record.deformable().settings().integration.method != IntegrationMethod::quasi_static,
            "drag", "every step of the body ends in equilibrium, and a drag has a motion",
            "take another integrator, or apply_vertex_force()");
    DragRecord fresh;
    fresh.at = resolve(bodies_, at);
    static_cast<void>(position_of(bodies_, fresh.at));
    const double mass = mass_of(record), rate = tuning::drag_rate;
    double g = norm(settings_.gravity);
    if (g == 0)
        g = record.size < HUGE_VAL ? tuning::drag_gravity_of_size * record.size : tuning::drag_gravity;
    fresh.stiffness = drag.stiffness.value_or(mass * rate * rate);
    fresh.damping = drag.damping.value_or(2 * std::sqrt(fresh.stiffness * mass));
    fresh.max_force = drag.max_force.value_or(tuning::drag_weights * mass * g);
    fresh.target = target;
    fresh.alive = true;
    std::uint32_t index = 0;
    while (index < records_.size() && records_[index].alive) ++index;
    if (index == records_.size()) records_.emplace_back();
    fresh.generation = records_[index].generation + 1;
    records_[index] = fresh;
    bodies_.mark_changed(bodies_.at(at.body));
    return {index + 1, fresh.generation};
}

const DragRecord& Drags::record(DragId id) const {
    const std::uint32_t index = id.index - 1;
    if (id.index >= 1 && index < records_.size() && records_[index].alive &&
        records_[index].generation == id.generation)
        return records_[index];
    throw Error({.place = fmt::format("drag {}.{}", id.index, id.generation),
                 .problem = "there is no such drag in this world",
                 .cure = "use a name that add_drag() returned; removing a body removes its drags"});
}

void Drags::set_target(DragId id, const Vec3& target, const Vec3& velocity) {
    const DragRecord& found = record(id);
    BodyRecord& body = bodies_.at(found.at.body);
    require_usable(body.name, "target", target);
    require_usable(body.name, "velocity", velocity);
    DragRecord& drag = records_[id.index - 1];
    drag.target = target, drag.target_velocity = velocity;
    body.wake();
}

void Drags::remove(DragId id) {
    bodies_.mark_changed(bodies_.at(record(id).at.body));
    records_[id.index - 1].alive = false;
}

std::vector<DragId> Drags::ids() const {
    std::vector<DragId> ids;
    for (std::uint32_t k = 0; k < records_.size(); ++k)
        if (records_[k].alive) ids.push_back({k + 1, records_[k].generation});
    return ids;
}

void Drags::forget_body(BodyId body) {
    for (DragRecord& drag : records_)
        if (drag.at.body == body) drag.alive = false;
}

// -- the step

bool Drags::takes_rows(const BodyRecord& record) const {
    return !record.is_deformable() || record.deformable().takes_rows();
}

/// What the point itself weighs, 1/m = Σ w²/m, bounds its spring: no faster than a few swings a step, and critically damped.
DragPull Drags::explicit_pull(const DragRecord& drag, double h) const {
    DragPull pull;
    pull.weights = weights_of(bodies_, drag.at);
    double inverse_mass = 0;
    const auto inverse_masses = bodies_.at(drag.at.body).deformable().inverse_masses();
    for (const VertexWeight& w : pull.weights) inverse_mass += w.weight * w.weight * inverse_masses[w.vertex];
    const double rate = tuning::drag_rate_of_stages / h;
    pull.stiffness = drag.stiffness, pull.damping = drag.damping;
    if (inverse_mass > 0) {
        pull.stiffness = std::min(drag.stiffness, 0.25 * rate * rate / inverse_mass);
        const double critical = 2 * std::sqrt(pull.stiffness / inverse_mass);
        pull.damping =
            std::min({drag.damping, rate / inverse_mass, pull.stiffness > 0 ? critical : HUGE_VAL});
    }
    pull.max_force = drag.max_force;
    pull.target = drag.target, pull.target_velocity = drag.target_velocity;
    return pull;
}

void Drags::push_explicitly(double h) {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || takes_rows(bodies_[i])) continue;
        DeformableParts& parts = bodies_[i].parts;
        std::vector<DragPull> pulls;
        for (const std::uint32_t k : by_stages_)
            if (bodies_.index_of(records_[k].at.body) == i) pulls.push_back(explicit_pull(records_[k], h));
        if (!pulls.empty() && !parts.drags) {
            auto field = std::make_unique<DragField>();
            parts.drags = field.get();
            bodies_[i].deformable().add_element(std::move(field));
        }
        if (parts.drags) parts.drags->begin_step(std::move(pulls), bodies_[i].deformable().time());
    }
}

void Drags::begin_step(double h) {
    active_.clear(), by_stages_.clear();
    for (std::uint32_t k = 0; k < records_.size(); ++k) {
        DragRecord& drag = records_[k];
        if (!drag.alive || drag.removed) continue;
        BodyRecord& body = bodies_.at(drag.at.body);
        try {
            drag.at = resolve(bodies_, drag.at);
        } catch (const Error&) {  // a cut: whoever asks for the drag's point is told
            drag.removed = true, drag.force = {};
            continue;
        }
        body.wake();
        const double force_before = norm(drag.force);
        drag.force = {};
        if (!pulls(drag)) continue;
        if (!takes_rows(body)) {
            by_stages_.push_back(k);
            continue;
        }
        Active& active = active_.emplace_back();
        active.drag = k, active.force_before = force_before;
        if (body.kind != BodyKind::rigid) active.weights = weights_of(bodies_, drag.at);
    }
    push_explicitly(h);
}

void Drags::add_constraint_nodes() {
    for (Active& active : active_) {
        const std::uint32_t body = bodies_.index_of(records_[active.drag].at.body);
        if (bodies_[body].is_deformable()) active.point = system_.add_point(body, active.weights);
    }
}

/// h F, or what moves a point of a deformable body by the part of an edge that is allowed beyond where the last force holds it.
double Drags::max_impulse(const Active& active, double h) const {
    const DragRecord& drag = records_[active.drag];
    const std::uint32_t index = bodies_.index_of(drag.at.body);
    if (!active.point || !(bodies_[index].body->size() < HUGE_VAL)) return h * drag.max_force;
    const double compliance = system_.largest_compliance(index, system_.node_of_point(index, *active.point));
    const double way = tuning::drag_edge * bodies_[index].body->size();
    const double follow = bodies_[index].deformable().position_factor(h);
    if (!(compliance > 0)) return h * drag.max_force;
    return std::min(h * drag.max_force, h * active.force_before + way / (follow * compliance));
}

void Drags::add_rows(double h) {
    Rows& rows = system_.rows();
    const Mat3 identity = Mat3::identity();
    for (Active& active : active_) {
        const DragRecord& drag = records_[active.drag];
        const std::uint32_t index = bodies_.index_of(drag.at.body);
        const BodyRecord& record = bodies_[index];
        Block block;
        block.law = Block::Law::limited;
        block.high = max_impulse(active, h);
        block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
        Vec3 place{}, velocity{};
        double follow = h;
        const auto add = [&](std::uint32_t node, const Mat3& linear, const Vec3& lever) {
            const Node& n = system_.nodes()[node];
            rows.entries.push_back({node, linear, linear * skew(lever) * -1.0});
            velocity += linear * (n.velocity.linear + cross(n.velocity.angular, lever));
        };
        if (record.kind == BodyKind::rigid) {
            const RigidBody& rigid = record.rigid();
            add(*system_.first_node(index), identity, rigid.pose() * drag.at.local - rigid.centre());
            place = rigid.pose_after({}) * drag.at.local;
        } else if (record.kind == BodyKind::particles) {
            for (const VertexWeight& w : active.weights) {
                const std::uint32_t node = *system_.first_node(index) + w.vertex;
                add(node, identity * w.weight, {});
                place += w.weight * (record.particles().positions()[w.vertex] +
                                     h * system_.nodes()[node].velocity.linear);
            }
        } else {
            follow = record.deformable().position_factor(h);
            add(system_.node_of_point(index, *active.point), identity, {});
            for (const VertexWeight& w : active.weights)
                place += w.weight * record.deformable().after().x[w.vertex];
        }
        const SpringRows spring = spring_rows(drag, h, follow, place, velocity);
        block.bias = spring.bias;
        block.softness = {spring.softness, spring.softness, spring.softness};
        block.entry_count = static_cast<std::uint32_t>(rows.entries.size()) - block.first_entry;
        active.block = static_cast<std::uint32_t>(rows.blocks.size());
        rows.blocks.push_back(block);
    }
}

void Drags::report(double h) {
    for (const Active& active : active_)
        records_[active.drag].force = system_.rows().blocks[active.block].impulse / h;
    std::vector<std::size_t> next(bodies_.size());
    for (const std::uint32_t k : by_stages_) {
        const std::uint32_t index = bodies_.index_of(records_[k].at.body);
        const auto pulls = bodies_[index].parts.drags->pulls();
        records_[k].force = pulls[next[index]++].force;
    }
}

void Drags::end_step(double h) {
    active_.clear(), by_stages_.clear();
    for (DragRecord& drag : records_)
        if (drag.alive) drag.target += h * drag.target_velocity;
}

void Drags::visit_state(StateVisitor& v) {
    v(records_);
    if (!dynamic_cast<StateReader*>(&v)) return;
    for (DragRecord& drag : records_)  // of a damaged snapshot
        if (drag.alive && !bodies_.contains(drag.at.body)) drag.alive = false;
}

}  // namespace plush
