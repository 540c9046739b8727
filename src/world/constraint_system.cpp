#include "world/constraint_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/tuning.hpp"
#include "world/compliance_iteration.hpp"

namespace plush {

// -- nodes

int ConstraintSystem::begin() {
    nodes_.clear();
    body_of_node_.clear();
    rows_.groups.clear();
    of_body_.fit(bodies_.size());
    int awake = 0;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        BodyNodes& own = of_body_[i];
        own.first_node.reset();
        own.jointed_vertices.clear(), own.points.clear(), own.contacts.clear(), own.rows_of_node.clear();
        own.first_row_of_node.clear();
        own.touches_itself = false;
        const BodyRecord& record = bodies_[i];
        if (!record.awake()) continue;
        ++awake;
        if (record.kind == BodyKind::deformable) continue;
        own.first_node = static_cast<std::uint32_t>(nodes_.size());
        for (std::size_t k = 0; k < record.body->node_count(); ++k) {
            nodes_.push_back(record.body->node(k));
            body_of_node_.push_back(i);
        }
    }
    return awake;
}

void ConstraintSystem::add_vertex(std::uint32_t body, std::uint32_t vertex) {
    PLUSH_ASSERT(body < bodies_.size());
    if (bodies_[body].asleep) return;
    PLUSH_ASSERT(vertex < bodies_[body].deformable().positions().size());
    of_body_[body].jointed_vertices.push_back(vertex);
}

std::uint32_t ConstraintSystem::add_point(std::uint32_t body, std::span<const VertexWeight> weights) {
    PLUSH_ASSERT(body < bodies_.size() && bodies_[body].is_deformable() && !bodies_[body].asleep);
    std::vector<VertexPart> parts;
    for (const VertexWeight& w : weights)
        parts.push_back({w.vertex, Mat3::diagonal({w.weight, w.weight, w.weight})});
    return add_point(body, std::move(parts));
}

std::uint32_t ConstraintSystem::add_point(std::uint32_t body, std::vector<VertexPart> parts) {
    PLUSH_ASSERT(body < bodies_.size() && bodies_[body].is_deformable() && !bodies_[body].asleep);
    auto& points = of_body_[body].points;
    points.push_back(std::move(parts));
    return static_cast<std::uint32_t>(points.size() - 1);
}

void ConstraintSystem::add_contact(VolumeContact& contact) {
    PLUSH_ASSERT(contact.a < bodies_.size() && contact.b < bodies_.size());
    PLUSH_ASSERT(!contact.self() || bodies_[contact.a].is_deformable());
    contact.nodes = {};
    if (contact.self()) of_body_[contact.a].touches_itself = true;
    for (std::uint8_t side = 0; side < (contact.self() ? 1 : 2); ++side) {
        const std::uint32_t body = side == 0 ? contact.a : contact.b;
        if (bodies_[body].kind == BodyKind::deformable && !bodies_[body].asleep)
            of_body_[body].contacts.push_back({&contact, side});
    }
}

namespace {

/// W is a full matrix, twice, beside a column of all vertices for each row: of cells that are small without need it would be
/// more than the machine has.
void require_memory(const BodyStore& bodies, std::uint32_t body, const ContactCompliance& compliance,
                    std::size_t contacts, const WorldSettings& settings) {
    if (contacts == 0) return;
    const auto rows = static_cast<double>(compliance.rows());
    const auto vertices = static_cast<double>(bodies[body].deformable().positions().size());
    const double mebibytes = (2 * sizeof(double) * rows * rows + sizeof(Vec3) * rows * vertices) / 0x1p20;
    const double limit = settings.contact.volume.memory_limit;
    if (mebibytes <= limit) return;
    throw Error(
        {.place = bodies.label(body),
         .problem = fmt::format("its {} contacts need {:.0f} MiB for their compliance, more than "
                                "contact.volume.memory_limit ({:.0f} MiB)",
                                contacts, mebibytes, limit),
         .cure = "take larger cells (contact.volume.cell, cells_across, max_cells), or a higher limit"});
}

}  // namespace

