#include "world/energy_account.hpp"

namespace plush {
namespace {

Momentum operator-(const Momentum& a, const Momentum& b) {
    return {a.linear - b.linear, a.angular - b.angular};
}

}  // namespace

Momentum EnergyAccount::momentum() const {
    return {momentum_of(bodies_), angular_momentum_of(bodies_)};
}

/// Evaluated again only where the body has moved.
double EnergyAccount::elastic_energy(std::uint32_t body) {
    BodyBooks& books = of_body_[body];
    const DeformableBody& deformable = bodies_[body].deformable();
    if (books.version != deformable.version()) {
        books.version = deformable.version();
        books.elastic = deformable.elastic_energy();
        books.fields = deformable.field_energy();
    }
    return books.elastic;
}

void EnergyAccount::begin_step() {
    start_ = momentum();
    if (!settings_.ledger) return;
    of_body_.fit(bodies_.size());
    before_ = 0;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.body) continue;
        double& own = of_body_[i].own;
        own = record.body->kinetic_energy() + record.body->gravity_energy(settings_.gravity);
        if (record.is_deformable()) own += elastic_energy(i);
        before_ += own;
    }
}

void EnergyAccount::after_prediction() {
    if (!settings_.ledger) return;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || bodies_[i].asleep) continue;
        const auto v = bodies_[i].deformable().next_velocities();
        of_body_[i].predicted.assign(v.begin(), v.end());
    }
}

/// From impulses on velocities to impulses: what other contacts than rows did to a body after its prediction.
void EnergyAccount::after_solve(const StepContext& step) {
    account_momentum(step);
    if (!settings_.ledger) return;
    account_rows(step);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || bodies_[i].asleep) continue;
        const auto v = bodies_[i].deformable().next_velocities();
        std::vector<Vec3>& pushed = of_body_[i].predicted;
        if (pushed.size() != v.size()) pushed.assign(v.begin(), v.end());  // woken since
        for (std::size_t k = 0; k < v.size(); ++k) pushed[k] = v[k] - pushed[k];
    }
}

// A block does the work λ·w̄ on what moves, w̄ = J (u + u')/2. Of what is given, J u has another part, by which the other body
// does work: λ·(w̄ + given) is the block's own, and the rest that of the script.
void EnergyAccount::account_rows(const StepContext& step) {
    EnergyLedger& ledger = step.report.ledger;
    const Rows& rows = system_.rows();
    const auto nodes = system_.nodes();
    const auto after = system_.velocities();
    const std::vector<double> work_on = system_.work_on_bodies();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) of_body_[i].rows = work_on[i], of_body_[i].drags = 0;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const Block& block = rows.blocks[b];
        Vec3 mean = block.given;
        for (const Entry& e : rows.entries_of(block)) {
            PLUSH_ASSERT(e.node < nodes.size() && e.node < after.size());
            const Twist &u = nodes[e.node].before, &v = after[e.node];
            const Vec3 w = 0.5 * (e.linear * (u.linear + v.linear) + e.angular * (u.angular + v.angular));
            mean += w;
        }
        ledger.scripts -= dot(block.impulse, block.given);
        const Vec3 work = times(block.impulse, mean);
        const double all = work.x + work.y + work.z;
        if (b < system_.joint_blocks())
            (joints_.is_motor(b) ? ledger.motors : ledger.joints) += all;
        else if (block.law == Block::Law::limited)  // drags
            ledger.forces += all + rest_of_drag(block);
        else if (block.law == Block::Law::contact)
            ledger.contact += work.x, ledger.friction += work.y + work.z;
        else
            ledger.friction += all;
    }
}

/// A drag's work is its force along the way of its point. Positions of deformable bodies follow the velocities at the end of a
/// step, and the mean of start and end misses half of a pull that starts at rest: this is the other half, which the entry of
/// the integrator has less.
double EnergyAccount::rest_of_drag(const Block& block) {
    double work = 0;
    for (const Entry& e : system_.rows().entries_of(block)) {
        const std::uint32_t body = system_.body_of_node(e.node);
        if (!bodies_[body].is_deformable()) continue;
        const Vec3 change = system_.velocities()[e.node].linear - system_.nodes()[e.node].before.linear;
        const double half = 0.5 * dot(block.impulse, e.linear * change);
        of_body_[body].drags += half;
        work += half;
    }
    return work;
}

void EnergyAccount::account_momentum(const StepContext& step) {
    MomentumReport& report = step.report.momentum;
    const Rows& rows = system_.rows();
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const Block& block = rows.blocks[b];
        if (block.impulse == Vec3{}) continue;
        Momentum net;
        std::optional<std::uint32_t> first, second;
        for (const Entry& e : rows.entries_of(block)) {
            const std::uint32_t body = system_.body_of_node(e.node);
            if (bodies_[body].parts.scripted) continue;  // it has no momentum
            const Momentum p = system_.impulse_of(e, block.impulse);
            net.linear += p.linear, net.angular += p.angular;
            if (!first)
                first = body;
            else if (*first != body)
                second = body;
        }
        report.rows.linear += net.linear, report.rows.angular += net.angular;
        if (!second) continue;
        report.net_impulse = std::max(report.net_impulse, norm(net.linear));
        report.net_moment = std::max(report.net_moment, norm(net.angular));
    }
}

