#include "world/vertex_contacts.hpp"

#include <algorithm>

#include "contact/fields/obstacle.hpp"
#include "contact/fields/surface_law.hpp"
#include "contact/points/point_contact.hpp"
#include "core/tuning.hpp"
#include "geometry/sdf/posed_distance.hpp"

namespace plush {
namespace {

std::span<const Vec3> positions_of(const BodyRecord& record) {
    return record.is_deformable() ? record.deformable().positions() : record.particles().positions();
}

std::span<const Vec3> velocities_of(const BodyRecord& record) {
    return record.is_deformable() ? record.deformable().velocities() : record.particles().velocities();
}

}  // namespace

// -- pairs

void VertexContacts::begin_step(const StepContext&) {
    pairs_.clear();
    touches_.clear();
    largest_depth_ = 0;
}

bool VertexContacts::claim(std::uint32_t i, std::uint32_t j) {
    for (const auto& [a, b] : {std::pair{i, j}, std::pair{j, i}})
        if (const bool rigid = rules_.vertices_on_free(a, b); rigid || rules_.vertices_by_rows(a, b)) {
            pairs_.push_back({a, b, rigid});
            return true;
        }
    return false;
}

SoftFeatures& VertexContacts::features(std::uint32_t body) {
    std::unique_ptr<SoftFeatures>& own = features_.at(body);
    const DeformableParts& parts = bodies_[body].parts;
    const auto triangles = parts.contact_triangles(bodies_[body].deformable());
    const std::size_t points =
        parts.contact_surface.empty() ? parts.rest.size() : parts.contact_weights->size();
    // A cut makes another surface.
    if (!own || own->view().triangles.size() != triangles.size() || own->view().positions.size() != points)
        own = std::make_unique<SoftFeatures>(parts.rest, triangles,
                                             parts.contact_surface.empty() ? nullptr : parts.contact_weights);
    return *own;
}

/// What a vertex keeps between itself and surfaces, m: where the law of forces begins, so that a cloth lies on all bodies alike.
double VertexContacts::kept_away(std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    if (!record.is_deformable()) return record.particles().radius();
    return record.deformable().settings().radius + force_reach(record.parts.surface->settings());
}

// -- where bodies end

VertexContacts::End VertexContacts::expected_end(const StepContext& step, std::uint32_t body) const {
    const BodyRecord& record = bodies_[body];
    const auto x = positions_of(record), v = velocities_of(record);
    End end{{x.begin(), x.end()}, {v.begin(), v.end()}};
    if (!record.awake()) {
        std::fill(end.v.begin(), end.v.end(), Vec3{});
    } else if (!record.is_deformable()) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            end.v[k] = record.body->node(k).velocity.linear;
            end.x[k] += step.h * end.v[k];
        }
    } else if (surfaces_.soft(body) && expected_.positions(body).size() == x.size()) {
        const auto there = expected_.positions(body), speed = expected_.velocities(body);
        end.x.assign(there.begin(), there.end()), end.v.assign(speed.begin(), speed.end());
    } else {
        end.x = record.deformable().after().x, end.v = record.deformable().after().v;
    }
    return end;
}

void VertexContacts::expect_ends(const StepContext& step) {
    std::vector<char> wanted(bodies_.size());
    for (const Pair& pair : pairs_) wanted[pair.vertices] = 1, wanted[pair.surface] |= !pair.rigid;
    ends_.fit(bodies_.size());
    step.parallel.each(bodies_.size(), 1, [&](std::size_t i) {
        if (wanted[i]) ends_[i] = expected_end(step, static_cast<std::uint32_t>(i));
    });
}

// -- detection

void VertexContacts::find_on_soft(const StepContext& step, const Pair& pair, std::vector<Touch>& out) {
    const double away = kept_away(pair.vertices);
    const BodyRecord &owner = bodies_[pair.vertices], &soft = bodies_[pair.surface];
    SoftFeatures& surface = features(pair.surface);
    const End &end = ends_[pair.vertices], &end_of_soft = ends_[pair.surface];
    const std::vector<Vec3> before = surface.points_at(soft.deformable().positions());
    surface.put(end_of_soft.x);
    const double fall = step.h * step.h * norm(settings_.gravity);
    const auto start = positions_of(owner);
    const auto found =
        find_vertex_touches({start, end.x}, surface.view(), before,
                            away + rules_.margin(pair.vertices, pair.surface) + fall, step.parallel);
    for (const VertexTouch& at : found) {
        Touch touch{.vertices = pair.vertices, .surface = pair.surface, .at = at, .gap = at.gap - away};
        touch.start = start[at.vertex];
        const Triangle& t = surface.view().triangles[static_cast<std::size_t>(at.triangle)];
        const auto corner = [&](std::size_t k) { return static_cast<std::size_t>(t[k]); };
        const auto carried = shared_by_corners(start[at.vertex], before[corner(0)], before[corner(1)],
                                               before[corner(2)], at.weights);
        for (std::size_t k = 0; k < 3; ++k) surface.add_part(corner(k), carried[k], touch.parts);
        Vec3 w = end.v[at.vertex];
        for (const VertexPart& p : touch.parts) w -= p.part * end_of_soft.v[p.vertex];
        touch.approach = dot(w, at.normal);
        if (moves(touch)) out.push_back(std::move(touch));
    }
}

