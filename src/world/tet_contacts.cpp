#include <algorithm>
#include <chrono>

#include "world/world_impl.hpp"

// Bodies with tets against one another: depths are found at the positions that the step starts from, and
// become impulses (contact/fields/tet_contact.hpp). Explicit ones are forces of the step; implicit ones come after
// the free motion of deformable bodies and before that of rigid ones, which get them as forces, as from all
// vertices.

namespace plush {

/// A mesh that many bodies share has one shape. The places of its vertices name it: they are shared by
/// copies.
std::shared_ptr<const TetShape> World::Impl::tet_shape_of(const TetMesh& mesh) {
    if (settings.contact.tets.method == TetContactMethod::none || mesh.tets().empty()) return {};
    std::erase_if(tet_shapes, [](const KnownTets& known) { return known.shape.expired(); });
    for (const KnownTets& known : tet_shapes)
        if (known.mesh.positions().data() == mesh.positions().data()) return known.shape.lock();
    auto shape = std::make_shared<const TetShape>(mesh);
    tet_shapes.push_back({mesh, shape});
    return shape;
}

bool World::Impl::touch_by_tets(std::uint32_t i, std::uint32_t j) const {
    return slots[i].tet_shape && slots[j].tet_shape;
}

void World::Impl::find_penetrations() {
    tet_contacts.clear();
    penetrations.clear();
    tet_slots.clear();
    if (settings.contact.tets.method == TetContactMethod::none) return;
    std::vector<TetObject> objects;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        Slot& slot = slots[i];
        if (!slot.body || !slot.tet_shape) continue;
        std::span<const Vec3> x;
        if (slot.kind == BodyKind::deformable) {
            x = slot.deformable().positions();
        } else {
            const Transform pose = slot.body->pose();
            slot.tet_positions.resize(slot.tet_rest.size());
            for (std::size_t v = 0; v < slot.tet_rest.size(); ++v)
                slot.tet_positions[v] = pose * slot.tet_rest[v];
            x = slot.tet_positions;
        }
        const bool self = settings.contact.tets.self && slot.kind == BodyKind::deformable;
        tet_slots.push_back(i);
        objects.push_back({slot.tet_shape.get(), x, self});
    }
    const TetContactSettings& s = settings.contact.tets;
    const DepthOptions options{
        .method = s.method == TetContactMethod::closest_feature ? DepthMethod::closest_feature
                  : s.method == TetContactMethod::vertex_normal ? DepthMethod::vertex_normal
                                                                : DepthMethod::consistent,
        .normals = s.normals,
        .cells = s.cells};
    const auto may_push = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t i = tet_slots[a], j = tet_slots[b];
        if (!slots[i].moving() && !slots[j].moving()) return false;
        ContactMethod method;
        law(std::min(i, j), std::max(i, j), method);
        return method != ContactMethod::none && collision_allowed(i, j);
    };
    const auto found = penetration_search.find(objects, options, parallel, may_push);
    penetrations.assign(found.begin(), found.end());
    std::vector<Vec3> way;
    for (const std::uint32_t i : tet_slots) way.push_back(settings.step * mean_velocity(slots[i]));
    inside_memory.complete(objects, tet_slots, way, penetrations);
}

Vec3 World::Impl::mean_velocity(const Slot& slot) const {
    if (slot.kind != BodyKind::deformable) return slot.body->common_velocity();
    return slot.deformable().momentum() / slot.deformable().mass();
}

/// Nodes of the bodies that are pushed, and contacts between them.
void World::Impl::make_tet_contacts(bool after_prediction) {
    tet_nodes.clear();
    pushed_by_tets.clear();
    constexpr std::uint32_t none = 0xffffffffu;
    std::vector<std::uint32_t> first(tet_slots.size(), none);
    const auto node_of = [&](std::uint32_t object) {
        if (first[object] != none) return first[object];
        const std::uint32_t index = tet_slots[object];
        const Slot& slot = slots[index];
        first[object] = static_cast<std::uint32_t>(tet_nodes.size());
        pushed_by_tets.push_back({index, first[object]});
        if (slot.kind == BodyKind::deformable)
            add_tet_nodes(slot, after_prediction);
        else
            tet_nodes.push_back(rigid_tet_node(slot));
        return first[object];
    };
    for (const Penetration& p : penetrations) {
        if (!(norm2(p.direction) > 0)) continue;
        const std::uint32_t i = tet_slots[p.owner], j = tet_slots[p.object];
        ContactMethod method;
        TetContact c;
        c.a = i, c.b = j;
        c.friction = law(std::min(i, j), std::max(i, j), method).friction;
        c.normal = p.direction, c.depth = p.depth;
        c.point = slots[i].kind == BodyKind::deformable ? slots[i].deformable().positions()[p.point]
                                                        : slots[i].tet_positions[p.point];
        const std::uint32_t a = node_of(p.owner), b = node_of(p.object);
        const auto arm = [&](const Slot& slot) { return c.point - slot.rigid().centre(); };
        if (slots[i].kind == BodyKind::deformable)
            c.ends[c.count++] = {a + p.point, 1, {}};
        else
            c.ends[c.count++] = {a, 1, arm(slots[i])};
        if (slots[j].kind == BodyKind::deformable)
            for (std::size_t k = 0; k < 4; ++k)
                c.ends[c.count++] = {
                    b + static_cast<std::uint32_t>(slots[j].tet_shape->tets()[p.tet][k]), -p.weights[k], {}};
        else
            c.ends[c.count++] = {b, -1, arm(slots[j])};
        tet_contacts.push_back(c);
    }
}

