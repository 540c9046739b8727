#include "geometry/cutting/skin_layer.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/cutting/sheet_triangles.hpp"

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Nearer to the end of an edge than this the surface is cut beside the end.
constexpr double least_part = 1e-3;
/// Of a tet's edge: so far from the skin it is asked which side of an older slit a point belongs to.
constexpr double inside = 0.02;
/// Points of walls are not farther apart than this part of a tet's edge: else a slit would not follow the
/// tets.
constexpr double finer_than_tets = 0.6;

bool overlap(const Box3& a, const Box3& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

/// Lines are edges of one wall, and all others of two.
bool bounded(std::span<const Triangle> walls, std::span<const std::array<int, 2>> lines) {
    std::vector<std::array<int, 2>> edges, outer, inner;
    for (const Triangle& t : walls)
        for (std::size_t i = 0; i < 3; ++i)
            edges.push_back({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])});
    std::sort(edges.begin(), edges.end());
    for (std::size_t e = 0, end = 0; e < edges.size(); e = end) {
        for (end = e; end < edges.size() && edges[end] == edges[e];) ++end;
        if (end - e > 2) return false;
        if (end - e == 1) outer.push_back(edges[e]);
    }
    for (const auto& [a, b] : lines) inner.push_back({std::min(a, b), std::max(a, b)});
    std::sort(inner.begin(), inner.end());
    return outer == inner;
}

}  // namespace

SkinLayer::SkinLayer(CutSkin& skin, CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x)
    : skin_(skin),
      solid_(solid),
      sheet_(sheet),
      x_(x),
      y_(skin.positions(solid, x)),
      parted_(y_),
      group_(skin.groups(solid)) {
    part_twins();
    for (const Vec3& p : parted_) side_.push_back(sheet_.height(p) >= 0 ? 1 : -1);
}

/// Outward, as long as twice the area around; empty where nothing was cut yet.
std::vector<Vec3> SkinLayer::normals() const {
    std::vector<Vec3> n(skin_.twins_.empty() ? 0 : y_.size());
    if (n.empty()) return n;
    for (const Triangle& t : skin_.triangles_) {
        const Vec3& o = y_[at(t[0])];
        const Vec3 area = cross(y_[at(t[1])] - o, y_[at(t[2])] - o);
        for (const int v : t) n[at(v)] += area;
    }
    return n;
}

void SkinLayer::part_twins() {
    const std::vector<Vec3> normal = normals();
    Box3 box;
    for (const Vec3& p : y_) box.add(p);
    const double least = 1e-6 * norm(box.size());
    for (std::size_t v = 0; v < skin_.twins_.size(); ++v) {
        const int twin = skin_.twins_[v];
        if (twin <= static_cast<int>(v)) continue;
        const Vec3 across = normal[v] - normal[at(twin)];
        if (!(norm(across) > 0)) continue;
        const Vec3 n = across / norm(across);
        if (dot(y_[at(twin)] - y_[v], n) >= least) continue;
        const Vec3 middle = 0.5 * (y_[v] + y_[at(twin)]);
        parted_[v] = middle - 0.5 * least * n, parted_[at(twin)] = middle + 0.5 * least * n;
    }
}

bool SkinLayer::crosses(const Triangle& t) const {
    const auto [low, high] = std::minmax({side_[at(t[0])], side_[at(t[1])], side_[at(t[2])]});
    return low < 0 && high > 0;
}

/// Of an edge with ends on both sides. Where sides change without a sheet it is nowhere.
std::optional<double> SkinLayer::crossing(int a, int b) const {
    std::optional<double> t;
    if (sheet_.curved()) {
        t = sheet_.crossing(parted_[at(a)], parted_[at(b)]);
    } else {
        const double u = sheet_.height(parted_[at(a)]), v = sheet_.height(parted_[at(b)]);
        t = u == v ? 0.5 : u / (u - v);
    }
    if (t) t = std::clamp(*t, least_part, 1 - least_part);
    return t;
}

