#include <algorithm>
#include <iterator>
#include <limits>

#include "core/tuning.hpp"
#include "detect/depth_images/surface_nearest.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "world/world_impl.hpp"

// Contact by volume: which pairs, images of each, and what becomes of them. What is measured of a pair is a
// function of the two poses alone, so what the stabilise phase saw last serves the next step, and what lies
// still is never looked at again.

namespace plush {

/// What a shape is to the images: a closed surface, a half-space, or a distance.
std::shared_ptr<const PosedSurface> World::Impl::volume_surface_of(const Shape& shape) {
    const Shape::Data& data = shape.data();
    if (data.plane_normal || !data.bounded || data.drawn.empty()) return {};
    const void* key = data.measured().identity();
    std::erase_if(volume_surfaces, [](const KnownSurface& known) { return known.surface.expired(); });
    for (const KnownSurface& known : volume_surfaces)
        if (known.key == key) return known.surface.lock();
    auto surface = std::make_shared<const PosedSurface>(data.measured(), Transform{}, true);
    if (!surface->clusters.closed()) return {};
    volume_surfaces.push_back({key, surface});
    return surface;
}

/// Whether this pair touches by volume; makes what that needs.
bool World::Impl::touch_by_volume(std::uint32_t i, std::uint32_t j) {
    ContactMethod method;
    law(i, j, method);
    if (method == ContactMethod::closest_feature) return touch_softly_by_features(i, j);
    if (!by_volume(method)) return false;
    bool any = false;
    for (const std::uint32_t k : {i, j}) {
        Slot& slot = slots[k];
        const bool soft = slot.kind == BodyKind::deformable;
        if (!soft && slot.shape.empty()) return false;  // particles: points have no volume
        if (soft && !slot.soft_surface) return false;
        if (!slot.volume_looked_at) slot.volume_surface = volume_surface_of(slot.shape);
        slot.volume_looked_at = true;
        any = any || slot.volume_surface || slot.soft_surface;
    }
    return any;
}

/// The same of a pair with a deformable body, by closest features too, after find_contacts().
bool World::Impl::soft_by_volume(std::uint32_t i, std::uint32_t j) const {
    ContactMethod method;
    law(i, j, method);
    const auto has_inside = [&](const Slot& slot) {
        return slot.kind == BodyKind::deformable ? slot.soft_surface != nullptr : !slot.shape.empty();
    };
    const bool by_rows = by_volume(method) || method == ContactMethod::closest_feature;
    return by_rows && has_inside(slots[i]) && has_inside(slots[j]);
}

/// Whether a pair's contacts yield by a law of their own.
bool World::Impl::flexible(std::uint32_t i, std::uint32_t j) const {
    ContactMethod method;
    law(i, j, method);
    return method == ContactMethod::volume_penalty || volume_law({.a = i, .b = j, .area = 1}).flexibility > 0;
}

VolumeLaw World::Impl::volume_law(const VolumeContact& contact) const {
    ContactMethod method;
    const VolumeSettings& s = settings.contact.volume;
    VolumeLaw result{.pair = law(contact.a, contact.b, method),
                     .friction_at_surfaces = s.friction_at_surfaces,
                     .viscosity = s.viscosity};
    // As points: hard, and dry.
    if (method == ContactMethod::closest_feature) return {.pair = result.pair};
    if (method == ContactMethod::volume_penalty) {
        result.flexibility = 1 / (s.stiffness * contact.area);
        return result;
    }
    for (const std::uint32_t k : {contact.a, contact.b})  // a deformable body yields by itself
        if (slots[k].material.young && slots[k].kind != BodyKind::deformable && slots[k].shape.bounded())
            result.flexibility += slots[k].shape.thickness() / *slots[k].material.young;
    return result;
}

namespace {

/// Sizes that depend on the pair's shapes alone: they stay as they are while a contact lasts, or the depth at
/// rest would change and nothing would rest.
struct PairScale {
    double pixel, cell;
};

PairScale scale_of(const Slot& a, const Slot& b, const VolumeSettings& s) {
    double size = HUGE_VAL, thickness = HUGE_VAL;
    for (const Slot* slot : {&a, &b}) {
        if (slot->soft_surface) {
            size = std::min(size, slot->soft_surface->size());
            thickness = std::min(thickness, slot->soft_surface->thickness());
        } else if (slot->shape.bounded()) {
            size = std::min(size, max_component(slot->shape.bounds().size()));
            thickness = std::min(thickness, slot->shape.thickness());
        }
    }
    double pixel = s.pixel > 0 ? s.pixel : size / s.pixels_across;
    // A thin body is seen by a few columns through its thickness.
    if (!(s.pixel > 0) && thickness > 0) pixel = std::min(pixel, tuning::pixels_of_thickness * thickness);
    return {power_of_two_below(pixel), s.cell > 0 ? s.cell : size / s.cells_across};
}

/// Both lists are sorted, and so is what is returned; a vertex in both has the sum.
std::vector<VertexGradient> merged(std::span<const VertexGradient> x, std::span<const VertexGradient> y) {
    std::vector<VertexGradient> all;
    all.reserve(x.size() + y.size());
    std::size_t i = 0, j = 0;
    while (i < x.size() || j < y.size()) {
        if (j == y.size() || (i < x.size() && x[i].vertex < y[j].vertex))
            all.push_back(x[i++]);
        else if (i == x.size() || y[j].vertex < x[i].vertex)
            all.push_back(y[j++]);
        else
            all.push_back({x[i].vertex, x[i].gradient + y[j].gradient}), ++i, ++j;
    }
    return all;
}

/// How far a surface reaches along a direction, as its outline tells, m.
double reach_along(const SurfaceView& view, const Vec3& n) {
    const Vec3 m = rotate(conjugate(view.pose.rotation), n), w = abs(m);
    double most = -HUGE_VAL;
    for (const Box3& box : view.bounds->outline())
        most = std::max(most, dot(m, box.centre()) + 0.5 * dot(w, box.size()));
    return most + dot(n, view.pose.position);
}

/// The direction from a to b along which they have the least in common: only what lies there need be looked
/// at. The last contacts' own is best for a box on a plate; that of the boxes where limbs of figures
/// are between each other, and the sum of their normals says little (measured: 10 to 30 % of a look).
Vec3 culling_direction(const OverlapPair& pair, const Vec3& of_contacts) {
    if (!pair.b || norm2(of_contacts) == 0) return of_contacts;
    Box3 box[2];
    for (std::size_t d = 0; d < 3; ++d) {
        Vec3 axis;
        axis[d] = 1;
        box[0].low[d] = -reach_along(pair.a, -axis), box[0].high[d] = reach_along(pair.a, axis);
        box[1].low[d] = -reach_along(*pair.b, -axis), box[1].high[d] = reach_along(*pair.b, axis);
    }
    const auto common = [&](const Vec3& n) { return reach_along(pair.a, n) + reach_along(*pair.b, -n); };
    const Vec3 known = normalised(of_contacts), middle = normalised(box[1].centre() - box[0].centre(), known);
    return common(known) <= common(middle) ? known : middle;
}

/// The depth that is left alone: as wished, but half of a rigid pair's pixel where the contact is so small
/// that it would vanish between the columns before, and where a surface is soft: it bulges within a cell,
/// whose mean depth is all that a row holds, and would be pushed out again in every step.
double allowed_depth(const Overlap& o, double pixel, double wished, bool soft) {
    const bool large = !soft && o.area >= tuning::pixels_of_large_contact * pixel * pixel;
    return large ? std::min(wished, 0.5 * pixel) : 0.5 * pixel;
}

}  // namespace

/// Where a body lies inside another the volume does not change as it moves. It leaves by the shortest way.
std::optional<VolumeContact> World::Impl::way_out(VolumeContact contact, const VolumePair& pair) const {
    if (contact.self()) return {};
    const auto size = [&](std::uint32_t k) {
        if (slots[k].soft_surface) return slots[k].soft_surface->volume();
        const auto unit = slots[k].shape.mass(1);
        return unit.ok() ? unit.value().mass : HUGE_VAL;
    };
    const bool a_is_inner = size(contact.a) <= size(contact.b);
    const std::uint32_t outer = a_is_inner ? contact.b : contact.a;
    const Transform& pose = outer == pair.i ? pair.pose_i : pair.pose_j;
    Overlap& o = contact.overlap;
    Vec3 out;
    double depth = 0;
    if (slots[outer].soft_surface) {
        const Vec3 way = nearest_point(view_of(slots[outer], pose, pair.ahead), o.centre) - o.centre;
        out = normalised(way, {0, 1, 0}), depth = norm(way);
    } else {
        const DistanceSample s = PosedDistance(*slots[outer].body->distance(), pose).sample(o.centre);
        if (s.value > 0) return {};
        out = normalised(s.gradient, {0, 1, 0}), depth = -s.value;
    }
    o.normal = a_is_inner ? out : -out;
    o.sides = {o.centre, o.centre};
    contact.escape = true;
    contact.area = std::max(o.area, 1e-300);
    contact.depth = depth + o.largest_depth;
    return contact;
}

SurfaceView World::Impl::view_of(const Slot& slot, const Transform& pose, bool ahead) const {
    if (slot.soft_surface)
        return slot.soft_surface->view(
            ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions(),
            ahead ? slot.bounds_ahead : slot.bounds_now);
    SurfaceView view = slot.volume_surface->view;
    view.pose = pose;
    return view;
}

void World::Impl::measure_volume_pair(VolumePair& pair, OverlapFinder& finder,
                                      std::vector<VolumeContact>& found, const Parallel* inner) const {
    const bool swap = !slots[pair.i].volume_surface && !slots[pair.i].soft_surface;
    const std::uint32_t a = swap ? pair.j : pair.i, b = swap ? pair.i : pair.j;
    const Slot &first = slots[a], &second = slots[b];
    const Transform &pose_a = swap ? pair.pose_j : pair.pose_i, &pose_b = swap ? pair.pose_i : pair.pose_j;
    OverlapPair images{.a = view_of(first, pose_a, pair.ahead), .self = a == b};
    ImageSettings view{};
    view.most_bytes = static_cast<std::size_t>(settings.contact.volume.memory_limit * 0x1p20);
    std::optional<PosedDistance> field;
    if (images.self) {
    } else if (second.volume_surface || second.soft_surface) {
        images.b = view_of(second, pose_b, pair.ahead);
    } else if (const auto normal = second.shape.data().plane_normal) {
        const Vec3 n = rotate(pose_b.rotation, *normal);
        images.half_space = HalfSpace{n, dot(n, pose_b.position)};
        view.axes = contact_frame(n);  // one image sees it face on, and is exact
    } else {
        images.field = &field.emplace(*second.body->distance(), pose_b);
    }
    if (!images.self) view.direction = culling_direction(images, pair.direction);
    const VolumeSettings& s = settings.contact.volume;
    const bool soft = first.soft_surface || second.soft_surface;
    const PairScale scale = scale_of(first, second, s);
    view.pixel = soft ? tuning::soft_pixel * scale.pixel : scale.pixel;
    const double least = least_pixel(images, view.axes);
    while (view.pixel < least) view.pixel *= 2;
    constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();  // the user said how large
    const double more = images.self && first.in_pieces ? tuning::cells_of_pieces
                        : soft                         ? tuning::cells_of_soft
                                                       : 1;
    const ModelSettings model{
        .split = s.split,
        .cell = std::max(scale.cell, view.pixel),
        .rows = soft ? GradientRows::coarse : GradientRows::none,
        .face_normals = true,
        .join_cells = s.cell > 0 ? no_limit : static_cast<std::size_t>(more * s.most_cells)};
    while (!finder.find(images, view, model, inner)) view.pixel *= 2;
    pair.pixel = view.pixel;

    const std::size_t before = found.size();
    const VolumeContact* lost = nullptr;
    VolumeContact degenerate{.a = a, .b = b};
    for (std::size_t k = 0; k < finder.model().contacts.size(); ++k) {
        const Overlap& o = finder.model().contacts[k];
        VolumeContact contact{.a = a, .b = b, .overlap = o};
        if (images.self)
            contact.overlap.a = merged(finder.model().rows(k, 0), finder.model().rows(k, 1));
        else if (first.soft_surface)
            contact.overlap.a = merged(finder.model().rows(k, 0), {});
        if (second.soft_surface && !images.self) contact.overlap.b = merged(finder.model().rows(k, 1), {});
        // Of thin overlaps the faces tell the normal, and the area is what is seen along it.
        contact.own_normal =
            (!images.b && !images.self) || dot(o.normal, o.gradient) > -(1 - 1e-12) * norm(o.gradient);
        contact.area = contact.own_normal ? -dot(o.normal, o.gradient) : norm(o.gradient);
        if (!o.one_sided || !(contact.area > 0) || !(o.volume > 0)) {
            if (o.volume > degenerate.overlap.volume) degenerate.overlap = o, lost = &degenerate;
            continue;
        }
        contact.depth = o.volume / contact.area;
        contact.allowed = allowed_depth(o, view.pixel / (soft ? tuning::soft_pixel : 1),
                                        settings.contact.allowed_depth, soft);
        found.push_back(contact);
    }
    if (found.size() == before && lost)
        if (const auto out = way_out(degenerate, pair)) found.push_back(*out);
    pair.direction = {};
    for (std::size_t k = before; k < found.size(); ++k)
        pair.direction -= found[k].overlap.normal * found[k].area;
}

/// The contacts of pairs at the poses that stand in them.
void World::Impl::measure_pairs(std::span<VolumePair> wanted, std::span<std::vector<VolumeContact>> found) {
    // Each finder keeps the memory of its images: there are so many and no more, whatever the number of
    // pairs.
    constexpr std::size_t finders = 64;
    while (volume_finders.size() < std::min(finders, wanted.size()))
        volume_finders.push_back(std::make_unique<OverlapFinder>());
    // Of few pairs the last ones are spread over the threads that have nothing left to do; the bits are the
    // same.
    const bool few = wanted.size() < tuning::few_pairs * static_cast<std::size_t>(parallel.threads());
    const Parallel* const inner = few ? &parallel : nullptr;
    const std::size_t chunk = (wanted.size() + finders - 1) / finders;
    if (wanted.empty()) return;
    report.looks += static_cast<int>(wanted.size());
    tighten_soft_surfaces(wanted);
    place_features(wanted);
    parallel.chunks(wanted.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            if (wanted[k].by_features)
                measure_feature_pair(wanted[k], found[k], inner);
            else
                measure_volume_pair(wanted[k], *volume_finders[begin / chunk], found[k], inner);
    });
}

