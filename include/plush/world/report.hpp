#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "plush/core/timers.hpp"
#include "plush/math/vec.hpp"
#include "plush/world/ids.hpp"

// What a step says of itself: energy and where it went, momentum, and whether every solve converged.

namespace plush {

/// Of all bodies, J.
struct Energy {
    double kinetic = 0;
    double gravity = 0;  ///< potential, zero at the origin
    double elastic = 0;  ///< of deformable bodies
    double potential() const { return gravity + elastic; }
    double total() const { return kinetic + potential(); }
};

/// What a step did to the energy of all bodies, J: positive where they gained. Each entry is computed where it arises, from
/// the impulse and the mean of the velocities at the start and the end of the step, and none is the remainder of the others.
/// docs/methods.md, "Ledger of energy", has the formulas.
struct EnergyLedger {
    double scripts = 0;     ///< work of fixed and scripted bodies and of pins
    double motors = 0;      ///< of joint motors
    double forces = 0;      ///< of applied and custom forces, force fields and wind
    double joints = 0;      ///< of what holds joints, of their limits and springs, and of attachments
    double contact = 0;     ///< along normals: impacts, and springs of compliant contacts
    double friction = 0;    ///< across normals
    double damping = 0;     ///< of materials and of bodies
    double integrator = 0;  ///< what an integrator takes away or adds beside the forces
    double push_out = 0;    ///< gravity and elastic energy that the position phase gives or takes
    double sleep = 0;       ///< motion of what was put to sleep
    double fracture = 0;    ///< what blades took to part material; `scripts` has the work that they did
    /// The change of total energy less all of these: solves short of convergence, forces that change within a step by more
    /// than the integrator's linearisation.
    double unaccounted = 0;

    double sum() const;        ///< of all entries but `unaccounted`
    double magnitude() const;  ///< of their absolute values
    EnergyLedger& operator+=(const EnergyLedger& other);
};

/// The entries by name, in the order of the columns of metrics.csv.
struct LedgerEntry {
    std::string_view name;
    double EnergyLedger::*value;
};
inline constexpr std::array<LedgerEntry, 12> ledger_entries{{{"scripts", &EnergyLedger::scripts},
                                                             {"motors", &EnergyLedger::motors},
                                                             {"forces", &EnergyLedger::forces},
                                                             {"joints", &EnergyLedger::joints},
                                                             {"contact", &EnergyLedger::contact},
                                                             {"friction", &EnergyLedger::friction},
                                                             {"damping", &EnergyLedger::damping},
                                                             {"integrator", &EnergyLedger::integrator},
                                                             {"push_out", &EnergyLedger::push_out},
                                                             {"sleep", &EnergyLedger::sleep},
                                                             {"fracture", &EnergyLedger::fracture},
                                                             {"unaccounted", &EnergyLedger::unaccounted}}};

inline double EnergyLedger::sum() const {
    double sum = 0;
    for (const LedgerEntry& e : ledger_entries)
        if (e.value != &EnergyLedger::unaccounted) sum += this->*e.value;
    return sum;
}
inline double EnergyLedger::magnitude() const {
    double sum = 0;
    for (const LedgerEntry& e : ledger_entries)
        if (e.value != &EnergyLedger::unaccounted) sum += std::abs(this->*e.value);
    return sum;
}
inline EnergyLedger& EnergyLedger::operator+=(const EnergyLedger& other) {
    for (const LedgerEntry& e : ledger_entries) this->*e.value += other.*e.value;
    return *this;
}

/// Linear momentum, kg m/s, and angular momentum about the world's origin, kg m²/s.
struct Momentum {
    Vec3 linear{}, angular{};
};

/// The momentum of all bodies, and what changed it.
struct MomentumReport {
    Momentum end{};  ///< when the step ended
    Momentum
        prediction{};  ///< gravity, forces, and what vertices are pushed by; integrators keep none of it by chance
    Momentum rows{};      ///< contacts and joints
    Momentum position{};  ///< the position phase
    /// Newton's third law: the largest net impulse, N s, and net moment, N m s, of any contact or joint between two bodies that
    /// move. Rounding, where its impulses act along one line.
    double net_impulse = 0, net_moment = 0;
};

/// Where a step was worst in one of its troubles, and by how much: a residual, or a size in the unit of the trouble.
struct WorstCase {
    double value = 0;
    BodyId a{}, b{};  ///< null: no body, or not of a pair
};

/// What did not converge, what was made coarser, and what had to be stopped. All zero (but for residuals, pieces and
/// displacements) in a step of which nothing is to be said.
struct ConvergenceReport {
    int linear_solves = 0;     ///< of deformable bodies, that ended above their tolerance
    int newton_solves = 0;     ///< that used up their iterations, or found no better step
    int islands = 0;           ///< of the velocity solve, that used up their iterations
    int position_islands = 0;  ///< of the position phase, in any of its passes
    int tet_solves = 0;        ///< of contact by tets, at its limit of iterations
    int coarsened = 0;  ///< pairs by volume seen with larger pixels than asked for, since memory or bits end
    int substeps = 0;   ///< explicit bodies whose friction asked for more pieces of the step than allowed
    int inverted_tets = 0;  ///< turned inside out when the step ended
    int frozen = 0;         ///< bodies stopped for good, since their motion was absurd
    int impacts = 0;        ///< pairs so fast for their thinness that their first touch may have been missed
    int max_substeps = 0;   ///< pieces that a body took the step in
    double linear_residual = 0, newton_residual = 0;  ///< relative
    double position_residual = 0, tet_residual = 0;
    double displacement = 0;          ///< by the position phase: the sum over bodies of their largest way, m
    double largest_displacement = 0;  ///< m