/// With the corner that is alone on its side first; and the one that the way comes from second.
Triangle SkinLayer::turned(const Triangle& t) const {
    for (std::size_t i = 0; i < 3; ++i)
        if (side_[at(t[i])] == 0) return {t[(i + 2) % 3], t[i], t[(i + 1) % 3]};
    for (std::size_t i = 0; i < 3; ++i)
        if (side_[at(t[(i + 1) % 3])] == side_[at(t[(i + 2) % 3])])
            return {t[i], t[(i + 1) % 3], t[(i + 2) % 3]};
    return t;
}

bool SkinLayer::near_blade(const Triangle& t) const {
    Box3 box;
    for (const int v : t) box.add(y_[at(v)]);
    return overlap(box, sheet_.bounds());
}

std::vector<int> SkinLayer::parts(std::span<const std::uint8_t> refused_cells) const {
    std::vector<std::uint8_t> near(group_.size(), 0), refused(group_.size(), 0);
    for (std::size_t c = 0; c < group_.size(); ++c)
        if (refused_cells[c]) refused[at(group_[c])] = 1;
    for (const Triangle& t : skin_.triangles_) {
        if (!crosses(t)) continue;
        const std::size_t part = at(group_[skin_.vertices_[at(t[0])].cell]);
        if (!near[part] && near_blade(t)) near[part] = 1;
        for (std::size_t i = 0; i < 3 && !refused[part]; ++i) {
            const int a = t[i], b = t[(i + 1) % 3];
            if (side_[at(a)] != side_[at(b)] && !crossing(a, b)) refused[part] = 1;
        }
    }
    std::vector<int> parts;
    for (std::size_t g = 0; g < group_.size(); ++g)
        if (near[g] && !refused[g]) parts.push_back(static_cast<int>(g));
    return parts;
}

/// The mean edge of the tets that the way crosses.
double SkinLayer::cell_size() const {
    double sum = 0;
    for (const Index c : way_.cells) {
        const auto& corner = solid_.cells()[c].corners;
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = i + 1; j < 4; ++j) sum += norm(x_[corner[i]] - x_[corner[j]]) / 6;
    }
    return sum / static_cast<double>(way_.cells.size());
}

const SkinLayer::OnEdge* SkinLayer::find(int a, int b) const {
    const std::pair key{std::min(a, b), std::max(a, b)};
    const auto place = std::lower_bound(on_edges_.begin(), on_edges_.end(), key,
                                        [](const OnEdge& e, const std::pair<int, int>& k) {
                                            return std::pair{e.a, e.b} < k;
                                        });
    return place != on_edges_.end() && std::pair{place->a, place->b} == key ? &*place : nullptr;
}

/// The points where edges of the skin cross the sheet, and the lines between them.
void SkinLayer::find_outline(int part) {
    for (std::size_t k = 0; k < skin_.triangles_.size(); ++k) {
        const Triangle& t = skin_.triangles_[k];
        if (!crosses(t) || group_[skin_.vertices_[at(t[0])].cell] != part) continue;
        chains_.push_back({k, {turned(t), {}}});
        const Triangle& u = chains_.back().line.corners;
        for (const int b : {u[1], u[2]})
            if (side_[at(b)] != 0) on_edges_.push_back({std::min(u[0], b), std::max(u[0], b), 0, -1});
    }
    const auto key = [](const OnEdge& e) { return std::pair{e.a, e.b}; };
    std::sort(on_edges_.begin(), on_edges_.end(),
              [&](const auto& p, const auto& q) { return key(p) < key(q); });
    on_edges_.erase(std::unique(on_edges_.begin(), on_edges_.end(),
                                [&](const auto& p, const auto& q) { return key(p) == key(q); }),
                    on_edges_.end());
    const std::vector<Vec3> normal = normals();
    for (OnEdge& e : on_edges_) {
        e.at = crossing(e.a, e.b).value_or(0.5);  // of a part that is not refused it is somewhere
        e.point = static_cast<int>(places_.size());
        const auto between = [&](std::span<const Vec3> y) {
            return y[at(e.a)] + e.at * (y[at(e.b)] - y[at(e.a)]);
        };
        places_.push_back(between(y_));
        drawn_.push_back(between(parted_));
        const Vec3 outward = normal.empty() ? Vec3{} : between(normal);
        inward_.push_back(norm(outward) > 0 ? -inside * way_.reach / norm(outward) * outward : Vec3{});
    }
    for (Chain& chain : chains_) {
        const auto& [a, b, c] = chain.line.corners;
        const OnEdge* first = find(a, b);
        const auto is_b = [&, v = b](const SkinWay::Point& p) { return p.above == v && p.below == v; };
        const auto corner = std::find_if(way_.points.begin(), way_.points.end(), is_b);
        const int old = corner == way_.points.end() ? -1 : static_cast<int>(corner - way_.points.begin());
        chain.line.points = {first ? first->point : old, find(a, c)->point};
        outline_.push_back({chain.line.points[0], chain.line.points[1]});
    }
    outline_.insert(outline_.end(), seam_.begin(), seam_.end());
}

