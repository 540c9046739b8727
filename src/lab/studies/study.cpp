#include "lab/studies/study.hpp"

#include <fmt/format.h>

#include <array>

#include "core/did_you_mean.hpp"

namespace plush::lab {

void StudySettings::now(std::string_view what) const {
    if (progress && !progress(what)) throw Error({.file = "study", .problem = "stopped"});
}

std::span<const Study> studies() {
    static const std::array all{
        Study{"compliance",
              "the contact compliance of soft bodies: exact, and approximate with the compliance iteration; "
              "error, iterations, time",
              study_compliance},
        Study{"fem",
              "elastic tets against beams: error by their size, large bending, vibration, and two solvers",
              study_fem},
        Study{"integrators",
              "seven ways to advance masses on springs: energy, order, stability limits and cost",
              study_integrators},
        Study{"joints", "the matrix of the joints of bunny_joints, beside that of the lecture's slide",
              study_joints},
        Study{"overlap",
              "how good the volume and the force of an overlap are, against pixels and depth, and what it "
              "costs",
              study_overlap},
        Study{"penetration",
              "how deep is a vertex in another body: consistent depths and two baselines, and what comes of "
              "them",
              study_penetration},
        Study{"polar",
              "the nearest rotation of a matrix: three routes, their error against the condition, and time",
              study_polar},
        Study{"resolution",
              "how finely a volume contact must be cut: what one solve leaves, and friction against "
              "spinning",
              study_resolution},
        Study{"rotation",
              "three ways to turn a body: their error against the step, and what they do to energy",
              study_rotation},
        Study{"solver", "how many sweeps contacts need, and what too few of them do to a tower",
              study_solver},
        Study{"tets", "three ways to fill a surface with tets: cut open, their angles, volume and time",
              study_tets},
    };
    return all;
}

Result<const Study*> find_study(std::string_view name) {
    std::vector<std::string_view> known;
    for (const Study& study : studies()) {
        if (study.name == name) return &study;
        known.push_back(study.name);
    }
    std::string cure = did_you_mean(name, known);
    if (cure.empty()) cure = fmt::format("studies: {}", fmt::join(known, ", "));
    return Error({.file = "study", .problem = fmt::format("there is no study \"{}\"", name), .cure = cure});
}

}  // namespace plush::lab
