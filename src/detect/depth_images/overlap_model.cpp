#include "detect/depth_images/overlap_model.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {
namespace {

/// |Σ G| below this fraction of what it would be if nothing cancelled tells no direction.
constexpr double cancelled = 0.1;

/// Up to this mean depth, in pixels, faces tell the direction better than columns.
constexpr double thin = 2;

Vec3 triangle_normal(const DepthPlan& plan, const SurfaceView& view, std::uint32_t place) {
    const ImageMap& map = plan.maps[object_at(place)];
    const auto corners = view.triangle(triangle_at(place));
    const Vec3 a = map(corners[0]), b = map(corners[1]), c = map(corners[2]);
    return normalised(cross(b - a, c - a), {});
}

Vec3 main_axis(const Mat3& m) {
    const auto e =
        symmetric_eigen<3>({m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)});
    std::size_t largest = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (e.values[i] > e.values[largest]) largest = i;
    Vec3 n{e.vectors[largest][0], e.vectors[largest][1], e.vectors[largest][2]};
    // Of the two directions the one whose largest component is positive.
    std::size_t k = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (std::abs(n[i]) > std::abs(n[k])) k = i;
    return n[k] < 0 ? -n : n;
}

}  // namespace

bool LineCounts::right_through() const {
    return !a_inside() && !b_inside() && across < through_a + through_b &&
           norm2(net) <= cancelled * cancelled * norm2(met);
}

void OverlapModel::build(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
                         const ModelSettings& settings, const Parallel* parallel) {
    splitter_.split(plan.frame, images, settings.split, settings.cell, settings.limit);
    contacts.assign(splitter_.contacts, {});
    rows_.clear();
    first_row_.assign(2 * contacts.size() + 1, 0);
    outlines_.points.clear();
    lines_ = {};
    if (contacts.empty()) return;
    for (KnownNormal& known : known_normals_) known.place = ~std::uint32_t{0};  // no place
    main_axes_.assign(contacts.size(), {});
    field_normals_.assign(contacts.size(), {});
    if (pair.self) find_main_axes(pair, plan, images);
    if (pair.field) sum_field_normals(pair, plan, images);
    face_normals_.assign(contacts.size(), {});
    if (settings.face_normals && (pair.b || pair.self))
        sum_face_normals(pair, plan, images, settings.faces_of);
    sum_up(pair, plan, images);
    if (!pair.self) count_lines(images);
    finish(pair, plan.frame, settings.volume);
    if (!pair.self &&
        std::any_of(contacts.begin(), contacts.end(), [](const Overlap& c) { return !c.one_sided; })) {
        find_main_axes(pair, plan, images);
        finish(pair, plan.frame, settings.volume);
    }
    if (settings.outlines_above >= 0) find_outlines(plan, images, settings.outlines_above);
    if (settings.rows != GradientRows::none) add_rows(pair, plan, images, settings.rows, parallel);
}

void OverlapModel::find_outlines(const DepthPlan& plan, const DepthImages& images, double point_width) {
    patch_normals_.clear();
    for (const Overlap& o : contacts)
        patch_normals_.push_back(o.one_sided ? plan.frame.axes * o.normal : Vec3{});
    outlines_.build(plan.frame, images, splitter_, patch_normals_, sums_, point_width);
}

/// Of the triangle of a crossing.
const Vec3& OverlapModel::normal_of(const OverlapPair& pair, const DepthPlan& plan, std::uint32_t place) {
    PLUSH_ASSERT(object_at(place) == 0 || pair.b);
    KnownNormal& known = known_normals_[(place * 0x9e3779b9u) >> 24];
    if (known.place != place)
        known = {place, triangle_normal(plan, object_at(place) == 1 ? *pair.b : pair.a, place)};
    return known.normal;
}

/// 0 for a and 1 for b; of a surface with itself by the side of the main axis that the triangle faces.
std::size_t OverlapModel::side_of(const OverlapPair& pair, const DepthPlan& plan, std::uint32_t place,
                                  std::size_t contact) {
    if (!pair.self) return object_at(place);
    return dot(main_axes_[contact], normal_of(pair, plan, place)) > 0 ? 1 : 0;
}

