#include "geometry/cutting/blade_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/transcendental.hpp"

namespace plush {
namespace {

Vec3 without(const Vec3& v, const Vec3& direction) {
    return v - direction * (dot(v, direction) / norm2(direction));
}

double distance2(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    return norm2(p - (a + std::clamp(dot(p - a, d) / norm2(d), 0.0, 1.0) * d));
}

/// Whether two straight pieces in one plane meet, or come nearer than `gap`.
bool meet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& normal, double gap) {
    const auto turn = [&](const Vec3& p, const Vec3& q, const Vec3& r) {
        return dot(cross(q - p, r - p), normal);
    };
    if (turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0) return true;
    return std::min({distance2(a, c, d), distance2(b, c, d), distance2(c, a, b), distance2(d, a, b)}) <
           gap * gap;
}

}  // namespace

std::optional<SheetFault> fault_of(const BladeSheet& blade) {
    constexpr std::size_t max_points = 1000;
    const std::size_t count = blade.edge.size();
    if (count < 2 || count > max_points)
        return SheetFault{fmt::format("its edge has {} points", count),
                          fmt::format("give 2 to {} points", max_points)};
    const std::size_t pieces = count - 1;
    for (std::size_t k = 0; k < pieces; ++k) {
        const Vec3 piece = blade.edge[k + 1] - blade.edge[k];
        if (norm(cross(piece, blade.back)) > 1e-9 * norm(piece) * norm(blade.back)) continue;
        const std::string where = pieces > 1 ? fmt::format(" between points {} and {}", k, k + 1) : "";
        return SheetFault{
            fmt::format("it has no area{}: its edge or its back has no length, or both point the same way",
                        where),
            "give an edge from one point to another, and a back across it"};
    }
    // The rest in the view along the back.
    std::vector<Vec3> line;
    double length = 0;
    for (const Vec3& p : blade.edge) line.push_back(without(p - blade.edge[0], blade.back));
    for (std::size_t k = 0; k < pieces; ++k) length += norm(line[k + 1] - line[k]);
    constexpr double folded = -0.985;  // 170 degrees: sides at the fold would be a matter of rounding
    constexpr double least_gap = 1e-6;
    for (std::size_t k = 0; k < pieces; ++k)
        for (std::size_t j = k + 1; j < pieces; ++j) {
            const bool next = j == k + 1, closes = blade.ring() && k == 0 && j == pieces - 1;
            const Vec3 a = line[k + 1] - line[k], b = line[j + 1] - line[j];
            if ((next || closes) && dot(a, b) < folded * norm(a) * norm(b))
                return SheetFault{fmt::format("its edge folds back at point {}", next ? j : 0),
                                  "give the bend more points, or leave out the way back"};
            if (!next && !closes &&
                meet(line[k], line[k + 1], line[j], line[j + 1], blade.back, least_gap * length))
                return SheetFault{
                    fmt::format(
                        "its edge meets itself, seen along its back: after point {} and after point {}", k,
                        j),
                    "give an edge that keeps apart from itself; for a ring, the first point again as the "
                    "last"};
        }
    return std::nullopt;
}

CutPlane::CutPlane(const Vec3& from, const Vec3& to, const Vec3& back) : from_(from), to_(to), back_(back) {
    const Vec3 edge = to - from, n = cross(edge, back);
    if (!(norm(n) > 0)) return;
    normal_ = n / norm(n);
    across_ = edge / norm(edge);
    along_ = cross(normal_, across_);
}

double CutPlane::along_edge(const Vec3& p) const {
    const Vec3 across = cross(back_, normal_);  // a reciprocal vector
    return dot(p - from_, across) / dot(to_ - from_, across);
}

double CutPlane::along_back(const Vec3& p) const {
    const Vec3 along = cross(normal_, to_ - from_);
    return dot(p - from_, along) / dot(back_, along);
}

CutSheet::CutSheet(const BladeSheet& blade) : blade_(blade), ring_(blade.ring()) {
    starts_.push_back(0);
    for (std::size_t k = 0; k + 1 < blade.edge.size(); ++k) {
        const Vec3 &from = blade.edge[k], &to = blade.edge[k + 1];
        plates_.emplace_back(from, to, blade.back);
        starts_.push_back(starts_.back() + norm(without(to - from, blade.back)));
    }
}

bool CutSheet::goes_on(std::size_t plate, bool at_end) const {
    return ring_ || (at_end ? plate + 1 < plates_.size() : plate > 0);
}

CutSheet::Near CutSheet::nearest(const Vec3& p) const {
    Near best;
    double least = HUGE_VAL;
    for (std::size_t k = 0; k < plates_.size(); ++k) {
        double u = plates_[k].along_edge(p);
        if (goes_on(k, false)) u = std::max(u, 0.0);
        if (goes_on(k, true)) u = std::min(u, 1.0);
        const Vec3 away = without(p - plates_[k].edge_point(u), blade_.back);
        if (norm2(away) < least) least = norm2(away), best = {k, u, away};
    }
    return best;
}

