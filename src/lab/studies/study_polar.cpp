#include "lab/studies/study_polar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "math/polar_kernel.hpp"

// How exact are the routes to the nearest rotation, and what do they answer where there is none, or many?
//
// Matrices are made from singular vectors and values that are known. Rounding their product to doubles moves
// the nearest rotation a little, so the reference is the nearest rotation of the rounded matrix, in long
// double: Newton turns from the known one, until b = 0. That H is definite there proves that it is the
// nearest.

namespace plush::lab {

Quat random_turn(Random& random) {
    Quat q;
    double n2 = 0;
    do {
        q = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
        n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    } while (n2 > 1 || n2 < 0.01);
    return normalised(q);
}

double frobenius(const Mat3& m) {
    return std::sqrt(norm2(m.row[0]) + norm2(m.row[1]) + norm2(m.row[2]));
}

SampleMatrix sample_matrix(Random& random, const Vec3& sigma) {
    const Mat3 left = to_matrix(random_turn(random)), right = transpose(to_matrix(random_turn(random)));
    return {left * Mat3::diagonal(sigma) * right, left * right};
}

Vec3 sample_values(Random& random, double most) {
    const double condition = std::pow(most, random.uniform());
    const double middle = std::pow(condition, -random.uniform());
    return {1, middle, random.uniform() < 0.5 ? 1 / condition : -1 / condition};
}

namespace {

using Real = long double;
using polar_kernel::Columns;

Columns<Real> columns_of(const Mat3& m) {
    const auto column = [&](std::size_t j) {
        return polar_kernel::Column<Real>{Real(m(0, j)), Real(m(1, j)), Real(m(2, j))};
    };
    return {column(0), column(1), column(2)};
}

/// The nearest rotation of the matrix as it is stored. Four turns from an error of 1e-16/gap are plenty.
Mat3 reference_rotation(const SampleMatrix& sample) {
    Columns<Real> r = columns_of(sample.rotation);
    const Columns<Real> a = columns_of(sample.a);
    for (int i = 0; i < 4; ++i) r = polar_kernel::turned(r, polar_kernel::newton_turn(r, a, 0).omega);
    const auto row = [](Real x, Real y, Real z) {
        return Vec3{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    };
    return {{row(r.c0.x, r.c1.x, r.c2.x), row(r.c0.y, r.c1.y, r.c2.y), row(r.c0.z, r.c1.z, r.c2.z)}};
}

struct Route {
    const char* name;
    Mat3 (*rotation)(const Mat3&);
};
constexpr std::array routes{
    Route{"the engine's function", [](const Mat3& a) { return polar(a).rotation; }},
    Route{"SVD", [](const Mat3& a) { return polar(a, PolarMethod::svd).rotation; }},
    Route{"Newton-Higham", [](const Mat3& a) { return polar(a, PolarMethod::newton).rotation; }},
    Route{"closed form", [](const Mat3& a) { return polar(a, PolarMethod::closed_form).rotation; }},
    Route{"closed form with det A", rotation_by_closed_form_with_det},
};

/// A family of matrices: singular values for each condition number.
struct Family {
    const char *key, *title;
    Vec3 (*values)(double condition);
};

/// The worst of this many matrices is drawn.
constexpr int samples = 100;

void add_accuracy(Report& report, const Family& family, Plot* skew) {
    Plot plot{.name = fmt::format("accuracy_{}", family.key),
              .title = family.title,
              .x = {.label = "Condition number σ₁/σ₃", .scale = Scale::log},
              .y = {.label = "Largest |R − exact|", .scale = Scale::log, .low = 1e-16, .high = 10}};
    for (std::size_t i = 0; i < routes.size(); ++i) {
        Series error{.name = routes[i].name, .style = i};
        Series bent{.name = routes[i].name, .style = i};
        for (int half_decades = 1; half_decades <= 24; ++half_decades) {
            const double condition = std::pow(10, 0.5 * half_decades);
            Random random(static_cast<std::uint64_t>(half_decades));
            double worst = 0, worst_skew = 0;
            for (int k = 0; k < samples; ++k) {
                const SampleMatrix sample = sample_matrix(random, family.values(condition));
                const Mat3 r = routes[i].rotation(sample.a);
                worst = std::max(worst, frobenius(r - reference_rotation(sample)));
                worst_skew = std::max(worst_skew, frobenius(transpose(r) * r - Mat3::identity()));
            }
            error.x.push_back(condition), error.y.push_back(worst);
            bent.x.push_back(condition), bent.y.push_back(worst_skew);
        }
        plot.series.push_back(std::move(error));
        if (skew) skew->series.push_back(std::move(bent));
    }
    if (std::string_view(family.key) == "flat")
        plot.lines = {{.name = "10⁻¹⁶ × condition²", .x = 1e4, .y = 1e-8, .slope = 2},
                      {.name = "10⁻¹⁶ × condition", .x = 1e8, .y = 1e-8, .slope = 1}};
    report.add(std::move(plot));
}

void add_check(Report& report) {
    constexpr int count = 100'000;
    Random random(1);
    double skew = 0, difference = 0;
    for (int i = 0; i < count; ++i) {
        const Vec3 sigma = sample_values(random, 1e6);
        const Mat3 a = sample_matrix(random, sigma).a, r = polar(a).rotation;
        skew = std::max(skew, frobenius(transpose(r) * r - Mat3::identity()));
        if (sigma.y + sigma.z < 1e-8) continue;
        difference = std::max(difference, frobenius(r - polar(a, PolarMethod::svd).rotation));
    }
    report.paragraph(
        "The check.",
        fmt::format(
            "The engine's function on 100 000 random matrices with condition up to 10⁶ and determinants of "
            "both signs: the largest |RᵀR − 1| is {:.1e} (10⁻⁹ is allowed), and where gap ≥ 10⁻⁸ the "
            "largest difference from the SVD is {:.1e} (10⁻⁶ is allowed). The tests do it with a million.",
            skew, difference));
    report.figure("check_skew", skew);
    report.figure("check_difference", difference);
}

}  // namespace

void polar_accuracy(Report& report, const StudySettings& settings) {
    report.heading("Accuracy against the condition number");
    report.formula("Newton-Higham:   X ← ½ (γX + X⁻ᵀ/γ),   γ = √(|X⁻¹|/|X|),   X₀ = A,   X → R");
    report.formula("SVD:   A = W Σ Vᵀ,   R = W Vᵀ");
    report.formula("closed form:   U = √(AᵀA) = (a d 1 + (a² − b) C − C²) / (a b − d),   R = A U⁻¹");
    report.paragraph(
        "Higham's iteration (1986) turns every singular value into 1. In the SVD, W and V are rotations and "
        "the last "
        "σ carries the sign of det A. Franca's square root (1989) of C = AᵀA is a polynomial in C, with the "
        "invariants a = tr U, b and d = det U, which come from those of C by the cosine of a third of an "
        "angle.");
    report.paragraph(
        "What is plotted.",
        fmt::format(
            "Each point is the worst of {} random matrices with the same singular values. Their exact "
            "nearest rotation is computed with 19 digits.",
            samples));
    settings.now("flat matrices");
    Plot skew{.name = "orthonormality",
              .title = "Is it a rotation? The same flat matrices",
              .x = {.label = "Condition number σ₁/σ₃", .scale = Scale::log},
              .y = {.label = "Largest |RᵀR − 1|", .scale = Scale::log, .low = 1e-16, .high = 10}};
    add_accuracy(report,
                 {"flat", "Pressed flat: σ = 1, 1, 1/condition",
                  [](double c) {
                      return Vec3{1, 1, 1 / c};
                  }},
                 &skew);
    report.paragraph(
        "What to notice.",
        "A sheet of paper has an orientation, however thin: gap stays near 1 and the problem is easy. SVD "
        "and "
        "Newton show it. The closed form goes through C = AᵀA, whose condition is the square of that of A, "
        "and "
        "loses two digits for every digit of the condition: at 10³ ten digits are left, at 10⁸ none. Half of "
        "the "
        "loss is the root of det C alone. Taking det A in its place, which is the same number and knows its "
        "sign, "
        "gives the slope 1 that remains from U⁻¹. The engine takes λ = tr U from the closed form, but then "
        "neither inverts U nor stops there.");
    report.add(std::move(skew));
    settings.now("needles");
    add_accuracy(report,
                 {"needle", "Drawn to a needle: σ = 1, 1/condition, 1/condition",
                  [](double c) {
                      return Vec3{1, 1 / c, 1 / c};
                  }},
                 nullptr);
    report.paragraph("What to notice.",
                     "The turn of a needle about itself is hard to see, and no route can see what is not "
                     "there: the error of "
                     "the best ones grows like 10⁻¹⁶/gap, with gap = 2/condition here.");
    settings.now("reflections");
    add_accuracy(report,
                 {"reflection", "Inside out: σ = 1, 1/√condition, −1/condition",
                  [](double c) {
                      return Vec3{1, 1 / std::sqrt(c), -1 / c};
                  }},
                 nullptr);
    report.paragraph("What to notice.",
                     "det A < 0. Newton's iteration keeps the sign of the determinant and ends at the "
                     "nearest reflection; the "
                     "shortest direction of A then has to be turned round. Both here and for needles it "
                     "fails where σ₂σ₃/σ₁² nears "
                     "10⁻¹⁶: the sign of the determinant is rounding then. The closed form needs only the "
                     "sign of its root.");
    settings.now("the check");
    add_check(report);
}

void polar_degenerate(Report& report, const StudySettings& settings) {
    settings.now("degenerate matrices");
    report.heading("Where several rotations are nearest, or none");
    report.paragraph(
        "Below a gap of 10⁻¹² rounding would choose. The engine chooses instead: of all nearest rotations "
        "the one "
        "that turns least. So a crushed element has no opinion beyond what its shape says, and the same one "
        "every "
        "time.");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Vec3 x{1, 0, 0}, y{0, 1, 0};
    struct Case {
        const char *name, *answer;
        Mat3 a;
    };
    const std::array cases{
        Case{"reflection, diag(3, 2, −1)", "unique; the stretch takes the sign", Mat3::diagonal({3, 2, -1})},
        Case{"reflection, diag(−3, 1, 1)", "σ₂ = σ₃: the shortest arc from x to −x",
             Mat3::diagonal({-3, 1, 1})},
        Case{"rank 2, diag(3, 2, 0)", "unique", Mat3::diagonal({3, 2, 0})},
        Case{"rank 1, y xᵀ", "the shortest arc from x to y", outer(y, x)},
        Case{"rank 1, −x xᵀ", "a half turn about perpendicular(x)", -1.0 * outer(x, x)},
        Case{"inversion, −1", "a half turn about x", -1.0 * Mat3::identity()},
        Case{"−Q, Q by 50° about y", "by 180° − 50° about −y", -1.0 * to_matrix(from_axis_angle(y, 50))},
        Case{"zero", "the identity, stretch 0", Mat3{}},
        Case{"not a number", "the identity, stretch 0", nan * Mat3::identity()},
    };
    Table table{.name = "degenerate",
                .caption = "What the engine's function answers",
                .columns = {"matrix", "answer", "angle (°)", "axis", "|RᵀR − 1|"},
                .rows = {},
                .digits = 4};
    for (const Case& c : cases) {
        const Mat3 r = polar(c.a).rotation;
        const Vec3 turn = log_rotation(to_quaternion(r)) * (180 / std::numbers::pi);
        const Vec3 axis = normalised(turn, {}) + Vec3{};  // no −0
        table.rows.push_back({c.name, c.answer, norm(turn),
                              norm(turn) > 0 ? fmt::format("({:.3g}, {:.3g}, {:.3g})", axis.x, axis.y, axis.z)
                                             : std::string("none"),
                              frobenius(transpose(r) * r - Mat3::identity())});
    }
    report.add(std::move(table));
}

Report study_polar(const StudySettings& settings) {
    Report report = begin_report("The nearest rotation", "plush study polar");
    report.paragraph(
        "Every 3×3 matrix is a stretch followed by a rotation, A = R S: the polar decomposition. R is the "
        "rotation "
        "nearest to A. It says how a piece of matter has turned, whatever else happened to it: shape "
        "matching and "
        "co-rotated finite elements ask for it in every element and every step.");
    report.formula("R = argmin |A − R|,   S = RᵀA,   gap = (σ₂ + sgn(det A) σ₃)/σ₁");
    report.paragraph(
        "σ₁ ≥ σ₂ ≥ σ₃ are the singular values of A. R is a proper rotation also where A turns things inside "
        "out "
        "(det A < 0). It is unique where gap > 0, and an error δ in A turns it by about δ/gap: gap, not the "
        "condition number σ₁/σ₃, says how hard the problem is.");
    polar_accuracy(report, settings);
    polar_degenerate(report, settings);
    polar_warm_start(report, settings);
    polar_cost(report, settings);
    return report;
}

}  // namespace plush::lab