void ConstraintSystem::add_constraint_nodes(const Parallel& parallel, std::uint8_t contact_rows,
                                            bool as_rigid) {
    PLUSH_ASSERT(contact_rows == 1 || contact_rows == 3);
    PLUSH_ASSERT(rows_.groups.empty());  // begin() comes first
    std::vector<std::uint32_t> constrained;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        BodyNodes& own = of_body_[i];
        if (own.jointed_vertices.empty() && own.points.empty() && own.contacts.empty()) continue;
        constrained.push_back(i);
        if (!own.compliance) own.compliance = std::make_unique<ContactCompliance>();
        own.compliance->clear();
        std::vector<std::uint32_t>& vertices = own.jointed_vertices;
        std::sort(vertices.begin(), vertices.end());
        vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        own.first_constraint_node = static_cast<std::uint32_t>(nodes_.size());
        const auto add_node = [&](std::uint8_t rows) {
            own.first_row_of_node.push_back(
                own.rows_of_node.empty() ? 0 : own.first_row_of_node.back() + own.rows_of_node.back());
            own.rows_of_node.push_back(rows);
            nodes_.emplace_back();
            body_of_node_.push_back(i);
        };
        const DeformableBody& body = bodies_[i].deformable();
        for (const std::uint32_t vertex : vertices) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                own.compliance->add(vertex, Mat3::identity().row[axis]);
                own.compliance->end_row();
            }
            add_node(3);
            nodes_.back().origin = body.positions()[vertex];
        }
        for (const auto& parts : own.points) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                for (const VertexPart& p : parts) own.compliance->add(p.vertex, p.part.row[axis]);
                own.compliance->end_row();
            }
            add_node(3);
            for (const VertexPart& p : parts) nodes_.back().origin += p.part * body.positions()[p.vertex];
        }
        for (const auto& [contact, side] : own.contacts) {
            contact->nodes[side] = static_cast<std::uint32_t>(nodes_.size());
            add_compliance_rows(*own.compliance, *contact, side, body.masses(), contact_rows);
            add_node(contact_rows);
        }
    }
    PLUSH_ASSERT(nodes_.size() == body_of_node_.size());
    add_groups(constrained);
    for (const std::uint32_t body : constrained) {
        const BodyNodes& own = of_body_[body];
        if (!own.nodal) require_memory(bodies_, body, *own.compliance, own.contacts.size(), settings_);
    }
    parallel.each(constrained.size(), 1,
                  [&](std::size_t k) { measure_compliance(constrained[k], as_rigid); });
}

/// All of them before any is measured: the compliance iteration looks groups up from several threads.
void ConstraintSystem::add_groups(std::span<const std::uint32_t> bodies) {
    for (const std::uint32_t body : bodies) {
        BodyNodes& own = of_body_[body];
        const auto count = static_cast<std::uint32_t>(own.rows_of_node.size());
        own.nodal = is_nodal(body);
        const auto alone = own.nodal ? static_cast<std::uint32_t>(own.points.size()) : 0;
        for (std::uint32_t k = 0; k < count; k += k < alone ? 1 : count - alone) {
            NodeGroup& group = rows_.groups.emplace_back();
            group.first_node = own.first_constraint_node + k, group.count = k < alone ? 1 : count - alone;
        }
    }
}

/// Whether so many single vertices of a body are held that their full matrix would be too large.
bool ConstraintSystem::is_nodal(std::uint32_t body) const {
    const BodyNodes& own = of_body_[body];
    const DeformableBody& deformable = bodies_[body].deformable();
    if (own.points.size() <= tuning::exact_vertices || !own.jointed_vertices.empty() ||
        !deformable.responds_implicitly() || deformable.matcher() || attachments_.any_to_dynamic(body))
        return false;
    std::vector<char> held(deformable.positions().size());
    for (const auto& parts : own.points)
        if (parts.size() != 1 || !(parts[0].part == Mat3::identity()) ||
            std::exchange(held[parts[0].vertex], 1))
            return false;
    return true;
}

