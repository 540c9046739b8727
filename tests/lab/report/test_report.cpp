#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/report/reports.hpp"
#include "lab/report/xml.hpp"
#include "lab/studies/study.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

namespace plush::lab {
namespace {

using nlohmann::ordered_json;
using test::read_text;
using test::says;
using test::TempFolder;

Report example() {
    Report report{.title = "A < B", .command = "plush study x", .machine = "a machine", .date = "2020-02-02"};
    report.heading("First & last");
    report.paragraph("if a < b && c");
    report.figure("answer", 42);
    report.add(
        Table{.name = "t", .columns = {"name", "v (m)"}, .rows = {{"<one>", 1.5}, {"two", std::nan("")}}});
    report.add(Plot{.name = "p",
                    .title = "T",
                    .series = {{.name = "s", .x = {1, 2}, .y = {3, HUGE_VAL}}},
                    .lines = {{.name = "limit", .y = 4}}});
    report.add(Picture{.caption = "a picture", .png = "\x89PNG"});
    return report;
}

/// The page as XML: HTML's own head is cut to what XML allows.
std::string as_xml(std::string page) {
    page.erase(0, page.find("<body>"));
    page.erase(page.find("</html>"));
    for (const char* empty : {"<br>"})
        for (std::size_t at = page.find(empty); at != page.npos; at = page.find(empty)) page.erase(at, 4);
    const std::size_t image = page.find("<img ");
    if (image != page.npos) page.insert(page.find('>', image), "/");
    return page;
}

TEST(Report, IsOneWellFormedPageThatNeedsNothingElse) {
    const std::string page = to_html(example());
    EXPECT_EQ(test::Xml(as_xml(page)).problem, "");
    for (const char* part :
         {"A &lt; B", "plush study x", "a machine", "2020-02-02", "First &amp; last", "&lt;one&gt;",
          "<details>", "data:image/png;base64,iVBORw==", "@media print", "size: A4"})
        EXPECT_TRUE(says(page, part)) << part;
    for (const char* part : {"<script", "<link", "src=\"http", "@import", "url(http"})
        EXPECT_FALSE(says(page, part)) << part;
    EXPECT_EQ(page, to_html(example()));
}

TEST(Report, EveryNumberIsAFigure) {
    const ordered_json json = figures(example());
    EXPECT_EQ(json["answer"], 42);
    EXPECT_EQ(json["t"]["rows"][0][1], 1.5);
    EXPECT_EQ(json["t"]["rows"][0][0], "<one>");
    EXPECT_TRUE(json["t"]["rows"][1][1].is_null());
    EXPECT_EQ(json["p"]["s"]["x"], (std::vector<double>{1, 2}));
    EXPECT_TRUE(json["p"]["s"]["y"][1].is_null());
    EXPECT_EQ(json["p"]["limit"]["y"], 4);
}

TEST(Report, LongListsAreThinnedInThePageOnly) {
    Report report;
    Plot plot{.name = "p", .series = {{.name = "s", .draw = Draw::line}}};
    for (int i = 0; i < 5000; ++i) plot.series[0].x.push_back(i), plot.series[0].y.push_back(i);
    report.add(std::move(plot));
    const std::string page = to_html(report);
    EXPECT_TRUE(says(page, "One row in 25; --json has all 5000."));
    EXPECT_EQ(test::Xml(as_xml(page)).all("tr").size(), 201u);
    EXPECT_EQ(figures(report)["p"]["s"]["x"].size(), 5000u);
}

TEST(Report, IsWrittenWholeOrNotAtAll) {
    TempFolder folder;
    ASSERT_TRUE(save_report(example(), (folder / "r.html").string()));
    EXPECT_EQ(read_text(folder / "r.html"), to_html(example()));
    EXPECT_FALSE(save_report(example(), (folder / "no/such/r.html").string()));
}

TEST(Report, SmallPlotsShareRowsAndTheirCaption) {
    Report report;
    report.paragraph("Notice.", "a < b");
    report.formula("x = y");
    for (int i = 0; i < 5; ++i) {
        Plot plot{.name = "p", .series = {{.name = "s", .x = {1, 2}, .y = {3, 4}}}, .columns = 2};
        if (i == 4) plot.caption = "below <all>";
        report.add(std::move(plot));
    }
    report.add(Plot{.name = "q", .series = {{.name = "s", .x = {1, 2}, .y = {3, 4}}}, .caption = "own"});
    const std::string page = to_html(report);
    const test::Xml xml(as_xml(page));
    EXPECT_EQ(xml.problem, "");
    std::size_t rows = 0;
    for (std::size_t at = page.find("<div class=\"row\">"); at != page.npos;
         at = page.find("<div class=\"row\">", at + 1))
        ++rows;
    EXPECT_EQ(rows, 3u);
    EXPECT_TRUE(says(page, "</div>\n<figcaption>below &lt;all&gt;</figcaption>"));
    EXPECT_TRUE(says(page, "<figcaption>own</figcaption>\n<details>"));
    EXPECT_TRUE(says(page, "<b>Notice.</b> a &lt; b"));
    EXPECT_TRUE(says(page, "<p class=\"formula\">x = y</p>"));
}

TEST(Csv, HasEveryNumberOfAPlot) {
    Plot plot{.x = {.label = "Time", .unit = "s"},
              .series = {{.name = "a, \"b\"", .x = {0.1, 1. / 3}, .y = {2, HUGE_VAL}},
                         {.name = "c", .x = {1}, .y = {5}, .low = {4}, .high = {6}}}};
    EXPECT_EQ(to_csv(plot),
              "series,Time (s),y,low,high\n"
              "\"a, \"\"b\"\"\",0.1,2,,\n"
              "\"a, \"\"b\"\"\",0.3333333333333333,,,\n"
              "c,1,5,4,6\n");
    const Plot bars{.x = {.label = "Time", .unit = "ns"},
                    .y = {.label = "rule"},
                    .categories = {"one", "two"},
                    .series = {{.name = "s", .y = {7, 8}, .draw = Draw::bars}}};
    EXPECT_EQ(to_csv(bars), "series,rule,Time (ns)\ns,one,7\ns,two,8\n");
}

TEST(Csv, OfAReportIsAFolder) {
    TempFolder folder;
    ASSERT_TRUE(save_csv(example(), (folder / "deep/er").string()));
    EXPECT_EQ(read_text(folder / "deep/er/t.csv"), "name,v (m)\n<one>,1.5\ntwo,\n");
    EXPECT_EQ(read_text(folder / "deep/er/p.csv"), "series,x,y\ns,1,3\ns,2,\n");
    ASSERT_TRUE(save_report(example(), (folder / "file").string()));
    EXPECT_FALSE(save_csv(example(), (folder / "file").string())) << "a file is in the way";
}

TEST(Reports, ValidationShowsEveryCheckAndWhatCannotBeDone) {
    Outcome good{.name = "good", .method = "points", .checks = {below("x", 0.5, 1, "m", 0.1)}, .limit = ""};
    Outcome bad{.name = "bad", .method = "points", .checks = {below("y", 3, 1, "m", 0.1)}, .limit = ""};
    Outcome exact{.name = "exact", .method = "", .checks = {absolute("z", 2, 2, 0, "", 0.1)}, .limit = ""};
    Outcome not_possible{
        .name = "no", .method = "impulse", .checks = {below("w", 3, 1, "m", 0.1)}, .limit = "because"};
    const Outcome all[] = {good, bad, exact, not_possible};
    const Report report = validation_report(all, "plush validate");
    const ordered_json json = figures(report);
    EXPECT_EQ(json["checks"].is_object() ? json["checks"]["rows"].size() : 0u, 4u);
    EXPECT_EQ(json["failed"], 1);
    const auto& used = json["tolerance_used"]["used"]["y"];
    EXPECT_EQ(used[0], 0.5);
    EXPECT_EQ(used[1], 3);
    EXPECT_TRUE(used[2].is_null()) << "nothing allowed and nothing wrong: no bar";
    const std::string page = to_html(report);
    EXPECT_TRUE(says(page, "FAILED"));
    EXPECT_TRUE(says(page, "because"));
    EXPECT_EQ(test::Xml(as_xml(page)).problem, "");
}

TEST(Reports, TimingsByPhase) {
    BenchRow row;
    row.name = "bowl";
    row.step_seconds = 0.01;
    row.phases[1].median = 2.5;
    const BenchRow rows[] = {row};
    const ordered_json json = figures(bench_report(rows, "plush bench"));
    EXPECT_EQ(json["milliseconds"]["detect"]["y"][0], 2.5);
    EXPECT_EQ(json["rows"]["rows"][0][0], "bowl");
}

TEST(Studies, HaveNamesAndTexts) {
    ASSERT_FALSE(studies().empty());
    for (const Study& study : studies()) {
        EXPECT_FALSE(study.text.empty());
        EXPECT_EQ(find_study(study.name).value(), &study);
    }
    const auto wrong = find_study("sovler");
    ASSERT_FALSE(wrong.ok());
    EXPECT_TRUE(says(wrong.error().cure(), "solver"));
}

// The study against what is known: midpoint is of second order, the implicit step of first, and the update
// without gyroscopic term does not converge to the motion at all.
TEST(Studies, RotationFindsTheOrders) {
    const Report report = study_rotation({});
    const ordered_json json = figures(report);
    const auto& rows = json["orders"]["rows"];
    EXPECT_NEAR(rows[0][1].get<double>(), 2, 0.05);  // measured 2.000
    EXPECT_NEAR(rows[1][1].get<double>(), 1, 0.05);  // measured 1.000
    EXPECT_TRUE(rows[2][1].is_string());
    EXPECT_EQ(test::Xml(as_xml(to_html(report))).problem, "");
    // The default at the smallest step, 1/4096 s: the reference agrees to 5e-7 rad (measured 5.3e-7).
    const auto& errors = json["orientation_error"]["momentum, free top (default)"]["y"];
    EXPECT_LT(errors.back().get<double>(), 1e-6);
}

TEST(Studies, StopWhenTold) {
    StudySettings settings;
    settings.progress = [](std::string_view) { return false; };
    for (const Study& study : studies())
        EXPECT_THROW(static_cast<void>(study.run(settings)), Error) << study.name;
}

TEST(StudiesFull, SolverIsFasterAccelerated) {
    const ordered_json json = figures(study_solver({}));
    // 1 % on the tower: 70 sweeps plain, 20 accelerated, as measured.
    const auto& tower = json["sweeps_needed"]["rows"][0];
    EXPECT_LE(2 * tower[2].get<double>(), tower[1].get<double>());
    EXPECT_GT(json["pile_contacts"].get<double>(), 1000);
}

}  // namespace
}  // namespace plush::lab
