#include <cmath>
#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_shapes.hpp"
#include "geometry/shapes/sculptor.hpp"

// Creatures with long parts: octopus, snake, armadillo. About 1 m across; y up, faces to +z.

namespace plush::shapes {
namespace {

using implicit::Station;
constexpr double pi = std::numbers::pi;

}  // namespace

// Eight arms leave the head at even angles, so neighbours stay 45° apart however they curl: each goes out
// along the ground, then its tip curls up.
Implicit octopus(int seed) {
    Whim whim(seed);
    Sculptor s;
    s.egg({0, 0.42, -0.02}, {0.205, 0.23, 0.2}, 0);
    s.egg({0, 0.24, 0}, {0.165, 0.13, 0.165}, 0.1);
    for (int i = 0; i < 8; ++i) {
        const double a = pi * (i + 0.5) / 4, sway = whim.between(-0.09, 0.09), lift = whim.between(0, 0.05);
        const double reach = whim.about(1, 0.06);
        const auto at = [&](double r, double y, double turn) {
            return Vec3{r * reach * pinned::sin(a + turn), y, r * reach * pinned::cos(a + turn)};
        };
        s.strand({{at(0.09, 0.2, 0), 0.082},
                  {at(0.2, 0.1, 0), 0.074},
                  {at(0.32, 0.056, sway), 0.06},
                  {at(0.44, 0.055 + 0.3 * lift, 0.2 * sway), 0.048},
                  {at(0.53, 0.1 + lift, -0.8 * sway), 0.037},
                  {at(0.55, 0.18 + lift, -1.2 * sway), 0.028},
                  {at(0.5, 0.225 + lift, -1.2 * sway), 0.021},
                  {at(0.455, 0.2 + lift, -1.2 * sway), 0.016}},
                 0.045);
    }
    for (const double side : {-1.0, 1.0}) {
        s.ball({0.092 * side, 0.33, 0.15}, 0.055, 0.02);  // the eye and its pupil
        s.ball({0.096 * side, 0.334, 0.2}, 0.02, 0.006);
    }
    s.groove({{{-0.05, 0.253, 0.172}, 0.009},
              {{-0.027, 0.238, 0.18}, 0.01},
              {{0, 0.232, 0.183}, 0.01},
              {{0.027, 0.238, 0.18}, 0.01},
              {{0.05, 0.253, 0.172}, 0.009}},
             0.012);
    return {std::move(s).done(), {0, 0.42, -0.02}, 1.0 / 56};
}

// A flat coil of one and a half turns, the thin tail outermost; from its inner end the neck rises and bends
// forward.
Implicit snake(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double sway = whim.between(-0.04, 0.04), lift = whim.about(1, 0.08);
    std::vector<Station> body;
    constexpr int steps = 30;
    constexpr double turns = 1.8;
    for (int i = 0; i <= steps; ++i) {
        const double t = static_cast<double>(i) / steps, a = pi * (0.9 + 2 * turns * t);
        const double r = 0.5 - 0.3 * t;
        // Thin at the tail, full from a third of the length on; it lies on the ground.
        const double u = std::min(1.0, t / 0.45), radius = 0.014 + 0.05 * u * (2 - u);
        body.push_back({{r * pinned::sin(a), radius, r * pinned::cos(a)}, radius});
    }
    const double end = pi * (0.9 + 2 * turns);
    const Vec3 last = body.back().at;
    const Vec3 along{pinned::cos(end), 0, -pinned::sin(end)};  // the way on
    body.push_back({last + along * 0.1 + Vec3{0, 0.03, 0} - last * 0.35, 0.063});
    const Vec3 base{body.back().at.x * 0.2, 0.17, -0.06};
    body.push_back({base, 0.06});
    body.push_back({{0.5 * sway, 0.29 * lift, -0.09}, 0.056});
    body.push_back({{sway, 0.41 * lift, -0.05}, 0.052});
    body.push_back({{sway, 0.475 * lift, 0.035}, 0.05});
    s.strand(body, 0);
    const Vec3 head{sway, 0.49 * lift, 0.1};
    s.frame = {head, from_axis_angle({0, 1, 0}, whim.between(-12, 12))};
    s.egg({0, 0, 0}, {0.072, 0.05, 0.09}, 0.05);
    s.egg({0, -0.008, 0.07}, {0.048, 0.034, 0.05}, 0.03);
    for (const double side : {-1.0, 1.0}) {
        s.ball({0.047 * side, 0.03, 0.035}, 0.021, 0.008);
        s.ball({0.017 * side, 0.008, 0.12}, 0.007, 0.004);
    }
    s.groove({{{-0.07, -0.016, 0.03}, 0.01},
              {{-0.055, -0.018, 0.088}, 0.011},
              {{0, -0.02, 0.125}, 0.011},
              {{0.055, -0.018, 0.088}, 0.011},
              {{0.07, -0.016, 0.03}, 0.01}},
             0.008);
    return {std::move(s).done(), body[20].at, 1.0 / 70};
}

// A snake that lies straight, its head to +x.
Implicit eel(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double thick = whim.about(0.036, 0.05);
    std::vector<Station> body;
    constexpr int steps = 12;
    for (int i = 0; i <= steps; ++i) {
        const double t = static_cast<double>(i) / steps, u = std::min(1.0, t / 0.4);
        const double radius = 0.012 + (thick - 0.012) * u * (2 - u);
        body.push_back({{t - 0.55, radius, 0}, radius});  // its belly on the ground
    }
    s.strand(body, 0);
    s.egg({0.475, 0.033, 0}, {0.06, 0.033, 0.045}, 0.03);
    s.egg({0.525, 0.028, 0}, {0.034, 0.024, 0.03}, 0.02);
    for (const double side : {-1.0, 1.0}) s.ball({0.495, 0.055, 0.026 * side}, 0.012, 0.006);
    return {std::move(s).done(), body[6].at, 1.0 / 100};
}

// It stands on its hind legs, arms lifted, with a shell of bumps on its back, a long snout, ears and a heavy
// tail.
Implicit armadillo(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double arm = whim.between(-0.04, 0.06), tail = whim.between(-0.08, 0.08);
    s.egg({0, 0.46, -0.02}, {0.185, 0.24, 0.165}, 0);
    s.egg({0, 0.4, 0.05}, {0.15, 0.17, 0.13}, 0.08);                                      // belly
    s.egg({0, 0.51, -0.085}, {0.195, 0.235, 0.15}, 0.03, from_axis_angle({1, 0, 0}, 8));  // shell
    for (const double side : {-1.0, 1.0}) {
        s.limb({0.12 * side, 0.31, 0}, 0.11, {0.185 * side, 0.2, 0.06}, 0.085, 0.06);      // thigh
        s.limb({0.185 * side, 0.2, 0.06}, 0.078, {0.195 * side, 0.06, 0.0}, 0.056, 0.03);  // shin
        s.egg({0.205 * side, 0.042, 0.06}, {0.065, 0.042, 0.1}, 0.03, from_axis_angle({0, 1, 0}, 12 * side));
        for (const double toe : {-1.0, 0.0, 1.0})
            s.limb({(0.222 + 0.038 * toe) * side, 0.035, 0.135 - 0.012 * toe * toe}, 0.025,
                   {(0.235 + 0.048 * toe) * side, 0.02, 0.185 - 0.014 * toe * toe}, 0.012, 0.014);
        const Vec3 elbow{0.315 * side, 0.56 + 0.5 * arm, 0.05}, wrist{0.36 * side, 0.7 + arm, 0.13};
        s.limb({0.15 * side, 0.61, 0}, 0.078, elbow, 0.058, 0.05);
        s.limb(elbow, 0.058, wrist, 0.047, 0.03);
        s.egg(wrist + Vec3{0.008 * side, 0.04, 0.015}, {0.052, 0.058, 0.04}, 0.025);
        for (const double finger : {-1.0, 0.0, 1.0}) {
            const Vec3 root =
                wrist + Vec3{0.01 * side + 0.034 * finger, 0.075 - 0.01 * finger * finger, 0.025};
            s.limb(root, 0.023, root + Vec3{0.018 * finger, 0.06, 0.02}, 0.011, 0.014);
        }
    }
    s.strand({{{0, 0.28, -0.13}, 0.11},
              {{0, 0.15, -0.26}, 0.085},
              {{0.4 * tail, 0.075, -0.4}, 0.062},
              {{tail, 0.06, -0.53}, 0.042},
              {{1.3 * tail, 0.09, -0.64}, 0.022}},
             0.06);
    s.egg({0, 0.73, 0.05}, {0.085, 0.1, 0.085}, 0.06);  // neck
    s.egg({0, 0.82, 0.09}, {0.105, 0.1, 0.115}, 0.05);  // head
    s.strand({{{0, 0.81, 0.16}, 0.07}, {{0, 0.785, 0.25}, 0.05}, {{0, 0.765, 0.33}, 0.034}}, 0.04);
    s.egg({0, 0.775, 0.36}, {0.024, 0.02, 0.018}, 0.006);
    for (const double side : {-1.0, 1.0}) {
        const Quat lean = from_axis_angle({0, 0, 1}, -24 * side) * from_axis_angle({1, 0, 0}, -14);
        const Vec3 root{0.06 * side, 0.895, 0.05};
        s.egg(root + rotate(lean, {0, 0.085, 0}), {0.045, 0.115, 0.028}, 0.025, lean);
        s.dent(root + rotate(lean, {0, 0.095, 0.034}), {0.024, 0.078, 0.019}, 0.014, lean);
        s.ball({0.066 * side, 0.845, 0.172}, 0.02, 0.006);
    }
    s.groove({{{-0.055, 0.755, 0.2}, 0.006},
              {{-0.035, 0.745, 0.29}, 0.006},
              {{0, 0.742, 0.345}, 0.006},
              {{0.035, 0.745, 0.29}, 0.006},
              {{0.055, 0.755, 0.2}, 0.006}},
             0.01);
    const Sdf body = std::move(s).done();
    // Bumps on the shell, the arms, the thighs and the tail; the face, hands and belly stay smooth.
    implicit::Blend rough;
    rough.add(implicit::ellipsoid({0, 0.5, -0.19}, {0.29, 0.32, 0.22}), 0);
    rough.add(implicit::round_cone({0, 0.2, -0.2}, 0.16, {1.2 * tail, 0.05, -0.65}, 0.1), 0.05);
    for (const double side : {-1.0, 1.0}) {
        rough.add(implicit::ellipsoid({0.25 * side, 0.22, 0}, {0.12, 0.16, 0.16}), 0.05);
        rough.add(implicit::ellipsoid({0.27 * side, 0.62, -0.02}, {0.12, 0.13, 0.12}), 0.05);
    }
    const implicit::Waves waves(0.052, static_cast<std::uint64_t>(seed) + 1000);
    return {
        implicit::displaced(body, waves, 0.0085, std::move(rough).done(), 0.04), {0, 0.46, -0.02}, 1.0 / 70};
}

}  // namespace plush::shapes
