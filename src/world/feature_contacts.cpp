#include <algorithm>

#include "core/tuning.hpp"
#include "detect/depth_images/surface_clusters.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Closest features of pairs with a deformable body: a baseline. Each vertex near the other surface is written
// as a volume contact, with the area a that it stands for and its depth d = −n·(p − q) towards the nearest
// point q of the other surface,
//
//     V = a d,      ∂V/∂p = −a n,      ∂V/∂q = a n,
//
// carried on to the vertices of the bodies by the weights of skins and triangles. So rows, friction, the
// body's own matrix, stabilise, warm starts and reports are those of contact by volume.

namespace plush {
namespace {

/// Of a deformable body. It answers all of them by one full matrix of 9 numbers for each two: 2,000 take half
/// a gigabyte and some seconds a step, and a pair of fine meshes would have ten thousand.
constexpr std::size_t most_contacts = 2000;

/// What a body touches others with.
std::span<const Triangle> touched_surface(const Slot& slot) {
    return slot.skin.empty() ? slot.deformable().triangles() : slot.skin.triangles();
}

void require_closed(const std::string& name, std::size_t vertices, std::span<const Triangle> surface) {
    require(name, is_closed(vertices, surface), "contact.method",
            "the body's surface is open, and closest_feature cannot tell where its inside is",
            "close the surface, or take another method for its pairs (points, volume)");
}

}  // namespace

void World::Impl::require_features(const Deformable& body, std::size_t vertices,
                                   std::span<const Triangle> surface) const {
    if (settings.contact.method != ContactMethod::closest_feature) return;
    require(body.name, !body.self_contact, "self_contact",
            "closest_feature does not look for contacts of a body with itself",
            "take contact.method volume, or leave self_contact out");
    require_closed(body.name, vertices, surface);
}

void World::Impl::require_features(const Slot& slot) const {
    if (slot.kind != BodyKind::deformable) return;
    require_closed(slot.name, slot.skin.empty() ? slot.body->node_count() : slot.skin.positions().size(),
                   touched_surface(slot));
}

/// Whether this pair has a deformable body and touches by closest features; makes what that needs.
bool World::Impl::touch_softly_by_features(std::uint32_t i, std::uint32_t j) {
    if (i == j || (!slots[i].soft_surface && !slots[j].soft_surface)) return false;
    for (const std::uint32_t k : {i, j}) {
        if (slots[k].soft_surface) continue;
        if (slots[k].kind == BodyKind::deformable || slots[k].shape.empty()) return false;
        make_features(k);
    }
    return true;
}

/// Surfaces of deformable bodies to where they are looked at: all pairs of a call are ahead, or none is.
void World::Impl::place_features(std::span<const VolumePair> wanted) {
    std::vector<char> needed(slots.size(), 0);
    for (const VolumePair& pair : wanted)
        if (pair.by_features) needed[pair.i] = needed[pair.j] = 1;
    parallel.each(slots.size(), 1, [&](std::size_t k) {
        if (!needed[k] || !slots[k].soft_features) return;
        slots[k].soft_features->put(view_of(slots[k], {}, wanted.front().ahead).positions);
    });
}

PosedFeatures World::Impl::features_of(const Slot& slot, const Transform& pose) const {
    if (slot.soft_features) return {slot.soft_features->view(), {}, slot.soft_surface->thickness()};
    return {slot.features->view(), pose, slot.shape.thickness()};
}

void World::Impl::measure_feature_pair(const VolumePair& pair, std::vector<VolumeContact>& found,
                                       const Parallel* inner) const {
    const bool swap = !slots[pair.i].soft_features;
    const std::uint32_t a = swap ? pair.j : pair.i, b = swap ? pair.i : pair.j;
    const Slot &first = slots[a], &second = slots[b];
    const Transform& pose_b = swap ? pair.pose_i : pair.pose_j;
    const PosedFeatures of_a = features_of(first, {});
    const double alarm = settings.contact.margin;
    std::vector<NearVertex> near;
    if (second.soft_features || (second.features && second.features->closed)) {
        near = find_near_vertices(of_a, features_of(second, pose_b), alarm, inner);
    } else {  // a half-space, or a distance whose mesh has no inside
        near = find_near_vertices(of_a, PosedDistance(*second.body->distance(), pose_b), alarm, inner);
    }
    for (const NearVertex& n : near) {
        VolumeContact contact{.a = a, .b = b, .own_normal = true, .area = n.area, .depth = -n.near.gap};
        contact.allowed = settings.contact.allowed_depth;
        Overlap& o = contact.overlap;
        o.normal = n.of_b ? -n.near.normal : n.near.normal;
        o.centre = 0.5 * (n.position + n.near.point);
        o.sides = {n.of_b ? n.near.point : n.position, n.of_b ? n.position : n.near.point};
        o.area = n.area, o.gradient = -n.area * o.normal;
        o.moment = cross(o.sides[0] - o.centre, o.gradient);
        o.mean_depth = o.largest_depth = std::max(0.0, contact.depth), o.volume = n.area * o.mean_depth;
        for (const bool of_b : {false, true}) {
            const Slot& slot = of_b ? second : first;
            std::vector<VertexGradient>& rows_of = of_b ? o.b : o.a;
            if (!slot.soft_features) continue;
            const Vec3 g = of_b ? -o.gradient : o.gradient;
            if (of_b == n.of_b)
                slot.soft_features->add_vertex(n.vertex, g, rows_of);
            else
                slot.soft_features->add_point(n.near.triangle, n.near.weights, g, rows_of);
            SoftFeatures::finish(rows_of);
        }
        found.push_back(std::move(contact));
    }
}

void World::Impl::require_room(std::span<const VolumeContact> found, const std::vector<std::byte>& before) {
    std::vector<std::size_t> count(slots.size());
    for (const VolumeContact& c : found) {
        ContactMethod method;
        law(c.a, c.b, method);
        if (method == ContactMethod::closest_feature) ++count[c.a], ++count[c.b];
    }
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (count[i] <= most_contacts || slots[i].kind != BodyKind::deformable) continue;
        const std::string place = fmt::format("{} at {} s", name_of(slots[i]), time);
        restore(before).value();
        throw Error({.place = place,
                     .problem = fmt::format("{} contacts by closest_feature, and a soft body answers at most "
                                            "{}; the world is back at the last good step",
                                            count[i], most_contacts),
                     .cure = "give it a coarser surface or a smaller contact.margin, or take contact.method "
                             "volume"});
    }
}

/// Whether they share a volume, or a vertex is on the other's surface or in it.
bool World::Impl::touching(const VolumePair& pair) const {
    if (!pair.by_features) return pair.count > 0;
    const auto found = std::span(volume_contacts).subspan(pair.first, pair.count);
    return std::any_of(found.begin(), found.end(),
                       [&](const VolumeContact& c) { return c.depth > -settings.contact.allowed_depth; });
}

}  // namespace plush
