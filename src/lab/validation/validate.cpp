#include "lab/validation/validate.hpp"

#include <algorithm>
#include <cmath>

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
              soft_contact_problems, vertex_problems, loaded_problems, similarity_problems, spring_problems,
              shape_matching_problems, elastic_problems, overlap_problems})
            for (Problem& p : part()) list.push_back(std::move(p));
        return list;
    }();
    return all;
}

bool Outcome::missed() const {
    return !std::all_of(checks.begin(), checks.end(), [](const Check& c) { return c.passed; });
}

Outcome run(const Problem& problem, ContactMethod method) {
    Outcome outcome;
    outcome.name = problem.name;
    outcome.method =
        problem.contact ? std::string(contact_method_words()[static_cast<std::size_t>(method)].word) : "";
    outcome.limit = problem.limit(method);
    outcome.checks = problem.run(method);
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
