#include "world/joint_rows.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "math/svd3.hpp"

namespace plush {
namespace {

constexpr std::uint32_t none = JointRecord::none;

/// The part of a symmetric matrix with eigenvalues above 0.
Mat3 positive_part(const Mat3& m) {
    const Svd3 svd = svd3(m);
    const Mat3 size = svd.right * Mat3::diagonal(abs(svd.sigma)) * transpose(svd.right);  // |m|
    const Mat3 sum = 0.5 * (m + size);
    return 0.5 * (sum + transpose(sum));
}

/// An island before it is solved, to solve it again in another way.
class IslandStart {
public:
    IslandStart(ConstraintSystem& system, std::span<const std::uint32_t> blocks)
        : system_(system), index_(blocks) {
        const Rows& rows = system.rows();
        for (const std::uint32_t b : blocks) {
            blocks_.push_back(rows.blocks[b]);
            for (const Entry& e : rows.entries_of(rows.blocks[b])) {
                const NodeGroup* group = rows.group_of(e.node);
                const std::uint32_t first = group ? group->first_node : e.node;
                for (std::uint32_t n = first; n < first + (group ? group->count : 1); ++n)
                    velocities_.emplace_back(n, system.velocities()[n]);
            }
        }
    }
    void restore() {
        for (std::size_t k = 0; k < index_.size(); ++k) system_.rows().blocks[index_[k]] = blocks_[k];
        for (const auto& [n, u] : velocities_) system_.velocities()[n] = u;
    }

private:
    ConstraintSystem& system_;
    std::span<const std::uint32_t> index_;
    std::vector<Block> blocks_;
    std::vector<std::pair<std::uint32_t, Twist>> velocities_;
};

/// What is left of the gap of a row that keeps a joint as it is: the room to a limit.
Vec3 room(const Block& block) {
    return block.law == Block::Law::bounded ? Vec3{std::max(0.0, block.bias.x), 0, 0} : Vec3{};
}

/// The mean compliance of the rows of each block.
std::vector<double> mean_compliance(const ConstraintSystem& system, std::span<const std::uint32_t> blocks) {
    const Rows& rows = system.rows();
    std::vector<double> compliance;
    for (const std::uint32_t b : blocks) {
        Mat3 own{};
        const auto entries = rows.entries_of(rows.blocks[b]);
        for (const Entry& e : entries)
            for (const Entry& f : entries) own += compliance_between(rows, system.nodes(), e, f);
        compliance.push_back(std::max(trace(own) / rows.blocks[b].rows, 1e-300));
    }
    return compliance;
}

void soften(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const double> compliance,
            double epsilon) {
    for (std::size_t k = 0; k < blocks.size(); ++k)
        rows.blocks[blocks[k]].softness += epsilon * compliance[k] * Vec3{1, 1, 1};
}

}  // namespace

// A force f at the lever r holds a body upright as gravity holds a pendulum: turned by θ across r it is pulled back by
// the torque (f·r) θ. The rows of the start take this stiffness K = Σ (f·r) (1 − r̂ r̂ᵀ) explicitly, which is stable up
// to h² K = 4 I, and a light link in a taut chain is far beyond. There, and there alone, half of it is taken implicitly,
// as inertia (Andrews, Teichmann & Kövecses 2017, "Geometric stiffness for real-time constrained multibody dynamics", who
// add all of it; half is enough since x' = x + h v' with inertia 1 + h² k/2 − 2 has both of its roots in the unit
// circle):
//
//     ΔI = [½ h² K − 2 c I]₊.
//
// Slow bodies (pendulums, ragdolls) get none and lose no energy. f is that of the last step.
void JointRows::add_geometric_stiffness(double h) {
    const auto records = joints_.records();
    std::vector<Mat3> stiffness(records.empty() ? 0 : bodies_.size());
    std::vector<double> bound(stiffness.size());
    for (const JointRecord& joint : records) {
        if (!joint.alive) continue;
        const JointFrames at = joints_.frames_now(joint);
        const auto add = [&](std::uint32_t k, const Vec3& anchor, const Vec3& force) {
            if (k == none || bodies_[k].kind != BodyKind::rigid || bodies_[k].asleep) return;
            const Vec3 r = anchor - bodies_[k].rigid().centre();
            const double along = dot(force, r);
            if (!(along > 0)) return;
            stiffness[k] += along * (Mat3::identity() - outer(r, r) * (1 / norm2(r)));
            bound[k] += along;
        };
        add(joint.a.body, at.a.position, joint.joint.force);
        add(joint.b.body, at.b.position, -joint.joint.force);
    }
    for (std::size_t k = 0; k < stiffness.size(); ++k) {
        if (bound[k] == 0) continue;
        const Mat3 own = bodies_[k].rigid().world_inertia();
        // The least moment of inertia is at least det / (greatest)², and the greatest at most the trace / 2.
        const double greatest = 0.5 * trace(own);
        if (0.5 * h * h * bound[k] * greatest * greatest < 2 * tuning::explicit_turning * determinant(own))
            continue;
        const Mat3 extra = positive_part(0.5 * h * h * stiffness[k] - 2 * tuning::explicit_turning * own);
        if (trace(extra) > 0) bodies_[k].rigid().set_added_inertia(extra);
    }
}

void JointRows::add_constraint_nodes() {
    for (const JointRecord& joint : joints_.records())
        for (const auto& end : {joint.a, joint.b})
            if (joint.alive && end.vertex != none) system_.add_vertex(end.body, end.vertex);
}

JointSide JointRows::side(const JointRecord::End& end) const {
    if (end.body == none) return {};
    const BodyRecord& record = bodies_[end.body];
    if (end.vertex == none)
        return {record.body->pose(), system_.first_node(end.body),
                record.dynamic() ? Motion{} : record.body->motion()};
    return {
        {record.deformable().positions()[end.vertex], {}}, system_.node_of_vertex(end.body, end.vertex), {}};
}

Transform JointRows::pose_after(const JointRecord::End& end, double h) const {
    if (end.body == none) return {};
    const BodyRecord& record = bodies_[end.body];
    const auto change = [&](std::uint32_t n) {
        return Twist{system_.velocities()[n].linear - system_.nodes()[n].velocity.linear,
                     system_.velocities()[n].angular - system_.nodes()[n].velocity.angular};
    };
    if (end.vertex != none) {
        const JointSide at = side(end);
        if (!at.node) return at.pose;
        return {record.deformable().after().x[end.vertex] + h * change(*at.node).linear, {}};
    }
    if (!record.dynamic()) return record.kinematic().next_pose();
    const auto node = system_.first_node(end.body);
    return node ? record.rigid().pose_after(change(*node)) : record.body->pose();
}

void JointRows::add_velocity_rows(double h) {
    PLUSH_ASSERT(system_.rows().blocks.empty());  // joints come first
    rows_.clear();
    const auto records = joints_.records();
    all_released_.assign(records.size(), 0);
    for (std::uint32_t k = 0; k < records.size(); ++k) {
        Joint& joint = records[k].joint;
        if (!records[k].alive) continue;
        const JointSides at = sides(records[k]);
        joint.position = joint_coordinate(joint, joint_frames(joint, at.a.pose, at.b.pose));
        add_joint_rows(system_.rows(), rows_, joint, k, at, system_.nodes(), h);
    }
    system_.end_joint_blocks();
    PLUSH_ASSERT(rows_.size() == system_.joint_blocks());
}

void JointRows::add_position_rows(std::span<const char> projected, std::vector<char>& urgent) {
    PLUSH_ASSERT(system_.rows().blocks.empty() && urgent.empty());
    rows_.clear();
    const auto records = joints_.records();
    std::vector<Block>& blocks = system_.rows().blocks;
    for (std::uint32_t k = 0; k < records.size(); ++k) {
        if (!records[k].alive) continue;
        const double gap = add_joint_displacement_rows(system_.rows(), rows_, records[k].joint, k,
                                                       sides(records[k]), system_.nodes());
        for (std::size_t b = urgent.size(); b < blocks.size(); ++b)
            if (projected[k]) rows_[b].closes = false, blocks[b].bias = room(blocks[b]);
        urgent.resize(blocks.size(), gap > tuning::joint_slack && !projected[k]);
    }
    system_.end_joint_blocks();
}

Transform JointRows::pose_displaced(const JointRecord::End& end) const {
    const JointSide at = side(end);
    if (!at.node) return at.pose;
    const Twist& change = system_.velocities()[*at.node];
    if (end.vertex != none) return {at.pose.position + change.linear, {}};
    const Vec3& centre = system_.nodes()[*at.node].origin;
    const Quat turn = exp_rotation(change.angular);
    return {centre + change.linear + rotate(turn, at.pose.position - centre),
            normalised(turn * at.pose.rotation)};
}

/// Σ gap²/D over blocks of joints, D the mean compliance of a block.
struct JointRows::GapSquares {
    double start = 0, linear = 0, end = 0;  ///< now; as the rows have it; where the bodies would be
    double largest = 0;                     ///< gap at the end, m or rad
};

JointRows::GapSquares JointRows::gap_squares(std::span<const std::uint32_t> blocks,
                                             std::span<const double> compliance) const {
    GapSquares sum;
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const Block& block = system_.rows().blocks[blocks[k]];
        const JointRow& row = rows_[blocks[k]];
        if (!row.closes) continue;
        const JointRecord& joint = joints_.records()[row.joint];
        const bool stop = block.law == Block::Law::bounded;
        const auto missed = [&](Vec3 gap) {
            if (stop) gap.x = std::min(0.0, gap.x);
            return norm2(gap);
        };
        Vec3 linear = row.start;
        for (const Entry& e : system_.rows().entries_of(block)) {
            const Twist& u = system_.velocities()[e.node];
            linear += e.linear * u.linear + e.angular * u.angular;
        }
        const JointFrames end = joint_frames(joint.joint, pose_displaced(joint.a), pose_displaced(joint.b));
        const double at_end = missed(joint_gap(joint.joint, row.role, end));
        PLUSH_ASSERT(compliance[k] > 0);
        sum.start += missed(row.start) / compliance[k];
        sum.linear += missed(linear) / compliance[k];
        sum.end += at_end / compliance[k];
        sum.largest = std::max(sum.largest, std::sqrt(at_end) / gap_unit(joint.joint, row.role));
    }
    return sum;
}

