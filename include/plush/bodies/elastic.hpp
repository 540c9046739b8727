#pragma once

#include "plush/bodies/deformable.hpp"

// Elastic solids of tetrahedra. The same names stand in scene files.

namespace plush {

enum class ElasticModel {
    corotational,  ///< linear elasticity in a frame that turns with each tet (the default)
    neo_hookean,   ///< the stable neo-Hookean solid: keeps its volume better in large strains
};
PLUSH_API std::span<const Choice> elastic_model_choices();

/// What a soft body is made of.
struct ElasticMaterial {
    ElasticModel model = ElasticModel::corotational;
    double young = 1e5;     ///< Young's modulus, Pa
    double poisson = 0.4;   ///< 0 to 0.49
    double density = 1000;  ///< kg/m³
    /// Rayleigh damping in proportion to stiffness, s: f = −stiffness_damping K v. The part in proportion to
    /// mass is DeformableSettings::damping.
    double stiffness_damping = 0;
    /// Plastic flow, of the corotational model: where the elastic strain is larger than `yield`, the rest
    /// shape follows at the rate `creep` (1/s) until its own strain is `max_plastic`. No yield: no flow.
    std::optional<double> yield{};
    double creep = 1;
    double max_plastic = 1;
    /// What a cut takes for a square metre of it, J/m²: the resistance of a blade. 0: blades feel nothing.
    double fracture_energy = 0;
    /// How hard the two faces of a cut rub on the blade that is between them, N/m² of face. 0: not at all.
    double blade_friction = 0;

    bool operator==(const ElasticMaterial&) const = default;
};
PLUSH_API void describe(FieldVisitor& v, ElasticMaterial& s);

/// A part of a body that is made of something else.
struct ElasticRegion {
    Box3 box{};  ///< of the rest shape
    ElasticMaterial material{};
};
PLUSH_API void describe(FieldVisitor& v, ElasticRegion& s);

}  // namespace plush
