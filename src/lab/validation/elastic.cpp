#include "lab/validation/elastic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bodies/deformable/topologies.hpp"
#include "lab/validation/validate.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"

// Elastic bodies. Linear tets are too stiff in bending, by an error that falls with the square of their size;
// every number here is of the finest of several meshes, and the rate is checked too.

namespace plush::lab {
namespace {

TetMesh beam_mesh(const Beam& beam) {
    const double half = 0.5 * beam.thickness;
    const TetMesh box =
        tet_box({0.5 * beam.length, half, half}, {beam.along, beam.across, beam.sideways}).value();
    std::vector<Vec3> x(box.positions().begin(), box.positions().end());
    for (Vec3& p : x) p.x += 0.5 * beam.length;
    return TetMesh(std::move(x), {box.tets().begin(), box.tets().end()});
}

/// The share of the end face that each of its vertices has; 0 elsewhere.
std::vector<double> end_shares(const DeformableBody& body, double length) {
    std::vector<double> shares(body.positions().size(), 0.0);
    double sum = 0;
    const auto x = body.positions();
    const auto on_end = [&](int i) { return x[static_cast<std::size_t>(i)].x > (1 - 1e-9) * length; };
    for (const Triangle& t : body.triangles()) {
        if (!on_end(t[0]) || !on_end(t[1]) || !on_end(t[2])) continue;
        const auto at = [&](std::size_t c) { return x[static_cast<std::size_t>(t[c])]; };
        const double area = 0.5 * norm(cross(at(1) - at(0), at(2) - at(0)));
        for (const int v : t) shares[static_cast<std::size_t>(v)] += area / 3;
        sum += area;
    }
    for (double& s : shares) s /= sum;
    return shares;
}

Vec3 mean(std::span<const Vec3> x, const std::vector<double>& shares) {
    Vec3 sum{};
    for (std::size_t i = 0; i < x.size(); ++i) sum += shares[i] * x[i];
    return sum;
}

void step(DeformableBody& body, double h) {
    body.predict(h, {}, RotationMethod::momentum);
    body.correct(h, {});
}

/// From a small push: the frequency of the end's motion along an axis, by the times of its zeros.
double frequency(const Beam& beam, double expected, int steps_per_period, int periods, std::size_t axis) {
    DeformableBody body =
        beam_body(beam, {.method = IntegrationMethod::bdf2, .solver = LinearSolver::cholesky});
    const std::vector<double> shares = end_shares(body, beam.length);
    // The shape of the first mode, nearly: what is left of others is small, and too fast for the step.
    for (std::uint32_t i = 0; i < body.positions().size(); ++i) {
        const Vec3 p = body.positions()[i];
        if (p.x < 1e-9 * beam.length) continue;
        const double s = p.x / beam.length;
        Vec3 v{};
        v[axis] = axis == 0 ? std::sin(0.5 * std::numbers::pi * s) : s * s * (6 - 4 * s + s * s) / 3;
        // Tiny, so that it stays a linear problem; a rotation of the section goes with bending.
        v *= 1e-4;
        if (axis == 1) v.x = -1e-4 * (p.y) * (12 * s - 12 * s * s + 4 * s * s * s) / 3 / beam.length;
        body.set_vertex(i, p, v);
    }
    const double rest = mean(body.positions(), shares)[axis], h = 1 / (expected * steps_per_period);
    double before = 0, first = 0, last = 0;
    int zeros = 0;
    for (int i = 1; zeros <= 2 * periods && i < 4 * periods * steps_per_period; ++i) {
        step(body, h);
        const double now = mean(body.positions(), shares)[axis] - rest;
        if (before * now < 0) {
            last = h * (i - now / (now - before));
            if (zeros++ == 0) first = last;
        }
        before = now;
    }
    return 0.5 * (zeros - 1) / (last - first);
}

// Any affine displacement: the surface is held there, the inside starts anywhere, and ends in its place.
std::vector<Check> patch(ContactMethod) {
    std::vector<Check> checks;
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        const TetMesh box = tet_box({0.5, 0.4, 0.3}, {5, 4, 4}).value();
        Random random(3);
        const auto shake = [&](double by) {
            return Vec3{random.uniform(-by, by), random.uniform(-by, by), random.uniform(-by, by)};
        };
        std::vector<Vec3> rest(box.positions().begin(), box.positions().end());
        for (Vec3& p : rest) p += shake(0.02);
        const Mat3 f{{Vec3{1.1, 0.2, 0}, Vec3{-0.1, 0.95, 0.15}, Vec3{0.05, 0, 1.2}}};
        IntegrationSettings integration{.method = IntegrationMethod::quasi_static,
                                        .solver = LinearSolver::cholesky};
        integration.newton_tolerance = 1e-14;
        DeformableBody body(
            elastic_solid(TetMesh(rest, {box.tets().begin(), box.tets().end()}), {.model = model}).value(),
            {.integration = integration});
        std::vector<bool> outside(rest.size(), false);
        for (const Triangle& t : body.triangles())
            for (const int v : t) outside[static_cast<std::size_t>(v)] = true;
        for (std::uint32_t i = 0; i < rest.size(); ++i) {
            body.set_vertex(i, f * rest[i] + (outside[i] ? Vec3{} : shake(0.02)), {});
            if (outside[i]) body.pin(i);
        }
        step(body, 1);
        double worst = 0;
        for (std::size_t i = 0; i < rest.size(); ++i)
            worst = std::max(worst, norm(body.positions()[i] - f * rest[i]));
        checks.push_back(below(fmt::format("{}: error of inner vertices",
                                           elastic_model_choices()[static_cast<std::size_t>(model)].word),
                               worst, 1e-10, "m", 1));
    }
    return checks;
}

std::vector<Check> cantilever(ContactMethod) {
    std::vector<Check> checks;
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        Beam beam{.length = 0.5, .model = model};
        const double force = 1e-3 * 3 * beam.young * beam.second_moment() / (0.25 * beam.length);
        const double expected = beam_deflection(beam, force);
        std::vector<double> errors;
        for (const int across : {6, 12, 24}) {
            beam.across = across, beam.along = 5 * across;
            errors.push_back(1 - bent_tip(beam, force).down / expected);
        }
        const std::string name(elastic_model_choices()[static_cast<std::size_t>(model)].word);
        checks.push_back(
            relative(name + ": deflection, finest mesh", (1 - errors[2]) * expected, expected, 0.03, "m", 1));
        checks.push_back(absolute(name + ": rate of the error",
                                  std::log(errors[1] / errors[2]) / std::log(2.0), 2, 0.35, "", 1));
    }
    return checks;
}

