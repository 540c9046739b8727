#include <fmt/format.h>

#include <algorithm>

#include "core/tuning.hpp"
#include "world/absurd_motion.hpp"
#include "world/world_impl.hpp"

// What a step does not go on with, and what it tells of its bodies.
//
// A number that is not finite spreads to all that it meets. What is finite can be as bad: of a body that flies apart the
// bounds hold the whole scene, its images take all memory, and each neighbour is queried for nothing. So motion is checked
// before detection follows it: where a step starts, after the prediction, and where the step ends. Absurd is
//
//     h |v| > absurd_way · size           of any point; a bullet of 1 cm at 1,000 m/s moves 10³ sizes in a step of 0.01 s
//     |x_i − x_j| > absurd_stretch · size  of an edge, where size is the mean length of its body's edges at rest

namespace plush {
namespace {

double fastest_of(std::span<const Vec3> velocities) {
    double fastest = 0;
    for (const Vec3& v : velocities) {
        const double square = norm2(v);
        if (!(square <= fastest)) fastest = square;  // what is not a number stays
        if (std::isnan(fastest)) break;
    }
    return std::sqrt(fastest);
}

/// Of any of its points, m/s. A rigid body's is a bound.
double speed_after_prediction(const BodyRecord& record) {
    if (record.kind == BodyKind::deformable) return fastest_of(record.deformable().next_velocities());
    std::vector<Vec3> velocities;
    for (std::size_t i = 0; i < record.body->node_count(); ++i) {
        const Twist now = record.body->node(i).velocity;
        velocities.push_back(now.linear);
        if (now.angular != Vec3{})
            velocities.back() = {norm(now.linear) + norm(now.angular) * record.body->size(), 0, 0};
    }
    return fastest_of(velocities);
}

/// The longest edge of a deformable body where it is longer than `most`, m; 0 otherwise.
double overlong_edge(const BodyRecord& record, std::span<const Vec3> x, double most) {
    Box3 box;
    for (const Vec3& p : x) box.add(p);
    if (box.empty() || norm(box.size()) <= most) return 0;
    const DeformableBody& body = record.deformable();
    double longest = 0;
    const auto edge = [&](int a, int b) {
        longest = std::max(longest, norm2(x[static_cast<std::size_t>(a)] - x[static_cast<std::size_t>(b)]));
    };
    for (const Tet& t : record.tets.tets())
        for (std::size_t c = 0; c < 4; ++c)
            for (std::size_t d = 0; d < c; ++d) edge(t[c], t[d]);
    for (const Triangle& t : body.triangles())
        for (std::size_t c = 0; c < 3; ++c) edge(t[c], t[(c + 1) % 3]);
    for (const auto& [a, b] : body.edges()) edge(a, b);
    longest = std::sqrt(longest);
    return longest > most ? longest : 0;
}

/// Beyond, m, the next number is a tenth of a millimetre away, and images have no bits for it.
constexpr double absurd_place = 1e12;

double farthest(const Box3& box) {
    if (box.empty()) return 0;
    return std::max(max_component(abs(box.low)), max_component(abs(box.high)));
}

constexpr const char* absurd_fix =
    "take a smaller step, or look for extreme masses, forces, stiffnesses or velocities; with "
    "\"absurd_motion\": \"freeze\" such a body is stopped for good and the rest goes on";

}  // namespace

void WorldParts::check_bodies(const StepContext& step, Checked when) const {
    const bool predicted = when == Checked::prediction;
    std::vector<double> speeds(bodies.size());
    std::vector<double> edges(bodies.size()), far(bodies.size());
    std::vector<char> finite(bodies.size(), 1);
    parallel.each(bodies.size(), tuning::bodies_per_task, [&](std::size_t i) {
        const BodyRecord& record = bodies[i];
        if (!record.body || (predicted && !record.awake())) return;
        // A speed whose square overflows is as bad as an infinite one: nothing can be computed from it.
        speeds[i] = predicted ? speed_after_prediction(record) : record.body->speed_bound();
        finite[i] = std::isfinite(speeds[i]) && (predicted || record.body->is_finite());
        if (finite[i] && record.dynamic()) far[i] = farthest(record.body->bounds());
        if (!finite[i] || !record.is_deformable() || record.asleep || when == Checked::start) return;
        const DeformableBody& body = record.deformable();
        if (body.size() > 0)
            edges[i] = overlong_edge(record, predicted ? body.after().x : body.positions(),
                                     tuning::absurd_stretch * body.size());
    });
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const BodyRecord& record = bodies[i];
        if (!record.body) continue;
        const std::string place = fmt::format("{} at {} s", bodies.label(i), step.time);
        if (!finite[i])
            throw AbsurdMotionError(
                i,
                Error({.place = place,
                       .problem = "its state stopped being finite; the world is back at the last good step",
                       .cure = "take a smaller step, or look for extreme masses, forces or velocities"}));
        const double size = record.body->size(), way = step.h * speeds[i];
        if (record.dynamic() && size > 0 && way > tuning::absurd_way * size)
            throw AbsurdMotionError(
                i, Error({.place = place,
                          .problem = fmt::format("it moves {:.3g} m in one step, which is absurd beside its "
                                                 "size of {:.3g} m; the world is back at the last good step",
                                                 way, size),
                          .cure = absurd_fix}));
        if (!(far[i] <= absurd_place))
            throw AbsurdMotionError(
                i, Error({.place = place,
                          .problem =
                              fmt::format("it is {:.3g} m from the origin, where no number of it is exact "
                                          "any more; the world is back at the last good step",
                                          far[i]),
                          .cure = absurd_fix}));
        if (edges[i] > 0)
            throw AbsurdMotionError(
                i, Error({.place = place,
                          .problem = fmt::format("an edge of it is {:.3g} m long, which is absurd beside the "
                                                 "mean of {:.3g} m at rest; the world is back at the last "
                                                 "good step",
                                                 edges[i], size),
                          .cure = absurd_fix}));
    }
}