namespace {

std::uint64_t version_of(const Slot& slot) {
    return slot.soft_surface ? slot.deformable().version() : 0;
}

}  // namespace

/// Whether what is known of a pair is not good enough. Pairs with a deformable body that moves are not looked
/// at when a step starts: look_ahead() does that, and where they end near what was expected its contacts are
/// carried along. So are those of a pair that a pass of stabilise moves a little.
bool World::Impl::needs_look(VolumePair& pair, VolumeLook look) const {
    const Slot &a = slots[pair.i], &b = slots[pair.j];
    const Transform pose_i = a.body->pose(), pose_j = b.body->pose();
    const std::uint64_t version_i = version_of(a), version_j = version_of(b);
    const bool soft = (a.soft_surface || b.soft_surface) && (a.moving() || b.moving());
    bool known = pair.measured && pair.pose_i == pose_i && pair.pose_j == pose_j &&
                 pair.version_i == version_i && pair.version_j == version_j;
    if (look == VolumeLook::start) {
        known = known && !pair.carried;
        pair.looked_ahead = pair.carried = false;
        if (soft && !flexible(pair.i, pair.j)) known = true, pair.count = 0;
    } else if (soft && (look == VolumeLook::end ? pair.looked_ahead : pair.measured)) {
        const std::span<const VolumeContact> found =
            look == VolumeLook::end ? std::span(step_volumes).subspan(pair.first_ahead, pair.count_ahead)
                                    : std::span(volume_contacts).subspan(pair.first, pair.count);
        // Closest features are exact, and what counts as little is told by the depth that is left alone.
        const double unit = pair.by_features ? 0.125 * settings.contact.allowed_depth : pair.pixel;
        known = pair.carried = pair.places && may_carry(pair, *pair.places, found, unit, look);
    }
    pair.pose_i = pose_i, pair.pose_j = pose_j;
    pair.version_i = version_i, pair.version_j = version_j;
    pair.measured = look != VolumeLook::start || !soft || !known;
    return !known;
}

