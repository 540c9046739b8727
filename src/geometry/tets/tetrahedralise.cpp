#include "plush/geometry/tetrahedralise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/range_check.hpp"
#include "core/transcendental.hpp"
#include "geometry/io/io_formats.hpp"
#include "geometry/repair/solid.hpp"
#include "geometry/tets/solid_query.hpp"
#include "geometry/tets/tet_delaunay.hpp"
#include "geometry/tets/tet_lattice.hpp"
#include "geometry/tets/tet_quality.hpp"
#include "plush/geometry/mass.hpp"

// From the settings to a method: checks, the resolution, and the search for a number of nodes. Bodies that
// have nothing to do with each other are filled one by one, on one lattice, and share no node.

namespace plush {
namespace {

/// Above this a mistake is likelier than a wish: about a gigabyte while it is made.
constexpr double max_tets = 5e6;
/// Lattice points of the box around the surface, one byte each.
constexpr double max_points = 5e8;
/// Coordinates from 1e-30 to 1e30 m keep every product of the predicates in range.
constexpr double largest_size = 1e30;

/// Of a surface's length to its distance from the origin: some thousand cells across are then still a million
/// units in the last place each.
constexpr double smallest_share = 1e-6;

constexpr double nodes_tolerance = 0.05;
constexpr int search_steps = 16;
constexpr double volume_tolerance = 0.02;
constexpr int finest_automatic = 200;  // cells across

struct Problem {
    std::vector<SolidQuery> bodies;
    Box3 bounds;
    double volume, area;
    TetSettings settings;

