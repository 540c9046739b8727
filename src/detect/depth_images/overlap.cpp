#include "plush/detect/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/assert.hpp"
#include "core/quantities.hpp"
#include "detect/depth_images/overlap_finder.hpp"

namespace plush {

std::span<const Choice> overlap_split_choices() {
    static constexpr std::array splits{
        Choice{"whole", static_cast<int>(OverlapSplit::whole), "all of it together"},
        Choice{"connected", static_cast<int>(OverlapSplit::connected), "one for each connected part"},
        Choice{"cells", static_cast<int>(OverlapSplit::cells), "what lies in a cell of a grid"}};
    return splits;
}

std::span<const Choice> overlap_volume_choices() {
    static constexpr std::array rules{
        Choice{"weighted", static_cast<int>(OverlapVolume::weighted),
               "by the squared components of the gradient"},
        Choice{"mean", static_cast<int>(OverlapVolume::mean), "one third each"}};
    return rules;
}

void describe(FieldVisitor& v, OverlapSettings& s) {
    v.field({.key = "pixel", .unit = "m", .text = "the side of a pixel; 0 chooses one", .min = 0}, s.pixel);
    v.field(quantity::pixels_across("pixels across the overlap where the pixel is chosen"), s.pixels_across);
    v.field(
        {.key = "depth", .unit = "m", .text = "an overlap this deep shall have a pixel of depth", .min = 0},
        s.depth);
    v.choice({.key = "split", .text = "what is one overlap"}, s.split, overlap_split_choices());
    v.field({.key = "cell", .unit = "m", .text = "the side of a cell", .min = 0}, s.cell);
    v.choice({.key = "volume", .text = "how the three images' volumes become one"}, s.volume,
             overlap_volume_choices());
    v.field({.key = "gradients", .text = "for every vertex"}, s.gradients);
    v.field({.key = "memory_limit", .unit = "MiB", .text = "of the images", .min = 1, .max = 1e6},
            s.memory_limit);
    v.field({.key = "threads", .text = "0: as many as the machine has", .min = 0}, s.threads);
}

Quat tilted_axes() {
    // By about 31° about an axis that is none of the world's diagonals: no face of a box, and none of its
    // diagonals, lies along a column or a row.
    return normalised(Quat{0.963, 0.147, 0.186, 0.129});
}

namespace {

std::string in_metres(double length) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3g m", length);
    return text.data();
}

Error too_much(double pixel, double least, const char* why) {
    return Error({.file = "overlap",
                  .place = "pixel",
                  .problem = "pixels of " + in_metres(pixel) + " " + why,
                  .cure = least > 0 ? "take pixels of at least " + in_metres(least) +
                                          ", or leave the size to Plush (0)"
                                    : "take larger pixels, or leave the size to Plush (0)"});
}

std::optional<Error> wrong_settings(const OverlapPair& pair, const OverlapSettings& s) {
    const auto error = [](const char* place, const char* problem, const char* cure) {
        return Error({.file = "overlap", .place = place, .problem = problem, .cure = cure});
    };
    for (const auto& [place, value] : {std::pair{"pixel", s.pixel}, std::pair{"depth", s.depth}})
        if (!std::isfinite(value) || value < 0)
            return error(place, "is not a length", "take a number of metres, or 0 to have it chosen");
    const FieldInfo across = quantity::pixels_across("");
    if (!(s.pixels_across >= across.min && s.pixels_across <= across.max))
        return error("pixels_across", "is not between 4 and 4096", "take 64");
    if (s.split == OverlapSplit::cells && !(s.cell > 0))
        return error("cell", "cells have no size", "take a length in metres; infinity makes one of all");
    if (!(s.memory_limit >= 1 && s.memory_limit <= 1e6))
        return error("memory_limit", "is not between one MiB and a million", "take 1024");
    for (const SurfaceView* view : {&pair.a, pair.b ? &*pair.b : nullptr})
        if (view && view->surface->corners().size() >= max_triangles_of_image)
            return error("triangles", "there are more than the images can number", "decimate the mesh");
    for (const SurfaceView* view : {&pair.a, pair.b ? &*pair.b : nullptr}) {
        if (!view) continue;
        const Quat& r = view->pose.rotation;
        if (!is_finite(view->pose.position) || !std::isfinite(r.w + r.x + r.y + r.z))
            return error("transform", "is not finite", "take finite numbers");
        if (std::abs(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z - 1) > 1e-9)
            return error("transform", "its quaternion is not of unit length", "normalise it");
    }
    if (pair.half_space &&
        !(std::abs(norm(pair.half_space->normal) - 1) < 1e-9 && std::isfinite(pair.half_space->offset)))
        return error("normal", "is not of unit length", "divide it by its length");
    return {};
}

/// In the images' axes, m: what the stretches found span.
Vec3 extent_of(const OverlapFinder& found) {
    Box3 box;
    const ImageFrame& frame = found.plan().frame;
    for (std::size_t d = 0; d < 3; ++d)
        for (const OverlapInterval& i : found.images().intervals[d]) {
            Vec3 low, high;
            low[first_across(d)] = i.u, high[first_across(d)] = i.u + 1.0;
            low[second_across(d)] = i.v, high[second_across(d)] = i.v + 1.0;
            low[d] = i.low / frame.quanta, high[d] = i.high / frame.quanta;
            box.add(Box3{low, high});
        }
    return box.size() * frame.pixel;
}

double mean_depth(const OverlapFinder& found) {
    double volume = 0, area = 0;
    for (const Overlap& o : found.model().contacts) volume += o.volume, area += o.area;
    return area > 0 ? volume / area : 0;
}

OverlapReport report_of(const OverlapFinder& found, const OverlapSettings& settings) {
    OverlapReport report;
    const ImageFrame& frame = found.plan().frame;
    const ImageCounts& counts = found.images().counts;
    report.pixel = frame.pixel;
    report.size = {frame.size[0], frame.size[1], frame.size[2]};
    report.columns = counts.columns, report.crossings = counts.crossings;
    report.open_columns = counts.open, report.inverted_columns = counts.inverted;
    report.overlaps = found.model().contacts;
    for (std::size_t c = 0; c < report.overlaps.size(); ++c) {
        Overlap& o = report.overlaps[c];
        report.volume += o.volume;
        if (!settings.gradients) continue;
        const auto a = found.model().rows(c, 0), b = found.model().rows(c, 1);
        o.a.assign(a.begin(), a.end()), o.b.assign(b.begin(), b.end());
    }
    std::stable_sort(report.overlaps.begin(), report.overlaps.end(), [&](const Overlap& a, const Overlap& b) {
        return settings.split == OverlapSplit::cells ? a.cell < b.cell : a.volume > b.volume;
    });
    return report;
}

}  // namespace

