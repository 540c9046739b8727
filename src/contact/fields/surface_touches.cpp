#include <algorithm>

#include "contact/fields/surface_field.hpp"
#include "core/assert.hpp"
#include "core/tuning.hpp"

// Which vertices touch, what they feel, and whether an implicit step ends where that was expected (surface_field.hpp).

namespace plush {
namespace {

/// Vertices a task: few enough for the box around neighbours in memory to leave obstacles out.
constexpr std::size_t vertices_per_chunk = 256;

/// The ball around the finite ones of these points; a NaN has no place.
struct Ball {
    Vec3 centre{};
    double radius = -1;
};
template <class Point>
Ball ball_around(std::size_t count, const Point& point, std::span<const Vec3> x) {
    Box3 box;
    for (std::size_t k = 0; k < count; ++k)
        if (const Vec3& p = x[point(k)]; is_finite(p)) box.add(p);
    if (box.empty()) return {};
    return {box.centre(), 0.5 * norm(box.size())};
}

bool before(const SurfaceTouch& a, const SurfaceTouch& b) {
    return a.vertex != b.vertex ? a.vertex < b.vertex : a.obstacle < b.obstacle;
}

}  // namespace

SurfaceQuery SurfaceField::query_of(std::span<const Vec3> x, std::span<const Vec3> v,
                                    const Linearisation* out) const {
    if (out && out->end && looks_ahead()) return {out->end->x, out->end->v, x, v, out->end, true};
    return {x, v, {}, {}, nullptr, out && !out->full && !masses_.empty()};
}

double SurfaceField::pressure_at_end(const SurfaceTouch& t, double pressure, const Vec3& u,
                                     bool ahead) const {
    const std::uint32_t name = obstacles_[t.obstacle].index;
    double load = 0;
    auto at = std::lower_bound(loads_.begin(), loads_.end(), t.vertex,
                               [](const SurfaceLoad& p, std::uint32_t i) { return p.vertex < i; });
    for (; at != loads_.end() && at->vertex == t.vertex; ++at)
        if (at->obstacle == name) load = at->load;
    PLUSH_ASSERT(t.vertex < masses_.size() && masses_[t.vertex] > 0 && h_ > 0);
    const double ratio = h_ * h_ * t.stiffness / masses_[t.vertex];
    const double there = ahead ? pressure : pressure - h_ * t.stiffness * dot(t.normal, u);
    return std::max(0.0, (there + ratio * load) / (1 + ratio));
}

template <class Point>
void SurfaceField::find_touches(std::size_t count, const Point& point, std::span<const Vec3> x, bool keep,
                                Chunk& out) const {
    out.near.clear();
    out.touches.clear();
    if (settings_.law == SurfaceLaw::impulse) return;
    const Ball ball = ball_around(count, point, x);
    if (ball.radius < 0) return;
    for (std::uint32_t o = 0; o < posed_.size(); ++o)
        if (posed_[o].may_reach(ball.centre, ball.radius)) out.near.push_back(o);
    if (out.near.empty()) return;

    const double reach = force_reach(settings_);
    for (std::size_t k = 0; k < count; ++k)
        for (std::uint32_t o : out.near) {
            const auto i = static_cast<std::uint32_t>(point(k));
            if (!feels(i)) break;
            const PosedObstacle& posed = posed_[o];
            const Vec3 local = posed.to_local(x[i]);
            const bool kept = keep && was_given(i, o);
            if (!kept && !posed.may_reach_local(local)) continue;
            // Written so that a NaN is left out.
            if (!kept && !(posed.distance().value(local) - radius(i) < reach)) continue;
            const DistanceSample sample = posed.distance().sample(local);
            SurfaceTouch t;
            t.vertex = i, t.obstacle = o;
            t.gap = sample.value - radius(i);
            t.normal = posed.normal_to_world(sample.gradient);
            t.point = x[i], t.arm = x[i] - posed.origin();
            t.surface_velocity = posed.velocity_at(x[i]);
            out.touches.push_back(t);
        }
}

bool SurfaceField::was_given(std::uint32_t vertex, std::uint32_t obstacle) const {
    SurfaceTouch key;
    key.vertex = vertex, key.obstacle = obstacle;
    return std::binary_search(given_.begin(), given_.end(), key, before);
}

void SurfaceField::count_touches() {
    std::vector<double> now(obstacles_.size(), 0.0);
    for (const Chunk& chunk : chunks_)
        for (const SurfaceTouch& t : chunk.touches) ++now[t.obstacle];
    counts_.resize(obstacles_.size(), 0.0);
    for (std::size_t o = 0; o < now.size(); ++o) counts_[o] = std::max(counts_[o], now[o]);
}

double SurfaceField::softening(std::size_t o, const Vec3& arm, const Vec3& n, double k, double h) const {
    const Obstacle& obstacle = obstacles_[o];
    if (obstacle.inverse_mass == 0 || o >= counts_.size()) return 1;
    const Vec3 turn = cross(arm, n);
    const double ease = obstacle.inverse_mass + dot(turn, obstacle.inverse_inertia * turn);
    return 1 / (1 + h * h * k * ease * std::max(1.0, counts_[o]) * obstacle.sharers);
}

void SurfaceField::evaluate(SurfaceTouch& t, const SurfaceQuery& q) const {
    const Obstacle& obstacle = obstacles_[t.obstacle];
    const bool ahead = q.end != nullptr, movable = obstacle.inverse_mass > 0;
    const double h = ahead ? q.end->h : h_;
    if (ahead)
        t.point = obstacle.motion.origin + t.arm;  // where it meets the obstacle as that stands at the start
    LawValue law = evaluate_law(settings_, t.gap);
    // A vertex that is not let go any more: its spring pulls.
    if (law.stiffness == 0 && ahead && looks_ahead())
        law.force = settings_.stiffness * (force_reach(settings_) - t.gap),
        law.stiffness = settings_.stiffness;
    const Vec3 u = q.v[t.vertex] - t.surface_velocity;
    const double grows = 1 - settings_.dissipation * dot(t.normal, u);
    t.reference = ahead ? q.v_start[t.vertex] : t.surface_velocity;
    if (!(grows > 0)) return;
    const double soft = softening(t.obstacle, t.arm, t.normal, law.stiffness * grows, h);
    const double pressure = law.force * grows * soft;
    t.stiffness = law.stiffness * grows * soft;

    double presses = pressure, mass_rate = 0;
    if (!masses_.empty()) {
        const bool solved = ahead && q.end->iteration > 0 && was_given(t.vertex, t.obstacle);
        if (q.first_linearisation && !solved) presses = pressure_at_end(t, pressure, u, ahead);
        // Friction of one more solve is along what the last one left, whatever comes of it: it never drives. At
        // the end of a step Newton iterations want the true derivative.
        if (!q.first_linearisation) mass_rate = HUGE_VAL;
        if (q.first_linearisation && !movable && !(ahead && q.end->iteration > 0))
            mass_rate = masses_[t.vertex] / h;
    }
    const double limit = obstacle.friction * std::max(0.0, presses);
    SurfaceFriction friction = smoothed_friction(limit, stick_speed(t.vertex, limit), t.normal, u, mass_rate);
    const double count = movable && t.obstacle < counts_.size() ? counts_[t.obstacle] : 0;
    if (count > 0) {
        // In any direction, and together with what the normal force does to it: at most twice.
        const double ease = obstacle.inverse_mass + norm2(t.arm) * trace(obstacle.inverse_inertia);
        const double part = 1 / (1 + 2 * h * friction.secant * ease * count * obstacle.sharers);
        friction.force *= part, friction.damping = friction.damping * part;
    }
    t.force = pressure * t.normal + friction.force;
    t.damping =
        (settings_.dissipation * std::max(0.0, law.force)) * outer(t.normal, t.normal) + friction.damping;
    if (!ahead) return;
    // Linear about the end, written about the start.
    const Vec3 change = q.v[t.vertex] - t.reference;
    t.force += (h * t.stiffness * dot(t.normal, change)) * t.normal + t.damping * change;
    t.approach = dot(t.normal, q.v[t.vertex]);
}

template <class Point>
void SurfaceField::find_all(std::size_t count, const Point& point, const SurfaceQuery& q,
                            const Parallel& parallel) {
    PLUSH_ASSERT(q.v.size() == q.x.size() && (exempt_.empty() || exempt_.size() == q.x.size()));
    PLUSH_ASSERT(!q.end || (q.x_start.size() == q.x.size() && q.v_start.size() == q.x.size()));
    if (q.end) set_time(q.end->t);
    const bool keep = q.end && q.end->iteration >= tuning::last_release;
    chunks_.resize((count + vertices_per_chunk - 1) / vertices_per_chunk);
    parallel.chunks(count, vertices_per_chunk, [&](std::size_t begin, std::size_t end) {
        find_touches(
            end - begin, [&](std::size_t k) { return point(begin + k); }, q.x, keep,
            chunks_[begin / vertices_per_chunk]);
    });
    count_touches();
    parallel.each(chunks_.size(), 1, [&](std::size_t c) {
        for (SurfaceTouch& t : chunks_[c].touches) evaluate(t, q);
    });
    if (!q.end) return;
    // One solve more: what the last one felt does not count.
    if (recording_) recorded_.clear(), evaluations_.clear();
    given_.clear();
    for (const Chunk& chunk : chunks_)
        given_.insert(given_.end(), chunk.touches.begin(), chunk.touches.end());
    std::sort(given_.begin(), given_.end(), before);
}

void SurfaceField::find_all(const SurfaceQuery& query, const Parallel& parallel) {
    find_all(
        query.x.size(), [](std::size_t k) { return k; }, query, parallel);
}

std::span<const SurfaceTouch> SurfaceField::find(std::span<const std::uint32_t> points,
                                                 const SurfaceQuery& query, const Parallel& parallel) {
    find_all(
        points.size(), [&](std::size_t k) { return std::size_t{points[k]}; }, query, parallel);
    found_.clear();
    for (const Chunk& chunk : chunks_)
        found_.insert(found_.end(), chunk.touches.begin(), chunk.touches.end());
    std::sort(found_.begin(), found_.end(), before);
    return found_;
}

// -- where the step ended

bool SurfaceField::agrees_at(const ExpectedEnd& end, const Parallel&) {
    if (!looks_ahead() || masses_.empty() || posed_.empty()) return true;
    Chunk found;
    find_touches(
        end.x.size(), [](std::size_t k) { return k; }, end.x, false, found);
    return compare(end, end.v, found.touches);
}

bool SurfaceField::agrees(std::span<const std::uint32_t> points, std::span<const Vec3> x,
                          std::span<const Vec3> v, const ExpectedEnd& end) {
    if (!looks_ahead() || masses_.empty() || posed_.empty()) return true;
    Chunk found;
    find_touches(
        points.size(), [&](std::size_t k) { return std::size_t{points[k]}; }, x, false, found);
    std::sort(found.touches.begin(), found.touches.end(), before);
    return compare(end, v, found.touches);
}

// The energy of springs that nobody has paid for: of vertices that were not expected to touch, or came deeper than a
// linear gap says. And what friction has driven, or springs have held that should have let go.
bool SurfaceField::compare(const ExpectedEnd& end, std::span<const Vec3> v,
                           std::span<const SurfaceTouch> found) const {
    double all = 0, unpaid = 0, driven = 0, held = 0;
    auto at = found.begin();
    const auto add_unexpected = [&](const SurfaceTouch& t) {
        const LawValue law = evaluate_law(settings_, t.gap);
        unpaid += law.energy * softening(t.obstacle, t.arm, t.normal, law.stiffness, end.h);
        all += 0.5 * masses_[t.vertex] * norm2(v[t.vertex]);
    };
    for (const SurfaceTouch& t : given_) {
        for (; at != found.end() && before(*at, t); ++at) add_unexpected(*at);
        const Vec3 change = v[t.vertex] - t.reference;
        const Vec3 force =
            t.force - (end.h * t.stiffness * dot(t.normal, change)) * t.normal - t.damping * change;
        const double normal = dot(force, t.normal), energy = 0.5 * normal * normal / settings_.stiffness;
        const Vec3 u = v[t.vertex] - t.surface_velocity;
        (normal < 0 ? held : all) += energy;
        driven += std::max(0.0, end.h * dot(force - normal * t.normal, u));
        all += 0.5 * masses_[t.vertex] * norm2(t.reference);
        if (at == found.end() || before(t, *at)) continue;
        if (obstacles_[t.obstacle].inverse_mass == 0)
            unpaid += std::max(0.0, evaluate_law(settings_, at->gap).energy - (normal > 0 ? energy : 0));
        ++at;
    }
    for (; at != found.end(); ++at) add_unexpected(*at);
    const double most = tuning::unpaid_energy * (all + unpaid);
    const bool releases = end.iteration < tuning::last_release && held > 100 * most;
    return unpaid <= most && !(end.iteration == 0 && driven > most) && !releases;
}

}  // namespace plush
