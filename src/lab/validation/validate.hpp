#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/tuning.hpp"
#include "plush/world/world.hpp"

// Problems with known answers. Each stands in code beside its equation and its source; only closed forms,
// conservation laws and independently computed references count. A problem runs until its physical verdict is
// in.

namespace plush::lab {

/// One number against its known answer.
struct Check {
    std::string what;  ///< "e = 0.8, height 2"
    double measured = 0, expected = 0;
    double error = 0;  ///< relative where `relative`, else in the unit of the measured value
    double tolerance = 0;
    bool passed = false;
    std::string unit;
    double step = 0;  ///< h that was used, s
    /// No limit of a method excuses it.
    bool always = false;
};

/// |measured − expected| / |expected| ≤ tolerance.
Check relative(std::string what, double measured, double expected, double tolerance, std::string unit,
               double step);
/// |measured − expected| ≤ tolerance.
Check absolute(std::string what, double measured, double expected, double tolerance, std::string unit,
               double step);
/// A limit: measured ≤ bound.
Check below(std::string what, double measured, double bound, std::string unit, double step);

struct Problem {
    std::string_view name, text;
    bool contact = false;  ///< whether the contact method matters
    std::function<std::vector<Check>(ContactMethod)> run;
    /// Why a method must miss this; empty where it should not. It is run all the same.
    std::function<std::string(ContactMethod)> limit = [](ContactMethod) { return std::string(); };
};

std::span<const Problem> problems();

/// A problem run with a method.
struct Outcome {
    std::string name, method;
    std::vector<Check> checks;
    std::string limit;                     ///< why the method is known to miss this
    bool missed() const;                   ///< a check failed that a limit may excuse
    bool is_excused(const Check& c) const  ///< it failed, by a known limit of the method
    {
        return !c.passed && !c.always && !limit.empty();
    }
    bool passed() const;  ///< nothing failed that is not excused
};

/// The ledgers of energy (StepReport::ledger) of all worlds of a problem: what they do not account for.
class LedgerBook {
public:
    void add(const World& world);  ///< after a step
    void add(const World* world, bool first_step, const StepReport& report);
    bool empty() const { return accounts_.empty(); }
    /// Of the world that is farthest off: |sum of what is unaccounted for| by the sum of the absolute entries of all steps.
    double worst() const;

private:
    struct Account {
        const World* world = nullptr;
        double unaccounted = 0, magnitude = 0;
        double energy = 0;  ///< the largest, kinetic and stored
    };
    std::vector<Account> accounts_;
};
/// A step, and its ledger into the book of the problem under way.
void step_and_book(World& world);

/// The outcome of one problem with one method.
Outcome run(const Problem& problem, ContactMethod method);

// The parts of the list.
std::vector<Problem> rigid_motion_problems();
std::vector<Problem> joint_problems();
std::vector<Problem> impact_problems();
std::vector<Problem> collision_problems();
std::vector<Problem> friction_problems();
std::vector<Problem> roll_problems();
std::vector<Problem> stacking_problems();
std::vector<Problem> spring_problems();
std::vector<Problem> elastic_problems();
std::vector<Problem> shape_matching_problems();
std::vector<Problem> overlap_problems();
std::vector<Problem> volume_problems();
std::vector<Problem> patch_problems();
std::vector<Problem> arch_problems();
std::vector<Problem> soft_contact_problems();
std::vector<Problem> vertex_problems();
std::vector<Problem> loaded_problems();
std::vector<Problem> gripper_problems();
std::vector<Problem> similarity_problems();

/// Whether a method measures shared volumes.
inline bool by_volume(ContactMethod m) {
    return m == ContactMethod::volume || m == ContactMethod::volume_penalty;
}

/// Why springs on volumes miss what is about hard contact.
std::string spring_limit(ContactMethod m);

/// Settings that all problems share: no sleep, which would flatter every test of rest, and one thread.
WorldSettings problem_settings(double step, ContactMethod method = ContactMethod::points);
/// What contact leaves alone between things of 5 cm to 2 m, m.
inline constexpr double usual_depth = tuning::derived_allowed_depth.usual;

}  // namespace plush::lab
