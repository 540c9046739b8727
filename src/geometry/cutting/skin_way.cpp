#include "geometry/cutting/skin_way.hpp"

#include <algorithm>
#include <cmath>

namespace plush {

using Index = std::uint32_t;

void visit_state(StateVisitor& v, SkinWay& way) {
    v(way.blade, way.bent, way.laid, way.sides, way.points, way.walls, way.opened, way.lines, way.samples,
      way.cells, way.divided, way.reach, way.heading);
}
void visit_state(StateVisitor& v, SkinWay::Line& line) {
    v(line.corners, line.points);
}

double SkinVertex::look(const CutSolid& solid, std::span<const Vec3> x, Index in, const Vec3& p,
                        double best) {
    const auto& corner = solid.cells()[in].corners;
    const Vec3 &o = x[corner[0]], a = x[corner[1]] - o, b = x[corner[2]] - o, c = x[corner[3]] - o, d = p - o;
    const double volume = dot(cross(a, b), c);
    const double wa = dot(cross(d, b), c) / volume, wb = dot(cross(a, d), c) / volume,
                 wc = dot(cross(a, b), d) / volume;
    const std::array<double, 4> w{1 - wa - wb - wc, wa, wb, wc};
    const double least = std::min({w[0], w[1], w[2], w[3]});
    if (!std::isfinite(least) || !(least > best)) return best;
    const double depth = solid.depth_of(in, w);  // of two copies of a tet the one with material there
    if (!(depth > best)) return best;
    cell = in, weight = w;
    return depth;
}

Vec3 SkinVertex::place(const CutSolid& solid, std::span<const Vec3> x) const {
    const CutCell& in = solid.cells()[cell];
    Vec3 p{};
    for (std::size_t k = 0; k < 4; ++k) p += weight[k] * x[in.corners[k]];
    return p;
}

void SkinWay::look(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) {
    for (SkinVertex& s : samples) {
        if (s.spare != 0) continue;
        const Vec3 p = s.place(solid, x);
        s.spare = sheet.holds(p) && std::abs(sheet.height(p)) <= reach;
    }
}

Vec3 SkinWay::middle(const CutSolid& solid, std::span<const Vec3> x) const {
    Vec3 sum{};
    for (const SkinVertex& s : samples) sum += s.place(solid, x) / static_cast<double>(samples.size());
    return sum;
}

void SkinWay::follow(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) {
    constexpr double least = 0.05;  // of a tet's edge: nearer to where it was it has no direction
    constexpr double flat = 0.7;    // more than 45 degrees off its sheet it does not go along it
    const std::vector<Vec3>& edge = sheet.blade().edge;
    Vec3 tool{};
    for (const Vec3& p : edge) tool += p / static_cast<double>(edge.size());
    const Vec3 body = middle(solid, x), moved = (tool - heading.blade) - (body - heading.body);
    const Vec3 along = moved - dot(moved, sheet.normal()) * sheet.normal();
    if (heading.known && norm(moved) < least * reach) return;
    const bool cuts = heading.known && norm(along) > flat * norm(moved);
    heading = {tool, body, cuts ? along / norm(along) : Vec3{}, 1};
}

bool SkinWay::heads_along(const CutSheet& sheet) const {
    constexpr double turned = 0.4;  // on the spot by more than 24 degrees: then it has to go somewhere first
    return !sheet.curved() && heading.along != Vec3{} &&
           std::abs(dot(heading.along, sheet.normal())) < turned;
}

bool SkinWay::lost(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) const {
    constexpr double beside_it = 3;  // of a tet's edge; what is farther is another part of a long way
    constexpr double longest = 6;    // a longer one is in what it has cut with most of it, and turned there
    const std::vector<Vec3>& edge = sheet.blade().edge;
    if (!heads_along(sheet) || norm(edge.back() - edge.front()) > longest * reach) return false;
    std::size_t on = 0, beside = 0;
    for (const Point& point : points) {
        const Vec3 p = point.at.place(solid, x);
        const double off = std::abs(sheet.height(p));
        if (sheet.holds(p) && off < beside_it * reach) ++(off <= reach ? on : beside);
    }
    return on < beside;
}

std::optional<SkinWay::Turned> SkinWay::turned_away(const CutSolid& solid, const CutSheet& sheet,
                                                    std::span<const Vec3> x) const {
    constexpr double ahead = 2, beside = 0.15;  // of a tet's edge
    const Vec3 &m = heading.along, c = cross(sheet.normal(), m);
    if (!heads_along(sheet)) return std::nullopt;
    double front = -HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
    for (const SkinVertex& s : samples) {
        const Vec3 p = s.place(solid, x);
        if (!sheet.holds(p) || std::abs(sheet.height(p)) > reach) continue;
        front = std::max(front, dot(p, m));
        low = std::min(low, dot(p, c)), high = std::max(high, dot(p, c));
    }
    for (std::size_t w = 0; w < walls.size(); ++w)
        for (const int i : walls[w]) {
            const Vec3 p = points[static_cast<std::size_t>(i)].at.place(solid, x);
            const double far = dot(p, m) - front, across = dot(p, c);
            if (!opened[w] && far > 0 && far < ahead * reach && across > low - reach &&
                across < high + reach && std::abs(sheet.height(p)) > beside * reach &&
                std::abs(sheet.height(p)) < ahead * reach)
                return Turned{front, w};
        }
    return std::nullopt;
}

std::vector<std::uint8_t> SkinWay::passed(const CutSolid& solid) const {
    constexpr std::uint8_t bare = 2;
    std::vector<std::uint8_t> result(cells.size(), bare);
    const auto number = [&](Index cell) {
        const auto place = std::lower_bound(cells.begin(), cells.end(), cell);
        return place != cells.end() && *place == cell ? static_cast<std::size_t>(place - cells.begin())
                                                      : cells.size();
    };
    for (const SkinVertex& s : samples)
        if (const std::size_t c = number(s.cell); c < cells.size())
            result[c] = static_cast<std::uint8_t>(s.spare != 0 && result[c] != 0);
    std::vector<std::pair<std::size_t, std::size_t>> neighbours;
    for (const CutFace& face : solid.faces()) {
        if (face.cells[1] == CutFace::none || !solid.is_crossed(face, laid)) continue;
        const std::size_t a = number(face.cells[0]), b = number(face.cells[1]);
        if (a < cells.size() && b < cells.size()) neighbours.emplace_back(a, b);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const auto& [a, b] : neighbours)
            if (result[a] != result[b] && result[a] != 0 && result[b] != 0)
                result[a] = result[b] = 1, changed = true;
    }
    const bool all =
        std::all_of(samples.begin(), samples.end(), [](const SkinVertex& s) { return s.spare != 0; });
    for (std::size_t c = 0; c < cells.size(); ++c) result[c] = all || divided[c] || result[c] == 1;
    return result;
}