double CutSheet::height(const Vec3& p) const {
    if (!curved()) return plates_.empty() ? 0 : plates_[0].height(p);
    const Near near = nearest(p);
    const std::size_t k = near.plate, count = plates_.size();
    const bool at_start = near.u == 0 && goes_on(k, false), at_end = near.u == 1 && goes_on(k, true);
    if (!at_start && !at_end) return plates_[k].height(p);
    // Outside of a bend: the sum of both normals tells the sides apart (Bærentzen & Aanæs 2005).
    const std::size_t other = at_end ? (k + 1) % count : (k + count - 1) % count;
    return std::copysign(norm(near.away), dot(near.away, plates_[k].normal() + plates_[other].normal()));
}

std::optional<double> CutSheet::crossing(const Vec3& a, const Vec3& b) const {
    constexpr double slack = 1e-9;  // of a plate: no way between two plates
    std::optional<double> on_sheet, beyond;
    for (std::size_t k = 0; k < plates_.size(); ++k) {
        const double from = plates_[k].height(a), to = plates_[k].height(b);
        if ((from >= 0) == (to >= 0)) continue;
        const double t = std::clamp(from / (from - to), 0.0, 1.0);
        const double u = plates_[k].along_edge(a + t * (b - a));
        const bool held = u >= -slack && u <= 1 + slack;
        if (!held && goes_on(k, u > 1)) continue;
        std::optional<double>& first = held ? on_sheet : beyond;
        if (!first || t < *first) first = t;
    }
    return on_sheet ? on_sheet : beyond;
}

std::vector<double> CutSheet::crossings(const Vec3& a, const Vec3& b) const {
    std::vector<double> all;
    for (const CutPlane& plate : plates_) {
        const double from = plate.height(a), to = plate.height(b);
        if ((from >= 0) == (to >= 0)) continue;
        const double t = std::clamp(from / (from - to), 0.0, 1.0), u = plate.along_edge(a + t * (b - a));
        if (u >= 0 && u <= 1) all.push_back(t);
    }
    std::sort(all.begin(), all.end());
    return all;
}

bool CutSheet::holds(const Vec3& p) const {
    if (!curved()) {
        if (plates_.empty()) return false;
        const double u = plates_[0].along_edge(p), w = plates_[0].along_back(p);
        return u >= 0 && u <= 1 && w >= 0 && w <= 1;
    }
    const Near near = nearest(p);
    if (!(near.u >= 0 && near.u <= 1)) return false;
    const double w = dot(p - plates_[near.plate].edge_point(near.u), blade_.back) / norm2(blade_.back);
    return w >= 0 && w <= 1;
}

Box3 CutSheet::bounds() const {
    Box3 box;
    for (const Vec3& p : blade_.edge) box.add(p), box.add(p + blade_.back);
    return box;
}

Vec3 CutSheet::view(const Vec3& p) const {
    if (plates_.empty()) return {};
    const Vec3 &n = plates_[0].normal(), across = cross(blade_.back, n) / norm(blade_.back);
    return {dot(p - blade_.edge[0], across), dot(p - blade_.edge[0], n), 0};
}

std::vector<Vec3> CutSheet::beside_bends() const {
    constexpr double beside = 0.02;  // of the shorter plate
    constexpr double turned = 0.15;  // rad
    std::vector<Vec3> points;
    double angle = 0;
    for (std::size_t k = 0; k < plates_.size(); ++k) {
        if (!goes_on(k, true)) continue;
        const std::size_t next = (k + 1) % plates_.size();
        const Vec3 &m = plates_[k].normal(), &n = plates_[next].normal();
        angle += pinned::acos(std::clamp(dot(m, n), -1.0, 1.0));
        if (angle < turned) continue;
        angle = 0;
        const double width = std::min(starts_[k + 1] - starts_[k], starts_[next + 1] - starts_[next]);
        const Vec3 off = beside * width / norm(m + n) * (m + n);
        for (const double side : {1.0, -1.0}) points.push_back(view(blade_.edge[k + 1] + side * off));
    }
    return points;
}

Vec3 CutSheet::unrolled(const Vec3& p) const {
    if (!curved()) return plates_[0].flat(p);
    const Near near = nearest(p);
    const double width = starts_[near.plate + 1] - starts_[near.plate];
    return {starts_[near.plate] + near.u * width, dot(p - blade_.edge[0], blade_.back) / norm(blade_.back),
            0};
}

Vec3 CutSheet::rolled(const Vec3& flat) const {
    if (!curved()) return plates_[0].from_flat(flat);
    std::size_t k = 0;
    while (k + 1 < plates_.size() && flat.x >= starts_[k + 1]) ++k;
    const Vec3 p = plates_[k].edge_point((flat.x - starts_[k]) / (starts_[k + 1] - starts_[k]));
    return without(p - blade_.edge[0], blade_.back) + blade_.edge[0] +
           flat.y / norm(blade_.back) * blade_.back;
}

std::span<const double> CutSheet::bends() const {
    if (!curved()) return {};
    return ring_ ? std::span(starts_).first(plates_.size())
                 : std::span(starts_).subspan(1, plates_.size() - 1);
}

}  // namespace plush
