#pragma once

#include <span>

#include "detect/features/point_overlap.hpp"

// Two faces touch over a patch, and the normal forces of a few points on its outline stand for the pressure: they reach
// every centre of pressure inside of it. Friction at the same points would resist spinning with μ Σ λᵢ |xᵢ − c|, which is
// 3/2 of Coulomb's moment for a disc and 1.85 of it for a square,
//
//     M = μ N r̄,      r̄ = ∫ |x − c| dA / A        (uniform pressure; disc ⅔ R, square 0.3826 a, line ¼ l)
//
// So the friction of a point acts nearer to the centre of pressure c, at c + k (xᵢ − c), k = r̄ / (Σ λᵢ |xᵢ − c| / N): the
// sum is M for any loads. The shift is across the normal: the normal forces and all moments about tangents stay as
// they are. Both bodies get the force on one line. Loads are those of the last step.

namespace plush {

/// Sets friction_offset of the hits that touch (gap up to `touching`, m) of a patch that knows its radius. Loads are
/// normal impulses, one for each hit; where all are 0 they count alike.
void spread_friction(std::span<PointHit> hits, std::span<const double> loads, double touching);

}  // namespace plush
