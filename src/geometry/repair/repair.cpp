#include <fmt/format.h>

#include <algorithm>

#include "geometry/mesh/topology.hpp"
#include "geometry/repair/branches.hpp"
#include "geometry/repair/degenerate.hpp"
#include "geometry/repair/hole_filling.hpp"
#include "geometry/repair/orientation.hpp"
#include "geometry/repair/weld.hpp"
#include "plush/geometry/check.hpp"

// The steps of a repair, each in a file of its own, in the order in which they need one another: seams are
// welded before triangles can be duplicates, neighbours must face the same way before the rim of a hole has a
// direction, and holes must be closed before inside and outside mean anything.

namespace plush {
namespace {

std::string plural(int count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

class Repairing {
public:
    Repairing(const Mesh& mesh, const RepairSettings& settings)
        : settings_(settings),
          positions_(mesh.positions().begin(), mesh.positions().end()),
          triangles_(mesh.triangles().begin(), mesh.triangles().end()) {}

    Repair run() {
        weld();
        degenerates();
        duplicates();
        orient();
        split();
        if (holes()) degenerates();
        turn();
        unused_vertices();
        return {Mesh(std::move(positions_), std::move(triangles_)), std::move(actions_)};
    }

private:
    void did(std::string action) { actions_.push_back(std::move(action)); }

    // Only vertices on an open edge: there is nothing to close elsewhere, and two closed parts that touch in
    // a vertex or along an edge would become one that branches.
    void weld() {
        const EdgeTable edges(positions_.size(), triangles_);
        std::vector<char> open(positions_.size(), 0);
        for (std::size_t e = 0; e < edges.size(); ++e)
            if (edges[e].size() == 1)
                for (const int v : {edges[e].front().a, edges[e].front().b})
                    open[static_cast<std::size_t>(v)] = 1;
        const std::vector<int> map = weld_map(positions_, open, settings_.weld_distance);
        int welded = 0;
        for (std::size_t v = 0; v < map.size(); ++v) welded += static_cast<std::size_t>(map[v]) != v;
        if (welded == 0) return;
        for (Triangle& t : triangles_)
            for (int& v : t) v = map[static_cast<std::size_t>(v)];
        did(settings_.weld_distance > 0
                ? fmt::format("welded {} on open edges to another within {:g} m",
                              plural(welded, "vertex", "vertices"), settings_.weld_distance)
                : fmt::format("welded {} on open edges to another at the same position",
                              plural(welded, "vertex", "vertices")));
    }

    void degenerates() {
        const Degenerates d = remove_degenerates(positions_, triangles_);
        if (d.collapsed > 0)
            did(fmt::format("made one vertex of the ends of {} of zero length",
                            plural(d.collapsed, "edge", "edges")));
        if (d.flipped > 0)
            did(fmt::format("turned {} so that triangles without area have some",
                            plural(d.flipped, "edge", "edges")));
        if (d.dropped > 0)
            did(fmt::format("removed {} without area", plural(d.dropped, "triangle", "triangles")));
        if (d.left > 0)
            did(fmt::format("left {} without area, which cannot go without a gap",
                            plural(d.left, "triangle", "triangles")));
    }

    void duplicates() {
        if (const int removed = remove_duplicates(positions_.size(), triangles_); removed > 0)
            did(fmt::format("removed {} with the vertices of another",
                            plural(removed, "triangle", "triangles")));
    }

    void orient() {
        const OrientedAlike o = orient_alike(positions_.size(), triangles_);
        if (o.flipped > 0)
            did(fmt::format("flipped {} to face as {} neighbours do",
                            plural(o.flipped, "triangle", "triangles"), o.flipped == 1 ? "its" : "their"));
        if (o.contradictions > 0)
            did(fmt::format(
                "left {} between triangles that face opposite ways: the surface has only one side",
                plural(o.contradictions, "edge", "edges")));
    }

    void split() {
        const SplitBranches b = split_branches(positions_, triangles_);
        if (b.edges > 0)
            did(fmt::format("parted the solids that share {}, with copies of {}",
                            plural(b.edges, "edge", "edges"), plural(b.vertices, "vertex", "vertices")));
        if (b.left > 0)
            did(
                fmt::format("left {} of more than two triangles: which belong together cannot be told; "
                            "delete inner walls "
                            "there in a modelling program",
                            plural(b.left, "edge", "edges")));
    }

    bool holes() {
        const FilledHoles f = fill_holes(positions_, triangles_, settings_.largest_hole);
        if (f.holes > 0)
            did(fmt::format("filled {} with {}", plural(f.holes, "hole", "holes"),
                            plural(f.triangles, "triangle", "triangles")));
        if (f.left > 0)
            did(fmt::format("left {} open, the largest of {} (largest_hole is {}): {}",
                            plural(f.left, "hole", "holes"), plural(f.largest_left, "edge", "edges"),
                            settings_.largest_hole, fix_of(f)));
        return f.holes > 0;
    }

    std::string fix_of(const FilledHoles& f) const {
        if (f.largest_left > largest_hole_ever)
            return fmt::format("holes of more than {} edges are for a modelling program", largest_hole_ever);
        if (f.largest_left > settings_.largest_hole)
            return fmt::format("--largest-hole {} fills it", f.largest_left);
        return "its rim touches another or itself; close it in a modelling program";
    }

    void turn() {
        const Turned t = turn_components(positions_, triangles_);
        if (t.outward > 0) did(fmt::format("turned {} outward", plural(t.outward, "part", "parts")));
        if (t.inward > 0)
            did(fmt::format("turned {} inward: the walls of cavities", plural(t.inward, "part", "parts")));
    }

    void unused_vertices() {
        std::vector<int> index(positions_.size(), -1);
        for (const Triangle& t : triangles_)
            for (const int v : t) index[static_cast<std::size_t>(v)] = 0;
        int kept = 0;
        for (std::size_t v = 0; v < index.size(); ++v)
            if (index[v] == 0) positions_[static_cast<std::size_t>(kept)] = positions_[v], index[v] = kept++;
        const int removed = static_cast<int>(positions_.size()) - kept;
        if (removed == 0) return;
        positions_.resize(static_cast<std::size_t>(kept));
        for (Triangle& t : triangles_)
            for (int& v : t) v = index[static_cast<std::size_t>(v)];
        did(fmt::format("removed {} that no triangle uses", plural(removed, "vertex", "vertices")));
    }

    const RepairSettings& settings_;
    std::vector<Vec3> positions_;
    std::vector<Triangle> triangles_;
    std::vector<std::string> actions_{};
};

}  // namespace

void describe(FieldVisitor& v, RepairSettings& s) {
    v.field({.key = "weld_distance",
             .unit = "m",
             .text = "vertices on open edges this close become one; 0 welds equal positions only",
             .min = 0},
            s.weld_distance);
    v.field({.key = "largest_hole",
             .text = "holes of up to this many edges are filled; 0 fills none",
             .min = 0,
             .max = largest_hole_ever},
            s.largest_hole);
}

Repair repair(const Mesh& mesh, const RepairSettings& settings) {
    return Repairing(mesh, settings).run();
}

}  // namespace plush
