#include "world/impacts.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "detect/features/time_of_impact.hpp"

namespace plush {
namespace {

bool is_solid(const BodyRecord& record) {
    return record.body && !record.sensor && record.kind != BodyKind::deformable &&
           record.kind != BodyKind::particles;
}
bool is_free(const BodyRecord& record) {
    return record.kind == BodyKind::rigid && record.awake();
}
/// Of the soft ones those that respond to impulses of a whole step.
bool is_soft(const BodyRecord& record) {
    return record.is_deformable() && !record.sensor && record.awake() && !record.deformable().problem() &&
           record.deformable().responds_implicitly() && record.deformable().pins().empty();
}
/// Whether path() says where it will be.
bool has_path(const BodyRecord& record) {
    return is_free(record) || record.kind == BodyKind::scripted;
}

}  // namespace

bool Impacts::takes_part(std::uint32_t i, std::uint32_t j) const {
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    const ContactMethod method = rules_.behaviour(i, j).method;
    if (method == ContactMethod::none) return false;
    const bool soft_a = surfaces_.soft(i) && is_soft(a), soft_b = surfaces_.soft(j) && is_soft(b);
    if (soft_a || soft_b)
        return is_volume_method(method) && ((soft_a && is_solid(b) && b.body->distance()) ||
                                            (soft_b && is_solid(a) && a.body->distance()));
    return is_solid(a) && is_solid(b) && (is_free(a) || is_free(b)) && a.body->distance() &&
           b.body->distance();
}

namespace {

/// What a deformable body touches others with, with its vertices at these places.
std::vector<Vec3> surface_points(const BodyRecord& record, std::span<const Vec3> x) {
    const DeformableParts& parts = record.parts;
    std::vector<Vec3> points;
    if (const auto& weights = parts.contact_weights ? parts.contact_weights : parts.skin_weights) {
        points.resize(weights->size());
        weights->apply(x, points);
    } else {
        for (const std::uint32_t v : record.deformable().surface_vertices()) points.push_back(x[v]);
    }
    return points;
}

}  // namespace

ImpactTime Impacts::search(const StepContext& step, std::uint32_t i, std::uint32_t j) const {
    const double allowed = rules_.allowed_depth(i, j);
    const ImpactSearch search{step.h, allowed, tuning::impact_tolerance * allowed,
                              tuning::inset_depths * allowed};
    const BodyRecord &a = bodies_[i], &b = bodies_[j];
    if (!a.is_deformable() && !b.is_deformable())
        return time_of_impact(*a.body, has_path(a), *b.body, has_path(b), search);
    const BodyRecord &soft = a.is_deformable() ? a : b, &solid = a.is_deformable() ? b : a;
    const std::vector<Vec3> from = surface_points(soft, soft.deformable().positions()),
                            to = surface_points(soft, soft.deformable().after().x);
    const double thickness = surfaces_.thickness(a.is_deformable() ? i : j);
    ImpactTime found = time_of_impact(PointPaths{from, to, thickness}, *solid.body, has_path(solid), search);
    if (!a.is_deformable()) found.normal = -found.normal;
    return found;
}

/// Whether the way of a step is more than where normals are the same all along.
bool Impacts::moves_far(const StepContext& step, std::uint32_t i, std::uint32_t j) const {
    Vec3 velocity;
    double spread = 0, size = HUGE_VAL;
    for (const auto& [k, sign] : {std::pair{i, 1.0}, std::pair{j, -1.0}}) {
        const Body& body = *bodies_[k].body;
        if (bodies_[k].is_deformable()) {  // only where it could jump over the other
            const double way = step.h * bodies_[k].deformable().after_speed();
            return way > std::min(surfaces_.thickness(i), surfaces_.thickness(j));
        }
        size = std::min(size, body.size());
        if (!has_path(bodies_[k])) continue;
        velocity += sign * body.path(0).motion.twist.linear;
        spread += body.speed_spread();
    }
    return step.h * (norm(velocity) + spread) > tuning::impact_travel * size;
}

/// Bodies that something holds where the step starts.
void Impacts::mark_held(std::span<const NearPairs::Pair> near) {
    held_.assign(bodies_.size(), 0);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        const bool may_advance = is_free(bodies_[i]) ? bodies_[i].rigid().may_advance() : is_soft(bodies_[i]);
        if (!may_advance || !attachments_.of(i).empty()) held_[i] = 1;
        for (const Attachment& a : attachments_.of(i)) held_[a.to] = 1;
    }
    for (const JointRecord& joint : joints_.records())
        for (const auto& end : {joint.a, joint.b})
            if (joint.alive && end.body != JointRecord::none) held_[end.body] = 1;
    for (const DragRecord& drag : drags_.records())
        if (drag.alive) held_[bodies_.index_of(drag.at.body)] = 1;
    // Vertices of the one and the surface of the other are compared where the step starts.
    for (const auto& [i, j] : near)
        if (bodies_[i].is_deformable() != bodies_[j].is_deformable() ||
            bodies_[i].kind == BodyKind::particles || bodies_[j].kind == BodyKind::particles)
            if (!takes_part(i, j)) held_[i] = held_[j] = 1;
    for (const auto& [i, j] : events_.touching())
        if (!bodies_[i].sensor && !bodies_[j].sensor) held_[i] = held_[j] = 1;
}

