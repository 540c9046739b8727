#include "world/cluster_contacts.hpp"

#include <algorithm>

#include "contact/fields/surface_law.hpp"

namespace plush {
namespace {

/// Sweeps through all contacts of a step: a choice, not a bound. A few were compared, in the scene `shape_matching` and
/// on one slope, and no count was seen to be better by much.
constexpr int sweeps = 4;
/// Left of an overlap, as a part of a body's smaller extent: so that what rests stays in touch.
constexpr double slack_part = 0.002;

MatchedContact contact_like(std::uint32_t a, std::uint32_t b, double friction, double restitution,
                            double resting_speed) {
    MatchedContact c;
    c.a = a, c.b = b, c.friction = friction, c.restitution = restitution, c.resting_speed = resting_speed;
    return c;
}

/// Vertices of a inside of what sample(x, normal) tells the distance to, where it is near.
template <class Sample>
void add_contacts(const DeformableBody& a, const MatchedContact& like, const Sample& sample,
                  std::vector<MatchedContact>& out) {
    for (const std::uint32_t i : a.surface_vertices()) {
        const Vec3& x = a.after().x[i];
        Vec3 normal;
        const std::optional<double> distance = sample(x, normal);
        if (!distance) continue;
        const double depth = a.settings().radius - *distance;
        if (!(depth > 0)) continue;
        MatchedContact c = like;
        c.point = x, c.normal = normal, c.depth = depth;
        out.push_back(c);
    }
}

}  // namespace

/// Those awake: no other has an end of the step.
void ClusterContacts::find_bodies(const StepContext& step) {
    posed_.clear();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].is_deformable() && bodies_[i].body->distance() && !bodies_[i].asleep &&
            !bodies_[i].deformable().problem())
            posed_.push_back({i});
    proxies_.assign(posed_.size(), {});
    body_of_proxy_.clear();
    for (const Posed& posed : posed_) body_of_proxy_.push_back(posed.body);
    step.parallel.each(posed_.size(), 8, [&](std::size_t k) {
        Posed& posed = posed_[k];
        MatchedProxy& proxy = proxies_[k];
        const DeformableBody& body = bodies_[posed.body].deformable();
        const Transform pose = body.next_pose();
        posed.position = pose.position, posed.rotation = to_matrix(pose.rotation);
        for (const Vec3& x : body.after().x) posed.bounds.add(x);
        body.measure_next(proxy.centre, proxy.velocity, proxy.inverse_inertia);
        proxy.inverse_mass = body.pins().empty() ? 1 / body.mass() : 0;
        if (!body.pins().empty()) proxy.inverse_inertia = {};
    });
}

/// Pairs whose bounds overlap: along x in order, each against those that begin before it ends.
std::vector<ClusterContacts::Pair> ClusterContacts::near_pairs() const {
    std::vector<std::uint32_t> order(posed_.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
        return std::pair(posed_[i].bounds.low.x, i) < std::pair(posed_[j].bounds.low.x, j);
    });
    std::vector<Pair> near;
    for (std::size_t p = 0; p < order.size(); ++p)
        for (std::size_t q = p + 1; q < order.size(); ++q) {
            const std::uint32_t i = std::min(order[p], order[q]), j = std::max(order[p], order[q]);
            if (posed_[order[q]].bounds.low.x > posed_[order[p]].bounds.high.x) break;
            if (!posed_[i].bounds.overlaps(posed_[j].bounds)) continue;
            const std::uint32_t a = posed_[i].body, b = posed_[j].body;
            if (!rules_.collision_allowed(a, b) || rules_.by_tets(a, b) || rules_.soft_by_rows(a, b))
                continue;
            const PairBehaviour pair = rules_.behaviour(a, b);
            if (pair.method != ContactMethod::none) near.push_back({i, j, pair.law});
        }
    std::sort(near.begin(), near.end(),
              [](const Pair& x, const Pair& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
    return near;
}

std::vector<MatchedContact> ClusterContacts::contacts_between(const StepContext& step) const {
    const std::vector<Pair> near = near_pairs();
    constexpr std::size_t chunk = 32;
    std::vector<std::vector<MatchedContact>> found((near.size() + chunk - 1) / chunk);
    step.parallel.chunks(near.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const Pair& n = near[p];
            // Vertices of the first inside of the second.
            const auto add = [&](std::uint32_t i, std::uint32_t j) {
                const Posed& other = posed_[j];
                const SignedDistance& distance = *bodies_[other.body].body->distance();
                const Box3 local = distance.bounds();
                const auto sample = [&](const Vec3& x, Vec3& normal) -> std::optional<double> {
                    if (!other.bounds.contains(x)) return {};
                    const Vec3 at = transpose_times(other.rotation, x - other.position);
                    if (!local.contains(at)) return {};
                    const DistanceSample s = distance.sample(at);
                    normal = other.rotation * s.gradient;
                    return s.value;
                };
                const MatchedContact like =
                    contact_like(i, j, n.law.friction, n.law.restitution, n.law.resting_speed);
                add_contacts(bodies_[posed_[i].body].deformable(), like, sample, found[begin / chunk]);
            };
            add(n.a, n.b);
            add(n.b, n.a);
        }
    });
    std::vector<MatchedContact> all;
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
}

