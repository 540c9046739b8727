#pragma once

#include <functional>
#include <optional>
#include <string>

#include "geometry/point_set.hpp"
#include "plush/geometry/shape.hpp"

namespace plush {

/// What a Shape shares.
struct Shape::Data {
    Sdf distance;
    PointSet points;
    Mesh drawn;
    std::function<Mesh()> fine;        ///< a finer one than is drawn, where volumes are measured; null: drawn
    std::optional<Vec3> plane_normal;  ///< of a half-space
    Box3 bounds;
    double thickness = 0;
    bool bounded = true;
    MassProperties unit_mass;  ///< for a density of 1 kg/m³
    std::string name;
};

}  // namespace plush
