#include "world/feature_query.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "detect/depth_images/surface_clusters.hpp"
#include "detect/features/closest_features.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "world/refusal.hpp"

namespace plush {
namespace {

void require_closed(const std::string& name, std::size_t vertices, std::span<const Triangle> surface) {
    require(name, is_closed(vertices, surface), "contact.method",
            "the body's surface is open, and closest_feature cannot tell where its inside is",
            "close the surface, or take another method for its pairs (points, volume)");
}

}  // namespace

void require_features(const ContactSettings& contact, const Deformable& body, std::size_t vertices,
                      std::span<const Triangle> surface) {
    if (contact.method != ContactMethod::closest_feature) return;
    require(body.name, !body.self_contact, "self_contact",
            "closest_feature does not query a body with itself",
            "take contact.method volume, or leave self_contact out");
    require_closed(body.name, vertices, surface);
}

void require_features(const BodyRecord& record) {
    if (record.kind != BodyKind::deformable) return;
    const Mesh& skin = record.parts.skin;
    require_closed(record.name, skin.empty() ? record.body->node_count() : skin.positions().size(),
                   record.parts.triangles(record.deformable()));
}

bool FeatureQuery::prepare(std::uint32_t i, std::uint32_t j) {
    if (i == j || !surfaces_.any_soft(i, j)) return false;
    for (const std::uint32_t k : {i, j}) {
        if (surfaces_.soft(k)) continue;
        if (bodies_[k].kind == BodyKind::deformable || bodies_[k].shape.empty()) return false;
        surfaces_.make_features(k);
    }
    return true;
}

PosedFeatures FeatureQuery::posed(std::uint32_t body, const Transform& pose) const {
    if (const SoftFeatures* soft = surfaces_.soft_features(body))
        return {soft->view(), {}, surfaces_.soft(body)->thickness()};
    return {surfaces_.features(body)->view(), pose, bodies_[body].shape.thickness()};
}

void FeatureQuery::find(const VolumePair& pair, const Parallel* inner,
                        std::vector<VolumeContact>& found) const {
    const bool swap = !surfaces_.soft_features(pair.i);
    const std::uint32_t a = swap ? pair.j : pair.i, b = swap ? pair.i : pair.j;
    const Transform& pose_b = swap ? pair.pose_i : pair.pose_j;
    const PosedFeatures of_a = posed(a, {});
    const double margin = rules_.margin(a, b);
    const FeatureSurface* rigid = surfaces_.features(b);
    std::vector<NearVertex> near;
    if (surfaces_.soft_features(b) || (rigid && rigid->closed))
        near = find_near_vertices(of_a, posed(b, pose_b), margin, inner);
    else  // a half-space, or a distance whose mesh has no inside
        near = find_near_vertices(of_a, PosedDistance(*bodies_[b].body->distance(), pose_b), margin, inner);
    for (const NearVertex& n : near) found.push_back(contact_of(n, a, b));
}

VolumeContact FeatureQuery::contact_of(const NearVertex& n, std::uint32_t a, std::uint32_t b) const {
    VolumeContact contact{.a = a, .b = b, .own_normal = true, .area = n.area, .depth = -n.near.gap};
    contact.allowed = rules_.allowed_depth(a, b);
    Overlap& o = contact.overlap;
    o.normal = n.of_b ? -n.near.normal : n.near.normal;
    o.centre = 0.5 * (n.position + n.near.point);
    o.sides = {n.of_b ? n.near.point : n.position, n.of_b ? n.position : n.near.point};
    o.area = n.area, o.gradient = -n.area * o.normal;
    o.moment = cross(o.sides[0] - o.centre, o.gradient);
    o.mean_depth = o.largest_depth = std::max(0.0, contact.depth), o.volume = n.area * o.mean_depth;
    for (const bool of_b : {false, true}) {
        const SoftFeatures* features = surfaces_.soft_features(of_b ? b : a);
        if (!features) continue;
        std::vector<VertexGradient>& gradients = of_b ? o.b : o.a;
        const Vec3 g = of_b ? -o.gradient : o.gradient;
        if (of_b == n.of_b)
            features->add_vertex(n.vertex, g, gradients);
        else
            features->add_point(n.near.triangle, n.near.weights, g, gradients);
        SoftFeatures::finish(gradients);
    }
    return contact;
}

void FeatureQuery::require_few(const StepContext& step, std::span<const VolumeContact> contacts) const {
    std::vector<std::size_t> count(bodies_.size());
    for (const VolumeContact& c : contacts)
        if (rules_.behaviour(c.a, c.b).method == ContactMethod::closest_feature) ++count[c.a], ++count[c.b];
    for (std::uint32_t i = 0; i < count.size(); ++i) {
        if (count[i] <= tuning::max_feature_contacts || bodies_[i].kind != BodyKind::deformable) continue;
        step.rollback.fail(Error(
            {.place = fmt::format("{} at {} s", bodies_.label(i), step.time),
             .problem = fmt::format("{} contacts by closest_feature, and a soft body takes at most "
                                    "{}; the world is back at the last good step",
                                    count[i], tuning::max_feature_contacts),
             .cure =
                 "give it a coarser surface or a smaller contact.margin, or take contact.method volume"}));
    }
}

}  // namespace plush
