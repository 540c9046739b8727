#include "world/tet_contacts.hpp"

#include <algorithm>
#include <chrono>

namespace plush {

/// The places of a mesh's vertices name it: copies share them.
std::shared_ptr<const TetShape> TetContacts::shape_of(const TetMesh& mesh) {
    if (settings_.contact.tets.method == TetContactMethod::none || mesh.tets().empty()) return {};
    std::erase_if(known_shapes_, [](const KnownShape& known) { return known.shape.expired(); });
    for (const KnownShape& known : known_shapes_)
        if (known.mesh.positions().data() == mesh.positions().data()) return known.shape.lock();
    auto shape = std::make_shared<const TetShape>(mesh);
    known_shapes_.push_back({mesh, shape});
    return shape;
}

// -- detection

/// All bodies with tets that touch, where they are.
std::vector<TetObject> TetContacts::objects() {
    std::vector<TetObject> all;
    rigid_positions_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.body || !record.tet_shape) continue;
        std::span<const Vec3> x;
        if (record.kind == BodyKind::deformable) {
            x = record.deformable().positions();
        } else {
            const Transform pose = record.body->pose();
            std::vector<Vec3>& placed = rigid_positions_[i];
            placed.clear();
            for (const Vec3& p : record.tets.positions()) placed.push_back(pose * p);
            x = placed;
        }
        const bool self = settings_.contact.tets.self && record.kind == BodyKind::deformable;
        body_of_object_.push_back(i);
        all.push_back({record.tet_shape.get(), x, self});
    }
    return all;
}

void TetContacts::detect_awake(const StepContext& step) {
    penetrations_.clear();
    body_of_object_.clear();
    const TetContactSettings& s = settings_.contact.tets;
    if (s.method == TetContactMethod::none) return;
    const std::vector<TetObject> all = objects();
    const DepthOptions options{
        .method = s.method == TetContactMethod::closest_feature ? DepthMethod::closest_feature
                  : s.method == TetContactMethod::vertex_normal ? DepthMethod::vertex_normal
                                                                : DepthMethod::consistent,
        .normals = s.normals,
        .cells = s.cells};
    const auto may_push = [&](std::uint32_t a, std::uint32_t b) {
        const std::uint32_t i = body_of_object_[a], j = body_of_object_[b];
        if (!bodies_[i].moving() && !bodies_[j].moving()) return false;
        const PairBehaviour pair = rules_.behaviour(std::min(i, j), std::max(i, j));
        return pair.method != ContactMethod::none && rules_.collision_allowed(i, j);
    };
    const auto found = search_.find(all, options, step.parallel, may_push);
    penetrations_.assign(found.begin(), found.end());
    std::vector<Vec3> motion;
    for (const std::uint32_t i : body_of_object_) motion.push_back(step.h * mean_velocity(i));
    inside_memory_.complete(all, body_of_object_, motion, penetrations_);
}

Vec3 TetContacts::mean_velocity(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (record.kind != BodyKind::deformable) return record.body->common_velocity();
    return record.deformable().momentum() / record.deformable().mass();
}

// -- contacts

/// Nodes of the bodies that are pushed, and contacts between them.
void TetContacts::make_contacts(const StepContext& step, bool after_prediction) {
    contacts_.clear();
    nodes_.clear();
    pushed_.clear();
    constexpr std::uint32_t none = 0xffffffffu;
    std::vector<std::uint32_t> first(body_of_object_.size(), none);
    const auto node_of = [&](std::uint32_t object) {
        if (first[object] != none) return first[object];
        first[object] = static_cast<std::uint32_t>(nodes_.size());
        pushed_.push_back({body_of_object_[object], first[object]});
        add_nodes(step, body_of_object_[object], after_prediction);
        return first[object];
    };
    for (const Penetration& p : penetrations_) {
        if (!(norm2(p.direction) > 0)) continue;
        PLUSH_ASSERT(p.owner < body_of_object_.size() && p.object < body_of_object_.size());
        const std::uint32_t a = node_of(p.owner), b = node_of(p.object);
        contacts_.push_back(contact_of(p, a, b));
    }
}

