#include "world/volume_surfaces.hpp"

#include <algorithm>

#include "detect/features/closest_features.hpp"
#include "geometry/shapes/shape_data.hpp"

namespace plush {
namespace {

std::shared_ptr<const Embedding> embedding_of(const BodyRecord& record) {
    return record.parts.contact_surface.empty() ? nullptr : record.parts.contact_weights;
}

double enclosed_volume(std::span<const Vec3> points, std::span<const Triangle> triangles) {
    double volume = 0;
    for (const Triangle& t : triangles) {
        const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(t[k])]; };
        const Vec3 n = cross(corner(1) - corner(0), corner(2) - corner(0));
        volume += dot(corner(0) - points.front(), n) / 6;
    }
    return volume;
}

}  // namespace

bool encloses_volume(const BodyRecord& record) {
    const DeformableBody& body = record.deformable();
    // A quasi-static body has no velocities, and its matrix no masses.
    if (record.parts.point_cloud || body.settings().integration.method == IntegrationMethod::quasi_static)
        return false;
    const auto triangles = record.parts.contact_triangles(body);
    const auto weights = embedding_of(record);
    std::vector<Vec3> points = record.parts.rest;
    if (weights) {
        points.resize(weights->size());
        weights->apply(record.parts.rest, points);
    }
    return !points.empty() && is_closed(points.size(), triangles) && enclosed_volume(points, triangles) > 0;
}

// -- making them

void VolumeSurfaces::make_soft() {
    of_body_.fit(bodies_.size());
    const bool features = rules_.names_method(ContactMethod::closest_feature);
    const bool named = features || rules_.names_method(ContactMethod::volume) ||
                       rules_.names_method(ContactMethod::volume_penalty);
    const bool preferred = rules_.names_method(ContactMethod::automatic) && rules_.any_prefers_volume();
    soft_bodies_.clear();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.is_deformable()) continue;
        BodySurface& own = of_body_[i];
        if (named || (preferred && rules_.bears_volume(i))) {
            const auto triangles = record.parts.contact_triangles(record.deformable());
            if (!own.made && record.parts.encloses_volume)
                own.soft = std::make_unique<SoftSurface>(record.parts.rest, triangles, embedding_of(record));
            PLUSH_ASSERT(!own.soft || own.soft->closed());
            own.made = true;
            if (features && own.soft && !own.soft_features)
                own.soft_features =
                    std::make_unique<SoftFeatures>(record.parts.rest, triangles, embedding_of(record));
        }
        if (own.soft) soft_bodies_.push_back(i);
    }
}

void VolumeSurfaces::make_rigid(std::uint32_t body) {
    PLUSH_ASSERT(bodies_[body].body && !bodies_[body].is_deformable() && !bodies_[body].shape.empty());
    BodySurface& own = of_body_[body];
    if (!own.made) own.rigid = shared_surface(bodies_[body].shape);
    own.made = true;
}

std::shared_ptr<const PosedSurface> VolumeSurfaces::shared_surface(const Shape& shape) {
    const Shape::Data& data = shape.data();
    if (data.plane_normal || !data.bounded || data.drawn.empty()) return {};  // a half-space, or a distance
    const void* mesh = data.measured().identity();
    std::erase_if(known_surfaces_, [](const KnownSurface& known) { return known.surface.expired(); });
    for (const KnownSurface& known : known_surfaces_)
        if (known.mesh == mesh) return known.surface.lock();
    auto surface = std::make_shared<const PosedSurface>(data.measured(), Transform{}, true);
    if (!surface->clusters.closed()) return {};
    known_surfaces_.push_back({mesh, surface});
    return surface;
}

void VolumeSurfaces::make_features(std::uint32_t body) {
    BodySurface& own = of_body_[body];
    const BodyRecord& record = bodies_[body];
    if (own.features || record.shape.empty() || !rules_.names_method(ContactMethod::closest_feature)) return;
    const Mesh& mesh = record.shape.data().drawn;
    if (!mesh.empty() && record.shape.bounded()) own.features = shared_features(mesh);
}

std::shared_ptr<const FeatureSurface> VolumeSurfaces::shared_features(const Mesh& mesh) {
    std::erase_if(known_features_, [](const KnownFeatures& known) { return known.features.expired(); });
    for (const KnownFeatures& known : known_features_)
        if (known.mesh == mesh.identity()) return known.features.lock();
    auto features = std::make_shared<const FeatureSurface>(mesh);
    known_features_.push_back({mesh.identity(), features});
    return features;
}

void VolumeSurfaces::forget_body(std::uint32_t body) {
    of_body_.reset(body);
    std::erase(soft_bodies_, body);
}

// -- reading them

