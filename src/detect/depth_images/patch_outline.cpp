#include "detect/depth_images/patch_outline.hpp"

#include <algorithm>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {
namespace {

constexpr std::uint32_t no_patch = ~std::uint32_t{0};
/// Cells whose normals are this near belong to one face, cosine.
constexpr double same_face = 0.99;
/// The ratio r of a direction along which a patch is flat: between 1 and the 2/3 of a ball.
constexpr double flat = 0.9;
/// Corners are the farthest columns in so many directions: a disc is a polygon that reaches 0.98 of its radius.
constexpr std::size_t directions = 16;
/// What lies deeper than this on average is an overlap that is being parted, and no patch at rest, pixels: no contact is left
/// deeper than half a pixel.
constexpr double deepest_rest = 0.5;
/// Outline points nearer than this to another one are the same, pixels.
constexpr double same_point = 2;

/// Offsets in the plane of a patch, pixels.
struct Flat {
    double x = 0, y = 0;
    Flat operator-(const Flat& b) const { return {x - b.x, y - b.y}; }
};
double dot(const Flat& a, const Flat& b) {
    return a.x * b.x + a.y * b.y;
}
double length(const Flat& a) {
    return std::sqrt(dot(a, a));
}

/// Second moments, Σ w x xᵀ.
struct Moments {
    double weight = 0, xx = 0, xy = 0, yy = 0;
    void add(const Flat& p, double w) {
        weight += w, xx += w * p.x * p.x, xy += w * p.x * p.y, yy += w * p.y * p.y;
    }
};

/// The farthest column in each direction.
struct Farthest {
    double reach = -HUGE_VAL;
    std::uint32_t part = 0;
};

/// The plane of a patch as the image along axis d sees it: offsets (u, v) from its middle to offsets within the plane.
struct Plane {
    std::size_t d = 0;
    Vec3 e1{}, e2{};  ///< a frame of the plane, images' axes
    double u0 = 0, v0 = 0;
    double xu = 0, xv = 0, yu = 0, yv = 0;

    explicit Plane(const Vec3& n) {
        for (std::size_t k = 1; k < 3; ++k)
            if (std::abs(n[k]) > std::abs(n[d])) d = k;
        e1 = normalised(perpendicular(n)), e2 = cross(n, e1);
        const std::size_t u = first_across(d), v = second_across(d);
        const double zu = -n[u] / n[d], zv = -n[v] / n[d];
        xu = e1[u] + e1[d] * zu, xv = e1[v] + e1[d] * zv;
        yu = e2[u] + e2[d] * zu, yv = e2[v] + e2[d] * zv;
    }
    Flat at(double u, double v) const {
        const double du = u - u0, dv = v - v0;
        return {xu * du + xv * dv, yu * du + yv * dv};
    }
};

/// a with aᵀ S_V a = r, aᵀ S_A a = 1, and r.
struct Direction {
    Flat a{};
    double ratio = 0;
};

/// The second moment of a column about its middle, pixels².
constexpr double within = 1.0 / 12;

/// Both eigenvectors of S_V a = r S_A a. S_A as columns have it lacks what lies within a pixel.
std::array<Direction, 2> flatness(const Moments& area, const Moments& volume) {
    const double a = area.xx / area.weight + within, b = area.xy / area.weight,
                 c = area.yy / area.weight + within;
    // S_A = L Lᵀ.
    const double l11 = std::sqrt(a), l21 = b / l11, l22 = std::sqrt(std::max(within, c - l21 * l21));
    const double p = volume.xx / volume.weight + within, q = volume.xy / volume.weight,
                 s = volume.yy / volume.weight + within;
    // L⁻¹ S_V L⁻ᵀ.
    const double m11 = p / (l11 * l11), m12 = (q - l21 * p / l11) / (l11 * l22),
                 m22 = (s - 2 * l21 * q / l11 + l21 * l21 * p / (l11 * l11)) / (l22 * l22);
    const auto e = symmetric_eigen<2>({m11, m12, m12, m22});
    std::array<Direction, 2> found;
    for (std::size_t k = 0; k < 2; ++k) {
        const double y = e.vectors[k][1] / l22;  // L⁻ᵀ
        found[k] = {{(e.vectors[k][0] - l21 * y) / l11, y}, e.values[k]};
    }
    return found;
}

const std::array<Flat, directions>& compass() {
    static const auto list = [] {
        std::array<Flat, directions> unit;
        for (std::size_t k = 0; k < directions; ++k) {  // none along the axes: an edge has two ends
            const double angle = 2 * std::numbers::pi * (static_cast<double>(k) + 0.5) / directions;
            unit[k] = {pinned::cos(angle), pinned::sin(angle)};
        }
        return unit;
    }();
    return list;
}

struct Corner {
    Flat x;
    std::uint32_t part;
};

}  // namespace