bool WorldParts::may_freeze(std::uint32_t body) const {
    const BodyRecord& record = bodies[body];
    if (settings.absurd_motion != AbsurdMotion::freeze || !record.dynamic() || record.frozen) return false;
    if (!record.body->is_finite() || !std::isfinite(record.body->speed_bound())) return false;
    // Those that are attached to each other are moved as one.
    if (!attachments.of(body).empty()) return false;
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
        for (const Attachment& a : attachments.of(i))
            if (a.to == body) return false;
    return true;
}

void WorldParts::freeze(std::uint32_t body) {
    BodyRecord& record = bodies[body];
    record.frozen = record.asleep = true;
    record.quiet_from = {};
    stop_motion(record);
    bodies.mark_changed();
}

void WorldParts::count_inverted_tets(const StepContext& step) const {
    std::vector<int> counts(bodies.size());
    parallel.each(bodies.size(), 1, [&](std::size_t i) {
        const BodyRecord& record = bodies[i];
        if (!record.is_deformable() || record.asleep) return;
        const auto x = record.deformable().positions();
        for (const Tet& t : record.tets.tets()) {
            const auto at = [&](std::size_t c) { return x[static_cast<std::size_t>(t[c])]; };
            counts[i] += dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) < 0;
        }
    });
    for (std::uint32_t i = 0; i < bodies.size(); ++i)
        step.report.convergence.count(inverted_trouble, {static_cast<double>(counts[i]), bodies.id(i)},
                                      counts[i]);
}

/// A body that moves by more than its own thickness in a step can pass through what is as thin.
void WorldParts::warn_fast_bodies(const StepContext& step) {
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        BodyRecord& record = bodies[i];
        if (!record.awake() || record.warned_fast) continue;
        const double distance = step.h * record.body->speed_bound(), thickness = record.body->thickness();
        if (distance <= 2 * thickness || thickness <= 0) continue;
        record.warned_fast = true;
        logger.info(fmt::format(
            "{} moves up to {:.3g} m in a step at {:.3g} s, more than its thickness of {:.3g} m: it "
            "may pass through thin bodies (take a smaller step)",
            bodies.label(i), distance, step.time, 2 * thickness));
    }
}

/// Friction of an explicit body that asked for more substeps than it may take.
void WorldParts::warn_limited_friction(const StepContext& step) {
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        BodyRecord& record = bodies[i];
        if (!record.awake() || record.kind != BodyKind::deformable || record.warned_friction) continue;
        const AdvanceReport& last = record.deformable().last_step();
        if (!last.limited_friction) continue;
        record.warned_friction = true;
        logger.info(fmt::format(
            "{}: friction near rest would ask for more than {} substeps of its explicit integrator at {:.3g} "
            "s; it is "
            "limited to {} substeps, and vertices creep where they would stick (take implicit_euler or bdf2)",
            bodies.label(i), record.deformable().settings().integration.max_substeps, step.time,
            last.substeps));
    }
}

}  // namespace plush
