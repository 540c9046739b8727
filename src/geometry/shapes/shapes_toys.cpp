#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_shapes.hpp"
#include "geometry/shapes/sculptor.hpp"

// Plush toys: bear, bunny, elephant, star. About 1 m tall before they are fitted to the wanted size; y up,
// faces to +z. A toy is large in the head and short in the limbs, sits on its bottom, and has no thin parts.
// The seed changes proportions by a few per cent and tilts the head.

namespace plush::shapes {
namespace {

/// Tilts and turns what follows about a point: the neck.
Transform nod(const Vec3& neck, Whim& whim, double degrees) {
    const Quat turn = from_axis_angle({0, 1, 0}, whim.between(-degrees, degrees)) *
                      from_axis_angle({0, 0, 1}, whim.between(-degrees, degrees));
    return {neck - rotate(turn, neck), turn};
}

}  // namespace

Implicit bear(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double plump = whim.about(1, 0.05), ears = whim.about(0.088, 0.08),
                 reach = whim.between(-0.03, 0.03);
    s.egg({0, 0.33, 0}, {0.245 * plump, 0.285, 0.215 * plump}, 0);
    s.egg({0, 0.27, 0.07}, {0.19 * plump, 0.19, 0.18 * plump}, 0.12);  // the belly
    s.ball({0, 0.14, -0.22}, 0.06, 0.03);                              // the tail
    for (const double side : {-1.0, 1.0}) {
        s.limb({0.19 * side, 0.5, 0.03}, 0.078, {0.345 * side, 0.33 + reach, 0.16}, 0.088, 0.05);
        s.limb({0.14 * side, 0.13, 0.1}, 0.115, {0.225 * side, 0.115, 0.33}, 0.098, 0.05);
        // The foot's sole looks forward and a little outward.
        s.egg({0.235 * side, 0.135, 0.375}, {0.1, 0.13, 0.062}, 0.04, from_axis_angle({0, 1, 0}, 14 * side));
    }
    s.frame = nod({0, 0.6, 0}, whim, 6);
    s.egg({0, 0.765, 0.02}, {0.235, 0.205, 0.2}, 0.06);
    s.egg({0, 0.70, 0.05}, {0.2, 0.13, 0.17}, 0.06);  // cheeks
    for (const double side : {-1.0, 1.0}) {
        const Quat outward = from_axis_angle({0, 0, 1}, -38 * side) * from_axis_angle({0, 1, 0}, 12 * side);
        s.egg({0.175 * side, 0.925, 0}, {ears, ears, 0.05}, 0.035, outward);
        s.dent({0.178 * side, 0.93, 0.058}, {0.62 * ears, 0.62 * ears, 0.034}, 0.02, outward);
    }
    s.egg({0, 0.695, 0.2}, {0.115, 0.09, 0.085}, 0.022);                       // the muzzle
    s.groove({{{0, 0.72, 0.292}, 0.009}, {{0, 0.668, 0.292}, 0.009}}, 0.012);  // from the nose to the mouth
    s.groove({{{-0.062, 0.668, 0.268}, 0.008},
              {{-0.034, 0.648, 0.286}, 0.01},
              {{0, 0.667, 0.294}, 0.01},
              {{0.034, 0.648, 0.286}, 0.01},
              {{0.062, 0.668, 0.268}, 0.008}},
             0.012);
    s.egg({0, 0.745, 0.277}, {0.046, 0.033, 0.03}, 0.006);
    for (const double side : {-1.0, 1.0}) s.ball({0.09 * side, 0.805, 0.192}, 0.032, 0.006);
    return {std::move(s).done(), {0, 0.33, 0}, 1.0 / 44};
}

Implicit bunny(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double plump = whim.about(1, 0.05), ear = whim.about(0.185, 0.08), spread = whim.between(8, 16);
    s.egg({0, 0.215, -0.03}, {0.2 * plump, 0.215, 0.205 * plump}, 0);
    s.egg({0, 0.2, 0.03}, {0.165 * plump, 0.165, 0.17}, 0.1);
    s.ball({0, 0.13, -0.245}, 0.075, 0.025);  // the tail
    for (const double side : {-1.0, 1.0}) {
        s.egg({0.155 * side, 0.13, 0.0}, {0.085, 0.125, 0.14}, 0.05);  // the thigh
        s.limb({0.145 * side, 0.055, 0.1}, 0.052, {0.155 * side, 0.052, 0.25}, 0.058, 0.04);
        s.limb({0.12 * side, 0.30, 0.1}, 0.05, {0.075 * side, 0.175, 0.205}, 0.048, 0.035);
    }
    s.frame = nod({0, 0.4, 0}, whim, 6);
    s.egg({0, 0.515, 0.03}, {0.175, 0.155, 0.16}, 0.05);
    for (const double side : {-1.0, 1.0}) {
        s.egg({0.075 * side, 0.465, 0.12}, {0.085, 0.07, 0.075}, 0.04);  // cheeks
        const Quat lean = from_axis_angle({0, 0, 1}, -spread * side) * from_axis_angle({1, 0, 0}, -8);
        const Vec3 root{0.07 * side, 0.62, 0.0};
        const auto along = [&](double t, double z) { return root + rotate(lean, {0, t, z}); };
        s.egg(along(ear * 0.92, 0), {0.062, ear, 0.04}, 0.03, lean);
        s.dent(along(ear * 0.96, 0.047), {0.032, ear * 0.74, 0.026}, 0.02, lean);
    }
    s.egg({0, 0.462, 0.165}, {0.06, 0.045, 0.05}, 0.02);  // the snout
    s.groove({{{0, 0.478, 0.215}, 0.006}, {{0, 0.445, 0.216}, 0.006}}, 0.01);
    s.groove({{{-0.038, 0.437, 0.195}, 0.006},
              {{-0.02, 0.428, 0.208}, 0.007},
              {{0, 0.442, 0.216}, 0.007},
              {{0.02, 0.428, 0.208}, 0.007},
              {{0.038, 0.437, 0.195}, 0.006}},
             0.01);
    s.egg({0, 0.49, 0.207}, {0.026, 0.018, 0.018}, 0.006);
    for (const double side : {-1.0, 1.0}) s.egg({0.082 * side, 0.545, 0.158}, {0.022, 0.027, 0.02}, 0.006);
    return {std::move(s).done(), {0, 0.215, -0.03}, 1.0 / 50};
}

Implicit elephant(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double plump = whim.about(1, 0.05), ears = whim.about(1, 0.06), trunk = whim.between(-0.04, 0.04);
    s.egg({0, 0.43, -0.12}, {0.235 * plump, 0.235 * plump, 0.31}, 0);
    for (const double side : {-1.0, 1.0})
        for (const double z : {-0.28, 0.08}) {
            s.limb({0.135 * side, 0.34, z}, 0.1, {0.145 * side, 0.09, z}, 0.088, 0.06);
            s.disc({0.145 * side, 0.04, z}, 0.1, 0.04, 0.03, 0.03, from_axis_angle({1, 0, 0}, 90));
            for (const double toe : {-1.0, 0.0, 1.0})
                s.egg({0.145 * side + 0.048 * toe, 0.03, z + 0.093 - 0.016 * toe * toe},
                      {0.024, 0.028, 0.016}, 0.01);
        }
    s.strand({{{0, 0.53, -0.39}, 0.03},
              {{0, 0.46, -0.49}, 0.023},
              {{0.01, 0.33, -0.525}, 0.02},
              {{0.02, 0.24, -0.515}, 0.034}},
             0.03);  // the tail with its tuft
    s.frame = nod({0, 0.55, 0.15}, whim, 4);
    s.egg({0, 0.63, 0.24}, {0.195, 0.2, 0.175}, 0.07);
    for (const double side : {-1.0, 1.0}) {
        s.ball({0.075 * side, 0.74, 0.27}, 0.1, 0.06);  // the brow
        const Quat turn = from_axis_angle({0, 1, 0}, -28 * side) * from_axis_angle({0, 0, 1}, 10 * side);
        s.egg({0.285 * side, 0.64, 0.155}, {0.165 * ears, 0.2 * ears, 0.04}, 0.06, turn);
        s.dent({0.295 * side + 0.028 * side, 0.64, 0.207}, {0.105 * ears, 0.135 * ears, 0.028}, 0.03, turn);
        s.limb({0.11 * side, 0.53, 0.34}, 0.032, {0.165 * side, 0.455, 0.44}, 0.02, 0.02);  // tusks
        s.ball({0.118 * side, 0.675, 0.378}, 0.024, 0.008);
    }
    s.strand({{{0, 0.62, 0.36}, 0.1},
              {{0, 0.52, 0.46}, 0.08},
              {{0, 0.36, 0.5}, 0.062},
              {{trunk, 0.235, 0.53}, 0.052},
              {{trunk, 0.185, 0.615}, 0.046},
              {{trunk, 0.235, 0.695}, 0.043},
              {{trunk, 0.31, 0.705}, 0.045}},
             0.05);
    return {std::move(s).done(), {0, 0.43, -0.12}, 1.0 / 66};
}

Implicit star(int seed) {
    Whim whim(seed);
    Sculptor s;
    s.egg({0, 0, 0}, {0.24, 0.24, 0.17}, 0);
    for (int i = 0; i < 5; ++i) {
        const double a = 2 * std::numbers::pi * i / 5, length = whim.about(0.4, 0.04);
        const Vec3 out{pinned::sin(a), pinned::cos(a), 0};
        s.limb(out * 0.1, 0.15, out * length, 0.072, 0.09);
    }
    for (const double side : {-1.0, 1.0}) {
        s.egg({0.07 * side, 0.05, 0.178}, {0.022, 0.03, 0.018}, 0.006);
        s.egg({0.125 * side, -0.02, 0.16}, {0.035, 0.026, 0.016}, 0.02);  // cheeks
    }
    s.groove({{{-0.062, -0.022, 0.186}, 0.01},
              {{-0.035, -0.05, 0.19}, 0.011},
              {{0, -0.06, 0.192}, 0.011},
              {{0.035, -0.05, 0.19}, 0.011},
              {{0.062, -0.022, 0.186}, 0.01}},
             0.012);
    return {std::move(s).done(), {0, 0, 0}, 1.0 / 44};
}

}  // namespace plush::shapes
