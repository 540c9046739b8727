#include "world/joint_projection.hpp"

#include <algorithm>
#include <numeric>

#include "contact/solver/block_solver.hpp"
#include "core/assert.hpp"
#include "core/tuning.hpp"

// Of all poses near q the one is sought in which the joints of a group gape least,
//
//     min  c(q) = Σ_k |g_k(q)|² / D_k,        g_k the gap of block k, for a limit min(0, room),
//
// D_k the mean compliance of the block's rows, which makes metres and radians comparable. A group that can be closed ends
// with c = 0, and joints that contradict each other share what is left. The step of Levenberg (1944) and Marquardt (1963)
// solves the linear rows with a compliance ε D_k,
//
//     g_k + J_k Δq + ε D_k λ_k = 0,      Δq = M⁻¹ Jᵀ λ,      λ ≥ 0 for limits,
//
// and so minimises |g + J Δq|²_{1/D} + ε |Δq|²_M. ε = 0 is the method of Gauss and Newton, which converges
// quadratically where the group can be closed. A step is made where c falls by a part of what the linear rows promise;
// ε falls after good steps and rises after bad ones. c has minima other than the nearest to the motion, and bodies that turn
// far in a step may end in one. So c must not be larger than at the start of the step, which is a pose of no larger c itself:
// else the motion is followed in parts that keep this law. Joints that were closed stay closed. Every Δq is made of impulses of the joints: it moves neither the
// common centre of mass of a free group nor, but for the second order of its angles, turns it.

namespace plush {
namespace {

constexpr std::uint32_t none = JointRecord::none;

std::uint32_t root(std::vector<std::uint32_t>& parent, std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

}  // namespace

/// The joints of one group, with the poses of its bodies as unknowns.
class JointProjection::Problem {
public:
    Problem(const BodyStore& bodies, const JointStore& joints, const Group& group,
            std::span<const Transform> start)
        : bodies_(bodies), joints_(joints), group_(group), start_(start) {
        begin();
    }

    /// From the end of the step, and where that opens joints, along the way from its start.
    void solve() {
        const State start = std::exchange(now_, State{end_of_step()});
        minimise();
        if (!has_opened(start)) return;
        const State direct = now_;
        follow(start);
        if (now_.largest > tuning::joint_slack && direct.cost < now_.cost) now_ = direct;
    }

    /// The part of c that the linear rows could still take; 0 where no joint gapes.
    double residual() const { return now_.largest > tuning::joint_slack ? now_.residual : 0; }

    /// The whole displacement of a body of the group.
    Twist displacement(std::size_t k) const {
        const RigidBody& body = bodies_[group_.bodies[k]].rigid();
        return {now_.at.nodes[k].origin - body.centre(),
                log_rotation(now_.at.poses[k].rotation * conjugate(body.pose().rotation))};
    }

    /// What the displacements of its bodies give to the potential of gravity, J.
    double lift(const Vec3& gravity) const {
        double sum = 0;
        for (std::size_t k = 0; k < group_.bodies.size(); ++k)
            sum -= bodies_[group_.bodies[k]].rigid().mass() * dot(gravity, displacement(k).linear);
        return sum;
    }

private:
    struct Place {
        std::vector<Node> nodes;
        std::vector<Transform> poses;
        double remaining = 0;  ///< of the step
    };
    struct State {
        Place at{};
        double cost = 0, largest = 0;  ///< c, and the largest gap, m or rad
        double residual = 1;           ///< the part of c that the linear rows promise to take
    };
    struct Trial {
        Place at;
        double linear = 0, cost = 0;
    };

    /// What the step did to a body: the displacement of its centre and its rotation.
    Twist motion(std::uint32_t i) const {
        const Transform end = bodies_[i].body->pose(), &from = start_[i];
        const Quat turn = end.rotation * conjugate(from.rotation);
        const Vec3 centre = bodies_[i].kind == BodyKind::rigid ? bodies_[i].rigid().centre() : end.position;
        return {centre - (from.position + rotate(conjugate(turn), centre - end.position)),
                log_rotation(turn)};
    }

