#include <algorithm>
#include <bit>

#include "core/assert.hpp"
#include "detect/depth_images/overlap_gate.hpp"

// What lies between triangles that may cross, told by lines; and what is to be drawn of all that was found.

namespace plush {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

OverlapGate::Box box_of_lane(const Triangle8& t, std::size_t l, float margin) {
    OverlapGate::Box box;
    for (const Vector8& p : t) {
        const std::array<float, 3> at{p.x[l], p.y[l], p.z[l]};
        for (std::size_t d = 0; d < 3; ++d)
            box.low[d] = std::min(box.low[d], at[d] - margin),
            box.high[d] = std::max(box.high[d], at[d] + margin);
    }
    return box;
}

}  // namespace

/// The patch of a triangle, placed, and which of its lanes it is.
std::pair<std::uint32_t, std::size_t> OverlapGate::lane_of(Object& o, std::uint32_t triangle) const {
    place(o, o.side.view->surface->cluster_of(triangle));
    const std::uint32_t patch = o.side.patches->of(triangle);
    const auto triangles = o.side.patches->triangles(patch);
    const auto at = std::find(triangles.begin(), triangles.end(), triangle);
    PLUSH_ASSERT(at != triangles.end());
    return {patch, static_cast<std::size_t>(at - triangles.begin())};
}

/// What lies between triangles that may cross. The list of those grows where nothing can be told of one.
void OverlapGate::find_inside(Object& o, Object& other) {
    const SurfacePatches& patches = *o.side.patches;
    const auto learn = [&](std::uint32_t t) {
        PLUSH_ASSERT(t < o.states.size());
        if (o.states[t] != unknown) return;
        const State state = ask(o, t, other);
        if (state == crossing)
            o.states[t] = crossing, o.crossings.push_back(t);
        else
            fill(o, t, state);
    };
    for (std::size_t k = 0; k < o.crossings.size(); ++k)
        for (const std::uint32_t t : patches.across(o.crossings[k])) learn(t);
    // A surface that is of one piece cannot be inside itself.
    const std::size_t known = o.crossings.size();
    if (!self_ || patches.parts().size() > 1)
        for (const std::uint32_t p : patches.parts()) learn(patches.triangles(p)[0]);
    for (std::size_t k = known; k < o.crossings.size(); ++k)
        for (const std::uint32_t t : patches.across(o.crossings[k])) learn(t);
}

/// All that is connected with a triangle. What is outside is told some triangles far, so that they are not
/// asked one by one.
void OverlapGate::fill(Object& o, std::uint32_t from, State state) {
    PLUSH_ASSERT(o.states[from] == unknown && (state == inside || state == outside));
    constexpr std::size_t max_outside = 48;
    const std::size_t limit = state == inside ? o.states.size() : max_outside;
    queue_.assign(1, from);
    o.states[from] = state;
    for (std::size_t k = 0; k < queue_.size(); ++k) {
        if (state == inside) o.insides.push_back(queue_[k]);
        for (const std::uint32_t t : o.side.patches->across(queue_[k])) {
            PLUSH_ASSERT(t < o.states.size());
            if (o.states[t] == unknown && queue_.size() < limit) o.states[t] = state, queue_.push_back(t);
        }
    }
}

/// Whether a triangle that crosses nothing bounds the overlap; `crossing` where that cannot be told.
OverlapGate::State OverlapGate::ask(Object& o, std::uint32_t triangle, Object& other) const {
    const auto [patch, l] = lane_of(o, triangle);
    std::array<Vec3, 3> corners;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vector8& p = o.corners[patch][k];
        corners[k] = {static_cast<double>(p.x[l]), static_cast<double>(p.y[l]), static_cast<double>(p.z[l])};
    }
    const Vec3 n = cross(corners[1] - corners[0], corners[2] - corners[0]), facing = abs(n);
    const std::size_t axis =
        facing.x > facing.y ? (facing.x > facing.z ? 0 : 2) : (facing.y > facing.z ? 1 : 2);
    if (!(facing[axis] > 0)) return crossing;
    // Points of it, until one has a line that goes through no edge.
    constexpr std::array<Vec3, 4> weights{
        {{0.34, 0.35, 0.31}, {0.52, 0.25, 0.23}, {0.22, 0.54, 0.24}, {0.26, 0.21, 0.53}}};
    for (const Vec3& w : weights) {
        const Vec3 p = corners[0] * w.x + corners[1] * w.y + corners[2] * w.z;
        const std::array<float, 3> from{static_cast<float>(p.x), static_cast<float>(p.y),
                                        static_cast<float>(p.z)};
        bool beyond = false;
        for (std::size_t d = 0; d < 3; ++d)
            beyond = beyond || from[d] < other.all.low[d] || from[d] > other.all.high[d];
        if (beyond) return outside;
        const bool up = other.all.high[axis] - from[axis] < from[axis] - other.all.low[axis];
        const auto found = winding(other, from, axis, up, self_ ? triangle : nobody);
        if (!found) continue;
        // Of itself: on the side that it faces.
        const int around = self_ && up != (n[axis] > 0) ? *found - 1 : *found;
        return around >= 1 ? inside : outside;
    }
    return crossing;
}

