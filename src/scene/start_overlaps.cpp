#include "scene/start_overlaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "detect/broad_phase.hpp"
#include "detect/depth_images/overlap_finder.hpp"
#include "geometry/sdf/posed_distance.hpp"

namespace plush {
namespace {

struct Solid {
    BodyId body;
    bool moves = false;
    std::shared_ptr<const PosedSurface> surface{};  ///< one for all bodies of a mesh, but for the pose
    std::shared_ptr<const PosedDistance> field{};   ///< where it has no bounds
    Transform pose{};
    Box3 box{};

    SurfaceView view() const {
        SurfaceView v = surface->view;
        v.pose = pose;
        return v;
    }
};

std::string called(const World& world, BodyId id) {
    return world.name(id).empty() ? fmt::format("body {}", id.index) : std::string(world.name(id));
}

Box3 box_of(const PosedSurface& surface, const Transform& pose) {
    const ImageMap map{to_matrix(pose.rotation), pose.position};
    return map(surface.bounds.all);
}

std::vector<Solid> solids_of(const World& world) {
    std::vector<Solid> solids;
    std::map<const void*, std::shared_ptr<const PosedSurface>> known;  // looked up, never walked
    for (const BodyId id : world.bodies()) {
        const BodyKind kind = world.kind(id);
        Solid solid{.body = id, .moves = kind == BodyKind::rigid || kind == BodyKind::deformable};
        if (kind == BodyKind::particles) continue;
        if (kind == BodyKind::deformable) {
            const auto triangles = world.drawn_surface(id);
            if (triangles.empty()) continue;
            solid.surface = std::make_shared<const PosedSurface>(
                Mesh(world.drawn_positions(id), {triangles.begin(), triangles.end()}));
        } else if (!world.shape(id).bounded()) {
            solid.field = std::make_shared<const PosedDistance>(world.shape(id).distance(), world.pose(id));
            const Vec3 all{HUGE_VAL, HUGE_VAL, HUGE_VAL};
            solid.box = {-all, all};
            solids.push_back(std::move(solid));
            continue;
        } else {
            const Mesh& mesh = world.drawn(id);
            if (mesh.empty()) continue;
            auto& made = known[mesh.identity()];
            if (!made) made = std::make_shared<const PosedSurface>(mesh);
            solid.surface = made;
            solid.pose = world.pose(id);
        }
        if (!solid.surface->clusters.closed()) continue;  // cloth: no volume
        solid.box = box_of(*solid.surface, solid.pose);
        solids.push_back(std::move(solid));
    }
    return solids;
}

}  // namespace

StartOverlaps start_overlaps(const World& world) {
    // Enough for every scene of a few thousand bodies, and an end for those of millions of pairs.
    constexpr long long max_pairs = 20'000;
    // To report and not to simulate: one query, 32 pixels across where the boxes meet.
    const PixelWish wish{.across = 32};
    constexpr std::size_t max_bytes = std::size_t{1} << 28;
    // Bodies that were put in contact overlap by rounding, and vertices are snapped to 1/1024 of a pixel.
    constexpr double rounding = 1e-6;       // of the smaller body
    constexpr double snapping = 1.0 / 256;  // of a pixel
    const std::vector<Solid> solids = solids_of(world);
    std::vector<Box3> boxes;
    for (const Solid& s : solids) boxes.push_back(s.box);
    BroadPhase broad;
    StartOverlaps result;
    long long looked_at = 0;
    for (const auto& [i, j] : broad.find(boxes)) {
        const Solid &a = solids[i].surface ? solids[i] : solids[j],
                    &b = solids[i].surface ? solids[j] : solids[i];
        if (!a.surface || (!a.moves && !b.moves) || !world.may_collide(a.body, b.body)) continue;
        if (++looked_at > max_pairs) {
            ++result.left_out;
            continue;
        }
        OverlapPair pair{.a = a.view()};
        if (b.surface)
            pair.b = b.view();
        else
            pair.field = b.field.get();
        const Vec3 size = a.box.size();
        if (b.field && b.field->value(a.box.centre()) > 0.5 * norm(size) * b.field->steepness()) continue;
        OverlapSettings settings{.memory_limit = static_cast<double>(max_bytes) / 0x1p20};
        settings.pixel = choose_pixel(pair, Mat3::identity(),
                                      DepthPlan::region(pair, Mat3::identity()).size(), wish, max_bytes);
        if (!(settings.pixel > 0)) continue;
        const auto found = measure_overlap(pair, settings);
        if (!found.ok() || found.value().overlaps.empty()) continue;
        BodyOverlap overlap{
            .a = called(world, a.body), .b = called(world, b.body), .volume = found.value().volume};
        double area = 0;
        for (const Overlap& o : found.value().overlaps) {
            overlap.largest_depth = std::max(overlap.largest_depth, o.largest_depth);
            area += o.area;
        }
        double smaller = max_component(size);
        if (b.surface) smaller = std::min(smaller, max_component(b.box.size()));
        if (overlap.largest_depth < std::max(rounding * smaller, snapping * settings.pixel)) continue;
        overlap.mean_depth = area > 0 ? overlap.volume / area : 0;
        overlap.centre = found.value().overlaps[0].centre;
        overlap.parts = static_cast<int>(found.value().overlaps.size());
        result.pairs.push_back(std::move(overlap));
    }
    std::stable_sort(
        result.pairs.begin(), result.pairs.end(),
        [](const BodyOverlap& a, const BodyOverlap& b) { return a.largest_depth > b.largest_depth; });
    return result;
}

}  // namespace plush
