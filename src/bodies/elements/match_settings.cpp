#include <array>

#include "plush/bodies/shape_matching.hpp"

namespace plush {

std::span<const Choice> match_mode_choices() {
    static constexpr std::array words{
        Choice{"rigid", static_cast<int>(MatchMode::rigid), "moved and turned only"},
        Choice{"linear", static_cast<int>(MatchMode::linear), "stretched and sheared too"},
        Choice{"quadratic", static_cast<int>(MatchMode::quadratic), "bent and twisted too"},
    };
    return words;
}

std::span<const Choice> match_rule_choices() {
    static constexpr std::array words{
        Choice{"project", static_cast<int>(MatchRule::project),
               "goals of where the step would end: swings die out"},
        Choice{"kick", static_cast<int>(MatchRule::kick),
               "goals of where the step begins: swings go on, for teaching"},
    };
    return words;
}

std::span<const Choice> match_fit_choices() {
    static constexpr std::array words{
        Choice{"torque_free", static_cast<int>(MatchFit::torque_free),
               "the rotation of the least squares, which leaves no torque"},
        Choice{"deformation", static_cast<int>(MatchFit::deformation),
               "the rotation of the deformation gradient, as in the lecture: turns the body a little"},
    };
    return words;
}

void describe(FieldVisitor& v, MatchSettings& s) {
    v.choice({.key = "mode", .text = "what a cluster may become without being pulled back"}, s.mode,
             match_mode_choices());
    v.field({.key = "stiffness",
             .text = "part of the way to its goal that a vertex goes in a step",
             .min = 0,
             .max = 1},
            s.stiffness);
    v.field({.key = "softness",
             .text = "of linear and quadratic: 0 is rigid, 1 keeps only the volume",
             .min = 0,
             .max = 1},
            s.softness);
    v.field(
        {.key = "keep_volume", .text = "of linear and quadratic: goals have the volume of the rest shape"},
        s.keep_volume);
    v.choice({.key = "rule", .text = "how vertices are drawn to their goals"}, s.rule, match_rule_choices());
    v.choice({.key = "fit", .text = "which rotation is taken for the best"}, s.fit, match_fit_choices());
    v.field({.key = "yield", .text = "stretch from which the rest shape flows", .min = 0, .max = 100},
            s.yield);
    v.field({.key = "creep",
             .unit = "1/s",
             .text = "rate at which the rest shape follows a stretch beyond yield; 0: never",
             .min = 0,
             .max = 1e6},
            s.creep);
    v.field({.key = "max_flow",
             .text = "how far the rest shape may depart from the first one, as a stretch",
             .min = 0,
             .max = 10},
            s.max_flow);
}

void describe(FieldVisitor& v, ClusterSettings& s) {
    v.field({.key = "cluster_size",
             .unit = "m",
             .text = "diameter of a cluster; 0: the whole body is one",
             .min = 0,
             .max = 1e6},
            s.size);
    v.field({.key = "overlap",
             .text = "centres of clusters are at least (1 - overlap) cluster_size/2 apart",
             .min = 0,
             .max = 0.9},
            s.overlap);
}

}  // namespace plush
