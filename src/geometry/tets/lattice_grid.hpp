#pragma once

#include <cstdint>
#include <vector>

#include "geometry/tets/lattice.hpp"
#include "geometry/tets/solid_query.hpp"
#include "geometry/tets/tet_lattice.hpp"

namespace plush {

/// The points of a lattice around a solid, and which of them are inside. Whole lines along x are decided at
/// once: one search in the hierarchy finds what the line crosses.
class LatticeGrid {
public:
    LatticeGrid(const SolidQuery& solid, const LatticePlace& place);

    LatticePoint low() const { return low_; }    ///< half cubes, inclusive
    LatticePoint high() const { return high_; }  ///< exclusive
    Vec3 position(LatticePoint p) const {
        return place_.origin + Vec3{p.x * half_, p.y * half_, p.z * half_};
    }
    std::uint64_t key(LatticePoint p) const {
        const auto at = [&](std::size_t k) { return static_cast<std::uint64_t>(p[k] - low_[k]); };
        const auto size = [&](std::size_t k) { return static_cast<std::uint64_t>(high_[k] - low_[k]); };
        return (at(2) * size(1) + at(1)) * ((size(0) + 1) / 2) + at(0) / 2;
    }
    bool inside(LatticePoint p) const { return inside_[key(p)] != 0; }

    /// Calls visit(centre) for the centre of each face between two cubes of which all points are in the grid,
    /// x first, then y, then z.
    template <class Visit>
    void each_face(Visit&& visit) const {
        LatticePoint p;
        for (p.z = low_.z + 1; p.z + 1 < high_.z; ++p.z)
            for (p.y = low_.y + 1; p.y + 1 < high_.y; ++p.y)
                for (p.x = low_.x + 1; p.x + 1 < high_.x; ++p.x)
                    if ((p.x & 1) + (p.y & 1) + (p.z & 1) == 2) visit(p);
    }

private:
    LatticePlace place_;
    double half_;
    LatticePoint low_, high_;
    std::vector<char> inside_;
};

}  // namespace plush