void OverlapModel::sum_up(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images) {
    sums_.assign(contacts.size(), {});
    const double quantum = 1 / plan.frame.quanta;  // a power of two, as its inverse
    for (std::size_t d = 0; d < 3; ++d)
        for (const ContactPart& part : splitter_.parts[d]) {
            PLUSH_ASSERT(part.interval < images.intervals[d].size() && part.contact < sums_.size());
            PLUSH_ASSERT(part.low < part.high && part.share > 0);
            const OverlapInterval& interval = images.intervals[d][part.interval];
            AxisSums& s = sums_[part.contact][d];
            const double t = part.share, u = interval.u + 0.5, v = interval.v + 0.5;
            s.volume += part.high - part.low;
            s.shares += t;
            s.u += t * u, s.v += t * v, s.z += t * 0.5 * (part.low + part.high);
            s.longest = std::max(s.longest, (interval.high - interval.low) * quantum);
            ++s.columns;
            const bool upper_of_a = side_of(pair, plan, interval.upper, part.contact) == 0;
            const bool lower_of_a = side_of(pair, plan, interval.lower, part.contact) == 0;
            const double sign = (upper_of_a ? t : 0) - (lower_of_a ? t : 0);
            s.net += sign, s.net_u += sign * u, s.net_v += sign * v;
            s.net_z[upper_of_a ? 0 : 1] += t * (interval.high * quantum);
            s.net_z[lower_of_a ? 0 : 1] -= t * (interval.low * quantum);
            s.met += (upper_of_a ? t : 0) + (lower_of_a ? t : 0);
        }
}

void OverlapModel::count_lines(const DepthImages& images) {
    for (std::size_t d = 0; d < 3; ++d) {
        for (const OverlapInterval& interval : images.intervals[d]) {
            const std::uint32_t lower = object_at(interval.lower), upper = object_at(interval.upper);
            ++(lower != upper ? lines_.across : lower == 0 ? lines_.through_a : lines_.through_b);
        }
        for (const ContactSums& s : sums_) lines_.net[d] += s[d].net, lines_.met[d] += s[d].met;
    }
}

/// Each crossing stands for a patch of surface of area a/|N_d|; the three images see it with a, so |N_d|
/// times the crossing adds up to the patch's area over the three.
void OverlapModel::find_main_axes(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images) {
    tensors_.assign(contacts.size(), {});
    for (std::size_t d = 0; d < 3; ++d)
        for (const ContactPart& part : splitter_.parts[d]) {
            const OverlapInterval& interval = images.intervals[d][part.interval];
            for (const std::uint32_t place : {interval.lower, interval.upper}) {
                if (object_at(place) == 1 && !pair.b) continue;
                const Vec3& n = normal_of(pair, plan, place);
                tensors_[part.contact] += outer(n, n) * (part.share * std::abs(n[d]));
            }
        }
    for (std::size_t c = 0; c < contacts.size(); ++c) main_axes_[c] = main_axis(tensors_[c]);
}

/// A crossing of a face with the normal N stands for an area a/|N_d| of it; weighed by N_d² the three images
/// together count it once, and hardly by the image that sees it edge on.
void OverlapModel::sum_face_normals(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
                                    std::optional<std::size_t> of) {
    for (std::size_t d = 0; d < 3; ++d)
        for (const ContactPart& part : splitter_.parts[d]) {
            const OverlapInterval& interval = images.intervals[d][part.interval];
            for (const std::uint32_t place : {interval.lower, interval.upper}) {
                const bool of_b = side_of(pair, plan, place, part.contact) == 1;
                if (of && *of != (of_b ? 1 : 0)) continue;
                const Vec3& n = normal_of(pair, plan, place);
                face_normals_[part.contact] += n * ((of_b ? part.share : -part.share) * std::abs(n[d]));
            }
        }
}

