#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/report/xml.hpp"
#include "lab/studies/study.hpp"

// What the study of polar decomposition finds, against what theory says.

namespace plush::lab {
namespace {

using nlohmann::ordered_json;

class PolarStudyFull : public ::testing::Test {
protected:
    static void SetUpTestSuite() { report() = study_polar({}); }
    static Report& report() {
        static Report made;
        return made;
    }
    static ordered_json json() { return figures(report()); }
    /// y of a series at a condition of 10^(half/2).
    static double at(const char* plot, const char* series, std::size_t half) {
        return json()[plot][series]["y"][half - 1].get<double>();
    }
};

TEST_F(PolarStudyFull, TheClosedFormLosesTwoDigitsForEveryOneOfTheCondition) {
    const double slope =
        std::log10(at("accuracy_flat", "closed form", 12) / at("accuracy_flat", "closed form", 4)) / 4;
    EXPECT_NEAR(slope, 2, 0.2);
    const double with_det = std::log10(at("accuracy_flat", "closed form with det A", 16) /
                                       at("accuracy_flat", "closed form with det A", 4)) /
                            6;
    EXPECT_NEAR(with_det, 1, 0.2);
}

TEST_F(PolarStudyFull, TheOthersAreAsGoodAsGapAllows) {
    for (const char* route : {"the engine's function", "SVD", "Newton-Higham"}) {
        EXPECT_LT(at("accuracy_flat", route, 24), 1e-14) << route;
        // gap is 2e-6 at a condition of 1e6, and 1e-3 for reflections.
        EXPECT_LT(at("accuracy_needle", route, 12), 1e-8) << route;
        EXPECT_LT(at("accuracy_reflection", route, 12), 1e-11) << route;
    }
    EXPECT_LT(at("orthonormality", "the engine's function", 24), 1e-14);
    EXPECT_LT(json()["check_skew"].get<double>(), 1e-9);
    EXPECT_LT(json()["check_difference"].get<double>(), 1e-6);
}

TEST_F(PolarStudyFull, DegenerateMatricesGetTheAnswersThatAreWritten) {
    const double angles[] = {0, 180, 0, 90, 180, 180, 130, 0, 0};
    const ordered_json rows = json()["degenerate"]["rows"];
    ASSERT_EQ(rows.size(), std::size(angles));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_NEAR(rows[i][2].get<double>(), angles[i], 1e-10) << rows[i][0];
        EXPECT_LT(rows[i][4].get<double>(), 1e-14) << rows[i][0];
    }
    EXPECT_EQ(rows[3][3], "(0, 0, 1)");   // x to y
    EXPECT_EQ(rows[6][3], "(0, -1, 0)");  // what is missing to a half turn, the other way round
}

TEST_F(PolarStudyFull, WarmStartsDoubleTheirDigitsAndDoNotGetStuck) {
    const ordered_json plot = json()["warm_start"];
    EXPECT_LT(plot["second derivative, 5° off"]["y"][3].get<double>(), 1e-14);
    EXPECT_GT(plot["gradient (Müller et al.), 5° off"]["y"][3].get<double>(), 1e-5);
    EXPECT_NEAR(json()["half_turn_gradient"].get<double>(), 180, 1e-9);
    EXPECT_LT(json()["half_turn_plush"].get<double>(), 1e-12);
}

// Times are those of a shared machine; only what must hold anywhere is asked: eight at a time is the quickest
// (measured 3.7 times as quick as the engine's function, 7 and 11 as Newton and SVD).
TEST_F(PolarStudyFull, EightAtATimeWinsClearly) {
    const ordered_json rows = json()["times"]["rows"];
    const double batch = rows.back()[1].get<double>();
    for (std::size_t i = 0; i + 1 < rows.size(); ++i)
        EXPECT_GT(rows[i][1].get<double>(), 1.5 * batch) << rows[i][0];
}

TEST_F(PolarStudyFull, IsOneWellFormedPage) {
    std::string page = to_html(report());
    page.erase(0, page.find("<body>"));
    page.erase(page.find("</html>"));
    for (std::size_t at = page.find("<br>"); at != page.npos; at = page.find("<br>")) page.erase(at, 4);
    EXPECT_EQ(test::Xml(page).problem, "");
}

}  // namespace
}  // namespace plush::lab