/// Where the way crosses edges of cells, inside of the skin.
void SkinLayer::add_samples(std::span<const Index> cells, const std::function<bool(const Vec3&)>& ahead) {
    std::vector<SkinVertex> all;
    std::vector<Vec3> places;
    for (const Index c : cells)
        for (const auto& weight : solid_.crossings_of(c, way_.laid)) {
            const SkinVertex sample{c, 0, weight};
            const Vec3 p = sample.place(solid_, x_);
            if (ahead && !ahead(p)) continue;
            all.push_back(sample);
            places.push_back(p);
        }
    const std::vector<std::uint8_t> held = enclosed(sheet_, drawn_, outline_, places);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (held[i]) way_.samples.push_back(all[i]);
}

bool SkinLayer::reached() {
    way_.look(solid_, sheet_, x_);
    const std::vector<std::uint8_t> passed = way_.passed(solid_);
    return std::any_of(passed.begin(), passed.end(), [](std::uint8_t p) { return p != 0; });
}

/// Large triangles are opened bit by bit, too.
void SkinLayer::divide_edges(double spacing) {
    outline_.clear();
    for (Chain& chain : chains_) {
        std::vector<int>& points = chain.line.points;
        const int first = points[0], last = points[1];
        const double length = norm(places_[at(last)] - places_[at(first)]);
        const int pieces = std::clamp(static_cast<int>(length / spacing), 1, 1000);
        points = {first};
        for (int k = 1; k < pieces; ++k) {
            points.push_back(static_cast<int>(places_.size()));
            const double t = static_cast<double>(k) / pieces;
            for (std::vector<Vec3>* list : {&places_, &drawn_, &inward_})
                list->push_back((1 - t) * (*list)[at(first)] + t * (*list)[at(last)]);
        }
        points.push_back(last);
        for (std::size_t k = 0; k + 1 < points.size(); ++k) outline_.push_back({points[k], points[k + 1]});
    }
    outline_.insert(outline_.end(), seam_.begin(), seam_.end());
}

bool SkinLayer::make_walls(double spacing) {
    double length = 0;
    for (const auto& [a, b] : outline_) length += norm(places_[at(a)] - places_[at(b)]);
    constexpr double coarser = 1.5;  // than the outline: what is inside has no detail
    // Of points from before those of the seam only.
    std::vector<int> used, number(places_.size(), -1);
    std::vector<Vec3> drawn;
    std::vector<std::array<int, 2>> lines = outline_;
    for (auto& line : lines)
        for (int& p : line) {
            int& n = number[at(p)];
            if (n < 0) n = static_cast<int>(used.size()), used.push_back(p), drawn.push_back(drawn_[at(p)]);
            p = n;
        }
    auto made = sheet_triangles(sheet_, drawn, lines,
                                std::min(spacing, coarser * length / static_cast<double>(outline_.size())));
    if (!made || !bounded(made->triangles, lines)) return false;
    const int outer = static_cast<int>(used.size());
    on_skin_ = places_.size();
    for (Triangle t : made->triangles) {
        for (int& p : t) p = p < outer ? used[at(p)] : static_cast<int>(on_skin_) + p - outer;
        way_.walls.push_back(t);
    }
    places_.insert(places_.end(), made->inner.begin(), made->inner.end());
    way_.opened.resize(way_.walls.size(), 0);
    return true;
}

