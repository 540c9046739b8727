#include "geometry/cutting/skin_turn.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

bool contains(std::span<const int> sorted, int value) {
    return std::binary_search(sorted.begin(), sorted.end(), value);
}

}  // namespace

bool SkinTurn::run(const SkinWay::Turned& turned) {
    front_ = turned.front;
    seam_.ahead = [this](const Vec3& p) { return goes(p); };
    find_kept(turned.wall);
    if (!find_seam() || !make_whole()) return false;
    forget_points();
    const std::vector<int> groups = skin_.groups(solid_);
    const int part = find_part(groups);
    if (part < 0) return false;
    find_sides(part, groups);
    SkinLayer layer(skin_, solid_, sheet_, x_);
    std::optional<SkinWay> way = layer.lay_on(std::move(way_), seam_, part);
    if (!way) return false;
    skin_.ways_[number_] = std::move(*way);
    return true;
}

/// Runs of edges of walls that are the same.
template <class F>
void SkinTurn::each_edge(F&& f) const {
    for (std::size_t e = 0, end = 0; e < edges_.size(); e = end) {
        for (end = e; end < edges_.size() && edges_[end].a == edges_[e].a && edges_[end].b == edges_[e].b;)
            ++end;
        f(std::span(edges_).subspan(e, end - e));
    }
}

void SkinTurn::keep(std::size_t wall) {
    wall_stays_[wall] = 1;
    for (const int p : way_.walls[wall]) point_stays_[at(p)] = 1;
}

bool SkinTurn::goes(const Vec3& p) const {
    const double height = sheet_.height(p);
    return ahead(p) && std::none_of(kept_places_.begin(), kept_places_.end(),
                                    [&](const Vec3& q) { return norm2(p - q) < height * height; });
}

/// Those that are connected with the first one. A way that goes round in a curve may be ahead somewhere else,
/// too.
std::vector<std::uint8_t> SkinTurn::walls_ahead(std::size_t first) const {
    const auto any_point = [&](std::size_t w, auto&& f) {
        return std::any_of(way_.walls[w].begin(), way_.walls[w].end(), f);
    };
    std::vector<std::uint8_t> candidate, taken(way_.walls.size(), 0), result;
    for (std::size_t w = 0; w < way_.walls.size(); ++w)
        candidate.push_back(!way_.opened[w] && !any_point(w, [&](int p) {
            return !ahead(way_.points[at(p)].at.place(solid_, x_));
        }));
    DisjointSets sets(way_.walls.size());
    each_edge([&](std::span<const Edge> same) {
        if (same.size() == 2 && candidate[same[0].wall] && candidate[same[1].wall])
            sets.merge(static_cast<int>(same[0].wall), static_cast<int>(same[1].wall));
    });
    const auto root = [&](std::size_t w) { return at(sets.root(static_cast<int>(w))); };
    const Triangle& start = way_.walls[first];  // it may be half ahead only: so its neighbours, too
    for (std::size_t w = 0; w < way_.walls.size(); ++w)
        if (candidate[w] &&
            any_point(w, [&](int p) { return std::find(start.begin(), start.end(), p) != start.end(); }))
            taken[root(w)] = 1;
    for (std::size_t w = 0; w < way_.walls.size(); ++w) result.push_back(candidate[w] && taken[root(w)]);
    return result;
}

void SkinTurn::find_edges() {
    for (std::size_t w = 0; w < way_.walls.size(); ++w)
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = way_.walls[w][i], b = way_.walls[w][(i + 1) % 3];
            edges_.push_back({std::min(a, b), std::max(a, b), w});
        }
    std::sort(edges_.begin(), edges_.end());
}

/// Where the skin cannot be made whole again: just behind older seams.
void SkinTurn::keep_without_line() {
    std::vector<std::pair<int, int>> covered;
    for (const SkinWay::Line& line : way_.lines)
        for (std::size_t i = 0; i + 1 < line.points.size(); ++i)
            covered.push_back(std::minmax(line.points[i], line.points[i + 1]));
    std::sort(covered.begin(), covered.end());
    each_edge([&](std::span<const Edge> same) {
        const auto& [a, b, wall] = same[0];
        if (same.size() == 1 && !std::binary_search(covered.begin(), covered.end(), std::pair{a, b}))
            keep(wall);
    });
}

/// A line of the skin between two points that stay does, and so does a wall between three. False: nothing
/// is left to do.
bool SkinTurn::close_pockets() {
    bool more = false;
    each_edge([&](std::span<const Edge> same) {
        const auto& [a, b, wall] = same[0];
        if (same.size() == 1 && !wall_stays_[wall] && point_stays_[at(a)] && point_stays_[at(b)])
            keep(wall), more = true;
    });
    for (std::size_t w = 0; w < way_.walls.size(); ++w) {
        const Triangle& wall = way_.walls[w];
        if (wall_stays_[w] ||
            !std::all_of(wall.begin(), wall.end(), [&](int p) { return point_stays_[at(p)] != 0; }))
            continue;
        wall_stays_[w] = 1, more = true;
    }
    return more;
}