    Place end_of_step() const {
        Place end;
        for (const std::uint32_t i : group_.bodies) {
            const RigidBody& body = bodies_[i].rigid();
            Node node;
            node.origin = body.centre();
            node.inverse_mass = 1 / body.mass();
            node.inverse_inertia = inverse(body.world_inertia());
            end.nodes.push_back(node);
            end.poses.push_back(body.pose());
        }
        return end;
    }

    /// This part of the motion of the step.
    std::vector<Twist> motions(double part) const {
        std::vector<Twist> moved;
        for (const std::uint32_t i : group_.bodies) {
            const Twist whole = motion(i);
            moved.push_back({part * whole.linear, part * whole.angular});
        }
        return moved;
    }

    /// Whether joints gape more than at a state before.
    bool has_opened(const State& before) const {
        return now_.largest > tuning::joint_slack &&
               (before.largest <= tuning::joint_slack ||
                now_.cost > (1 + tuning::joint_stationary) * before.cost);
    }

    // Every part of the motion starts where joints gape no more than at the start. A part that would open them is halved. Where
    // the way ends, as at a dead point of a linkage, the rest of the motion is not made.
    void follow(const State& start) {
        State good = start;
        double part = 0.5;
        while (good.at.remaining > 0 && part >= tuning::joint_least_part) {
            now_ = State{displaced(good.at, motions(part))};
            now_.at.remaining = good.at.remaining - part;
            minimise();
            if (has_opened(good)) {
                part /= 2;
                continue;
            }
            good = now_;
            part = std::min(2 * part, good.at.remaining);
        }
        now_ = std::move(good);
        now_.at.remaining = 0;  // bodies whose motion is given are at the end of it
        minimise();
    }

    /// Where the step started: D of all blocks, so that costs of different poses can be compared, and the cost there.
    void begin() {
        now_.at = displaced(end_of_step(), motions(-1));
        now_.at.remaining = 1;
        add_rows();
        for (const Block& block : rows_.blocks) {
            Mat3 own{};
            for (const Entry& e : rows_.entries_of(block))
                own += compliance_between(rows_, now_.at.nodes, e, e);
            compliance_.push_back(std::max(trace(own) / block.rows, 1e-300));
        }
        index_.resize(rows_.blocks.size());
        std::iota(index_.begin(), index_.end(), 0u);
        linearise();
    }

    /// Until no gap is left, or none that the linear rows could make smaller.
    void minimise() {
        double epsilon = tuning::joint_first_damping;
        linearise();
        for (int i = 0; i < tuning::joint_projections && now_.largest > tuning::joint_slack; ++i) {
            const Trial trial = try_step(epsilon);
            const double fallen = now_.cost - trial.cost, promised = now_.cost - trial.linear;
            const bool trusted = fallen > tuning::joint_progress * promised;
            if (trusted || epsilon <= tuning::joint_first_damping) now_.residual = promised / now_.cost;
            if (trusted) {
                now_.at = trial.at;
                linearise();
            }
            if (!(now_.residual > tuning::joint_stationary)) return;
            if (!trusted)
                epsilon = std::max(tuning::joint_first_damping, 10 * epsilon);
            else if (fallen > 0.5 * promised)
                epsilon = epsilon > tuning::joint_first_damping ? epsilon / 10 : 0;
        }
    }

    /// Where a body whose motion is given is at this part of the step.
    Transform given_pose(std::uint32_t i) const {
        const Transform end = bodies_[i].body->pose();
        const double remaining = now_.at.remaining;
        if (remaining == 0) return end;
        const Twist whole = motion(i);
        return {end.position - remaining * whole.linear,
                normalised(exp_rotation(-remaining * whole.angular) * end.rotation)};
    }

    JointSide side(const JointRecord::End& end) const {
        if (end.body == none) return {};
        const auto found = std::lower_bound(group_.bodies.begin(), group_.bodies.end(), end.body);
        if (found == group_.bodies.end() || *found != end.body) return {given_pose(end.body), {}, {}};
        const auto k = static_cast<std::uint32_t>(found - group_.bodies.begin());
        return {now_.at.poses[k], k, {}};
    }

    static double missed(const Block& block, const Vec3& gap) {
        const bool stop = block.law == Block::Law::bounded;
        return norm2(stop ? Vec3{std::min(0.0, gap.x), 0, 0} : gap);
    }