void VertexContacts::find_on_rigid(const StepContext& step, const Pair& pair, std::vector<Touch>& out) const {
    const double away = kept_away(pair.vertices);
    const BodyRecord &owner = bodies_[pair.vertices], &other = bodies_[pair.surface];
    const End& end = ends_[pair.vertices];
    const Node node = other.rigid().node(0);
    const Twist change = other.awake() ? expected_.rigid_change(pair.surface) : Twist{};
    const Twist u = other.awake()
                        ? Twist{node.velocity.linear + change.linear, node.velocity.angular + change.angular}
                        : Twist{};
    const Transform before = other.body->pose(),
                    after = other.awake() ? expected_.pose(pair.surface) : before;
    const double reach =
        away + rules_.margin(pair.vertices, pair.surface) + step.h * step.h * norm(settings_.gravity);
    const PosedObstacle there({.distance = other.body->distance(), .pose = after}, reach);
    const auto start = positions_of(owner);
    for (std::uint32_t v = 0; v < end.x.size(); ++v) {
        const Vec3 from = inverse(before) * start[v],
                   to = inverse(after) * end.x[v];  // in the frame of the body
        Box3 way;
        way.add(after * from), way.add(end.x[v]);
        if (!there.may_reach(way)) continue;
        Vec3 at = to;
        const double part = other.body->distance()->value(from) > 0 ? there.safe_fraction(from, to, 0) : 1;
        if (part < 1) at = from + part * (to - from);  // it comes in there
        const DistanceSample s = other.body->distance()->sample(at);
        const Vec3 n = rotate(after.rotation, normalised(s.gradient));
        const double gap = s.value + dot(n, end.x[v] - after * at);
        if (gap > reach) continue;
        Touch touch{.vertices = pair.vertices, .surface = pair.surface, .gap = gap - away, .start = start[v]};
        touch.at = {.vertex = v, .point = after * at - s.value * n, .normal = n, .gap = gap};
        touch.approach = dot(n, end.v[v] - u.linear - cross(u.angular, start[v] - node.origin));
        if (moves(touch)) out.push_back(std::move(touch));
    }
}

/// Whether anything of a contact can move.
bool VertexContacts::moves(const Touch& touch) const {
    const BodyRecord &owner = bodies_[touch.vertices], &soft = bodies_[touch.surface];
    if (soft.kind == BodyKind::rigid && soft.awake()) return true;
    const auto free = [](const DeformableBody& body, std::uint32_t vertex) {
        return body.inverse_masses()[vertex] > 0;
    };
    if (owner.awake() && (!owner.is_deformable() || free(owner.deformable(), touch.at.vertex))) return true;
    return soft.is_deformable() && soft.awake() &&
           std::any_of(touch.parts.begin(), touch.parts.end(),
                       [&](const VertexPart& p) { return free(soft.deformable(), p.vertex); });
}

void VertexContacts::find(const StepContext& step) {
    touches_.clear();
    for (const Pair& pair : pairs_)
        if (pair.rigid)
            find_on_rigid(step, pair, touches_);
        else
            find_on_soft(step, pair, touches_);
}

void VertexContacts::detect_speculative(const StepContext& step) {
    std::sort(pairs_.begin(), pairs_.end(), [](const Pair& x, const Pair& y) {
        return std::tie(x.vertices, x.surface) < std::tie(y.vertices, y.surface);
    });
    if (pairs_.empty()) return;
    expect_ends(step);
    find(step);
}