// Rows that contradict each other, as a limit that other joints keep from its range, have no solution nearby, and the
// nearest one of the linear rows may be far away. So a displacement is tried before it is made. Where the squares of the
// gaps would not shrink by half of what the rows promise, the rows are solved again with a compliance of ε D (Levenberg 1944, Marquardt 1963),
// which leaves the contradiction as it is and shares it among the joints.
SweepReport JointRows::solve_position_island(std::span<const std::uint32_t> blocks,
                                             const SolverSettings& settings) {
    Rows& rows = system_.rows();
    const auto jointed = joint_blocks(blocks);
    if (std::none_of(jointed.begin(), jointed.end(), [&](std::uint32_t b) { return rows_[b].closes; }))
        return solve_blocks(rows, blocks, system_.nodes(), system_.velocities(), settings);
    const std::vector<double> compliance = mean_compliance(system_, jointed);
    IslandStart start(system_, blocks);
    const bool pushed = blocks.size() > jointed.size();  // by contacts, which may open joints a little
    SweepReport report;
    for (const double epsilon : tuning::joint_dampings) {
        start.restore();
        soften(rows, jointed, compliance, epsilon);
        report = solve_blocks(rows, blocks, system_.nodes(), system_.velocities(), settings);
        const GapSquares gaps = gap_squares(jointed, compliance);
        if (gaps.largest <= (pushed ? tuning::joint_opening : tuning::joint_slack) ||
            gaps.end <= 0.5 * (gaps.start + std::min(gaps.linear, gaps.start)) ||
            (pushed && gaps.end <= tuning::joint_opening_growth * gaps.start))
            return report;
    }
    start.restore();
    return report;
}

