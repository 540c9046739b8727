#include "lab/studies/study_joints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plush/scene/scene.hpp"

// "K_a01 j_1 stands for the velocity change of bunny a at joint 0, caused by impulse j_1": that is how every K is found
// here, by pushing a rabbit at one joint and reading its velocity at another. The engine finds the same matrix from the
// rows of its joints.

namespace plush::lab {
namespace {

/// K_body(i, j) = 1/M 1 − [R r_i]× I⁻¹ [R r_j]×, column by column.
Mat3 velocity_change(World& world, BodyId body, const Vec3& at, const Vec3& pushed_at) {
    Mat3 k;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto velocity = [&] {
            return world.velocity(body) + cross(world.angular_velocity(body), at - world.centre(body));
        };
        const Vec3 before = velocity();
        Vec3 impulse;
        impulse[axis] = world.mass(body);
        world.apply_impulse(body, impulse, pushed_at);
        const Vec3 change = (velocity() - before) / world.mass(body);
        for (std::size_t row = 0; row < 3; ++row) k(row, axis) = change[row];
        world.apply_impulse(body, -impulse, pushed_at);
    }
    return k;
}

std::string numbers(const Mat3& m) {
    std::string text;
    for (std::size_t r = 0; r < 3; ++r)
        text += fmt::format("{}{:.4f} {:.4f} {:.4f}", r > 0 ? "; " : "", m(r, 0), m(r, 1), m(r, 2));
    return text;
}

bool is_zero(const Mat3& m) {
    return std::all_of(std::begin(m.row), std::end(m.row), [](const Vec3& row) { return norm2(row) == 0; });
}

}  // namespace

SlideMatrix slide_matrix() {
    constexpr std::size_t a = 0, b = 1, c = 2;
    SlideMatrix m;
    m[0][0] = {{1, a}, {1, b}}, m[0][1] = {{1, a}}, m[0][2] = {{-1, b}};
    m[1][0] = {{1, a}}, m[1][1] = {{1, a}, {1, c}}, m[1][3] = {{-1, c}};
    m[2][0] = {{-1, b}}, m[2][2] = {{1, b}};
    m[3][1] = {{-1, c}}, m[3][3] = {{1, c}};
    return m;
}

std::string slide_block(const SlideMatrix& slide, std::size_t i, std::size_t j) {
    std::string text;
    for (const SlideTerm& term : slide[i][j])
        text += fmt::format("{}K_{}{}{}",
                            term.sign < 0  ? "−"
                            : text.empty() ? ""
                                           : " + ",
                            "abc"[term.body], i, j);
    return text.empty() ? "0" : text;
}

JointSystemOfSlide joint_system_of_slide() {
    const Scene scene = Scene::load("bunny_joints");
    World world = scene.build(1);
    std::array<BodyId, 3> rabbits;
    for (const BodyId id : world.bodies())
        for (std::size_t k = 0; k < 3; ++k)
            if (world.name(id) == std::string(1, "abc"[k])) rabbits[k] = id;
    const JointMatrix matrix = world.joint_matrix();
    if (matrix.joints.size() != 4)
        throw Error({.file = "study joints",
                     .problem = fmt::format("the scene bunny_joints has {} joints", matrix.joints.size()),
                     .cure = "the slide has four"});
    std::vector<Vec3> anchors;
    const auto resolved = nlohmann::json::parse(scene.resolved());
    for (const auto& joint : resolved["joints"]) {
        const auto& at = joint["ball"]["anchor"];
        anchors.push_back({at[0], at[1], at[2]});
    }
    const SlideMatrix slide = slide_matrix();
    JointSystemOfSlide system;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
            for (const SlideTerm& term : slide[i][j])
                system.by_slide[i][j] +=
                    velocity_change(world, rabbits[term.body], anchors[i], anchors[j]) * term.sign;
            system.of_engine[i][j] = matrix.at(i, j);
            for (std::size_t r = 0; r < 3; ++r) {
                const Vec3 off = system.of_engine[i][j].row[r] - system.by_slide[i][j].row[r];
                system.difference = std::max(system.difference, max_component(abs(off)));
                system.largest = std::max(system.largest, max_component(abs(matrix.at(i, j).row[r])));
            }
        }
    system.difference /= system.largest;
    return system;
}

Report study_joints(const StudySettings& settings) {
    Report report = begin_report("The joints of the slide", "plush study joints");
    report.paragraph(
        "Three rabbits hang on four ball joints: joint 0 holds a and b, joint 1 a and c, joint 2 holds b to "
        "the world "
        "and joint 3 c. K_a01 is the velocity change of rabbit a at joint 0 by an impulse at joint 1. The "
        "slide's "
        "equation of joint 1 prints K_c11 j_0 and means K_c11 j_1, as in its matrix.");
    report.formula("K_body(i, j) = 1/M 1 − [R r_i]× I⁻¹ [R r_j]×");
    settings.now("the matrix of bunny_joints");
    const JointSystemOfSlide system = joint_system_of_slide();
    const SlideMatrix slide = slide_matrix();
    Table pattern{.name = "slide",
                  .caption = "The slide's matrix, and whether the one that is solved has a block there (×)",
                  .columns = {"", "j_0", "j_1", "j_2", "j_3", "solved: j_0", "j_1", "j_2", "j_3"},
                  .rows = {}};
    Table blocks{.name = "blocks",
                 .caption = "Block by block, 1/kg, rows apart by a semicolon",
                 .columns = {"block", "slide", "± K, by pushing the rabbits", "the matrix that is solved"},
                 .rows = {}};
    for (std::size_t i = 0; i < 4; ++i) {
        std::vector<Cell> row{fmt::format("Δv_{}", i)};
        std::string line;
        for (std::size_t j = 0; j < 4; ++j) row.emplace_back(slide_block(slide, i, j));
        for (std::size_t j = 0; j < 4; ++j) {
            row.emplace_back(is_zero(system.of_engine[i][j]) ? "0" : "×");
            if (!slide[i][j].empty())
                blocks.rows.push_back({fmt::format("{}, {}", i, j), slide_block(slide, i, j),
                                       numbers(system.by_slide[i][j]), numbers(system.of_engine[i][j])});
            line += fmt::format("{:>15} {}", slide_block(slide, i, j),
                                is_zero(system.of_engine[i][j]) ? '0' : 'x');
        }
        report.text += line + "\n";
        pattern.rows.push_back(std::move(row));
    }
    report.text = "The slide's block, and whether the matrix that is solved has one (x):\n" + report.text;
    for (const auto& row : blocks.rows)
        report.text += fmt::format("({})  {:>13} = {}\n    is solved as {}\n", row[0].text, row[1].text,
                                   row[2].text, row[3].text);
    report.text += fmt::format("largest difference: {:.1e} of the largest number, {:.4f} 1/kg\n",
                               system.difference, system.largest);
    report.add(std::move(pattern));
    report.add(std::move(blocks));
    report.figure("largest_difference", system.difference);
    report.paragraph(fmt::format("The two differ by {:.1e} of the largest number.", system.difference));
    return report;
}

}  // namespace plush::lab
