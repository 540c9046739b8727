#pragma once

#include <array>
#include <string>
#include <vector>

#include "lab/studies/study.hpp"
#include "plush/math/vec.hpp"

// The joints of the lecture's slide: three rabbits, four ball joints, one system (scene `bunny_joints`).

namespace plush::lab {

/// A term of a block: ± K of one rabbit, "abc"[body].
struct SlideTerm {
    int sign;
    std::size_t body;
};
/// The slide's matrix: the terms of each block, none where it has a zero.
using SlideMatrix = std::array<std::array<std::vector<SlideTerm>, 4>, 4>;
SlideMatrix slide_matrix();
/// "K_a00 + K_b00"; "0".
std::string slide_block(const SlideMatrix& slide, std::size_t i, std::size_t j);

struct JointSystemOfSlide {
    std::array<std::array<Mat3, 4>, 4>
        by_slide{};  ///< ± K, each measured by what an impulse does to a rabbit
    std::array<std::array<Mat3, 4>, 4> of_engine{};  ///< World::joint_matrix()
    double largest = 0;                              ///< number in the matrix, 1/kg
    double difference = 0;                           ///< the largest between the two, by that
};
/// Of the scene where it starts.
JointSystemOfSlide joint_system_of_slide();

}  // namespace plush::lab