std::span<const std::uint32_t> JointRows::joint_blocks(std::span<const std::uint32_t> blocks) const {
    PLUSH_ASSERT(std::is_sorted(blocks.begin(), blocks.end()));
    const auto end =
        std::lower_bound(blocks.begin(), blocks.end(), static_cast<std::uint32_t>(system_.joint_blocks()));
    return blocks.first(static_cast<std::size_t>(end - blocks.begin()));
}

/// Gives the blocks of joints their biases; returns by how much their aim was missed.
double JointRows::aim(std::span<const std::uint32_t> blocks, double h) {
    double missed = 0;
    for (const std::uint32_t b : blocks) {
        PLUSH_ASSERT(b < rows_.size() && rows_[b].joint < joints_.records().size());
        const JointRecord& joint = joints_.records()[rows_[b].joint];
        PLUSH_ASSERT(joint.alive);
        const JointFrames end = joint_frames(joint.joint, pose_after(joint.a, h), pose_after(joint.b, h));
        missed = std::max(missed, aim_joint_row(system_.rows().blocks[b], rows_[b], system_.rows(),
                                                joint.joint, end, system_.velocities(), h));
    }
    return missed;
}

// Solved, moved on trial, aimed again (contact/joints/joint.cpp). Newton's method with the matrix of the start diverges
// where a joint turns too far in a step, as a short rope that is caught at speed: then the last good aim stays, and the
// position phase closes the gap.
SweepReport JointRows::aim_island(IslandSolver& solver, std::span<const std::uint32_t> jointed,
                                  SweepReport total, const SolverSettings& settings, double h) {
    Rows& rows = system_.rows();
    std::vector<Vec3> before(jointed.size());
    double last_missed = HUGE_VAL;
    for (int round = 1; round <= tuning::joint_aims; ++round) {
        std::vector<Vec3> aimed_from;
        for (const std::uint32_t b : jointed) aimed_from.push_back(rows.blocks[b].bias);
        const double missed = aim(jointed, h);
        const bool worse = missed > last_missed;
        if (worse)
            for (std::size_t k = 0; k < jointed.size(); ++k) rows.blocks[jointed[k]].bias = before[k];
        if (!worse && (missed <= tuning::joint_aim_tolerance || round == tuning::joint_aims ||
                       total.iterations >= settings.iterations))
            break;
        const SweepReport again = solver.run();
        total.iterations += again.iterations;
        total.residual = again.residual;
        if (worse) break;
        last_missed = missed;
        before = std::move(aimed_from);
    }
    return total;
}