bool ConstraintSystem::wants_approximation(std::uint32_t body) const {
    // Joints shall not gape by what an iteration leaves.
    if (!of_body_[body].jointed_vertices.empty() || bodies_[body].parts.in_pieces) return false;
    switch (settings_.solver.compliance) {
        case ComplianceMethod::exact:
            return false;
        case ComplianceMethod::approximate:
            return true;
        case ComplianceMethod::automatic:
            break;
    }
    return bodies_[body].deformable().positions().size() >= tuning::approximate_vertices;
}

/// W = G A⁻¹ Gᵀ of a body's constraint nodes, and how they move.
void ConstraintSystem::measure_compliance(std::uint32_t index, bool as_rigid) {
    BodyNodes& own = of_body_[index];
    const BodyRecord& record = bodies_[index];
    DeformableBody& body = record.deformable();
    const bool free =
        own.jointed_vertices.empty() && body.pins().empty() && !own.touches_itself && !record.parts.in_pieces;
    // Bodies attached to rigid ones are solved with them, by a matrix that is not theirs alone.
    const ComplianceAs as = attachments_.any_to_dynamic(index) ? ComplianceAs::masses
                            : as_rigid && free                 ? ComplianceAs::rigid
                                                               : ComplianceAs::itself;
    if (record.parts.scripted)
        own.compliance->measure(body, ComplianceAs::masses);  // none
    else if (own.nodal)
        own.compliance->measure_by_nodes(body, 3 * own.points.size());
    else if (as != ComplianceAs::itself || !wants_approximation(index) ||
             !own.compliance->measure_approximately(body, record.parts.rest))
        own.compliance->measure(body, as);
    copy_compliance(own);
    PLUSH_ASSERT(own.first_constraint_node + own.rows_of_node.size() <= nodes_.size());
    for (std::size_t i = 0, row = 0; i < own.rows_of_node.size(); row += own.rows_of_node[i++]) {
        Node& node = nodes_[own.first_constraint_node + i];
        for (std::size_t r = 0; r < own.rows_of_node[i]; ++r)
            for (const HalfSolves::Entry& e : own.compliance->row(row + r)) {
                node.before.linear[r] += dot(e.value, body.velocities()[e.row]);
                node.velocity.linear[r] += dot(e.value, body.next_velocities()[e.row]);
            }
    }
}

std::span<NodeGroup> ConstraintSystem::groups_of(const BodyNodes& own) {
    const auto group = std::find_if(rows_.groups.begin(), rows_.groups.end(), [&](const NodeGroup& g) {
        return g.first_node == own.first_constraint_node;
    });
    PLUSH_ASSERT(group != rows_.groups.end());
    const std::size_t alone = own.nodal ? own.points.size() : 0;
    return {group, alone + (own.rows_of_node.size() > alone ? 1 : 0)};
}

double ConstraintSystem::going_on(std::uint32_t index) const {
    return std::min(1.0, tuning::lasting_growth * expected_.persistence(index));
}

double ConstraintSystem::impulse_factor(std::uint32_t index) const {
    if (!bodies_[index].is_deformable()) return 1;
    const DeformableBody& body = bodies_[index].deformable();
    if (body.settings().integration.method != IntegrationMethod::bdf2) return 1;
    return 1 - going_on(index) * (1 - body.position_factor(settings_.step) / settings_.step);
}

double ConstraintSystem::lasting_part(std::uint32_t index) const {
    return 1 - (1 - going_on(index)) / impulse_factor(index);
}