/// Where surfaces act by impulses, those of fixed and scripted bodies too: each has a proxy of infinite mass.
std::vector<MatchedContact> ClusterContacts::contacts_with_fixed(const StepContext& step) {
    std::vector<std::vector<MatchedContact>> found(posed_.size());
    std::vector<std::size_t> first_proxy(posed_.size());
    for (std::size_t k = 0; k < posed_.size(); ++k) {
        first_proxy[k] = proxies_.size();
        for (const Obstacle& o : bodies_[posed_[k].body].parts.surface->obstacles()) {
            MatchedProxy& proxy = proxies_.emplace_back();
            proxy.centre = o.motion.origin, proxy.velocity = o.motion.twist;
            body_of_proxy_.push_back(o.index);
        }
    }
    const double resting = rules_.behaviour(posed_[0].body, posed_[0].body).law.resting_speed;
    step.parallel.each(posed_.size(), 8, [&](std::size_t k) {
        const BodyRecord& record = bodies_[posed_[k].body];
        SurfaceField& surface = *record.parts.surface;
        if (surface.settings().law != SurfaceLaw::impulse) return;
        surface.set_time(record.deformable().time() + step.h);
        for (std::size_t o = 0; o < surface.obstacles().size(); ++o) {
            const Obstacle& obstacle = surface.obstacles()[o];
            if (bodies_[obstacle.index].dynamic()) continue;  // what is free feels vertices alone
            const PosedObstacle& posed = surface.posed()[o];
            const auto sample = [&](const Vec3& x, Vec3& normal) -> std::optional<double> {
                const Vec3 p = posed.to_local(x);
                if (!posed.may_reach_local(p)) return {};
                const DistanceSample s = posed.distance().sample(p);
                normal = posed.normal_to_world(s.gradient);
                return s.value;
            };
            const MatchedContact like =
                contact_like(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(first_proxy[k] + o),
                             obstacle.friction, obstacle.restitution, resting);
            add_contacts(record.deformable(), like, sample, found[k]);
        }
    });
    std::vector<MatchedContact> all;
    for (const auto& part : found) all.insert(all.end(), part.begin(), part.end());
    return all;
}

double ClusterContacts::smallest_extent() const {
    double size = HUGE_VAL;
    for (const Posed& posed : posed_) {
        const Vec3 extent = bodies_[posed.body].body->distance()->bounds().size();
        size = std::min({size, extent.x, extent.y, extent.z});
    }
    return size;
}

void ClusterContacts::push_after_prediction(const StepContext& step) {
    contacts_.clear();
    find_bodies(step);
    if (posed_.empty()) return;
    std::vector<MatchedContact> touching = contacts_between(step);
    const std::vector<MatchedContact> on_fixed = contacts_with_fixed(step);
    touching.insert(touching.end(), on_fixed.begin(), on_fixed.end());
    if (touching.empty()) return;
    PLUSH_ASSERT(body_of_proxy_.size() == proxies_.size());
    const std::vector<MatchedProxy> before = proxies_;
    part_matched_bodies(proxies_, touching, step.h, sweeps, slack_part * smallest_extent());
    step.parallel.each(posed_.size(), 8, [&](std::size_t k) {
        const BodyRecord& record = bodies_[posed_[k].body];
        const Twist change{proxies_[k].velocity.linear - before[k].velocity.linear,
                           proxies_[k].velocity.angular - before[k].velocity.angular};
        // A barrier's promise is the stronger: nothing but the guard moves vertices before one.
        const bool guarded = is_barrier(record.parts.surface->settings().law);
        record.deformable().move_next(proxies_[k].centre, change, guarded ? Twist{} : proxies_[k].shift);
    });
    contacts_ = std::move(touching);
    for (MatchedContact& c : contacts_) c.a = body_of_proxy_[c.a], c.b = body_of_proxy_[c.b];
}

void ClusterContacts::report(const StepContext& step, const ConstraintSystem&,
                             std::vector<ContactRecord>& out) {
    for (const MatchedContact& c : contacts_) {
        const bool sticking = c.impulse > 0 && norm(c.rub) < (1 - 1e-9) * c.friction * c.impulse;
        out.push_back({c.a,
                       c.b,
                       {.point = c.point,
                        .normal = c.normal,
                        .depth = c.depth,
                        .normal_force = c.impulse / step.h,
                        .friction_force = c.rub / step.h,
                        .sticking = sticking}});
    }
}

void ClusterContacts::each_touching_pair(PairVisitor visit) const {
    for (const MatchedContact& c : contacts_) visit(c.a, c.b);
}

}  // namespace plush
