#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_build.hpp"

// The link of a chain: a circle of radius `bar_radius` swept along a stadium (two straight lines joined by
// two half circles) in the xy plane. length and width are outer sizes, so the half circles of the middle line
// have radius ρ = width/2 − bar_radius and the straight parts are length − width long. By Pappus its volume
// is π bar² (2πρ + 2 (length − width)).

namespace plush::shapes {
namespace {

constexpr double pi = std::numbers::pi;

struct Cuts {  // pieces along one straight part, one half circle, and around the bar
    int straight, bend, around;
    double count() const { return 4.0 * (straight + bend) * around; }
};

struct Station {  // a point of the middle line, and the direction away from the inside of the link
    Vec3 centre, out;
};

std::vector<Station> stations(double straight, double rho, const Cuts& cuts) {
    std::vector<Station> line;
    for (const double side :
         {1.0, -1.0}) {  // right side upward then the upper bend; then both turned by 180°
        for (int i = 0; i < cuts.straight; ++i)
            line.push_back({Vec3{rho, straight * (static_cast<double>(i) / cuts.straight - 0.5), 0} * side,
                            Vec3{side, 0, 0}});
        for (int i = 0; i < cuts.bend; ++i) {
            const double a = pi * i / cuts.bend;
            const Vec3 out{pinned::cos(a), pinned::sin(a), 0};
            line.push_back({(Vec3{0, straight / 2, 0} + out * rho) * side, out * side});
        }
    }
    return line;
}

}  // namespace

Mesh chain_link(double length, double width, double bar_radius, int triangles) {
    require(positive(length) && positive(width) && positive(bar_radius) && width <= length, "chain_link",
            "the sizes do not make a link", "take 0 < width ≤ length and a bar radius above 0, in m");
    const double rho = width / 2 - bar_radius, straight = length - width;
    require(rho > bar_radius, "chain_link", "the bar leaves no hole", "take a bar radius below width / 4");
    require_count("chain_link", triangles);
    const auto cuts = [&](double h) {
        // Six around the bar and six a half circle: the least that looks round.
        return Cuts{straight > 0 ? pieces(straight, h, 1) : 0, pieces(pi * rho, h, 6),
                    pieces(2 * pi * bar_radius, h, 6)};
    };
    const Cuts best = cuts(fit_edge_length(length, triangles, [&](double h) { return cuts(h).count(); }));

    std::vector<Vec3> positions;
    std::vector<Triangle> faces;
    const std::vector<Station> line = stations(straight, rho, best);
    for (const Station& s : line)
        for (int j = 0; j < best.around; ++j) {
            const double a = 2 * pi * j / best.around;
            positions.push_back(s.centre +
                                bar_radius * (s.out * pinned::cos(a) + Vec3{0, 0, pinned::sin(a)}));
        }
    const int n = static_cast<int>(line.size()), m = best.around;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const int a = i * m + j, b = (i + 1) % n * m + j;
            const int c = (i + 1) % n * m + (j + 1) % m, d = i * m + (j + 1) % m;
            faces.push_back({a, b, c});
            faces.push_back({a, c, d});
        }
    return Mesh(std::move(positions), std::move(faces));
}

}  // namespace plush::shapes