/// W, node by node.
void ConstraintSystem::copy_compliance(const BodyNodes& own) {
    const std::span<NodeGroup> groups = groups_of(own);
    const std::size_t alone = own.nodal ? own.points.size() : 0;
    const double factor = impulse_factor(body_of_node_[own.first_constraint_node]);
    for (std::size_t k = 0; k < alone; ++k) {
        const double w = factor * own.compliance->inverse_mass(3 * k);
        groups[k].compliance.assign(1, Mat3::diagonal({w, w, w}));
    }
    if (groups.size() == alone) return;
    NodeGroup& group = groups.back();
    const std::size_t count = group.count;
    PLUSH_ASSERT(count + alone == own.rows_of_node.size());
    group.compliance.assign(count * count, Mat3{});
    const std::span<const double> w = own.compliance->compliance();
    const std::size_t all_rows = own.compliance->rows() - 3 * alone;
    PLUSH_ASSERT(w.size() == all_rows * all_rows);
    const std::span<const std::uint8_t> rows_of = std::span(own.rows_of_node).subspan(alone);
    for (std::size_t i = 0, row = 0; i < count; row += rows_of[i++])
        for (std::size_t r = 0; r < rows_of[i]; ++r)
            for (std::size_t j = 0, column = 0; j < count; column += rows_of[j++])
                for (std::size_t c = 0; c < rows_of[j]; ++c)
                    group.compliance[i * count + j](r, c) = factor * w[(row + r) * all_rows + column + c];
}

void ConstraintSystem::start_velocities(bool displacements) {
    velocities_.resize(nodes_.size());
    for (std::size_t n = 0; n < nodes_.size(); ++n)
        velocities_[n] = displacements ? Twist{} : nodes_[n].velocity;
}

std::optional<std::uint32_t> ConstraintSystem::node_of_vertex(std::uint32_t body,
                                                              std::uint32_t vertex) const {
    const BodyNodes& own = of_body_[body];
    const auto at = std::lower_bound(own.jointed_vertices.begin(), own.jointed_vertices.end(), vertex);
    if (at == own.jointed_vertices.end() || *at != vertex) return {};
    return own.first_constraint_node + static_cast<std::uint32_t>(at - own.jointed_vertices.begin());
}

double ConstraintSystem::largest_compliance(std::uint32_t body, std::uint32_t node) const {
    const BodyNodes& own = of_body_[body];
    for (const NodeGroup& group : rows_.groups) {
        if (group.first_node != own.first_constraint_node) continue;
        const std::size_t k = node - group.first_node;
        const Mat3& w = group.compliance[k * group.count + k];
        return std::max({w(0, 0), w(1, 1), w(2, 2)});
    }
    return 0;
}

std::uint32_t ConstraintSystem::node_of_point(std::uint32_t body, std::uint32_t point) const {
    const BodyNodes& own = of_body_[body];
    PLUSH_ASSERT(point < own.points.size());
    return own.first_constraint_node + static_cast<std::uint32_t>(own.jointed_vertices.size()) + point;
}

std::vector<Twist> ConstraintSystem::expected_velocities() const {
    std::vector<Twist> expected;
    for (const Node& node : nodes_) expected.push_back(node.velocity);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyNodes& own = of_body_[i];
        if (own.first_node && bodies_[i].kind == BodyKind::rigid) {
            expected[*own.first_node].linear += expected_.rigid_change(i).linear;
            expected[*own.first_node].angular += expected_.rigid_change(i).angular;
        }
        const auto v = expected_.velocities(i);
        if (v.empty()) continue;  // its motion is that of the prediction
        for (std::size_t k = 0, row = 0; k < own.rows_of_node.size(); row += own.rows_of_node[k++]) {
            Vec3& w = expected[own.first_constraint_node + k].linear = {};
            for (std::size_t r = 0; r < own.rows_of_node[k]; ++r)
                for (const HalfSolves::Entry& e : own.compliance->row(row + r)) {
                    PLUSH_ASSERT(e.row < v.size());
                    w[r] += dot(e.value, v[e.row]);
                }
        }
    }
    return expected;
}

// -- solving