/// What pushed its vertices after the prediction, other than rows.
double EnergyAccount::pushed_work(std::uint32_t body) const {
    const DeformableBody& deformable = bodies_[body].deformable();
    const auto masses = deformable.masses();
    const auto u = deformable.start_velocities(), v = deformable.velocities();
    const std::vector<Vec3>& pushed = of_body_[body].predicted;
    double work = 0;
    for (std::size_t i = 0; i < pushed.size() && i < v.size(); ++i)
        if (pushed[i] != Vec3{}) work += 0.5 * masses[i] * dot(pushed[i], u[i] + v[i]);
    return work;
}

void EnergyAccount::account_deformable(const StepContext& step, std::uint32_t index) {
    EnergyLedger& ledger = step.report.ledger;
    DeformableBody& body = bodies_[index].deformable();
    if (body.problem()) return;
    BodyBooks& books = of_body_[index];
    const double elastic = books.elastic - books.fields, fields_before = books.fields;
    elastic_energy(index);
    std::vector<std::uint32_t> attached;
    for (const Attachment& a : attachments_.of(index))
        if (bodies_[a.to].dynamic()) attached.push_back(a.vertex);
    bool complete = false;
    if (body.script()) {  // what is done to it is done to its script
        const double stored = books.fields - fields_before;
        const EnergyLedger touches = models_.vertices.work_on(step, index, stored);
        ledger += touches;
        const double pushed = pushed_work(index);
        ledger.contact += pushed;
        ledger.scripts -= books.rows + pushed + touches.sum() - stored;
        return;
    }
    StepWork work = body.work_of_step(step.h, books.elastic - books.fields - elastic, attached, complete);
    const double pushed = pushed_work(index);
    if (const DragField* drags = bodies_[index].parts.drags; drags && !drags->pulls().empty())
        work.forces += drags->work();
    const EnergyLedger fields = models_.vertices.work_on(step, index, books.fields - fields_before);
    if (!complete || books.rows != 0 || fields.magnitude() > 0) {
        const double now = body.kinetic_energy() + body.gravity_energy(settings_.gravity) + books.elastic;
        work.integrator = now - books.own - books.rows - books.drags - pushed - work.forces - work.joints -
                          work.scripts - work.damping - fields.sum();
    }
    ledger += fields;
    ledger.contact += pushed;
    ledger.scripts += work.scripts, ledger.forces += work.forces, ledger.joints += work.joints;
    ledger.damping += work.damping, ledger.integrator += work.integrator;
}

void EnergyAccount::after_correct(const StepContext& step) {
    corrected_ = momentum();
    const Momentum all = corrected_ - start_;
    step.report.momentum.prediction = all - step.report.momentum.rows;
    if (!settings_.ledger) return;
    EnergyLedger& ledger = step.report.ledger;
    for (ContactModel* model : models_.all()) model->account(step, system_, ledger);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.awake()) continue;
        if (record.is_deformable()) {
            account_deformable(step, i);
            continue;
        }
        const StepWork work = record.body->step_work();
        ledger.forces += work.forces, ledger.joints += work.joints, ledger.contact += work.contact;
        ledger.damping += work.damping, ledger.integrator += work.integrator;
    }
    potential_ = potential_energy();
    kinetic_ = kinetic_energy();
}

double EnergyAccount::kinetic_energy() const {
    double sum = 0;
    for (const BodyRecord& record : bodies_)
        if (record.body) sum += record.body->kinetic_energy();
    return sum;
}

double EnergyAccount::potential_energy() {
    double sum = 0;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        sum += bodies_[i].body->gravity_energy(settings_.gravity);
        if (bodies_[i].is_deformable()) sum += elastic_energy(i);
    }
    return sum;
}

// A bounce at its time within the step has the velocity and the height of that time: both belong to the contact.
void EnergyAccount::after_bounces(const StepContext& step) {
    if (!settings_.ledger || system_.bounces().empty()) return;
    const double before = std::exchange(potential_, potential_energy());
    step.report.ledger.contact += potential_ - before;
}

void EnergyAccount::after_position_phase(const StepContext& step) {
    step.report.momentum.end = momentum();
    step.report.momentum.position = step.report.momentum.end - corrected_;
    if (!settings_.ledger) return;
    Energy& energy = step.report.energy;
    energy = {};
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        energy.kinetic += bodies_[i].body->kinetic_energy();
        energy.gravity += bodies_[i].body->gravity_energy(settings_.gravity);
        if (bodies_[i].is_deformable()) energy.elastic += elastic_energy(i);
    }
    step.report.ledger.push_out += energy.potential() - potential_ + energy.kinetic - kinetic_;
}

void EnergyAccount::end_step(const StepContext& step) {
    if (!settings_.ledger) return;
    Energy& energy = step.report.energy;
    const double kinetic = kinetic_energy();
    EnergyLedger& ledger = step.report.ledger;
    ledger.sleep += kinetic - energy.kinetic;
    energy.kinetic = kinetic;
    ledger.unaccounted = energy.total() - before_ - ledger.sum();
}

}  // namespace plush
