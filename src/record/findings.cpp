#include "record/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plush {
namespace {

/// How a kind is said: what happened, what its worst value is, and the fix.
struct Wording {
    std::string_view kind, what, worst, cure;
};
constexpr std::array<Wording, ConvergenceReport::troubles> wordings{{
    {"linear_solves", "a linear solve of a deformable body ended above its tolerance", "residual {:.2g}",
     "give the body's integrator more iterations, or take a smaller step"},
    {"newton_solves", "Newton's method of a deformable body was given up before forces balanced",
     "{:.2g} of the force left", "take a smaller step, or give the body's integrator more newton iterations"},
    {"islands", "the solve of contacts and joints of a group of bodies ended above its tolerance",
     "residual {:.2g}", "give more solver.iterations, or take a smaller step"},
    {"position_islands", "the position phase of a group of bodies ended above its tolerance",
     "residual {:.2g}", "take a smaller step, or look for joints and contacts that contradict each other"},
    {"tet_solves", "the solve of contact by tets ended above its tolerance", "residual {:.2g}",
     "give more contact.tets.iterations, or take a smaller step"},
    {"coarsened", "a pair was queried by volume with larger pixels than asked for", "pixels of {:.2g} m",
     "give more contact.volume.memory_limit, or ask for larger pixels"},
    {"substeps", "friction near rest asked for more substeps of an explicit integrator than it may take",
     "{:.0f} substeps", "take the integrator implicit_euler or bdf2, or allow more max_substeps"},
    {"inverted_tets", "tets were turned inside out", "{:.0f} of them",
     "take a smaller step, a larger Young's modulus, or the material neo_hookean"},
    {"frozen", "a body was stopped for good, since its motion was absurd", "",
     "take a smaller step, or look for extreme masses, forces, stiffnesses or velocities"},
    {"impacts", "two bodies were so fast for their thinness that their first touch may have been missed",
     "{:.2g} m in a step", "take a smaller step"},
}};

}  // namespace

void visit_state(StateVisitor& v, RunFinding& f) {
    v(f.kind, f.count, f.steps, f.worst, f.time, f.body, f.other);
}

void add_findings(std::vector<RunFinding>& findings, const World& world) {
    const ConvergenceReport& report = world.report().convergence;
    for (std::size_t k = 0; k < convergence_entries.size(); ++k) {
        const int count = report.*convergence_entries[k].count;
        if (count == 0) continue;
        const std::string_view kind = convergence_entries[k].name;
        auto at = std::find_if(findings.begin(), findings.end(),
                               [&](const RunFinding& f) { return f.kind == kind; });
        if (at == findings.end()) {
            findings.push_back({.kind = std::string(kind)});
            at = findings.end() - 1;
        }
        const WorstCase& worst = report.worst[k];
        if (at->count == 0 || worst.value > at->worst) {
            const auto name = [&](BodyId body) {
                if (!world.alive(body)) return std::string();
                return world.name(body).empty() ? fmt::format("body {}", body.index) : world.name(body);
            };
            at->worst = worst.value, at->time = world.time();
            at->body = name(worst.a), at->other = name(worst.b);
        }
        at->count += count, ++at->steps;
    }
}

namespace {

const Wording* wording_of(const RunFinding& f) {
    const auto known =
        std::find_if(wordings.begin(), wordings.end(), [&](const Wording& w) { return w.kind == f.kind; });
    return known == wordings.end() ? nullptr : &*known;
}

/// In which bodies, and how bad.
std::string worst_of(const RunFinding& f, const Wording& wording) {
    std::string where;
    if (!f.body.empty()) where += fmt::format(" in \"{}\"", f.body);
    if (!f.other.empty()) where += fmt::format(" and \"{}\"", f.other);
    if (!wording.worst.empty())
        where += fmt::format(" ({})", fmt::format(fmt::runtime(wording.worst), f.worst));
    return where;
}

}  // namespace

std::string to_sentence(const RunFinding& f, long long steps) {
    const Wording* known = wording_of(f);
    if (!known) return f.kind;
    return fmt::format("{} {}, in {} of {} steps, worst at {:.4g} s{}: {}", known->what,
                       f.count == 1 ? "once" : fmt::format("{} times", f.count), f.steps, steps, f.time,
                       worst_of(f, *known), known->cure);
}

FirstStep try_first_step(World& world) {
    FirstStep result;
    try {
        world.step();
    } catch (const Error& error) {
        const std::string detail = error.place().empty() ? "" : error.place() + ": ";
        result.refused =
            Error({.place = "the first step", .problem = detail + error.problem(), .cure = error.cure()});
        return result;
    }
    std::vector<RunFinding> findings;
    add_findings(findings, world);
    for (const RunFinding& f : findings)
        if (const Wording* known = wording_of(f))
            result.warnings.push_back(Error({.place = "the first step",
                                             .problem = std::string(known->what) + worst_of(f, *known),
                                             .cure = std::string(known->cure)}));
    return result;
}

}  // namespace plush
