#include "geometry/tets/tet_lattice.hpp"

#include "geometry/mesh/key_map.hpp"
#include "geometry/tets/lattice_grid.hpp"

// The cage: the tets of a body-centred cubic lattice that touch a solid. Their shape is that of the lattice,
// whatever the surface looks like, so any closed surface will do and no angle is bad. What the cage gives up
// is the surface itself, which is embedded in it.
//
// A tet touches the solid where a triangle of the surface meets it (exactly, by orientation signs), or else
// where any of its nodes is inside: without the surface in it, a tet is wholly inside or wholly outside.

namespace plush {
namespace {

/// The floor, as a lattice coordinate.
std::int32_t floor_to_int(double x) {
    return static_cast<std::int32_t>(std::floor(x));
}

class Cage {
public:
    Cage(const SolidQuery& solid, const LatticePlace& place) : solid_(solid), grid_(solid, place) {}

    TetParts build() && {
        grid_.each_face([&](LatticePoint centre) { visit(centre); });
        return joined_by_solid(parts_, inside_, solid_);
    }

private:
    void visit(LatticePoint centre) {
        const LatticeFace face(centre);
        Box3 box;
        for (const LatticePoint p : face.centres) box.add(grid_.position(p));
        for (const LatticePoint p : face.corners) box.add(grid_.position(p));
        solid_.candidates(box, near_);
        const bool inside = grid_.inside(face.centres[0]);
        if (near_.empty() && !inside) return;
        for (std::size_t m = 0; m < 4; ++m) {
            const std::array<LatticePoint, 4> tet{face.centres[0], face.corners[m], face.corners[(m + 1) % 4],
                                                  face.centres[1]};
            std::array<Vec3, 4> at;
            for (std::size_t i = 0; i < 4; ++i) at[i] = grid_.position(tet[i]);
            if (inside || solid_.any_meets_tet(near_, at)) add(tet);
        }
    }

    void add(const std::array<LatticePoint, 4>& tet) {
        Tet out{};
        for (std::size_t i = 0; i < 4; ++i) {
            const auto [number, is_new] =
                numbers_.insert(grid_.key(tet[i]), static_cast<int>(inside_.size()));
            if (is_new) {
                parts_.positions.push_back(grid_.position(tet[i]));
                inside_.push_back(grid_.inside(tet[i]));
            }
            out[i] = number;
        }
        parts_.tets.push_back(out);
    }

    const SolidQuery& solid_;
    LatticeGrid grid_;
    TetParts parts_;
    std::vector<char> inside_;  // of each node
    KeyMap numbers_;
    std::vector<int> near_;
};

}  // namespace

LatticeGrid::LatticeGrid(const SolidQuery& solid, const LatticePlace& place)
    : place_(place), half_(place.spacing / 2) {
    const Box3 box = solid.bounds();
    for (std::size_t k = 0; k < 3; ++k) {
        // Two half cubes more: then every tet that touches the box has all its points in the grid; one more
        // against rounding, and an even lower end, so that key() need not look at parities.
        low_[k] = 2 * floor_to_int((box.low[k] - place.origin[k]) / place.spacing) - 4;
        high_[k] = floor_to_int((box.high[k] - place.origin[k]) / half_) + 5;
    }
    const auto size = [&](std::size_t k) { return static_cast<std::size_t>(high_[k] - low_[k]); };
    inside_.assign(size(2) * size(1) * ((size(0) + 1) / 2), 0);
    std::vector<SolidQuery::Crossing> line;
    LatticePoint p;
    for (p.z = low_.z; p.z < high_.z; ++p.z)
        for (p.y = low_.y; p.y < high_.y; ++p.y) {
            if (((p.y ^ p.z) & 1) != 0) continue;  // no lattice points here
            const Vec3 first = position(p);
            solid.crossings(first.y, first.z, line);
            if (line.empty()) continue;
            for (p.x = low_.x + (p.y & 1); p.x < high_.x; p.x += 2)
                inside_[key(p)] = solid.winding(line, position(p)) > 0;
        }
}

TetParts lattice_cage(const SolidQuery& solid, const LatticePlace& place) {
    return Cage(solid, place).build();
}

}  // namespace plush