TetContact TetContacts::contact_of(const Penetration& p, std::uint32_t first_a, std::uint32_t first_b) const {
    TetContact c;
    c.a = body_of_object_[p.owner], c.b = body_of_object_[p.object];
    const BodyRecord &a = bodies_[c.a], &b = bodies_[c.b];
    PLUSH_ASSERT(p.tet < b.tet_shape->tets().size());
    PLUSH_ASSERT(std::abs(norm2(p.direction) - 1) < 1e-6);
    c.friction = rules_.behaviour(std::min(c.a, c.b), std::max(c.a, c.b)).law.friction;
    c.normal = p.direction, c.depth = p.depth;
    c.point =
        a.kind == BodyKind::deformable ? a.deformable().positions()[p.point] : rigid_positions_[c.a][p.point];
    const auto arm = [&](const BodyRecord& record) { return c.point - record.rigid().centre(); };
    if (a.kind == BodyKind::deformable)
        c.ends[c.count++] = {first_a + p.point, 1, {}};
    else
        c.ends[c.count++] = {first_a, 1, arm(a)};
    if (b.kind == BodyKind::deformable)
        for (std::size_t k = 0; k < 4; ++k)
            c.ends[c.count++] = {
                first_b + static_cast<std::uint32_t>(b.tet_shape->tets()[p.tet][k]), -p.weights[k], {}};
    else
        c.ends[c.count++] = {first_b, -1, arm(b)};
    PLUSH_ASSERT(c.count <= c.ends.size());
    return c;
}

void TetContacts::add_nodes(const StepContext& step, std::uint32_t index, bool after_prediction) {
    const BodyRecord& record = bodies_[index];
    if (record.kind != BodyKind::deformable) {
        nodes_.push_back(rigid_node(step, record.rigid()));
        return;
    }
    const DeformableBody& body = record.deformable();
    const std::size_t first = nodes_.size();
    const auto u = after_prediction ? body.next_velocities() : body.velocities();
    const auto pins = body.pins();
    for (std::size_t v = 0; v < u.size(); ++v)
        nodes_.push_back({{u[v], {}}, pins.empty() || !pins[v] ? 1 / body.masses()[v] : 0, 0});
    // Vertices that are part of a rigid body follow it, whatever pushes them.
    if (after_prediction)
        for (const Attachment& a : attachments_.of(index)) nodes_[first + a.vertex].inverse_mass = 0;
}

/// Before its own prediction: with what is known of the forces on it.
TetContactNode TetContacts::rigid_node(const StepContext& step, const RigidBody& body) const {
    const Vec3 change = step.h * (step.settings.gravity + body.force() / body.mass());
    return {{body.velocity() + change, body.angular_velocity()},
            1 / body.mass(),
            trace(inverse(body.world_inertia()))};
}

// -- impulses

/// Impulses as forces of the step.
void TetContacts::push_before_prediction(const StepContext& step) {
    if (settings_.contact.tets.implicit || penetrations_.empty()) return;
    make_contacts(step, false);
    push_explicitly(contacts_, nodes_, step.h, settings_.contact.tets);
    std::vector<Twist> impulses(nodes_.size());
    add_impulses(contacts_, impulses);
    for (const auto& [index, first] : pushed_) {
        if (bodies_[index].kind != BodyKind::deformable) {
            push_rigid(index, impulses[first], step.h);
            continue;
        }
        DeformableBody& body = bodies_[index].deformable();
        for (std::uint32_t v = 0; v < body.positions().size(); ++v)
            body.add_force(v, impulses[first + v].linear / step.h);
    }
}

