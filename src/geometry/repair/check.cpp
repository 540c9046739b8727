#include "plush/geometry/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/repair/hole_filling.hpp"
#include "geometry/repair/nesting.hpp"
#include "geometry/repair/self_intersection.hpp"
#include "geometry/repair/weld.hpp"
#include "plush/geometry/mass.hpp"

// Each check counts, remembers the first place, and says at the end what is wrong, where, and what to do.
// Everything is decided by indices or by exact predicates: there is no tolerance here.
//
// A file may have several vertices at one position. Whether the surface is closed is asked of the indices, as
// they are what a body is made of. Whether it branches or cuts itself is asked of the shape: there vertices
// at one position are one (the triangles of `as_one_`). So parts that touch along an edge count as branching,
// whether they share its vertices or have copies of them, and touching copies do not count as intersecting. Only where they
// share the vertices is the surface no surface; copies are a warning.
//
// The genus is that of Euler's formula for closed oriented surfaces, V − E + F = 2 (components − genus),
// where a vertex in which several fans of triangles touch counts once a fan.

namespace plush {
namespace {

/// How often something was seen and where first.
struct Finding {
    int count = 0;
    int a = -1, b = -1;
    void add(int first, int second = -1) {
        if (count++ == 0) a = first, b = second;
    }
    std::string edge() const { return fmt::format("edge {}-{}{}", a, b, rest()); }
    std::string vertex() const { return fmt::format("vertex {}{}", a, rest()); }
    std::string triangle() const { return fmt::format("triangle {}{}", a, rest()); }
    std::string rest() const { return count > 1 ? fmt::format(" (first of {})", count) : std::string(); }
};

std::string plural(int count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

constexpr std::string_view repair_cure = "plush mesh repair FILE -o OUT";

class Check {
public:
    explicit Check(const Mesh& mesh)
        : triangles_(mesh.triangles()),
          as_one_(triangles_),
          positions_(in_predicate_range(mesh.positions())),
          edges_(mesh.positions().size(), triangles_),
          components_(connected_components(triangles_, edges_)),
          closed_(components_.first.size(), 1) {
        report_.vertices = static_cast<int>(positions_.size());
        report_.triangles = static_cast<int>(triangles_.size());
        report_.components = components_.count();
        report_.bounds = mesh.bounds();
        report_.volume = volume(mesh);
        report_.area = area(mesh);
    }

    MeshReport run() {
        count_vertices();
        count_edges();
        count_fans();
        count_duplicates();
        count_geometry();
        find_inside_out();
        say_fatal();
        say_warnings();
        return std::move(report_);
    }

private:
    void count_vertices() {
        std::vector<char> used(positions_.size(), 0);
        for (const Triangle& t : triangles_)
            for (const int v : t) used[static_cast<std::size_t>(v)] = 1;
        const std::vector<int> map = weld_map(positions_, used, 0);
        for (std::size_t v = 0; v < used.size(); ++v) {
            if (used[v] == 0) unused_.add(static_cast<int>(v));
            if (static_cast<std::size_t>(map[v]) != v) coincident_.add(static_cast<int>(v));
        }
        report_.unused_vertices = unused_.count;
        report_.coincident_vertices = coincident_.count;
        if (coincident_.count == 0) return;
        copy_.assign(triangles_.begin(), triangles_.end());
        for (Triangle& t : copy_)
            for (int& v : t) v = map[static_cast<std::size_t>(v)];
        as_one_ = copy_;
    }

    void count_edges() {
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            const auto uses = edges_[e];
            const EdgeUse& use = uses.front();
            if (uses.size() == 1) boundary_.add(use.a, use.b);
            if (uses.size() == 2 && use.forward == uses[1].forward) misoriented_.add(use.a, use.b);
            if (uses.size() != 2) closed_[component(use.triangle)] = 0;
        }
        nonmanifold_ = branching(edges_);
        if (coincident_.count > 0) {
            const Finding merged = branching(EdgeTable(positions_.size(), as_one_));
            if (merged.count > nonmanifold_.count) touching_ = merged;
        }
        report_.boundary_edges = boundary_.count;
        report_.nonmanifold_edges = std::max(nonmanifold_.count, touching_.count);
        report_.misoriented_edges = misoriented_.count;
        report_.closed = boundary_.count == 0 && nonmanifold_.count == 0 && !triangles_.empty();
        report_.oriented = misoriented_.count == 0;
        report_.outward = report_.oriented && report_.volume > 0;
    }

    static Finding branching(const EdgeTable& edges) {
        Finding result;
        for (std::size_t e = 0; e < edges.size(); ++e)
            if (edges[e].size() > 2) result.add(edges[e].front().a, edges[e].front().b);
        return result;
    }

    void count_fans() {
        const std::vector<int> fans = fan_counts(positions_.size(), triangles_, edges_);
        std::vector<char> branches(positions_.size(), 0);
        for (std::size_t e = 0; e < edges_.size(); ++e)
            if (edges_[e].size() > 2)
                for (const int v : {edges_[e].front().a, edges_[e].front().b})
                    branches[static_cast<std::size_t>(v)] = 1;
        int all_fans = 0, faces = 0;
        for (std::size_t v = 0; v < fans.size(); ++v) {
            all_fans += fans[v];
            if (fans[v] > 1 || branches[v] != 0) nonmanifold_vertices_.add(static_cast<int>(v));
        }
        for (const int c : components_.of_triangle) faces += c >= 0;
        report_.nonmanifold_vertices = nonmanifold_vertices_.count;
        if (report_.closed && report_.oriented)
            report_.genus = components_.count() - (all_fans - static_cast<int>(edges_.size()) + faces) / 2;
    }

    // Triangles with the same vertices have a side on the same lowest edge: compare within each edge only.
    void count_duplicates() {
        std::vector<std::pair<int, int>> thirds;  // the vertex opposite the edge, and the triangle
        std::vector<char> again(triangles_.size(), 0);
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            thirds.clear();
            for (const EdgeUse& use : edges_[e])
                thirds.emplace_back(triangles_[static_cast<std::size_t>(use.triangle)]
                                              [static_cast<std::size_t>((use.corner + 2) % 3)],
                                    use.triangle);
            std::sort(thirds.begin(), thirds.end());
            for (std::size_t i = 1; i < thirds.size(); ++i)
                if (thirds[i].first == thirds[i - 1].first)
                    again[static_cast<std::size_t>(thirds[i].second)] = 1;
        }
        for (std::size_t t = 0; t < again.size(); ++t)
            if (again[t] != 0) duplicate_.add(static_cast<int>(t));
        report_.duplicate_triangles = duplicate_.count;
    }