PosedSurface::PosedSurface(Mesh m, const Transform& pose, bool with_patches)
    : mesh(std::move(m)), clusters(mesh.positions(), mesh.triangles()) {
    bounds.settle(clusters, mesh.positions());
    view = {.surface = &clusters, .positions = mesh.positions(), .bounds = &bounds, .pose = pose};
    if (with_patches) view.patches = &patches;
}

Result<OverlapReport> measure_overlap(const OverlapPair& pair, const OverlapSettings& settings) {
    if (auto error = wrong_settings(pair, settings)) return *error;
    const Mat3 axes = to_matrix(normalised(settings.axes));
    const Box3 region = DepthPlan::region(pair, axes);
    if (region.empty() || !(max_component(region.size()) > 0)) return OverlapReport{.pixel = settings.pixel};

    const Parallel parallel(settings.threads);
    const Parallel* threads = parallel.threads() > 1 ? &parallel : nullptr;
    ImageSettings images{.pixel = settings.pixel, .axes = axes};
    images.max_bytes = static_cast<std::size_t>(settings.memory_limit * 0x1p20);
    ModelSettings model{settings.split, settings.cell, settings.volume,
                        settings.gradients ? GradientRows::vertices : GradientRows::none};
    OverlapFinder finder;
    if (settings.pixel > 0) {
        const double least = least_pixel(pair, axes);
        if (settings.pixel < least)
            return too_much(settings.pixel, least, "are too small for surfaces of this size");
        if (!finder.find(pair, images, model, threads))
            return too_much(settings.pixel, 0, "need more memory than memory_limit");
        return report_of(finder, settings);
    }

    // First for the region in which the boxes meet, then for what was found in it, until that has as many
    // pixels as wished and, where it is thin, is a pixel deep.
    PixelWish wish{settings.pixels_across, settings.depth};
    Vec3 extent = region.size();
    images.pixel = choose_pixel(pair, axes, extent, wish, images.max_bytes);
    PLUSH_ASSERT(images.pixel > 0);  // else it could be doubled for ever
    constexpr int max_passes = 5;
    for (int pass = 0; pass < max_passes; ++pass) {
        const ModelSettings sums{OverlapSplit::whole, 0, settings.volume, GradientRows::none};
        if (!finder.find(pair, images, sums, threads)) {
            images.pixel *= 2;
            break;
        }
        double next;
        if (finder.model().contacts.empty()) {
            // Nothing yet: what is left is thinner than a pixel, if anything.
            constexpr double max_across_nothing = 512;
            next = images.pixel / 4;
            if (max_component(extent) / next > max_across_nothing) break;
            next = std::max(next, choose_pixel(pair, axes, {next, next, next}, {}, images.max_bytes));
        } else {
            constexpr double max_across_depth = 512;  // pixels that depth alone may ask for
            extent = extent_of(finder);
            wish.depth = std::max(mean_depth(finder), max_component(extent) / max_across_depth);
            if (settings.depth > 0) wish.depth = settings.depth;
            next = choose_pixel(pair, axes, extent, wish, images.max_bytes);
        }
        if (next >= images.pixel) break;
        images.pixel = next;
    }
    while (!finder.find(pair, images, model, threads)) images.pixel *= 2;
    return report_of(finder, settings);
}

