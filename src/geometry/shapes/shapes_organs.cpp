#include "geometry/shapes/generate_shapes.hpp"
#include "geometry/shapes/sculptor.hpp"

// Parts of a body, seen from the front (+z): hand, liver, stomach, kidney, gut. About 1 m across before they
// are fitted.

namespace plush::shapes {

// A right hand, palm towards the viewer, fingers up and spread, the thumb to the viewer's left.
Implicit hand(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double curl = whim.between(0.8, 1.3), spread = whim.about(1, 0.15);
    s.block({0.003, 0.27, 0}, {0.165, 0.155, 0.058}, 0.055, 0);
    s.block({0.002, 0.05, -0.004}, {0.112, 0.17, 0.066}, 0.06, 0.09);                       // wrist
    s.egg({-0.092, 0.2, 0.04}, {0.068, 0.12, 0.05}, 0.07, from_axis_angle({0, 0, 1}, 20));  // balls of thumb
    s.egg({0.095, 0.19, 0.032}, {0.06, 0.125, 0.046}, 0.07);  // and little finger
    struct Finger {
        double x, y, length, radius, degrees;
    };
    // From the index to the little finger.
    for (const Finger& f : {Finger{-0.132, 0.4, 0.36, 0.0445, 15}, Finger{-0.044, 0.43, 0.405, 0.046, 5},
                            Finger{0.046, 0.423, 0.38, 0.0445, -6}, Finger{0.13, 0.38, 0.3, 0.04, -18}}) {
        const Quat turn = from_axis_angle({0, 0, 1}, f.degrees * spread);
        const Vec3 root{f.x, f.y, 0};
        const auto at = [&](double t, double bend) {
            return root + rotate(turn, {0, t * f.length, bend * curl * f.length});
        };
        // One tube, a little thicker at the joints; its melting makes the web between the fingers.
        s.strand({{at(-0.3, 0), f.radius},
                  {at(0.1, 0), f.radius},
                  {at(0.36, 0.02), f.radius * 1.03},
                  {at(0.5, 0.04), f.radius * 0.95},
                  {at(0.66, 0.075), f.radius * 0.97},
                  {at(0.92, 0.16), f.radius * 0.78}},
                 0.055);
        s.egg(at(0.91, 0.155) - Vec3{0, 0, f.radius * 0.62},
              {f.radius * 0.5, f.radius * 0.72, f.radius * 0.24}, 0.006,
              turn * from_axis_angle({1, 0, 0}, 16));  // the nail
    }
    s.strand({{{-0.09, 0.15, 0.035}, 0.07},
              {{-0.2, 0.255, 0.055}, 0.056},
              {{-0.255, 0.325, 0.062}, 0.053},
              {{-0.315, 0.415, 0.075}, 0.042}},
             0.05);  // thumb
    // The crease of the palm: a rod laid on it, thick enough not to sink in.
    s.groove({{{-0.14, 0.345, 0.088}, 0.022}, {{-0.02, 0.335, 0.086}, 0.022}, {{0.15, 0.37, 0.078}, 0.022}},
             0.02);
    return {std::move(s).done(), {0, 0.26, 0}, 1.0 / 84};
}

// From the front: the heavy right lobe on the viewer's left, the thin left lobe on the right, the notch of
// the falciform ligament between them, a hollow underside, and the gallbladder below the edge.
Implicit liver(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double left = whim.about(1, 0.06), right = whim.about(1, 0.05);
    s.egg({-0.2, 0, -0.02}, {0.3 * right, 0.27, 0.2}, 0, from_axis_angle({0, 0, 1}, 12));
    s.egg({-0.27, -0.12, -0.02}, {0.2 * right, 0.21, 0.16}, 0.14);
    s.egg({0.1, 0.08, 0.02}, {0.27, 0.16, 0.15}, 0.16, from_axis_angle({0, 0, 1}, 6));
    s.egg({0.34, 0.115, 0.03}, {0.2 * left, 0.085, 0.1}, 0.12, from_axis_angle({0, 0, 1}, 8));
    s.dent({0.1, -0.3, -0.1}, {0.36, 0.25, 0.3}, 0.08, from_axis_angle({0, 0, 1}, 22));
    s.dent({0.3, -0.12, -0.2}, {0.3, 0.16, 0.18}, 0.08, from_axis_angle({0, 0, 1}, 10));
    s.groove({{{0.085, 0.3, 0.03}, 0.014},
              {{0.075, 0.21, 0.16}, 0.014},
              {{0.06, 0.08, 0.205}, 0.014},
              {{0.05, -0.02, 0.185}, 0.016},
              {{0.05, -0.1, 0.12}, 0.02}},
             0.035);
    s.egg({-0.06, -0.165, 0.085}, {0.048, 0.088, 0.048}, 0.02,
          from_axis_angle({0, 0, 1}, -14) * from_axis_angle({1, 0, 0}, -24));
    return {std::move(s).done(), {-0.2, 0, -0.02}, 1.0 / 44};
}

// The gullet comes down from the top, the fundus bulges beside it to the viewer's right, the body sweeps down
// in a J and rises to the ring of the pylorus and the start of the gut on the left.
Implicit stomach(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double full = whim.about(1, 0.05);
    s.strand({{{0.1, 0.28, 0}, 0.155 * full},
              {{0.16, 0.12, 0.01}, 0.172 * full},
              {{0.13, -0.06, 0.025}, 0.162 * full},
              {{0.02, -0.2, 0.035}, 0.135 * full},
              {{-0.13, -0.235, 0.03}, 0.105},
              {{-0.235, -0.17, 0.02}, 0.078},
              {{-0.285, -0.09, 0.01}, 0.056}},
             0);
    s.egg({0.165, 0.3, -0.01}, {0.165 * full, 0.165, 0.145}, 0.09);  // fundus
    s.strand({{{0.005, 0.22, 0}, 0.075},
              {{-0.055, 0.36, 0}, 0.054},
              {{-0.07, 0.45, -0.01}, 0.05},
              {{-0.065, 0.56, -0.02}, 0.05}},
             0.06);
    s.strand({{{-0.295, -0.065, 0.01}, 0.066}, {{-0.3, -0.055, 0.01}, 0.066}},
             0.02);  // the muscle of the pylorus
    s.strand({{{-0.3, -0.05, 0.01}, 0.058},
              {{-0.325, 0.03, 0}, 0.066},
              {{-0.385, 0.085, -0.02}, 0.06},
              {{-0.445, 0.03, -0.03}, 0.055},
              {{-0.455, -0.08, -0.03}, 0.053}},
             0.02);
    // Soft folds along the large curve.
    for (const double shift : {-0.045, 0.035})
        s.groove({{{0.2 + shift, 0.24, 0.2}, 0.02},
                  {{0.2 + shift, 0.1, 0.208}, 0.022},
                  {{0.15 + shift, -0.06, 0.208}, 0.022},
                  {{0.04 + 0.6 * shift, -0.185 + 0.6 * shift, 0.19}, 0.02}},
                 0.04);
    return {std::move(s).done(), {0.16, 0.12, 0.01}, 1.0 / 44};
}

// A bean, its hollow side to +x, where the duct leaves downward.
Implicit kidney(int seed) {
    Whim whim(seed);
    Sculptor s;
    const double full = whim.about(1, 0.06);
    s.strand({{{0.1, 0.3, 0}, 0.19 * full}, {{-0.06, 0.02, 0}, 0.235 * full}, {{0.1, -0.27, 0}, 0.19 * full}},
             0);
    s.dent({0.27, 0.01, 0}, {0.15, 0.13, 0.3}, 0.1);
    s.strand(
        {{{0.02, 0, 0}, 0.1}, {{0.17, -0.03, 0}, 0.065}, {{0.25, -0.16, 0}, 0.042}, {{0.27, -0.32, 0}, 0.04}},
        0.05);
    return {std::move(s).done(), {-0.06, 0.02, 0}, 1.0 / 50};
}

// It runs to and fro in a plane, four times, thick with thinner places; the bends do not touch.
Implicit gut(int seed) {
    Whim whim(seed);
    Sculptor s;
    std::vector<implicit::Station> way;
    constexpr int rows = 4, stations = 6;
    constexpr double width = 0.62, pitch = 0.24;
    for (int row = 0; row < rows; ++row)
        for (int i = 0; i < stations; ++i) {
            const double t = static_cast<double>(i) / (stations - 1), x = (row % 2 ? 1 - t : t) - 0.5;
            const double radius = whim.about(i % 2 ? 0.088 : 0.076, 0.06);
            way.push_back({{x * width, (1.5 - row) * pitch, whim.between(-0.02, 0.02)}, radius});
        }
    s.strand(way, 0);
    return {std::move(s).done(), way[2].at, 1.0 / 60};
}

}  // namespace plush::shapes
