#include <array>

#include "core/quantities.hpp"
#include "plush/bodies/soft.hpp"

namespace plush {
namespace {

constexpr std::array models{
    Choice{"corotational", static_cast<int>(ElasticModel::corotational),
           "linear elasticity in a frame that turns with each tet"},
    Choice{"neo_hookean", static_cast<int>(ElasticModel::neo_hookean),
           "the stable neo-Hookean solid: keeps its volume better in large strains"},
};

}  // namespace

std::span<const Choice> elastic_model_choices() {
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
    v.field(quantity::density(""), s.density);
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
    v.field({.key = "max_plastic", .text = "the largest strain that flow leaves", .min = 0, .max = 1e3},
            s.max_plastic);
    v.field({.key = "fracture_energy",
             .unit = "J/m²",
             .text = "what a cut takes for a square metre of it: the resistance that blades feel",
             .min = 0,
             .max = 1e9},
            s.fracture_energy);
    v.field({.key = "blade_friction",
             .unit = "N/m²",
             .text = "how hard each face of a cut rubs on the blade between them (liver: some hundreds)",
             .min = 0,
             .max = 1e9},
            s.blade_friction);
}

void describe(FieldVisitor& v, ElasticRegion& s) {
    v.vector(quantity::position("low", "a corner of the region, of the body at rest"), s.box.low);
    v.vector(quantity::position("high", "the opposite corner"), s.box.high);
    describe(v, s.material);
}

void describe(FieldVisitor& v, Soft& s) {
    describe(v, s.elastic);
    v.field(quantity::mass("in all, instead of the density"), s.mass);
    v.field({.key = "by_skin",
             .text = "tets that are partly outside of the surface have the mass and the stiffness of the "
                     "part inside"},
            s.by_skin);
    v.field({.key = "pressure", .unit = "Pa", .text = "from inside", .min = -1e12, .max = 1e12}, s.pressure);
    bool at_rest = false;
    v.field(
        {.key = "static", .text = "no inertia: every step ends in equilibrium (the integrator quasi_static)"},
        at_rest);
    describe(v, static_cast<Deformable&>(s));
    if (at_rest) s.motion.integration.method = IntegrationMethod::quasi_static;
}

}  // namespace plush