namespace {

Float8 component(const Vector8& v, std::size_t axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

}  // namespace

/// How often a surface winds around a place, just beyond it as seen from there, told by what a line up or
/// down an axis meets; itself excepted. Nothing where the line meets an edge, or the place is on the surface.
std::optional<int> OverlapGate::winding(Object& o, const std::array<float, 3>& from, std::size_t axis,
                                        bool up, std::uint32_t itself) const {
    const std::size_t u = first_across(axis), v = second_across(axis);
    Box line;
    line.low = line.high = from;
    (up ? line.high : line.low)[axis] = up ? HUGE_VALF : -HUGE_VALF;
    int sum = 0;
    bool told = true;
    const auto meet = [&](std::uint32_t patch) {
        PLUSH_ASSERT(patch < o.corners.size());
        const Triangle8& t = o.corners[patch];
        const Float8 au = component(t[0], u) - from[u], av = component(t[0], v) - from[v];
        const Float8 bu = component(t[1], u) - from[u], bv = component(t[1], v) - from[v];
        const Float8 cu = component(t[2], u) - from[u], cv = component(t[2], v) - from[v];
        // Each changes its sign exactly where its edge is taken the other way round: no line slips between
        // two triangles.
        const Float8 a = bu * cv - bv * cu, b = cu * av - cv * au, c = au * bv - av * bu;
        const Int8 facing_up = (a >= 0) & (b >= 0) & (c >= 0), facing_down = (a <= 0) & (b <= 0) & (c <= 0);
        unsigned met = bits_of(facing_up | facing_down) & o.side.patches->lanes(patch);
        if (!met) return;
        const unsigned edges = bits_of((a == 0) | (b == 0) | (c == 0)), ups = bits_of(facing_up);
        const Float8 depth =
            (a * component(t[0], axis) + b * component(t[1], axis) + c * component(t[2], axis)) / (a + b + c);
        for (; met; met &= met - 1) {
            const auto l = static_cast<std::size_t>(std::countr_zero(met));
            if (o.side.patches->triangles(patch)[l] == itself) continue;
            const float above = depth[l] - from[axis];
            if (edges >> l & 1 || !(std::abs(above) > margin_)) told = false;
            if ((above > 0) == up) sum += (ups >> l & 1) == (up ? 1u : 0u) ? 1 : -1;
        }
    };
    const auto meet_cluster = [&](std::uint32_t c) {
        PLUSH_ASSERT(c < o.side.view->bounds->boxes.size());
        place(o, c);
        const std::uint32_t first = o.side.patches->first(c), end = o.side.patches->first(c + 1);
        const Boxes8* pack = o.packs.data() + o.first_pack(c);
        for (std::uint32_t p = first; p < end; p += 8, ++pack)
            for (unsigned met = pack->met_by(line); met; met &= met - 1)
                meet(p + static_cast<std::uint32_t>(std::countr_zero(met)));
    };
    static_assert(ClusterBounds::group == 16);
    const auto& boxes = o.side.view->bounds->boxes;
    const auto open = [&](std::size_t g) {
        o.opened[g] = 1;
        o.cluster_packs[2 * g] = o.cluster_packs[2 * g + 1] = {};
        for (std::size_t c = 16 * g; c < std::min(boxes.size(), 16 * (g + 1)); ++c)
            o.cluster_packs[c / 8].set(c % 8, mapped(o, boxes[c]));
    };
    for (std::size_t m = 0; m < o.group_packs.size(); ++m)
        for (unsigned met = o.group_packs[m].met_by(line); met; met &= met - 1) {
            const std::size_t g = 8 * m + static_cast<std::size_t>(std::countr_zero(met));
            if (!o.opened[g]) open(g);
            for (std::size_t half = 2 * g; half < 2 * g + 2; ++half)
                for (unsigned in = o.cluster_packs[half].met_by(line); in; in &= in - 1)
                    meet_cluster(static_cast<std::uint32_t>(8 * half) +
                                 static_cast<std::uint32_t>(std::countr_zero(in)));
        }
    if (!told) return {};
    return sum;
}

/// The triangles that were found, as what is to be drawn needs them.
void OverlapGate::collect(Object& o) {
    const auto add = [&](std::uint32_t triangle) {
        const auto [patch, l] = lane_of(o, triangle);
        const Triangle8& t = o.corners[patch];
        Marked& m = marked_.emplace_back();
        m.box = box_of_lane(t, l, margin_);
        const std::array<float, 3> p{t[1].x[l] - t[0].x[l], t[1].y[l] - t[0].y[l], t[1].z[l] - t[0].z[l]};
        const std::array<float, 3> q{t[2].x[l] - t[0].x[l], t[2].y[l] - t[0].y[l], t[2].z[l] - t[0].z[l]};
        for (std::size_t d = 0; d < 3; ++d) {
            const std::size_t u = first_across(d), v = second_across(d);
            const float up = p[u] * q[v] - p[v] * q[u];
            const float edge_on =
                2 * margin_ * (std::abs(p[u]) + std::abs(p[v]) + std::abs(q[u]) + std::abs(q[v]) + margin_);
            if (up < edge_on) m.in = static_cast<std::uint8_t>(m.in | 1u << d);
            if (up > -edge_on) m.out = static_cast<std::uint8_t>(m.out | 1u << d);
        }
    };
    for (const std::uint32_t t : o.crossings) add(t);
    for (const std::uint32_t t : o.insides) add(t);
}

}  // namespace plush