void OverlapModel::sum_field_normals(const OverlapPair& pair, const DepthPlan& plan,
                                     const DepthImages& images) {
    for (std::size_t d = 0; d < 3; ++d)
        for (const ContactPart& part : splitter_.parts[d]) {
            const OverlapInterval& interval = images.intervals[d][part.interval];
            Vec3 at;
            at[first_across(d)] = interval.u + 0.5, at[second_across(d)] = interval.v + 0.5;
            for (const auto& [place, depth] :
                 {std::pair{interval.lower, interval.low}, std::pair{interval.upper, interval.high}}) {
                if (object_at(place) == 0) continue;
                at[d] = depth / plan.frame.quanta;
                const Vec3 n =
                    plan.frame.axes * normalised(pair.field->sample(plan.frame.to_world(at)).gradient, {});
                field_normals_[part.contact] += n * (part.share * std::abs(n[d]));
            }
        }
}

void OverlapModel::finish(const OverlapPair& pair, const ImageFrame& frame, OverlapVolume rule) {
    const double pixel = frame.pixel, square = pixel * pixel, cube = square * pixel;
    by_faces_.assign(contacts.size(), 0);
    for (std::size_t c = 0; c < contacts.size(); ++c) {
        const ContactSums& s = sums_[c];
        Overlap& out = contacts[c];
        const Vec3 volumes{s[0].volume, s[1].volume, s[2].volume};
        const Vec3 net{s[0].net, s[1].net, s[2].net}, met{s[0].met, s[1].met, s[2].met};
        const double g2 = norm2(net);
        out.one_sided = g2 > cancelled * cancelled * norm2(met);
        const bool by_faces = rule == OverlapVolume::weighted && out.one_sided &&
                              norm2(face_normals_[c]) > 0 &&
                              dot(volumes, Vec3{1, 1, 1}) < thin * 3 * std::sqrt(g2);
        by_faces_[c] = by_faces;
        Vec3 n;  // images' axes
        if (pair.half_space)
            n = frame.axes * pair.half_space->normal, out.one_sided = true;
        else if (pair.field && norm2(field_normals_[c]) > 0 && out.one_sided)
            n = normalised(field_normals_[c]);
        else if (by_faces)
            n = normalised(face_normals_[c]);
        else if (out.one_sided)
            n = normalised(-net);
        else
            n = main_axes_[c];
        const bool weigh = rule == OverlapVolume::weighted && g2 > cancelled * cancelled * norm2(met);
        const Vec3 weights = by_faces ? times(n, n) : weigh ? times(net, net) / g2 : Vec3{1, 1, 1} / 3.0;
        out.volume = dot(weights, volumes) * cube;
        out.volumes = volumes * cube;

        Vec3 centre;
        double area = 0, deepest = 0;
        std::size_t columns = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            const double w = std::abs(n[d]);
            area += w * s[d].shares;
            centre[first_across(d)] += w * s[d].u;
            centre[second_across(d)] += w * s[d].v;
            centre[d] += w * s[d].z;
            if (!by_faces || w > 0.5) deepest = std::max(deepest, w * s[d].longest);  // not along a sheet
            columns += s[d].columns;
        }
        if (area > 0)
            centre = centre / area;
        else  // seen by columns across the normal alone
            for (std::size_t d = 0; d < 3; ++d)
                if (s[d].shares > 0) {
                    centre[first_across(d)] = s[d].u / s[d].shares;
                    centre[second_across(d)] = s[d].v / s[d].shares;
                    centre[d] = s[d].z / s[d].shares;
                }
        // The sums of b are the opposite of those of a, but for the depths.
        std::array<Vec3, 2> sides{};
        for (std::size_t d = 0; d < 3; ++d)
            for (std::size_t side = 0; side < 2; ++side) {
                sides[side][first_across(d)] += n[d] * s[d].net_u;
                sides[side][second_across(d)] += n[d] * s[d].net_v;
                sides[side][d] += n[d] * (side == 0 ? s[d].net_z[0] : -s[d].net_z[1]);
            }
        const double pull = dot(n, net);
        for (std::size_t side = 0; side < 2; ++side)
            out.sides[side] = frame.to_world(out.one_sided && pull < 0 ? sides[side] / pull : centre);
        // A pull of ± t along d at (u, v) has the moment (v, −u) about the axes u and v.
        Vec3 moment;
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t u = first_across(d), v = second_across(d);
            moment[u] += s[d].net_v - centre[v] * s[d].net;
            moment[v] -= s[d].net_u - centre[u] * s[d].net;
        }
        out.gradient = frame.turned_to_world(net * square);
        out.moment = frame.turned_to_world(moment * cube);
        out.normal = pair.half_space ? pair.half_space->normal : frame.turned_to_world(n);
        out.centre = frame.to_world(centre);
        out.area = area * square;
        out.mean_depth = area > 0 ? out.volume / out.area : 0;
        out.largest_depth = deepest * pixel;
        out.columns = columns;
        if (!splitter_.cells.empty()) out.cell = splitter_.cells[c];
    }
}