/// A patch under way: its plane, sums over its columns, and the farthest of them.
struct PatchOutlines::Patch {
    Plane plane;
    std::span<const ContactPart> parts;
    std::span<const OverlapInterval> intervals;
    double shares = 0, depth = 0;  ///< columns, and their lengths together
    Moments area{}, volume{};
    double distance = 0;  ///< Σ t |x|
    std::array<Farthest, directions> farthest{};

    const OverlapInterval& interval(std::uint32_t part) const { return intervals[parts[part].interval]; }
    Flat middle(const AxisSums& s) const { return plane.at(s.u / s.shares, s.v / s.shares); }

    void add(const Flat& x, const ContactPart& part) {
        area.add(x, part.share), volume.add(x, part.high - part.low);
        distance += part.share * length(x);
    }
    void add_end(std::uint32_t part) {
        const OverlapInterval& i = interval(part);
        const Flat at{i.u + 0.5 - plane.u0, i.v + 0.5 - plane.v0};
        for (std::size_t k = 0; k < directions; ++k)
            if (const double reach = dot(compass()[k], at); reach > farthest[k].reach)
                farthest[k] = {reach, part};
    }
    std::vector<Corner> corners(std::span<const ContactSums> sums) const;
};

/// Empty where the patch is flat along no direction.
std::vector<Corner> PatchOutlines::Patch::corners(std::span<const ContactSums> sums) const {
    const std::array<Direction, 2> axes = flatness(area, volume);
    if (axes[0].ratio <= flat && axes[1].ratio <= flat) return {};
    const double xx = area.xx / area.weight + within, xy = area.xy / area.weight,
                 yy = area.yy / area.weight + within;
    std::vector<Corner> found;
    for (std::size_t k = 0; k < directions; ++k) {
        const std::uint32_t part = farthest[k].part;
        const OverlapInterval& i = interval(part);
        const Flat cell = middle(sums[parts[part].contact][plane.d]);
        // The border lies half a pixel beyond the middle of the last column.
        Flat x = plane.at(i.u + 0.5 + 0.5 * compass()[k].x, i.v + 0.5 + 0.5 * compass()[k].y);
        for (const Direction& e : axes)
            if (e.ratio <= flat) {  // it stays with the middle of its cell; x = Σ (aᵢ·x) S_A aᵢ
                const double back = dot(e.a, cell - x);
                x.x += back * (xx * e.a.x + xy * e.a.y);
                x.y += back * (xy * e.a.x + yy * e.a.y);
            }
        const auto same = [&](const Corner& c) { return length(c.x - x) < same_point; };
        if (std::none_of(found.begin(), found.end(), same)) found.push_back({x, part});
    }
    return found;
}

/// Contacts with one normal are one patch, connected or not: a table stands on four feet.
void PatchOutlines::group(std::span<const Vec3> normals) {
    patch_of_.assign(normals.size(), no_patch);
    normals_.clear();
    for (std::size_t c = 0; c < normals.size(); ++c) {
        if (norm2(normals[c]) == 0) continue;
        std::uint32_t p = 0;
        while (p < normals_.size() && dot(normals_[p], normals[c]) < same_face) ++p;
        if (p == normals_.size()) normals_.push_back(normals[c]);
        patch_of_[c] = p;
    }
}

