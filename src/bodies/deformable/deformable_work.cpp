#include "bodies/deformable/deformable_body.hpp"
#include "math/polar.hpp"

// What a step did to the energy of a deformable body (docs/methods.md, "Ledger of energy"). With v̄ the mean of the velocities
// at the start and the end, the momentum that a force gives changes the kinetic energy by h f·v̄. Implicit Euler takes the
// elastic forces at the end, so that h f_el(x')·v̄ and the change of elastic energy do not cancel: their sum is what the
// integrator takes away. Gravity is treated alike: its potential changes by −m g·(x' − x).

namespace plush {
namespace {

/// Of the kinetic energy: a gain in a step that is left alone.
constexpr double energy_gain = 1e-3;
/// rad in a step: a turn by θ stretches what is linearised by ½ θ², here by 0.5 %.
constexpr double linear_turn = 0.1;

}  // namespace

StepWork DeformableBody::work_of_step(double h, double elastic, std::span<const std::uint32_t> attached,
                                      bool& complete) {
    const std::size_t n = masses_.size();
    const std::vector<Vec3>&x = state_.x, &v = state_.v;
    PLUSH_ASSERT(next_.v.size() == n && last_forces_.size() == n);
    std::vector<Vec3> still(n), at_rest(n), moving(n), blown(n);
    for (const auto& element : elements_) {
        if (element->force_kind() != ForceKind::material) continue;
        element->add_forces(x, still, at_rest, parallel());
        element->add_forces(x, v, moving, parallel());
    }
    add_wind(x, v, blown);
    for (const auto& element : elements_)
        if (const auto f = element->last_forces(); f.size() == n)
            for (std::size_t i = 0; i < n; ++i) blown[i] += f[i];

    std::vector<std::uint8_t> held(pinned_.begin(), pinned_.end());
    held.resize(n);
    for (const std::uint32_t i : attached) held[i] = 2;
    StepWork work;
    double elastic_work = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 mean = 0.5 * (next_.v[i] + v[i]), weight = masses_[i] * gravity_;
        const Vec3 outside = last_forces_[i] + blown[i];
        const Vec3 damping = moving[i] - at_rest[i] - settings_.damping * masses_[i] * v[i];
        work.forces += h * dot(outside, mean);
        work.damping += h * dot(damping, mean);
        work.integrator += h * dot(weight, mean) - dot(weight, x[i] - next_.x[i]);
        elastic_work += h * dot(at_rest[i], mean);
        if (!held[i]) continue;
        // What holds a vertex gives what its motion takes and no force does.
        const Vec3 impulse = masses_[i] * (v[i] - next_.v[i]) - h * (outside + damping + at_rest[i] + weight);
        (held[i] == 2 ? work.joints : work.scripts) += dot(impulse, mean);
    }
    complete = settings_.integration.method == IntegrationMethod::implicit_euler && !matcher_ &&
               settings_.integration.newton > 1 &&
               report_.unbalanced <= settings_.integration.newton_tolerance;
    if (complete)
        work.integrator += elastic_work + elastic;
    else
        work.integrator = 0;
    return work;
}

double DeformableBody::gain_by(double h, std::span<const Twist> change, double work) const {
    const std::vector<Vec3>&x0 = state_.x, &v0 = state_.v;
    PLUSH_ASSERT(next_.x.size() == x0.size() && forces_.size() == x0.size());
    PLUSH_ASSERT(change.empty() || change.size() == x0.size());
    const double part = position_factor(h);
    std::vector<Vec3> x = next_.x;
    double gain = -work;
    Vec3 given{};  // momentum
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 jump = change.empty() ? Vec3{} : change[i].linear, v = next_.v[i] + jump;
        x[i] += part * jump;
        gain += 0.5 * masses_[i] * (norm2(v) - norm2(v0[i]));
        gain -= masses_[i] * dot(gravity_, x[i] - x0[i]) + 0.5 * h * dot(forces_[i], v + v0[i]);
        given += masses_[i] * (v - v0[i]);
    }
    // Velocities are those of half a step before: by so much the energy goes up and down.
    gain -= 0.5 * h * norm(gravity_) * norm(given);
    return gain + material_energy(x) - material_energy(x0);
}

double DeformableBody::material_energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (const auto& element : elements_)
        if (element->force_kind() == ForceKind::material) sum += element->energy(x);
    return sum;
}

