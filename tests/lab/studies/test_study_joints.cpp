#include "lab/studies/study_joints.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace plush::lab {
namespace {

// Blocks as on the slide: zeros where it has zeros, and ± K of the rabbits elsewhere.
TEST(JointStudy, TheMatrixOfTheSceneIsTheSlides) {
    const SlideMatrix slide = slide_matrix();
    const JointSystemOfSlide system = joint_system_of_slide();
    EXPECT_GT(system.largest, 0.1);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) {
                    const double solved = system.of_engine[i][j](r, c);
                    EXPECT_NEAR(solved, system.by_slide[i][j](r, c), 1e-12 * system.largest)
                        << slide_block(slide, i, j);
                    EXPECT_NEAR(solved, system.of_engine[j][i](c, r), 1e-14 * system.largest);
                    if (slide[i][j].empty()) {
                        EXPECT_EQ(solved, 0) << i << ", " << j;
                    }
                }
    // No block of the slide is zero by chance.
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            if (!slide[i][j].empty()) {
                EXPECT_GT(std::abs(system.of_engine[i][j](0, 0)), 1e-3) << i << ", " << j;
            }
}

TEST(JointStudy, PrintsTheSlidesMatrixBesideTheOneThatIsSolved) {
    const Report report = study_joints({});
    const auto rows = figures(report)["slide"]["rows"];
    EXPECT_EQ(rows[0][1], "K_a00 + K_b00");
    EXPECT_EQ(rows[1][4], "−K_c13");
    EXPECT_EQ(rows[2][2], "0");
    EXPECT_EQ(rows[2][6], "0");
    EXPECT_EQ(rows[2][5], "×");
    EXPECT_NE(report.text.find("K_a11 + K_c11"), std::string::npos);
}

}  // namespace
}  // namespace plush::lab
