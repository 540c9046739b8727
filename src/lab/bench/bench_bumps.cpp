#include "lab/bench/bench_bumps.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

constexpr double side = 1, height = 0.3;              // m
constexpr double amplitude = 0.02, wavelength = 0.2;  // m; slopes up to 32°, so that the slabs interlock
constexpr double density = 1000;                      // kg/m³

/// Even in x and z: the slab's axes stay its principal ones.
double bump(double x, double z) {
    const double k = 2 * std::numbers::pi / wavelength;
    return amplitude * std::cos(k * x) * std::cos(k * z);
}

/// As bench/peers/bullet_bumps.cpp and ode_bumps.cpp have it.
PeerBumps rest(const Mesh& lower, const Mesh& upper, const BumpsTask& task) {
    WorldSettings settings;
    settings.step = task.step;
    settings.threads = 1;
    settings.contact.method = ContactMethod::volume;
    settings.sleep.enabled = false;
    World world(settings);
    const Material material{.friction = task.friction, .restitution = 0};
    world.add(Fixed{.mesh = lower, .material = material});
    const BodyId id = world.add(Rigid{.mesh = upper, .density = density, .material = material},
                                {.position = {0, task.centre + task.gap, 0}});
    std::vector<double> seconds;
    PeerBumps out;
    double squares = 0;
    for (int s = 0; s < task.settle + task.steps; ++s) {
        const double start = processor_seconds();
        world.step();
        if (s < task.settle) continue;
        seconds.push_back(processor_seconds() - start);
        out.contacts += static_cast<double>(world.contacts().size()) / task.steps;
        squares += norm2(world.velocity(id)) + norm2(BumpsTask::gyration * world.angular_velocity(id));
        for (const Contact& c : world.contacts()) out.depth = std::max(out.depth, c.largest_depth);
    }
    if (seconds.empty()) return out;
    std::sort(seconds.begin(), seconds.end());
    out.ms = 1e3 * seconds.front(), out.median_ms = 1e3 * seconds[seconds.size() / 2];
    out.speed = std::sqrt(squares / task.steps);
    out.sink = task.centre - world.centre(id).y;
    return out;
}

/// Of several runs of one engine: the fastest.
void take(const std::string& name, const PeerBumps& run, long long triangles, std::vector<BumpsRow>& rows) {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const BumpsRow& r) { return r.name == name; });
    if (it != rows.end() && it->ms <= run.ms) return;
    BumpsRow& row = it != rows.end() ? *it : rows.emplace_back();
    row = {name, triangles, run.ms, run.median_ms, run.contacts, run.speed, run.depth, run.sink};
}

}  // namespace

Mesh bumpy_slab(bool upper, int cells) {
    const int n = cells, layer = (n + 1) * (n + 1);
    std::vector<Vec3> positions;
    // The bumpy layer first, then the flat one.
    for (const bool flat : {false, true})
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i <= n; ++i) {
                const double x = side * (static_cast<double>(i) / n - 0.5),
                             z = side * (static_cast<double>(j) / n - 0.5);
                positions.push_back({x, flat ? (upper ? height : -height) : bump(x, z), z});
            }
    std::vector<Triangle> triangles;
    // Counter-clockwise from outside for the lower slab, the other way round for the upper.
    const auto quad = [&](int a, int b, int c, int d) {
        if (upper) std::swap(b, d);
        triangles.push_back({a, b, c});
        triangles.push_back({a, c, d});
    };
    const auto at = [&](int i, int j) { return j * (n + 1) + i; };
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            quad(at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j));
            quad(layer + at(i, j), layer + at(i + 1, j), layer + at(i + 1, j + 1), layer + at(i, j + 1));
        }
    const auto wall = [&](int a, int b) { quad(a, b, layer + b, layer + a); };
    for (int i = 0; i < n; ++i) {
        wall(at(i, 0), at(i + 1, 0));
        wall(at(n, i), at(n, i + 1));
        wall(at(i + 1, n), at(i, n));
        wall(at(0, i + 1), at(0, i));
    }
    return {std::move(positions), std::move(triangles)};
}

BumpsBench bench_bumps(int runs) {
    namespace fs = std::filesystem;
    BumpsBench bench;
    const fs::path folder = fs::temp_directory_path() / fmt::format("plush-bumps-{}", ::getpid());
    fs::create_directories(folder);
    // 4 n² + 8 n triangles: 20,160 and 345,740. The peers take up to a second a step with the larger.
    for (const int cells : {70, 293}) {
        const bool large = cells > 100;
        const Mesh lower = bumpy_slab(false, cells), as_made = bumpy_slab(true, cells);
        const MassProperties mass = mass_properties(as_made, density).value();
        const Mesh upper = as_made.transformed({-1 * mass.centre, {}});
        BumpsTask task;
        task.lower = (folder / "lower.obj").string(), task.upper = (folder / "upper.obj").string();
        task.mass = mass.mass, task.centre = mass.centre.y;
        task.inertia = {mass.inertia(0, 0), mass.inertia(1, 1), mass.inertia(2, 2)};
        task.settle = large ? 30 : 90, task.steps = large ? 10 : 30;
        lower.save(task.lower), upper.save(task.upper);
        const auto triangles = static_cast<long long>(lower.triangles().size());
        std::vector<BumpsRow> rows;
        bench.notes.clear();  // they would be the same
        for (int r = 0; r < runs; ++r) {
            take("Plush", rest(lower, upper, task), triangles, rows);
            for (const BumpsPeer peer : {BumpsPeer::bullet, BumpsPeer::ode}) {
                const auto run = run_bumps(peer, task);
                if (run.ok())
                    take(run.value().version, run.value(), triangles, rows);
                else if (r == 0)
                    bench.notes.push_back(fmt::format("{}: {}", run.error().problem(), run.error().cure()));
            }
        }
        for (BumpsRow& row : rows) {
            row.ratio = row.ms / rows.front().ms;
            bench.rows.push_back(row);
        }
    }
    fs::remove_all(folder);
    return bench;
}

}  // namespace plush::lab