void World::Impl::add_tet_nodes(const Slot& slot, bool after_prediction) {
    const DeformableBody& body = slot.deformable();
    const std::size_t first = tet_nodes.size();
    const auto u = after_prediction ? body.next_velocities() : body.velocities();
    const auto pins = body.pins();
    for (std::size_t v = 0; v < u.size(); ++v)
        tet_nodes.push_back({{u[v], {}}, pins.empty() || !pins[v] ? 1 / body.masses()[v] : 0, 0});
    // Vertices that are part of a rigid body follow it, whatever pushes them.
    if (after_prediction)
        for (const Attachment& a : slot.attachments) tet_nodes[first + a.vertex].inverse_mass = 0;
}

/// Before its own prediction: with what is known of the forces on it.
TetContactNode World::Impl::rigid_tet_node(const Slot& slot) const {
    const RigidBody& body = slot.rigid();
    const Vec3 change = settings.step * (settings.gravity + body.force() / body.mass());
    return {{body.velocity() + change, body.angular_velocity()},
            1 / body.mass(),
            trace(inverse(body.world_inertia()))};
}

/// Before anything is predicted: impulses as forces of the step.
void World::Impl::push_tets_explicitly() {
    if (settings.contact.tets.implicit || penetrations.empty()) return;
    make_tet_contacts(false);
    push_explicitly(tet_contacts, tet_nodes, settings.step, settings.contact.tets);
    std::vector<Twist> impulses(tet_nodes.size());
    add_impulses(tet_contacts, impulses);
    for (const auto& [index, first] : pushed_by_tets) {
        Slot& slot = slots[index];
        if (slot.kind != BodyKind::deformable) {
            push_rigid(slot, impulses[first]);
            continue;
        }
        for (std::uint32_t v = 0; v < slot.deformable().positions().size(); ++v)
            slot.deformable().add_force(v, impulses[first + v].linear / settings.step);
    }
}

/// After the deformable bodies are predicted.
void World::Impl::push_tets_implicitly() {
    if (!settings.contact.tets.implicit || penetrations.empty()) return;
    const auto began = std::chrono::steady_clock::now();
    make_tet_contacts(true);
    const auto answer = [&](std::span<const Twist> impulses, std::span<Twist> change, bool exactly) {
        parallel.each(pushed_by_tets.size(), 1,
                      [&](std::size_t k) { answer_impulses(pushed_by_tets[k], impulses, change, exactly); });
    };
    std::vector<Twist> change(tet_nodes.size());
    const TetContactReport solved =
        push_implicitly(tet_contacts, tet_nodes, settings.step, settings.contact.tets, answer, change);
    report.iterations = std::max(report.iterations, solved.iterations);
    std::vector<Twist> impulses(tet_nodes.size());
    add_impulses(tet_contacts, impulses);
    for (const auto& [index, first] : pushed_by_tets) {
        Slot& slot = slots[index];
        if (slot.kind != BodyKind::deformable) {
            push_rigid(slot, impulses[first]);
            continue;
        }
        MotionState& next = slot.deformable().next();
        for (std::uint32_t v = 0; v < next.x.size(); ++v) {
            next.v[v] += change[first + v].linear;
            next.x[v] += settings.step * change[first + v].linear;
        }
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    report.times[Phase::solve] += seconds;
    report.times[Phase::predict] -= seconds;  // around it
}

void World::Impl::answer_impulses(const TetPushed& pushed, std::span<const Twist> impulses,
                                  std::span<Twist> change, bool exactly) {
    const Slot& slot = slots[pushed.slot];
    if (slot.kind != BodyKind::deformable) {
        const RigidBody& body = slot.rigid();
        const Twist& impulse = impulses[pushed.first];
        change[pushed.first] = {impulse.linear / body.mass(),
                                inverse(body.world_inertia()) * impulse.angular};
        return;
    }
    DeformableBody& body = slot.deformable();
    const std::size_t n = body.positions().size();
    std::vector<Vec3> p(n), dv(n);
    for (std::size_t v = 0; v < n; ++v) p[v] = impulses[pushed.first + v].linear;
    for (const Attachment& a : slot.attachments) p[a.vertex] = {};
    // The turns before the last only look for the impulses, and need them no better than they need to be.
    constexpr double loose = 1e-5;
    body.respond(p, dv, exactly ? std::optional<double>() : loose);
    for (std::size_t v = 0; v < n; ++v) change[pushed.first + v] = {dv[v], {}};
    for (const Attachment& a : slot.attachments) change[pushed.first + a.vertex] = {};
}

void World::Impl::push_rigid(Slot& slot, const Twist& impulse) {
    if (slot.kind != BodyKind::rigid || (impulse.linear == Vec3{} && impulse.angular == Vec3{})) return;
    slot.asleep = false;
    slot.quiet = 0;
    slot.rigid().add_force(impulse.linear / settings.step, slot.rigid().centre());
    slot.rigid().add_torque(impulse.angular / settings.step);
}

}  // namespace plush