/// Each in the cell that it is deepest in, of those that will be divided.
void SkinLayer::place_points(std::span<const Index> cells) {
    for (std::size_t p = old_points_; p < places_.size(); ++p) {
        SkinWay::Point point;
        double deepest = -HUGE_VAL;
        const Vec3 place = p < inward_.size() ? places_[p] + inward_[p] : places_[p];
        for (const Index c : cells) deepest = point.at.look(solid_, x_, c, place, deepest);
        point.at.look(solid_, x_, point.at.cell, places_[p], -HUGE_VAL);
        way_.points.push_back(point);
        way_.samples.push_back(point.at);
    }
}

/// Points on edges that were one are twins as well.
void SkinLayer::join_twins() {
    if (skin_.twins_.empty()) return;
    const std::vector<int> old = skin_.twins_;
    const auto twin = [&](int v) { return at(v) < old.size() && old[at(v)] >= 0 ? old[at(v)] : v; };
    skin_.twins_.resize(skin_.vertices_.size(), -1);
    for (const OnEdge& e : on_edges_) {
        const OnEdge* other = find(twin(e.a), twin(e.b));
        if (other && other != &e)
            skin_.twins_[at(way_.points[at(e.point)].above)] = way_.points[at(other->point)].above;
    }
}

void SkinLayer::add_vertices() {
    for (std::size_t p = old_points_; p < on_skin_; ++p) {
        way_.points[p].above = way_.points[p].below = static_cast<int>(skin_.vertices_.size());
        skin_.vertices_.push_back(way_.points[p].at);
    }
    join_twins();
}

void SkinLayer::divide_triangles() {
    std::vector<Triangle> triangles;
    auto chain = chains_.begin();
    for (std::size_t k = 0; k < skin_.triangles_.size(); ++k) {
        if (chain == chains_.end() || chain->triangle != k) {
            triangles.push_back(skin_.triangles_[k]);
            continue;
        }
        const Triangle& t = chain->line.corners;
        std::vector<int> p;
        for (const int point : chain->line.points) p.push_back(way_.points[at(point)].above);
        const std::size_t pieces = p.size() - 1;
        for (std::size_t i = 0; i < pieces; ++i) triangles.push_back({t[0], p[i], p[i + 1]});
        way_.lines.push_back(chain->line);
        // The rest is between the line and the other two corners; where the line is one edge, by its shorter
        // diagonal.
        const Vec3 &first = places_[at(chain->line.points.front())],
                   &last = places_[at(chain->line.points.back())];
        const bool to_last = norm2(first - y_[at(t[2])]) >= norm2(last - y_[at(t[1])]);
        const bool at_corner = p[0] == t[1];
        const std::size_t middle = at_corner ? 0 : pieces > 1 ? pieces / 2 : to_last;
        for (std::size_t i = 0; i < middle; ++i) triangles.push_back({p[i], t[1], p[i + 1]});
        if (!at_corner) triangles.push_back({p[middle], t[1], t[2]});
        for (std::size_t i = middle; i < pieces; ++i) triangles.push_back({p[i], t[2], p[i + 1]});
        ++chain;
    }
    skin_.triangles_ = std::move(triangles);
}

void SkinLayer::start(SkinWay way) {
    way_ = std::move(way), on_edges_.clear(), chains_.clear(), seam_.clear(), outline_.clear();
    places_.clear();
    for (const SkinWay::Point& p : way_.points) places_.push_back(p.at.place(solid_, x_));
    old_points_ = places_.size();
    drawn_ = places_;
    inward_.assign(old_points_, Vec3{});
}

/// The cells that the way crosses and that are not divided yet.
std::vector<SkinLayer::Index> SkinLayer::lay_through_cells(int part) {
    std::vector<std::uint8_t> cells(group_.size());
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = group_[c] == part;
    solid_.lay(sheet_.blade(), x_, cells, way_.laid);
    std::vector<Index> fresh = solid_.crossed_cells(way_.laid), done;
    for (std::size_t c = 0; c < way_.cells.size(); ++c)
        if (way_.divided[c]) done.push_back(way_.cells[c]);
    std::erase_if(fresh, [&](Index c) { return std::binary_search(done.begin(), done.end(), c); });
    way_.cells.clear(), way_.divided.clear();
    std::merge(fresh.begin(), fresh.end(), done.begin(), done.end(), std::back_inserter(way_.cells));
    for (const Index c : way_.cells) way_.divided.push_back(std::binary_search(done.begin(), done.end(), c));
    return fresh;
}