/// The contacts of all near pairs, where they are now.
void World::Impl::measure_volumes(VolumeLook look) {
    refit_soft_surfaces(false);
    if (look != VolumeLook::start) measure_missed(look);
    std::vector<std::size_t> fresh;
    std::vector<VolumePair> wanted;
    std::vector<char> needed(volume_pairs.size());
    parallel.each(volume_pairs.size(), tuning::pairs_per_task,
                  [&](std::size_t p) { needed[p] = needs_look(volume_pairs[p], look); });
    for (std::size_t p = 0; p < volume_pairs.size(); ++p) {
        if (!needed[p]) continue;
        volume_pairs[p].carried = false, volume_pairs[p].places.reset();
        fresh.push_back(p);
        wanted.push_back(volume_pairs[p]);
    }
    std::vector<std::vector<VolumeContact>> found(wanted.size());
    measure_pairs(wanted, found);

    std::vector<VolumeContact> all;
    all.reserve(std::max(volume_contacts.size(), step_volumes.size()));
    std::size_t next = 0;
    for (std::size_t p = 0; p < volume_pairs.size(); ++p) {
        VolumePair& pair = volume_pairs[p];
        const auto first = static_cast<std::uint32_t>(all.size());
        if (next < fresh.size() && fresh[next] == p) {
            pair.direction = wanted[next].direction, pair.pixel = wanted[next].pixel;
            if (look != VolumeLook::start) pair.places = places_of(pair, look);
            std::move(found[next].begin(), found[next].end(), std::back_inserter(all));
            ++next;
        } else {
            const bool ahead = look == VolumeLook::end && pair.carried;
            const auto old =
                ahead ? step_volumes.begin() + pair.first_ahead : volume_contacts.begin() + pair.first;
            all.insert(all.end(), old, old + (ahead ? pair.count_ahead : pair.count));
            for (std::size_t k = first; pair.carried && k < all.size(); ++k) carry(all[k], look);
        }
        pair.first = first;
        pair.count = static_cast<std::uint32_t>(all.size()) - first;
    }
    volume_contacts = std::move(all);
    if (look != VolumeLook::start) remember_places();
}

