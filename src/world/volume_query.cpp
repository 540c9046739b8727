#include "world/volume_query.hpp"

#include <algorithm>
#include <limits>

#include "core/tuning.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "geometry/shapes/shape_data.hpp"

namespace plush {
namespace {

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

/// The direction from a to b along which they have the least in common: all else is culled. The last contacts' own is
/// best for a box on a plate; that of the boxes where limbs of figures are between each other, and the sum of their
/// normals says little (measured: 10 to 30 % of a query).
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

/// The depth that is left alone: as wished, but half of a rigid pair's pixel where the contact is so small that it
/// would vanish between the columns before, and where a surface is soft: it bulges within a cell, whose mean depth is
/// all that a row holds, and would be pushed out again in every step.
double allowed_depth(const Overlap& o, double pixel, double wished, bool soft) {
    const bool large = !soft && o.area >= tuning::pixels_of_large_contact * pixel * pixel;
    return large ? std::min(wished, 0.5 * pixel) : 0.5 * pixel;
}

/// Of the corner of a patch, beside those of its cells.
VolumeContact outline_contact(std::span<const VolumeContact> found, std::size_t cell,
                              const OutlinePoint& point) {
    VolumeContact contact = found[cell];
    contact.outline_of = static_cast<std::uint32_t>(found.size() - cell);
    contact.own_normal = true;
    contact.area = point.area, contact.depth = point.depth, contact.rest = point.rest;
    Overlap& o = contact.overlap;
    o.volume = point.area * point.depth;
    o.gradient = -point.area * o.normal, o.moment = {};
    o.centre = point.position, o.sides = {point.position, point.position};
    o.mean_depth = o.largest_depth = point.depth;
    return contact;
}

}  // namespace

// Pixel and cell depend on the pair's shapes alone: they stay as they are while a contact lasts, or the depth at rest
// would change and nothing would rest.

double VolumeQuery::pixel_of(std::uint32_t a, std::uint32_t b) const {
    const VolumeSettings& s = settings_.contact.volume;
    const double size = std::min(surfaces_.size(a), surfaces_.size(b));
    const double thickness = std::min(surfaces_.thickness(a), surfaces_.thickness(b));
    double pixel = s.pixel > 0 ? s.pixel : size / s.pixels_across;
    // A thin body is seen by a few columns through its thickness.
    if (!(s.pixel > 0) && thickness > 0) pixel = std::min(pixel, tuning::pixels_of_thickness * thickness);
    PLUSH_ASSERT(pixel > 0 && pixel < HUGE_VAL);  // one of the two has bounds
    return power_of_two_below(pixel);
}

double VolumeQuery::cell_of(std::uint32_t a, std::uint32_t b) const {
    const VolumeSettings& s = settings_.contact.volume;
    if (s.cell > 0) return s.cell;
    const double cell = std::min(surfaces_.size(a), surfaces_.size(b)) / s.cells_across;
    const double edge = shortest_edge(a, b);
    if (!(edge > 0)) return cell;
    // Doubled as often as needed, cells of a deformable body come to be as large as its edges.
    double side = edge;
    while (side > cell) side *= 0.5;
    return side;
}

/// Of the deformable bodies of a pair, the shorter of their mean edges, m; 0 where none deforms.
double VolumeQuery::shortest_edge(std::uint32_t a, std::uint32_t b) const {
    double edge = HUGE_VAL;
    for (const std::uint32_t k : {a, b})
        if (surfaces_.soft(k)) edge = std::min(edge, bodies_[k].body->size());
    return edge < HUGE_VAL ? edge : 0;
}

/// What the images of a pair are made of.
struct VolumeQuery::Setup {
    std::uint32_t a, b;  ///< a has a surface
    OverlapPair pair;
    ImageSettings images{};
    ModelSettings model{};
    std::optional<PosedDistance> distance{};  ///< of b, where it has neither surface nor plane
    bool soft = false;
    double asked = 0;  ///< pixel, m

    Setup(const VolumeQuery& query, const VolumePair& wanted, BodyPlace place)
        : a(query.surfaces_.has(wanted.i) ? wanted.i : wanted.j),
          b(a == wanted.i ? wanted.j : wanted.i),
          pair{.a = query.surfaces_.view(a, pose_of(wanted, a), place), .self = a == b} {
        PLUSH_ASSERT(wanted.i <= wanted.j);
        const VolumeSurfaces& surfaces = query.surfaces_;
        PLUSH_ASSERT(surfaces.has(a));
        const Transform& pose_b = pose_of(wanted, b);
        const BodyRecord& second = query.bodies_[b];
        if (pair.self) {
        } else if (surfaces.has(b)) {
            pair.b = surfaces.view(b, pose_b, place);
        } else if (const auto normal = second.shape.data().plane_normal) {
            const Vec3 n = rotate(pose_b.rotation, *normal);
            pair.half_space = HalfSpace{n, dot(n, pose_b.position)};
            images.axes = contact_frame(n);  // one image sees it face on, and is exact
        } else {
            pair.field = &distance.emplace(*second.body->distance(), pose_b);
        }
        if (!pair.self) images.direction = culling_direction(pair, wanted.direction);
        soft = surfaces.any_soft(a, b);
        const VolumeSettings& s = query.settings_.contact.volume;
        images.max_bytes = static_cast<std::size_t>(s.memory_limit * 0x1p20);
        const double pixel = query.pixel_of(a, b);
        images.pixel = soft ? tuning::soft_pixel * pixel : pixel;
        asked = images.pixel;
        const double least = least_pixel(pair, images.axes);
        while (images.pixel < least) images.pixel *= 2;
        constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();  // the user said how large
        model = {.split = s.split,
                 .cell = std::max(query.cell_of(a, b), images.pixel),
                 .volume = s.combine,
                 .rows = soft ? GradientRows::coarse : GradientRows::none,
                 .face_normals = true,
                 .faces_of = rigid_side(surfaces, a, b),
                 .limit = {.count = s.cell > 0 ? no_limit : static_cast<std::size_t>(s.max_cells),
                           .edge = query.shortest_edge(a, b),
                           .most = tuning::max_soft_cells,
                           .known = wanted.cut}};
        // What fits into one and a half cells is a point.
        if (!soft && s.split == OverlapSplit::cells && wanted.outlines)
            model.outlines_above = 1.5 * std::min(surfaces.size(a), surfaces.size(b)) / s.cells_across;
    }
    Setup(const Setup&) = delete;  // the pair points into it
    Setup& operator=(const Setup&) = delete;