    /// Of a million copies of one triangle each meets each other: those beyond a few are left out of the search.
    std::vector<int> searched_triangles() const {
        constexpr std::size_t searched = 16;
        std::vector<std::pair<Triangle, int>> sorted;
        for (std::size_t t = 0; t < as_one_.size(); ++t) {
            Triangle corners = as_one_[t];
            std::sort(corners.begin(), corners.end());
            sorted.emplace_back(corners, static_cast<int>(t));
        }
        std::sort(sorted.begin(), sorted.end());
        std::vector<int> wanted;
        for (std::size_t k = 0; k < sorted.size(); ++k)
            if (k < searched || sorted[k].first != sorted[k - searched].first)
                wanted.push_back(sorted[k].second);
        std::sort(wanted.begin(), wanted.end());
        return wanted;
    }

    void count_geometry() {
        const std::vector<char> degenerate = degenerate_triangles(positions_, triangles_);
        for (std::size_t t = 0; t < degenerate.size(); ++t)
            if (degenerate[t] != 0) degenerate_.add(static_cast<int>(t));
        report_.degenerate_triangles = degenerate_.count;
        bvh_ = Bvh(positions_, triangles_);
        std::pair<int, int> lowest{report_.triangles, 0};
        const auto visit = [&](int i, int j) {
            intersecting_.add(i, j);
            lowest = std::min(lowest, std::pair(i, j));
            const int c = components_.of_triangle[static_cast<std::size_t>(i)],
                      d = components_.of_triangle[static_cast<std::size_t>(j)];
            if (c != d) cuts_.push_back(std::minmax(c, d));
        };
        const std::vector<int> wanted = searched_triangles();
        if (wanted.size() == triangles_.size()) {
            counted_all_ = for_each_self_intersection(positions_, as_one_, degenerate, bvh_, visit);
        } else {
            std::vector<Triangle> some;
            std::vector<char> flat;
            for (const int t : wanted)
                some.push_back(as_one_[static_cast<std::size_t>(t)]),
                    flat.push_back(degenerate[static_cast<std::size_t>(t)]);
            counted_all_ =
                for_each_self_intersection(positions_, some, flat, Bvh(positions_, some), [&](int i, int j) {
                    visit(wanted[static_cast<std::size_t>(i)], wanted[static_cast<std::size_t>(j)]);
                });
        }
        intersecting_.a = lowest.first, intersecting_.b = lowest.second;
        report_.self_intersections = intersecting_.count;
        std::sort(cuts_.begin(), cuts_.end());
        cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());
    }

