#include "geometry/mesh/bvh.hpp"
#include "geometry/repair/solid.hpp"
#include "geometry/sdf/sdf_base.hpp"
#include "geometry/sdf/sdf_pseudonormals.hpp"

// The exact distance to a closed mesh: the closest point by the bounding hierarchy, the sign by
// pseudonormals.

namespace plush {
namespace {

class ExactDistance final : public KnownDistance {
public:
    explicit ExactDistance(const Mesh& mesh)
        : mesh_(mesh), bvh_(mesh.positions(), mesh.triangles()), normals_(mesh), bounds_(mesh.bounds()) {
        // Below this distance p − c is mostly rounding error of positions as large as these: the
        // pseudonormal gives the direction instead. A thousand units in the last place.
        on_surface_ = 1e3 * 2.2e-16 * max_component(max(abs(bounds_.low), abs(bounds_.high)));
    }

    DistanceSample sample(const Vec3& p) const override {
        const auto closest = bvh_.closest(mesh_.positions(), mesh_.triangles(), p);
        if (!closest)  // so far away that the squared distance overflows, or no number at all
            return {std::sqrt(bounds_.distance2(p)), unit(p - bounds_.centre(), {0, 1, 0})};
        const Vec3 away = p - closest->point, n = normals_.at(closest->triangle, closest->weights);
        const double distance = norm(away), sign = dot(away, n) < 0 ? -1 : 1;
        return {sign * distance, distance > on_surface_ ? away * (sign / distance) : unit(n, {0, 1, 0})};
    }

    Exactness exactness() const override { return Exactness::exact; }
    bool is_convex() const override { return false; }  // perhaps it is; nobody looked
    Box3 level_bounds(double level) const override { return bounds_.grown(level); }

private:
    Mesh mesh_;
    Bvh bvh_;
    Pseudonormals normals_;
    Box3 bounds_;
    double on_surface_ = 0;
};

}  // namespace

Sdf sdf::exact(const Mesh& mesh) {
    require_solid(mesh).value();
    return with_form<ExactDistance>({SdfForm::Kind::exact, {}, {}, mesh}, mesh);
}

}  // namespace plush