    double longest() const { return max_component(bounds.size()); }
};

// Where the box of the surface has its faces on planes of the lattice, a little growth keeps the next layer
// of tets, which only touch them, out.
constexpr double growth = 1 + 1e-6;

Result<void> check_size(const Problem& problem, double spacing) {
    const Vec3 size = problem.bounds.size() / spacing;
    const double points = 2 * (size.x + 2) * (size.y + 2) * (size.z + 2);
    // 12 tets a cube; the cage has half a layer of cubes outside, about one in places.
    const double cubes = problem.volume / (spacing * spacing * spacing) + problem.area / (spacing * spacing);
    if (12 * cubes <= max_tets && points <= max_points) return {};
    return Error({.problem = fmt::format(
                      "an edge length of {:.3g} m ({:.0f} cells across) needs about {:.2g} "
                      "tets and {:.2g} MiB of memory",
                      spacing, problem.longest() / spacing, 12 * cubes, (200 * 12 * cubes + points) / 0x1p20),
                  .cure = fmt::format("take fewer cells or longer edges: {:.0f} million tets at most",
                                      max_tets / 1e6)});
}

/// `offset`: of the lattice from the centre of the surface's box, in cubes.
TetParts build(const Problem& problem, double spacing, const Vec3& offset = {}) {
    const LatticePlace place{problem.bounds.centre() + offset * spacing, spacing * growth};
    TetParts all;
    for (const SolidQuery& body : problem.bodies) {
        const bool own = problem.settings.method == TetMethod::delaunay;
        all.append(own                           ? delaunay_cage(body, place)
                   : problem.settings.conforming ? stuffed_lattice(body, place)
                                                 : lattice_cage(body, place));
    }
    return all;
}

/// By secants on log(nodes) over log(spacing), which is nearly a line of slope −3 to −2.
Result<TetParts> build_nodes(const Problem& problem) {
    const double wanted = problem.settings.nodes;
    // Two nodes a cube, of the volume and half a cube's width around it: solved for the spacing roughly.
    // Roots and logarithms are those of ratios: a surface of twice the size gets the same tets, bit for bit.
    const double side = problem.longest();
    double spacing = side * pinned::cbrt(2 * problem.volume / (side * side * side) / wanted);
    spacing = std::max(spacing, std::sqrt(problem.area / wanted));
    const double first = spacing;
    TetParts best;
    double best_error = HUGE_VAL, slope = -2.5, last_x = 0, last_y = 0;
    for (int step = 0; step < search_steps; ++step) {
        if (const auto fits = check_size(problem, spacing); !fits) {
            if (best.tets.empty()) return fits.error();
            break;
        }
        // One cube around all of it is as few as there can be: a larger one has no more of the surface in it.
        spacing = std::min(spacing, problem.longest());
        // A box or a ball that the lattice is centred on gains whole layers on all sides at once; off the
        // centre they come one by one.
        const bool centred = step < search_steps / 2;
        TetParts made = build(problem, spacing, centred ? Vec3{} : Vec3{0.1, 0.23, 0.37});
        const double count = std::max(1.0, static_cast<double>(made.positions.size()));
        const double x = pinned::log(spacing / first), y = pinned::log(count / wanted);
        if (std::abs(y) < best_error && !made.tets.empty()) best_error = std::abs(y), best = std::move(made);
        if (best_error <= nodes_tolerance * (1 - nodes_tolerance)) break;
        if (step > 0 && x != last_x) slope = std::clamp((y - last_y) / (x - last_x), -4.0, -1.0);
        last_x = x, last_y = y;
        // No more than by half or twice at once: far away the line is a poor guess.
        spacing *= pinned::exp(std::clamp(-y / slope, -0.7, 0.7));
    }
    if (best.tets.empty())
        return Error(
            {.place = "nodes", .problem = "no tets fit into the surface", .cure = "ask for more nodes"});
    return best;
}

double volume_error(double solid, const TetParts& parts) {
    return std::abs(tet_quality(parts.positions, parts.tets).volume / solid - 1);
}

/// ∫ (w − [w > 0]) of the winding number w: what the signed volume of a surface that crosses itself has too
/// much. By lines along x, which is near enough for a tolerance of percents.
double counted_again(const SolidQuery& body) {
    constexpr int lines = 96;
    const Box3 box = body.bounds();
    const Vec3 size = box.size();
    double sum = 0;
    std::vector<SolidQuery::Crossing> line;
    std::vector<std::pair<double, int>> passed;
    for (int j = 0; j < lines; ++j)
        for (int k = 0; k < lines; ++k) {
            const double y = box.low.y + (j + 0.5) / lines * size.y,
                         z = box.low.z + (k + 0.5) / lines * size.z;
            line.clear(), passed.clear();
            body.crossings(y, z, line);
            for (const auto& [triangle, sign] : line) {
                const Triangle& t = body.triangles()[static_cast<std::size_t>(triangle)];
                const auto corner = [&](std::size_t c) {
                    return body.positions()[static_cast<std::size_t>(t[c])];
                };
                const Vec3 a = corner(0), n = cross(corner(1) - a, corner(2) - a);
                const double x = a.x - (n.y * (y - a.y) + n.z * (z - a.z)) / n.x;
                passed.emplace_back(std::clamp(x, box.low.x, box.high.x), sign);
            }
            std::sort(passed.begin(), passed.end());
            int winding = 0;
            for (std::size_t c = 0; c + 1 < passed.size(); ++c) {
                winding -= passed[c].second;
                sum += (winding - (winding > 0)) * (passed[c + 1].first - passed[c].first);
            }
        }
    return sum * size.y * size.z / (lines * lines);
}

/// The default resolution; finer, in steps of a quarter, until the volume is right where it should be.
Result<TetParts> build_default(const Problem& problem) {
    double cells = problem.settings.conforming ? TetSettings::default_conforming_cells
                                               : TetSettings::default_cells_across;
    double solid = problem.volume;
    if (problem.settings.conforming)
        for (const SolidQuery& body : problem.bodies) solid -= counted_again(body);
    TetParts made;
    for (;;) {
        const double spacing = problem.longest() / cells;
        if (const auto fits = check_size(problem, spacing); !fits) {
            if (made.tets.empty()) return fits.error();
            return made;
        }
        made = build(problem, spacing);
        if (!problem.settings.conforming || volume_error(solid, made) <= volume_tolerance) return made;
        if ((cells *= 1.25) > finest_automatic) return made;
    }
}

Result<TetParts> build_resolved(const Problem& problem) {
    const TetSettings& s = problem.settings;
    if (s.nodes > 0) return build_nodes(problem);
    if (s.edge == 0 && s.cells_across == 0) return build_default(problem);
    const double spacing = s.edge > 0 ? s.edge : problem.longest() / s.cells_across;
    if (const auto fits = check_size(problem, spacing); !fits) return fits.error();
    return build(problem, spacing);
}

Result<void> check_settings(const TetSettings& s) {
    if (const auto in_range = check_ranges(s); !in_range) return in_range;
    if ((s.nodes > 0) + (s.edge > 0) + (s.cells_across > 0) > 1)
        return Error({.problem = "more than one of nodes, edge and cells_across is given",
                      .cure = "give one of them, or none"});
    if (s.conforming && s.method != TetMethod::lattice)
        return Error({.place = "conforming",
                      .problem = "only the lattice method can end at the surface",
                      .cure = "leave it out, or take method lattice"});
    return {};
}

/// What is smaller than 1e-60 becomes zero: far below the last digit of the largest coordinate that is
/// allowed with it, and too small for exact products.
std::vector<Vec3> without_dust(std::span<const Vec3> positions) {
    std::vector<Vec3> result(positions.begin(), positions.end());
    for (Vec3& p : result)
        for (std::size_t k = 0; k < 3; ++k)
            if (std::abs(p[k]) < 1e-60) p[k] = 0;
    return result;
}

Result<Problem> pose(const Mesh& surface, const TetSettings& settings) {
    if (const auto sensible = check_settings(settings); !sensible) return sensible.error();
    if (const auto solid = require_solid(surface); !solid) return solid.error();
    const Box3 bounds = surface.bounds();
    const double longest = max_component(bounds.size());
    const double farthest = max_component(max(abs(bounds.low), abs(bounds.high)));
    if (longest < 1 / largest_size || farthest > largest_size)
        return Error({.problem = fmt::format("the surface is {:.3g} m long", longest),
                      .cure = "scale it to between 1e-30 and 1e30 m"});
    if (longest < smallest_share * farthest)
        return Error(
            {.problem = fmt::format("the surface is {:.3g} m long, {:.3g} m from the origin: doubles "
                                    "have too few digits for tets there",
                                    longest, farthest),
             .cure = "move it to the origin"});
    const std::vector<Vec3> positions = without_dust(surface.positions());
    auto bodies = separate_bodies(positions, surface.triangles());
    if (!bodies) return bodies.error();
    Problem problem{{}, bounds, volume(surface), area(surface), settings};
    for (std::vector<Triangle>& triangles : bodies.value()) {
        std::vector<Vec3> own = positions;
        drop_unused_vertices(own, triangles);
        problem.bodies.emplace_back(std::move(own), std::move(triangles));
    }
    return problem;
}

}  // namespace

void describe(FieldVisitor& v, TetSettings& s) {
    static constexpr std::array<Choice, 2> methods{
        {{"lattice", static_cast<int>(TetMethod::lattice), "equal tets of a body-centred cubic lattice"},
         {"delaunay", static_cast<int>(TetMethod::delaunay),
          "points inside and in a band outside, joined by a Delaunay triangulation"}}};
    v.choice({.key = "method", .text = "how the surface is filled"}, s.method, methods);
    v.field({.key = "conforming",
             .text = "whether the tets end at the surface (lattice only); otherwise they enclose it"},
            s.conforming);
    v.field({.key = "nodes", .text = "about so many nodes; 0: not given", .min = 0, .max = 1e6}, s.nodes);
    v.field({.key = "edge", .unit = "m", .text = "the longest edge of a tet; 0: not given", .min = 0},
            s.edge);
    v.field({.key = "cells_across",
             .text = "lattice cubes along the longest side; 0: not given, and 12 where nothing is",
             .min = 0},
            s.cells_across);
}

TetMesh tetrahedralise(const Mesh& surface, const TetSettings& settings) {
    return try_tetrahedralise(surface, settings).value();
}

Result<TetMesh> try_tetrahedralise(const Mesh& surface, const TetSettings& settings) {
    const auto problem = pose(surface, settings);
    if (!problem) return problem.error();
    auto parts = build_resolved(problem.value());
    if (!parts) return parts.error();
    if (parts.value().tets.empty())
        return Error({.problem = "no tets fit into the surface: it is thinner than a cell everywhere",
                      .cure = "take more cells or shorter edges, or leave out conforming"});
    return TetMesh::try_make(std::move(parts.value().positions), std::move(parts.value().tets));
}

}  // namespace plush
