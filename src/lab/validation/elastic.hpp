#pragma once

#include <array>
#include <vector>

#include "bodies/deformable/deformable_body.hpp"
#include "plush/bodies/elastic.hpp"

// Beams of tets with known answers, for `plush validate` and `plush study fem`.

namespace plush::lab {

/// A beam along x from x = 0, held at its end there, of square section.
struct Beam {
    double length = 1, thickness = 0.1;  ///< m
    double young = 1e7, density = 1000;  ///< Pa, kg/m³. Poisson's ratio is 0: what beam theory assumes.
    ElasticModel model = ElasticModel::corotational;
    /// Cells; few sideways, where nothing varies.
    int along = 80, across = 8, sideways = 2;

    double second_moment() const { return thickness * thickness * thickness * thickness / 12; }
};

DeformableBody beam_body(const Beam& beam, const IntegrationSettings& integration);

/// How far the tip sinks where the end face is pushed down by a force, N, that keeps its direction; at rest.
struct Tip {
    double down = 0, back = 0;  ///< m
    int newton = 0;
    double unbalanced = 0;
};
Tip bent_tip(const Beam& beam, double force);

/// Timoshenko's: P L³/(3EI) + P L/(k_s A G), k_s = 5/6.
double beam_deflection(const Beam& beam, double force);

/// Hz, of the first bending mode, from the zeros of the tip's motion over some periods by BDF2.
double bending_frequency(const Beam& beam, int steps_per_period, int periods);
/// (1.875104)²/(2π) √(EI/(ρ A L⁴))
double beam_frequency(const Beam& beam);

/// Hz, of the first mode along the beam: √(E/ρ)/(4 L).
double axial_frequency(const Beam& beam, int steps_per_period, int periods);

}  // namespace plush::lab