bool VertexContacts::refine_speculative(const StepContext& step, const ConstraintSystem& system) {
    if (pairs_.empty()) return false;
    std::vector<char> wanted(bodies_.size());
    for (const Pair& pair : pairs_) wanted[pair.vertices] = 1, wanted[pair.surface] |= !pair.rigid;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!wanted[i] || !record.awake()) continue;
        End& end = ends_[i];
        if (record.is_deformable()) {
            end.x = record.deformable().after().x, end.v = record.deformable().after().v;
        } else {
            const auto x = positions_of(record);
            for (std::size_t k = 0; k < x.size(); ++k) {
                end.v[k] = record.body->node(k).velocity.linear;
                end.x[k] = x[k] + step.h * end.v[k];
            }
        }
        const double part = record.is_deformable() ? record.deformable().position_factor(step.h) : step.h;
        const std::vector<Twist> change = system.velocity_change(i);
        PLUSH_ASSERT(change.empty() || change.size() == end.x.size());
        for (std::size_t k = 0; k < change.size(); ++k) {
            end.v[k] += change[k].linear;
            end.x[k] += part * change[k].linear;
        }
    }
    record_warm_starts(system);
    std::vector<Touch> solved = std::move(touches_);
    find(step);
    const bool again = std::any_of(touches_.begin(), touches_.end(), [&](const Touch& t) {
        return -t.gap > std::max(rules_.allowed_depth(t.vertices, t.surface), 0.5 * kept_away(t.vertices));
    });
    if (!again) touches_ = std::move(solved);
    return again;
}

/// How deep vertices are where the step has ended.
void VertexContacts::redetect(const StepContext& step, const Redetection&) {
    largest_depth_ = 0;
    for (const Pair& pair : pairs_) {
        const auto x = positions_of(bodies_[pair.vertices]);
        const double radius = bodies_[pair.vertices].body->thickness();
        if (pair.rigid) {
            const PosedDistance distance(*bodies_[pair.surface].body->distance(),
                                         bodies_[pair.surface].body->pose());
            for (const Touch& t : touches_)
                if (t.vertices == pair.vertices && t.surface == pair.surface)
                    largest_depth_ = std::max(largest_depth_, radius - distance.sample(x[t.at.vertex]).value);
            continue;
        }
        SoftFeatures& surface = features(pair.surface);
        surface.put(bodies_[pair.surface].deformable().positions());
        const auto found =
            find_vertex_touches({x, x}, surface.view(), surface.view().positions, radius, step.parallel);
        for (const VertexTouch& at : found) largest_depth_ = std::max(largest_depth_, radius - at.gap);
    }
}

// -- rows

// A soft body with many such contacts responds vertex by vertex too, and a contact reaches those of its triangle.
void VertexContacts::add_constraint_nodes(ConstraintSystem& system, bool positions) {
    if (positions) return;
    std::vector<std::vector<std::optional<std::uint32_t>>> points(
        bodies_.size());  // one a vertex, whatever it touches
    std::vector<std::size_t> count(bodies_.size());
    for (const Touch& touch : touches_) ++count[touch.surface];
    const auto point_of = [&](std::uint32_t body, std::uint32_t vertex) {
        auto& of_body = points[body];
        of_body.resize(bodies_[body].deformable().positions().size());
        auto& known = of_body[vertex];
        if (!known) known = system.add_point(body, std::vector<VertexPart>{{vertex, Mat3::identity()}});
        return *known;
    };
    const auto awake = [&](std::uint32_t body) {
        return bodies_[body].is_deformable() && bodies_[body].awake();
    };
    for (Touch& touch : touches_) {
        touch.vertex_point.reset(), touch.surface_points.clear();
        if (awake(touch.vertices)) touch.vertex_point = point_of(touch.vertices, touch.at.vertex);
        if (!awake(touch.surface)) continue;
        if (count[touch.surface] > tuning::exact_vertices)
            for (const VertexPart& p : touch.parts)
                touch.surface_points.push_back(point_of(touch.surface, p.vertex));
        else
            touch.surface_points = {system.add_point(touch.surface, touch.parts)};
    }
}

void VertexContacts::add_velocity_rows(const StepContext& step, ConstraintSystem& system) {
    for (Touch& touch : touches_) add_rows(step, system, touch);
}