// Aimed rows may do work, which SHAKE takes and gives back in turn: ½ λ·J (u + u⁺) with u the velocity before the step,
// and gravity left out, sums to the change of T + V + ½ h m g·u, its modified energy. Rows that contradict each other
// give without end. So each joint has an account of what it gave. One that would give more than a small part of the
// kinetic energy of its bodies is released: its rows aim at nothing, J u⁺ = 0, and the work of such rows is
// −½ λᵀ S λ ≤ 0. The gap that this leaves is closed by the position phase.
SweepReport JointRows::solve_island(std::span<const std::uint32_t> blocks, const SolverSettings& settings,
                                    double h) {
    Rows& rows = system_.rows();
    const auto jointed = joint_blocks(blocks);
    if (jointed.empty()) return solve_blocks(rows, blocks, system_.nodes(), system_.velocities(), settings);
    IslandStart start(system_, blocks);
    IslandSolver solver(rows, blocks, system_.nodes(), system_.velocities(), settings);
    SweepReport total = solver.run();
    total = aim_island(solver, jointed, total, settings, h);
    std::vector<Work> works = joints_of(jointed);
    for (int round = 1; round <= tuning::joint_releases; ++round) {
        measure_work(jointed, works);
        if (!choose_released(works, round == tuning::joint_releases)) break;
        std::vector<std::uint32_t> aimed;
        auto work = works.begin();
        for (const std::uint32_t b : jointed) {
            while (work->joint != rows_[b].joint) ++work;
            if (!work->released) aimed.push_back(b);
            reset_joint_row(rows.blocks[b], rows_[b], work->released);
        }
        const SweepReport again = solver.run();
        total.iterations += again.iterations;
        total.residual = again.residual;
        if (!aimed.empty()) total = aim_island(solver, aimed, total, settings, h);
    }
    measure_work(jointed, works);
    for (const double epsilon : tuning::joint_dampings) {
        if (epsilon == 0 || !works.front().final || !gives_too_much(works)) continue;
        // Released rows can give only what rounding makes of rows that are almost redundant.
        start.restore();
        for (const std::uint32_t b : jointed) reset_joint_row(rows.blocks[b], rows_[b], true);
        soften(rows, jointed, mean_compliance(system_, jointed), epsilon);
        total = solve_blocks(rows, blocks, system_.nodes(), system_.velocities(), settings);
        measure_work(jointed, works);
    }
    for (const Work& work : works) all_released_[work.joint] = work.final;
    return total;
}