    /// Of a rigid body and a soft one: 0 or 1, whose faces are what they are.
    static std::optional<std::size_t> rigid_side(const VolumeSurfaces& surfaces, std::uint32_t first,
                                                 std::uint32_t second) {
        const bool soft_a = surfaces.soft(first) != nullptr, soft_b = surfaces.soft(second) != nullptr;
        if (soft_a == soft_b) return {};
        return soft_a ? 1 : 0;
    }
    static const Transform& pose_of(const VolumePair& wanted, std::uint32_t body) {
        return body == wanted.i ? wanted.pose_i : wanted.pose_j;
    }
};

bool VolumeQuery::find(VolumePair& pair, BodyPlace place, OverlapFinder& finder, const Parallel* inner,
                       std::vector<VolumeContact>& found, int shares) const {
    Setup setup(*this, pair, place);
    if (shares > 1) setup.images.max_bytes /= static_cast<std::size_t>(shares);
    while (!finder.find(setup.pair, setup.images, setup.model, inner)) {
        if (shares > 1) return false;
        setup.images.pixel *= 2;
    }
    pair.pixel = setup.images.pixel;
    pair.cut.assign(finder.model().cut().begin(), finder.model().cut().end());
    pair.coarsened = pair.pixel > setup.asked;

    const std::uint32_t a = setup.a, b = setup.b;
    const bool self = setup.pair.self;
    const std::size_t before = found.size();
    if (const auto out = containment(pair, a, b, finder.model(), place, true)) {
        found.push_back(*out);
        pair.direction = -out->overlap.normal * out->area;
        pair.cut.clear();  // there are no cells to keep
        return true;
    }
    std::vector<std::optional<std::size_t>> places(finder.model().contacts.size());
    std::vector<double> areas(finder.model().contacts.size());
    for (const KnownCell& k : pair.cut) areas[k.contact] = k.area;
    for (std::size_t k = 0; k < finder.model().contacts.size(); ++k) {
        const Overlap& o = finder.model().contacts[k];
        VolumeContact contact{.a = a, .b = b, .overlap = o};
        if (self)
            contact.overlap.a = merged(finder.model().rows(k, 0), finder.model().rows(k, 1));
        else if (surfaces_.soft(a))
            contact.overlap.a = merged(finder.model().rows(k, 0), {});
        if (surfaces_.soft(b) && !self) contact.overlap.b = merged(finder.model().rows(k, 1), {});
        // Of thin overlaps the faces tell the normal, and the area is what is seen along it. A soft body is pushed along that
        // normal alone: what columns see of its sides adds up to no force, but to a moment of the size of a pixel.
        contact.own_normal = (!setup.pair.b && !self) || (setup.soft && finder.model().by_faces(k)) ||
                             dot(o.normal, o.gradient) > -(1 - 1e-12) * norm(o.gradient);
        contact.area = contact.own_normal ? -dot(o.normal, o.gradient) : norm(o.gradient);
        if (!o.one_sided || !(contact.area > 0) || !(o.volume > 0)) continue;  // the others tell the way
        PLUSH_ASSERT(std::abs(norm2(o.normal) - 1) < 1e-6);
        contact.depth = o.volume / contact.area;
        contact.allowed = allowed_depth(o, pair.pixel / (setup.soft ? tuning::soft_pixel : 1),
                                        rules_.allowed_depth(setup.a, setup.b), setup.soft);
        areas[k] = std::max(areas[k], contact.area);
        if (setup.soft) contact.allowed *= std::min(areas[k] / contact.area, tuning::largest_shrinkage);
        places[k] = found.size();
        found.push_back(contact);
    }
    for (KnownCell& k : pair.cut) k.area = areas[k.contact];
    if (found.size() == before)
        if (const auto out = containment(pair, a, b, finder.model(), place, false)) found.push_back(*out);
    pair.direction = {};
    for (std::size_t k = before; k < found.size(); ++k)
        pair.direction -= found[k].overlap.normal * found[k].area;
    for (const OutlinePoint& point : finder.model().outline())
        if (const auto cell = places[point.contact]) found.push_back(outline_contact(found, *cell, point));
    return true;
}

}  // namespace plush