    // A component that lies inside no other, or inside an even number, must have positive volume; the wall of
    // a cavity must have negative volume. Where the whole mesh is one component its volume says it all.
    void find_inside_out() {
        if (!report_.closed || !report_.oriented || components_.count() < 2) return;
        const std::vector<int> depth =
            nesting_depths(positions_, triangles_, components_, closed_, cuts_, bvh_);
        const std::vector<double> volumes = component_volumes(positions_, triangles_, components_);
        for (std::size_t c = 0; c < depth.size(); ++c)
            if (depth[c] % 2 == 0 ? volumes[c] < 0 : volumes[c] > 0) inside_out_.add(components_.first[c]);
    }

    void say(bool fatal, std::string where, std::string what, std::string cure) {
        report_.problems.push_back({std::move(where), std::move(what), std::move(cure), fatal});
    }

    /// Where vertices at one position are one, as a repair makes them on open edges.
    std::string cure_of_holes() const {
        const std::vector<int> holes = hole_sizes(positions_.size(), as_one_);
        const int usual = RepairSettings{}.largest_hole;
        if (holes.empty())
            return fmt::format("{} welds equal vertices and fills holes of up to {} edges", repair_cure,
                               usual);
        const std::string count = plural(static_cast<int>(holes.size()), "hole", "holes");
        if (holes.front() <= usual) return fmt::format("{} fills {}", repair_cure, count);
        const std::string all = fmt::format("{}, the largest of {} edges", count, holes.front());
        if (holes.front() <= largest_hole_ever)
            return fmt::format("{} --largest-hole {} fills {}", repair_cure, holes.front(), all);
        return fmt::format(
            "{} --largest-hole {} fills what it can of {}; larger ones are for a modelling program",
            repair_cure, largest_hole_ever, all);
    }

    /// Whether a vertex on an open edge has the position of another: a seam that a repair closes.
    bool has_seam() const {
        const EdgeTable merged(positions_.size(), as_one_);
        std::size_t open = 0;
        for (std::size_t e = 0; e < merged.size(); ++e) open += merged[e].size() == 1;
        return coincident_.count > 0 && open < static_cast<std::size_t>(boundary_.count);
    }

    void say_fatal() {
        if (triangles_.empty())
            say(true, "mesh", "it has no triangles", "give a file with faces; points and lines make no body");
        if (boundary_.count > 0)
            say(true, boundary_.edge(),
                fmt::format("the surface is not closed: {} of one triangle only",
                            plural(boundary_.count, "edge", "edges")),
                cure_of_holes());
        if (nonmanifold_.count > 0)
            say(true, nonmanifold_.edge(),
                fmt::format("the surface branches: {} of more than two triangles",
                            plural(nonmanifold_.count, "edge", "edges")),
                fmt::format("{} removes duplicate triangles and parts solids that share an edge; inner walls "
                            "are to be "
                            "deleted in a modelling program",
                            repair_cure));
        if (misoriented_.count > 0)
            say(true, misoriented_.edge(),
                fmt::format("neighbours face opposite ways at {}",
                            plural(misoriented_.count, "edge", "edges")),
                fmt::format("{} orients them alike", repair_cure));
        if (report_.closed && report_.oriented && !(report_.volume > 0)) {
            if (report_.volume < 0)
                say(true, "mesh", fmt::format("it is inside out: its volume is {:.6g} m³", report_.volume),
                    fmt::format("{} turns it outward", repair_cure));
            else
                say(true, "mesh", fmt::format("it encloses nothing: its volume is {:.6g} m³", report_.volume),
                    "give a mesh of a solid, in a unit that makes it neither tiny nor huge");
        }
    }

