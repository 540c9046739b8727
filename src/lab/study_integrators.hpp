#pragma once

#include "lab/integrators.hpp"
#include "lab/motion_systems.hpp"
#include "lab/study.hpp"

// The parts of `plush study integrators`, in the order of the page.

namespace plush::lab {

void circle_field(Report& report, const StudySettings& settings);
void decay(Report& report, const StudySettings& settings);
void how_steps_reach(Report& report, const StudySettings& settings);
void pull_on_a_rope(Report& report, const StudySettings& settings);
void energy_of_a_spring(Report& report, const StudySettings& settings);
void energy_of_a_cloth(Report& report, const StudySettings& settings);
void orders(Report& report, const StudySettings& settings);
void stability_limits(Report& report, const StudySettings& settings);
void cost(Report& report, const StudySettings& settings);

/// A series of an integrator, with the look that it has in all plots.
inline Series series_of(const IntegratorWord& rule, Draw draw) {
    return {.name = rule.name, .draw = draw, .style = static_cast<std::size_t>(rule.method)};
}

inline const IntegratorWord& word_of(IntegrationMethod method) {
    return integrator_words[static_cast<std::size_t>(method)];
}

}  // namespace plush::lab