// An island may be solved several times in a step; what its joints gave is what they did in the last solve.
void JointRows::keep_accounts() {
    for (std::uint32_t k = 0; k < system_.island_count(); ++k) {
        const auto jointed = joint_blocks(system_.island_blocks(k));
        std::vector<Work> works = joints_of(jointed);
        for (Work& work : works) work.final = all_released_[work.joint] != 0;
        measure_work(jointed, works);
        keep_accounts(works);
    }
}

// Of the two bodies against each other: that of their spins, and of their masses about their common centre.
template <class Velocity>
double JointRows::relative_energy(const JointRecord& joint, const Velocity& velocity) const {
    const JointSides at = sides(joint);
    double spin = 0, inverse_mass = 0;
    Vec3 apart{};
    for (const auto& [end, sign] : {std::pair(&at.a, 1.0), std::pair(&at.b, -1.0)}) {
        if (!end->node) {
            apart += sign * end->motion.at(end->pose.position);
            continue;
        }
        const Node& node = system_.nodes()[*end->node];
        const Twist u = velocity(*end->node);
        apart += sign * u.linear;
        if (const NodeGroup* group = system_.rows().group_of(*end->node)) {
            inverse_mass += trace(group->at(*end->node, *end->node)) / 3;
            continue;
        }
        inverse_mass += node.inverse_mass;
        if (norm2(u.angular) > 0 && determinant(node.inverse_inertia) > 0)
            spin += 0.5 * dot(u.angular, inverse(node.inverse_inertia) * u.angular);
    }
    return spin + (inverse_mass > 0 ? 0.5 * norm2(apart) / inverse_mass : 0.0);
}

bool JointRows::gives_too_much(std::span<const Work> works) const {
    double excess = 0;
    for (const Work& work : works)
        excess += joints_.records()[work.joint].joint.gain + work.done - work.allowed;
    return excess > 0 &&
           std::any_of(works.begin(), works.end(), [](const Work& w) { return w.done > w.allowed; });
}

/// Marks the joints that would give too much; all where releasing some did not help. False where there are none.
bool JointRows::choose_released(std::span<Work> works, bool last) const {
    double excess = 0;  // of the island
    for (const Work& work : works)
        excess += joints_.records()[work.joint].joint.gain + work.done - work.allowed;
    bool more = false, all = last;
    for (Work& work : works) {
        if (work.final) return false;
        if (work.done <= (excess > 0 ? 0 : work.allowed)) continue;
        all = all || work.released;
        work.released = more = true;
    }
    if (more && all)
        for (Work& work : works) work.released = work.final = true;
    return more;
}