Result<OverlapReport> try_overlap(const Mesh& a, const Transform& a_to_world, const Mesh& b,
                                  const Transform& b_to_world, const OverlapSettings& settings) {
    if (a.empty() || b.empty()) return OverlapReport{};
    const PosedSurface first(a, a_to_world), second(b, b_to_world);
    return measure_overlap({.a = first.view, .b = second.view}, settings);
}

OverlapReport overlap(const Mesh& a, const Transform& a_to_world, const Mesh& b, const Transform& b_to_world,
                      const OverlapSettings& settings) {
    return try_overlap(a, a_to_world, b, b_to_world, settings).value();
}

OverlapReport overlap(const Mesh& a, const Mesh& b, const OverlapSettings& settings) {
    return overlap(a, {}, b, {}, settings);
}

Result<OverlapReport> try_overlap_half_space(const Mesh& a, const Transform& a_to_world, const Vec3& normal,
                                             double offset, const OverlapSettings& settings) {
    if (a.empty()) return OverlapReport{};
    const PosedSurface surface(a, a_to_world);
    return measure_overlap({.a = surface.view, .half_space = HalfSpace{normal, offset}}, settings);
}

Result<OverlapReport> try_overlap(const Mesh& a, const Transform& a_to_world, const SignedDistance& b,
                                  const OverlapSettings& settings) {
    if (a.empty()) return OverlapReport{};
    const PosedSurface surface(a, a_to_world);
    return measure_overlap({.a = surface.view, .field = &b}, settings);
}

Result<OverlapReport> try_self_overlap(const Mesh& mesh, const OverlapSettings& settings) {
    if (mesh.empty()) return OverlapReport{};
    const PosedSurface surface(mesh, {});
    return measure_overlap({.a = surface.view, .self = true}, settings);
}

}  // namespace plush