std::vector<std::uint32_t> ConstraintSystem::build_islands(std::span<const char> marked_blocks) {
    PLUSH_ASSERT(marked_blocks.empty() || marked_blocks.size() == rows_.blocks.size());
    PLUSH_ASSERT(velocities_.size() == nodes_.size());
    islands_.build(rows_, body_of_node_, bodies_.size());
    std::vector<std::uint32_t> wanted(islands_.size());
    std::iota(wanted.begin(), wanted.end(), 0u);
    if (marked_blocks.empty()) return wanted;
    std::erase_if(wanted, [&](std::uint32_t k) {
        const auto blocks = islands_.blocks(k);
        return std::none_of(blocks.begin(), blocks.end(),
                            [&](std::uint32_t b) { return marked_blocks[b] != 0; });
    });
    return wanted;
}

void ConstraintSystem::solve(const StepContext& step, std::span<const std::uint32_t> islands,
                             const SolverSettings& solver, double tolerance,
                             const SolveIsland& solve_island) {
    PLUSH_ASSERT(std::is_sorted(islands.begin(), islands.end()));
    PLUSH_ASSERT(islands.empty() || islands.back() < islands_.size());
    ComplianceIteration iteration(*this, step, islands, solver, tolerance);
    iteration.begin();
    island_reports_.assign(islands_.size(), {});
    step.parallel.each(islands.size(), tuning::islands_per_task, [&](std::size_t k) {
        island_reports_[islands[k]] = solve_island(islands_.blocks(islands[k]));
    });
    iteration.run(solve_island);
}

void ConstraintSystem::solve_again(const StepContext& step, std::uint32_t island,
                                   const SolverSettings& solver, const SolveIsland& solve_island) {
    // Warm starts are applied to u*.
    std::vector<char> of_island(bodies_.size());
    for (const std::uint32_t b : islands_.blocks(island))
        for (const Entry& e : rows_.entries_of(rows_.blocks[b])) of_island[body_of_node_[e.node]] = 1;
    for (std::size_t n = 0; n < nodes_.size(); ++n)
        if (of_island[body_of_node_[n]]) velocities_[n] = nodes_[n].velocity;
    const std::vector<SweepReport> others = island_reports_;
    solve(step, {&island, 1}, solver, solver.tolerance, solve_island);
    const SweepReport again = island_reports_[island];
    island_reports_ = others;
    island_reports_[island] = {others[island].iterations + again.iterations, again.residual};
}

WorstCase ConstraintSystem::worst_case(std::size_t island) const {
    WorstCase worst{island_reports_[island].residual};
    const auto entries = rows_.entries_of(rows_.blocks[islands_.blocks(island).front()]);
    if (entries.empty()) return worst;
    worst.a = bodies_.id(body_of_node_[entries.front().node]);
    const BodyId last = bodies_.id(body_of_node_[entries.back().node]);
    if (last != worst.a) worst.b = last;
    return worst;
}

SolverSettings ConstraintSystem::solver_for(std::span<const std::uint32_t> blocks,
                                            SolverSettings settings) const {
    for (const std::uint32_t b : blocks)
        for (const Entry& e : rows_.entries_of(rows_.blocks[b]))
            if (of_body_[body_of_node_[e.node]].nodal) {
                settings.iterations = std::min(settings.iterations, tuning::nodal_sweeps);
                settings.newton = false;  // its matrix is full
                return settings;
            }
    return settings;
}

void ConstraintSystem::restore(const Saved& saved) {
    rows_.blocks = saved.blocks, rows_.entries = saved.entries;
    velocities_ = saved.velocities;
    islands_.build(rows_, body_of_node_, bodies_.size());
    island_reports_ = saved.reports;
}

// -- what comes of it

double ConstraintSystem::work_of(const Block& block) const {
    Vec3 mean = block.given;
    for (const Entry& e : rows_.entries_of(block)) {
        const Twist &u = nodes_[e.node].before, &v = velocities_[e.node];
        mean += 0.5 * (e.linear * (u.linear + v.linear) + e.angular * (u.angular + v.angular));
    }
    return dot(block.impulse, mean);
}