void VertexContacts::add_rows(const StepContext& step, ConstraintSystem& system, Touch& touch) {
    Rows& rows = system.rows();
    Block block;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    const Mat3 frame = contact_frame(touch.at.normal);
    double before = 0, free = 0;
    const auto add_entry = [&](const Entry& entry) {
        const Node& node = system.nodes()[entry.node];
        const auto along = [&](const Twist& u) {
            return dot(entry.linear.row[0], u.linear) + dot(entry.angular.row[0], u.angular);
        };
        before += along(node.before), free += along(node.velocity);
        rows.entries.push_back(entry);
        ++block.entry_count;
    };
    const auto add = [&](std::uint32_t node, double sign) {
        add_entry({.node = node, .linear = frame * sign});
    };
    if (touch.vertex_point)
        add(system.node_of_point(touch.vertices, *touch.vertex_point), 1);
    else if (const auto first = system.first_node(touch.vertices))
        add(*first + touch.at.vertex, 1);
    const bool by_vertices = touch.surface_points.size() > 1;
    for (std::size_t k = 0; k < touch.surface_points.size(); ++k)
        add_entry({.node = system.node_of_point(touch.surface, touch.surface_points[k]),
                   .linear = by_vertices ? frame * touch.parts[k].part * -1 : frame * -1});
    if (const auto first = system.first_node(touch.surface))
        add_entry(point_entry(*first, frame, touch.start - system.nodes()[*first].origin, -1));
    touch.block.reset();
    if (block.entry_count == 0) return;
    touch.block = static_cast<std::uint32_t>(rows.blocks.size());
    const PairLaw law = rules_.behaviour(touch.vertices, touch.surface).law;
    block.friction = law.friction;
    const double depth = -touch.gap + step.h * touch.approach;  // had nothing moved
    const double shift = set_normal_law(block, before, free, depth, law, step.h);
    if (depth > 0 && block.rebound == 0) {
        const double most = std::max(
            {kept_away(touch.vertices), rules_.allowed_depth(touch.vertices, touch.surface), 0.25 * depth});
        block.recovery = std::min(depth, most) / step.h;
        block.bias.x -= block.recovery;
    }
    if (step.settings.solver.warm_start) {
        block.impulse = frame * last_impulse(touch);
        block.impulse.x = std::max(0.0, block.impulse.x);
    }
    rows.blocks.push_back(block);
    system.add_bounce(*touch.block, shift);
}

Vec3 VertexContacts::last_impulse(const Touch& touch) const {
    const WarmStart key{touch.vertices, touch.surface, touch.at.vertex, {}};
    const auto at =
        std::lower_bound(warm_starts_.begin(), warm_starts_.end(), key,
                         [](const WarmStart& x, const WarmStart& y) { return x.key() < y.key(); });
    return at != warm_starts_.end() && at->key() == key.key() ? at->impulse : Vec3{};
}

// -- what comes of it

void VertexContacts::record_warm_starts(const ConstraintSystem& system) {
    warm_starts_.clear();
    for (const Touch& touch : touches_) {
        if (!touch.block) continue;
        const Vec3& p = system.rows().blocks[*touch.block].impulse;
        if (p.x > 0)
            warm_starts_.push_back({touch.vertices, touch.surface, touch.at.vertex,
                                    transpose_times(contact_frame(touch.at.normal), p)});
    }
    std::sort(warm_starts_.begin(), warm_starts_.end(),
              [](const WarmStart& x, const WarmStart& y) { return x.key() < y.key(); });
}

void VertexContacts::report(const StepContext& step, const ConstraintSystem& system,
                            std::vector<ContactRecord>& out) {
    record_warm_starts(system);
    for (Touch& touch : touches_) {
        touch.pressed = false;
        if (!touch.block) continue;
        const Block& block = system.rows().blocks[*touch.block];
        const Vec3 all = transpose_times(contact_frame(touch.at.normal), block.impulse) / step.h;
        const double normal = dot(all, touch.at.normal);
        double w = 0;  // after the solve
        for (const Entry& e : system.rows().entries_of(block)) {
            const Twist& u = system.velocities()[e.node];
            w += dot(e.linear.row[0], u.linear) + dot(e.angular.row[0], u.angular);
        }
        if (!(normal > 0)) continue;
        touch.pressed = true;
        out.push_back({touch.vertices,
                       touch.surface,
                       {.point = touch.at.point,
                        .normal = touch.at.normal,
                        .depth = -touch.gap - step.h * (w - touch.approach),
                        .normal_force = normal,
                        .friction_force = all - normal * touch.at.normal,
                        .sticking = is_sticking(block)}});
    }
}

/// What was pressed while it slept moves from the next step on.
void VertexContacts::end_step(const StepContext&) {
    for (const Touch& touch : touches_)
        for (const std::uint32_t k : {touch.vertices, touch.surface})
            if (touch.pressed && bodies_[k].dynamic() && bodies_[k].asleep) bodies_[k].wake();
}

void VertexContacts::each_linked_pair(PairVisitor visit) const {
    for (const Touch& touch : touches_) visit(touch.vertices, touch.surface);
}

void VertexContacts::each_touching_pair(PairVisitor visit) const {
    for (const Touch& touch : touches_)
        if (touch.pressed) visit(touch.vertices, touch.surface);
}

void VertexContacts::forget_body(std::uint32_t body) {
    features_.reset(body), ends_.reset(body);
    std::erase_if(warm_starts_, [&](const WarmStart& w) { return w.vertices == body || w.surface == body; });
    forget_contacts();
}

void VertexContacts::visit_state(StateVisitor& v) {
    v(warm_starts_);
}

}  // namespace plush