void Impacts::find(const StepContext& step, std::span<const NearPairs::Pair> near) {
    impacts_.clear(), misses_.clear();
    moments_.assign(bodies_.size(), 0);
    step_ = step.h;
    std::vector<NearPairs::Pair> pairs;
    for (const auto& [i, j] : near)
        if (takes_part(i, j) && moves_far(step, i, j)) pairs.emplace_back(i, j);
    if (pairs.empty()) return;
    mark_held(near);
    std::vector<ImpactTime> found(pairs.size());
    step.parallel.each(pairs.size(), 1,
                       [&](std::size_t k) { found[k] = search(step, pairs[k].first, pairs[k].second); });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto& [i, j] = pairs[k];
        if (found[k].at_limit)
            step.report.convergence.count(impact_trouble, {found[k].way, bodies_.id(i), bodies_.id(j)});
        if (found[k].outcome == ImpactTime::Outcome::touching) held_[i] = held_[j] = 1;
        if (found[k].outcome == ImpactTime::Outcome::apart && !found[k].at_limit) misses_.emplace_back(i, j);
        // What touches and is about to jump over the other meets it at once.
        if (found[k].outcome == ImpactTime::Outcome::impact ||
            (found[k].outcome == ImpactTime::Outcome::touching && found[k].far))
            impacts_.push_back(
                {.i = i, .j = j, .time = found[k].time, .normal = found[k].normal, .far = found[k].far});
    }
    std::sort(impacts_.begin(), impacts_.end(), [](const Impact& x, const Impact& y) {
        return std::tie(x.time, x.i, x.j) < std::tie(y.time, y.i, y.j);
    });
    const std::vector<int> open = open_pairs(near);
    for (Impact& impact : impacts_) {
        for (const std::uint32_t k : {impact.i, impact.j})
            if (open[k] > 1) held_[k] = 1;
        for (const std::uint32_t k : {impact.i, impact.j}) {
            if (bodies_[k].dynamic() && bodies_[k].asleep) {  // the blow wakes it
                bodies_[k].wake();
                bodies_[k].body->predict(step.h, settings_.gravity, settings_.rotation);
                held_[k] = 1;
            }
            if (moments_[k] > 0 && moments_[k] < impact.time) impact.second = true;
        }
        if (impact.second) held_[impact.i] = held_[impact.j] = 1;  // their rows are where they are now
        for (const std::uint32_t k : {impact.i, impact.j}) {
            if (impact.second || held_[k]) continue;
            moments_[k] = impact.time;
            impact.reached = true;
        }
    }
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (moments_[i] > 0 && bodies_[i].is_deformable())
            bodies_[i].deformable().advance(moments_[i]);
        else if (moments_[i] > 0)
            bodies_[i].rigid().advance(moments_[i]);
    // The path of what meets another, or is held, is not that of the prediction.
    for (const Impact& impact : impacts_) held_[impact.i] = held_[impact.j] = 1;
    const auto is_changed = [&](std::uint32_t k) { return is_free(bodies_[k]) && held_[k]; };
    std::erase_if(misses_,
                  [&](const auto& pair) { return is_changed(pair.first) || is_changed(pair.second); });
    std::erase_if(impacts_, [&](const Impact& impact) {
        const bool soft = bodies_[impact.i].is_deformable() || bodies_[impact.j].is_deformable();
        return !impact.reached && soft;
    });
    std::sort(impacts_.begin(), impacts_.end(),
              [](const Impact& x, const Impact& y) { return std::tie(x.i, x.j) < std::tie(y.i, y.j); });
}

/// For each body the near pairs that may touch in this step.
std::vector<int> Impacts::open_pairs(std::span<const NearPairs::Pair> near) const {
    std::vector<int> count(bodies_.size());
    for (const auto& [i, j] : near)
        if (!miss(i, j) && rules_.behaviour(i, j).method != ContactMethod::none) ++count[i], ++count[j];
    return count;
}

const Impact* Impacts::of(std::uint32_t i, std::uint32_t j) const {
    const auto found = std::lower_bound(
        impacts_.begin(), impacts_.end(), std::pair(i, j),
        [](const Impact& impact, const auto& key) { return std::pair(impact.i, impact.j) < key; });
    return found != impacts_.end() && found->i == i && found->j == j ? &*found : nullptr;
}

bool Impacts::miss(std::uint32_t i, std::uint32_t j) const {
    return std::binary_search(misses_.begin(), misses_.end(), NearPairs::Pair(i, j));
}

PathPoint Impacts::place(std::uint32_t body, double time) const {
    const double moment = advanced(body) ? moments_[body] : 0;
    PLUSH_ASSERT(time >= moment);
    return place_at(*bodies_[body].body, has_path(bodies_[body]), time - moment);
}

ContactTime Impacts::time_of(std::uint32_t i, std::uint32_t j) const {
    const Impact* impact = of(i, j);
    if (impact && impact->reached) return {step_, impact->time, step_ - impact->time};
    double window = 0;  // the longer one: what closes a gap is not faster then
    for (const std::uint32_t k : {i, j})
        if (bodies_[k].dynamic()) window = std::max(window, remaining(k));
    if (!(window > 0)) window = step_;
    return {step_, impact ? impact->time : step_ - window, window};
}

Vec3 Impacts::travel(const Impact& impact) const {
    Vec3 way;
    int free = 0;
    for (const std::uint32_t k : {impact.i, impact.j}) {
        if (!is_free(bodies_[k])) continue;
        ++free;
        way += place(k, impact.time).motion.origin - bodies_[k].rigid().centre();
    }
    return free > 0 ? way / free : Vec3{};
}

}  // namespace plush