// Of an elastica under a load that keeps its direction (Bisshopp & Drucker 1945).
constexpr std::array<std::array<double, 2>, 4> elastica_drops{
    {{1, 0.30172}, {2, 0.49346}, {5, 0.71379}, {10, 0.81061}}};

std::vector<Check> elastica(ContactMethod) {
    std::vector<Check> checks;
    for (const auto& [load, drop] : elastica_drops) {
        const Beam beam{.along = 160, .across = 16};
        const double force = load * beam.young * beam.second_moment() / (beam.length * beam.length);
        checks.push_back(relative(fmt::format("P L²/EI = {}: drop/L", load),
                                  bent_tip(beam, force).down / beam.length, drop, 0.03, "", 1));
    }
    return checks;
}

std::vector<Check> frequencies(ContactMethod) {
    const Beam bending{.along = 120, .across = 12}, axial{.along = 40, .across = 2};
    const double expected = beam_frequency(bending);
    const double stretch = std::sqrt(axial.young / axial.density) / (4 * axial.length);
    return {
        relative("first bending mode", bending_frequency(bending, 100, 2), expected, 0.03, "Hz",
                 0.01 / expected),
        relative("first axial mode", axial_frequency(axial, 100, 3), stretch, 0.02, "Hz", 0.01 / stretch)};
}

}  // namespace

DeformableBody beam_body(const Beam& beam, const IntegrationSettings& integration) {
    const ElasticMaterial material{
        .model = beam.model, .young = beam.young, .poisson = 0, .density = beam.density};
    DeformableBody body(elastic_solid(beam_mesh(beam), material).value(), {.integration = integration});
    for (std::uint32_t i = 0; i < body.positions().size(); ++i)
        if (body.positions()[i].x < 1e-9 * beam.length) body.pin(i);
    return body;
}

Tip bent_tip(const Beam& beam, double force) {
    IntegrationSettings integration{.method = IntegrationMethod::quasi_static,
                                    .solver = LinearSolver::cholesky};
    DeformableBody body = beam_body(beam, integration);
    const std::vector<double> shares = end_shares(body, beam.length);
    for (std::uint32_t i = 0; i < shares.size(); ++i)
        if (shares[i] > 0) body.add_force(i, {0, -force * shares[i], 0});
    const Vec3 before = mean(body.positions(), shares);
    step(body, 1);
    const Vec3 moved = mean(body.positions(), shares) - before;
    return {-moved.y, -moved.x, body.last_step().newton, body.last_step().unbalanced};
}

double beam_deflection(const Beam& beam, double force) {
    const double area = beam.thickness * beam.thickness, shear = 0.5 * beam.young;
    return force * std::pow(beam.length, 3) / (3 * beam.young * beam.second_moment()) +
           force * beam.length / (5.0 / 6 * area * shear);
}

double beam_frequency(const Beam& beam) {
    const double area = beam.thickness * beam.thickness;
    return 1.8751040687 * 1.8751040687 / (2 * std::numbers::pi) *
           std::sqrt(beam.young * beam.second_moment() / (beam.density * area * std::pow(beam.length, 4)));
}

double bending_frequency(const Beam& beam, int steps_per_period, int periods) {
    return frequency(beam, beam_frequency(beam), steps_per_period, periods, 1);
}

double axial_frequency(const Beam& beam, int steps_per_period, int periods) {
    return frequency(beam, std::sqrt(beam.young / beam.density) / (4 * beam.length), steps_per_period,
                     periods, 0);
}

std::vector<Problem> elastic_problems() {
    return {{"patch", "an affine displacement of any tet mesh is a solution", false, patch},
            {"cantilever", "a beam bends as Timoshenko's does, on three meshes", false, cantilever},
            {"elastica", "a slender beam that bends far", false, elastica},
            {"beam_frequency", "the first bending and axial modes of a beam", false, frequencies}};
}

}  // namespace plush::lab
