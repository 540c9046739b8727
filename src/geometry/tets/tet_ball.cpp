#include <cmath>

#include "plush/geometry/generate.hpp"

namespace plush {

Result<TetMesh> tet_ball(double radius) {
    if (!(radius > 0) || !std::isfinite(radius))
        return Error(
            {.place = "radius", .problem = "the ball has no volume", .cure = "give a finite number above 0"});
    const Mesh surface = shapes::icosphere(radius, 20);
    std::vector<Vec3> x(surface.positions().begin(), surface.positions().end());
    std::vector<Tet> tets;
    for (const Triangle& t : surface.triangles())
        tets.push_back({static_cast<int>(x.size()), t[0], t[1], t[2]});
    x.push_back({});
    return TetMesh::try_make(std::move(x), std::move(tets));
}

}  // namespace plush
