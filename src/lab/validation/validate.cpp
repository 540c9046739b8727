#include "lab/validation/validate.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace plush::lab {

Check relative(std::string what, double measured, double expected, double tolerance, std::string unit,
               double step) {
    const double error = std::abs(measured - expected) / std::abs(expected);
    return {std::move(what), measured, expected, error, tolerance, error <= tolerance, std::move(unit), step};
}

Check absolute(std::string what, double measured, double expected, double tolerance, std::string unit,
               double step) {
    const double error = std::abs(measured - expected);
    return {std::move(what), measured, expected, error, tolerance, error <= tolerance, std::move(unit), step};
}

Check below(std::string what, double measured, double bound, std::string unit, double step) {
    return {std::move(what), measured, 0, measured, bound, measured <= bound, std::move(unit), step};
}

std::span<const Problem> problems() {
    static const std::vector<Problem> all = [] {
        std::vector<Problem> list;
        for (auto part :
             {rigid_motion_problems, joint_problems, impact_problems, collision_problems, friction_problems,
              roll_problems, stacking_problems, volume_problems, arch_problems, patch_problems,
              soft_contact_problems, vertex_problems, loaded_problems, gripper_problems, similarity_problems,
              spring_problems, shape_matching_problems, elastic_problems, overlap_problems})
            for (Problem& p : part()) list.push_back(std::move(p));
        return list;
    }();
    return all;
}

bool Outcome::missed() const {
    return std::any_of(checks.begin(), checks.end(), [](const Check& c) { return !c.passed && !c.always; });
}
bool Outcome::passed() const {
    return std::all_of(checks.begin(), checks.end(),
                       [&](const Check& c) { return c.passed || is_excused(c); });
}

// -- the ledger of energy

namespace {

/// Of the entries: what may be missing in any world of a problem.
constexpr double max_unaccounted = 0.01;
/// Of the energy: rounding, where no entry is larger (a body that drifts).
constexpr double rounding = 1e-9;

/// Of the problem that this thread runs.
thread_local LedgerBook* book_under_way = nullptr;

}  // namespace

void LedgerBook::add(const World& world) {
    add(&world, world.time() < 1.5 * world.settings().step, world.report());
}

void LedgerBook::add(const World* world, bool first_step, const StepReport& report) {
    auto account = std::find_if(accounts_.rbegin(), accounts_.rend(),
                                [&](const Account& a) { return a.world == world; });
    if (first_step || account == accounts_.rend()) {  // another world may have had its place
        accounts_.push_back({.world = world});
        account = accounts_.rbegin();
    }
    account->unaccounted += report.ledger.unaccounted;
    account->magnitude += report.ledger.magnitude();
    account->energy = std::max(account->energy, report.energy.kinetic + std::abs(report.energy.potential()));
}

double LedgerBook::worst() const {
    double worst = 0;
    for (const Account& a : accounts_) {
        const double all = a.magnitude + rounding * a.energy;
        const double part = a.unaccounted == 0 ? 0 : std::abs(a.unaccounted) / all;
        if (std::isnan(part)) return part;
        worst = std::max(worst, part);
    }
    return worst;
}

void step_and_book(World& world) {
    world.step();
    if (book_under_way) book_under_way->add(world);
}

Outcome run(const Problem& problem, ContactMethod method) {
    Outcome outcome;
    outcome.name = problem.name;
    outcome.method =
        problem.contact ? std::string(contact_method_choices()[static_cast<std::size_t>(method)].word) : "";
    outcome.limit = problem.limit(method);
    LedgerBook book;
    book_under_way = &book;
    const auto close = [](LedgerBook*) { book_under_way = nullptr; };
    const std::unique_ptr<LedgerBook, decltype(close)> closed(&book, close);  // also where the problem throws
    outcome.checks = problem.run(method);
    if (!book.empty()) {
        const double step = outcome.checks.empty() ? 0 : outcome.checks.front().step;
        outcome.checks.push_back(below("energy not accounted for", book.worst(), max_unaccounted, "", step));
        outcome.checks.back().always = true;
    }
    return outcome;
}

std::string spring_limit(ContactMethod m) {
    return m == ContactMethod::volume_penalty
               ? "a spring on the volume, undamped: bodies sink until it carries them, and rock on it"
               : "";
}

WorldSettings problem_settings(double step, ContactMethod method) {
    WorldSettings settings;
    settings.step = step;
    settings.threads = 1;
    settings.contact.method = method;
    settings.sleep.enabled = false;
    return settings;
}

}  // namespace plush::lab