void TetContacts::push_after_prediction(const StepContext& step) {
    if (!settings_.contact.tets.implicit || penetrations_.empty()) return;
    const auto began = std::chrono::steady_clock::now();
    make_contacts(step, true);
    const auto respond_all = [&](std::span<const Twist> impulses, std::span<Twist> change, bool exactly) {
        step.parallel.each(pushed_.size(), 1,
                           [&](std::size_t k) { respond(pushed_[k], impulses, change, exactly); });
    };
    std::vector<Twist> change(nodes_.size());
    const TetContactReport solved =
        push_implicitly(contacts_, nodes_, step.h, settings_.contact.tets, respond_all, change);
    step.report.iterations = std::max(step.report.iterations, solved.iterations);
    step.report.convergence.tet_residual = solved.residual;
    step.report.convergence.count(tet_trouble, {solved.residual},
                                  solved.residual > settings_.contact.tets.tolerance);
    std::vector<Twist> impulses(nodes_.size());
    add_impulses(contacts_, impulses);
    for (const auto& [index, first] : pushed_) {
        if (bodies_[index].kind != BodyKind::deformable) {
            push_rigid(index, impulses[first], step.h);
            continue;
        }
        MotionState& next = bodies_[index].deformable().next();
        for (std::uint32_t v = 0; v < next.x.size(); ++v) {
            next.v[v] += change[first + v].linear;
            next.x[v] += step.h * change[first + v].linear;
        }
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    step.report.times[Phase::solve] += seconds;
    step.report.times[Phase::predict] -= seconds;  // around it
}

/// What impulses do to a body's velocities.
void TetContacts::respond(const Pushed& pushed, std::span<const Twist> impulses, std::span<Twist> change,
                          bool exactly) const {
    const BodyRecord& record = bodies_[pushed.body];
    if (record.kind != BodyKind::deformable) {
        const RigidBody& body = record.rigid();
        const Twist& impulse = impulses[pushed.first];
        change[pushed.first] = {impulse.linear / body.mass(),
                                inverse(body.world_inertia()) * impulse.angular};
        return;
    }
    DeformableBody& body = record.deformable();
    const std::size_t n = body.positions().size();
    PLUSH_ASSERT(pushed.first + n <= impulses.size() && impulses.size() == change.size());
    std::vector<Vec3> p(n), dv(n);
    for (std::size_t v = 0; v < n; ++v) p[v] = impulses[pushed.first + v].linear;
    for (const Attachment& a : attachments_.of(pushed.body)) p[a.vertex] = {};
    // The iterations before the last only look for the impulses, and need them no better than they need to be.
    constexpr double loose = 1e-5;
    body.respond(p, dv, exactly ? std::optional<double>() : loose);
    for (std::size_t v = 0; v < n; ++v) change[pushed.first + v] = {dv[v], {}};
    for (const Attachment& a : attachments_.of(pushed.body)) change[pushed.first + a.vertex] = {};
}

void TetContacts::push_rigid(std::uint32_t index, const Twist& impulse, double h) {
    BodyRecord& record = bodies_[index];
    if (record.kind != BodyKind::rigid || (impulse.linear == Vec3{} && impulse.angular == Vec3{})) return;
    record.wake();
    record.rigid().add_contact_impulse(impulse, h);
}

// -- what comes of it

void TetContacts::report(const StepContext& step, const ConstraintSystem&, std::vector<ContactRecord>& out) {
    for (const TetContact& c : contacts_) {
        if (!(c.impulse > 0)) continue;
        const bool sticking = norm(c.rub) < (1 - 1e-9) * c.friction * c.impulse;
        out.push_back({c.a,
                       c.b,
                       {.point = c.point,
                        .normal = c.normal,
                        .depth = c.depth,
                        .normal_force = c.impulse / step.h,
                        .friction_force = c.rub / step.h,
                        .sticking = sticking}});
    }
}

double TetContacts::largest_depth() const {
    double largest = 0;
    for (const TetContact& c : contacts_) largest = std::max(largest, c.depth);
    return largest;
}

void TetContacts::each_linked_pair(PairVisitor visit) const {
    for (const TetContact& c : contacts_) visit(c.a, c.b);
}

void TetContacts::each_touching_pair(PairVisitor visit) const {
    for (const TetContact& c : contacts_)
        if (c.a != c.b) visit(c.a, c.b);
}

void TetContacts::forget_body(std::uint32_t body) {
    inside_memory_.forget(body);
    rigid_positions_.reset(body);
}

}  // namespace plush