    static constexpr std::size_t troubles = 10;
    std::array<WorstCase, troubles> worst{};  ///< of each count, in the order of convergence_entries

    bool clean() const;
    /// Counts one of convergence_entries, and keeps its worst case.
    void count(std::size_t entry, const WorstCase& one, int times = 1);
    /// Over steps: counts and displacements are added, of the others the largest is kept.
    ConvergenceReport& operator+=(const ConvergenceReport& other);
};

/// The counts by name, in the order of the columns of metrics.csv.
struct ConvergenceEntry {
    std::string_view name;
    int ConvergenceReport::*count;
};
inline constexpr std::array<ConvergenceEntry, ConvergenceReport::troubles> convergence_entries{
    {{"linear_solves", &ConvergenceReport::linear_solves},
     {"newton_solves", &ConvergenceReport::newton_solves},
     {"islands", &ConvergenceReport::islands},
     {"position_islands", &ConvergenceReport::position_islands},
     {"tet_solves", &ConvergenceReport::tet_solves},
     {"coarsened", &ConvergenceReport::coarsened},
     {"substeps", &ConvergenceReport::substeps},
     {"inverted_tets", &ConvergenceReport::inverted_tets},
     {"frozen", &ConvergenceReport::frozen},
     {"impacts", &ConvergenceReport::impacts}}};
/// Places in it.
enum TroubleEntry : std::size_t {
    linear_trouble,
    newton_trouble,
    island_trouble,
    position_trouble,
    tet_trouble,
    coarse_trouble,
    substep_trouble,
    inverted_trouble,
    frozen_trouble,
    impact_trouble
};

inline bool ConvergenceReport::clean() const {
    for (const ConvergenceEntry& e : convergence_entries)
        if (this->*e.count != 0) return false;
    return true;
}
inline void ConvergenceReport::count(std::size_t entry, const WorstCase& one, int times) {
    if (times <= 0) return;
    int& sum = this->*convergence_entries[entry].count;
    if (sum == 0 || one.value > worst[entry].value) worst[entry] = one;
    sum += times;
}
inline ConvergenceReport& ConvergenceReport::operator+=(const ConvergenceReport& o) {
    for (std::size_t k = 0; k < troubles; ++k) count(k, o.worst[k], o.*convergence_entries[k].count);
    max_substeps = std::max(max_substeps, o.max_substeps);
    linear_residual = std::fmax(linear_residual, o.linear_residual);
    newton_residual = std::fmax(newton_residual, o.newton_residual);
    position_residual = std::fmax(position_residual, o.position_residual);
    tet_residual = std::fmax(tet_residual, o.tet_residual);
    displacement += o.displacement;
    largest_displacement = std::fmax(largest_displacement, o.largest_displacement);
    return *this;
}

/// What the last step did.
struct StepReport {
    PhaseTimes times{};
    int pairs = 0;     ///< pairs of bodies with at least one contact point
    int contacts = 0;  ///< contact points
    int islands = 0;
    int iterations = 0;             ///< of the island that took most
    int compliance_iterations = 0;  ///< of solves with approximate compliance, of the island that took most
    int factorised_bodies = 0;      ///< whose approximate compliance would not do
    double residual = 0;            ///< natural-map residual of the worst island
    double largest_depth = 0;       ///< left over after stabilise, m
    int stabilise_passes = 0;
    int awake = 0;              ///< bodies that moved
    int motion_iterations = 0;  ///< of the linear solves of all deformable bodies
    double pixel = 0;           ///< the smallest in which volume contact was seen, m; 0: there was none
    /// How often a pair was queried for volume contact: what has hardly moved since is not.
    int queries = 0;
    Energy energy{};        ///< when the step ended; where the ledger is kept
    EnergyLedger ledger{};  ///< the same
    MomentumReport momentum{};
    ConvergenceReport convergence{};
};

}  // namespace plush
