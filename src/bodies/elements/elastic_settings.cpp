#include <array>

#include "plush/bodies/elastic.hpp"

namespace plush {
namespace {

constexpr std::array models{
    Choice{"corotational", static_cast<int>(ElasticModel::corotational),
           "linear elasticity in a frame that turns with each tet"},
    Choice{"neo_hookean", static_cast<int>(ElasticModel::neo_hookean),
           "the stable neo-Hookean solid: keeps its volume better in large strains"},
};

}  // namespace

std::span<const Choice> elastic_model_words() {
    return models;
}

void describe(FieldVisitor& v, ElasticMaterial& s) {
    v.choice({.key = "model", .text = "how stress follows from strain"}, s.model, models);
    v.field({.key = "young",
             .unit = "Pa",
             .text = "Young's modulus",
             .min = 0,
             .max = 1e13,
             .min_excluded = true},
            s.young);
    v.field({.key = "poisson",
             .text = "Poisson's ratio: 0 does not bulge, 0.49 hardly changes its volume",
             .min = 0,
             .max = 0.49},
            s.poisson);
    v.field({.key = "density", .unit = "kg/m³", .text = "", .min = 0, .max = 1e9, .min_excluded = true},
            s.density);
    v.field({.key = "stiffness_damping",
             .unit = "s",
             .text = "damping in proportion to stiffness",
             .min = 0,
             .max = 1e6},
            s.stiffness_damping);
    v.field({.key = "yield",
             .text = "elastic strain from which on the rest shape flows (corotational only)",
             .min = 0,
             .max = 1e3},
            s.yield);
    v.field({.key = "creep", .unit = "1/s", .text = "how fast it flows", .min = 0, .max = 1e6}, s.creep);
    v.field({.key = "most_plastic", .text = "the largest strain that flow leaves", .min = 0, .max = 1e3},
            s.most_plastic);
    v.field({.key = "fracture_energy",
             .unit = "J/m²",
             .text = "what a cut takes for a square metre of it: the resistance that blades feel",
             .min = 0,
             .max = 1e9},
            s.fracture_energy);
}

}  // namespace plush
