#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "lab/report/report.hpp"

// Studies: questions about the methods, answered by running them and drawing what comes out.

namespace plush::lab {

struct StudySettings {
    /// Told what is being computed; false stops the study.
    std::function<bool(std::string_view)> progress{};

    /// Throws an Error where the study is to stop.
    void now(std::string_view what) const;
};

struct Study {
    std::string_view name, text;
    std::function<Report(const StudySettings&)> run;
};

std::span<const Study> studies();

/// By name, or an Error that names the closest one.
Result<const Study*> find_study(std::string_view name);

// The list.
Report study_solver(const StudySettings& settings);
Report study_rotation(const StudySettings& settings);
Report study_integrators(const StudySettings& settings);
Report study_overlap(const StudySettings& settings);
Report study_polar(const StudySettings& settings);
Report study_penetration(const StudySettings& settings);
Report study_tets(const StudySettings& settings);
Report study_fem(const StudySettings& settings);
Report study_resolution(const StudySettings& settings);
Report study_compliance(const StudySettings& settings);
Report study_joints(const StudySettings& settings);

}  // namespace plush::lab
