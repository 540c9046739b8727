#include <fmt/format.h>

#include <atomic>

#include "core/parallel.hpp"
#include "lab/bench/penetration_things.hpp"
#include "lab/studies/study.hpp"
#include "lab/studies/study_penetration.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/math/rotation.hpp"
#include "plush/scene/scene.hpp"

// Consistent penetration depth (Heidelberger et al. 2004) beside the closest feature and the vertex normal.

namespace plush::lab {
namespace {

struct Way {
    std::string name;
    DepthOptions options;
};

std::vector<Way> ways() {
    return {{"consistent", {}},
            {"consistent, face normals", {.normals = DepthNormals::face}},
            {"closest feature", {.method = DepthMethod::closest_feature}},
            {"vertex normal", {.method = DepthMethod::vertex_normal}}};
}

/// A thin tet whose tip is in a box of five tets, led across its top to an edge and beyond the middle plane
/// between two sides.
void path(Report& report) {
    const TetMesh box = tet_box({0.5, 0.5, 0.5}, {1, 1, 1}).value();
    const TetMesh spike({{0, 0, 0}, {0.02, 0.8, 0}, {-0.02, 0.8, 0.02}, {-0.02, 0.8, -0.02}}, {{0, 2, 1, 3}});
    const TetShape box_shape(box), spike_shape(spike);
    Plot depth{.name = "path_depth",
               .title = "Depth",
               .x = {.label = "Place of the tip", .unit = "m"},
               .y = {.label = "Depth", .unit = "m", .low = 0},
               .columns = 2};
    Plot angle{.name = "path_direction",
               .title = "Direction",
               .x = {.label = "Place of the tip", .unit = "m"},
               .y = {.label = "From the vertical", .unit = "°"},
               .columns = 2,
               .caption =
                   "A tip 0.3 m below the top of a box of 1 m and five tets, led towards an edge in steps "
                   "of 1 mm. No vertex changes its class on the way. The side of the box becomes its "
                   "closest feature 0.3 m before the edge."};
    Table jumps{.name = "path_jumps",
                .caption = "The largest change of the vector d r in one step of a thousandth of an edge",
                .columns = {"method", "largest change (% of its length)"},
                .rows = {},
                .digits = 3};
    const Parallel parallel(1);
    for (const Way& way : ways()) {
        Series d{.name = way.name, .draw = Draw::line}, a = d;
        PenetrationSearch search;
        Vec3 before{};
        double largest = 0;
        for (int i = 0; i <= 880; ++i) {
            const double x = -0.4 + 1e-3 * i;
            std::vector<Vec3> moved;
            for (const Vec3& p : spike.positions()) moved.push_back(p + Vec3{x, 0.2, 0.05});
            const std::array<TetObject, 2> objects{{{&box_shape, box.positions()}, {&spike_shape, moved}}};
            for (const Penetration& p : search.find(objects, way.options, parallel)) {
                if (p.owner != 1 || p.point != 0) continue;
                const Vec3 now = p.depth * p.direction;
                if (i > 0) largest = std::max(largest, norm(now - before) / norm(now));
                before = now;
                d.x.push_back(x), d.y.push_back(p.depth);
                a.x.push_back(x);
                a.y.push_back(std::acos(std::clamp(p.direction.y, -1.0, 1.0)) * 180 / M_PI);
            }
        }
        jumps.rows.push_back({way.name, 100 * largest});
        depth.series.push_back(std::move(d)), angle.series.push_back(std::move(a));
    }
    report.add(std::move(depth));
    report.add(std::move(angle));
    report.add(std::move(jumps));
}

/// Pairs of spheres nearer than their radius: no honest contact brings them there.
void stuck(Report& report, const StudySettings& settings) {
    Plot plot{
        .name = "stuck_pairs",
        .title = "Pairs of spheres that are stuck in one another",
        .x = {.label = "Time", .unit = "s"},
        .y = {.label = "Pairs nearer than a radius", .low = 0},
        .caption = "The scene sphere_stack: 120 spheres of 20 tets fall into a box, 60 steps a second."};
    Table table{.name = "stack_at_rest",
                .caption = "At the end",
                .columns = {"method", "stuck pairs", "deepest vertex (m)", "kinetic energy (J)"},
                .rows = {},
                .digits = 3};
    for (const char* variant : {"consistent", "closest_feature"}) {
        settings.now(fmt::format("sphere_stack, {}", variant));
        const Scene scene = Scene::load("sphere_stack", {}, variant);
        World world = scene.build();
        std::vector<BodyId> balls;
        for (const BodyId id : world.bodies())
            if (world.kind(id) == BodyKind::deformable) balls.push_back(id);
        const double radius = norm(world.vertex_positions(balls[0])[0] - world.centre(balls[0]));
        Series series{.name = variant, .draw = Draw::line};
        double pairs = 0;
        while (world.time() < scene.duration() - 0.5 * world.settings().step) {
            world.step();
            if (world.steps() % 6 != 0) continue;
            pairs = 0;
            for (std::size_t i = 0; i < balls.size(); ++i)
                for (std::size_t j = 0; j < i; ++j)
                    pairs += norm(world.centre(balls[i]) - world.centre(balls[j])) < radius;
            series.x.push_back(world.time()), series.y.push_back(pairs);
        }
        table.rows.push_back({variant, pairs, world.report().largest_depth, world.energy().kinetic});
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
    report.add(std::move(table));
}

// -- two cubes, many times --------------------------------------------------------------------------------

constexpr int cells = 2;
constexpr double half = 0.1, edge = 2 * half / cells;

struct Meeting {
    TetContactMethod method;
    double h, speed;                      ///< s; edge lengths a step
    double young = 3e6, stiffness = 1e5;  ///< Pa; N/m
};

/// Two soft cubes meet from a random side, turned at random. Whether they are apart half a second later, on
/// the sides that they came from.
bool parts(const Meeting& m, std::uint64_t seed) {
    Random random(seed);
    const auto any = [&](double most) {
        return Vec3{random.uniform(-most, most), random.uniform(-most, most), random.uniform(-most, most)};
    };
    WorldSettings settings;
    settings.gravity = {};
    settings.step = m.h;
    settings.threads = 1;
    settings.contact.tets = {.method = m.method, .stiffness = m.stiffness};
    World world(settings);
    const double speed = m.speed * edge / m.h;
    const Vec3 axis = normalised(any(1));
    const Vec3 aside = 0.5 * half * normalised(cross(axis, any(1)));
    std::vector<BodyId> ids;
    for (const double side : {-1.0, 1.0}) {
        Soft cube;
        cube.solid = SoftSolid(tet_box({half, half, half}, {cells, cells, cells}).value());
        cube.elastic.young = m.young, cube.elastic.density = 1000, cube.elastic.stiffness_damping = 5e-4;
        cube.motion.integration.solver = LinearSolver::cholesky;
        // Within a step of touching: where it begins decides how deep the first overlap is.
        const double away = 1.75 * half + random.uniform(0, 0.5) * m.speed * edge;
        ids.push_back(world.add(cube, {.position = side * (away * axis + 0.5 * aside),
                                       .rotation = exp_rotation(any(2)),
                                       .velocity = -side * 0.5 * speed * axis}));
    }
    // Half a second, or until they have gone as far apart as they began and do not touch.
    const int steps = static_cast<int>(std::ceil(0.5 / m.h));
    for (int s = 0; s < steps; ++s) world.step();
    const Vec3 way = world.centre(ids[1]) - world.centre(ids[0]);
    return world.overlapping_tets().empty() && dot(way, axis) > 0;
}

void success(Report& report, const StudySettings& settings) {
    Table table{
        .name = "success",
        .caption = fmt::format(
            "Of 100 random starts, how many pairs of cubes ({} tets each) are apart half a second later, on "
            "the sides that they came from",
            5 * cells * cells * cells),
        .columns = {"method", "steps a second", "1/4 edge a step", "1/2", "1", "3/2", "2"},
        .rows = {},
        .digits = 3};
    const Parallel parallel(0);
    for (const auto& [name, method] : {std::pair{"consistent", TetContactMethod::consistent},
                                       std::pair{"closest feature", TetContactMethod::closest_feature},
                                       std::pair{"vertex normal", TetContactMethod::vertex_normal}})
        for (const int rate : {240, 120, 60}) {
            std::vector<Cell> row{name, static_cast<double>(rate)};
            for (const double speed : {0.25, 0.5, 1.0, 1.5, 2.0}) {
                settings.now(fmt::format("{}, {} steps a second, {} edges a step", name, rate, speed));
                std::vector<std::uint8_t> good(100);
                const Meeting meeting{method, 1.0 / rate, speed};  // no binding: clang 14 cannot capture it
                parallel.each(good.size(), 1, [&](std::size_t i) { good[i] = parts(meeting, 1000 + i); });
                row.push_back(static_cast<double>(std::count(good.begin(), good.end(), 1)));
            }
            table.rows.push_back(std::move(row));
        }
    report.add(std::move(table));
}

/// The same with a material that is too soft to stop them: what decides is the speed, not the step.
void too_soft(Report& report, const StudySettings& settings) {
    constexpr std::array rates{60, 120, 240, 480};
    Table table{.name = "too_soft",
                .caption =
                    "Of 30 random starts of cubes of 0.2 MPa with a contact of 5,000 N/m, how many pairs "
                    "are apart, by steps a second. A dash: more than an edge length a step",
                .columns = {"relative speed (m/s)", "energy (J)"},
                .rows = {},
                .digits = 4};
    for (const int rate : rates) table.columns.push_back(std::to_string(rate));
    const double mass = 8 * half * half * half * 1000;
    const Parallel parallel(0);
    for (const double speed : {6.0, 12.0, 24.0}) {
        std::vector<Cell> row{speed, 0.25 * mass * speed * speed};
        for (const int rate : rates) {
            const double edges = speed / rate / edge;
            if (edges > 1 + 1e-9) {
                row.push_back("–");
                continue;
            }
            settings.now(fmt::format("too soft, {} m/s, {} steps a second", speed, rate));
            std::vector<std::uint8_t> good(30);
            const Meeting meeting{TetContactMethod::consistent, 1.0 / rate, edges, 2e5, 5000};
            parallel.each(good.size(), 1, [&](std::size_t i) { good[i] = parts(meeting, 1000 + i); });
            row.push_back(static_cast<double>(std::count(good.begin(), good.end(), 1)));
        }
        table.rows.push_back(std::move(row));
    }
    report.add(std::move(table));
}

struct Bars {
    std::vector<TetMesh> meshes;
    World world;
};

/// Two bars that cross at right angles, right through one another.
Bars crossing_bars(ContactMethod surfaces, TetContactMethod tets) {
    WorldSettings s;
    s.gravity = {};
    s.contact.method = surfaces;
    s.contact.tets = {.method = tets, .stiffness = 2000};
    Bars bars{{}, World(s)};
    for (const Vec3& half_size : {Vec3{0.4, 0.1, 0.1}, Vec3{0.1, 0.1, 0.4}}) {
        const auto count = [](double length) { return static_cast<int>(length / 0.05); };
        Soft bar;
        bar.solid = SoftSolid(
            tet_box(half_size, {count(half_size.x), count(half_size.y), count(half_size.z)}).value());
        bar.elastic.young = 2e5;
        bars.meshes.push_back(bar.solid.tets());
        bars.world.add(bar, {.position = {0.011, 0.013, 0.007}});
    }
    return bars;
}

std::string vertices_with_a_depth(const Bars& bars, DepthMethod method) {
    std::vector<TetShape> shapes(bars.meshes.begin(), bars.meshes.end());
    std::vector<TetObject> objects;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        objects.push_back({&shapes[i], bars.meshes[i].positions()});
    PenetrationSearch search;
    int inside = 0, known = 0;
    for (const Penetration& p : search.find(objects, {.method = method}, Parallel(1)))
        ++inside, known += p.level >= 0;
    return fmt::format("{} of {}", known, inside);
}

void crossing(Report& report, const StudySettings& settings) {
    settings.now("crossing bars");
    Table table{.name = "crossing",
                .caption = "Two bars pushed right through one another, and what is left after one second",
                .columns = {"method", "vertices with a depth, of those inside", "pairs of tets that overlap",
                            "largest depth (m)"},
                .rows = {},
                .digits = 2};
    const auto add = [&](const char* name, const std::string& known, World& world) {
        for (int i = 0; i < 60; ++i) world.step();
        const auto left = world.overlapping_tets();
        table.rows.push_back(
            {name, known, left.empty() ? "0" : std::to_string(left[0].pairs), world.report().largest_depth});
    };
    Bars consistent = crossing_bars(ContactMethod::points, TetContactMethod::consistent);
    Bars closest = crossing_bars(ContactMethod::points, TetContactMethod::closest_feature);
    Bars volume = crossing_bars(ContactMethod::volume, TetContactMethod::none);
    add("consistent", vertices_with_a_depth(consistent, DepthMethod::consistent), consistent.world);
    add("closest feature", vertices_with_a_depth(closest, DepthMethod::closest_feature), closest.world);
    add("by volume", "–", volume.world);
    report.add(std::move(table));
}

void cost(Report& report, const StudySettings& settings) {
    Plot plot{
        .name = "cost",
        .title = "Time of a colliding point, one thread",
        .x = {.label = "Colliding points", .scale = Scale::log},
        .y = {.label = "Time", .unit = "µs", .scale = Scale::log},
        .lines = {{.name = "published: 35 µs, Pentium 4 of 3 GHz", .y = 35}},
        .caption =
            "Balls of 20 tets on jittered lattices, in processor time, the least of several rounds each."};
    Table stages{
        .name = "stages",
        .caption =
            "Stages of the consistent method, ns a colliding point: stages by the clock, all of the "
            "processor",
        .columns = {"path", "tets", "colliding", "cells", "points", "edges", "border", "propagation", "all"},
        .rows = {},
        .digits = 6};
    const std::vector<Way> paths{{"fast path", {}},
                                 {"by cells", {.reference = true}},
                                 {"by a hash", {.cells = DepthCells::hash, .reference = true}},
                                 {"closest feature", {.method = DepthMethod::closest_feature}}};
    for (const Way& way : paths) {
        Series series{.name = way.name};
        for (const int balls : {120, 380, 1200, 3800, 12000, 30000}) {
            settings.now(fmt::format("{}, {} balls", way.name, balls));
            const std::vector<BallLattice> lattices = ball_lattices(balls);
            const DepthCost c = cost_of(lattices, way.options, 5);
            series.x.push_back(static_cast<double>(c.colliding)), series.y.push_back(1e-3 * c.total);
            const auto ns = [](double time) { return std::round(time); };
            stages.rows.push_back({way.name, static_cast<double>(lattices.front().tets()),
                                   static_cast<double>(c.colliding), ns(c.cells), ns(c.points), ns(c.edges),
                                   ns(c.border), ns(c.propagation), ns(c.total)});
        }
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
    report.add(std::move(stages));
}

}  // namespace

bool cubes_part(TetContactMethod method, double h, double edges_a_step, std::uint64_t seed) {
    return parts({method, h, edges_a_step}, seed);
}

Report study_penetration(const StudySettings& settings) {
    Report report = begin_report("Consistent penetration depth", "plush study penetration");
    report.paragraph(
        "Penalty forces need to know how deep a vertex is in another body, and which way is out. The closest "
        "point of the surface is the exact answer and often the wrong one: past the middle of the other body "
        "it "
        "is on the far side. The consistent method asks where the edges of the mesh cross the surface, "
        "averages "
        "that at the vertices next to them, and passes it on inward from vertex to vertex.");
    report.heading("Across a coarse box");
    settings.now("path");
    path(report);
    report.paragraph(
        "What to notice.",
        "The depth to the closest feature has a kink where another side becomes the closest, its "
        "direction jumps by a right angle. The consistent vector changes smoothly all the way.");
    report.heading("A stack of spheres");
    stuck(report, settings);
    report.heading("Who parts from whom");
    success(report, settings);
    report.paragraph(
        "What to notice.",
        "Speeds are relative ones in edge lengths a step, steps are of equal length in time: at two "
        "edges, a whole cube a step, the cubes may pass through one another between two queries, and no "
        "depth can know.");
    too_soft(report, settings);
    report.paragraph(
        "With a softer material and contact they cross: neither the springs of the contact nor the cubes can "
        "take "
        "up the energy before the middle is passed, whatever the step. A stiffer contact parts them.");
    report.heading("Where neither works");
    crossing(report, settings);
    report.paragraph(
        "Bars that cross one another right through have surfaces on both sides of every vertex inside. The "
        "consistent method sends those near one side out there and those near the other out the other way, "
        "as the closest feature does: the paper says so, and leaves it open. Such pairs are for the volume "
        "method (contact.method = volume): it parts them, and they rest against one another with the overlap "
        "that it allows.");
    report.heading("Time");
    cost(report, settings);
    return report;
}

}  // namespace plush::lab