void SkinTurn::find_kept(std::size_t first) {
    find_edges();
    wall_stays_.assign(way_.walls.size(), 0);
    point_stays_.assign(way_.points.size(), 0);
    keep_without_line();
    const std::vector<std::uint8_t> gone = walls_ahead(first);
    for (std::size_t w = 0; w < gone.size(); ++w)
        if (!gone[w]) keep(w);
    while (close_pockets()) {
    }
    for (std::size_t p = 0; p < way_.points.size(); ++p)
        (point_stays_[p] ? kept_places_ : gone_places_).push_back(way_.points[p].at.place(solid_, x_));
}

/// Edges between a wall that stays and one that goes, and the points where the outline goes on.
bool SkinTurn::find_seam() {
    each_edge([&](std::span<const Edge> same) {
        if (same.size() == 2 && wall_stays_[same[0].wall] != wall_stays_[same[1].wall])
            seam_.edges.push_back({same[0].a, same[0].b});
        if (same.size() == 1 && !wall_stays_[same[0].wall])
            for (const int p : {same[0].a, same[0].b})
                if (point_stays_[at(p)]) seam_.ends.push_back(p);
    });
    std::sort(seam_.ends.begin(), seam_.ends.end());
    const bool once = std::adjacent_find(seam_.ends.begin(), seam_.ends.end()) == seam_.ends.end();
    const bool single = std::all_of(seam_.ends.begin(), seam_.ends.end(), [&](int p) {
        return way_.points[at(p)].above == way_.points[at(p)].below;
    });
    return once && single && !seam_.edges.empty();
}

/// The triangles of the skin that walls divided which go, with what stays of their lines.
bool SkinTurn::make_whole() {
    std::vector<Triangle> made;
    std::vector<SkinWay::Line> lines;
    for (std::size_t i = 0; i < way_.lines.size(); ++i) {
        const SkinWay::Line& line = way_.lines[i];
        const auto any = [&](auto&& f) { return std::any_of(line.points.begin(), line.points.end(), f); };
        if (!any([&](int p) { return point_stays_[at(p)] == 0; })) {
            // The way may leave the seam through what this one has divided: then it cannot be undone any
            // more.
            if (!any([&](int p) { return contains(seam_.ends, p); })) lines.push_back(line);
            continue;
        }
        whole_.push_back(i);
        if (!make_whole(line, made)) return false;
    }
    remove_triangles();
    skin_.triangles_.insert(skin_.triangles_.end(), made.begin(), made.end());
    way_.lines = std::move(lines);
    return true;
}

/// A line may stay at its beginning and at its end:
///
///            A                 left and right: what is beside the part that goes, a point or a corner
///           ╱ ╲
///     left o ─ o right
///         ╱     ╲
///        B ───── C
bool SkinTurn::make_whole(const SkinWay::Line& line, std::vector<Triangle>& triangles) const {
    const int a = line.corners[0], b = line.corners[1], c = line.corners[2];
    const std::size_t count = line.points.size();
    const auto stays = [&](std::size_t i) { return point_stays_[at(line.points[i])] != 0; };
    const auto above = [&](std::size_t i) { return way_.points[at(line.points[i])].above; };
    const auto below = [&](std::size_t i) { return way_.points[at(line.points[i])].below; };
    std::size_t first = 0, last = count;
    while (stays(first)) ++first;
    while (stays(last - 1)) --last;
    for (std::size_t i = first; i < last; ++i)
        if (stays(i)) return false;
    const auto along = [&](std::size_t from, std::size_t to, int corner) {
        for (std::size_t i = from; i + 1 < to; ++i) {
            triangles.push_back({a, above(i), above(i + 1)});
            triangles.push_back({below(i), corner, below(i + 1)});
        }
    };
    along(0, first, at_corner(line) ? c : b);
    along(last, count, c);
    const int left = first > 0 ? above(first - 1) : b, right = last < count ? above(last) : c;
    triangles.push_back({a, left, right});
    if (first > 0 && !at_corner(line)) triangles.push_back({left, b, c});
    if (last < count) triangles.push_back({left, c, right});
    return true;
}

/// Those between the corners and the points of such lines.
void SkinTurn::remove_triangles() {
    std::vector<std::vector<int>> vertices;  // of each line, sorted
    std::vector<std::pair<int, std::size_t>> lines_at;
    for (const std::size_t i : whole_) {
        std::vector<int>& own =
            vertices.emplace_back(way_.lines[i].corners.begin(), way_.lines[i].corners.end());
        for (const int p : way_.lines[i].points)
            for (const int v : {way_.points[at(p)].above, way_.points[at(p)].below}) {
                own.push_back(v);
                lines_at.emplace_back(v, vertices.size() - 1);
            }
        std::sort(own.begin(), own.end());
    }
    std::sort(lines_at.begin(), lines_at.end());
    std::erase_if(skin_.triangles_, [&](const Triangle& t) {
        for (const int v : t) {
            auto line = std::lower_bound(lines_at.begin(), lines_at.end(), std::pair{v, std::size_t{0}});
            for (; line != lines_at.end() && line->first == v; ++line)
                if (std::all_of(t.begin(), t.end(),
                                [&](int u) { return contains(vertices[line->second], u); }))
                    return true;
        }
        return false;
    });
}