/// Moves the vertices towards the shape that the step began with, carried along rigidly, until they store no more than `most`,
/// J; returns what they store. Neither the centre nor the turn of the body changes.
double DeformableBody::shrink_deformation(double most) {
    constexpr int halvings = 6;
    const std::vector<Vec3>& x0 = next_.x;
    Vec3 c0{}, c1{};
    for (std::size_t i = 0; i < x0.size(); ++i)
        c0 += masses_[i] / mass_ * x0[i], c1 += masses_[i] / mass_ * state_.x[i];
    Mat3 moments{};
    for (std::size_t i = 0; i < x0.size(); ++i) moments += outer(masses_[i] * (state_.x[i] - c1), x0[i] - c0);
    const Mat3 turn = polar(moments).rotation;
    const std::vector<Vec3> end = state_.x;
    double stored = material_energy(state_.x), part = 1;
    for (int k = 0; k < halvings && stored > most; ++k) {
        part *= 0.5;
        for (std::size_t i = 0; i < end.size(); ++i) {
            const Vec3 carried = c1 + turn * (x0[i] - c0);
            state_.x[i] = carried + part * (end[i] - carried);
        }
        stored = material_energy(state_.x);
    }
    return stored;
}

namespace {

/// Edges that a step has stretched go back to the length that they had, by their masses: what is stopped holds its neighbours. Until
/// no more than so much is stored; returns what is.
template <class Energy>
double hold_edges(std::span<const std::array<int, 2>> edges, std::span<const double> inverse_masses,
                  std::span<const Vec3> before, std::span<Vec3> x, double most, const Energy& energy) {
    constexpr int looks = 8, turns = 4;
    double stored = energy();
    for (int look = 0; look < looks && stored > most && !edges.empty(); ++look) {
        for (int turn = 0; turn < turns; ++turn)
            for (const auto& [a, b] : edges) {
                const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
                const Vec3 d = x[j] - x[i];
                const double length = norm(d), wanted = norm(before[j] - before[i]);
                const double sum = inverse_masses[i] + inverse_masses[j];
                if (!(length > wanted) || !(sum > 0)) continue;
                const Vec3 way = d * ((length - wanted) / (length * sum));
                x[i] += inverse_masses[i] * way, x[j] -= inverse_masses[j] * way;
            }
        stored = energy();
    }
    return stored;
}

}  // namespace

void DeformableBody::limit_energy(double h, double work, const EnergyLimit& limit) {
    const std::vector<Vec3>&x = state_.x, &v = state_.v, &x0 = next_.x, &v0 = next_.v;
    PLUSH_ASSERT(x0.size() == x.size() && last_forces_.size() == x.size());
    double kinetic = 0, before = 0;
    Vec3 gained{};  // momentum
    for (std::size_t i = 0; i < x.size(); ++i) {
        kinetic += 0.5 * masses_[i] * norm2(v[i]), before += 0.5 * masses_[i] * norm2(v0[i]);
        work += masses_[i] * dot(gravity_, x[i] - x0[i]) + 0.5 * h * dot(last_forces_[i], v[i] + v0[i]);
        gained += masses_[i] * (v[i] - v0[i]);
    }
    // Velocities are those of half a step before: by so much the energy goes up and down.
    work += 0.5 * h * norm(gravity_) * norm(gained);
    Vec3 centre;
    Twist rigid;
    Mat3 inverse_inertia;
    measure(state_, centre, rigid, inverse_inertia);
    // Motion that has not gained, of a body that has not turned by more than its linear step can follow.
    const bool turned = h * norm(rigid.angular) >= linear_turn;
    if (!limit.always && !turned && (limit.by_rows || kinetic <= before + work)) return;
    const double stored_before = material_energy(x0);
    double stored = material_energy(x);
    const double allowed = before + stored_before + work + energy_gain * kinetic;
    if (kinetic + stored <= allowed) return;
    const std::vector<Vec3> end = state_.x;
    if (limit.always && stored > stored_before)
        stored = hold_edges(edges_, inverse_masses_, x0, state_.x, std::max(stored_before, allowed - kinetic),
                            [&] { return material_energy(state_.x); });
    // Where fields hold its vertices off surfaces, a smaller deformation would push them in.
    if (stored > std::max(stored_before, allowed - kinetic) && field_energy() == 0)
        stored = shrink_deformation(std::max(stored_before, allowed - kinetic));
    double excess = limit.by_rows ? 0 : kinetic + stored - allowed;

    if (excess > 0) {
        const auto common = [&](std::size_t i) { return rigid.linear + cross(rigid.angular, x[i] - centre); };
        double deforming = 0;
        for (std::size_t i = 0; i < x.size(); ++i) deforming += 0.5 * masses_[i] * norm2(v[i] - common(i));
        const double part = deforming > excess ? std::sqrt(1 - excess / deforming) : 0;
        excess = std::max(0.0, excess - deforming);
        const double whole = kinetic - deforming;
        const double kept =
            limit.touches_free || !(excess > 0) ? 1 : std::sqrt(std::max(0.0, 1 - excess / whole));
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Vec3 all = common(i);
            state_.v[i] = kept * all + part * (v[i] - all);
        }
    }
    if (limit.by_rows && state_.x_before.size() == end.size())  // or the shift would turn into velocity
        for (std::size_t i = 0; i < end.size(); ++i) state_.x_before[i] += x[i] - end[i];
    else
        state_.forget();
    ++version_;
    moved();
}

}  // namespace plush
