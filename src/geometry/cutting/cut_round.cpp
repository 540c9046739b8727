#include "geometry/cutting/cut_round.hpp"

#include <algorithm>

#include "geometry/cutting/polygon_triangles.hpp"

namespace plush {
namespace {

/// Of an edge: nearer to its end than this the blade is taken to go through the end.
constexpr double least_part = 0.02;

std::pair<std::uint32_t, std::uint32_t> rising(std::uint32_t a, std::uint32_t b) {
    return {std::min(a, b), std::max(a, b)};
}

bool overlap(const Box3& a, const Box3& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

}  // namespace

CutRound::CutRound(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke)
    : solid_(solid), sheet_(blade), bent_(sheet_.curved()), stroke_(stroke), y_(solid.point_positions(x)) {
    stroke_.sides.resize(solid_.points_.size(), CutStroke::unknown);
    height_.reserve(y_.size());
    for (const Vec3& p : y_) height_.push_back(sheet_.height(p));
}

template <class F>
void CutRound::each_edge(const CutFace& face, F&& f) const {
    for (std::size_t i = 0; i < face.points.size(); ++i)
        f(rising(face.points[i], face.points[(i + 1) % face.points.size()]));
}

int CutRound::side(Index point) const {
    if (stroke_.sides[point] != CutStroke::unknown) return stroke_.sides[point];
    return height_[point] >= 0 ? 1 : -1;
}

/// Where the sheet goes through an edge, 0 at its first point. Sides that are kept may say that it does where
/// the body has moved on since: then it is at the nearer end. Nothing where the sheet is elsewhere.
std::optional<double> CutRound::crossing(const Edge& e) const {
    const double a = height_[e.first], b = height_[e.second];
    if (sheet_.curved() && (a >= 0) != (b >= 0)) {
        const std::optional<double> t = sheet_.crossing(y_[e.first], y_[e.second]);
        return t || only_.empty() ? t : 0.5;
    }
    return a == b ? 0.5 : std::clamp(a / (a - b), 0.0, 1.0);
}

/// Whether the blade has been there, and has more to do: then it may have moved on since.
bool CutRound::begun(const CutFace& face) const {
    const auto has = [&](int side) {
        return std::any_of(face.points.begin(), face.points.end(),
                           [&](Index p) { return stroke_.sides[p] == side; });
    };
    return has(1) && has(-1);
}

void CutRound::find_candidates() {
    const Box3 sheet = sheet_.bounds();
    for (Index f = 0; f < solid_.faces_.size(); ++f) {
        const CutFace& face = solid_.faces_[f];
        if (only_.empty()) {
            Box3 box;
            for (const Index p : face.points) box.add(y_[p]);
            if (!overlap(box, sheet) && !begun(face)) continue;
        }
        bool concerns = false;
        for (const Index c : face.cells)
            if (c != CutFace::none && concerned(c)) cells_.push_back(c), concerns = true;
        if (concerns) faces_.push_back(f);
    }
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
}

void CutRound::find_points_on_blade() {
    std::vector<Index> on;
    for (const Index f : faces_)
        each_edge(solid_.faces_[f], [&](const Edge& e) {
            if (!crosses(e)) return;
            const std::optional<double> t = crossing(e);
            const bool first = t && *t < least_part, last = t && *t > 1 - least_part;
            const Index end = first ? e.first : e.second;
            if (!swept(e)) return;
            if ((first || last) && stroke_.sides[end] == CutStroke::unknown && in_sheet(y_[end]))
                on.push_back(end);
        });
    if (on.empty()) return;
    std::sort(on.begin(), on.end());
    on.erase(std::unique(on.begin(), on.end()), on.end());
    keep_sides(on);
    for (const Index p : on) stroke_.sides[p] = 0;
}

/// A cell in a bend may have all its points on the blade. It would be on neither side, and hold both
/// together: so one of them stays beside the blade, on the side that the cell is on.
void CutRound::keep_sides(std::vector<Index>& on) {
    for (const Index c : cells_) {
        const std::vector<Index> points = solid_.points_of(solid_.cells_[c]);
        Index beside = CutFace::none;
        Vec3 middle{};
        const bool none_left = std::all_of(points.begin(), points.end(), [&](Index p) {
            middle += y_[p] / static_cast<double>(points.size());
            if (stroke_.sides[p] == 0) return true;
            if (!std::binary_search(on.begin(), on.end(), p)) return false;
            if (beside == CutFace::none || std::abs(height_[p]) > std::abs(height_[beside])) beside = p;
            return true;
        });
        if (!none_left || beside == CutFace::none) continue;
        on.erase(std::lower_bound(on.begin(), on.end(), beside));
        stroke_.sides[beside] = sheet_.height(middle) >= 0 ? 1 : -1;
    }
}

void CutRound::find_passed() {
    std::vector<CutStroke::Passed>& all = stroke_.passed;
    std::vector<CutStroke::Passed> found;
    for (const Index f : faces_)
        each_edge(solid_.faces_[f], [&](const Edge& e) {
            if (!crosses(e) || passed(e) || !swept(e)) return;
            const std::optional<double> t = crossing(e);
            if (!t || !in_sheet(y_[e.first] + *t * (y_[e.second] - y_[e.first]))) return;
            found.push_back({e.first, e.second, std::clamp(*t, least_part, 1 - least_part)});
        });
    for (const CutStroke::Passed& p : found)
        for (const Index end : {p.a, p.b}) stroke_.sides[end] = static_cast<std::int8_t>(side(end));
    all.insert(all.end(), found.begin(), found.end());
    const auto key = [](const CutStroke::Passed& p) { return std::pair{p.a, p.b}; };
    std::stable_sort(all.begin(), all.end(), [&](const auto& p, const auto& q) { return key(p) < key(q); });
    all.erase(
        std::unique(all.begin(), all.end(), [&](const auto& p, const auto& q) { return key(p) == key(q); }),
        all.end());
}

/// Not from the side; but where sides are known already an edge between them is a part of the cut.
bool CutRound::swept(const Edge& e) const {
    const auto known = [&](Index p) { return stroke_.sides[p] != CutStroke::unknown; };
    if (known(e.first) && known(e.second)) return true;
    return beside_.size() <= e.second || !beside_[e.first] || !beside_[e.second];
}

/// Points beside the sheet, of cells that it goes through: they stay on their sides when the body slides
/// along its normal.
void CutRound::keep_sides_near() {
    std::vector<Index> near;
    for (const Index c : cells_) {
        bool through = false;
        for (const Index f : solid_.cells_[c].faces)
            each_edge(solid_.faces_[f], [&](const Edge& e) {
                if (through || !crosses(e) || !swept(e)) return;
                const std::optional<double> t = crossing(e);
                through = t && in_sheet(y_[e.first] + *t * (y_[e.second] - y_[e.first]));
            });
        if (!through) continue;
        for (const Index p : solid_.points_of(solid_.cells_[c]))
            if (stroke_.sides[p] == CutStroke::unknown && stroke_.beside[p]) near.push_back(p);
    }
    for (const Index p : near) stroke_.sides[p] = static_cast<std::int8_t>(side(p));
}

const CutStroke::Passed* CutRound::passed(const Edge& e) const {
    const auto place = std::lower_bound(stroke_.passed.begin(), stroke_.passed.end(), e,
                                        [](const CutStroke::Passed& p, const Edge& edge) {
                                            return std::pair{p.a, p.b} < edge;
                                        });
    if (place == stroke_.passed.end() || std::pair{place->a, place->b} != e) return nullptr;
    return &*place;
}

/// Of a face with points on both sides: whether the blade goes through it in one line, along edges that it
/// has passed. Others are left alone.
bool CutRound::divisible(const CutFace& face) const {
    int crossings = 0, on = 0, above = 0, below = 0;
    bool all_passed = true;
    for (std::size_t i = 0; i < face.points.size(); ++i) {
        const Index p = face.points[i], q = face.points[(i + 1) % face.points.size()];
        above += side(p) > 0, below += side(p) < 0, on += side(p) == 0;
        if (side(p) * side(q) >= 0) continue;
        ++crossings;
        all_passed = all_passed && passed(rising(p, q));
    }
    if (above == 0 || below == 0) return true;
    return all_passed && crossings + on == 2;
}

bool CutRound::divisible(const CutCell& cell) const {
    bool above = false, below = false;
    for (const Index f : cell.faces)
        for (const Index p : solid_.faces_[f].points)
            above = above || side(p) > 0, below = below || side(p) < 0;
    return above && below && std::all_of(cell.faces.begin(), cell.faces.end(), [&](Index f) {
               return divisible(solid_.faces_[f]);
           });
}

void CutRound::choose_cells() {
    for (const Index c : cells_)
        if (divisible(solid_.cells_[c])) chosen_.push_back(c);
    for (const Index c : chosen_)
        for (const Index f : solid_.cells_[c].faces)
            for (const Index p : solid_.faces_[f].points)
                stroke_.sides[p] = static_cast<std::int8_t>(side(p));
}

/// A point on an edge: both ends are combinations of vertices of one tet.
CutRound::Index CutRound::add_point(const CutStroke::Passed& at) {
    const CutPoint a = solid_.points_[at.a], b = solid_.points_[at.b];
    CutPoint sum;
    std::size_t used = 0;
    const auto add = [&](const CutPoint& p, double part) {
        for (std::size_t k = 0; k < 4; ++k) {
            if (p.weight[k] == 0) continue;
            std::size_t place = 0;
            while (place < used && sum.vertex[place] != p.vertex[k]) ++place;
            if (place == 4) return;  // cannot be: there are four corners
            if (place == used) sum.vertex[used++] = p.vertex[k];
            sum.weight[place] += part * p.weight[k];
        }
    };
    add(a, 1 - at.at);
    add(b, at.at);
    solid_.points_.push_back(sum);
    y_.push_back(y_[at.a] + at.at * (y_[at.b] - y_[at.a]));
    height_.push_back(0);
    stroke_.sides.push_back(0);
    if (!stroke_.beside.empty()) stroke_.beside.push_back(1);
    return static_cast<Index>(solid_.points_.size() - 1);
}

/// New points on the passed edges of the chosen cells, in every face that has such an edge.
void CutRound::split_edges() {
    std::vector<Edge> edges;
    for (const Index c : chosen_)
        for (const Index f : solid_.cells_[c].faces)
            each_edge(solid_.faces_[f], [&](const Edge& e) {
                if (crosses(e)) edges.push_back(e);
            });
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    std::vector<Split> splits;
    for (const Edge& e : edges) splits.push_back({e, add_point(*passed(e))});
    const auto find = [&](const Edge& e) -> const Split* {
        const auto place = std::lower_bound(splits.begin(), splits.end(), e,
                                            [](const Split& s, const Edge& edge) { return s.edge < edge; });
        return place != splits.end() && place->edge == e ? &*place : nullptr;
    };
    for (CutFace& face : solid_.faces_) {
        std::vector<Index> points;
        for (std::size_t i = 0; i < face.points.size(); ++i) {
            points.push_back(face.points[i]);
            if (const Split* s = find(rising(face.points[i], face.points[(i + 1) % face.points.size()])))
                points.push_back(s->point);
        }
        if (points.size() != face.points.size()) face.points = std::move(points);
    }
    std::erase_if(stroke_.passed, [&](const CutStroke::Passed& p) { return find({p.a, p.b}) != nullptr; });
}

/// A face with points on both sides, and two on the blade, becomes two faces of the same cells.
void CutRound::split_face(Index f) {
    const std::vector<Index> points = solid_.faces_[f].points;
    const std::size_t n = points.size();
    std::vector<std::size_t> on;
    bool above = false, below = false;
    for (std::size_t i = 0; i < n; ++i) {
        if (side(points[i]) == 0) on.push_back(i);
        above = above || side(points[i]) > 0, below = below || side(points[i]) < 0;
    }
    if (!above || !below || on.size() != 2) return;
    const auto part = [&](std::size_t from, std::size_t to) {
        std::vector<Index> out;
        for (std::size_t i = from; i != to; i = (i + 1) % n) out.push_back(points[i]);
        out.push_back(points[to]);
        return out;
    };
    std::vector<Index> first = part(on[0], on[1]), second = part(on[1], on[0]);
    if (first.size() < 3 || second.size() < 3) return;
    CutFace other = solid_.faces_[f];
    solid_.faces_[f].points = std::move(first);
    other.points = std::move(second);
    const Index index = static_cast<Index>(solid_.faces_.size());
    for (const Index c : other.cells)
        if (c != CutFace::none) solid_.cells_[c].faces.push_back(index);
    solid_.faces_.push_back(std::move(other));
}

int CutRound::side_of(const CutFace& face) const {
    int sum = 0;
    for (const Index p : face.points) {
        if (side(p) * sum < 0) return 0;  // it lies on both
        if (side(p) != 0) sum = side(p);
    }
    return sum;
}

int CutRound::side_of(const CutCell& cell) const {
    for (const Index f : cell.faces)
        for (const Index p : solid_.faces_[f].points)
            if (side(p) != 0) return side(p);
    return 0;
}

/// The polygon in which the blade meets a cell, as the upper part has it: the edges between its faces above
/// and below, in a ring. Empty where they make none.
std::vector<CutRound::Index> CutRound::cut_polygon(Index c) const {
    std::vector<Edge> above, below;  // directed, as the cell has them
    for (const Index f : solid_.cells_[c].faces) {
        const CutFace& face = solid_.faces_[f];
        const int s = side_of(face);
        if (s == 0) return {};
        const std::size_t n = face.points.size();
        for (std::size_t i = 0; i < n; ++i) {
            Edge e{face.points[i], face.points[(i + 1) % n]};
            if (side(e.first) != 0 || side(e.second) != 0) continue;
            if (face.cells[0] != c) std::swap(e.first, e.second);
            (s > 0 ? above : below).push_back(e);
        }
    }
    std::vector<Edge> ring;  // of the upper part: against the direction of its other faces
    for (const Edge& e : above)
        if (std::find(below.begin(), below.end(), Edge{e.second, e.first}) != below.end())
            ring.emplace_back(e.second, e.first);
    if (ring.size() < 3) return {};
    std::vector<Index> polygon{ring[0].first};
    while (polygon.size() <= ring.size()) {
        const auto next =
            std::find_if(ring.begin(), ring.end(), [&](const Edge& e) { return e.first == polygon.back(); });
        if (next == ring.end()) return {};
        if (next->second == polygon[0]) break;
        polygon.push_back(next->second);
    }
    return polygon.size() == ring.size() ? polygon : std::vector<Index>{};
}

/// What closes the upper part. Of a bent blade the polygon is not flat, and both parts must have the same
/// surface there: it becomes triangles.
std::vector<std::vector<CutRound::Index>> CutRound::cut_faces(const std::vector<Index>& polygon) const {
    if (!bent_) return {polygon};
    std::vector<std::vector<Index>> faces;
    for (const Triangle& t : polygon_triangles(polygon, y_))
        faces.push_back({static_cast<Index>(t[0]), static_cast<Index>(t[1]), static_cast<Index>(t[2])});
    return faces;
}

bool CutRound::split_cell(Index c, std::vector<Index>& cell_parents) {
    const std::vector<Index> polygon = cut_polygon(c);
    if (polygon.empty()) return false;
    const Index lower = static_cast<Index>(solid_.cells_.size());
    CutCell part = solid_.cells_[c];
    const std::vector<Index> faces = std::move(part.faces);
    part.faces.clear();
    solid_.cells_[c].faces.clear();
    for (const Index f : faces) {
        CutFace& face = solid_.faces_[f];
        if (side_of(face) > 0) {
            solid_.cells_[c].faces.push_back(f);
            continue;
        }
        part.faces.push_back(f);
        face.cells[face.cells[0] == c ? 0 : 1] = lower;
    }
    for (const std::vector<Index>& face : cut_faces(polygon)) {
        const Index cap = static_cast<Index>(solid_.faces_.size());
        solid_.faces_.push_back({face, {c, CutFace::none}});
        solid_.faces_.push_back({{face.rbegin(), face.rend()}, {lower, CutFace::none}});
        opened_.emplace_back(cap, cap + 1);
        solid_.cells_[c].faces.push_back(cap);
        part.faces.push_back(cap + 1);
    }
    solid_.cells_.push_back(std::move(part));
    cell_parents.push_back(c);
    return true;
}

/// Faces that lie on the blade, between cells on either side of it.
std::size_t CutRound::part_faces() {
    std::size_t count = 0;
    for (const Index f : faces_) {
        const CutFace face = solid_.faces_[f];
        if (face.cells[1] == CutFace::none ||
            !std::all_of(face.points.begin(), face.points.end(), [&](Index p) { return side(p) == 0; }))
            continue;
        const Index a = face.cells[0], b = face.cells[1];
        if (!concerned(a) || !concerned(b)) continue;
        if (side_of(solid_.cells_[a]) * side_of(solid_.cells_[b]) >= 0) continue;
        const Index index = static_cast<Index>(solid_.faces_.size());
        opened_.emplace_back(f, index);
        solid_.faces_[f].cells[1] = CutFace::none;
        solid_.faces_.push_back({{face.points.rbegin(), face.points.rend()}, {b, CutFace::none}});
        std::replace(solid_.cells_[b].faces.begin(), solid_.cells_[b].faces.end(), f, index);
        ++count;
    }
    return count;
}

void CutRound::lay() {
    find_candidates();
    find_points_on_blade();
    find_passed();
    for (const Index f : faces_)
        for (const Index p : solid_.faces_[f].points) stroke_.sides[p] = static_cast<std::int8_t>(side(p));
}

/// For the next evaluation of the blade.
void CutRound::store_sides() {
    constexpr double turned = 1e-9;  // rad
    const Vec3& n = sheet_.normal();
    if (!stroke_.beside.empty() && norm(cross(n, stroke_.normal)) > turned) stroke_.bent = 1;
    stroke_.normal = n;
    bent_ = bent_ || stroke_.bent != 0;
    beside_ = std::move(stroke_.beside);
    stroke_.beside.clear();
    for (const Vec3& p : y_) stroke_.beside.push_back(sheet_.holds(p));
}

std::size_t CutRound::run(std::vector<Index>& cell_parents) {
    if (!laid_) store_sides();
    find_candidates();
    if (faces_.empty()) return 0;
    if (!laid_) {
        find_points_on_blade();
        find_passed();
        keep_sides_near();
    }
    choose_cells();
    std::size_t count = 0;
    if (!chosen_.empty()) {
        split_edges();
        for (const Index c : chosen_) {
            const std::vector<Index> faces = solid_.cells_[c].faces;
            for (const Index f : faces) split_face(f);
        }
        for (const Index c : chosen_) count += split_cell(c, cell_parents);
    }
    return count + part_faces();
}

}  // namespace plush