    void add_rows() {
        rows_.clear();
        sources_.clear();
        now_.largest = 0;
        for (const std::uint32_t j : group_.joints) {
            const JointRecord& joint = joints_.records()[j];
            const JointSides sides{side(joint.a), side(joint.b)};
            now_.largest = std::max(now_.largest, add_joint_displacement_rows(rows_, sources_, joint.joint, j,
                                                                              sides, now_.at.nodes));
        }
    }

    /// Rows, gaps and their cost where the bodies are.
    void linearise() {
        add_rows();
        PLUSH_ASSERT(rows_.blocks.size() == compliance_.size());
        now_.cost = 0;
        for (std::size_t k = 0; k < rows_.blocks.size(); ++k)
            now_.cost += missed(rows_.blocks[k], rows_.blocks[k].bias) / compliance_[k];
    }

    Trial try_step(double epsilon) {
        Rows rows = rows_;
        for (std::size_t k = 0; k < rows.blocks.size(); ++k)
            rows.blocks[k].softness = epsilon * compliance_[k] * Vec3{1, 1, 1};
        std::vector<Twist> change(now_.at.nodes.size());
        solve_blocks(rows, index_, now_.at.nodes, change,
                     {.iterations = tuning::position_sweeps, .tolerance = tuning::position_tolerance});
        Trial trial{displaced(now_.at, change)};
        for (std::size_t k = 0; k < rows.blocks.size(); ++k) {
            Vec3 gap = rows.blocks[k].bias;
            for (const Entry& e : rows.entries_of(rows.blocks[k]))
                gap += e.linear * change[e.node].linear + e.angular * change[e.node].angular;
            trial.linear += missed(rows.blocks[k], gap) / compliance_[k];
        }
        std::swap(now_.at, trial.at);
        for (std::size_t k = 0; k < rows.blocks.size(); ++k) {
            const JointRecord& joint = joints_.records()[sources_[k].joint];
            const JointFrames frames = joint_frames(joint.joint, side(joint.a).pose, side(joint.b).pose);
            trial.cost +=
                missed(rows.blocks[k], joint_gap(joint.joint, sources_[k].role, frames)) / compliance_[k];
        }
        std::swap(now_.at, trial.at);
        return trial;
    }

    static Place displaced(Place to, std::span<const Twist> change) {
        for (std::size_t k = 0; k < change.size(); ++k) {
            const Quat turn = exp_rotation(change[k].angular);
            const Mat3 r = to_matrix(turn);
            Node& node = to.nodes[k];
            const Vec3 centre = node.origin;
            node.origin += change[k].linear;
            node.inverse_inertia = r * node.inverse_inertia * transpose(r);
            Transform& pose = to.poses[k];
            pose = {node.origin + rotate(turn, pose.position - centre), normalised(turn * pose.rotation)};
        }
        return to;
    }

