#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "geometry/shapes/exact_shape.hpp"
#include "geometry/shapes/point_set.hpp"
#include "plush/geometry/shape.hpp"

namespace plush {

/// Which function made a Shape, and of what: so that a file can hold it and make the same shape again.
struct ShapeSource {
    enum class Kind : std::uint8_t { sphere, box, capsule, cylinder, torus, half_space, distance, mesh };
    Kind kind = Kind::distance;
    Vec3 size{};    ///< the arguments of the analytic ones, m
    int cells = 0;  ///< of a mesh
};

/// What a Shape shares.
struct Shape::Data {
    ShapeSource source;  ///< the mesh is `drawn`
    Sdf distance;
    std::optional<ExactShape> exact;  ///< its faces, edges and rims, where they are known in closed form
    PointSet points;
    Mesh drawn;
    std::function<Mesh()> fine;  ///< a finer one than is drawn, where volumes are measured; null: drawn
    mutable std::once_flag made_fine{};
    mutable Mesh made{};
    /// That one, made when it is first asked for.
    const Mesh& measured() const {
        if (!fine) return drawn;
        std::call_once(made_fine, [&] { made = fine(); });
        return made;
    }
    std::optional<Vec3> plane_normal;  ///< of a half-space
    Box3 bounds;
    double thickness = 0;
    bool bounded = true;
    MassProperties unit_mass;  ///< for a density of 1 kg/m³
    std::string name;
};

}  // namespace plush