    void say_warnings() {
        if (inside_out_.count > 0 && report_.volume > 0)
            say(false, inside_out_.triangle(),
                fmt::format("{} inside out (by which lies inside which)",
                            inside_out_.count == 1 ? "the part that begins here is"
                                                   : fmt::format("{} parts are", inside_out_.count)),
                fmt::format("{} turns outer walls outward and the walls of cavities inward", repair_cure));
        if (intersecting_.count > 0)
            say(false,
                fmt::format("triangles {} and {}{}", intersecting_.a, intersecting_.b, intersecting_.rest()),
                fmt::format("the surface cuts itself: {}{} of triangles intersect",
                            counted_all_ ? "" : "at least ", plural(intersecting_.count, "pair", "pairs")),
                "usable, but volume and contact are wrong where it overlaps; remesh it in a modelling "
                "program");
        if (touching_.count > nonmanifold_.count)
            say(false, touching_.edge(),
                fmt::format("parts touch along {}, each with vertices of its own at the same places",
                            plural(touching_.count - nonmanifold_.count, "edge", "edges")),
                "usable: they are solids side by side; move them apart, or let them overlap, if they shall "
                "be one");
        if (nonmanifold_vertices_.count > 0)
            say(false, nonmanifold_vertices_.vertex(),
                fmt::format("the surface is pinched or branches at {}",
                            plural(nonmanifold_vertices_.count, "vertex", "vertices")),
                "usable; separate the parts there if they shall move apart");
        if (degenerate_.count > 0)
            say(false, degenerate_.triangle(),
                fmt::format("{} no area", plural(degenerate_.count, "triangle has", "triangles have")),
                fmt::format("{} removes them where that leaves no gap", repair_cure));
        if (duplicate_.count > 0)
            say(false, duplicate_.triangle(),
                fmt::format("{} three vertices of another",
                            plural(duplicate_.count, "triangle repeats the", "triangles repeat the")),
                fmt::format("{} removes them", repair_cure));
        if (coincident_.count > 0)
            say(false, coincident_.vertex(),
                fmt::format("{} the position of another",
                            plural(coincident_.count, "vertex has", "vertices have")),
                has_seam()
                    ? fmt::format("{} makes them one on open edges; elsewhere they do no harm", repair_cure)
                    : "none is needed: the surface is whole there");
        if (unused_.count > 0)
            say(false, unused_.vertex(),
                fmt::format("{} in no triangle", plural(unused_.count, "vertex is", "vertices are")),
                fmt::format("{} removes them", repair_cure));
    }

    std::size_t component(int triangle) const {
        return static_cast<std::size_t>(components_.of_triangle[static_cast<std::size_t>(triangle)]);
    }

    std::span<const Triangle> triangles_;
    std::vector<Triangle> copy_{};
    std::span<const Triangle>
        as_one_;  // with vertices at one position taken as one; copy_, where there are any
    std::vector<Vec3> positions_;
    EdgeTable edges_;
    Components components_;
    std::vector<char> closed_;  // of each component
    Bvh bvh_{};
    std::vector<std::pair<int, int>> cuts_{};  // components that intersect
    bool counted_all_ = true;
    Finding touching_{};  // edges that branch where vertices at one position are taken as one
    Finding boundary_{}, nonmanifold_{}, misoriented_{}, nonmanifold_vertices_{}, unused_{}, coincident_{},
        duplicate_{}, degenerate_{}, intersecting_{}, inside_out_{};
    MeshReport report_{};
};

}  // namespace

bool MeshReport::usable() const {
    return std::none_of(problems.begin(), problems.end(), [](const Problem& p) { return p.fatal; });
}

MeshReport check(const Mesh& mesh) {
    return Check(mesh).run();
}

}  // namespace plush
