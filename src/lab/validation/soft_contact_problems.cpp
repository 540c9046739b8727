#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// Soft bodies in volume contact.

namespace plush::lab {
namespace {

constexpr double pi = std::numbers::pi;

// -- hertz: an elastic ball pressed onto a rigid plane (Hertz 1881; Johnson, Contact Mechanics, 1985, ch. 4)
//
//     a³ = 3 F R/(4 E*),   d = a²/R,   p₀ = 3 F/(2 π a²),   E* = E/(1 − ν²)

constexpr double radius = 0.05, young = 1e6, poisson = 0.3, force = 10;
constexpr double step = 0.005;        // s
constexpr int steps = 80, ramp = 30;  // the force grows over the ramp

/// A Möbius map of the unit ball onto itself. It keeps angles, so that tets stay as good as they were, and
/// makes all lengths at the south pole smaller by (1 − a)/(1 + a) (Ahlfors, Möbius Transformations in Several
/// Dimensions, 1981).
Vec3 towards_south(const Vec3& x, double a) {
    const Vec3 c{0, a, 0};
    const double x2 = norm2(x), scale = 1 - 2 * dot(c, x) + a * a * x2;
    return ((1 - a * a) * (x - c) - norm2(x - c) * c) / scale;
}

TetMesh ball(int cells) {
    constexpr double pull = 0.7;  // edges at the pole are 5.7 times shorter
    const TetMesh even =
        tetrahedralise(shapes::icosphere(1, 20'000), {.conforming = true, .cells_across = cells});
    std::vector<Vec3> positions;
    for (const Vec3& p : even.positions()) {
        const double r = norm(p);
        positions.push_back(radius * towards_south(r > 1 ? p / r : p, pull));
    }
    const auto tets = even.tets();
    return TetMesh(std::move(positions), {tets.begin(), tets.end()});
}

struct Pressed {
    double indentation = 0, contact_radius = 0, peak = 0;
};

Pressed press(int cells) {
    WorldSettings s = problem_settings(step, ContactMethod::volume);
    s.gravity = {};
    s.contact.volume.pixel = 6e-5, s.contact.volume.cell = 1.5e-3;
    World world(s);
    world.add_ground(0, {.friction = 0});
    Soft soft;
    soft.solid = SoftSolid(ball(cells));
    soft.elastic = {.young = young, .poisson = poisson, .density = 1000, .stiffness_damping = 0.05};
    soft.motion.damping = 5;
    soft.motion.integration.solver = LinearSolver::cholesky;  // contact asks for the factor anyway
    const BodyId id = world.add(soft, {.position = {0, radius, 0}});
    // The force on the upper cap, in proportion to mass; the middle is the vertex nearest to the centre.
    const auto x = world.vertex_positions(id);
    const auto masses = world.vertex_masses(id);
    std::vector<std::uint32_t> cap;
    double mass = 0;
    std::uint32_t middle = 0;
    const Vec3 centre{0, radius, 0};
    for (std::uint32_t k = 0; k < x.size(); ++k) {
        if (x[k].y > 1.5 * radius) cap.push_back(k), mass += masses[k];
        if (norm(x[k] - centre) < norm(x[middle] - centre)) middle = k;
    }
    const double start = x[middle].y;
    // Implicit Euler at this step lets a ball of half a kilogram swing no more: it creeps into equilibrium.
    for (int n = 0; n < steps; ++n) {
        const double now = force * std::min(1.0, (n + 1.0) / ramp);
        for (const std::uint32_t k : cap) world.apply_vertex_force(id, k, {0, -now * masses[k] / mass, 0});
        step_and_book(world);
    }
    Pressed out{.indentation = start - world.vertex_positions(id)[middle].y};
    double area = 0;
    for (const Contact& c : world.contacts()) {
        if (c.normal_force > 0) area += c.area;
        out.peak = std::max(out.peak, c.pressure());
    }
    out.contact_radius = std::sqrt(area / pi);
    return out;
}

std::vector<Check> hertz(ContactMethod) {
    const double stiff = young / (1 - poisson * poisson);
    const double a = std::cbrt(3 * force * radius / (4 * stiff)), d = a * a / radius;
    const double peak = 3 * force / (2 * pi * a * a);
    const auto errors = [&](const Pressed& p) {
        return std::array{std::abs(p.indentation / d - 1), std::abs(p.contact_radius / a - 1),
                          std::abs(p.peak / peak - 1)};
    };
    const Pressed coarse = press(9), fine = press(14);
    const auto worst = [&](const Pressed& p) {
        const auto all = errors(p);
        return *std::max_element(all.begin(), all.end());
    };
    return {relative("indentation, 14 cells across", 1e3 * fine.indentation, 1e3 * d, 0.1, "mm", 0.01),
            relative("contact radius", 1e3 * fine.contact_radius, 1e3 * a, 0.1, "mm", 0.01),
            relative("peak pressure", 1e-3 * fine.peak, 1e-3 * peak, 0.1, "kPa", 0.01),
            // The patch is 2 nodes wide with 9 cells, and 4 with 14.
            below("worst of the three, by that with 9 cells", worst(fine) / worst(coarse), 0.5, "", 0.01)};
}

}  // namespace

std::vector<Problem> soft_contact_problems() {
    return {{"hertz", "an elastic ball is pressed onto a rigid plane", false, hertz}};
}

}  // namespace plush::lab