    const BodyStore& bodies_;
    const JointStore& joints_;
    const Group& group_;
    std::span<const Transform> start_;
    State now_;
    Rows rows_;
    std::vector<JointRow> sources_;
    std::vector<std::uint32_t> index_;
    std::vector<double> compliance_;  ///< D
};

bool JointProjection::is_free(std::uint32_t body) const {
    return body != none && bodies_[body].kind == BodyKind::rigid && bodies_[body].awake();
}

// Joints of deformable bodies are left to the rows of the position phase: those know how such a body yields.
std::vector<JointProjection::Group> JointProjection::gaping_groups() {
    const auto records = joints_.records();
    projected_.assign(records.size(), 0);
    if (std::none_of(records.begin(), records.end(), [](const JointRecord& j) { return j.alive; })) return {};
    std::vector<std::uint32_t> parent(bodies_.size());
    std::iota(parent.begin(), parent.end(), 0u);
    for (const JointRecord& joint : records) {
        if (!joint.alive || !is_free(joint.a.body) || !is_free(joint.b.body)) continue;
        const std::uint32_t a = root(parent, joint.a.body), b = root(parent, joint.b.body);
        parent[std::max(a, b)] = std::min(a, b);
    }
    std::vector<char> gapes(bodies_.size()), soft(bodies_.size());
    const auto of_joint = [&](const JointRecord& joint) {
        return is_free(joint.a.body)   ? root(parent, joint.a.body)
               : is_free(joint.b.body) ? root(parent, joint.b.body)
                                       : none;
    };
    for (const JointRecord& joint : records) {
        if (!joint.alive || of_joint(joint) == none) continue;
        const std::uint32_t group = of_joint(joint);
        if (joint.a.vertex != none || joint.b.vertex != none)
            soft[group] = 1;
        else if (joint_opening(joint.joint, joints_.frames_now(joint)) > tuning::joint_slack)
            gapes[group] = 1;
    }
    std::vector<Group> groups;
    std::vector<std::uint32_t> place(bodies_.size(), none);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!is_free(i)) continue;
        const std::uint32_t group = root(parent, i);
        if (!gapes[group] || soft[group]) continue;
        if (place[group] == none)
            place[group] = static_cast<std::uint32_t>(groups.size()), groups.emplace_back();
        groups[place[group]].bodies.push_back(i);
    }
    for (std::uint32_t j = 0; j < records.size(); ++j) {
        if (!records[j].alive || of_joint(records[j]) == none) continue;
        projected_[j] = !soft[of_joint(records[j])];
        const std::uint32_t at = place[of_joint(records[j])];
        if (at != none) groups[at].joints.push_back(j);
    }
    return groups;
}

/// Whether it is jointed to a body whose given motion is not rest: that may give energy.
bool JointProjection::is_driven(const Group& group) const {
    const auto moves = [&](std::uint32_t body) {
        if (body == none || bodies_[body].dynamic()) return false;
        const Twist t = bodies_[body].body->motion().twist;
        return norm2(t.linear) + norm2(t.angular) > 0;
    };
    return std::any_of(group.joints.begin(), group.joints.end(), [&](std::uint32_t j) {
        return moves(joints_.records()[j].a.body) || moves(joints_.records()[j].b.body);
    });
}

// Velocity rows let a group fall along what they do not hold at first order, as joints that contradict each other do not, and
// the projection lifts it again: without this it would fall ever faster in its place. A free group keeps its centre of mass
// and is never lifted.
void JointProjection::pay(const Group& group, double energy) {
    double kinetic = 0;
    for (const std::uint32_t i : group.bodies) kinetic += bodies_[i].body->kinetic_energy();
    if (!(kinetic > 0)) return;
    const double factor = std::sqrt(std::max(0.0, 1 - energy / kinetic));
    for (const std::uint32_t i : group.bodies) {
        RigidBody& body = bodies_[i].rigid();
        body.set_velocity(factor * body.velocity(), factor * body.angular_velocity());
    }
}

void JointProjection::begin_step() {
    start_.resize(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body) start_[i] = bodies_[i].body->pose();
}

void JointProjection::run(const StepContext& step, std::span<double> way, std::span<char> displaced) {
    PLUSH_ASSERT(way.size() == bodies_.size() && displaced.size() == bodies_.size() &&
                 start_.size() == bodies_.size());
    const std::vector<Group> groups = gaping_groups();
    std::vector<double> residuals(groups.size());
    step.parallel.each(groups.size(), tuning::islands_per_task, [&](std::size_t g) {
        Problem problem(bodies_, joints_, groups[g], start_);
        problem.solve();
        residuals[g] = problem.residual();
        const double lifted = problem.lift(step.settings.gravity);
        for (std::size_t k = 0; k < groups[g].bodies.size(); ++k) {
            const std::uint32_t i = groups[g].bodies[k];
            const Twist change = problem.displacement(k);
            way[i] += norm(change.linear) + norm(change.angular) * bodies_[i].body->size();
            displaced[i] = 1;
            bodies_[i].body->displace({&change, 1});
        }
        if (lifted > 0 && !is_driven(groups[g])) pay(groups[g], lifted);
    });
    ConvergenceReport& convergence = step.report.convergence;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        convergence.position_residual = std::max(convergence.position_residual, residuals[g]);
        convergence.count(position_trouble, {residuals[g], bodies_.id(groups[g].bodies.front())},
                          residuals[g] > tuning::joint_stationary);
    }
}

}  // namespace plush
