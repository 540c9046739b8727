#include <nlohmann/json.hpp>

#include "plush/core/version.hpp"
#include "plush/record/run.hpp"
#include "record/machine.hpp"
#include "record/metrics.hpp"

namespace plush {

namespace {

using Json = nlohmann::ordered_json;

Json energy_json(const Energy& energy) {
    return {{"kinetic", energy.kinetic}, {"gravity", energy.gravity}, {"elastic", energy.elastic}};
}

Json ledger_json(const EnergyLedger& ledger) {
    Json json;
    for (const LedgerEntry& e : ledger_entries) json[std::string(e.name)] = ledger.*e.value;
    return json;
}

Json convergence_json(const RunSummary& s) {
    const ConvergenceReport& c = s.convergence;
    Json json{{"unconverged_steps", s.unconverged_steps}};
    for (const ConvergenceEntry& e : convergence_entries) json[std::string(e.name)] = c.*e.count;
    json["most_substeps"] = c.max_substeps;
    json["linear_residual"] = c.linear_residual, json["newton_residual"] = c.newton_residual;
    json["velocity_residual"] = s.residual, json["position_residual"] = c.position_residual;
    json["tet_residual"] = c.tet_residual;
    json["displacement"] = c.displacement, json["largest_displacement"] = c.largest_displacement;
    return json;
}

Json findings_json(const RunSummary& s) {
    Json list = Json::array();
    for (const RunFinding& f : s.findings)
        list.push_back({{"kind", f.kind},
                        {"count", f.count},
                        {"steps", f.steps},
                        {"worst", f.worst},
                        {"time", f.time},
                        {"body", f.body},
                        {"other", f.other},
                        {"text", to_sentence(f, s.steps)}});
    return list;
}

Json error_json(const Error& error) {
    return {{"file", error.file()},
            {"place", error.place()},
            {"problem", error.problem()},
            {"cure", error.cure()}};
}

Json verified_json(const RunSummary::Verified& verified) {
    Json json{{"run", verified.run.string()},
              {"same", !verified.first_different.has_value()},
              {"steps", verified.steps},
              {"first_different_step", nullptr}};
    if (verified.first_different) json["first_different_step"] = *verified.first_different;
    return json;
}

}  // namespace

std::string to_json(const RunSummary& s) {
    const Machine machine = this_machine();
    Json seconds;
    for (std::size_t i = 0; i < phase_names.size(); ++i) seconds[std::string(phase_names[i])] = s.seconds[i];
    seconds["wall"] = s.wall;
    Json json{
        {"scene", s.scene},
        {"version", std::string(version())},
        {"machine", {{"cpu", machine.cpu}, {"cores", machine.cores}, {"compiler", machine.compiler}}},
        {"threads", s.threads},
        {"step", s.step},
        {"steps", s.steps},
        {"simulated_seconds", s.simulated_seconds},
        {"seconds", seconds},
        {"contacts", {{"mean", s.contacts_mean}, {"max", s.contacts_max}}},
        {"largest_depth", s.largest_depth},
        {"residual", s.residual},
        {"energy",
         {{"start", energy_json(s.start)}, {"end", energy_json(s.end)}, {"ledger", ledger_json(s.ledger)}}},
        {"convergence", convergence_json(s)},
        {"findings", findings_json(s)},
        {"frames", s.frames},
        {"start_hash", hash_text(s.start_hash)},
        {"state_hash", hash_text(s.state_hash)},
        {"motion_hash", hash_text(s.motion_hash)},
        {"finished", s.finished},
        {"can_go_on", s.can_go_on}};
    if (!s.out.empty()) json["out"] = s.out.string();
    if (s.error) json["error"] = error_json(*s.error);
    for (const Error& warning : s.warnings) json["warnings"].push_back(error_json(warning));
    if (s.verified) json["verify"] = verified_json(*s.verified);
    // File names need not be UTF-8, JSON must be: what is not becomes U+FFFD.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace plush