std::vector<double> ConstraintSystem::work_on_bodies() const {
    std::vector<double> work(bodies_.size());
    for (const Block& block : rows_.blocks)
        for (const Entry& e : rows_.entries_of(block)) {
            const Twist &u = nodes_[e.node].before, &v = velocities_[e.node];
            const Vec3 mean = 0.5 * (e.linear * (u.linear + v.linear) + e.angular * (u.angular + v.angular));
            work[body_of_node_[e.node]] += dot(block.impulse, mean);
        }
    return work;
}

Momentum ConstraintSystem::impulse_of(const Entry& e, const Vec3& impulse) const {
    const Vec3 p = transpose_times(e.linear, impulse);
    const std::uint32_t body = body_of_node_[e.node];
    const BodyNodes& own = of_body_[body];
    if (own.first_node) return {p, cross(nodes_[e.node].origin, p) + transpose_times(e.angular, impulse)};
    const std::size_t k = e.node - own.first_constraint_node;
    PLUSH_ASSERT(k < own.rows_of_node.size());
    const auto x = bodies_[body].deformable().positions();
    Momentum sum;
    for (std::size_t r = 0; r < own.rows_of_node[k]; ++r)
        for (const HalfSolves::Entry& at : own.compliance->row(own.first_row_of_node[k] + r)) {
            const Vec3 share = p[r] * at.value;
            sum.linear += share, sum.angular += cross(x[at.row], share);
        }
    return sum;
}

/// The impulses of all rows on the constraint nodes of a body.
std::vector<double> ConstraintSystem::impulses_on(const BodyNodes& own) const {
    const std::uint32_t first = own.first_constraint_node;
    std::vector<Vec3> at_nodes(own.rows_of_node.size());
    for (const Block& block : rows_.blocks)
        for (const Entry& e : rows_.entries_of(block)) {
            PLUSH_ASSERT(e.node < nodes_.size());
            if (e.node >= first && e.node < first + own.rows_of_node.size())
                at_nodes[e.node - first] += transpose_times(e.linear, block.impulse);
        }
    std::vector<double> impulses;
    for (std::size_t k = 0; k < own.rows_of_node.size(); ++k)
        for (std::size_t r = 0; r < own.rows_of_node[k]; ++r) impulses.push_back(at_nodes[k][r]);
    return impulses;
}

/// What the impulses on its constraint nodes do to all vertices of a deformable body.
std::vector<Twist> ConstraintSystem::vertex_changes(std::uint32_t body) const {
    const BodyNodes& own = of_body_[body];
    if (own.rows_of_node.empty()) return {};
    std::vector<Vec3> change(bodies_[body].body->node_count());
    PLUSH_ASSERT(own.compliance);
    own.compliance->change(impulses_on(own), change);
    const double factor = impulse_factor(body);
    std::vector<Twist> twists(change.size());
    for (std::size_t k = 0; k < change.size(); ++k) twists[k].linear = factor * change[k];
    return twists;
}

std::vector<Twist> ConstraintSystem::velocity_change(std::uint32_t body) const {
    if (bodies_[body].kind == BodyKind::deformable) return vertex_changes(body);
    const auto first = first_node(body);
    PLUSH_ASSERT(!first || *first + bodies_[body].body->node_count() <= velocities_.size());
    std::vector<Twist> change(first ? bodies_[body].body->node_count() : 0);
    for (std::size_t k = 0; k < change.size(); ++k) {
        const std::size_t n = *first + k;
        change[k] = {velocities_[n].linear - nodes_[n].velocity.linear,
                     velocities_[n].angular - nodes_[n].velocity.angular};
    }
    return change;
}

std::vector<Twist> ConstraintSystem::displacement(std::uint32_t body) const {
    const auto first = first_node(body);
    if (!first) return vertex_changes(body);
    PLUSH_ASSERT(*first + bodies_[body].body->node_count() <= velocities_.size());
    const auto begin = velocities_.begin() + *first;
    return {begin, begin + static_cast<std::ptrdiff_t>(bodies_[body].body->node_count())};
}

void ConstraintSystem::forget_rest_shape(std::uint32_t body) {
    if (const auto& compliance = of_body_.at(body).compliance) compliance->forget_rest();
}

}  // namespace plush
