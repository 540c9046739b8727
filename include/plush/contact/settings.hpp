#pragma once

#include <optional>
#include <span>

#include "plush/contact/field_settings.hpp"
#include "plush/contact/joints.hpp"
#include "plush/contact/tet_settings.hpp"
#include "plush/contact/volume_settings.hpp"
#include "plush/core/describe.hpp"
#include "plush/math/vec.hpp"

namespace plush {

/// How overlap becomes contact.
enum class ContactMethod {
    /// The default: `volume` where a deformable body with a closed surface takes part, else `points`.
    /// Settings of vertices, integrators or tets win over it: docs/methods.md, "Which method".
    automatic,
    points,           ///< a well-spread handful of points a pair, solved together
    volume,           ///< the volume that closed bodies share, at full detail: one equation a cell of it
    volume_penalty,   ///< the same as an energy ½ k V² (Faure et al. 2008)
    closest_feature,  ///< vertices and edges of two meshes with what is nearest to them: a baseline
    impulse,          ///< the averaged single impulse of the lecture: for teaching, never rests
    none,             ///< detected and reported as events, but no response
};
PLUSH_API std::span<const Choice> contact_method_choices();

enum class FrictionModel {
    cone,     ///< Coulomb's cone, isotropic
    pyramid,  ///< four-sided: up to √2 too weak along its diagonals, for comparison
};

/// How bodies touch: `contact` of a scene.
struct ContactSettings {
    ContactMethod method = ContactMethod::automatic;
    int points = 6;  ///< at most this many points a pair
    /// Overlap that the stabilise phase leaves alone, m; default: by the sizes of the two bodies and gravity (0.1 mm for
    /// things of 5 cm to 2 m under 9.81 m/s²; docs/methods.md, "Any size").
    std::optional<double> allowed_depth{};
    std::optional<double>
        margin{};  ///< points closer than this are watched before they touch, m; default likewise (1 mm)
    std::optional<double> resting_speed{};  ///< restitution fades to 0 below this, m/s; default 2 g h
    int stabilise_passes = 4;               ///< detections of the stabilise phase a step, at most
    SurfaceSettings surface{};              ///< of the vertices of deformable bodies
    VolumeSettings volume{};                ///< between closed bodies, by their volumes
    TetContactSettings tets{};              ///< between bodies that have tets
};
PLUSH_API void describe(FieldVisitor& v, ContactSettings& s);

/// How the contact compliance of a soft body is found: a large one is expensive to factorise in every step.
enum class ComplianceMethod {
    automatic,  ///< `exact` for small bodies, `approximate` for large ones (docs/methods.md says from where)
    exact,      ///< a factorisation of its matrix a step: the reference
    approximate,  ///< that of its rest shape, turned along, corrected by the compliance iteration until the true motion
                  ///< fits
};

/// The solver of contacts and joints.
struct SolverSettings {
    int iterations = 100;     ///< sweeps at most
    double tolerance = 1e-8;  ///< of the natural-map residual, relative
    FrictionModel friction = FrictionModel::cone;
    bool warm_start = true;
    bool accelerated = true;  ///< conjugate directions over the sweeps
    bool newton = true;       ///< what sweeps leave above the tolerance is solved by Newton's method
    ComplianceMethod compliance = ComplianceMethod::automatic;  ///< of deformable bodies
};
PLUSH_API void describe(FieldVisitor& v, SolverSettings& s);

}  // namespace plush
