#pragma once

#include "lab/studies/study.hpp"
#include "lab/validation/integrators.hpp"
#include "lab/validation/motion_systems.hpp"

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

/// The look that an integrator has in all plots: those that are compared most differ most.
inline std::size_t style_of(IntegrationMethod method) {
    constexpr std::array<std::size_t, 7> styles{0, 2, 5, 3, 4, 6, 1};
    return styles[static_cast<std::size_t>(method)];
}

inline Series series_of(const IntegratorWord& rule, Draw draw) {
    return {.name = rule.name, .draw = draw, .style = style_of(rule.method)};
}

/// As scenes and figures name it.
inline std::string_view key_of(IntegrationMethod method) {
    return integration_method_choices()[static_cast<std::size_t>(method)].word;
}

inline const IntegratorWord& word_of(IntegrationMethod method) {
    return integrator_choices[static_cast<std::size_t>(method)];
}

}  // namespace plush::lab