/// What is taken from one joint may be given by another: accounts of an island are closed when their sum is below 0.
void JointRows::keep_accounts(std::span<const Work> works) {
    double sum = 0;
    for (const Work& work : works) sum += joints_.records()[work.joint].joint.gain += work.done;
    if (sum < 0)
        for (const Work& work : works) joints_.records()[work.joint].joint.gain = 0;
}

std::vector<JointRows::Work> JointRows::joints_of(std::span<const std::uint32_t> blocks) const {
    std::vector<Work> works;
    for (const std::uint32_t b : blocks) {
        if (!works.empty() && works.back().joint == rows_[b].joint) continue;
        works.push_back({rows_[b].joint});
    }
    return works;
}

void JointRows::measure_work(std::span<const std::uint32_t> blocks, std::vector<Work>& works) const {
    for (Work& work : works) {
        const JointRecord& joint = joints_.records()[work.joint];
        const auto before = [&](std::uint32_t n) { return system_.nodes()[n].before; };
        const auto predicted = [&](std::uint32_t n) { return system_.nodes()[n].velocity; };
        const auto after = [&](std::uint32_t n) { return system_.velocities()[n]; };
        work.done = 0;
        work.allowed =
            tuning::joint_gain * std::max({relative_energy(joint, before), relative_energy(joint, predicted),
                                           relative_energy(joint, after)});
    }
    auto work = works.begin();
    for (const std::uint32_t b : blocks) {
        while (work->joint != rows_[b].joint) ++work;
        if (gives_energy(rows_[b].role)) continue;
        Vec3 mean = rows_[b].given;
        for (const Entry& e : system_.rows().entries_of(system_.rows().blocks[b])) {
            const Node& node = system_.nodes()[e.node];
            // Released rows do no work on the predicted velocities; the body has turned since those before the step.
            const Twist &u = work->final ? node.velocity : node.before, &v = system_.velocities()[e.node];
            mean += 0.5 * (e.linear * (u.linear + v.linear) + e.angular * (u.angular + v.angular));
        }
        work->done += dot(system_.rows().blocks[b].impulse, mean);
    }
}

// Forces are read off what the rows of a joint do to one of its bodies.
void JointRows::report(double h) {
    const auto records = joints_.records();
    const auto moves = [&](const JointRecord::End& end) {
        return end.body != none && !bodies_[end.body].asleep;
    };
    for (JointRecord& joint : records)
        if (joint.alive && (bodies_[joint.a.body].dynamic() ? moves(joint.a) : moves(joint.b)))
            joint.joint.force = joint.joint.torque = {};  // those asleep hold on as in their last step awake
    const Rows& rows = system_.rows();
    for (std::size_t k = 0; k < system_.joint_blocks(); ++k) {
        const Block& block = rows.blocks[k];
        PLUSH_ASSERT(block.entry_count > 0);
        const Entry& e = rows.entries_of(block)[0];
        JointRecord& joint = records[rows_[k].joint];
        const JointSides at = sides(joint);
        const double sign = at.a.node == e.node ? 1 : -1;  // else it is b's, and a's motion is given
        const Vec3 force = sign / h * transpose_times(e.linear, block.impulse);
        const Vec3 about_origin = sign / h * transpose_times(e.angular, block.impulse);
        const Vec3 anchor = joint_frames(joint.joint, at.a.pose, at.b.pose).a.position;
        joint.joint.force += force;
        joint.joint.torque += about_origin - cross(anchor - system_.nodes()[e.node].origin, force);
        joint.joint.active[static_cast<std::size_t>(rows_[k].role)] = block.active;
    }
}

}  // namespace plush