bool SkinWay::holds(const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x) const {
    std::size_t on = 0, beside = 0;
    for (const Point& point : points) {
        const Vec3 p = point.at.place(solid, x);
        if (sheet.holds(p)) ++(std::abs(sheet.height(p)) <= 0.5 * reach ? on : beside);
    }
    return on > beside;
}

bool SkinWay::sound(const CutSolid& solid, std::size_t vertices) const {
    const auto usable = [&](const SkinVertex& v) {
        return v.cell < solid.cells().size() &&
               std::all_of(v.weight.begin(), v.weight.end(), [](double w) { return std::isfinite(w); });
    };
    const auto in_skin = [&](int v) { return v >= -1 && v < static_cast<int>(vertices); };
    const int count = static_cast<int>(points.size());
    const auto is_point = [&](int p) { return p >= 0 && p < count; };
    return opened.size() == walls.size() && divided.size() == cells.size() && sides.size() <= vertices &&
           laid.sides.size() <= solid.points() && std::all_of(samples.begin(), samples.end(), usable) &&
           std::all_of(cells.begin(), cells.end(), [&](Index c) { return c < solid.cells().size(); }) &&
           std::all_of(laid.passed.begin(), laid.passed.end(),
                       [&](const auto& e) { return e.a < solid.points() && e.b < solid.points(); }) &&
           std::all_of(points.begin(), points.end(),
                       [&](const Point& p) {
                           return usable(p.at) && in_skin(p.above) && in_skin(p.below) &&
                                  (p.above < 0) == (p.below < 0);
                       }) &&
           std::all_of(walls.begin(), walls.end(),
                       [&](const Triangle& t) { return std::all_of(t.begin(), t.end(), is_point); }) &&
           std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
               return line.points.size() > 1 &&
                      std::all_of(line.points.begin(), line.points.end(), is_point) &&
                      std::all_of(line.corners.begin(), line.corners.end(),
                                  [&](int v) { return v >= 0 && in_skin(v); });
           });
}

}  // namespace plush
