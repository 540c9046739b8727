#pragma once

#include <cstdint>
#include <optional>

#include "plush/geometry/sdf.hpp"

// What a signed distance was made of: the function of namespace sdf and its arguments, so that a file can hold it and make the
// same distance again, bit for bit.

namespace plush {

struct SdfForm {
    enum class Kind : std::uint8_t {
        plane,            ///< point, normal
        sphere,           ///< centre, radius
        cylinder,         ///< point, axis, radius
        capped_cylinder,  ///< radius, half height
        box,              ///< half size
        capsule,          ///< two ends, radius
        torus,            ///< radii of ring and tube
        heightfield,      ///< origin, cell, nx, nz, heights
        intersection,     ///< parts
        union_of,         ///< parts
        difference,       ///< parts a, b
        rounded,          ///< part; radius
        transformed,      ///< part; position, rotation as w, x, y, z
        sampled,          ///< mesh; cells across
        exact,            ///< mesh
    };
    Kind kind = Kind::plane;
    std::vector<double> numbers{};  ///< in the order of the arguments
    std::vector<Sdf> parts{};
    Mesh mesh{};
};

/// Null for a distance that a user wrote, and for combinations of such.
const SdfForm* form_of(const SignedDistance& distance);

/// The distance of a form. Throws an Error where it makes no sense.
Sdf make_sdf(const SdfForm& form);

}  // namespace plush