void OverlapModel::add_rows(const OverlapPair& pair, const DepthPlan& plan, const DepthImages& images,
                            GradientRows kind, const Parallel* parallel) {
    const double square = plan.frame.column_area();
    triangle_sums_.clear();
    for (std::size_t d = 0; d < 3; ++d) {
        std::array<std::uint32_t, 2> last{TriangleSums::none, TriangleSums::none};
        for (const ContactPart& part : splitter_.parts[d]) {
            const OverlapInterval& interval = images.intervals[d][part.interval];
            for (const bool upper : {true, false}) {
                const std::uint32_t place = upper ? interval.upper : interval.lower;
                if (object_at(place) == 1 && !pair.b) continue;
                triangle_sums_.add(part.contact, place, d, interval.u, interval.v,
                                   (upper ? square : -square) * part.share, last[upper ? 1 : 0]);
            }
        }
    }
    triangle_sums_.group(contacts.size(), first_entry_, entry_numbers_);
    // Of a surface with itself normals tell the sides, and what is known of them is shared.
    constexpr std::size_t contacts_a_task = 2;
    const bool spread = parallel && !pair.self;
    const std::size_t chunk = spread ? contacts_a_task : contacts.size();
    PLUSH_ASSERT(chunk > 0);
    const std::size_t tasks = (contacts.size() + chunk - 1) / chunk;
    if (row_tasks_.size() < tasks) row_tasks_.resize(tasks);
    const auto make = [&](std::size_t begin, std::size_t end) {
        make_rows(pair, plan, kind, begin, end, row_tasks_[begin / chunk]);
    };
    if (spread)
        parallel->chunks(contacts.size(), chunk, make);
    else
        make(0, contacts.size());
    std::size_t at = 0;
    for (std::size_t t = 0; t < tasks; ++t) {
        for (const std::size_t end : row_tasks_[t].ends) first_row_[++at] = rows_.size() + end;
        rows_.insert(rows_.end(), row_tasks_[t].rows.begin(), row_tasks_[t].rows.end());
    }
    PLUSH_ASSERT(at + 1 == first_row_.size());
}

void OverlapModel::make_rows(const OverlapPair& pair, const DepthPlan& plan, GradientRows kind,
                             std::size_t begin, std::size_t end, RowTask& task) {
    task.rows.clear(), task.ends.clear();
    for (std::size_t c = begin; c < end; ++c) {
        for (std::uint32_t i = first_entry_[c]; i < first_entry_[c + 1]; ++i) {
            const TriangleSums::Entry& entry = triangle_sums_.entries()[entry_numbers_[i]];
            PLUSH_ASSERT(entry.contact == c);
            const SurfaceView& view = object_at(entry.place) ? *pair.b : pair.a;
            const auto ids = view.surface->triangle_vertices(triangle_at(entry.place));
            const std::array<Vec3, 3> gradients = corner_gradients(plan, view, entry);
            VertexSums& sums = task.sums[side_of(pair, plan, entry.place, c)];
            for (std::size_t k = 0; k < 3; ++k) {
                if (kind == GradientRows::coarse && view.embedding)
                    for (const Embedding::Entry& e : view.embedding->row(ids[k]))
                        sums.add(e.vertex, gradients[k] * e.weight);
                else
                    sums.add(ids[k], gradients[k]);
            }
        }
        for (VertexSums& side : task.sums) {
            side.take(plan.frame, task.rows);
            task.ends.push_back(task.rows.size());
        }
    }
}

}  // namespace plush