void SkinLayer::take_sides(int part) {
    way_.sides.resize(y_.size(), 0);
    for (std::size_t v = 0; v < y_.size(); ++v)
        if (group_[skin_.vertices_[v].cell] == part) way_.sides[v] = static_cast<std::int8_t>(side_[v]);
}

std::optional<SkinWay> SkinLayer::lay(int part) {
    start({});
    way_.bent = sheet_.curved();
    const std::vector<Index> cells = lay_through_cells(part);
    if (cells.empty()) return std::nullopt;
    way_.reach = cell_size();
    const double spacing = finer_than_tets * way_.reach;
    find_outline(part);
    add_samples(cells, {});
    if (!reached()) return std::nullopt;
    divide_edges(spacing);
    if (!make_walls(spacing)) return std::nullopt;
    place_points(cells);
    if (!reached()) return std::nullopt;
    take_sides(part);
    add_vertices();
    divide_triangles();
    return std::move(way_);
}

/// One line leads on from each end of the seam, and none from elsewhere; and all are near the sheet: sides
/// may change without one, where the way has come round in a curve.
bool SkinLayer::leaves_seam(const SkinSeam& seam) const {
    std::vector<int> starts;
    for (const Chain& chain : chains_)
        if (chain.line.points[0] < static_cast<int>(old_points_)) starts.push_back(chain.line.points[0]);
    std::sort(starts.begin(), starts.end());
    return starts == seam.ends &&
           std::all_of(places_.begin() + static_cast<std::ptrdiff_t>(old_points_), places_.end(),
                       [&](const Vec3& p) { return std::abs(sheet_.height(p)) <= way_.reach; });
}

/// Whether new walls go on from old ones with the same sides up, and meet the skin below with their lower
/// side. Not so where a blade has turned about in its place.
bool SkinLayer::same_side_up(std::size_t old_walls) const {
    std::vector<std::array<int, 2>> edges, wanted;
    const auto add = [](std::vector<std::array<int, 2>>& list, const Triangle& t, bool forward) {
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = t[i], b = t[(i + 1) % 3];
            list.push_back(forward ? std::array{a, b} : std::array{b, a});
        }
    };
    for (std::size_t w = old_walls; w < way_.walls.size(); ++w) add(edges, way_.walls[w], true);
    for (std::size_t w = 0; w < old_walls; ++w) add(wanted, way_.walls[w], false);
    std::sort(edges.begin(), edges.end());
    std::sort(wanted.begin(), wanted.end());
    const auto has = [](const auto& list, int a, int b) {
        return std::binary_search(list.begin(), list.end(), std::array{a, b});
    };
    for (const auto& [a, b] : seam_)
        if (has(edges, a, b) != has(wanted, a, b)) return false;
    for (const Chain& chain : chains_) {
        const bool first_above = side_[at(chain.line.corners[0])] > 0;
        for (std::size_t i = 0; i + 1 < chain.line.points.size(); ++i) {
            const int a = chain.line.points[i], b = chain.line.points[i + 1];
            if (!(first_above ? has(edges, a, b) : has(edges, b, a))) return false;
        }
    }
    return true;
}

std::optional<SkinWay> SkinLayer::lay_on(SkinWay way, const SkinSeam& seam, int part) {
    start(std::move(way));
    seam_ = seam.edges, side_ = seam.sides;
    way_.bent = 1;
    const std::vector<Index> cells = lay_through_cells(part);
    if (cells.empty()) return std::nullopt;
    const double spacing = finer_than_tets * way_.reach;
    find_outline(part);
    if (!leaves_seam(seam)) return std::nullopt;
    add_samples(cells, seam.ahead);
    divide_edges(spacing);
    const std::size_t old_walls = way_.walls.size();
    if (!make_walls(spacing) || !same_side_up(old_walls)) return std::nullopt;
    place_points(cells);
    take_sides(part);
    add_vertices();
    divide_triangles();
    return std::move(way_);
}

}  // namespace plush
