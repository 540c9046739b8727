#pragma once

#include <span>
#include <string_view>

#include "plush/bodies/look.hpp"

namespace plush {

/// What things are made of, with real values, by a name that any body may take. docs/materials.md has the sources.
struct KnownMaterial {
    std::string_view name;
    double young;     ///< Pa
    double poisson;   ///< as it is given to bodies of tets, which lock near 0.5
    double density;   ///< kg/m³
    double friction;  ///< of the material on itself, dry unless the table says otherwise
    std::string_view colour;
    Finish finish;
};
std::span<const KnownMaterial> known_materials();
/// Null where there is none of that name.
const KnownMaterial* known_material(std::string_view name);

}  // namespace plush
