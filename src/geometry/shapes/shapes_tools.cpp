#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_shapes.hpp"
#include "geometry/shapes/sculptor.hpp"

// Made things: a surgical gripper, one jaw of another, and a gear; and the bumpy ball.

namespace plush::shapes {
namespace {

constexpr double pi = std::numbers::pi;

Vec3 random_direction(Whim& whim) {
    const double z = whim.between(-1, 1), a = whim.between(0, 2 * pi), r = std::sqrt(1 - z * z);
    return {r * pinned::cos(a), r * pinned::sin(a), z};
}

}  // namespace

// Shaft up, then the fork, the pin, and two jaws that open to ±x, each with a row of fine cross teeth. The
// teeth of one jaw stand against the gaps of the other. The seed sets how far it opens.
Implicit gripper(int seed) {
    Whim whim(seed);
    Sculptor s;
    constexpr int teeth = 13;
    constexpr double first = 0.185, pitch = 0.025;  // along the jaw, m
    const Quat upright = from_axis_angle({1, 0, 0}, 90);
    s.disc({0, -0.11, 0}, 0.082, 0.2, 0.02, 0, upright);
    s.disc({0, -0.27, 0}, 0.095, 0.04, 0.018, 0.004, upright);  // collars
    s.disc({0, -0.01, 0}, 0.092, 0.014, 0.01, 0.004, upright);
    s.disc({0, 0.03, 0}, 0.092, 0.014, 0.01, 0.004, upright);
    s.block({0, 0.15, 0}, {0.088, 0.095, 0.088}, 0.04, 0.03);  // the fork
    s.disc({0, 0.18, 0}, 0.05, 0.105, 0.015, 0.008);           // the pin
    s.cut_block({0, 0.18, 0.105}, {0.034, 0.007, 0.012}, 0.003, 0.003, from_axis_angle({0, 0, 1}, 35));
    s.cut_block({0, 0.18, -0.105}, {0.034, 0.007, 0.012}, 0.003, 0.003, from_axis_angle({0, 0, 1}, 35));
    for (const double side : {-1.0, 1.0}) {
        const double open = whim.about(11, 0.2);
        s.frame = {{0, 0.18, 0}, from_axis_angle({0, 0, 1}, -open * side)};
        const auto at = [&](double x, double y) { return Vec3{x * side, y, 0}; };
        // The jaw: its inner face lies on x = 0.018, its back tapers to the tip.
        s.block(at(0.05, 0.1), {0.036, 0.11, 0.055}, 0.02, 0.025);
        s.block(at(0.043, 0.335), {0.025, 0.2, 0.066}, 0.018, 0.02);
        s.limb(at(0.075, 0.08), 0.05, at(0.052, 0.5), 0.032, 0.03);
        for (int i = 0; i < teeth; ++i) {
            const double y = first + pitch * (i + (side > 0 ? 0.5 : 0.0));
            s.block(at(0.019, y), {0.01, 0.01, 0.06}, 0.002, 0.003, from_axis_angle({0, 0, 1}, 45));
        }
    }
    return {std::move(s).done(), {0, -0.15, 0}, 1.0 / 100};
}

// One jaw to be moved by itself: the inner face lies on x = 0 and its teeth look to -x; the pin is at its
// lower end. Turned by half a turn about y it is the other jaw, whose teeth meet the gaps of the first.
Implicit jaw(int seed) {
    Whim whim(seed);
    Sculptor s;
    constexpr int teeth = 20;
    constexpr double first = -0.29, pitch = 0.036;  // along the jaw, m
    const double thick = whim.about(0.05, 0.03);
    s.block({thick, 0.02, 0}, {thick, 0.46, 0.085}, 0.02, 0);
    s.limb({1.3 * thick, -0.4, 0}, 0.085, {1.1 * thick, 0.4, 0}, 0.05, 0.03);
    s.disc({thick, -0.43, 0}, 0.07, 0.12, 0.015, 0.01);  // the pin
    for (int i = 0; i < teeth; ++i)
        s.block({0, first + pitch * i, 0}, {0.0135, 0.0135, 0.078}, 0.002, 0.003,
                from_axis_angle({0, 0, 1}, 45));
    return {std::move(s).done(), {thick, 0, 0}, 1.0 / 100};
}

// In the xy plane: a rim with teeth, a thinner web with a raised hub, and the bore.
Implicit gear(int seed) {
    Whim whim(seed);
    Sculptor s;
    constexpr int teeth = 14;
    const double web = whim.about(0.045, 0.15);
    s.disc({0, 0, 0}, 0.4, 0.11, 0.025, 0);
    for (int i = 0; i < teeth; ++i) {
        const double degrees = 360.0 * i / teeth;
        s.frame = {{}, from_axis_angle({0, 0, 1}, degrees)};
        // A tooth is a block that narrows: two blocks that lean to each other.
        for (const double lean : {-1.0, 1.0})
            s.block({0.41, 0.012 * lean, 0}, {0.09, 0.026, 0.11}, 0.018, 0.012,
                    from_axis_angle({0, 0, 1}, -9 * lean));
    }
    s.frame = {};
    for (const double side : {-1.0, 1.0}) s.cut_disc({0, 0, side * (web + 0.2)}, 0.315, 0.2, 0.03, 0.03);
    s.disc({0, 0, 0}, 0.15, 0.12, 0.025, 0.03);
    s.cut_disc({0, 0, 0}, 0.085, 0.5, 0.01, 0.03);
    return {std::move(s).done(), {0.36, 0, 0}, 1.0 / 60};
}

// A ball with round knobs and dents at places that keep apart from each other (best of some random candidates
// for each: Mitchell, "Spectrally optimal sampling", 1991).
Implicit bumpy(int seed) {
    Whim whim(seed);
    Sculptor s;
    s.ball({0, 0, 0}, 0.42, 0);
    std::vector<Vec3> places;
    constexpr int bumps = 46, candidates = 12;
    for (int i = 0; i < bumps; ++i) {
        Vec3 best;
        double farthest = -1;
        for (int k = 0; k < candidates; ++k) {
            const Vec3 d = random_direction(whim);
            double nearest = 4;
            for (const Vec3& p : places) nearest = std::min(nearest, norm2(p - d));
            if (nearest > farthest) farthest = nearest, best = d;
        }
        places.push_back(best);
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
        const double r = whim.between(0.055, 0.1);
        if (i % 3 == 2)
            s.dent(places[i] * (0.42 + 0.45 * r), {r, r, r}, 0.05);
        else
            s.ball(places[i] * (0.42 - 0.15 * r), r, 0.06);
    }
    return {std::move(s).done(), {0, 0, 0}, 1.0 / 44};
}

}  // namespace plush::shapes