/// What goes with the walls: their points, the samples ahead that the blade has not reached, and the vertices
/// of the skin on its outline.
void SkinTurn::forget_points() {
    std::vector<std::uint8_t> gone(skin_.vertices_.size(), 0);
    std::vector<int> name(way_.points.size(), -1);
    std::vector<SkinWay::Point> points;
    for (std::size_t p = 0; p < name.size(); ++p) {
        const SkinWay::Point& point = way_.points[p];
        if (!point_stays_[p]) {
            if (point.above >= 0) gone[at(point.above)] = 1;
            continue;
        }
        name[p] = static_cast<int>(points.size());
        points.push_back(point);
    }
    way_.points = std::move(points);
    std::vector<Triangle> walls;
    std::vector<std::uint8_t> opened;
    for (std::size_t w = 0; w < way_.walls.size(); ++w) {
        if (!wall_stays_[w]) continue;
        const Triangle& t = way_.walls[w];
        walls.push_back({name[at(t[0])], name[at(t[1])], name[at(t[2])]});
        opened.push_back(way_.opened[w]);
    }
    way_.walls = std::move(walls), way_.opened = std::move(opened);
    for (SkinWay::Line& line : way_.lines)
        for (int& p : line.points) p = name[at(p)];
    for (auto& edge : seam_.edges)
        for (int& p : edge) p = name[at(p)];
    for (int& p : seam_.ends) p = name[at(p)];
    const auto nearest = [](std::span<const Vec3> places, const Vec3& p) {
        double least = HUGE_VAL;
        for (const Vec3& q : places) least = std::min(least, norm2(p - q));
        return least;
    };
    std::erase_if(way_.samples, [&](const SkinVertex& s) {
        const Vec3 p = s.place(solid_, x_);
        return s.spare == 0 && nearest(gone_places_, p) < nearest(kept_places_, p);
    });
    skin_.ways_[number_] = std::move(way_);
    forget_vertices(gone);
    way_ = std::move(skin_.ways_[number_]);
}

void SkinTurn::forget_vertices(std::span<const std::uint8_t> gone) {
    std::vector<int> name(gone.size(), -1);
    int count = 0;
    for (std::size_t v = 0; v < gone.size(); ++v)
        if (!gone[v]) name[v] = count++;
    const auto rename = [&](int& v) { v = v < 0 ? v : name[at(v)]; };
    const auto squeeze = [&](auto& list) {
        std::size_t next = 0;
        for (std::size_t v = 0; v < list.size(); ++v)
            if (!gone[v]) list[next++] = list[v];
        list.resize(next);
    };
    squeeze(skin_.vertices_), squeeze(skin_.twins_);
    for (int& v : skin_.twins_) rename(v);
    for (Triangle& t : skin_.triangles_)
        for (int& v : t) rename(v);
    for (SkinWay& way : skin_.ways_) {
        squeeze(way.sides);
        for (SkinWay::Point& p : way.points) rename(p.above), rename(p.below);
        for (SkinWay::Line& line : way.lines)
            for (int& v : line.corners) rename(v);
    }
}

/// That the seam is in, or −1.
int SkinTurn::find_part(std::span<const int> groups) const {
    int part = -1;
    for (const auto& edge : seam_.edges)
        for (const int p : edge) {
            const int own = groups[way_.points[at(p)].at.cell];
            if (part >= 0 && own != part) return -1;
            part = own;
        }
    return part;
}

void SkinTurn::find_sides(int part, std::span<const int> groups) {
    std::vector<std::uint8_t> cells(groups.size());
    for (std::size_t c = 0; c < cells.size(); ++c) cells[c] = groups[c] == part;
    std::vector<std::uint32_t> divided;
    for (std::size_t c = 0; c < way_.cells.size(); ++c)
        if (way_.divided[c]) divided.push_back(way_.cells[c]);
    solid_.forget_ahead(x_, cells, divided, seam_.ahead, way_.laid);

    // Who has a triangle with a point that stays is on the side that it was on; but at the ends of the seam.
    std::vector<std::uint8_t> on_way(skin_.vertices_.size(), 0), stays(skin_.vertices_.size(), 0);
    for (const SkinWay::Point& p : way_.points)
        for (const int v : {p.above, p.below})
            if (v >= 0) on_way[at(v)] = 1;
    for (const int p : seam_.ends) on_way[at(way_.points[at(p)].above)] = 2;
    for (const Triangle& t : skin_.triangles_)
        if (std::any_of(t.begin(), t.end(), [&](int v) { return on_way[at(v)] == 1; }))
            for (const int v : t) stays[at(v)] = 1;
    way_.sides.resize(skin_.vertices_.size(), 0);
    seam_.sides.assign(way_.sides.begin(), way_.sides.end());
    for (std::size_t v = 0; v < stays.size(); ++v) {
        const Vec3 p = skin_.vertices_[v].place(solid_, x_);
        if (!stays[v] && !on_way[v] && goes(p)) seam_.sides[v] = sheet_.height(p) >= 0 ? 1 : -1;
    }
}

}  // namespace plush