const ClusterBounds& VolumeSurfaces::bounds(std::uint32_t body, BodyPlace place) const {
    return place == BodyPlace::expected ? of_body_[body].expected : of_body_[body].now;
}

SurfaceView VolumeSurfaces::view(std::uint32_t body, const Transform& pose, BodyPlace place) const {
    if (const SoftSurface* surface = soft(body))
        return surface->view(
            place == BodyPlace::expected ? expected_.positions(body) : bodies_[body].deformable().positions(),
            bounds(body, place));
    PLUSH_ASSERT(rigid(body));
    SurfaceView view = rigid(body)->view;
    view.pose = pose;
    return view;
}

double VolumeSurfaces::size(std::uint32_t body) const {
    if (const SoftSurface* surface = soft(body)) return surface->size();
    const Shape& shape = bodies_[body].shape;
    return shape.bounded() ? max_component(shape.bounds().size()) : HUGE_VAL;
}

double VolumeSurfaces::thickness(std::uint32_t body) const {
    if (const SoftSurface* surface = soft(body)) return surface->thickness();
    const Shape& shape = bodies_[body].shape;
    return shape.bounded() ? shape.thickness() : HUGE_VAL;
}

double VolumeSurfaces::volume(std::uint32_t body) const {
    if (const SoftSurface* surface = soft(body)) return surface->volume();
    const auto unit = bodies_[body].shape.mass(1);
    return unit.ok() ? unit.value().mass : HUGE_VAL;
}

// -- moving them

void VolumeSurfaces::refit(const Parallel& parallel, BodyPlace place) {
    parallel.each(soft_bodies_.size(), 1, [&](std::size_t k) {
        const std::uint32_t i = soft_bodies_[k];
        BodySurface& own = of_body_[i];
        const DeformableBody& body = bodies_[i].deformable();
        PLUSH_ASSERT(own.soft);
        PLUSH_ASSERT(place == BodyPlace::now || bodies_[i].asleep ||
                     expected_.positions(i).size() == body.positions().size());
        if (place == BodyPlace::expected) {
            if (!bodies_[i].asleep) own.soft->refit(expected_.positions(i), own.expected);
        } else if (own.version != body.version() || own.now.boxes.empty()) {
            own.soft->refit(body.positions(), own.now);
            own.version = body.version();
        }
    });
}

/// Bounds of parts of the other body that may meet this one.
void VolumeSurfaces::add_near_bounds(std::vector<Box3>& near, std::uint32_t body, std::uint32_t other,
                                     const Transform& pose, BodyPlace place) const {
    if (!soft(body)) return;
    const Box3& own = bounds(body, place).all;
    const auto keep = [&](const Box3& box) {
        if (box.overlaps(own)) near.push_back(box);
    };
    if (soft(other)) {
        for (const Box3& box : bounds(other, place).steady_groups()) keep(box);
    } else if (rigid(other)) {
        const ImageMap map{to_matrix(pose.rotation), pose.position};
        for (const Box3& box : rigid(other)->view.bounds->groups) keep(map(box));
    } else if (const auto normal = bodies_[other].shape.data().plane_normal;
               normal && rotate(pose.rotation, *normal) == Vec3{0, 1, 0}) {
        // Level ground: all that is below it. Of other planes and distances the boxes stay as they are.
        keep({{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, pose.position.y, HUGE_VAL}});
    }
}

void VolumeSurfaces::tighten(const Parallel& parallel, std::span<const SurfacePair> pairs, BodyPlace place) {
    std::vector<std::vector<Box3>> near(bodies_.size());
    for (const SurfacePair& pair : pairs) {
        PLUSH_ASSERT(pair.i <= pair.j && pair.j < bodies_.size());
        add_near_bounds(near[pair.i], pair.i, pair.j, pair.pose_j, place);
        if (pair.i != pair.j) add_near_bounds(near[pair.j], pair.j, pair.i, pair.pose_i, place);
    }
    parallel.each(bodies_.size(), 1, [&](std::size_t i) {
        if (near[i].empty()) return;
        BodySurface& own = of_body_[i];
        const SurfaceView at = view(static_cast<std::uint32_t>(i), {}, place);
        PLUSH_ASSERT(own.soft);  // near bounds are those of soft surfaces alone
        own.soft->tighten(at.positions, near[i], place == BodyPlace::expected ? own.expected : own.now);
    });
}

void VolumeSurfaces::place_features(const Parallel& parallel, std::span<const std::uint32_t> bodies,
                                    BodyPlace place) {
    parallel.each(bodies.size(), 1, [&](std::size_t k) {
        if (SoftFeatures* features = of_body_[bodies[k]].soft_features.get())
            features->put(view(bodies[k], {}, place).positions);
    });
}

}  // namespace plush