void PatchOutlines::build(const ImageFrame& frame, const DepthImages& images, const OverlapSplitter& splitter,
                          std::span<const Vec3> normals, std::span<const ContactSums> sums,
                          double point_width) {
    PLUSH_ASSERT(normals.size() == splitter.contacts && sums.size() == splitter.contacts);
    points.clear();
    group(normals);
    for (std::uint32_t p = 0; p < normals_.size(); ++p) {
        const Plane plane(normals_[p]);
        double shares = 0;
        std::size_t cells = 0;
        for (std::size_t c = 0; c < patch_of_.size(); ++c)
            if (patch_of_[c] == p) ++cells, shares += sums[c][plane.d].shares;
        const double width = point_width / frame.pixel;
        if (!(shares > 0) || (cells == 1 && shares <= width * width)) continue;
        add(frame, images, splitter, sums, p, normals_[p]);
    }
}

void PatchOutlines::add(const ImageFrame& frame, const DepthImages& images, const OverlapSplitter& splitter,
                        std::span<const ContactSums> sums, std::uint32_t patch, const Vec3& normal) {
    Patch p{.plane = Plane(normal), .parts = {}, .intervals = {}};
    const std::size_t d = p.plane.d;
    p.parts = splitter.parts[d], p.intervals = images.intervals[d];
    for (std::size_t c = 0; c < sums.size(); ++c) {
        if (patch_of_[c] != patch) continue;
        const AxisSums& s = sums[c][d];
        p.shares += s.shares, p.depth += s.volume;
        p.plane.u0 += s.u, p.plane.v0 += s.v;
    }
    if (!(p.shares > 0) || !(p.depth > 0)) return;
    if (std::abs(normal[d]) * p.depth > deepest_rest * p.shares) return;
    p.plane.u0 /= p.shares, p.plane.v0 /= p.shares;
    // Of a row of columns the ends alone can be corners.
    std::uint32_t last = no_patch;
    for (std::uint32_t k = 0; k < p.parts.size(); ++k) {
        if (patch_of_[p.parts[k].contact] != patch) continue;
        const OverlapInterval& i = p.interval(k);
        p.add(p.plane.at(i.u + 0.5, i.v + 0.5), p.parts[k]);
        if (last == no_patch || p.interval(last).v != i.v) {
            if (last != no_patch) p.add_end(last);
            p.add_end(k);
        }
        last = k;
    }
    PLUSH_ASSERT(last != no_patch);
    p.add_end(last);
    const std::vector<Corner> corners = p.corners(sums);
    if (corners.empty()) return;

    const double count = static_cast<double>(corners.size());
    double of_cells = 0, of_corners = 0;
    for (std::size_t c = 0; c < sums.size(); ++c)
        if (const AxisSums& s = sums[c][d]; patch_of_[c] == patch && s.shares > 0)
            of_cells += s.shares / p.shares * length(p.middle(s));
    for (const Corner& c : corners) of_corners += length(c.x) / count;
    // Some weight always, so that no area is zero; no more than one part in two.
    const double needed = (p.distance / p.shares - of_cells) / std::max(1e-300, of_corners - of_cells);
    const double alpha = std::clamp(needed, 1e-3, 0.5);
    const double tilt = std::abs(normal[d]), pixel = frame.pixel;
    const double area = p.shares * pixel * pixel / tilt * alpha / ((1 - alpha) * count);
    for (const Corner& c : corners) {
        const ContactPart& part = p.parts[c.part];
        const OverlapInterval& i = p.interval(c.part);
        Vec3 at;
        at[first_across(d)] = i.u + 0.5, at[second_across(d)] = i.v + 0.5;
        at[d] = 0.5 * (part.low + part.high);
        const Flat moved = c.x - p.plane.at(i.u + 0.5, i.v + 0.5);
        points.push_back({.contact = part.contact,
                          .position = frame.to_world(at + p.plane.e1 * moved.x + p.plane.e2 * moved.y),
                          .depth = tilt * (part.high - part.low) * pixel,
                          .rest = tilt * p.depth / p.shares * pixel,
                          .area = area});
    }
}

}  // namespace plush