/// Near pairs anew, with what is still known of the old ones.
void World::Impl::find_volumes(const std::vector<IndexPair>& near) {
    std::vector<VolumePair> old = std::move(volume_pairs);
    const std::vector<VolumeContact> old_contacts = std::move(volume_contacts);
    volume_pairs.clear();
    volume_contacts.clear();
    const auto before = [](const VolumePair& x, const VolumePair& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (const auto& [i, j] : near) {
        ContactMethod method;
        law(i, j, method);
        VolumePair pair{.i = i, .j = j, .by_features = method == ContactMethod::closest_feature};
        const auto known = std::lower_bound(old.begin(), old.end(), pair, before);
        if (rest_holds && known != old.end() && known->i == i && known->j == j) {
            pair = std::move(*known);
            const auto first = old_contacts.begin() + pair.first;
            pair.first = static_cast<std::uint32_t>(volume_contacts.size());
            volume_contacts.insert(volume_contacts.end(), first, first + pair.count);
        }
        volume_pairs.push_back(pair);
    }
    measure_volumes(VolumeLook::start);
}

namespace {

/// The contact that was this one in the last step: the nearest, where they can have overlapped.
const VolumeMemory* known_as(std::span<const VolumeMemory> memories, std::span<const char> taken,
                             const Overlap& o) {
    const VolumeMemory* best = nullptr;
    double nearest = HUGE_VAL;
    for (std::size_t k = 0; k < memories.size(); ++k) {
        if (taken[k]) continue;
        const VolumeMemory& m = memories[k];
        const double away = norm2(m.centre - o.centre);
        if (away < nearest && away <= std::max(m.area, o.area)) nearest = away, best = &m;
    }
    return best;
}

}  // namespace

/// Gives every contact its name and its warm start.
void World::Impl::recognise_volumes() {
    volume_warm.assign(step_volumes.size(), {});
    std::vector<char> taken(volume_memory.size(), 0);
    const auto order = [](const VolumeMemory& x, const VolumeMemory& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (std::size_t k = 0; k < step_volumes.size(); ++k) {
        VolumeContact& contact = step_volumes[k];
        const VolumeMemory key{.i = std::min(contact.a, contact.b), .j = std::max(contact.a, contact.b)};
        const auto [begin, end] = std::equal_range(volume_memory.begin(), volume_memory.end(), key, order);
        const auto first = static_cast<std::size_t>(begin - volume_memory.begin());
        const std::span<const VolumeMemory> kept(begin, end);
        const VolumeMemory* known =
            known_as(kept, std::span(taken).subspan(first, kept.size()), contact.overlap);
        contact.id = known ? known->id : ++volume_names;
        if (!known) continue;
        taken[static_cast<std::size_t>(known - volume_memory.data())] = 1;
        volume_warm[k] = known->impulse;
    }
}

/// The load of each pair's cells, spread evenly before the solve.
void World::Impl::spread_volumes() {
    std::vector<double> normal;
    for (std::size_t first = 0, end = 0; first < step_volumes.size(); first = end) {
        const VolumeContact& c = step_volumes[first];
        const bool rigid = !slots[c.a].soft_surface && !slots[c.b].soft_surface;
        for (end = first; end < step_volumes.size(); ++end)
            if (step_volumes[end].a != c.a || step_volumes[end].b != c.b) break;
        if (!rigid) continue;
        normal.clear();
        for (std::size_t k = first; k < end; ++k)
            normal.push_back(std::max(0.0, dot(volume_warm[k], step_volumes[k].overlap.normal)));
        spread_impulses({step_volumes.data() + first, end - first}, normal);
        for (std::size_t k = first; k < end; ++k) {
            const Vec3& n = step_volumes[k].overlap.normal;
            volume_warm[k] += n * (normal[k - first] - dot(volume_warm[k], n));
        }
    }
}

PairSides World::Impl::volume_sides(const VolumeContact& contact) const {
    const auto of = [&](std::uint32_t k, std::size_t side) {
        return slots[k].soft_surface ? Side{slots[k].body.get(), contact.grips[side], true} : this->side(k);
    };
    return {of(contact.a, 0), of(contact.b, 1)};
}

void World::Impl::make_volume_rows() {
    recognise_volumes();
    spread_volumes();
    const double h = settings.step;
    expect_velocities();
    std::vector<std::pair<std::uint32_t, VolumeLaw>> sliding;
    for (std::uint32_t k = 0; k < step_volumes.size(); ++k) {
        const VolumeContact& contact = step_volumes[k];
        const PairSides sides = volume_sides(contact);
        if (!sides.a.first_node && !sides.b.first_node) continue;
        const VolumeLaw contact_law = volume_law(contact);
        Block& block = add_volume_block(rows, sides, contact, nodes, contact_law.friction_at_surfaces, 3);
        const double shift = set_volume_law(block, rows, sides, contact, contact_law, nodes, expected, h);
        row_sources.push_back({RowSource::Kind::volume, 0, k, shift});
        if (contact_law.viscosity > 0 && !contact.escape) sliding.emplace_back(k, contact_law);
        if (!settings.solver.warm_start) continue;
        block.impulse = contact_frame(contact.overlap.normal) * volume_warm[k];
        block.impulse.x = std::max(0.0, block.impulse.x);
    }
    for (const auto& [k, contact_law] : sliding) {
        const VolumeContact& contact = step_volumes[k];
        add_drag_block(rows, volume_sides(contact), contact, nodes, contact_law, h);
    }
}

namespace {

/// How far a contact is pushed at once. Where its sides nearly cancel, as those of a limb that reaches
/// through a wall, volume by area is many times what is there, and a body that jumped as far would land in
/// others.
double depth_to_push(const VolumeContact& contact) {
    return contact.escape ? contact.depth : std::min(contact.depth, contact.overlap.largest_depth);
}

}  // namespace

/// Rows that push volumes out, and whether each must be.
void World::Impl::add_volume_displacements(std::vector<char>& urgent, bool soft_as_wholes) {
    const auto size = [&](std::uint32_t k) {
        const Slot& slot = slots[k];
        return slot.soft_surface && soft_as_wholes ? slot.soft_surface->size() : slot.body->size();
    };
    const bool little = !soft_as_wholes && largest_soft_excess() <= tuning::deep_overlap;
    for (const VolumeContact& contact : volume_contacts) {
        const PairSides sides = volume_sides(contact);
        if (!sides.a.first_node && !sides.b.first_node) continue;
        // A compliant contact is as deep as its force makes it.
        if (!contact.escape && volume_law(contact).flexibility > 0) continue;
        const double most = tuning::largest_correction * std::min(size(contact.a), size(contact.b));
        Block& block = add_volume_block(rows, sides, contact, nodes, false, 1);
        const bool too_deep = contact.depth > contact.allowed;
        const bool yields =
            little && !contact.escape && (slots[contact.a].soft_surface || slots[contact.b].soft_surface);
        const double aim = yields ? tuning::soft_stabilise_aim : tuning::stabilise_aim;
        block.bias.x = -std::min(depth_to_push(contact) - aim * contact.allowed, most);
        // Of a heap that lies still one contact is too deep now and then. It is cured alone: the heap, lifted
        // as a whole, would sink back, and be lifted again for ever.
        if (yields && !too_deep) block.bias.x = std::max(0.0, block.bias.x);
        urgent.push_back(too_deep);
    }
}

/// How many times the allowed depth the deepest contact of a deformable body has.
double World::Impl::largest_soft_excess() const {
    double largest = 0;
    for (const VolumeContact& c : volume_contacts)
        if (slots[c.a].soft_surface || slots[c.b].soft_surface)
            largest = std::max(largest, depth_to_push(c) / c.allowed);
    return largest;
}

void World::Impl::report_volume(const VolumeContact& contact, const Vec3& impulse, bool sticking) {
    const double h = settings.step;
    const Overlap& o = contact.overlap;
    const double normal = dot(impulse, o.normal);
    // The point that the normal force goes through.
    const Vec3 point = contact.own_normal || contact.escape
                           ? o.sides[0]
                           : o.centre + cross(o.gradient, o.moment) / norm2(o.gradient);
    contacts.push_back({.a = id(contact.a),
                        .b = id(contact.b),
                        .point = point,
                        .normal = o.normal,
                        .depth = contact.depth,
                        .normal_force = normal / h,
                        .friction_force = (impulse - o.normal * normal) / h,
                        .sticking = sticking,
                        .id = contact.id,
                        .area = contact.area,
                        .volume = o.volume,
                        .largest_depth = o.largest_depth});
    const std::uint32_t i = std::min(contact.a, contact.b), j = std::max(contact.a, contact.b);
    volume_memory.push_back({i, j, contact.id, o.centre, contact.area, impulse});
}

/// The contacts of bodies asleep, as hard as in their last step awake.
void World::Impl::keep_resting_volumes() {
    for (std::size_t k = 0; k < step_volumes.size(); ++k) {
        const VolumeContact& contact = step_volumes[k];
        const PairSides sides = volume_sides(contact);
        if (sides.a.first_node || sides.b.first_node) continue;
        if (!slots[contact.a].dynamic() && !slots[contact.b].dynamic()) continue;
        report_volume(contact, volume_warm[k], true);
    }
}

double World::Impl::largest_volume_depth() const {
    double largest = 0;
    for (const VolumeContact& c : volume_contacts) largest = std::max(largest, c.overlap.largest_depth);
    return largest;
}

}  // namespace plush
