#pragma once

#include <string_view>

#include "lab/studies/study.hpp"
#include "math/polar.hpp"
#include "plush/core/random.hpp"

// Parts of the study of polar decomposition, in the order of the page.

namespace plush::lab {

void polar_accuracy(Report& report, const StudySettings& settings);
void polar_degenerate(Report& report, const StudySettings& settings);
void polar_warm_start(Report& report, const StudySettings& settings);
void polar_cost(Report& report, const StudySettings& settings);

/// A rotation, uniform among all.
Quat random_turn(Random& random);

/// √ of the sum of the squares of the entries.
double frobenius(const Mat3& m);

/// A matrix with these singular values (the last may carry the sign of its determinant) between two random
/// rotations.
struct SampleMatrix {
    Mat3 a{}, rotation{};  ///< and its nearest rotation, up to the rounding of a
};
SampleMatrix sample_matrix(Random& random, const Vec3& sigma);

/// Condition up to `most` on a log scale, the middle value anywhere between, determinants of both signs.
Vec3 sample_values(Random& random, double most);

}  // namespace plush::lab
